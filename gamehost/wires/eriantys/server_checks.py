"""
The checks of servers of Eriantys.

The document is *Eryantis Protocol Documentation*: section 1 lists the 42 messages, section 2 has the scenarios.

A server draws the deal, the clouds, new students on characters, and who sits where, and only tells it. The replica plays on
with the same table. Its rules draw by numbers, so the numbers are found that lead to what was told. If the server has told what
the rules cannot draw, the replica's table differs, and the difference is found.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from attrs import define, field, frozen
from msgspec import UNSET
from msgspec.structs import astuple, replace

from gamehost.checker.base import Cut, laws
from gamehost.checker.server_run import Script, ServerChecks, ServerDraw, ServerRun, Spelling, User
from gamehost.checker.server_scripts import LONGEST, case, crosswise, returns
from gamehost.games.base import Chance, Game, Seat
from gamehost.games.eriantys import events, rules
from gamehost.games.eriantys.characters import EFFECTS, Monk, Princess
from gamehost.games.eriantys.master import Eriantys, EriantysMaster
from gamehost.games.eriantys.phases import Choices, Play, usable
from gamehost.games.eriantys.rules import ASSISTANTS, Character, Colour, Position
from gamehost.settings import Settings
from gamehost.wires.eriantys import messages as m
from gamehost.wires.eriantys.messages import Color, GameInfo, Tower
from gamehost.wires.eriantys.rendering import SPELLING

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
            yield from _laid_out(table.characters, bag)
        seats = list(self.names.values())
        first = self.names.get(self._first, seats[0])
        yield from shuffle(seats, [first, *(seat for seat in seats if seat != first)])
        if self._filled is not None:
            yield from clouds(self._filled, bag, self.mode)


def _laid_out(cards: Sequence[Any], bag: list[int]) -> Iterator[int]:
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


class JsonSpelling(Spelling):
    def __init__(self) -> None:
        self._told_game = ToldEriantys()
        self.game: Game[Any, Any] | None = self._told_game
        #: The game's id on the server, and on the replica.
        self._id: int | None = None
        self._own: int | None = None

    @property
    def master(self) -> ToldMaster:
        """The replica's master of the last match."""
        return self._told_game.masters[-1]

    def log_in(self, name: str, password: str) -> Sequence[Any]:
        return (m.LoginMessage(name),)

    async def enter(self, run: ServerRun, user: User, after: User | None = None) -> None:
        """Log in, and create a game or join the one that waits."""
        await super().enter(run, user)
        await (create(run, user) if after is None else join(run, user))

    def says(self, action: Any, seat: Seat, match_id: str) -> Sequence[Any]:
        return (SPELLING.message_of(action),)

    def replies(self, message: Any) -> Sequence[Any]:
        """Pong, and acknowledgements where all clients send them."""
        if isinstance(message, m.Ping):
            return (m.Pong(),)
        return (m.Acknowledgement(),) if m.is_due(message) or isinstance(message, m.UpdateBoard) else ()

    def comes_at_any_time(self, message: Any) -> bool:
        return isinstance(message, m.Ping)

    def documented(self, message: Any) -> Any | None:
        match message:
            case m.CommunicationMessage() if message in m.EXTENSIONS:
                return None
            case m.ErrorMessage(error):
                return m.ErrorMessage(error)
            case m.MatchStarted(players):
                return m.MatchStarted(players)
            case m.UpdateBoard():
                return replace(message, order=UNSET)
            case m.WhereToMove():
                return m.WhereToMove()
            case m.SelectCloud():
                return m.SelectCloud()
            case m.CommunicateWinner():
                return replace(message, nicknames=UNSET)
        return message

    def canonical(self, message: Any) -> Any:
        """Lists whose order says nothing are sorted, and the reason of a victory may have any words."""
        match message:
            case m.CommunicateWinner():
                return replace(message, winReason="")
            case m.AvailableGames(games):
                return m.AvailableGames(tuple(game for game in games if game.gameId == self._id))
            case m.MovableStudents(students):
                return m.MovableStudents(tuple(sorted(students)))
            case m.MovableStudentsChar(students):
                return m.MovableStudentsChar(tuple(sorted(students)))
            case m.AvailableAssistants(hand, played):
                return m.AvailableAssistants(tuple(sorted(hand)), played)
            case m.AvailableWizards(wizards):
                return m.AvailableWizards(tuple(sorted(wizards)))
            case m.UpdateBoard(players, dashboard):
                players = tuple(replace(one, professors=tuple(sorted(one.professors))) for one in players)
                islands = tuple(sorted(dashboard.islands, key=lambda island: island.number))
                characters = tuple(sorted(dashboard.characters, key=lambda card: card.character))
                return m.UpdateBoard(
                    tuple(sorted(players, key=lambda player: player.nickname)),
                    replace(dashboard, islands=islands, characters=characters),
                )
        return message

    def with_id(self, message: Any, match_id: str) -> Any:
        """Games are known by an id before they begin."""
        match message:
            case m.WaitingForPlayers(own):
                self._id, self._own = int(match_id), own
                return m.WaitingForPlayers(int(match_id))
            case m.JoinAvailableGame(game_id) if game_id == self._id and self._own is not None:
                return m.JoinAvailableGame(self._own)
            case m.JoinAlreadyExistingGame(info):
                return m.JoinAlreadyExistingGame(self._with_id(info))
            case m.UpdateLobby(info):
                return m.UpdateLobby(self._with_id(info))
            case m.AvailableGames(games):
                return m.AvailableGames(tuple(map(self._with_id, games)))
        return message

    def _with_id(self, info: GameInfo) -> GameInfo:
        return replace(info, gameId=self._id) if self._id is not None and info.gameId == self._own else info

    def draw(self, run: ServerRun, user: User, action: Any) -> ServerDraw | None:
        """The deal, the clouds, a new student on a character, or who sits where."""
        play = self.master.play
        there = sorted((one for one in run.users if one.seat.player is not None), key=lambda one: one.seat.seat)
        names = {one.name: one.seat.seat for one in there}
        if isinstance(play, Choices):
            last = isinstance(action, events.ChooseWizard) and len(play.wizards) + 1 == play.match.mode.seats
            return DealDraw(user, self.master, names, play.match.mode) if last else None
        position = play.position
        if isinstance(action, events.PlayAssistant) and position.round == 1:
            left = {name: seat for name, seat in names.items() if seat not in position.order[: position.turn + 1]}
            return OrderDraw(self.master, position, left) if len(left) > 1 else None
        if _ends_round(position, action):
            return RefillDraw(user, position)
        return _replaced(user, play, action)


def _replaced(user: User, play: Play, action: Any) -> CardDraw | None:
    effect = play.effect
    if isinstance(effect, Monk) and effect.picked is not None and any(play.position.bag):
        return CardDraw(user, play.position, Character.MONK, effect.picked)
    if isinstance(effect, Princess) and action.colour is not None and any(play.position.bag):
        return CardDraw(user, play.position, Character.PRINCESS, action.colour)
    return None


def _ends_round(position: Position, action: Any) -> bool:
    if position.turn + 1 < len(position.order):
        return False
    empty = not any(map(any, position.clouds))
    return isinstance(action, events.ChooseCloud) or (isinstance(action, events.ChooseSteps) and empty)


_NAMES = ("ann", "bob", "cid", "dan")
#: A game that no server has.
NO_GAME = 987_654_321
#: What is wrong, and the message.
Fault = tuple[str, Any]


def state(run: ServerRun) -> Choices | Play:
    """The replica's state of the match."""
    assert isinstance(run.spelling, JsonSpelling)
    return run.spelling.master.play


async def come(run: ServerRun, name: str) -> User:
    """A player connects and logs in."""
    user = run.new_user(name)
    await run.connect(user)
    await run.say(user, m.LoginMessage(user.name))
    return user


async def create(run: ServerRun, user: User, seats: int = 2, expert: bool = False) -> None:
    """A player creates a game."""
    await run.say(user, m.SetGame(seats, expert), draw=IdDraw())


async def join(run: ServerRun, user: User) -> None:
    """A player asks for the games, and joins the one that was created last."""
    await run.say(user, m.RequestGames())
    await run.say(user, m.JoinAvailableGame(int(run.match_id)))


async def gather(run: ServerRun, seats: int = 2, expert: bool = False) -> list[User]:
    """A game of so many players, up to its first request."""
    users = [await come(run, _NAMES[0])]
    await create(run, users[0], seats, expert)
    for name in _NAMES[1:seats]:
        users.append(await come(run, name))
        await join(run, users[-1])
    return users


def some_actions(most: int, seats: int = 2, expert: bool = False) -> Script:
    async def script(run: ServerRun) -> None:
        await gather(run, seats, expert)
        await (_play_with_characters if expert else ServerRun.play)(run, most)

    return script


async def _play_with_characters(run: ServerRun, most: int) -> None:
    for _ in range(most):
        user, action = run.on_turn()
        if user is None:
            return
        await run.act(user, next(iter(_characters(run)), action))


def _characters(run: ServerRun) -> Sequence[events.Action]:
    """The characters that the player who is asked can use now."""
    play = state(run)
    if not isinstance(play, Play) or play.effect is not None:
        return ()
    return (
        tuple(usable(play.position))
        if isinstance(play.request, events.AskStudent | events.AskSteps | events.AskCloud)
        else ()
    )


async def next_game(run: ServerRun) -> None:
    """A player leaves for good. The other one has won, and creates the next game on the same connection."""
    first, second = await gather(run)
    await run.play(6)
    await run.say(second, m.Disconnect())
    await run.drop(second)
    await create(run, first)
    await run.connect(second)
    await run.spelling.enter(run, second, first)
    await run.play(6)


def leaves(actions: int, seats: int = 2) -> Script:
    """A player leaves for good after so many events."""

    async def script(run: ServerRun) -> None:
        users = await gather(run, seats)
        await run.play(actions)
        await run.say(users[-1], m.Disconnect())

    return script


async def lobby(run: ServerRun) -> None:
    """What can be wrong before a game, and players who come and go."""
    first, second = await come(run, "ann"), run.new_user("bob")
    await run.say(first, m.RequestGames())
    await run.say(first, m.SetGame(5, False), trying="a game of five")
    await run.say(first, m.JoinAvailableGame(NO_GAME), trying="joining a game that there is not")
    await run.say(first, m.ChosenSteps(1), trying="a move before any game")
    await run.say(first, m.LoginMessage(first.name), trying="a second log-in")
    await create(run, first, 3)
    await run.say(first, m.SetGame(2, False), trying="creating a game while waiting in one")
    await run.connect(second)
    await run.say(second, m.LoginMessage(first.name), trying="a nickname that another player has")
    await run.spelling.enter(run, second, first)
    await run.say(second, m.Disconnect())
    await run.drop(second)
    for name in ("cid", "dan"):
        await join(run, await come(run, name))
    late = await come(run, "eve")
    await run.say(late, m.JoinAvailableGame(int(run.match_id)), trying="joining a game that has begun")
    await run.play(2)


async def acknowledges_more(run: ServerRun) -> None:
    """Acknowledgements that nothing asked for."""
    users = await gather(run)
    for number in range(12):
        user = users[number % 2]
        await run.say(user, *[m.Acknowledgement()] * 3, trying="acknowledgements that nothing asked for")
        await run.play(1)


async def out_of_turn(run: ServerRun) -> None:
    """The wrong player answers each kind of request."""
    await gather(run)
    tried: set[type] = set()
    for _ in range(24):
        on_turn, action = run.on_turn()
        if on_turn is None:
            return
        messages = run.spelling.says(action, on_turn.seat.seat, run.match_id)
        kind = type(messages[0])
        if kind not in tried:
            tried.add(kind)
            await run.say(run.other(on_turn), *messages, trying=f"{kind.__name__} of a player who is not asked")
        await run.act(on_turn, action)


async def joined(run: ServerRun) -> None:
    """A refused answer and a good one in one segment."""
    await gather(run)
    while not isinstance(state(run), Play) or not isinstance(_request(run), events.AskStudent):
        await run.play(1)
    on_turn, action = run.on_turn()
    if on_turn is not None and isinstance(action, events.ChooseStudent):
        answers = run.spelling.says(action, on_turn.seat.seat, run.match_id)
        messages = (m.ChosenSteps(1), *answers, m.ChosenDestination(1))
        await run.say(on_turn, *messages, trying="a refused answer and two good ones in one segment")
        await run.play(4)


def refusals(most: int, seats: int = 2, expert: bool = False) -> Script:
    """Every fault once, where it is possible first, in so many events."""

    async def script(run: ServerRun) -> None:
        await gather(run, seats, expert)
        tried: set[str] = set()
        for _ in range(most):
            user, action = run.on_turn()
            if user is None:
                return
            fault = next((one for one in faults(run) if one[0] not in tried), None)
            if fault is not None:
                tried.add(fault[0])
                await run.say(user, fault[1], trying=fault[0])
            else:
                used = [] if len(tried) % 2 else _characters(run)
                await run.act(user, next(iter(used), action))

    return script


def _request(run: ServerRun) -> Any:
    return state(run).request


def faults(run: ServerRun) -> Iterator[Fault]:
    match _request(run):
        case events.AskTower(_, left, _):
            yield from (("a tower without a place", m.ChosenTower(Tower[tower])) for tower in _full(left))
            yield "a wizard while a tower is asked for", m.ChosenWizard(1)
        case events.AskWizard(_, wizards):
            taken = [wizard for wizard in range(1, 5) if wizard not in wizards]
            yield from (("a wizard that another player has", m.ChosenWizard(wizard)) for wizard in taken)
            yield "wizard 7", m.ChosenWizard(7)
        case events.AskAssistant(_, hand, played):
            yield from _wrong_assistants(hand, [card for _, card in played])
        case events.AskStudent(_, students):
            missing = [colour for colour in Colour if not students[colour]]
            student = "a student that is not in the entrance"
            yield from ((student, m.ChosenStudent(Color[colour.name])) for colour in missing)
            yield "steps while a student is asked for", m.ChosenSteps(1)
        case events.AskSteps(_, most):
            yield "no step", m.ChosenSteps(0)
            yield "one step too many", m.ChosenSteps(most + 1)
        case events.AskCloud(_, clouds):
            yield from (("an empty cloud", m.ChosenCloud(place)) for place in (0, 1) if place not in clouds)
            yield "cloud 9", m.ChosenCloud(9)
    play = state(run)
    if isinstance(play, Play) and play.picked is not None:
        yield "an island that there is not", m.ChosenDestination(len(play.position.islands) + 1)
    if isinstance(play, Play) and play.effect is None:
        yield from _wrong_characters(play)


def _full(left: Sequence[int]) -> list[str]:
    return [tower.name for tower, places in zip(Tower, (*left, 0), strict=False) if not places]


def _wrong_assistants(hand: Sequence[int], played: Sequence[int]) -> Iterator[Fault]:
    gone = [card for card in ASSISTANTS if card not in hand]
    yield from (("an assistant that is not in the hand", m.PlayAssistant(card)) for card in gone)
    yield from (
        ("an assistant that another has played", m.PlayAssistant(card))
        for card in played
        if card in hand and hand != (card,)
    )
    yield "assistant 11", m.PlayAssistant(11)


def _wrong_characters(play: Play) -> Iterator[Fault]:
    position = play.position
    if isinstance(play.request, events.AskAssistant):
        yield "a character while an assistant is asked for", m.UseCharacterEffect(1)
    elif not position.match.expert:
        yield "a character in a normal game", m.UseCharacterEffect(1)
    else:
        here = [card.character for card in position.cards]
        yield "character 13", m.UseCharacterEffect(13)
        yield (
            "a character that is not on the table",
            m.UseCharacterEffect(next(one for one in Character if one not in here)),
        )
        if position.character is not None:
            yield "a second character in one turn", m.UseCharacterEffect(here[0])
        else:
            coins = position.school.coins
            dear = [
                card.character for card in position.cards if card.cost > coins and not _has_conditions(card.character)
            ]
            yield from (("a character without enough coins", m.UseCharacterEffect(one)) for one in dear)


def _has_conditions(character: Character) -> bool:
    return type(EFFECTS[character]).check is not type(EFFECTS[Character.KNIGHT]).check


CASES = (
    case("whole-game", "A game of two; the winner is told.", "CommunicateWinner", some_actions(LONGEST)),
    case("crosswise", "The player who connects later creates the game.", "MatchStarted", crosswise),
    case("lobby", "Wrong messages before a game; players come and go.", "UpdateLobby", lobby),
    case("next-game", "A player leaves; the other creates the next game.", "CommunicateWinner", next_game),
    case("leaves-in-set-up", "A player leaves while towers are chosen.", "CommunicateWinner", leaves(1)),
    case("leaves-three", "One of three players leaves.", "CommunicateWinner", leaves(20, 3)),
    case("three-players", "A round and a half of three players.", "UpdateBoard", some_actions(60, 3)),
    case("four-players", "A round of two teams.", "UpdateBoard", some_actions(50, 4)),
    case("expert", "A game with characters.", "PlayedCharacter", some_actions(LONGEST, expert=True)),
    case("refusals", "Wrong answers to each request.", "ErrorMessage", refusals(55)),
    case("refusals-three", "Wrong answers of three players.", "ErrorMessage", refusals(30, 3)),
    case("refusals-expert", "Characters that cannot be used.", "ErrorMessage", refusals(60, expert=True)),
    case("out-of-turn", "A player answers who is not asked.", "turn", out_of_turn),
    case("acknowledgements", "More acknowledgements than the server asked for.", "turn", acknowledges_more),
    case("joined", "A refused answer and good ones come in one segment.", "turn", joined),
    case("bytes", "The clients send bytes in segments of their own.", "turn", some_actions(8), Cut.BYTES),
    case("random-cuts", "The clients' segments end in the middle of lines.", "turn", some_actions(12), Cut.RANDOM),
    case("returns-in-own-turn", "A connection is lost in its player's turn, and comes back.", "reconnect",
         returns(True, gather, 10, 6)),
    case("returns-in-others-turn", "A connection is lost in the other's turn, and comes back.", "reconnect",
         returns(False, gather, 10, 6)),
)  # fmt: skip

#: The replica waits for no acknowledgement, and sends no Ping.
CHECKS = ServerChecks(
    "eriantys", laws(__name__, "servers"), CASES, JsonSpelling, {"eriantys.ack_seconds": "0", "eriantys.ping": "0"}
)
