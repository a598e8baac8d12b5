"""
Substitutes for the optional parts of a game: a screen in a terminal, a picture, and players. They work with the rules, the
master and the messages of any game.

A game may have better parts in its folder (`gamehost.games.installed`), and the functions of this module return those. So other
packages ask this module for a screen, a picture or a player, and need not know the game.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import partial
from inspect import cleandoc
from itertools import chain, count, islice
from string import ascii_lowercase
from sys import modules
from typing import Any, TypeVar

from attrs import define, field, frozen
from msgspec import Struct, structs

from gamehost.games.base import (
    Chance,
    Determinizable,
    Game,
    GameMaster,
    HasOutlook,
    IllegalAction,
    Seat,
    act_carefully,
    shuffled,
)
from gamehost.games.clock import HasTurns
from gamehost.games.drawing import Board, Drawable, PlayerLine, Scene, caption, page, tag, text
from gamehost.games.installed import OWN, home_of, installed, part, resource
from gamehost.games.messages import EventMessage, Messages
from gamehost.games.screen import MoveRefused, NewScreen, Screen, Style, abridged, columns, wrapped
from gamehost.players.base import Budget, Level, LimitsLevels, NewPlayer, OutOfBudget, Player, SeededChance, Thinking

M = TypeVar("M", bound=GameMaster[Any, Any])

#: `_READ`: the most legal actions that are compared with typed text. `_WEIGHED`: the most legal actions that a player compares;
#: if there are more, it takes a random one.
_READ, _WEIGHED = 10_000, 400
#: As long as all actions have equal results, the player makes its trials longer, up to this number of actions.
_LONGEST = 256
#: The number of actions of a trial in a game with `HasOutlook`: more random actions would make the estimate less exact.
_JUDGED = 2
#: Recognizes a line of a board: it begins with the number of its row, or with three spaces.
_ROW = re.compile(r"(   |[ 1-9][0-9] )")


# The optional parts in a game's folder


def messages_of(game: Game[Any, Any]) -> Messages | None:
    """Returns the messages of a game; `None`: it has none, so it can be played only on its own wire."""
    found: Messages | None = part(game, "messages", "MESSAGES")
    return found


def is_move(game: Game[Any, Any], told: Sequence[EventMessage]) -> bool:
    """
    Whether players count an entry of the journal as a move. So the console and the browser number the moves of a match in the
    same way.

    :param game: the game
    :param told: the messages of the entry that everybody receives
    """
    found = part(game, "messages", "is_move")
    # Most games have no function of their own: a move is an entry with an event of a seat.
    return any(isinstance(getattr(one, "seat", None), int) for one in told) if found is None else bool(found(told))


def screen_of(game: Game[Any, Any]) -> NewScreen:
    """
    Returns the function that makes the screens of a game. A screen draws a match in a terminal and reads typed moves.

    :raises ValueError: the game has no messages
    """
    found: NewScreen | None = part(game, "text", "SCREEN")
    if found is not None:
        return found
    messages = messages_of(game)
    if messages is None:
        raise ValueError(f"{game.name} has no messages")
    return partial(PlainScreen, game, messages)


def help_of(game: Game[Any, Any]) -> Sequence[str]:
    """
    Returns the rules and the moves of a game for people: its `help.rst`, or the docstring of the module in which the
    game's object (its token) is defined. At most 22 lines of 80 columns.
    """
    told = resource(game, "help.rst")
    if told is None:
        # The name of the game, if the module has no docstring.
        told = cleandoc(modules[type(game).__module__].__doc__ or game.name)
    lines = ([line] if columns(line) <= 80 else wrapped((line,), 80) for line in map(str.rstrip, told.splitlines()))
    return list(islice(chain.from_iterable(lines), 22))


def has_picture(game: Game[Any, Any]) -> bool:
    """Whether pictures of this game are possible."""
    # The picture is the game's own, by its object or by its `svg` module, or `plain_picture` draws the game's
    # messages.
    return isinstance(game, Drawable) or (part(game, "svg", "picture") or messages_of(game)) is not None


def picture_of(game: Game[Any, Any], scene: Scene) -> str:
    """Returns a picture of a match, as an SVG document."""
    if isinstance(game, Drawable):
        return game.draw(scene)
    found: str = (part(game, "svg", "picture") or partial(plain_picture, game))(scene)
    return found


def player_of(game: Game[Any, Any], seat: Seat, level: Level, thinking: Thinking) -> Player:
    """Returns a player for one seat of a match."""
    new: NewPlayer = part(game, "player", "PLAYER") or partial(PlainPlayer, game)
    return new(seat, level, thinking)


def levels_of(game: Game[Any, Any]) -> tuple[str, ...]:
    """
    Returns the levels of the house players of a game, from the weakest to the strongest. A game without a player of its own and
    without determinizations has only the level with random actions.
    """
    if isinstance(game, LimitsLevels):
        return tuple(level.value for level in game.house_levels)
    if isinstance(game, Determinizable) or part(game, "player", "PLAYER") is not None:
        return tuple(Level)
    return (Level.RANDOM.value,)


def new_player(game: str, seat: Seat, level: Level, seed: int, effort: float = 1.0) -> Player:
    """
    Returns a player of one match that is limited only by the number of search nodes, not by time.

    :param game: the name of an installed game
    :param seed: decides among equal moves; the same seed gives the same moves
    :param effort: the share of the level's nodes that the player uses
    :raises KeyError: no game of this name is installed
    """
    return player_of(installed().games[game], seat, level, Thinking(SeededChance(seed), None, effort))


def heard_back(game: Game[Any, Any], view: Any, before: Iterable[Any], seat: Seat) -> Sequence[Any]:
    """
    Returns what a player receives when it comes back to a match: the earlier events that it needs, and the view of its seat.

    :param game: the game
    :param view: the view of the seat, as a message of the game
    :param before: all public events so far, in order, as messages of the game
    :raises ValueError: the game has no messages
    """
    messages = messages_of(game)
    if messages is None:
        raise ValueError(f"{game.name} has no messages")
    known = messages.read_view(view, seat)
    recalled = part(game, "player", "recalled")
    if recalled is None:
        return [known]
    # `read_event` returns `None` for events that no player needs.
    told = [event for event in map(messages.read_event, before) if event is not None]
    return [*recalled(known, told, seat), known]


#: The optional parts of a game: (module, name in it, sentence about the effect if it is missing).
_PARTS = (
    ("messages", "MESSAGES", "it is played on wires of its own only, not on the open wire, on consoles or in browsers"),
    ("text", "SCREEN", "consoles show its views in plain words"),
    ("player", "PLAYER", "house players play it by search alone"),
)


def missing_parts(game: Game[Any, Any]) -> Iterator[str]:
    """Yields a sentence, without its full stop, for each part that a game does not have, or has under another name."""
    for module, name, consequence in _PARTS:
        if part(game, module, name) is None:
            # `module` is a file in the game's folder, and `name` a value in it.
            yield f"the game {game.name} has no {name} in {home_of(game)}.{module}: {consequence}"
            if module == "messages":
                return  # the other parts need messages, so they are not missed
    if resource(game, "help.rst") is None:
        yield f"the game {game.name} has no help.rst in {home_of(game)}: its help is the beginning of its master's module"
    if not isinstance(game, Drawable) and part(game, "svg", "picture") is None:
        yield f"the game {game.name} has no picture in {home_of(game)}.svg: its pictures are made of its view"
    if resource(game, "board.js") is None:
        yield f"the game {game.name} has no board.js in {home_of(game)}: browsers show its view as text"


def missing_in_others() -> Iterator[str]:
    """Yields the sentences of `missing_parts` for the games of other packages. The host's own games are not checked."""
    # The host's own games are the first ones.
    for game in islice(installed().games.values(), len(OWN), None):
        yield from missing_parts(game)


# Playing a match without a host


def seats_to_act(game: Game[Any, Any], master: GameMaster[Any, Any], seats: int) -> Sequence[Seat]:
    """Returns the seats that may act now, the lowest first. At the beginning of some games there are several."""
    if master.result is not None:
        return ()
    # A master without `to_move`, or with several seats to act, is asked by the legal actions of each seat.
    turn: Seat | None = master.to_move() if hasattr(master, "to_move") else None
    if turn is not None:
        return (turn,)
    return [seat for seat in map(Seat, range(seats)) if _may_act(game, master.view(seat), seat)]


def _may_act(game: Game[Any, Any], view: Any, seat: Seat) -> bool:
    """Whether this seat has at least one action now."""
    legal = game.legal(view, seat)
    # `None`: there are too many actions for a list. The seed makes no difference, since only the existence of an
    # action counts.
    one = game.random_action(view, seat, SeededChance(0).below) if legal is None else next(legal, None)
    return one is not None


def copied(master: M, chance: Chance, instead: Chance) -> M:
    """
    Returns a copy of a match that draws other random numbers from now on. The copy contains all hidden state, so a fair player
    uses `Determinizable.determinized` instead.

    :param chance: the source of random numbers that the master got from `Game.new_master`
    :param instead: the source of the copy
    """
    # `deepcopy` believes that it has copied `chance` already, and uses `instead` in its place.
    return deepcopy(master, {id(chance): instead})


# Showing a view as text


def _words(value: Any) -> str:
    """Returns a value of a message in words."""
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case Struct():
            return ", ".join(f"{name} {_words(one)}" for name, one in structs.asdict(value).items())
        case Mapping():
            return ", ".join(f"{name} {_words(one)}" for name, one in value.items())
        case list() | tuple():
            return " ".join(map(_words, value)) or "-"
    return str(value)


def has_points(game: Game[Any, Any]) -> bool:
    """
    Whether the actions of a game are points such as `a1`, or pairs of points such as `a1 a2`. Finds this out by reading
    examples.
    """
    for form in (b"a1", b"A1", b"a1 a2", b"a1-a2", b"a1a2", b"A1 A2"):
        try:
            if game.write(game.read(form)) == form:
                return True
        except ValueError:
            continue  # the game cannot read this form
    return False


def _board_lines(rows: Sequence[str], points: bool) -> Iterator[str]:
    """Yields the rows of a board as lines. With `points`, they have the numbers of rows and the letters of columns."""
    for number, row in zip(range(len(rows), 0, -1), rows, strict=True):
        yield f"{number:2} {' '.join(row)}" if points else f"   {' '.join(row)}"
    if points and rows:
        yield f"   {' '.join(ascii_lowercase[: max(map(len, rows))])}"


def view_lines(message: Any, names: Sequence[str], points: bool = False) -> Iterator[str]:
    """
    Yields a view as lines `name: value`.

    :param message: the view as a message of the game. A field `board` is a list of rows, each a text with a character for each
        square. A field `turn`, `next` or `seat` is a player.
    :param points: whether the squares of the board have names such as `a1`, with row 1 at the bottom
    """
    for name, value in structs.asdict(message).items():
        if name == "board":
            yield from _board_lines(value, points)
        elif name in ("turn", "next", "seat") and isinstance(value, int):
            # The value is the number of a seat. The line shows the player's name.
            yield f"{name}: {names[value]}"
        else:
            yield f"{name}: {_words(value)}"


class PlainScreen(Screen[Any]):
    """A match of any game in a terminal: its view as lines, and its legal moves with numbers."""

    def __init__(self, game: Game[Any, Any], messages: Messages, seat: int | None, names: Sequence[str]) -> None:
        super().__init__(seat, names)
        self.game, self.messages = game, messages
        self._points = has_points(game)

    def told(self, message: Any, before: Any) -> list[str]:
        """The sentence for an event: its kind, and its fields with their values."""
        parts = structs.asdict(message)
        seat = parts.pop("seat", None)
        # The tag of the message's type, such as `taken-back`.
        kind = str(type(message).__struct_config__.tag).replace("-", " ")
        words = ", ".join([kind, *(f"{name} {_words(value)}" for name, value in parts.items())])
        return [f"{words.capitalize()}." if seat is None else f"{self.subject(seat)}: {words}."]

    def _legal(self) -> Iterator[bytes]:
        """Yields the notations of the legal actions: all of them, or one if there are too many for a list."""
        if self.known is None or self.seat is None:
            # Before the match, or for a watcher, there is none.
            return
        legal = self.game.legal(self.known, self.seat)
        # There are too many actions for a list: one of them, always the same for this view, is the example.
        if legal is None:
            one = self.game.random_action(self.known, self.seat, SeededChance(0).below)
            legal = iter(() if one is None else (one,))
        yield from map(self.game.write, legal)

    @property
    def turn(self) -> bool:
        return next(self._legal(), None) is not None

    def prompt(self) -> str:
        """The line that says what to type now, with a legal move as an example; or which player is to move."""
        example = next(self._legal(), None)
        if example is not None:
            return f"Type a move, or its number in the list of moves: {example.decode()}."
        # Not every game's view has a field `turn`.
        turn = getattr(self._view, "turn", None)
        if isinstance(turn, int) and turn != self.seat:
            return f"{self.names[turn]} is to move."
        return "Nothing is asked of you now."

    def moves(self, most: int) -> list[str]:
        return abridged((f"{number} {notation.decode()}" for number, notation in enumerate(self._legal(), 1)), most)

    def read(self, text: str) -> list[bytes]:
        """
        Reads a move that was typed: in the game's notation, or as its number in the list of moves.

        :raises MoveRefused: the text is not a legal move
        """
        typed = text.strip()
        if listed := re.fullmatch("[0-9]{1,5} (.+)", typed):
            typed = listed[1]  # a whole line of the list of moves was typed: remove its number
        notation, reason = self._notation(typed)
        # The list of legal actions is searched: capital letters make no difference, and a number means the action at this
        # place.
        alike = None
        for number, one in enumerate(islice(self._legal(), _READ), 1):
            # A text that is no action may be a number in the list.
            if one == notation or (not notation and typed == str(number)):
                return [one]
            if alike is None and one.decode("utf-8").casefold() == typed.casefold():
                alike = one
        if alike is not None:
            return [alike]
        # The action is not in the list: say why, or leave the decision to the host if there are too many to list.
        if not self.turn:
            raise MoveRefused(f"It is not your turn. {self.prompt_line()}")
        if notation:
            if self.game.legal(self.known, self.seat or Seat(0)) is None:
                return [notation]
            reason = self._objection(notation)
        raise MoveRefused(f"That is no legal move now{f': {reason}' if reason else ''}. {self.prompt_line()}")

    def _notation(self, typed: str) -> tuple[bytes, str]:
        """
        Returns the typed action in the game's notation, and an empty text. If the text is not an action: empty bytes, and the
        reason.
        """
        reason = ""
        # As typed, in small letters and in capital letters; without repetitions.
        for one in dict.fromkeys((typed, typed.lower(), typed.upper())):
            try:
                return self.game.write(self.game.read(one.encode("utf-8"))), ""
            except ValueError as error:
                # The first reason is returned. Messages of Python itself, such as those of `int`, are not for players.
                words = str(error)
                reason = reason or (words if words.startswith("expected ") and words.isprintable() else "")
        return b"", reason

    def _objection(self, notation: bytes) -> str:
        """
        Returns the reason why the master would refuse an action, as far as this seat can see; empty: the reason is not known.
        """
        game, seat = self.game, Seat(self.seat or 0)
        if not isinstance(game, Determinizable):
            # Without a determinization there is no master to ask: the master of the match knows hidden information.
            return ""
        try:
            act_carefully(game.determinized(self.known, seat, SeededChance(0)), seat, game.read(notation), 0)
        except IllegalAction as refusal:
            return str(refusal)
        return ""

    def drawing(self, style: Style) -> Iterable[str]:
        # Rows of a board must not be wrapped, so that columns stay aligned.
        for line in self.sentences():
            yield from (line,) if _ROW.match(line) else wrapped((line,), style.width)

    def sentences(self) -> Iterator[str]:
        return view_lines(self._view, self.names, self._points)


# Making a picture

_LINE, _WIDEST = 22, 560
_STYLE = ".row { font: 16px ui-monospace, monospace; white-space: pre }"
_INKS = ("#1f5fa8", "#b3301f", "#2f7d32", "#7a4b9a")


def plain_picture(game: Game[Any, Any], scene: Scene) -> str:
    """
    Draws the view as lines of text, with the public actions below. When the match is over, the views of all seats are shown.
    """
    messages = messages_of(game)
    # The board is the lines of each view. Equal views are shown once.
    shown = scene.views or (scene.view,)
    points = has_points(game)
    views = [tuple(view_lines(messages.view(view), scene.names, points)) for view in shown] if messages else []
    lines = [line for view in dict.fromkeys(views) for line in view]
    rows = [text(line, 16, 30 + _LINE * number, "row") for number, line in enumerate(lines)]
    height = 30 + _LINE * len(rows)
    board = Board(
        _WIDEST, height, [tag("rect", class_="sheet", x=1, y=1, width=_WIDEST - 2, height=height - 2, rx=8), *rows]
    )
    players = [
        PlayerLine(seat, ink, tag("circle", r=7, fill=ink))
        # The colours repeat if there are more players than colours.
        for seat, ink in zip(range(len(scene.names)), _INKS * len(scene.names), strict=False)
    ]
    # The list of moves is the sentences of a watcher's screen.
    screen = PlainScreen(game, messages, None, scene.names) if messages else None
    told = [
        sentence
        for turn in scene.turns
        for event in turn.events
        if screen is not None and messages is not None and (message := messages.event(event)) is not None
        for sentence in screen.told(message, None)
    ]
    moves = [f"{number}. {sentence}" for number, sentence in zip(count(1), told, strict=False)]
    turn = getattr(messages.view(scene.view), "turn", None) if messages else None
    title = game.name.replace("-", " ").title()
    return page(
        scene,
        title,
        _STYLE,
        board=board,
        players=players,
        below=[caption(scene, turn if isinstance(turn, int) else None)],
        moves=moves,
    )


# A player


@frozen
class Effort:
    """How much work a player of one level does for one decision."""

    nodes: int
    seconds: float
    #: The most actions that are played in one trial, including the action that is tried.
    plies: int
    #: Whether the player remembers winning actions and tries them first, and examines the answers to the best action.
    deep: bool


EFFORT: Mapping[Level, Effort] = {
    Level.EASY: Effort(nodes=300, seconds=0.3, plies=2, deep=False),
    Level.MEDIUM: Effort(nodes=1_500, seconds=0.5, plies=12, deep=True),
    Level.HARD: Effort(nodes=8_000, seconds=1.0, plies=40, deep=True),
}


@define(eq=False)
class PlainPlayer:
    """
    A player of any game. It chooses among the actions of `Game.legal`, and knows only wins, losses and `HasOutlook`.

    The player tries each action in several determinizations, and plays random actions after it. After each round, it drops the
    worse half of the actions. In a game without determinizations, it takes random actions.
    """

    game: Game[Any, Any]
    seat: Seat
    level: Level
    thinking: Thinking
    _view: Any = field(init=False, default=None)
    _refused: set[bytes] = field(init=False, factory=set)

    def hear(self, event: Any) -> None:
        self._view = self.game.follow(self._view, event, self.seat)
        self._refused.clear()

    def refused(self, notation: bytes) -> None:
        """Notes an action that the host has refused. The next answer is another action, if there is one."""
        self._refused.add(notation)

    def answer(self) -> bytes | None:
        action = None if self._view is None else self._action()
        return None if action is None else self.game.write(action)

    def _action(self) -> Any:
        """Returns the action for this decision; `None`: there is nothing to do."""
        game, chance = self.game, self.thinking.chance
        legal = game.legal(self._view, self.seat)
        # One action more than are compared, to see whether there are too many.
        found = None if legal is None else list(islice(legal, _WEIGHED + 1))
        if found is None or len(found) > _WEIGHED:
            return game.random_action(self._view, self.seat, chance.below)
        # If all actions were refused, they are all tried again.
        found = [action for action in found if game.write(action) not in self._refused] or found
        if len(found) < 2 or self.level is Level.RANDOM or not isinstance(game, Determinizable):
            return chance.one_of(found) if found else None
        effort = EFFORT[self.level]
        budget = self.thinking.budget(effort.nodes, effort.seconds)
        return Trials(game, self._view, self.seat, chance, budget, effort).best(found)


@define(eq=False)
class Trials:
    """The search of `PlainPlayer` for one decision: tries actions in determinizations until its budget is used."""

    game: Determinizable[Any, Any]
    view: Any
    seat: Seat
    chance: SeededChance
    budget: Budget
    effort: Effort
    #: Seat -> the last action with which this seat has won a trial. It is tried first when the seat is to act again.
    _winning: dict[Seat, Any] = field(init=False, factory=dict)
    #: The game's `HasOutlook.outlook`; `None`: it has none.
    _outlook: Callable[[Any, Seat], float] | None = field(init=False)
    #: The most actions of one trial.
    _plies: int = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._outlook = self.game.outlook if isinstance(self.game, HasOutlook) else None
        self._plies = _JUDGED if self._outlook else self.effort.plies

    def best(self, actions: Sequence[Any]) -> Any:
        """Returns the best of these actions."""
        # Actions with equal results stay in the order of this list. So it is shuffled: chance decides among them, not their
        # place in the game's list.
        actions = shuffled(actions, self.chance)
        totals = dict.fromkeys(range(len(actions)), 0.0)
        # `left`: the places of the remaining actions. With this number of rounds, halving leaves one of them.
        left, rounds = list(totals), (len(actions) - 1).bit_length()
        looks = self.effort.deep and self._is_open()
        # The first trials of all actions together may use at most half of the nodes.
        self._plies = max(2, min(self._plies, self.budget.nodes // (2 * len(actions))))
        # If answers are examined too, half of the nodes is reserved for them.
        share = self.budget.nodes // (rounds * (2 if looks else 1))
        try:
            # Make the trials longer as long as all actions have equal results.
            self._pass(actions, left, totals)
            longest = 0 if self._outlook else _LONGEST
            while len(set(totals.values())) == 1 and self._plies < longest:
                self._plies *= 2
                self._pass(actions, left, totals)
            # In each round, try the remaining actions again and again, then drop the worse half of them.
            for _ in range(rounds):
                floor = self.budget.nodes - share
                self._pass(actions, left, totals)
                while self.budget.nodes > floor:
                    self._pass(actions, left, totals)
                left.sort(key=lambda place: (-totals[place], place))
                left = left[: (len(left) + 1) // 2]
        # The totals so far decide.
        except OutOfBudget:
            pass
        # The remaining actions first, then the dropped ones; each of the two groups from the best to the worst.
        order = sorted(totals, key=lambda place: (place not in left, -totals[place], place))
        return self._safe([actions[place] for place in order]) if looks else actions[order[0]]

    def _is_open(self) -> bool:
        """
        Whether nothing is hidden, as far as two determinizations show. Then an answer that is possible in one determinization
        is possible in all.
        """
        first, second = (self.game.determinized(self.view, self.seat, SeededChance(seed)) for seed in (1, 2))
        return first.state() == second.state()

    def _pass(self, actions: Sequence[Any], left: Sequence[int], totals: dict[int, float]) -> None:
        """
        Tries the remaining actions once, all in the same determinization, and adds their values to the totals.

        :param left: the places of the remaining actions
        """
        # The same seed gives the same determinization and the same random answers, so that luck is equal for all
        # actions.
        seed = self.chance.below(2**64)
        for place in left:
            totals[place] += self._value(actions[place], seed)

    def _began(self, action: Any, seed: int) -> GameMaster[Any, Any]:
        """Returns a determinization after an action of this player."""
        self.budget.spend()
        master = self.game.determinized(self.view, self.seat, SeededChance(seed))
        master.act(self.seat, action, 0)
        return master

    def _value(self, action: Any, seed: int) -> float:
        """Returns the value of a match that continues at random after an action: from -1 to 1. Early ends count more."""
        luck = SeededChance(seed + 1)
        master, mover = self._began(action, seed), self.seat
        for ply in range(1, self._plies):
            # An end counts one percent less for each action before it, but never less than a tenth.
            if master.result is not None:
                return self._worth(master) * (1 - min(ply, 90) / 100)
            # `None`: nobody can act, or it is not known who acts. The trial has no value.
            after = self._mover(master, mover)
            if after is None:
                return 0.0
            mover, action = after, self._step(master, after, luck)
            if action is None:
                return 0.0
            if master.result is not None and mover in master.result.winners:
                self._winning[mover] = action
        return self._worth(master) * (1 - min(self._plies, 90) / 100)

    def _worth(self, master: GameMaster[Any, Any]) -> float:
        """
        Returns the value of a match for this player: its result, from -1 to 1, or an estimate, or 0 if there is none.
        """
        if master.result is None:
            # An estimate counts half, because it is less certain than a result.
            return self._outlook(master, self.seat) / 2 if self._outlook else 0.0
        winners = master.result.winners
        if self.seat in winners:
            return 1 / len(winners)  # a shared victory counts less
        return -1.0 if winners else 0.0

    def _mover(self, master: GameMaster[Any, Any], last: Seat) -> Seat | None:
        """
        Returns the seat that acts next; `None`: no seat, or it is not known.

        If the game allows different numbers of players, only a master with `to_move` can tell, because no view contains the
        number of players.

        :param last: the seat that acted last
        """
        if isinstance(master, HasTurns):
            return master.to_move()
        seats = self.game.most_seats
        if seats != self.game.least_seats:
            return None
        # Without `to_move`, the first seat after the last one that has a legal action is taken.
        for number in range(1, seats + 1):
            seat = Seat((last + number) % seats)
            legal = self.game.legal(master.view(seat), seat)
            if legal is not None and next(legal, None) is not None:
                return seat
        return None

    def _step(self, master: GameMaster[Any, Any], seat: Seat, luck: SeededChance) -> Any:
        """
        Performs one action of a seat: the action with which the seat has won an earlier trial, or a random one.

        :returns: the action; `None`: the seat has none
        """
        self.budget.spend()
        winning = self._winning.get(seat) if self.effort.deep else None
        if winning is not None:
            try:
                master.act(seat, winning, 0)
            # In this determinization the action is not legal: a random one follows.
            except IllegalAction:
                pass
            else:
                return winning
        action = self.game.random_action(master.view(seat), seat, luck.below)
        if action is not None:
            master.act(seat, action, 0)
        return action

    def _safe(self, order: list[Any]) -> Any:
        """
        Returns the first of these actions after which no other player can win with the next action, in the same
        determinization.

        If an answer would win, the player may prevent it by doing the same action first. So this action is examined next.
        """
        first, seed, tried = order[0], self.chance.below(2**64), list[Any]()
        try:
            while order:
                action = order.pop(0)
                tried.append(action)
                answer = self._answer(action, seed)
                if answer is None:
                    return action
                if answer in order:
                    # Examine this action next.
                    order.remove(answer)
                    order.insert(0, answer)
        except OutOfBudget:
            # The last action was not examined to the end. It is taken only if this seat has won a trial with it.
            return tried[-1] if len(tried) > 1 and tried[-1] == self._winning.get(self.seat) else first
        return first

    def _answer(self, action: Any, seed: int) -> Any:
        """
        Returns an action of the next player that wins at once after this action; `None`: there is none, or the same
        player acts again.
        """
        master = self._began(action, seed)
        mover = None if master.result is not None else self._mover(master, self.seat)
        if mover is None or mover == self.seat:
            return None
        for answer in islice(self.game.legal(master.view(mover), mover) or (), _WEIGHED):
            # Each answer is tried in a new copy of the same determinization.
            replied = self._began(action, seed)
            replied.act(mover, answer, 0)
            if replied.result is not None and self.seat not in replied.result.winners and replied.result.winners:
                return answer
        return None
