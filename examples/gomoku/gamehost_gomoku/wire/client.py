"""The client's side of the lines: the codec, and a program that plays (`gamehost player gomoku`)."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import astuple

from gamehost.games.base import Seat
from gamehost.programs.clients import WireClient
from gamehost.programs.wire_player import NOBODY, ProgramError, WirePlayer, won
from gamehost.wires.framing import ClientLineCodec, WireError
from gamehost_gomoku.master import GOMOKU, Begun, Played, Situation
from gamehost_gomoku.position import Position, point_named
from gamehost_gomoku.wire import messages as m
from gamehost_gomoku.wire.codec import GomokuCodec

#: First word -> the message. The last field may have spaces.
KINDS: Mapping[str, type[Any]] = {
    kind.__name__.upper(): kind for kind in (m.Waiting, m.Game, m.Played, m.Refused, m.Away, m.Back, m.Over, m.Closing)
}


class GomokuClientCodec(ClientLineCodec[m.Message]):
    """Reads what the server says, and writes what a client says."""

    LIMIT = 4096
    CLIENT_LIMIT = GomokuCodec.LIMIT

    def read(self, line: bytes) -> m.Message:
        """
        The server's message in a line.

        :raises WireError: it is none
        """
        command, _, rest = line.decode("utf-8", "replace").partition(" ")
        kind = KINDS.get(command)
        if kind is None:
            raise WireError(f"expected one of {', '.join(KINDS)}")
        names = kind.__struct_fields__
        words = rest.split(" ", len(names) - 1)
        if len(words) != len(names):
            raise WireError(f"expected {command} and {', '.join(names)}")
        message: m.Message = kind(*words)
        return message

    def line(self, message: m.Message) -> bytes:
        """A client's message without its line end."""
        return " ".join([type(message).__name__.upper(), *astuple(message)]).encode("utf-8")


class GomokuPlayer(WirePlayer):
    """Logs in, and follows the board by the moves."""

    GAME = GOMOKU
    _names: tuple[str, str] = ("", "")

    def begin(self) -> Sequence[Any]:
        return (m.Name(self.name),)

    def hear(self, message: Any) -> Sequence[Any]:
        match message:
            case m.Game(black, white, size):
                self._sit(black, white)
                self.tell(Begun(int(size)))
            case m.Played(name, point) if (placed := point_named(point)) is not None:
                self.tell(Played(Seat(self._names.index(name)), placed))
            case m.Back(name, black, white, size, moves) if name == self.name:
                self._sit(black, white)
                stones = tuple(stone for one in moves.split(",") if (stone := point_named(one)) is not None)
                self.tell(Situation(Position(int(size), stones)))
            case m.Refused(reason) if self.match is not None:
                self.refused(reason)
            case m.Refused(reason) | m.Closing(reason):
                raise ProgramError(f"the server says: {reason}")
            case m.Over(winner):
                self.end(NOBODY if winner == "-" else won(winner))
        return ()

    def _sit(self, black: str, white: str) -> None:
        self._names = (black, white)
        self.sit_down(Seat(self._names.index(self.name)))

    def act(self, action: Any) -> Sequence[Any]:
        return (m.Play(str(action)),)


CLIENT = WireClient(GomokuClientCodec, GomokuPlayer)
