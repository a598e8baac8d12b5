"""
Studies of finished matches: who was ahead, and where it turned (`gamehost.lobby.study`).

A process of the house players does the work, in turns by address with their own thinking. A match never changes, so its study
is kept beside what else was looked up, and those who ask for the same one wait for it together.
"""

from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

from attrs import define, field
from msgspec import json
from twisted.internet.defer import Deferred
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamehost.games.base import Game, To
from gamehost.games.chance import JournalledChance
from gamehost.journal.records import EntryKind, FinishedMatch, TableId, TableRecord
from gamehost.journal.replay import new_master, replay_in_steps
from gamehost.limits import rate_limit_key
from gamehost.lobby.house import HousePlayers, HouseRefused
from gamehost.lobby.questions import FAULT, Found, NotAnswered
from gamehost.lobby.queues import same_code
from gamehost.lobby.study import Question, Study
from gamehost.lobby.watching import Spectators

#: Studies that are under way, in all and for one address; and entries of a match that is studied.
MOST, PER_ADDRESS, LONGEST = 64, 3, 3_000

NO_RECORD = "this host has no record of a finished match of this number"
OTHER_RULES = "this match was played under rules that this host does not have"
HIDDEN = "this host never shows what was hidden in a match, and a study would"
CANNOT_WEIGH = "the house players cannot weigh the moves of this game"


#: What is called for one who waits, with the study or with the refusal; empty: nobody waits any more.
_Waiting = list[tuple[Callable[[Study], None], Callable[[NotAnswered], None]]]


@define(eq=False)
class Studies:
    """
    The studies of a host.

    :param house: has the processes
    """

    _spectators: Spectators
    _house: HousePlayers
    #: Whether a finished match shows what was hidden in it. A study of such a match shows it, too.
    reveal: bool = True
    #: Those who wait, by the match and the code that they gave.
    _waiting: dict[tuple[TableId, str], list[_Waiting]] = field(factory=dict)
    #: How many are under way, by address.
    _addresses: "Counter[str]" = field(factory=Counter)

    log = Logger()

    def ask(
        self,
        address: str,
        table: TableId,
        code: str,
        games: Mapping[str, Game[Any, Any]],
        answered: Callable[[Study], None],
        refused: Callable[[NotAnswered], None],
    ) -> Callable[[], None]:
        """
        Have a finished match studied.

        :param address: of the client
        :param code: of a private match
        :param games: by their names
        :param answered: called with the study, at once or later
        :param refused: called instead if there is none
        :returns: a function that has neither of them called any more
        """
        kept = self._spectators.questions.kept((Studies, table))
        if kept is not None:
            answered(kept)
            return _nothing
        key, one = (table, code), [(answered, refused)]
        if key in self._waiting:
            self._waiting[key].append(one)
            return one.clear
        whom = rate_limit_key(address)
        if self._addresses[whom] >= PER_ADDRESS or self._addresses.total() >= MOST:
            refused(NotAnswered("too many studies are under way: try again in a moment"))
            return _nothing
        self._addresses[whom] += 1
        self._waiting[key] = [one]
        Deferred.fromCoroutine(self._study(address, table, code, games)).addBoth(self._found, key, whom)
        return one.clear

    async def _study(self, address: str, table: TableId, code: str, games: Mapping[str, Game[Any, Any]]) -> Study:
        async def read() -> Found:
            match = await self._spectators.match(table)
            return Found((match, None if match is None else await self._spectators.read(table)))

        found = await self._spectators.questions.ask(address, (Studies, "record", table), read)
        match: FinishedMatch | None = found[0]
        record: TableRecord | str | None = found[1]
        if match is None or not isinstance(record, TableRecord) or not same_code(match.opening.code, code):
            raise NotAnswered(NO_RECORD)
        if not match.played:
            raise NotAnswered("nobody has moved in this match")
        opening = record.opening
        game = games.get(opening.game)
        if game is None or game.version != opening.version:
            raise NotAnswered(OTHER_RULES)
        if len(record.entries) > LONGEST:
            raise NotAnswered("this match is too long to be studied")
        if not self.reveal and await self._spectators.questions.in_slices(_hides(game, record)):
            raise NotAnswered(HIDDEN)
        asked = Question(opening.game, len(opening.seats), dict(opening.settings), record.entries)
        try:
            told = await self._house.study(address, opening.game, json.encode(asked).decode())
        except HouseRefused as refusal:
            raise NotAnswered(str(refusal)) from None
        study = json.decode(told, type=Study)
        if not study.standings:
            raise NotAnswered(CANNOT_WEIGH)
        if not opening.code:
            self._spectators.questions.keep((Studies, table), Found(study, 64 * len(study.standings)))
        return study

    def _found(self, study: Any, key: tuple[TableId, str], whom: str) -> None:
        """Tell all who wait: the study, or a failure."""
        self._addresses -= Counter((whom,))
        waiting = [calls for one in self._waiting.pop(key) for calls in one]
        if isinstance(study, Failure):
            if not study.check(NotAnswered):
                self.log.failure("match {table} cannot be studied", study, table=key[0])
            why = study.value if isinstance(study.value, NotAnswered) else NotAnswered(FAULT)
            for _, refused in waiting:
                refused(why)
        else:
            for answered, _ in waiting:
                answered(study)


def _hides(game: Game[Any, Any], record: TableRecord) -> Generator[None, None, bool]:
    """Whether a player was told something in a match that others were not."""
    hidden = False

    def note(number: int, told: Sequence[To[Any]]) -> None:
        nonlocal hidden
        hidden = hidden or any(to.audience is not None for to in told)

    chance = JournalledChance()
    entries = [entry for entry in record.entries if entry.kind is not EntryKind.ARCHIVED]
    for _ in replay_in_steps(game, new_master(game, record.opening, chance), chance, entries, note):
        if hidden:
            break
        yield
    return hidden


def _nothing() -> None:
    """The answer was given."""
