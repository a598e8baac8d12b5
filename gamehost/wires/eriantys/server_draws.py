"""
What a server of Eriantys draws and only tells: the deal, the clouds, new students on characters, and who sits where.

The replica plays on with the same table. Its rules draw by numbers, so the numbers are found that lead to what was told. If
the server has told what the rules cannot draw, the replica's table differs, and the difference is found.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from attrs import define, field, frozen
from msgspec.structs import astuple

from gamehost.checker.server_run import ServerRun, User
from gamehost.games.base import Chance, Seat
from gamehost.games.eriantys import rules
from gamehost.games.eriantys.characters import EFFECTS
from gamehost.games.eriantys.master import Eriantys, EriantysMaster
from gamehost.games.eriantys.phases import Choices, Play
from gamehost.settings import Settings
from gamehost.wires.eriantys import messages as m

T = TypeVar("T")


@define(eq=False)
class ToldMaster(EriantysMaster):
    """A master whose table is laid as another server has laid it."""

    #: The place of the island on which Mother Nature begins, from 0.
    mother_nature: int = field(init=False, default=0)

    @property
    def play(self) -> Choices | Play:
        return self._state

    def sit(self, order: Sequence[Seat]) -> None:
        """The players sit, and play their first assistants, in this order."""
        if isinstance(self._state, Play):
            position = rules.evolve(self._state.position, order=tuple(order), seating=tuple(order))
            self._state = rules.evolve(self._state, position=position)

    def _laid(self, choices: Choices) -> rules.Position:
        position = super()._laid(choices)
        turned = [position.islands[place - self.mother_nature] for place in range(rules.ISLANDS)]
        islands = tuple(rules.Island((place + 1,), island.students) for place, island in enumerate(turned))
        return rules.evolve(position, islands=islands, mother_nature=self.mother_nature)


@frozen
class ToldEriantys(Eriantys):
    """The game as the replica plays it."""

    master: ClassVar[type[EriantysMaster]] = ToldMaster
    masters: list[ToldMaster] = field(factory=list)

    def new_master(self, seats: int, settings: Settings, chance: Chance) -> EriantysMaster:
        master = super().new_master(seats, settings, chance)
        assert isinstance(master, ToldMaster)
        self.masters.append(master)
        return master


def draw(bag: list[int], wanted: Iterable[rules.Colour], most: int) -> Iterator[int]:
    """
    The numbers with which the rules draw these students, and any others up to so many.

    :param bag: how many students of each colour it holds; those that are drawn are taken from it
    """
    colours = list(wanted)[:most]
    for number in range(min(most, sum(bag))):
        place = sum(bag[: colours[number]]) if number < len(colours) else 0
        place = min(place, sum(bag) - 1)
        yield place
        bag[next(colour for colour in range(len(bag)) if place < sum(bag[: colour + 1]))] -= 1


def shuffle(items: Sequence[T], wanted: Sequence[T]) -> Iterator[int]:
    """The numbers with which `gamehost.games.base.shuffled` brings items into the wanted order."""
    now = list(items)
    for last in range(len(now) - 1, 0, -1):
        other = now.index(wanted[last])
        yield other
        now[last], now[other] = now[other], now[last]


def heap(students: Any) -> rules.Students:
    """A set of students of a message as five counts."""
    return tuple(astuple(students))


def colours(students: rules.Students) -> list[rules.Colour]:
    return [colour for colour in rules.Colour for _ in range(students[colour])]


@define(eq=False)
class BoardDraw:
    """
    What is seen on a board that comes next.

    :param user: who hears it, because of an answer
    """

    user: User
    #: The first board of those that show it.
    _board: m.UpdateBoard | None = field(init=False, default=None)

    @property
    def known(self) -> bool:
        return self._board is not None

    def hear(self, user: User, message: Any) -> None:
        if user is self.user and isinstance(message, m.UpdateBoard) and self.shown_on(message):
            self._board = self._board or message

    def shown_on(self, board: m.UpdateBoard) -> bool:
        """Whether a board shows it."""
        return True


@define(eq=False)
class DealDraw(BoardDraw):
    """How the table is laid, and who begins; the clouds are filled on a later board."""

    master: ToldMaster
    names: Mapping[str, Seat]
    mode: rules.Mode
    _filled: m.UpdateBoard | None = field(init=False, default=None)
    _first: str = field(init=False, default="")

    @property
    def known(self) -> bool:
        return self._filled is not None and bool(self._first)

    def hear(self, user: User, message: Any) -> None:
        super().hear(user, message)
        if user is self.user and isinstance(message, m.UpdateBoard) and message.dashboard.round:
            self._filled = self._filled or message
        elif user is self.user and isinstance(message, m.StartOfPlayerRound):
            self._first = self._first or message.nickname

    def repeat(self, run: ServerRun) -> None:
        if self._board is not None:
            self.master.mother_nature = (self._board.dashboard.motherNature - 1) % rules.ISLANDS
            run.replica.draw_next([*self._numbers(self._board)])

    def _numbers(self, board: m.UpdateBoard) -> Iterator[int]:
        islands, table = [rules.STUDENTS_FOR_ISLANDS] * len(rules.Colour), board.dashboard
        for place in range(rules.ISLANDS):
            if place % (rules.ISLANDS // 2) and table.islands:
                island = table.islands[(table.motherNature - 1 + place) % len(table.islands)]
                yield from draw(islands, colours(heap(island.students)), 1)
        bag = [rules.STUDENTS_OF_A_COLOUR - rules.STUDENTS_FOR_ISLANDS] * len(rules.Colour)
        entrances = {player.nickname: heap(player.entrance) for player in board.players}
        for name in self.names:
            yield from draw(bag, colours(entrances.get(name, rules.NO_STUDENTS)), self.mode.entrance)
        if table.characters:
            yield from _characters(table.characters, bag)
        seats = list(self.names.values())
        first = self.names.get(self._first, seats[0])
        yield from shuffle(seats, [first, *(seat for seat in seats if seat != first)])
        if self._filled is not None:
            yield from clouds(self._filled, bag, self.mode)


def _characters(cards: Sequence[Any], bag: list[int]) -> Iterator[int]:
    told = {rules.Character(card.character): card for card in cards if 1 <= card.character <= len(rules.Character)}
    wanted = [*told, *(character for character in rules.Character if character not in told)]
    yield from shuffle(list(rules.Character), wanted)
    for character in wanted[: rules.CHARACTERS_IN_PLAY]:
        students = told[character].students if character in told else None
        lie = colours(heap(students)) if students is not None else []
        yield from draw(bag, lie, EFFECTS[character].students)


def clouds(board: m.UpdateBoard, bag: list[int], mode: rules.Mode) -> Iterator[int]:
    """The numbers with which the clouds are filled like this."""
    for cloud in board.dashboard.clouds:
        yield from draw(bag, colours(heap(cloud)), mode.moves)


@define(eq=False)
class RefillDraw(BoardDraw):
    """What lies on the clouds in the next round, if there is one."""

    position: rules.Position
    _over: bool = field(init=False, default=False)

    @property
    def known(self) -> bool:
        return self._over or super().known

    def hear(self, user: User, message: Any) -> None:
        super().hear(user, message)
        self._over = self._over or (user is self.user and message == m.WORDS["CLOSING_GAME"])

    def shown_on(self, board: m.UpdateBoard) -> bool:
        return board.dashboard.round == self.position.round + 1

    def repeat(self, run: ServerRun) -> None:
        if self._board is not None:
            run.replica.draw_next([*clouds(self._board, list(self.position.bag), self.position.match.mode)])


@define(eq=False)
class CardDraw(BoardDraw):
    """Which student replaces the one that was taken from a character."""

    position: rules.Position
    character: rules.Character
    taken: rules.Colour

    def repeat(self, run: ServerRun) -> None:
        card = self.position.card(self.character)
        if self._board is None or card is None:
            return
        left = rules.plus(card.students, self.taken, -1)
        for told in self._board.dashboard.characters:
            if told.character == self.character and told.students is not None:
                more = [after - before for after, before in zip(heap(told.students), left, strict=True)]
                new = [colour for colour in rules.Colour if more[colour] > 0]
                run.replica.draw_next([*draw(list(self.position.bag), new, 1)])


@define(eq=False)
class OrderDraw:
    """
    Who plays an assistant next in the first round: the players' places are drawn.

    :param names: the players who have not played one
    """

    master: ToldMaster
    position: rules.Position
    left: Mapping[str, Seat]
    _next: Seat | None = field(init=False, default=None)

    @property
    def known(self) -> bool:
        return self._next is not None

    def hear(self, user: User, message: Any) -> None:
        if isinstance(message, m.AvailableAssistants) and self._next is None:
            self._next = self.left.get(user.name)

    def repeat(self, run: ServerRun) -> None:
        if self._next is not None:
            before = self.position.order[: self.position.turn + 1]
            after = (seat for seat in self.position.order if seat not in before and seat != self._next)
            self.master.sit((*before, self._next, *after))


@define(eq=False)
class IdDraw:
    _id: int | None = field(init=False, default=None)

    @property
    def known(self) -> bool:
        return self._id is not None

    def hear(self, user: User, message: Any) -> None:
        if isinstance(message, m.WaitingForPlayers):
            self._id = message.gameId

    def repeat(self, run: ServerRun) -> None:
        if self._id is not None:
            run.match_id = str(self._id)
