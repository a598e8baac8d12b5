"""Those who attack the host of a simulation, and those who watch there: faults that they must see, each within a few seeds."""

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamehost import _twisted
from gamehost.accounts.proofs import ProvenLogins
from gamehost.journal.history import history_in_steps
from gamehost.limits import TokenBucket, moves_bucket
from gamehost.lobby import sleeping
from gamehost.lobby import watching as spectators
from gamehost.lobby.house import HousePlayers
from gamehost.lobby.queues import NewMatches
from gamehost.lobby.sessions import SessionRegistry
from gamehost.lobby.sleeping import SleepingIndex
from gamehost.net.input import Input
from gamehost.net.limiter import ConnectionLimiter
from gamehost.web.http import Access
from gamehost.wires.open.websocket import SocketConversation
from gamehost.wires.websocket import Pong
from tests.kit.journals import CommittedJournal
from tests.kit.simulation import Simulation


class PlantedTests(SynchronousTestCase):
    """Faults that must be seen, each within so many seeds of one minute."""

    def caught(self, owner: Any, name: str, planted: Any, within: int) -> str:
        """How the fault was seen."""
        self.patch(owner, name, planted)
        return self.seen(within)

    def seen(self, within: int) -> str:
        """How what is planted was seen."""
        for seed in range(5, 5 + within):  # the disk is quick under the first one
            try:
                Simulation(seed, 1).run()
            except AssertionError as error:
                self.flushLoggedErrors()
                return str(error)
        self.fail(f"not seen within {within} seeds")

    def test_abandoned_matches_are_not_counted(self) -> None:
        """An address can have any number of sleeping tables."""
        self.assertIn("tables of one address sleep", self.caught(SleepingIndex, "limit", lambda *_: None, 3))

    def test_a_key_is_not_asked_for(self) -> None:
        """The name is enough to get a lost seat."""
        words = self.caught(SessionRegistry, "_check_resume", lambda *_, **named: None, 3)
        self.assertIn("given to a thief", words)

    def test_a_flood_is_not_counted(self) -> None:
        """Bytes that make no message are given back."""

        def handled(received: Input[Any], count: int) -> None:
            received._bytes.give_back(10**9)
            real(received, count)

        real: Callable[[Input[Any], int], None] = Input._all_handled
        self.assertIn("without a message", self.caught(Input, "_all_handled", handled, 3))

    def test_answers_of_browsers_are_not_counted(self) -> None:
        """A browser may answer as often as it likes."""

        def pong(conversation: SocketConversation, message: Any) -> None:
            conversation.peer.exempt_from_rate()

        heard = {state: {**kinds, Pong: pong} for state, kinds in SocketConversation._HEARD_IN.items()}
        self.patch(SocketConversation, "_HEARD_IN", heard)
        self.assertIn("frames that say nothing", self.seen(3))

    def test_an_owner_is_treated_as_a_guesser(self) -> None:
        """An address that is known for an account counts as any other."""
        self.assertIn("because others guessed", self.caught(ProvenLogins, "knows", lambda *_: False, 10))

    def test_moves_of_an_address_are_not_counted(self) -> None:
        """Each connection has a bucket of its own."""

        def moves_of(limiter: ConnectionLimiter, address: str) -> TokenBucket:
            return moves_bucket(limiter._limits.moves_per_second_per_address, 0.0)

        self.assertIn("moves of one address", self.caught(ConnectionLimiter, "moves_of", moves_of, 20))

    def test_new_matches_are_not_counted(self) -> None:
        """An address can begin any number of matches."""
        self.assertIn("new matches of one address", self.caught(NewMatches, "begin", lambda *_: None, 10))

    def test_another_address_ends_a_match(self) -> None:
        """
        With its share alone, which is none here, so that it happens often; and the names are free before the end is durable: a
        player waits while the match goes on.
        """
        planted = sleeping._EXCESS_OF_ONE.replace("min(place)", "max(place)").replace(":most", "0")
        self.patch(sleeping, "_EXCESS_OF_ONE", planted)
        self.patch(SleepingIndex, "begin_end", SleepingIndex.remove)
        error = self.assertRaises(AssertionError, Simulation(9, 2).run)
        self.flushLoggedErrors()
        self.assertIn("goes on", str(error))

    def test_a_question_counts_as_a_change(self) -> None:
        """Its age is taken for that of the disk: somebody who asks for a long answer ends the host."""

        def tell(journal: CommittedJournal, answer: Callable[[], None]) -> None:
            def answered() -> None:
                waiting.pop(0)
                answer()

            waiting = asked.setdefault(journal, [])
            waiting.append(0.0 if journal.clock is None else journal.clock())
            real(journal, answered)

        def age(journal: CommittedJournal) -> float:
            waiting = asked.get(journal)
            return journal.clock() - waiting[0] if waiting and journal.clock is not None else 0.0

        asked: dict[CommittedJournal, list[float]] = {}
        real: Callable[[CommittedJournal, Callable[[], None]], None] = CommittedJournal._tell
        self.patch(CommittedJournal, "_tell", tell)
        self.assertIn("the disk has not answered", self.caught(CommittedJournal, "age", property(age), 3))

    def test_a_question_is_for_the_writer(self) -> None:
        """The changes behind it wait until it is answered."""

        def commit(journal: CommittedJournal, number: int | None = None) -> int:
            return 0 if journal.asked else real(journal, number)

        real: Callable[[CommittedJournal, int | None], int] = CommittedJournal.commit
        self.assertIn("the disk has not answered", self.caught(CommittedJournal, "commit", commit, 3))

    def test_another_site_has_a_name_here(self) -> None:
        """Whoever points a name at this machine reads what the host answers, and opens sockets."""
        self.assertIn("not refused with 421", self.caught(Access, "wrong_host", lambda *_: None, 3))

    def test_another_site_opens_a_socket(self) -> None:
        """From a browser that is here."""
        self.assertIn("not refused with 403", self.caught(Access, "foreign", lambda *_: False, 3))

    def test_a_house_player_has_the_number_of_an_earlier_one(self) -> None:
        """As soon as that has no seat any more."""

        def free_name(house: HousePlayers, level: str) -> str:
            return next(name for n in count(1) if house._registry.get(name := f"{level}.{n}") is None)

        self.assertIn("have one name", self.caught(HousePlayers, "_free_name", free_name, 3))

    def test_a_standstill_counts_as_time(self) -> None:
        """The reactor's clock goes on while the process stands still."""
        self.assertIn("charged for a standstill", self.caught(_twisted, "STANDSTILL", 1e9, 3))

    def test_a_history_has_a_gap(self) -> None:
        """One entry of a match is not told."""

        def with_gap(*words: Any) -> Any:
            told = yield from history_in_steps(*words)
            events: Sequence[Any] = told.events
            return evolve(told, events=tuple(one for one in events if one[0] != events[-1][0] - 1))

        self.assertIn("the history says", self.caught(spectators, "history_in_steps", with_gap, 5))
