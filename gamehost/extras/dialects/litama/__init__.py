"""
The wire `litama`: Onitama in the protocol of the server Litama, for the community's bots and browser clients. It is spoken over
WebSocket, and in lines.
"""

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

from attrs import frozen

from gamehost.entries import imported
from gamehost.games.onitama.master import ONITAMA
from gamehost.settings import Settings, one_of, refuse_unknown, setting
from gamehost.wires.base import COMMON_OPTIONS, CommonWireConfig, SeatKey, Wire, WireConfig, common_settings
from gamehost.wires.origins import Origin, allowed_origins

NAME = "litama"

OPTIONS: Mapping[str, str] = {
    **COMMON_OPTIONS,
    "dialect": "original: the errors of Litama; successor: those of onitama-game, and the connection ends; default original",
    "origins": "origins of the pages that may open a WebSocket, such as https://games.example.org, with commas; default *: any",
}


@frozen
class LitamaConfig(CommonWireConfig[Any]):
    """The configuration of this wire."""

    #: The origins of the pages that may open a WebSocket on the wire's own port; `None`: any.
    origins: Collection[Origin] | None = None


def configure(settings: Settings) -> WireConfig[Any]:
    """
    Makes the configuration of this wire from settings.

    :raises BadOption: a setting is unknown or cannot be used
    """
    refuse_unknown(settings, OPTIONS)
    # In this protocol a match has only five cards, so an exchanged card cannot come from a pack.
    strict, queue = common_settings(settings, NAME, ONITAMA, {"exchange": "spare"})
    successor = setting(settings, "dialect", "original", one_of("original", "successor")) == "successor"
    codec = imported("gamehost.extras.dialects.litama.codec:LitamaCodec")
    if successor:
        codec = imported("gamehost.extras.dialects.litama.codec:SuccessorCodec")
    conversation = partial(
        imported("gamehost.extras.dialects.litama.conversation:LitamaConversation"), successor=successor
    )
    origins = setting(settings, "origins", None, allowed_origins)
    return LitamaConfig(NAME, codec, conversation, strict, queue, origins)


WIRE: Wire[Any] = Wire(
    NAME,
    "Onitama for the clients of Litama, over WebSocket",
    "tcp:8896:interface=127.0.0.1",
    games=(ONITAMA,),
    configure=configure,
    options=OPTIONS,
    must_listen=False,
    websocket=True,
    spreads=True,
    seat_key=SeatKey.TOKEN,
)
