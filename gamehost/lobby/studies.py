"""
Studies of finished matches: which player was ahead after each action, and which actions changed that most.

In a study, a house player in each seat follows the record and judges the actions of its seat. It receives only the events
of this seat. So an action is not judged by what only other players could know.

The processes of the house players make studies, and take turns between studies and their matches, by address. A finished
match never changes, so its study is cached like other answers. Clients with the same question wait for one study.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import define, field
from msgspec import Struct, json
from twisted.internet.defer import CancelledError

from gamehost.games.base import Game, JournalledChance, Seat, To
from gamehost.journal.records import Entry, EntryKind, TableHeader, TableId, TableRecord
from gamehost.journal.replay import new_master, replay_in_steps
from gamehost.lobby.questions import Found, NotAnswered
from gamehost.players.base import Player, Standing, TurningPoint, Weighed, Weigher
from gamehost.rates import AddressCounts

if TYPE_CHECKING:
    from gamehost.lobby.directory import MatchDirectory
    from gamehost.lobby.house import HousePlayers

#: The most turning points in a study, and how much an action must lose to be one, in hundredths of a victory.
MOST_TURNS, LEAST_LOST = 5, 10


class Question(Struct, frozen=True):
    """A match to study, as it is sent to a process of the house players, which cannot read the journal."""

    game: str
    seats: int
    settings: dict[str, str]
    entries: tuple[Entry, ...]


class Study(Struct, frozen=True):
    """
    The result of a study. `standings` are the chances of all players after each action; they are empty if the house players
    of this game cannot judge actions. `turns` are the turning points: the worst actions.
    """

    standings: list[Standing]
    turns: list[TurningPoint]


def study_in_steps(
    game: Game[Any, Any], opening: TableHeader, entries: Sequence[Entry], new_player: Callable[[Seat], Player]
) -> Generator[None, None, Study]:
    """
    Study a finished match. Each step of the generator judges at most one action; the generator returns the study.

    :param new_player: makes the house player that judges the actions of a seat
    :raises NotFollowed: the record does not fit the rules of its game
    """
    players = [new_player(Seat(seat)) for seat in range(len(opening.seats))]
    chance = JournalledChance()
    master = new_master(game, opening, chance)

    def tell(number: int, told: Sequence[To[Any]]) -> None:
        """Pass the events of an entry to the players that may receive them; an audience of `None` is everybody."""
        for to in told:
            for seat in range(len(players)) if to.audience is None else to.audience:
                players[seat].hear(to.event)

    standings: list[Standing] = []
    turns: list[TurningPoint] = []
    #: The actions that were not taken back: the numbers of their entries, and their seats.
    acted: list[tuple[int, Seat | None]] = []
    followed = [entry for entry in entries if entry.kind is not EntryKind.ARCHIVED]
    steps = replay_in_steps(game, master, chance, followed, tell)
    for number, entry in enumerate(followed, 1):
        # Judge the action before the players receive it. The chances belong to the position after the entry before.
        weighed = _weighed(players, entry)
        if weighed is not None:
            standings.append(Standing(number - 1, [round(100 * share) for share in weighed.shares]))
            lost = round(100 * weighed.lost)
            if lost >= LEAST_LOST and entry.seat is not None:
                turns.append(TurningPoint(number, entry.seat, entry.notation.decode(), weighed.best.decode(), lost))
        next(steps)  # carries out this entry, and calls `tell`
        if entry.kind is EntryKind.ACTED:
            acted.append((number, entry.seat))
        # Drop what was found about actions that were taken back.
        elif entry.kind is EntryKind.TAKEN_BACK:
            first = _taken_back(acted, entry.seat)
            standings = [standing for standing in standings if standing.n < first]
            turns = [turn for turn in turns if turn.n < first]
        yield
    # After the last action, the chances are the result. A draw is shared by all players.
    if standings and master.result is not None:
        winners = master.result.winners or tuple(Seat(seat) for seat in range(len(players)))
        shares = [round(100 * (seat in winners) / len(winners)) for seat in range(len(players))]
        standings.append(Standing(len(followed), shares))
    worst = sorted(turns, key=lambda turn: -turn.lost)[:MOST_TURNS]
    return Study(standings, sorted(worst, key=lambda turn: turn.n))


def _taken_back(acted: list[tuple[int, Seat | None]], seat: Seat | None) -> int:
    """
    Remove the last action of a seat from the list, and all later actions, because the seat has taken the action back.

    :returns: the number of that action's entry
    """
    number, other = acted.pop()
    while other != seat:  # actions of others, which followed the one of this seat
        number, other = acted.pop()
    return number


def _weighed(players: Sequence[Player], entry: Entry) -> Weighed | None:
    """The judgement of an entry's action by the house player of its seat; `None`: there is no action, or no judgement."""
    if entry.kind is not EntryKind.ACTED or entry.seat is None:
        return None
    player = players[entry.seat]
    return player.weigh(entry.notation) if isinstance(player, Weigher) else None


#: The most studies at once, in all and for one address, and the most entries of a match to study. A study takes seconds.
MOST, PER_ADDRESS, LONGEST = 4, 1, 3_000


@define(eq=False)
class Studies:
    """Answers the clients that ask for the study of a finished match."""

    _directory: "MatchDirectory"
    _house: "HousePlayers"
    #: Whether a finished match shows what was hidden in it. A study of such a match shows it, too.
    reveal: bool = True
    #: How many studies are being made now, by address.
    _addresses: AddressCounts = field(factory=AddressCounts)

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
        Study a finished match.

        :param address: of the client
        :param code: of a private match; empty: the match is public
        :param games: the games of this host, by their names
        :param answered: called with the study, at once or later
        :param refused: called instead if there is no study
        :returns: a function that cancels both calls
        """
        work = partial(self._study, address, table, code, games)
        return self._directory.questions.tell(address, (Studies, table, code), work, answered, refused)

    async def _study(self, address: str, table: TableId, code: str, games: Mapping[str, Game[Any, Any]]) -> Found:
        """The work of a question for a study: check that a study is possible, and let a process make it."""
        # Can this match be studied?
        match, record, game = await self._directory.finished_match(table, code, games)
        if not match.played:
            raise NotAnswered("nobody has moved in this match")
        if len(record.entries) > LONGEST:
            raise NotAnswered("this match is too long to be studied")
        questions = self._directory.questions
        if not self.reveal and await questions.in_slices(_match_has_secrets(game, record)):
            raise NotAnswered("this host never shows what was hidden in a match, and a study would")
        # Is there room for another study?
        if self._addresses.of(address) >= PER_ADDRESS:
            raise NotAnswered("a study for your address is under way: wait for it, and try again then")
        if self._addresses.total() >= MOST:
            raise NotAnswered("too many studies are under way: try again in a moment")
        # Ask the house players.
        asked = Question(game.name, len(record.opening.seats), dict(record.opening.settings), record.entries)
        self._addresses.enter(address)
        try:
            studied = self._house.study(address, game.name, json.encode(asked).decode())
            questions.step_aside(studied.cancel)  # other questions are answered while the process works
            study = json.decode(await studied, type=Study)
        except CancelledError:
            raise NotAnswered("nobody waits for this study any more") from None
        finally:
            self._addresses.leave(address)
        if not study.standings:
            raise NotAnswered("the house players cannot weigh the moves of this game")
        # The study of a private match is not cached.
        return Found(study, 0 if code else 64 * len(study.standings))


def _match_has_secrets(game: Game[Any, Any], record: TableRecord) -> Generator[None, None, bool]:
    """Find out, in steps, whether in a match some event went only to some of the players."""
    hidden = False

    def note(number: int, told: Sequence[To[Any]]) -> None:
        nonlocal hidden
        # An event with an audience is for some players only; `None`: it is for everybody.
        hidden = hidden or any(to.audience is not None for to in told)

    chance = JournalledChance()
    entries = [entry for entry in record.entries if entry.kind is not EntryKind.ARCHIVED]
    for _ in replay_in_steps(game, new_master(game, record.opening, chance), chance, entries, note):
        if hidden:  # one such event is enough
            break
        yield
    return hidden
