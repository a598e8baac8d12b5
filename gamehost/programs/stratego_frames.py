"""A program on the frames of Stratego. The squares of an enemy's attack are found by the boards before and after it."""

from collections.abc import Sequence
from typing import Any

from gamehost.games.base import Seat
from gamehost.games.stratego import events as e
from gamehost.games.stratego.actions import Move, Place, PlaceRows
from gamehost.games.stratego.game import STRATEGO
from gamehost.games.stratego.pieces import Survivor
from gamehost.games.stratego.setup import HOME
from gamehost.programs.stratego_board import attacked, other, square_of
from gamehost.programs.wire_player import NOBODY, ProgramError, WirePlayer, won
from gamehost.wires.stratego_frames import messages as m

_TIE = "tie"
_READY = "ready"


class StrategoFramesPlayer(WirePlayer):
    """Signs on, places its pieces one by one, and follows the boards."""

    GAME = STRATEGO

    def __init__(self, *more: Any) -> None:
        super().__init__(*more)
        self._seat = Seat(1)
        self._turn = Seat(0)
        self._squares = ""
        self._reason = ""
        self._phase = e.Phase.OVER
        #: The piece that is placed alone, as after a lost connection.
        self._place: Place | None = None
        self._sent: Move | None = None
        self._battle: m.Battle | None = None

    def begin(self) -> Sequence[Any]:
        self._seat = Seat(1)
        return (m.SignOn(self.name),)

    def again(self) -> Sequence[Any]:
        super().again()
        return self.begin()

    def hear(self, message: Any) -> Sequence[Any]:
        match message:
            case m.Wait() if self.match is None:
                # Who has waited is the first player, if the server does not say the side.
                self._seat = Seat(0)
            case m.Connected() if self.match is None:
                self._open(self._seat)
            case m.Side(side) if side in ("1", "2"):
                self._side(Seat(int(side) - 1))
            case m.Playing(username):
                self._begin(username)
            case m.PlacementValid() if self._place is not None:
                self._placed(self._place)
            case m.PlacementInvalid():
                raise ProgramError(f"the server refuses the set-up: {self._reason or 'it does not say why'}")
            case m.MoveInvalid():
                self.refused(self._reason)
            case m.Move() | m.Battle() | m.Board():
                self._follow(message)
            case m.GameOver(winner):
                self._phase = e.Phase.OVER
                self.end(NOBODY if winner == _TIE else won(winner))
            case m.Error(reason):
                self._reason = reason
                if self.match is None:
                    raise ProgramError(f"the server says: {reason}")
        return ()

    def _open(self, seat: Seat) -> None:
        self._seat, self._phase, self._squares, self._battle = seat, e.Phase.SETUP, "", None
        self.sit_down(seat)
        self.tell(e.Opened())

    def _side(self, seat: Seat) -> None:
        if self.match is None:
            # Back in a match that is played: `Playing` and a board follow.
            self._seat, self._squares, self._phase = seat, "", e.Phase.OVER
            self.sit_down(seat)
        elif self._phase is e.Phase.SETUP and seat != self._seat:
            self._open(seat)

    def _begin(self, username: str) -> None:
        self._turn = self._seat if username == self.name else other(self._seat)
        if self._phase is e.Phase.SETUP:
            self.tell(e.ReadySet(self._seat), e.Playing(self._turn, self._turn))
            self._phase = e.Phase.PLAY

    def _follow(self, message: Any) -> None:
        match message:
            case m.Move(x, y, to_x, to_y):
                self.tell(e.Moved(self._turn, Move(x, y, to_x, to_y), other(self._turn)))
                self._turn = other(self._turn)
            case m.Battle():
                self._battle = message
            case m.Board(squares) if self._phase is e.Phase.OVER:
                # Back in a match of an earlier connection.
                self._phase = e.Phase.PLAY
                self.tell(e.Situation(self._seat, e.Phase.PLAY, squares, (True, True), self._turn, None))
                self._squares = squares
            case m.Board(squares) if self._phase is e.Phase.SETUP:
                self._set_up(squares)
            case m.Board(squares):
                if self._battle is not None:
                    self._fought(self._battle, squares)
                self.tell(e.Board(squares))
                self._squares, self._battle = squares, None

    def _set_up(self, squares: str) -> None:
        self._squares = squares
        self.tell(e.Situation(self._seat, e.Phase.SETUP, squares, (False, False), None, None))

    def _placed(self, place: Place) -> None:
        square, self._place = square_of(place.x, place.y), None
        self._set_up(self._squares[:square] + place.piece + self._squares[square + 1 :])

    def _fought(self, battle: m.Battle, squares: str) -> None:
        turn, self._turn = self._turn, other(self._turn)
        mine = turn == self._seat
        winner: Survivor = "tie"
        if battle.winner != _TIE:
            winner = "attacker" if (battle.winner == self.name) == mine else "defender"
        move = self._sent
        if not mine:
            move = attacked(self._squares, squares, self._seat, battle.attacker, battle.defender, winner)
        if move is not None:
            self.tell(e.Fought(turn, move, battle.attacker, battle.defender, winner, self._turn))
        else:
            self.tell(e.Situation(self._seat, e.Phase.PLAY, squares, (True, True), self._turn, None))

    def act(self, action: Any) -> Sequence[Any]:
        self._reason = ""
        match action:
            case PlaceRows(rows):
                first = HOME[self._seat]
                return (
                    *(m.Setup(piece, x, first + y) for y, row in enumerate(rows) for x, piece in enumerate(row)),
                    m.Ready(_READY),
                )
            case Place(piece, x, y):
                self._place = action
                return (m.Setup(piece, x, y),)
            case Move(x, y, to_x, to_y):
                self._sent = action
                return (m.Move(x, y, to_x, to_y),)
        return (m.Ready(_READY),)
