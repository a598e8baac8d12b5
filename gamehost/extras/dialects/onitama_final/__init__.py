"""
The wire `onitama-final`: Onitama for the published programs of the final dialect. Messages end in a zero byte; squares are rows
and columns; there are messages for passes and pings.
"""

from typing import Any

from gamehost.entries import imported
from gamehost.games.onitama.master import ONITAMA
from gamehost.wires.base import Wire, common_wire

#: The longest message in bytes, without its zero byte, in both directions. The dialect's programs can read no more at once.
MESSAGE_LIMIT = 255

WIRE: Wire[Any] = common_wire(
    "onitama-final",
    "Onitama, final dialect",
    "tcp:8895:interface=127.0.0.1",
    game=ONITAMA,
    new_codec=imported("gamehost.extras.dialects.onitama_final.codec:FinalCodec"),
    conversation=imported("gamehost.extras.dialects.onitama_final.conversation:FinalConversation"),
    # The dialect's programs know no pack: they change a given card for the spare.
    required={"exchange": "spare"},
    must_listen=False,
    # The dialect's programs connect before the person types the name.
    login_seconds=120.0,
    write_bytes=MESSAGE_LIMIT,
    spreads=True,
)
