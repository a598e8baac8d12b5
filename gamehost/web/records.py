"""
The record of one finished match, to be stepped through and to be kept.

A match is carried out once more by a new master, as for a history. When it is over, everybody may know what was hidden: the
record has the actions, the numbers drawn, and the events that were for single seats. An owner can forbid that.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from attrs import Factory, define, field
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict
from twisted.internet.defer import Deferred
from twisted.logger import Logger

from gamehost.accounts.login import Worker
from gamehost.games.base import To
from gamehost.games.chance import JournalledChance
from gamehost.journal.notation import NotNotation, write_notation
from gamehost.journal.pictures import NoPicture, picture
from gamehost.journal.records import Entry, EntryKind, FinishedMatch, TableId, TableRecord
from gamehost.journal.replay import NotFollowed, new_master, replay
from gamehost.lobby.open_tables import same_code
from gamehost.lobby.questions import Found
from gamehost.lobby.spectators import Spectators
from gamehost.web.http import FOR_EVER, FOR_EVERYBODY, NEVER, Answer, found, refused
from gamehost.web.making import JSON, in_thread, kept
from gamehost.web.matches import MatchRow, moment, row
from gamehost.wires.open.codec import to_json
from gamehost.wires.open.messages import Numbered
from gamehost.wires.seeking import PlayedGame

#: Entries above which a thread makes the record: less takes about a millisecond.
MANY = 20

#: A picture has its style in itself, and needs nothing else.
PICTURE: Mapping[str, str] = {
    **FOR_EVERYBODY,
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
}

NO_RECORD = "this host has no record of a finished match of this number"
OTHER_RULES = "this match was played under rules that this host does not have"
NOT_REVEALED = "this host does not show what was hidden in a match, and this text would"
UNREADABLE = "the record of this match cannot be read"


class RecordEntry(Struct, frozen=True, omit_defaults=True):
    """
    One entry of the journal. `at` is the time on the table's clock in milliseconds. `action` is in the game's notation, and
    `drawn` are the numbers that chance gave.
    """

    n: int
    at: int
    kind: str
    seat: int | UnsetType = UNSET
    action: str = ""
    drawn: tuple[int, ...] = ()


class Hidden(Struct, frozen=True):
    """An event that only these seats were told."""

    n: int
    seats: list[int]
    event: Any


class MatchRecord(MatchRow, frozen=True, kw_only=True):
    """
    A finished match. `events` are those that everybody was told. With `entries` the match can be carried out again; they and
    `hidden` are left out where the owner does not want hidden things to be shown.
    """

    version: int
    settings: Mapping[str, str]
    events: list[Numbered]
    hidden: list[Hidden] | UnsetType = UNSET
    entries: list[RecordEntry] | UnsetType = UNSET


def written(match: FinishedMatch, record: TableRecord, played: PlayedGame, reveal: bool) -> MatchRecord:
    """
    A match as a message.

    :raises NotFollowed: the record does not fit the rules
    """
    face, opening, entries = played.face, record.opening, record.entries
    events: list[Numbered] = []
    hidden: list[Hidden] = []

    def note(number: int, told: Sequence[To[Any]]) -> None:
        for to in told:
            event = face.event(to.event)
            if event is None:
                continue
            if to.audience is None:
                events.append(Numbered(number, event))
            else:
                hidden.append(Hidden(number, list(to.audience), event))

    chance = JournalledChance()
    replay(played.game, new_master(played.game, opening, chance), chance, entries, note)
    return MatchRecord(
        **asdict(row(match)),
        version=opening.version,
        settings={name: text for name, text in opening.settings.items() if name != "code"},
        events=events,
        hidden=hidden if reveal else UNSET,
        entries=[_entry(number, one) for number, one in enumerate(entries, 1)] if reveal else UNSET,
    )


def _entry(number: int, entry: Entry) -> RecordEntry:
    seat = UNSET if entry.seat is None else int(entry.seat)
    action = entry.notation.decode("utf-8") if entry.kind is EntryKind.ACTED else ""
    return RecordEntry(number, entry.at, entry.kind.name.lower(), seat, action, entry.drawn)


@define(eq=False)
class Records:
    """
    The records of a journal.

    :param spectators: read the journal
    :param games: by their names
    :param worker: makes long records
    :param reveal: whether a record shows what was hidden during the match
    """

    _spectators: Spectators
    _games: Mapping[str, PlayedGame]
    _worker: Worker
    _reveal: bool = True
    #: By the ending of a file: what makes it.
    _makers: Mapping[str, Callable[[FinishedMatch, TableRecord, PlayedGame], Answer]] = field(
        init=False,
        default=Factory(
            lambda self: {"json": self._in_json, "txt": self._in_text, "svg": self._in_svg}, takes_self=True
        ),
    )

    log = Logger()

    def respond(self, address: str, table: int, ending: str, code: str) -> Answer | Deferred[Answer]:
        """
        The record of a match, in the form that an ending stands for. One that everybody may know is kept as it is sent.

        :param address: of the client
        :param code: of a private match
        """
        if ending not in self._makers:
            return refused(404, f"expected an address that ends in {' or '.join(self._makers)}", FOR_EVERYBODY)
        key = (self, table, ending, code)
        return self._spectators.questions.ask(address, key, partial(self._find, TableId(table), ending, code))

    async def _find(self, table: TableId, ending: str, code: str) -> Found:
        match = await self._spectators.match(table)
        if match is None or not same_code(match.opening.code, code):
            return Found(refused(404, NO_RECORD, FOR_EVERYBODY))
        record = await self._spectators.read(table)
        played = self._games.get(match.opening.game)
        if isinstance(record, str):
            return Found(refused(404, NO_RECORD, FOR_EVERYBODY))
        if played is None or played.game.version != match.opening.version:
            return Found(refused(404, OTHER_RULES, FOR_EVERYBODY))
        make = partial(self._make, match, record, played, ending)
        answer = await in_thread(self._worker, make) if len(record.entries) > MANY else make()
        return kept(answer) if answer.status == 200 and not match.opening.code and not code else Found(answer)

    def _make(self, match: FinishedMatch, record: TableRecord, played: PlayedGame, ending: str) -> Answer:
        """The answer. May run on a thread, so nothing of this object is changed."""
        try:
            return self._makers[ending](match, record, played)
        except (NotFollowed, NoPicture, NotNotation):
            self.log.failure("table {table} has no record", table=match.table)
            return refused(500, UNREADABLE, FOR_EVERYBODY)

    def _in_json(self, match: FinishedMatch, record: TableRecord, played: PlayedGame) -> Answer:
        body = to_json(written(match, record, played, self._reveal))
        return found(body, JSON, _cache(match))

    def _in_text(self, match: FinishedMatch, record: TableRecord, played: PlayedGame) -> Answer:
        if not self._reveal:
            return refused(404, NOT_REVEALED, FOR_EVERYBODY)
        text = write_notation(record, moment(match.opened_ms)[:10])
        return found(text.encode(), "text/plain; charset=utf-8", _cache(match))

    def _in_svg(self, match: FinishedMatch, record: TableRecord, played: PlayedGame) -> Answer:
        text = picture(played.game, record, date=moment(match.opened_ms)[:10], reveal=self._reveal)
        return found(text.encode(), "image/svg+xml", _cache(match), PICTURE)


def _cache(match: FinishedMatch) -> str:
    """A private match is in no shared cache."""
    return NEVER if match.opening.code else FOR_EVER
