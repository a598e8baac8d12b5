"""Championships: the table of results, and matches between players who come and go."""

import random
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from attrs import define, field
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import EntryKind, TableId
from gamehost.lobby.championship import Championship, ChampionshipRecord, ChampionshipRecords, Pair, nothing
from gamehost.testing.cases import PropertyCase
from tests import share
from tests.kit.journals import CommittedJournal
from tests.kit.memory_host import Client
from tests.kit.remote_games import BUILT_IN, Told, Wrong, answer_of_master, answer_of_player
from tests.kit.wires.paper_soccer_talk import login, message
from tests.kit.wires.remote_talk import (
    World,
    begin,
    is_error,
    leave,
    left,
    master_login,
    over,
    refused,
    state,
    thanks,
)

NAMES = "abcdefgh"


class ChampionshipTests(PropertyCase):
    def test_four_players_play_three_rounds_in_the_order_of_log_in(self) -> None:
        one = Championship(NAMES[:4])
        rounds = []
        while one.open:
            pairs = one.next_pairs(range(4))
            rounds.append(pairs)
            for pair in pairs:
                one.note(pair, pair[:1])
        self.assertEqual(rounds, [[(0, 1), (2, 3)], [(0, 2), (1, 3)], [(0, 3), (1, 2)]])
        self.assertEqual(one.standing(), [("a", 3, 0), ("b", 2, 1), ("c", 1, 2), ("d", 0, 3)])

    def test_as_many_games_as_possible(self) -> None:
        one = Championship(NAMES[:4])
        one.open = [(0, 1), (0, 2), (1, 3)]
        self.assertEqual(one.next_pairs(range(4)), [(0, 2), (1, 3)])
        self.assertEqual(one.next_pairs({0, 1, 3}), [(0, 1)])

    def test_equal_players(self) -> None:
        one = Championship(NAMES[:3])
        one.won, one.lost = [1, 1, 2], [1, 0, 2]
        self.assertEqual([name for name, _, _ in one.standing()], ["c", "b", "a"])

    def test_who_is_gone(self) -> None:
        one = Championship(NAMES[:4])
        one.gone = {0, 1}
        self.assertEqual(one.forfeited([(0, 2)]), [((0, 1), ()), ((0, 3), (3,)), ((1, 2), (2,)), ((1, 3), (3,))])

    @given(st.integers(2, 12), st.integers(0, 2**32))
    def test_any_results(self, count: int, seed: int) -> None:
        """Whatever happens: each pair counts once, nobody plays two games at once, the list is in order, and sums fit."""
        one, rng = Championship([f"p{number}" for number in range(count)]), random.Random(seed)
        running: list[tuple[int, int]] = []
        played: list[tuple[int, int]] = []
        while one.open:
            busy = {player for pair in running for player in pair}
            begun = one.next_pairs(set(range(count)) - busy - one.gone)
            running += begun
            players = [player for pair in running for player in pair]
            self.assertEqual(len(players), len(set(players)))
            for pair, winners in one.forfeited(running):
                self.assertTrue(one.note(pair, winners))
                played.append(pair)
            if running and rng.random() < 0.5:
                pair = running.pop(rng.randrange(len(running)))
                if rng.randrange(5):  # else it was void, and is played again
                    self.assertTrue(one.note(pair, rng.choice(([pair[0]], [pair[1]], [], pair))))
                    self.assertFalse(one.note(pair, ()))
                    played.append(pair)
            elif rng.randrange(4) == 0:
                one.gone.add(rng.randrange(count))
        self.assertEqual(len(set(played)), len(played))
        self.assertEqual(len(played), count * (count - 1) // 2)
        self.assertEqual([won + lost for won, lost in zip(one.won, one.lost, strict=True)], [count - 1] * count)
        standing = one.standing()
        self.assertEqual(standing, sorted(standing, key=lambda row: (-row[1], row[2], int(row[0][1:]))))


def champions(*rows: tuple[str, int, int]) -> str:
    return message("championsList", "".join(f'<player nick="{n}" won="{w}" lost="{x}"/>' for n, w, x in rows))


class PlayedChampionship(World):
    def __init__(self, count: int = 3, game_type: str = "nim", **more: object) -> None:
        super().__init__({"paper-soccer.championship": f"{game_type}:{count}", "paper-soccer.strict": "yes"}, **more)
        self.clients: dict[str, Client] = {}

    def players(self, *names: str, game_type: str = "nim") -> None:
        for name in names:
            self.clients[name] = self.player(name, game_type)

    def finish(self, master: Client, game: int, results: Mapping[str, bool]) -> None:
        master.say(over(game, results))
        for name in results:
            if name in self.clients:
                self.clients[name].say(thanks(game))

    def heard(self, name: str) -> str:
        lines = self.clients[name].heard()
        return lines[-1] if lines else ""


class RemoteTests(SynchronousTestCase):
    def test_everybody_plays_everybody(self) -> None:
        world = PlayedChampionship(3)
        master = world.master()
        world.players("ann", "bob")
        self.assertEqual(master.heard(), [])
        world.players("cid")
        self.assertEqual(master.heard(), [begin(2, "ann", "bob")])
        world.finish(master, 2, {"ann": False, "bob": True})
        self.assertEqual(master.heard(), [begin(3, "ann", "cid")])
        world.finish(master, 3, {"ann": True, "cid": False})
        self.assertEqual(master.heard(), [begin(4, "bob", "cid")])
        master.say(over(4, {"bob": True, "cid": False}))
        world.clients["bob"].say(thanks(4))
        self.assertNotIn("championsList", world.heard("ann"))
        world.clients["cid"].say(thanks(4))
        ends = champions(("bob", 2, 0), ("ann", 1, 1), ("cid", 0, 2))
        self.assertEqual([world.heard(name) for name in ("ann", "bob", "cid")], [ends] * 3)
        self.assertEqual((master.heard(), world.connect().ask(login("dan", "nim"))), ([], [refused(3)]))
        [record] = world.host.journal.restarted().records()
        self.assertEqual(record.table, 1)  # the words may still be on their way
        world.host.wait(10)
        self.assertEqual(world.host.journal.restarted().records(), [])
        entries = world.host.journal.entries[TableId(1)]
        self.assertEqual([entry.notation for entry in entries], [b"", b"0- 1+", b"0+ 2-", b"1+ 2-"])
        self.assertEqual(entries[-1].outcome, "bob won (rules): the championship is over")

    def test_two_of_four_games_are_played_at_once(self) -> None:
        world = PlayedChampionship(4)
        world.players("a1", "b2", "c3", "d4")
        self.assertEqual(world.master().heard(), [begin(2, "a1", "b2"), begin(3, "c3", "d4")])

    def test_who_may_come_in(self) -> None:
        world = PlayedChampionship(2)
        self.assertEqual(world.connect().ask(login("ann", "go"), login("ann")), [refused(2), refused(2)])
        self.assertEqual(world.connect().ask(master_login("go"), master_login("nim", 3, 4)), [refused(2), refused(5)])
        world.players("ann", "bob")
        self.assertEqual(world.connect().ask(login("cid", "nim")), [refused(3)])
        world.clients["bob"].drop()
        world.players("cid")
        self.assertEqual(world.master("NIM", 2, 8).heard(), [begin(2, "ann", "cid")])

    def test_a_void_game_is_played_again_and_counts_for_nobody(self) -> None:
        world = PlayedChampionship(2)
        world.players("ann", "bob")
        master = world.master()
        master.say(state(2, "ann"))
        master.drop()
        world.host.wait(21)
        for client in world.clients.values():
            client.say(thanks(2))
        master = world.master()
        self.assertEqual(master.heard(), [begin(3, "ann", "bob")])
        world.finish(master, 3, {"ann": True, "bob": True})
        self.assertEqual(world.heard("ann"), champions(("ann", 1, 0), ("bob", 1, 0)))

    def test_a_game_that_never_was(self) -> None:
        world = PlayedChampionship(2)
        world.players("ann", "bob")
        master = world.master()
        world.host.wait(30)
        self.assertEqual(master.heard(), [begin(2, "ann", "bob"), begin(3, "ann", "bob")])

    def test_who_is_gone(self) -> None:
        world = PlayedChampionship(4)
        world.players("ann", "bob", "cid", "dan")
        master = world.master()
        for game, nick in ((2, "ann"), (3, "cid")):
            master.say(state(game, nick))
        world.clients["ann"].drop()
        world.clients["cid"].say(leave(3))
        world.clients["bob"].say(thanks(2))
        world.clients["dan"].say(thanks(3))
        self.assertEqual(master.heard()[2:], [left(2, "ann"), left(3, "cid"), begin(4, "bob", "cid")])
        world.finish(master, 4, {"bob": True, "cid": False})
        self.assertEqual(master.heard(), [begin(5, "bob", "dan")])
        world.finish(master, 5, {"bob": True, "dan": False})
        ends = champions(("bob", 3, 0), ("dan", 2, 1), ("cid", 1, 2), ("ann", 0, 3))
        self.assertEqual([world.heard(name) for name in ("bob", "cid", "dan")], [ends] * 3)
        self.assertEqual(world.connect().ask(login("ann", "nim")), [refused(3)])

    def test_all_are_gone(self) -> None:
        world = PlayedChampionship(3)
        world.players("ann", "bob", "cid")
        world.master()
        for client in world.clients.values():
            client.drop()
        notations = {entry.notation for entry in world.host.journal.entries[TableId(1)]}
        self.assertEqual(len(notations), 4)
        world.host.wait(10)
        self.assertEqual(world.host.clock.getDelayedCalls(), [])

    def test_a_restart(self) -> None:
        world = PlayedChampionship(3)
        world.players("ann", "bob", "cid")
        master = world.master()
        world.finish(master, 2, {"ann": True, "bob": False})
        again = PlayedChampionship(3, journal=world.host.journal.restarted())
        self.assertEqual(again.connect().ask(login("dan", "nim")), [refused(3)])
        again.players("cid", "bob")
        master = again.master()
        self.assertEqual(master.heard(), [begin(4, "bob", "cid")])
        again.finish(master, 4, {"bob": True, "cid": False})
        again.host.wait(119)
        self.assertNotIn("championsList", again.heard("cid"))
        again.host.wait(2)
        ends = champions(("ann", 1, 1), ("bob", 1, 1), ("cid", 1, 1))
        self.assertEqual([again.heard(name) for name in ("bob", "cid")], [ends] * 2)
        again.host.lobby.close()
        self.assertEqual(again.host.journal.restarted().records(), [])

    def test_players_who_are_quick(self) -> None:
        """They are there before the record is read: nothing begins before that."""
        world = PlayedChampionship(2)
        world.players("ann", "bob")
        world.master()
        journal = world.host.journal.restarted()
        journal.late = True
        again = PlayedChampionship(2, journal=journal)
        again.players("bob", "ann")
        master = again.master()
        self.assertEqual(master.heard(), [])
        while journal.release():
            again.host.until_idle()
        self.assertEqual(master.heard(), [begin(3, "ann", "bob")])
        self.assertEqual(list(journal.entries), [1, 2, 3])

    def test_tables_of_another_host(self) -> None:
        """A championship that goes on is not disturbed when this host takes over games of another member of a cluster."""
        world = PlayedChampionship(3)
        world.players("ann", "bob", "cid")
        master = world.master()
        world.clients["cid"].drop()
        other = World({"paper-soccer.types": "nim"})
        other.game("eve", "fay")
        journal, left_over = world.host.journal, TableId(99)
        journal.openings[left_over] = other.host.journal.openings[TableId(1)]
        journal.entries[left_over] = other.host.journal.entries[TableId(1)]
        found = [one for one in journal.unfinished() if one.table == left_over]
        timers = len(world.host.clock.getDelayedCalls())
        self.assertEqual(list(world.host.lobby.remote.restore(found)), [])
        self.assertIn("the host was started again", journal.entries[left_over][-1].outcome)
        self.assertEqual(len(world.host.clock.getDelayedCalls()), timers)  # nobody is waited for anew
        world.finish(master, 2, {"ann": True, "bob": False})
        self.assertEqual(world.heard("ann"), champions(("ann", 2, 0), ("bob", 1, 1), ("cid", 0, 2)))

    def test_a_restart_without_it(self) -> None:
        world = PlayedChampionship(2)
        world.players("ann", "bob")
        world.master()
        without = World({"paper-soccer.types": "nim"}, journal=world.host.journal.restarted())
        without.player("ann")
        without.player("bob")
        self.assertEqual(len(without.master().heard()), 1)
        again = PlayedChampionship(2, journal=without.host.journal.restarted())
        again.players("bob", "ann")
        self.assertEqual(again.master().heard(), [begin(4, "ann", "bob")])


class BuiltInTests(SynchronousTestCase):
    def test_a_championship(self) -> None:
        world = PlayedChampionship(3, "paper soccer")
        for nick, game_type in (("ann", "paper soccer"), ("bob", "Paper_Football"), ("cid", "paper-soccer")):
            world.players(nick, game_type=game_type)
        self.assertEqual(world.connect().ask(login("dan"), master_login()), [refused(3), refused(2)])
        for game, (first, second) in ((2, ("ann", "bob")), (3, ("ann", "cid")), (4, ("bob", "cid"))):
            # Chance says in these tests that the second one moves first; a move that the rules forbid loses.
            self.assertIn(f'<gameId id="{game}"/><nextPlayer nick="{second}"/>', world.heard(first))
            world.clients[second].say(message("move", f'<gameId id="{game}"/><move><point x="0" y="2"/></move>'))
            for name in (first, second):
                self.assertIn("gameOver", world.heard(name))
                world.clients[name].say(thanks(game))
        ends = champions(("ann", 2, 0), ("bob", 1, 1), ("cid", 0, 2))
        self.assertEqual([world.heard(name) for name in ("ann", "bob", "cid")], [ends] * 3)

    def test_coming_back(self) -> None:
        """A seat is kept for the grace time, and so is the place in the championship. Then all games are lost."""
        world = PlayedChampionship(3, "paper soccer")
        for nick in ("ann", "bob", "cid"):
            world.players(nick, game_type="paper soccer")
        world.clients["ann"].drop()
        world.host.wait(30)
        world.clients["ann"] = world.connect()
        self.assertIn('<nextPlayer nick="bob"/>', world.clients["ann"].ask(login("ann"))[1])
        world.clients["ann"].drop()
        world.host.wait(61)
        self.assertIn("gameOver", world.heard("bob"))
        world.clients["bob"].say(thanks(2))
        self.assertIn('<gameId id="3"/><nextPlayer nick="cid"/>', world.heard("bob"))
        self.assertEqual(world.connect().ask(login("ann")), [refused(3)])
        for name in ("bob", "cid"):
            world.clients[name].drop()
        world.host.wait(61)
        entries = world.host.journal.entries[TableId(1)]
        self.assertEqual(sorted(entry.notation for entry in entries[1:]), [b"0- 1+", b"0- 2+", b"1- 2-"])


class HostileMasterTests(SynchronousTestCase):
    def results(self, world: PlayedChampionship) -> list[bytes]:
        return [entry.notation for entry in world.host.journal.entries[TableId(1)][1:]]

    def test_it_answers_twice(self) -> None:
        world = PlayedChampionship(3)
        world.players("ann", "bob", "cid")
        master = world.master()
        self.assertEqual(master.heard(), [begin(2, "ann", "bob")])
        master.say(over(2, {"ann": True, "bob": False}), over(2, {"ann": False, "bob": True}))
        world.clients["ann"].say(thanks(2))
        world.clients["bob"].say(thanks(2))
        self.assertEqual(master.heard(), [begin(3, "ann", "cid")])
        master.say(over(2, {"ann": False, "bob": True}), state(2, "bob"))
        self.assertEqual((master.heard(), self.results(world)), ([], [b"0+ 1-"]))

    def test_games_of_others(self) -> None:
        """A result for players of another game, or for a game that was never begun, is refused."""
        world = PlayedChampionship(4)
        world.players("ann", "bob", "cid", "dan")
        master = world.master()
        self.assertEqual(master.heard(), [begin(2, "ann", "bob"), begin(3, "cid", "dan")])
        for said in (over(2, {"cid": True, "dan": False}), over(4, {"ann": True, "bob": False})):
            [answer] = master.ask(said)
            self.assertTrue(is_error(answer))
        self.assertEqual(self.results(world), [])
        world.finish(master, 3, {"cid": True, "dan": False})
        self.assertEqual(self.results(world), [b"2+ 3-"])

    def test_another_master(self) -> None:
        """While there is one, there is no other of the same type. One of another type is never let in."""
        world = PlayedChampionship(2)
        world.players("ann", "bob")
        master = world.master()
        self.assertEqual(world.connect().ask(master_login(), master_login("go")), [refused(4), refused(2)])
        [answer] = master.ask(master_login("go"))
        self.assertTrue(is_error(answer))

    def test_it_is_lost_behind_a_result(self) -> None:
        world = PlayedChampionship(3)
        world.players("ann", "bob", "cid")
        master = world.master()
        master.say(over(2, {"ann": True, "bob": False}))
        master.drop()
        world.clients["ann"].say(thanks(2))
        world.clients["bob"].say(thanks(2))
        self.assertEqual(self.results(world), [b"0+ 1-"])
        self.assertEqual(world.master().heard(), [begin(3, "ann", "cid")])

    def test_a_player_is_lost_behind_a_result(self) -> None:
        world = PlayedChampionship(3)
        world.players("ann", "bob", "cid")
        master = world.master()
        master.say(over(2, {"ann": True, "bob": False}))
        world.clients["ann"].drop()
        world.clients["bob"].say(thanks(2))
        self.assertEqual(self.results(world), [b"0+ 1-", b"0- 2+"])
        self.assertEqual(master.heard()[-1], begin(3, "bob", "cid"))

    def test_it_never_answers(self) -> None:
        world = PlayedChampionship(2)
        world.players("ann", "bob")
        master = world.master()
        for _ in range(3):
            world.host.wait(30)
        world.host.wait(2)
        self.assertTrue(master.closed)
        self.assertEqual(self.results(world), [])
        again = world.master()
        self.assertEqual(again.heard(), [begin(5, "ann", "bob")])
        world.finish(again, 5, {"ann": True, "bob": False})
        self.assertEqual(world.heard("ann"), champions(("ann", 1, 0), ("bob", 0, 1)))


# Championships of hosts that are killed. Hosts in memory are dropped at every single step between a log-in and the last word:
# after each change that is on disk, and after each callback for one. Another host goes on with the same journal.


@define(eq=False)
class HostRun:
    """A host, with players and a master who answer at once. Every run has other results than the one before."""

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
        return self.speak() or self.write()

    def write(self) -> bool:
        if self.journal.unanswered:
            self.journal.release(1)
        elif not self.journal.commit(1):
            return False
        self.world.host.until_idle()
        return True

    def speak(self) -> bool:
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
        """Play with a kill at this step, and one so many steps later. `False`: it was over before."""
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
        kill_at = 1
        while self.play(kill_at, game_type, **more):
            if not more.get("lost"):
                self.assertEqual(self.listed, {"ann", "bob", "cid"}, f"killed at step {kill_at}")
            kill_at += 1
        self.assertGreater(kill_at, 25)

    def test_one_kill(self) -> None:
        self.kill_at_every_step("nim")
        self.kill_at_every_step("nim", loose=True)
        self.kill_at_every_step(BUILT_IN)

    def test_a_player_who_is_lost(self) -> None:
        """The games that such a player does not play are counted before anybody is told how all has ended."""
        self.kill_at_every_step("nim", lost="cid")
        self.kill_at_every_step(BUILT_IN, lost="cid")

    def test_two_kills(self) -> None:
        for again in share((9,), (5, 9, 17)):
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
