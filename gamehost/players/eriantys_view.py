"""
Eriantys as one seat sees it: the whole position, as far as it is known or can be counted.

The bag can be counted, because all students that are not in it are visible. Other players' hands can be counted too, for a
seat that was there when their assistants were played.
"""

from typing import Any

from attrs import define, evolve, field

from gamehost.games.base import Seat
from gamehost.games.eriantys.events import (
    Ask,
    AskAssistant,
    AskCloud,
    AskSteps,
    Board,
    Closing,
    EndOfTurn,
    LastRound,
    MatchStarted,
    PlayedAssistant,
    Situation,
    StartOfTurn,
    Success,
    Won,
)
from gamehost.games.eriantys.phases import Play
from gamehost.games.eriantys.pieces import (
    ASSISTANTS,
    MODES,
    STUDENTS_OF_A_COLOUR,
    Colour,
    PlanningOrder,
    Status,
    together,
)
from gamehost.games.eriantys.position import Position
from gamehost.games.eriantys.views import public_position

#: What an event may be that asks something.
ASKS = Ask.__args__


def bag_of(board: Board) -> tuple[int, ...]:
    """The students in the bag, by colour."""
    seen = (0,) * len(Colour)
    for school in board.schools:
        seen = together(together(seen, school.entrance), school.dining)
    for heap in (*(island.students for island in board.islands), *board.clouds, *(c.students for c in board.cards)):
        seen = together(seen, heap)
    return tuple(max(0, STUDENTS_OF_A_COLOUR - count) for count in seen)


@define(eq=False)
class Seen:
    """What one seat has been told."""

    seat: Seat
    seats: int = 0
    expert: bool = False
    board: Board | None = None
    request: Ask | None = None
    over: bool = False
    #: The own hand, and the assistants that others were seen to play.
    hand: tuple[int, ...] = ASSISTANTS
    played: dict[Seat, set[int]] = field(factory=dict)
    last_round: bool = False
    #: The colour that was chosen for the harvester in this turn.
    banned: Colour | None = None
    #: Students in the own entrance when the turn began.
    _entrance: int = field(init=False, default=0)

    def hear(self, event: Any) -> None:
        """Take an event or a view."""
        match event:
            case MatchStarted(seats, expert):
                self.seats, self.expert = seats, expert
            case Situation():
                self._come_in(event)
            case Board():
                self.board = event
            case PlayedAssistant(seat, assistant):
                self.played.setdefault(seat, set()).add(assistant)
                self._put_down(seat, assistant)
            case StartOfTurn(_, seat) if seat == self.seat and self.board is not None:
                self._entrance = sum(self.board.schools[seat].entrance)
            case Success(seat) | EndOfTurn(_, seat) if seat == self.seat:
                # Requests are told to one seat. That another one is asked now is seen from the own answer's success.
                self.request = None
            case LastRound():
                self.last_round = True
            case Won() | Closing():
                self.over, self.request = True, None
            case _ if isinstance(event, ASKS):
                self.request = event if event.seat == self.seat else None
                if isinstance(event, AskAssistant) and event.seat == self.seat:
                    self.hand, self.banned = event.hand, None

    def _put_down(self, seat: Seat, assistant: int) -> None:
        """Note an assistant on the board: no new board is told in the planning phase."""
        if self.board is not None:
            schools = list(self.board.schools)
            school = schools[seat]
            schools[seat] = evolve(school, played=assistant, assistants=school.assistants - 1)
            self.board = evolve(self.board, schools=tuple(schools))

    def _come_in(self, situation: Situation) -> None:
        self.seats, self.expert = situation.match.seats, situation.match.expert
        self.board, self.request = situation.board, situation.request
        self.over = situation.won is not None
        self._entrance = MODES[self.seats].entrance
        if isinstance(situation.request, AskAssistant):
            self.hand = situation.request.hand
        if situation.board is not None and situation.board.round and not situation.board.bag:
            self.last_round = True

    def _hands(self, board: Board) -> tuple[tuple[int, ...], ...]:
        hands = []
        for number, school in enumerate(board.schools):
            gone = self.played.get(Seat(number), set())
            hand = tuple(card for card in (self.hand if number == self.seat else ASSISTANTS) if card not in gone)
            if len(hand) != school.assistants:
                hand = hand[: school.assistants] or ASSISTANTS[: school.assistants]
            hands.append(hand)
        return tuple(hands)

    def position(self) -> Position | None:
        """The position with this seat on turn; `None` before the deal."""
        board = self.board
        if board is None:
            return None
        order = self._order(board)
        return evolve(
            public_position(board, self.seat),
            hands=self._hands(board),
            bag=bag_of(board),
            order=order,
            turn=order.index(self.seat),
            banned=self.banned,
            last_round=self.last_round,
        )

    def _order(self, board: Board) -> tuple[Seat, ...]:
        """The order of this round's turns, by the assistants on the table."""
        seats = [Seat(number) for number in range(len(board.schools))]
        return tuple(sorted(seats, key=lambda seat: board.schools[seat].played or 99))

    def play(self) -> Play | None:
        """The own turn as the rules hold it, where a student, steps or a cloud is asked for."""
        position, request = self.position(), self.request
        if position is None or request is None:
            return None
        stage = {AskSteps: Status.MOVE_2, AskCloud: Status.MOVE_3}.get(type(request), Status.MOVE_1)
        moves = position.match.mode.moves
        moved = self._entrance - sum(position.school.entrance) if stage is Status.MOVE_1 else moves
        return Play(position, PlanningOrder.PREVIOUS, stage, request, moved=max(0, min(moved, moves)))
