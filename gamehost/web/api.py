"""
The HTTP interface: what everybody may know of the matches, as JSON.

It is for programs that look something up once. Those who want to hear what happens open a socket. The objects are the
messages of the open wire.
"""

from collections.abc import Generator, Mapping
from functools import partial

from attrs import Factory, define, field, frozen
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime

from gamehost.accounts.login import Worker
from gamehost.journal.records import TableId
from gamehost.lobby.board import EVERY
from gamehost.lobby.questions import Found
from gamehost.lobby.spectators import HistoryQuestion, Spectators
from gamehost.tables.gallery import WatchRefused
from gamehost.web.http import FOR_EVER, FOR_EVERYBODY, NEVER, Answer, Asked, found, refused
from gamehost.web.making import JSON, as_json, kept
from gamehost.web.matches import Matches
from gamehost.web.records import Records
from gamehost.wires.open.codec import to_json
from gamehost.wires.open.messages import LARGEST
from gamehost.wires.open.options import OpenOptions
from gamehost.wires.open.schema import schema
from gamehost.wires.open.watching import SharedEncoder

#: Seconds for which the board is looked at after it was asked for.
LOOK_SECONDS = 10.0

#: What answers a request, at once or later.
Answering = Answer | Deferred[Answer]

NOTHING = "there is nothing at this address"


def not_found(why: str = NOTHING) -> Answer:
    """There is no such thing."""
    return refused(404, why, FOR_EVERYBODY)


def number(text: str) -> int | None:
    """A whole number as people write it; `None`: it is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 and int(text) <= LARGEST else None


@define(eq=False)
class BoardReader:
    """
    Reads the board for those who ask for it once.

    While nobody looks at it, the board does not know matches in which something happens at this moment. So the first one
    who asks waits for the next difference.
    """

    _spectators: Spectators
    _encoder: SharedEncoder
    _clock: IReactorTime
    #: The answers that wait for a complete board.
    _waiting: list[Deferred[Answer]] = field(factory=list)
    #: The board as it was sent last; `None`: it has changed since.
    _sent: Answer | None = None
    _seen: bytes = b""
    _complete: bool = False
    _timer: IDelayedCall | None = None
    _asked_at: float = 0.0

    def read(self) -> Deferred[Answer]:
        """All matches and all who wait, as a message of the open wire."""
        answer: Deferred[Answer] = Deferred()
        self._waiting.append(answer)
        self._asked_at = self._clock.seconds()
        if self._timer is None:
            self._spectators.board.look(self, self._encoder)
            self._timer = self._clock.callLater(EVERY, self._look_on)
        elif self._complete:
            self._answer()
        return answer

    def tell(self, data: bytes) -> None:
        """The board says something: all of it when it is asked, and differences, of which it is enough that there are any."""
        self._seen, self._sent = data, None

    def _look_on(self) -> None:
        self._complete = True
        self._answer()
        left = self._asked_at + LOOK_SECONDS - self._clock.seconds()
        if left > 0:
            self._timer = self._clock.callLater(left, self._look_on)
        else:
            self.stop()

    def _answer(self) -> None:
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        sent = self._sent
        if sent is None:
            self._spectators.board.look(self, self._encoder)
            sent = self._sent = found(self._seen, JSON, NEVER)

        def tell() -> Generator[None, None, None]:
            for answer in waiting:
                answer.callback(sent)
                yield

        self._spectators.questions.slices.run(tell(), _told)

    def stop(self) -> None:
        """Look at the board no longer."""
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer, self._complete, self._sent = None, False, None
        self._spectators.board.look_away(self)


@define(eq=False)
class _Glance:
    """One who watches a match for a moment."""

    _spectators: Spectators
    _table: TableId
    address: str
    answer: Deferred[Answer] = field(
        init=False, default=Factory(lambda self: Deferred(self._look_away), takes_self=True)
    )
    _done: bool = False

    def _look_away(self, answer: Deferred[Answer]) -> None:
        """The client is gone."""
        self._done = True
        self._spectators.unwatch(self._table, self)

    def tell(self, data: bytes) -> None:
        if not self._done:
            self._done = True
            self._spectators.unwatch(self._table, self)
            self.answer.callback(found(data, JSON, NEVER))

    def closed(self, table: TableId) -> None:
        if not self._done:
            self._done = True
            self.answer.callback(not_found("the match is over"))


@frozen
class Api:
    """
    What stands below `/api`.

    :param options: the games
    :param matches: lists of finished matches
    :param records: and each of them
    :param worker: compresses long answers
    """

    _spectators: Spectators
    _options: OpenOptions
    _clock: IReactorTime
    _matches: Matches
    _records: Records
    _worker: Worker
    #: Messages as they are: no line ends, no frames.
    _encoder: SharedEncoder = field(
        init=False, default=Factory(lambda self: SharedEncoder(self._options, _as_it_is), takes_self=True)
    )
    board: BoardReader = field(
        init=False,
        default=Factory(lambda self: BoardReader(self._spectators, self._encoder, self._clock), takes_self=True),
    )
    _fixed: Mapping[tuple[str, ...], Answer] = field(
        init=False, default=Factory(lambda self: _fixed_answers(self._options), takes_self=True)
    )

    def respond(self, asked: Asked) -> Answering:
        """The answer to a request for a path below `/api`."""
        match asked.path[1:]:
            case ("tables",):
                return self.board.read()
            case ("tables", table) if (known := number(table)) is not None:
                return self._shown(TableId(known), asked.query.get("code", ""), asked.visitor.address)
            case ("tables", table, "history") if (known := number(table)) is not None:
                return self._history(asked.visitor.address, TableId(known), asked.query)
            case ("matches",):
                return self._listed(asked.visitor.address, asked.query)
            case ("matches", file):
                table, _, ending = file.partition(".")
                known = number(table)
                if known is None:
                    return not_found()
                return self._records.respond(asked.visitor.address, known, ending, asked.query.get("code", ""))
            case ("results",):
                game, name = asked.query.get("game", ""), asked.query.get("name", "")
                return self._matches.results(asked.visitor.address, game, name)
            case path:
                return self._fixed.get(path) or not_found()

    def _listed(self, address: str, query: Mapping[str, str]) -> Answering:
        before = number(query["before"]) if query.get("before") else None
        if before is None and query.get("before"):
            return refused(400, "expected a whole number in before", FOR_EVERYBODY)
        return self._matches.find(address, before, query.get("game", ""), query.get("name", ""))

    def _shown(self, table: TableId, code: str, address: str) -> Answering:
        glance = _Glance(self._spectators, table, address)
        try:
            self._spectators.watch(table, glance, self._encoder, code)
        except WatchRefused as refusal:
            return not_found(str(refusal))
        return glance.answer

    def _history(self, address: str, table: TableId, query: Mapping[str, str]) -> Answering:
        until = number(query["until"]) if "until" in query else LARGEST
        if until is None:
            return refused(400, "expected a whole number in until", FOR_EVERYBODY)
        code = query.get("code", "")
        games = {name: played.game for name, played in self._options.games.items()}
        try:
            asked = self._spectators.history(table, until, code, games)
        except WatchRefused as refusal:
            return not_found(str(refusal))
        return self._spectators.questions.ask(
            address, ("web", asked.key, code), partial(self._told, table, asked, code)
        )

    async def _told(self, table: TableId, asked: HistoryQuestion, code: str) -> Found:
        game, told = await asked.read()
        if isinstance(told, WatchRefused):
            return Found(not_found(str(told)))
        cache = FOR_EVER if told.result is not None and not code else NEVER
        answer = await as_json(self._worker, self._encoder.history(table, game, told), cache)
        return kept(answer) if asked.lasting else Found(answer)


def _told(_: object) -> None:
    """All who waited have their answer."""


def _as_it_is(text: bytes) -> bytes:
    return text


def _fixed_answers(options: OpenOptions) -> dict[tuple[str, ...], Answer]:
    """What is the same for as long as the host runs."""
    played = options.games
    answers: dict[tuple[str, ...], Answer] = {
        ("schema.json",): found(to_json(schema(played.values())), "application/schema+json")
    }
    for name, one in played.items():
        game = one.game
        rules = {
            "game": name,
            "version": game.version,
            "seats": [game.least_seats, game.most_seats],
            "settings": {setting: words for setting, words in game.options.items() if setting in one.choices},
            **one.face.rules,
        }
        answers["rules", f"{name}.json"] = found(to_json(rules), JSON)
    return answers
