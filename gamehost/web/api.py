"""
The HTTP interface: the public data of the matches, as JSON. Questions that read the journal wait for their turn.

It is for programs that ask for data once. Programs that need each event open a socket. The objects in the answers are
messages of the open wire.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property, partial
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeVar

from attrs import Factory, define, field
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamehost._twisted import Timer
from gamehost.accounts.login import Worker
from gamehost.accounts.names import KEY_OF_NOBODY, sought_key
from gamehost.games.base import Game, To
from gamehost.games.drawing import Scene, Turn
from gamehost.games.play import picture_of
from gamehost.journal.notation import NoPicture, NotNotation, picture, write_notation
from gamehost.journal.records import (
    Entry,
    EntryKind,
    FinishedMatch,
    TableId,
    TableRecord,
    settings_to_show,
    shown_as,
)
from gamehost.journal.replay import MANY as MOST_TOLD
from gamehost.journal.replay import History, NotFollowed, replayed
from gamehost.lobby.board import EVERY
from gamehost.lobby.directory import HistoryQuestion, MatchDirectory
from gamehost.lobby.finished import LIST_SECONDS, Tally
from gamehost.lobby.questions import Found, NotAnswered
from gamehost.lobby.queues import checked_code
from gamehost.lobby.results import KINDS, Kind, outcome
from gamehost.tables.gallery import WatchRefused
from gamehost.web.http import FOR_EVER, FOR_EVERYBODY, NEVER, Answer, Asked, found, refused
from gamehost.web.server import Answering
from gamehost.wires.open.codec import to_json
from gamehost.wires.open.messages import Ladder, Numbered
from gamehost.wires.open.schema import schema
from gamehost.wires.open.values import LARGEST
from gamehost.wires.open.watching import OpenOptions, SharedEncoder, ladder_of
from gamehost.wires.seeking import PlayedGame

#: The most matches in one list.
PAGE = 50


class MatchRow(Struct, frozen=True):
    """
    A finished match in one line. `n` is how many entries its record has, which are more than moves. `ended` is the time on the
    table's clock after `opened`.
    """

    table: int
    game: str
    names: list[str]
    wires: list[str]
    winners: list[int]
    cause: str
    why: str
    n: int
    opened: str
    ended: str
    shown_as: dict[str, str] | UnsetType = UNSET


class MatchList(Struct, frozen=True):
    """Some finished matches, the newest first. With `before` there may be more: ask again with that."""

    matches: list[MatchRow]
    before: int | UnsetType = UNSET


class ResultRow(Struct, frozen=True):
    """
    How often a player has played a game, and won. A shared victory is a win. `kind` is `account`, `guest` or `house`: house
    players of one level are one player, and different people may have had the name of a guest.
    """

    name: str
    kind: Kind
    game: str
    played: int
    won: int
    drawn: int


class Results(Struct, frozen=True):
    """
    The wins of each player, in `matches` finished matches; `since` is the lowest number of a table for which they stand.
    `ladders` are the ratings, by game.
    """

    results: list[ResultRow]
    ladders: list[Ladder]
    matches: int
    since: int
    shown_as: dict[str, str] | UnsetType = UNSET


def moment(ms: int) -> str:
    """
    Returns a time as ISO text in UTC, for programs; empty if the time is not known.

    :param ms: milliseconds since 1970; 0 if they are not known
    """
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="seconds").replace("+00:00", "Z") if ms else ""


def row(match: FinishedMatch) -> MatchRow:
    """Returns a finished match as one line of a list."""
    opening, opened = match.opening, match.opened_ms
    winners, cause, why = outcome(match)
    return MatchRow(
        match.table,
        opening.game,
        [one.name for one in opening.seats],
        wires=[one.wire for one in opening.seats],
        winners=winners,
        cause=cause,
        why=why,
        n=match.entries,
        opened=moment(opened),
        # `last.at` is on the table's clock, which started at `opened`. If `opened` is 0, neither time is known.
        ended=moment(opened + match.last.at if opened else 0),
        shown_as=dict(shown_as(opening.seats)) or UNSET,
    )


def results_of(tally: Tally, game: str, wanted: str) -> Generator[None, None, Results]:
    """
    Makes the message with the results of players: first accounts, then house players, then guests. In each kind, the
    players with the most victories come first. Each step of the generator makes one row.

    :param tally: the counted results of all players
    :param game: the name of a game; empty: results of all games
    :param wanted: the key of a player's name; empty: results of all players
    :returns: the message, when the generator ends
    """
    rows: list[ResultRow] = []
    shown: dict[str, str] = {}
    # The caller may let other work run after each row.
    for who, played, count in tally.of(game, wanted):
        rows.append(ResultRow(who.name, who.kind, played, count.played, count.won, count.drawn))
        if who in tally.shown:
            shown[who.name] = tally.shown[who]
        yield
    # Minus sign: the most victories first.
    rows.sort(key=lambda one: (KINDS.index(one.kind), -one.won, one.played, one.name, one.game))
    ladders = [ladder_of(tally, one) for one in sorted(tally.ladders) if game in ("", one)]
    return Results(rows, ladders, tally.matches.total(), tally.since, shown or UNSET)


#: The record of a match with more entries than this is made in a thread. A shorter record takes about a millisecond.
MANY = 20

#: A picture contains its style, and may load nothing.
PICTURE: Mapping[str, str] = {
    **FOR_EVERYBODY,
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
}

#: The ends of the addresses of records.
ENDINGS = ("json", "txt", "svg")


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
    """An event that only these seats received."""

    n: int
    seats: list[int]
    event: Any


class MatchRecord(MatchRow, frozen=True, kw_only=True):
    """
    A finished match. `events` are those that everybody received. With `entries` the match can be replayed. `entries` and
    `hidden` are left out if the owner of the host has hidden them (`web.reveal`).
    """

    version: int
    settings: Mapping[str, str]
    events: list[Numbered]
    hidden: list[Hidden] | UnsetType = UNSET
    entries: list[RecordEntry] | UnsetType = UNSET


def written(match: FinishedMatch, record: TableRecord, played: PlayedGame, reveal: bool) -> MatchRecord:
    """
    Returns the record of a finished match as a message.

    :param match: the facts about the match
    :param record: the entries of the journal of the match
    :param reveal: whether the message contains the entries, and the events that not everybody received
    :raises NotFollowed: the record does not fit the rules
    """
    messages, opening, entries = played.messages, record.opening, record.entries
    events: list[Numbered] = []
    hidden: list[Hidden] = []

    def note(number: int, told: Sequence[To[Any]]) -> None:
        """Called with the events of each entry: sorts them into those for everybody and those for some seats."""
        for to in told:
            event = messages.event(to.event)
            if event is None:
                continue  # the open wire has no message for this event
            if to.audience is None:
                events.append(Numbered(number, event))
            else:
                hidden.append(Hidden(number, list(to.audience), event))

    replayed(played.game, opening, entries, note)
    return MatchRecord(
        **asdict(row(match)),
        version=opening.version,
        settings=dict(settings_to_show(opening.settings)),
        events=events,
        hidden=hidden if reveal else UNSET,
        entries=[_entry(number, one) for number, one in enumerate(entries, 1)] if reveal else UNSET,
    )


def _entry(number: int, entry: Entry) -> RecordEntry:
    """Returns an entry of the journal as a part of a message."""
    seat = UNSET if entry.seat is None else int(entry.seat)
    action = entry.notation.decode("utf-8") if entry.kind is EntryKind.ACTED else ""
    return RecordEntry(number, entry.at, entry.kind.name.lower(), seat, action, entry.drawn)


#: For how many seconds after a request the board is still watched, so that the next request is answered at once.
LOOK_SECONDS = 10.0

#: Replaces unknown games and impossible names of players in the keys of answers.
NOTHING_SUCH = KEY_OF_NOBODY

#: Why a request with an unknown address is refused.
NOTHING = "there is nothing at this address"


def not_found(why: str = NOTHING) -> Answer:
    """Returns an answer with status 404. Pages of other sites may read it, too."""
    return refused(404, why, FOR_EVERYBODY)


def number(text: str) -> int | None:
    """
    Returns the whole number that a text from a client is; or `None` if the text is no number, or the number is too
    large.
    """
    # The length is checked before `int`, which would take long for a very long text.
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 and int(text) <= LARGEST else None


@define(eq=False)
class BoardReader:
    """
    Reads the board for clients that ask for it once.

    Without viewers, the board does not know the matches with events that are being stored at this moment. So the first
    client that asks waits until the board knows them. That takes about one commit, and at most until the next
    difference.
    """

    _directory: MatchDirectory
    _encoder: SharedEncoder
    _clock: IReactorTime
    #: The requests that are not answered yet.
    _waiting: list[Deferred[Answer]] = field(factory=list)
    #: The last answer with the board; `None`: the board has changed since.
    _sent: Answer | None = None
    #: The last message from the board: the whole board, or a difference.
    _seen: bytes = b""
    #: Whether the board knows all current matches.
    _complete: bool = False
    #: Runs while the board is watched.
    _timer: Timer = field(factory=Timer)
    #: When the last request came, in seconds of the clock.
    _asked_at: float = 0.0

    def read(self) -> Deferred[Answer]:
        """Returns all matches and all waiting players, as a message of the open wire."""
        answer: Deferred[Answer] = Deferred()
        self._waiting.append(answer)
        self._asked_at = self._clock.seconds()
        if not self._timer:  # the board is not watched yet
            # `look` calls `tell` with the board. The request waits until the board calls `_known`, or for `EVERY`
            # seconds.
            self._directory.board.look(self, self._encoder)
            self._timer.set(self._clock, EVERY, self._look_on)
            self._directory.board.when_complete(self._known)
        elif self._complete:
            self._answer()
        return answer

    def tell(self, data: bytes) -> None:
        """Called by the board with the whole board, or with a difference: the stored answer is no longer valid."""
        self._seen, self._sent = data, None

    def _known(self) -> None:
        """Called when the board knows all current matches: answers the waiting requests."""
        if self._timer:  # else the board is no longer watched
            self._complete = True
            self._answer()

    def _look_on(self) -> None:
        """Called by the timer: answers the waiting requests, and stops watching if no request came for some time."""
        # The timer runs for `EVERY` seconds. In this time the board has sent a difference, so it knows all matches.
        self._complete = True
        self._answer()
        left = self._asked_at + LOOK_SECONDS - self._clock.seconds()
        if left > 0:
            self._timer.set(self._clock, left, self._look_on)
        else:
            self.stop()

    def _answer(self) -> None:
        """Answers all waiting requests with the present board."""
        # Requests that come during this call wait for the next one.
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        sent = self._sent
        if sent is None:
            # The board calls `tell` with the whole board, before `look` returns.
            self._directory.board.look(self, self._encoder)
            sent = self._sent = found(self._seen, JSON, NEVER)

        def tell() -> Generator[None, None, None]:
            """Answers one client after another, in several turns of the reactor if there are many."""
            for answer in waiting:
                answer.callback(sent)
                yield

        self._directory.questions.slices.run(tell(), lambda told: None)

    def stop(self) -> None:
        """Stops watching the board."""
        self._timer.stop()
        self._complete, self._sent = False, None
        self._directory.board.look_away(self)


@define(eq=False)
class _Glance:
    """
    A watcher of a match for one request. The answer is the first message to the watcher, which is the present state of
    the match. Then it stops watching.
    """

    _directory: MatchDirectory
    _table: TableId
    #: The address of the client.
    address: str
    #: Fires with the answer.
    answer: Deferred[Answer] = field(
        init=False, default=Factory(lambda self: Deferred(self._look_away), takes_self=True)
    )
    _done: bool = False

    def _look_away(self, answer: Deferred[Answer]) -> None:
        """Called when the client has disconnected before the answer: stops watching."""
        self._done = True
        self._directory.unwatch(self._table, self)

    def tell(self, data: bytes) -> None:
        """Called with each message to the watchers of the match: the first message is the answer."""
        # Further messages may arrive while this watcher is being removed.
        if not self._done:
            self._done = True
            self._directory.unwatch(self._table, self)
            self.answer.callback(found(data, JSON, NEVER))

    def closed(self, table: TableId) -> None:
        """Called when the match has ended: there is no present state any more."""
        if not self._done:
            self._done = True
            self.answer.callback(not_found("the match is over"))


@define(eq=False)
class Api:
    """
    Answers the requests to addresses below `/api`.

    :param directory: finds matches, results and the board
    :param worker: makes long records and compresses long answers, in a thread
    :param reveal: whether a record shows information that was hidden during the match
    """

    _directory: MatchDirectory
    _options: OpenOptions
    _clock: IReactorTime
    _worker: Worker
    _reveal: bool = True
    #: Encodes messages without line ends and frames, because a message is the body of an answer.
    _encoder: SharedEncoder = field(
        init=False, default=Factory(lambda self: SharedEncoder(self._options, bytes), takes_self=True)
    )
    board: BoardReader = field(
        init=False,
        default=Factory(lambda self: BoardReader(self._directory, self._encoder, self._clock), takes_self=True),
    )

    log = Logger()

    @cached_property
    def _games(self) -> Mapping[str, Game[Any, Any]]:
        """The games of the open wire, by their names."""
        return {name: played.game for name, played in self._options.games.items()}

    @cached_property
    def _fixed(self) -> Mapping[tuple[str, ...], Answer]:
        """The answers that never change while the host runs, by the path below `/api`: the schema, and the rules."""
        played = self._options.games
        answers: dict[tuple[str, ...], Answer] = {
            ("schema.json",): found(
                to_json(schema({name: one.messages for name, one in played.items()})), "application/schema+json"
            )
        }
        for name, one in played.items():
            game = one.game
            rules = {
                "game": name,
                "version": game.version,
                "seats": [game.least_seats, game.most_seats],
                "settings": {setting: words for setting, words in game.options.items() if setting in one.choices},
                **one.messages.rules,
            }
            answers["rules", f"{name}.json"] = found(to_json(rules), JSON)
        return answers

    def respond(self, asked: Asked) -> Answering:
        """Returns the answer to a request, at once or later."""
        match asked.path[1:]:
            case ("tables",):
                return self.board.read()
            case ("tables", table) if (known := number(table)) is not None:
                return self._shown(TableId(known), _code(asked.query), asked.visitor.address)
            case ("tables", table, ("history" | "picture") as what) if (known := number(table)) is not None:
                return self._history(asked.visitor.address, TableId(known), asked.query, what)
            case ("matches",):
                return self._listed(asked.visitor.address, asked.query)
            case ("matches", file):
                table, _, ending = file.partition(".")
                known = number(table)
                if known is None:
                    return not_found()
                if ending not in ENDINGS:
                    return not_found(f"expected an address that ends in {' or '.join(ENDINGS)}")
                record = (TableId(known), ending, _code(asked.query))
                find = partial(self._record, *record)
                return self._directory.questions.ask(asked.visitor.address, (self, *record), find)
            case ("results",):
                game, name = self._sought(asked.query)
                key = ("results", self._directory.finished.edition, game, name)
                return self._directory.questions.ask(asked.visitor.address, key, partial(self._results, game, name))
            case path:
                return self._fixed.get(path) or not_found()

    def _listed(self, address: str, query: Mapping[str, str]) -> Answering:
        """
        Returns a list of finished matches, the newest first.

        :param address: the address of the client
        :param query: `before`, `game` and `name` restrict the list
        """
        # `None`: the newest matches of all. A text that is no number is refused.
        before = number(query["before"]) if query.get("before") else None
        if before is None and query.get("before"):
            return refused(400, "expected a whole number in before", FOR_EVERYBODY)
        finished, (game, name) = self._directory.finished, self._sought(query)
        if NOTHING_SUCH in (game, name):
            # No match can have this game or this player, so the journal is not read.
            return found(to_json(MatchList([])), JSON, NEVER)

        async def listed() -> Found:
            """Reads the matches, and makes the answer. A list is cached for some seconds."""
            matches, low = await finished.newest(before, PAGE, game, name)
            # `low` is the `before` of a request for older matches; 1: there are none.
            page = MatchList([row(match) for match in matches], low if low > 1 else UNSET)
            return kept(await as_json(self._worker, page), LIST_SECONDS)

        # Requests with equal keys share one answer. `ended` changes at the end of each match, and makes older lists
        # unused.
        return self._directory.questions.ask(address, ("list", finished.ended, before, game, name), listed)

    def _sought(self, query: Mapping[str, str]) -> tuple[str, str]:
        """
        Returns the game, and the key of the player's name, that a client asks for. Empty: the client has named none.

        Both are parts of keys in the cache of answers. So `NOTHING_SUCH` replaces all impossible values: otherwise a
        client could fill the cache with different texts.
        """
        game, name = query.get("game", ""), query.get("name", "")
        known = not game or game in self._options.games or game in self._directory.finished.games
        return game if known else NOTHING_SUCH, sought_key(name) if name else ""

    async def _results(self, game: str, name: str) -> Found:
        """Returns the results of the players, restricted to a game and to the key of a name if they are not empty."""
        tally = await self._directory.finished.tally()
        results = await self._directory.questions.in_slices(results_of(tally, game, name))
        return kept(await as_json(self._worker, results), self._directory.finished.seconds_left(tally))

    async def _record(self, table: TableId, ending: str, code: str) -> Found:
        """
        Returns the record of a finished match. The record of a public match is cached.

        :param ending: the format, one of `ENDINGS`
        :param code: the code of a private match, as the client has given it
        """
        try:
            match, record, game = await self._directory.finished_match(table, code, self._games)
        except NotAnswered as refusal:
            return Found(not_found(str(refusal)))
        # A long record is made in a thread, so that the host need not wait for it.
        make = partial(self._made, match, record, self._options.games[game.name], ending)
        answer = await in_thread(self._worker, make) if len(record.entries) > MANY else make()
        # Neither errors nor private matches are cached.
        return kept(answer) if answer.status == 200 and not code else Found(answer)

    def _made(self, match: FinishedMatch, record: TableRecord, played: PlayedGame, ending: str) -> Answer:
        """
        Returns the answer with the record of a match. May run in a thread, so it changes nothing of this object.

        :param ending: the format, one of `ENDINGS`
        """
        cache = NEVER if match.opening.code else FOR_EVER  # a private match is in no shared cache
        date = moment(match.opened_ms)[:10]
        try:
            if ending == "json":
                return found(to_json(written(match, record, played, self._reveal)), JSON, cache)
            if ending == "svg":
                drawing = picture(played.game, record, date=date, reveal=self._reveal)
                return found(drawing.encode(), "image/svg+xml", cache, PICTURE)
            if not self._reveal:  # the notation always contains all entries
                return not_found("this host does not show what was hidden in a match, and this text would")
            return found(write_notation(record, date).encode(), "text/plain; charset=utf-8", cache)
        except (NotFollowed, NoPicture, NotNotation):
            self.log.failure("table {table} has no record", table=match.table)
            return refused(500, "the record of this match cannot be read", FOR_EVERYBODY)

    def _shown(self, table: TableId, code: str, address: str) -> Answering:
        """Returns the present state of a match that is being played."""
        glance = _Glance(self._directory, table, address)
        try:
            self._directory.watch(table, glance, self._encoder, code)
        except WatchRefused as refusal:
            return not_found(str(refusal))
        # The first message of the match to `glance` is the answer. It may come later.
        return glance.answer

    def _history(self, address: str, table: TableId, query: Mapping[str, str], what: str) -> Answering:
        """
        Returns a match up to one of its entries.

        :param address: the address of the client
        :param query: `until` is the number of the last entry; without `until`, the answer has all entries
        :param what: `history`: the events; `picture`: a drawing of the position
        """
        until = number(query["until"]) if "until" in query else LARGEST
        if until is None:
            return refused(400, "expected a whole number in until", FOR_EVERYBODY)
        # At most `MOST_TOLD` entries can be sent. All higher numbers have one answer, and so one place in the cache.
        until, code = min(until, MOST_TOLD + 1), _code(query)
        make = self._pictured if what == "picture" else self._told
        try:
            asked = self._directory.history(table, until, code, self._games)
        except WatchRefused as refusal:
            return not_found(str(refusal))
        # The journal is read when it is this request's turn. Requests with equal keys share one answer.
        return self._directory.questions.ask(
            address, ("web", what, asked.key, until, code), partial(make, table, asked, until, code)
        )

    async def _pictured(self, table: TableId, asked: HistoryQuestion, until: int, code: str) -> Found:
        """
        Returns a drawing of a match after an entry. It is cached if it is public and never changes (`asked.lasting`).
        """
        game, told = await asked.read()
        if isinstance(told, WatchRefused):
            return Found(not_found(str(told)))
        # The picture after an entry never changes, also before the end of the match.
        cache = FOR_EVER if told.n == until and not code else NEVER
        answer = await in_thread(self._worker, partial(_drawn, self._options.games[game].game, told, cache))
        return kept(answer) if asked.lasting else Found(answer)

    async def _told(self, table: TableId, asked: HistoryQuestion, until: int, code: str) -> Found:
        """
        Returns the public events of a match up to an entry, as a message of the open wire. It is cached if it is
        public and never changes (`asked.lasting`).
        """
        game, told = await asked.read()
        if isinstance(told, WatchRefused):
            return Found(not_found(str(told)))
        # Only the history of a match that has ended never changes.
        cache = FOR_EVER if told.result is not None and not code else NEVER
        history = await self._directory.questions.in_slices(self._encoder.history(table, game, told))
        answer = await as_json(self._worker, history, cache)
        return kept(answer) if asked.lasting else Found(answer)


def _code(query: Mapping[str, str]) -> str:
    """Returns the code of a private match that a client gives; empty if it gives none."""
    return checked_code(query.get("code", ""))


def _drawn(game: Game[Any, Any], told: History[Any], cache: str) -> Answer:
    """Returns a drawing of a match after the last entry of its history, as everybody may see it."""
    if not told.events or told.n > MOST_TOLD:
        return not_found("nothing has happened yet, or the match is too long to be drawn")
    # The events of one entry are one turn of the drawing.
    view, turns = None, []
    for _, events in groupby(told.events, key=itemgetter(0)):
        # `None`: the drawing does not say which seat has acted. In the same way, the view is that of a watcher.
        turns.append(Turn(None, tuple(event for _, event in events)))
        for event in turns[-1].events:
            view = game.follow(view, event, None)
    scene = Scene(told.names, view, turns=turns, result=told.result, moves=False)
    return found(picture_of(game, scene).encode(), "image/svg+xml", cache, PICTURE)


T = TypeVar("T")

JSON = "application/json"

#: A body with more bytes than this is compressed in a thread. A shorter body takes half a millisecond at most.
LARGE = 16_384


def in_thread(worker: Worker, work: Callable[[], T]) -> Deferred[T]:
    """Calls a function in a thread. Fires with its result, or fails with its exception."""
    answer: Deferred[T] = Deferred()

    def safely() -> T | Failure:
        """Returns the result of the work, or its exception as a failure."""
        try:
            return work()
        except Exception:
            return Failure()

    # An exception in the thread would be lost. As a `Failure` it is a result, with which the `Deferred` fails.
    worker(safely, answer.callback)
    return answer


async def as_json(worker: Worker, content: Any, cache: str = NEVER) -> Answer:
    """Returns an answer whose body is a value as JSON. Compresses a long body in a thread."""
    body = to_json(content)
    pack = partial(found, body, JSON, cache)
    return pack() if len(body) <= LARGE else await in_thread(worker, pack)


def kept(answer: Answer, seconds: float = float("inf")) -> Found:
    """Returns an answer that the host caches as it is sent, compressed or not, for a number of seconds."""
    return Found(answer, len(answer.body) + len(answer.packed or b""), seconds)
