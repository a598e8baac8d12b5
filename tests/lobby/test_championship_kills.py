"""
Championships of hosts that are killed. Hosts in memory are dropped at every single step between a log-in and the last word:
after each change that is on disk, and after each callback for one. Another host goes on with the same journal.
"""

from collections.abc import Callable, Collection, Iterator
from typing import Any

from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import EntryKind
from gamehost.lobby.championship import ChampionshipRecord, ChampionshipRecords, Pair, nothing
from tests.kit.journals import CommittedJournal
from tests.kit.memory_host import Client
from tests.kit.remote_games import BUILT_IN, Told, Wrong, answer_of_master, answer_of_player
from tests.kit.wires.paper_soccer_talk import login
from tests.kit.wires.remote_talk import World, master_login


@define(eq=False)
class HostRun:
    """
    A host, with players and a master who answer at once.

    :param game_type: `nim` of a remote master, or the built-in game
    :param first: whether the first of two wins; the run after it has other results
    """

    journal: CommittedJournal
    told: Told
    game_type: str
    names: tuple[str, ...]
    first: bool
    #: The dialect of the players and the master.
    loose: bool = False
    #: Who is lost when the first game has ended.
    lost: str = ""
    world: World = field(init=False)
    clients: dict[str, Client] = field(factory=dict)
    master: Client | None = None

    def __attrs_post_init__(self) -> None:
        settings = {"paper-soccer.championship": f"{self.game_type}:3", "paper-soccer.strict": "yes"}
        if self.loose:
            settings["paper-soccer.loose"] = self.game_type
        self.world = World(settings, journal=self.journal, rng=lambda n: 0 if self.first else n - 1)

    def begin(self) -> Iterator[None]:
        for name in self.names:
            self.clients[name] = client = self.world.connect()
            client.say(login(name, self.game_type))
            yield
        if self.game_type != BUILT_IN:
            self.master = self.world.host.connect("paper-soccer", "192.0.2.200")
            self.master.say(master_login())
            yield

    def go_on(self) -> bool:
        """The next thing happens. `False`: there is nothing."""
        return self.speak() or self.write()

    def write(self) -> bool:
        """One change gets on the disk, or one of those that are on it is called back for."""
        if self.journal.unanswered:
            self.journal.release(1)
        elif not self.journal.commit(1):
            return False
        self.world.host.until_idle()
        return True

    def speak(self) -> bool:
        """All answer what they have heard. `False`: nobody has heard anything."""
        spoken = False
        master = self.master
        for line in () if master is None else master.heard():
            spoken = True
            if master is not None and (answers := answer_of_master(line, self.first)):
                master.say(*answers)
        for name, client in list(self.clients.items()):
            for line in client.heard():
                spoken = True
                self.told.hear(name, line)
                self.answer(name, client, line)
        return spoken

    def answer(self, name: str, client: Client, line: str) -> None:
        """A player answers, if it is not the one who is lost when the first game has ended."""
        if "gameOver" in line and self.lost:
            self.clients.pop(self.lost).drop()
            self.lost = ""
        if name in self.clients and (answers := answer_of_player(name, line, self.game_type, not self.loose)):
            client.say(*answers)

    def die(self) -> CommittedJournal:
        """The host is dead; what it said before counts. The journal of the next run."""
        for name, client in self.clients.items():
            for line in client.heard():
                self.told.hear(name, line)
        return self.journal.restarted()


class KillTests(SynchronousTestCase):
    """Every result is told once and counted once, whatever is killed when."""

    def play(self, kill_at: int, game_type: str, loose: bool = False, lost: str = "", again: int = 0) -> bool:
        """
        Play a championship, with a kill at this step. `False`: it was over before.

        :param again: so many steps later the host is killed once more
        """
        told, names = Told(), ("ann", "bob", "cid")
        run = HostRun(CommittedJournal(), told, game_type, names, True, loose, lost)
        steps, killed = 0, False
        coming = run.begin()
        while True:
            steps += 1
            self.assertLess(steps, 1_000, "it never ends")
            if steps in (kill_at, kill_at + again):
                killed = True
                journal = run.die()
                if any(journal.openings[table].game == "championship" for table in journal.told_tables):
                    break  # another run would hold another championship
                run = HostRun(journal, told, game_type, names, False, loose, lost)
                coming = run.begin()
            if next(coming, self) is self and not run.go_on() and not self.wait(run):
                break
        self.check(run.journal, told, f"killed at step {kill_at} of {game_type}")
        return killed

    def wait(self, run: HostRun) -> bool:
        """Time passes until something is written or said. `False`: nothing ever is."""
        for _ in range(3):
            run.world.host.wait(61)
            if run.go_on():
                return True
        return False

    def check(self, journal: CommittedJournal, told: Told, when: str) -> None:
        """The record has each pair once, and what it has is what was told."""
        found = [
            table
            for table, opening in journal.openings.items()
            if opening.game == "championship" and journal.entries[table][0].kind is EntryKind.BEGAN
        ]
        self.assertEqual(len(found), 1, when)
        try:
            told.compare(journal.record(found[0]))
        except Wrong as error:
            self.fail(f"{when}: {error}")
        self.assertTrue(told.lists, when)
        self.assertIn(found[0], journal.told_tables, when)
        self.listed = set(told.lists)

    def kill_at_every_step(self, game_type: str, **more: Any) -> None:
        """Until the championship is over before the kill."""
        kill_at = 1
        while self.play(kill_at, game_type, **more):
            if not more.get("lost"):
                self.assertEqual(self.listed, {"ann", "bob", "cid"}, f"killed at step {kill_at}")
            kill_at += 1
        self.assertGreater(kill_at, 25)

    def test_a_remote_game(self) -> None:
        """Of a master that keeps to the document."""
        self.kill_at_every_step("nim")

    def test_a_loose_game(self) -> None:
        """Whose players give no thanks."""
        self.kill_at_every_step("nim", loose=True)

    def test_a_built_in_game(self) -> None:
        """Players come back to it after a kill."""
        self.kill_at_every_step(BUILT_IN)

    def test_a_player_who_is_lost(self) -> None:
        """The games that such a player does not play are counted before anybody is told how all has ended."""
        self.kill_at_every_step("nim", lost="cid")
        self.kill_at_every_step(BUILT_IN, lost="cid")

    def test_two_kills(self) -> None:
        """The second one while the players come back, or soon after that."""
        for again in (5, 9, 17):
            self.kill_at_every_step("nim", again=again)
            self.kill_at_every_step(BUILT_IN, again=again)

    def test_a_host_that_tells_first_is_found_out(self) -> None:
        """It tells the end of a game, and counts it then; or a start does not look for what was not counted."""
        note = ChampionshipRecord.note

        def tells_first(
            self: ChampionshipRecord, pair: Pair, winners: Collection[int], durable: Callable[[], None]
        ) -> None:
            durable()
            note(self, pair, winners, nothing)

        planted = self.patch(ChampionshipRecord, "note", tells_first)
        self.assertRaises((Wrong, self.failureException), self.kill_at_every_step, "nim")
        planted.restore()
        self.patch(ChampionshipRecords, "found_match", lambda records, record: None)
        self.assertRaises((Wrong, self.failureException), self.kill_at_every_step, BUILT_IN)
