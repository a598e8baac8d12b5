"""The wire as the host knows it."""

from gamehost.games.onitama.master import ONITAMA
from gamehost.lobby.queue import Queue
from gamehost.settings import Settings, refuse_unknown
from gamehost.wires.base import COMMON_OPTIONS, CommonWireConfig, Wire, WireConfig, common_settings
from gamehost.wires.onitama_final.client_codec import FinalClientCodec
from gamehost.wires.onitama_final.codec import MESSAGE_LIMIT, FinalCodec
from gamehost.wires.onitama_final.conversation import FinalConversation
from gamehost.wires.onitama_final.messages import Message

NAME = "onitama-final"

#: Seconds until a client must have logged in. The dialect's programs connect before a person types the name.
LOGIN_SECONDS = 120.0

#: The dialect's programs know no pack: they change a given card for the spare.
REQUIRED = {"exchange": "spare"}


def configure(settings: Settings) -> WireConfig[Message]:
    """
    :raises BadOption: a setting is unknown or cannot be used
    """
    refuse_unknown(settings, COMMON_OPTIONS)
    strict, queue = common_settings(settings, NAME, ONITAMA)
    queue = Queue(queue.game, queue.pool, REQUIRED)
    return CommonWireConfig(NAME, FinalCodec, FinalConversation, strict, queue)


WIRE: Wire[Message] = Wire(
    NAME,
    "Onitama, final dialect",
    "tcp:8895:interface=127.0.0.1",
    (ONITAMA,),
    configure,
    COMMON_OPTIONS,
    must_listen=False,
    client_codec=FinalClientCodec,
    login_seconds=LOGIN_SECONDS,
    write_bytes=MESSAGE_LIMIT,
    spreads=True,
)
