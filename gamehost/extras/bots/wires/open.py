"""How programs speak the open wire."""

from gamehost.programs.clients import WireClient
from gamehost.programs.open import OpenPlayer
from gamehost.wires.open.codec import OpenClientCodec

CLIENT = WireClient(OpenClientCodec, OpenPlayer)
