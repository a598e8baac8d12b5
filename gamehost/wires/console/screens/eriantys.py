"""
Eriantys in a terminal. Typed are `assistant 4`, `green to 3`, `green to hall`, `mother 2`, `cloud 1` and characters.

A screen holds what its seat was told. The own assistants are told when one is asked for.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from gamehost.games.eriantys.actions import write
from gamehost.games.eriantys.events import Board, Situation
from gamehost.games.eriantys.face import FACE, board_message
from gamehost.games.eriantys.master import ERIANTYS
from gamehost.games.eriantys.messages import (
    BoardEvent,
    BoardMessage,
    CharacterMessage,
    DeniedEvent,
    EndOfRoundEvent,
    Heap,
    IslandMessage,
    IslandOwnerEvent,
    LastRoundEvent,
    NoEntryUsedEvent,
    PlayedAssistantEvent,
    PlayedCharacterEvent,
    PlayerMessage,
    StartedEvent,
    StartOfTurnEvent,
    UnifiedEvent,
    View,
)
from gamehost.games.eriantys.pieces import Character, Status
from gamehost.wires.console.screens.base import (
    BoardScreen,
    MoveRefused,
    ScreenKind,
    Style,
    abridged,
    cut,
    listed,
    padded,
)
from gamehost.wires.console.screens.eriantys_characters import FORMS, describe
from gamehost.wires.console.screens.eriantys_following import (
    changes,
    heap_in_words,
    owner_told,
)
from gamehost.wires.console.screens.eriantys_moves import moves_of, prompt_of, read_answer

#: Terminal colours of the students, in the order of a heap; each has a column of its own, too.
_INKS: Mapping[str, str] = {"yellow": "33", "blue": "34", "green": "32", "red": "31", "pink": "35"}
_HEAD = "Y B G R P"
#: Columns of the islands, left of the clouds and characters, and of a name.
_ISLANDS, _NAME = 46, 20

_RULES = """\
Eriantys: students of five colours walk from your entrance to islands, or to the
tables of your hall (the dining room). You win if your team builds all its
towers; or has the most towers on islands after ten rounds, when few students
are left, or when only three groups of islands are left.

Each round you play an assistant. The lowest one moves first; half of it,
rounded up, is how far you may move Mother Nature. In your turn you
 1. move three students (four with three players) to the hall or to islands,
 2. move Mother Nature. Where she stops, the team with the most influence builds
    a tower: count its towers there, and the students whose professors it has.
 3. take the students of a cloud into your entrance.
Whoever alone has the most students of a colour in the hall has its professor.
Islands with towers of one team merge, and their numbers change.

To play, type:   team black        wizard 1       assistant 4
                 green to hall     green to 3     mother 2        cloud 1
Y yellow, B blue, G green, R red, P pink: the letter is enough (g to 3).
In the expert game you may use one character in a turn, for coins (the 3rd, 6th
and 9th student of a table earns one): farmer, messenger, centaur, knight,
herald 3, herbalist 3, monk green 3, princess green, harvester green, thief
green, jester green for red, minstrel green for red."""


class EriantysScreen(BoardScreen[View]):
    """One match of Eriantys."""

    game, face = ERIANTYS, FACE

    def __init__(self, seat: int | None, names: Sequence[str]) -> None:
        super().__init__(seat, names)
        #: Whose turn it is to move students; `None` while assistants are played.
        self._mover: int | None = None

    def show(self, view: Situation) -> None:
        """Take a view."""
        super().show(view)
        planning = view.turn is None or view.statuses[view.turn] in (Status.PLANNING, Status.WAITING)
        self._mover = None if planning else view.turn

    def told(self, message: Any, before: Situation | None) -> list[str]:
        """What an event tells, in sentences."""
        board = None if before is None else before.board
        match message:
            case StartedEvent():
                return ["The match begins. Each player chooses a team and a wizard."]
            case BoardEvent(after) if board is not None:
                who = "The player" if self._mover is None else self.subject(self._mover)
                subjects = [self.subject(seat) for seat in range(len(self.names))]
                return list(changes(board_message(board), after, who, subjects))
            case PlayedAssistantEvent(seat, assistant) if board is not None:
                return [f"{self.subject(seat)} played assistant {assistant}."]
            case PlayedCharacterEvent(seat, character) if board is not None:
                return [f"{self.subject(seat)} used the {Character(character).name.lower()}."]
            case IslandOwnerEvent() if board is not None:
                return list(owner_told(board_message(board), message))
        return list(self._course(message, board))

    def _course(self, event: Any, board: Board | None) -> Iterator[str]:
        """What an event of the match's course tells."""
        match event:
            case StartOfTurnEvent(_, seat):
                # The first one of a match says who is first in round 1.
                begins = board is not None and board.round > 0
                self._mover = seat if begins else None
                whose = "your" if seat == self.seat else f"{self.names[seat]}'s"
                yield f"It is {whose} turn." if begins else f"Round 1 begins with {self.who(seat)}."
            case EndOfRoundEvent(number):
                self._mover = None
                yield f"Round {number} is over."
            case NoEntryUsedEvent(number):
                yield f"A no-entry tile on island {number} was used up, so nobody's influence was counted."
            case UnifiedEvent():
                yield "Islands have merged, and their numbers have changed."
            case LastRoundEvent():
                yield "This is the last round."
            case DeniedEvent(_, _, detail):
                yield f"{detail[:1].upper()}{detail[1:]}."

    @property
    def turn(self) -> bool:
        """Whether this seat is asked."""
        view = self._view
        request = None if view is None or view.won is not None else view.request
        return request is not None and request.seat == self.seat

    def prompt_line(self) -> str:
        """What to type, or for whom the match waits."""
        view = self._view
        if view is None:
            return "The match has not begun."
        if view.won is not None:
            return "The match is over."
        if self.turn and self.seat is not None:
            return prompt_of(self.known, view, self.seat)
        if view.board is None:
            return "The players choose their teams and wizards."
        return "The others play assistants." if self._mover is None else f"{self.names[self._mover]} is to move."

    def moves(self, most: int) -> list[str]:
        """Answers to what is asked."""
        if self._view is None or self.seat is None or not self.turn:
            return []
        return abridged(moves_of(self.known, self.seat), most)

    def read(self, text: str) -> list[bytes]:
        """
        An answer to what is asked, or a character.

        :raises MoveRefused: neither, or not legal
        """
        if self._view is None or self.seat is None or not self.turn:
            raise MoveRefused(f"It is not your turn. {self.prompt_line()}")
        return [write(action) for action in read_answer(self.known, self._view, self.seat, text)]

    def sentences(self) -> Iterator[str]:
        """All that is visible."""
        board = None if self._view is None else self._view.board
        if board is None:
            yield self.prompt_line()
            return
        coins = "" if board.coinsSupply is None else f" There are {board.coinsSupply} coins in the supply."
        yield f"Round {board.round}. There are {board.bag} students in the bag.{coins}"
        for island in board.islands:
            yield f"Island {island.number}: {heap_in_words(island.students)}{self._on_island(board, island)}."
        for number, cloud in enumerate(board.clouds, 1):
            yield f"Cloud {number}: {heap_in_words(cloud)}."
        for seat, player in enumerate(board.players):
            yield self._school(seat, player)
        for card in board.characters:
            yield f"Character {describe(card)}{_on_card(card)}. Type it as {FORMS[Character(card.character)]}."

    def _on_island(self, board: BoardMessage, island: IslandMessage) -> str:
        words = ["; Mother Nature is here"] if board.motherNature == island.number else []
        words += [f"; towers: {island.towers} {island.tower}"] if island.tower else []
        words += [f"; no-entry tiles: {island.noEntryTiles}"] if island.noEntryTiles else []
        return "".join(words)

    def _school(self, seat: int, player: PlayerMessage) -> str:
        towers = f", {player.towersLeft} towers left" if player.towerHolder else ""
        played = f" Assistant played: {player.playedAssistant}." if player.playedAssistant is not None else ""
        coins = f" Coins: {player.coins}." if player.coins is not None else ""
        professors = f" Professors: {listed(player.professors)}." if player.professors else ""
        return (
            f"{self.subject(seat)} ({player.tower}{towers}). Entrance: {heap_in_words(player.entrance)}."
            f" Hall: {heap_in_words(player.diningRoom)}.{professors}{played}{coins}"
        )

    def drawing(self, style: Style) -> Iterable[str]:
        """Islands, with clouds and characters beside them, and the players below."""
        board = None if self._view is None else self._view.board
        if board is None:
            return [self.prompt_line()]
        left = [f"island       {_HEAD}"]
        for island in board.islands:
            mother = "M" if island.number == board.motherNature else " "
            towers = f"  {island.towers} {island.tower}" if island.tower else ""
            tiles = f"  no entry: {island.noEntryTiles}" if island.noEntryTiles else ""
            left.append(f"  {island.number:>2}  {mother}      {_heap(island.students, style)}{towers}{tiles}")
        right = self._beside(board, style)
        rows = max(len(left), len(right))
        left += [""] * (rows - len(left))
        right += [""] * (rows - len(right))
        above = [padded(one, _ISLANDS) + other for one, other in zip(left, right, strict=True)]
        return [*above, "", *self._players(board, style)]

    def _beside(self, board: BoardMessage, style: Style) -> list[str]:
        """What stands right of the islands."""
        lines = [f"cloud          {_HEAD}"]
        lines += [f"   {number}           {_heap(cloud, style)}" for number, cloud in enumerate(board.clouds, 1)]
        lines += ["", f"round {board.round}, {board.bag} students in the bag"]
        if board.coinsSupply is not None:
            lines += [f"{board.coinsSupply} coins in the supply", "", f"character cost {_HEAD}"]
            for card in board.characters:
                name = Character(card.character).name.lower()
                at_work = "*" if card.character == board.activeCharacter else " "
                if card.students is not None:
                    lying = _heap(card.students, style)
                else:
                    lying = "" if card.noEntryTiles is None else f"tiles: {card.noEntryTiles}"
                lines.append(f"{name:<10}{at_work}{card.cost:>2}  {lying}")
        lines += ["", "M is Mother Nature."]
        return lines

    def _players(self, board: BoardMessage, style: Style) -> Iterator[str]:
        coins = "coins " if board.coinsSupply is not None else ""
        yield f"{'player':<{_NAME}} team  towers plays {coins}entrance  hall (* professor)"
        hall = "  ".join(_HEAD.split(" "))
        yield f"{'':<{_NAME}} {'':<19}{' ' * len(coins)}{_HEAD}  {hall}"
        for seat, player in enumerate(board.players):
            name = padded(cut(style.plain(self.who(seat)), _NAME), _NAME)
            towers = player.towersLeft if player.towerHolder else ""
            played = "" if player.playedAssistant is None else player.playedAssistant
            coins = f"{player.coins:>3}   " if player.coins is not None else ""
            tables = "".join(
                f"{_count(colour, count, style)}{'*' if colour in player.professors else ' '}{' ' if count < 10 else ''}"
                for colour, count in player.diningRoom.items()
            )
            yield (
                f"{name} {player.tower:<6}{towers!s:>4}   {played!s:>3}   {coins}"
                f"{_heap(player.entrance, style)}  {tables}"
            )


def _count(colour: str, count: int, style: Style) -> str:
    return style.paint(str(count), _INKS[colour]) if count else "."


def _heap(students: Heap, style: Style) -> str:
    """The counts of a heap, each below the letter of its colour."""
    return " ".join(_count(colour, count, style) for colour, count in students.items())


def _on_card(card: CharacterMessage) -> str:
    if card.students is not None:
        return f": {heap_in_words(card.students)}"
    return "" if card.noEntryTiles is None else f": {card.noEntryTiles} no-entry tiles"


KIND = ScreenKind(EriantysScreen, _RULES.splitlines(), "green to 3")
