"""The lobby: who meets whom, and what the log says of it."""

from typing import Any

from attrs import evolve
from twisted.logger import LogLevel
from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.names import NameRefused
from gamehost.games.onitama.master import ONITAMA
from gamehost.lobby.sessions import Queue
from gamehost.testing import memory_host
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.players import house_host
from tests.kit.reactors import logged
from tests.kit.watching import QuietPlayer
from tests.kit.wires.open import OpenCase, act, line
from tests.lobby.test_house import enter


def starts(client: Client) -> list[str]:
    lines = [line for line in client.heard() if line.startswith("START|")]
    return lines[0].split("|")[1:3] if lines else []


class PairingTests(SynchronousTestCase):
    def test_players_are_paired_in_the_order_they_came(self) -> None:
        ann, bob, carl, dora = MemoryHost().come("ann", "bob", "carl", "dora", wire="onitama")
        self.assertEqual(starts(bob), ["ann", "bob"])
        self.assertEqual(starts(dora), ["carl", "dora"])
        self.assertEqual((starts(ann), starts(carl)), (["ann", "bob"], ["carl", "dora"]))

    def test_who_left_while_waiting_meets_nobody(self) -> None:
        world = MemoryHost()
        [ann] = world.come("ann", wire="onitama")
        ann.drop()
        bob, again = world.come("bob", "ann", wire="onitama")
        self.assertEqual(starts(again), ["bob", "ann"])
        self.assertEqual(starts(bob), ["bob", "ann"])

    def test_nothing_begins_once_the_host_stops(self) -> None:
        """An end that is told then puts players back into the queue on some wires: no table opens, and no timer is set."""
        world = MemoryHost({"stratego.setup_time": "5"})
        red, blue = (world.connect("stratego-lines", address) for address in ("192.0.2.1", "192.0.2.2"))
        red.say("ann", "secret")
        blue.say("bob", "secret")
        world.journal.late = True
        world.wait(5)
        world.lobby.close()
        world.journal.late = False
        world.journal.release()
        self.assertIn("winner none", red.heard())
        self.assertEqual((world.unfinished, world.clock.getDelayedCalls()), ([], []))

    def test_players_who_play_again_queue_up_anew(self) -> None:
        world = MemoryHost({"onitama.max_plies": "1", "onitama.deal": "boar,ox/crab,eel/tiger"})
        ann, bob = world.come("ann", "bob", wire="onitama")
        ann.say("MAKE_MOVE|ox|c1|c2")
        ann.heard()
        bob.heard()
        bob.say("LOGIN|bob")
        ann.say("LOGIN|ann")
        self.assertEqual(starts(ann), ["bob", "ann"])

    def test_settings_that_a_player_requires(self) -> None:
        """They are the table's, in whatever seat the player sits; without such a player the table has the host's."""
        for requiring in ((), ("ann",), ("bob",), ("ann", "bob")):
            world = MemoryHost({"onitama.max_plies": "77"})
            for name in ("ann", "bob"):
                required = {"exchange": "spare"} if name in requiring else {}
                player = QuietPlayer()
                session = world.lobby.enter(name, "onitama", "192.0.2.1", player)
                world.lobby.play(session, Queue(ONITAMA, required=required))
            settings = world.journal.openings[1].settings  # type: ignore[index]
            self.assertEqual(settings.get("exchange"), "spare" if requiring else None)
            self.assertEqual(settings["max_plies"], "77")

    def test_settings_of_the_game_are_journalled_with_the_table(self) -> None:
        world = MemoryHost({"onitama.max_plies": "77"})
        world.come("ann", "bob", wire="onitama")
        self.assertEqual(world.journal.openings[1].settings["max_plies"], "77")  # type: ignore[index]
        again = MemoryHost(journal=world.journal.restarted())
        again.come("ann", wire="onitama")
        [table] = again.lobby.tables.values()
        self.assertEqual(table._master._rules.max_plies, 77)  # type: ignore[attr-defined]

    def test_stopping_is_leaving_for_nobody(self) -> None:
        world = MemoryHost(grace=0, move_time="5")
        ann, bob = world.come("ann", "bob", wire="onitama")
        world.lobby.close()
        ann.drop()
        bob.drop()
        self.assertEqual(world.clock.getDelayedCalls(), [])
        again = MemoryHost(journal=world.journal.restarted())
        self.assertEqual(len(again.unfinished), 1)
        self.assertEqual(starts(ann), ["ann", "bob"])

    def test_games_that_are_not_played_here_stay_in_the_journal(self) -> None:
        """Another version of the rules, or another game, keeps its table out and the host up."""
        world = MemoryHost()
        world.come("ann", "bob", wire="onitama")
        journal = world.journal.restarted()
        opening = journal.openings[1]  # type: ignore[index]
        for other in (evolve(opening, version=99), evolve(opening, game="chess")):
            journal.openings[1] = other  # type: ignore[index]
            again = MemoryHost(journal=journal)
            self.assertEqual(again.unfinished, [])
            self.assertEqual(len(journal.records()), 1)


class KeptSeatTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.world = MemoryHost({"onitama.deal": "boar,ox/crab,eel/tiger"})
        self.ann, self.bob = (self.world.connect("onitama", address) for address in ("192.0.2.1", "192.0.2.2"))
        self.ann.say("LOGIN|ann")
        self.bob.say("LOGIN|bob")
        self.ann.say("MAKE_MOVE|ox|c1|c2")
        self.ann.drop()

    def refused(self, address: str = "192.0.2.1") -> NameRefused:
        refusal = self.assertRaises(NameRefused, self.world.lobby.enter, "ann", "paper-soccer", address, None)
        assert isinstance(refusal, NameRefused)
        return refusal

    def test_the_owner_is_told_where_the_seat_is_kept(self) -> None:
        self.assertEqual(str(self.refused()), "your seat at Onitama table 1 on the wire onitama is kept for 1 min")
        self.bob.drop()
        self.assertIn("is kept for 24 h", str(self.refused()))
        stranger = self.refused("192.0.2.3")
        self.assertEqual(str(stranger), "a seat is kept under this name, and cannot be taken back from here")
        self.assertIsNone(stranger.kept)

    def test_the_owner_gives_it_up(self) -> None:
        self.bob.heard()
        self.world.lobby.give_up(self.refused().kept)
        self.assertEqual(self.bob.heard()[-1], "GAME_OVER|bob")
        self.assertEqual(self.world.unfinished, [])
        self.world.connect("onitama", "192.0.2.9").say("LOGIN|ann")

    def test_the_owner_gives_up_a_seat_at_a_table_that_everybody_has_left(self) -> None:
        self.bob.drop()
        self.world.lobby.give_up(self.refused().kept)
        self.assertEqual(self.world.unfinished, [])
        self.assertEqual(len(self.world.lobby.registry), 0)
        self.assertEqual(self.world.clock.getDelayedCalls(), [])

    def test_a_seat_that_was_taken_back_is_not_given_up(self) -> None:
        kept = self.refused().kept
        self.world.connect("onitama", "192.0.2.1").say("LOGIN|ann")
        self.world.lobby.give_up(kept)
        self.assertEqual(self.world.unfinished, [1])


class ClosingTests(SynchronousTestCase):
    def test_nobody_is_free_before_the_journal_has_the_end(self) -> None:
        world = MemoryHost()
        clients = [world.connect("onitama", f"192.0.2.{number}") for number in (1, 2)]
        for client, name in zip(clients, ("ann", "bob"), strict=True):
            client.say(f"LOGIN|{name}")
        world.journal.late = True
        for client in clients:
            client.drop()
        ann = world.connect("onitama", "192.0.2.1")
        self.assertEqual(ann.ask("LOGIN|ann"), ["ERROR|your last match is being closed: log in again in a moment"])
        world.journal.release()
        self.assertEqual(ann.ask("LOGIN|ann"), ["WAITING|ann"])


class ClosedGameTests(OpenCase):
    """A game that is closed because of its faults; the others go on."""

    def setUp(self) -> None:
        self.world = MemoryHost({"toy.goal": "5"})
        self.lobby = self.world.lobby

    def test_who_waits_is_told(self) -> None:
        """In the queue. A table that lasts waits until the game is opened again."""
        waits, at_table = enter(self.world, "ann"), enter(self.world, "bob")
        waits.send(line(do="seek", game="onitama"))
        at_table.send(line(do="seek", game="onitama", private=True))
        self.told(waits), self.told(at_table)
        self.lobby.close_game("onitama", "onitama is closed")
        self.assertIn("onitama is closed", str(self.told(waits)))
        self.assertEqual(self.told(at_table), [])

    def test_no_match_of_it_begins(self) -> None:
        self.world.come("ann", "bob", wire="onitama")
        self.lobby.close_game("onitama", "onitama is closed")
        cid = enter(self.world, "cid")
        for asked in ({}, {"private": True}, {"house": "easy"}):
            self.assertEqual(self.ask(cid, do="seek", game="onitama", **asked)[0]["why"], "onitama is closed")
        [dora] = self.world.come("dora", wire="onitama")
        self.assertIn("onitama is closed", str(dora.heard()))
        self.assertEqual(self.ask(cid, do="seek", game="stratego")[0]["is"], "seeking")
        self.assertEqual(len(self.lobby.tables), 1, "a match that has begun goes on")

    def test_it_is_opened_again(self) -> None:
        self.lobby.close_game("remote", "closed")
        self.lobby.close_game("onitama", "closed")
        self.assertTrue(self.lobby.open_game("remote") and self.lobby.open_game("onitama"))
        self.assertFalse(self.lobby.open_game("onitama"))
        self.assertEqual(self.ask(enter(self.world, "cid"), do="seek", game="onitama")[0]["is"], "seeking")


class LogTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.lines = logged(self)
        self.world = MemoryHost({"onitama.max_plies": "2", "onitama.deal": "boar,ox/crab,eel/tiger"})

    def logged(self) -> list[str]:
        lines = self.lines.of(LogLevel.info)
        self.lines.events.clear()
        return lines

    def seated(self) -> tuple[Client, Client]:
        ann, bob = self.world.come("ann", "bob", wire="onitama")
        return ann, bob

    def test_log_ins_and_the_begin_of_a_game(self) -> None:
        self.seated()
        self.assertEqual(
            self.logged(),
            [
                "log-in: ann on onitama from '192.0.2.1' as a guest",
                "log-in: bob on onitama from '192.0.2.1' as a guest",
                "table 1: onitama begins: ann (onitama), bob (onitama)",
            ],
        )

    def test_moves_are_not_logged_and_the_end_is(self) -> None:
        ann, bob = self.seated()
        self.logged()
        ann.say("MAKE_MOVE|ox|c1|c2")
        self.assertEqual(self.logged(), [])
        bob.say("MAKE_MOVE|crab|a5|a4")
        line, *_ = self.logged()
        self.assertRegex(line, r"^table 1: onitama is over: nobody won \(")

    def test_lost_connection_and_the_way_back(self) -> None:
        ann, _ = self.seated()
        self.logged()
        ann.drop()
        self.world.connect().say("LOGIN|ann")
        self.assertEqual(
            self.logged(),
            [
                "disconnected: ann on onitama, seated at table 1",
                "log-in: ann on onitama from '192.0.2.1' as a guest, seated at table 1",
            ],
        )

    def test_log_out(self) -> None:
        ann = self.world.connect()
        ann.say("LOGIN|ann")
        self.logged()
        ann.drop()
        self.assertEqual(self.logged()[0], "log-out: ann on onitama")

    def test_account(self) -> None:
        for _ in range(2):
            self.world.connect("stratego-lines").say("carl", "hunter2")
        self.assertNotIn("hunter2", repr(self.lines.events))
        lines = self.logged()
        self.assertEqual(lines[0], "log-in: carl on stratego-lines from '192.0.2.1' as an account")
        self.assertIn("log-in: carl on stratego-lines from '192.0.2.1' as an account that was connected already", lines)

    def test_deserted_table(self) -> None:
        ann, bob = self.seated()
        ann.say("MAKE_MOVE|ox|c1|c2")
        ann.drop()
        bob.drop()
        self.logged()
        self.world.wait(86_401)
        self.assertEqual(self.logged(), ["table 1: onitama is over: archived unfinished; nobody is there"])

    def test_refused_guest(self) -> None:
        """The wire, the address and the reason; not the name, which may be a password that was mistyped."""
        self.world.connect().say("LOGIN|hunter2\x1b", "LOGIN|ann")
        other = self.world.connect()
        self.logged()
        other.say("LOGIN|ann")
        [line] = self.logged()
        self.assertEqual(line, "log-in refused: on onitama from '192.0.2.1': this name is in use")
        self.assertNotIn("hunter2", repr(self.lines.events))
        self.assertEqual(
            self.world.lobby.log_ins.counts, {("onitama", "guest", "refused"): 2, ("onitama", "guest", "accepted"): 1}
        )

    def test_refused_account(self) -> None:
        self.world.connect("stratego-lines").say("carl", "hunter2")
        self.logged()
        self.world.connect("stratego-lines").say("carl", "hunter3")
        self.assertIn("log-in refused: on stratego-lines from '192.0.2.1': wrong password", self.logged())
        self.world.connect("stratego-lines").say("carl", "hunter2")
        self.assertNotIn("hunter", repr(self.lines.events))
        counts = self.world.lobby.log_ins.counts
        for result in ("accepted", "refused", "replaced"):
            self.assertEqual(counts["stratego-lines", "account", result], 1, result)

    def test_refused_by_a_busy_host(self) -> None:
        self.world.lobby.closed = "planted"
        self.world.connect().say("LOGIN|ann")
        self.world.connect("stratego-lines").say("carl", "hunter2")
        found = [line for line in self.logged() if line.startswith("log-in refused") and line.endswith(": planted")]
        self.assertEqual(len(found), 2)


class PrintedTests(SynchronousTestCase):
    def test_tables_are_short(self) -> None:
        host = MemoryHost()
        for name in ("ann", "bob"):
            host.connect("onitama").say(f"LOGIN|{name}")
        self.assertEqual(len(host.lobby.tables), 1)
        self.assertLess(len(repr(host.lobby.tables)), 3000)


# Rematches: who is asked, and what each hears if the other one does not come.


class RematchTests(OpenCase):
    def over(self, **more: Any) -> tuple[memory_host.MemoryHost, Client, Client]:
        host = self.host(**more)
        ann, bob, _ = self.matched(host)
        ann.send(act("ox c1 c2"))
        ann.send(line(do="leave"))
        bob.heard()
        self.assertEqual(self.ask(ann, do="rematch")[-1]["is"], "seeking")
        self.assertEqual(self.told(bob), [{"is": "rematch", "table": 1, "name": "ann"}])
        return host, ann, bob

    def test_who_asked_is_gone(self) -> None:
        for going in (lambda client: client.send(line(do="stop")), lambda client: client.drop()):
            _, ann, bob = self.over()
            going(ann)
            self.assertEqual(self.told(bob), [{"is": "rematch", "table": 1, "name": "ann", "on": False}])
        self.assertEqual(self.ask(bob, do="rematch")[-1]["why"], "ann is not here any more")

    def test_a_rematch_for_which_nobody_comes_is_closed(self) -> None:
        host, ann, bob = self.over()
        host.wait(600)
        self.assertEqual(self.told(ann), [{"is": "stopped", "why": "nobody came in time"}])
        self.assertEqual(self.told(bob), [{"is": "rematch", "table": 1, "name": "ann", "on": False}])

    def test_who_waits_for_somebody_who_is_gone_can_do_something_else(self) -> None:
        _, ann, bob = self.over()
        bob.drop()
        self.assertEqual(self.told(ann), [{"is": "stopped", "why": "bob is not here any more"}])
        host, ann, bob = self.over()
        cid, _ = self.enter(host, "cid")
        for client in (cid, bob):
            client.send(line(do="seek", game="onitama"))
        self.assertEqual(self.told(ann), [{"is": "stopped", "why": "bob plays another match"}])
        self.assertEqual(self.ask(ann, do="seek", game="onitama")[-1]["is"], "seeking")

    def test_a_house_player_always_wants_to(self) -> None:
        host, programs = house_host()
        ann = enter(host, "ann")
        ann.send(line(do="seek", game="onitama", house="easy", seat="first"))
        self.assertEqual(self.told(ann)[0]["names"], ["ann", "easy.1"])
        ann.send(line(do="leave"))
        ann.send(line(do="rematch"))
        seated = [one for one in self.told(ann) if one["is"] == "seated"]
        self.assertEqual([(one["seat"], one["names"][0][:4]) for one in seated], [(1, "easy")])
        self.assertEqual(len(programs.called), 2)


del OpenCase
