"""
What those who watch are told: the bytes for all of them, made once.
"""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import Any

from attrs import define, field
from msgspec import UNSET, Struct, UnsetType

from gamehost.journal.history import History
from gamehost.lobby.questions import Found, Questions
from gamehost.lobby.watching import Changes, HistoryQuestion, Shown, Waiting, WaitingByGame
from gamehost.tables.gallery import WatchRefused
from gamehost.tables.interfaces import Archived, Away, Back, Left, Look, Over, Suspended, WatchableTable
from gamehost.wires.open import messages as m
from gamehost.wires.open.codec import to_json
from gamehost.wires.seeking import PlayedGame


class OpenOptions(Struct, frozen=True):
    """The games of a listener."""

    #: The wire's name, for the lobby.
    wire: str
    #: By their names.
    games: Mapping[str, PlayedGame]


def told_clocks(clocks: Sequence[int] | None) -> list[int] | UnsetType:
    return UNSET if clocks is None else list(clocks)


def told_due(due: tuple[int, int] | None) -> tuple[int, int] | UnsetType:
    return UNSET if due is None else due


#: Why a match that nobody came back to is over.
ARCHIVED = "nobody came back"


def as_line(text: bytes) -> bytes:
    return text + b"\n"


@define(eq=False)
class SharedEncoder:
    """
    The bytes of messages for those who watch with the same carrier.

    :param options: the wire's games
    :param carried: the bytes of one message on its carrier: a line, or a frame
    """

    _options: OpenOptions
    _carried: Callable[[bytes], bytes] = field(default=as_line)

    # -- of a match

    def shown(self, table: WatchableTable, look: Look[Any], delay: float) -> bytes:
        """Where the match stands."""
        view = self._options.games[table.game.name].messages.view(look.view)
        names, wires = list(table.names), list(table.wires)
        away, clocks = list[int](look.away or ()), told_clocks(table.clocks)
        presence: Any = False if look.away is None else UNSET
        return self._bytes(
            [
                m.Shown(
                    table.id,
                    table.game.name,
                    names,
                    wires,
                    away,
                    look.n,
                    view,
                    delay,
                    clocks,
                    presence,
                    told_due(table.due),
                )
            ]
        )

    def event(self, table: WatchableTable, event: Any, n: int) -> bytes:
        """An event of the table or of its game; nothing, if the game has no message for it."""
        number = table.id
        match event:
            case Away(seat):
                return self._bytes([m.Away(number, n, seat)])
            case Left(seat):
                return self._bytes([m.Left(number, n, seat)])
            case Back(seat):
                return self._bytes([m.Back(number, n, seat)])
            case Suspended():
                return self._bytes([m.Suspended(number)])
            case Archived():
                return self._bytes([m.Over(number, n, [], "left", ARCHIVED)])
            case Over(result):
                return self._bytes([m.Over(number, n, list(result.winners), result.cause.value, result.why)])
        told = self._options.games[table.game.name].messages.event(event)
        return (
            b""
            if told is None
            else self._bytes([m.Event(number, n, told, told_clocks(table.clocks), told_due(table.due))])
        )

    def history(self, table: int, game: str, told: History[Any]) -> Generator[None, None, m.History]:
        """What has happened, without the events for which the game has no message. Each step makes one of them."""
        messages, made = self._options.games[game].messages, list[m.Numbered]()
        for number, event in told.events:
            message = messages.event(event)
            if message is not None:
                made.append(m.Numbered(number, message))
            yield
        return m.History(table, told.n, made)

    async def answer_history(self, questions: Questions, table: int, asked: HistoryQuestion) -> Found:
        """The same for a question that has its turn: the bytes, or why there are none."""
        game, told = await asked.read()
        if isinstance(told, WatchRefused):
            return Found(told)
        data = self._bytes([await questions.in_slices(self.history(table, game, told))])
        return Found(data, len(data) if asked.lasting else 0)

    # -- of the board

    def board(self, shown: Sequence[Shown], waiting: WaitingByGame) -> bytes:
        """All matches, and all who wait."""
        rows = [m.TableRow(*self._row(*one)) for one in shown if one[0].game.name in self._options.games]
        groups = [row for game, one in waiting.items() for row in self._waiting(game, one)]
        return self._bytes([m.Tables(rows, groups)])

    def changes(self, changes: Changes) -> bytes:
        """What is different since the last time."""
        known = self._options.games
        return self._bytes(
            [
                *(m.TableChanged(*self._row(*one)) for one in changes.changed if one[0].game.name in known),
                *map(m.Gone, changes.gone),
                *(m.Waiting(game, self._waiting(game, one)) for game, one in changes.waiting.items() if game in known),
            ]
        )

    def _row(
        self, table: WatchableTable, look: Look[Any] | None, watchers: int
    ) -> tuple[int, str, list[str], list[str], list[int], int, int]:
        if look is None:
            return table.id, table.game.name, list(table.names), list(table.wires), [], 0, watchers
        view = self._options.games[table.game.name].messages.view(look.view)
        # In Paper Soccer the key has the name that it has in the game's own events.
        turn = getattr(view, "turn", getattr(view, "next", None))
        turns = [] if turn is None else [turn]
        return table.id, table.game.name, list(table.names), list(table.wires), turns, look.n, watchers

    def _waiting(self, name: str, waiting: Waiting | None) -> list[m.WaitingRow]:
        if waiting is None or name not in self._options.games:
            return []
        least = self._options.games[name].game.least_seats
        rows = [m.WaitingRow(name, least, list(waiting.names))] if waiting.names else []
        return [*rows, *(_open_row(name, table) for table in waiting.tables)]

    def _bytes(self, messages: Iterable[Struct]) -> bytes:
        return b"".join([self._carried(to_json(message)) for message in messages])


def _open_row(game: str, table: Any) -> m.WaitingRow:
    return m.WaitingRow(game, table.seats, list(table.names), dict(table.settings), table.table)
