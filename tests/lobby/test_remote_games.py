"""Remote games: types, masters, players who leave, and masters that are lost."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import EntryKind, TableId
from gamehost.lobby.remote_game import RemoteLimits
from gamehost.lobby.remote_games import KNOWN
from tests.kit.journals import RecordingJournal
from tests.kit.wires.paper_soccer_talk import login
from tests.kit.wires.remote_talk import (
    ACCEPTED,
    World,
    begin,
    is_error,
    leave,
    left,
    master_login,
    move,
    over,
    state,
    thanks,
)

HEAP = '<heap left="7"/>'


class PoolTests(SynchronousTestCase):
    def test_players_wait_for_a_master(self) -> None:
        world = World({"paper-soccer.types": "nim,go"})
        players = [world.player(name) for name in ("ann", "bob", "cid")]
        other = world.player("dan", "go")
        self.assertEqual([player.heard() for player in players], [[], [], []])
        master = world.master("NIM")
        self.assertEqual(master.heard(), [begin(1, "ann", "bob")])
        self.assertEqual(other.heard(), [])

    def test_as_many_as_there_are(self) -> None:
        world = World({"paper-soccer.types": "*"})
        for name in ("a1", "b2", "c3", "d4", "e5", "f6"):
            world.player(name)
        self.assertEqual(world.master("nim", 2, 3).heard(), [begin(1, "a1", "b2", "c3"), begin(2, "d4", "e5", "f6")])

    def test_as_soon_as_there_are_enough(self) -> None:
        world = World()
        master = world.master("nim", 2, 3)
        for name in ("a1", "b2", "c3"):
            world.player(name)
        self.assertEqual(master.heard(), [begin(1, "a1", "b2")])

    def test_a_master_with_enough_games_gets_no_more(self) -> None:
        world = World()
        world.host.lobby.remote.limits = RemoteLimits(games=1)
        master = world.master()
        players = [world.player(name) for name in ("a1", "b2", "c3", "d4")]
        self.assertEqual(master.heard(), [begin(1, "a1", "b2")])
        master.say(state(1, "a1"))
        players[0].say(leave(1))
        self.assertEqual(master.heard(), [left(1, "a1"), begin(2, "c3", "d4")])

    def test_who_leaves_the_pool(self) -> None:
        """By a log-out, a lost connection, or a log-in for something else."""
        world = World()
        for leaving in ('<message type="logout"/>', "", login("eve", "paper soccer")):
            world = World({"paper-soccer.types": "nim"})
            ann = world.player("ann")
            ann.say(leaving) if leaving else ann.drop()
            master = world.master()
            world.player("bob")
            self.assertEqual(master.heard(), [])
            world.player("ann")
            self.assertEqual(master.heard(), [begin(1, "bob", "ann")])

    def test_who_leaves_before_it_is_durable(self) -> None:
        """The game never was: the other one waits in front of all others."""
        for leaving in ('<message type="logout"/>', ""):
            journal = RecordingJournal(late=True)
            world = World(journal=journal)
            master = world.master()
            ann, bob = world.player("ann"), world.player("bob")
            cid = world.player("cid")
            ann.say(leaving) if leaving else ann.drop()
            while journal.release():
                world.host.until_idle()
            self.assertEqual(master.heard(), [begin(1, "ann", "bob"), left(1, "ann"), begin(2, "bob", "cid")])
            self.assertEqual((bob.heard(), cid.heard()), ([], []))

    def test_all_wait_while_the_host_lets_no_table_begin(self) -> None:
        world = World()
        master = world.master()
        world.host.lobby.no_room = "the disk is nearly full"
        self.assertIn('accept="no"', world.connect().ask(login("ann", "nim"))[0])
        world.host.lobby.no_room = None
        world.player("ann")
        world.player("bob")
        self.assertEqual(master.heard(), [begin(1, "ann", "bob")])

    def test_types_are_forgotten(self) -> None:
        games = World().host.lobby.remote
        for number in range(KNOWN + 10):
            games.type_of(f"t{number}")
        self.assertEqual(len(games.types), KNOWN)
        self.assertTrue(games.knows(f"T{KNOWN + 9}"))
        self.assertFalse(games.knows("t0"))


class GameTests(SynchronousTestCase):
    def test_moves_and_states(self) -> None:
        master, (ann, bob) = World().game("ann", "bob")
        self.assertEqual(ann.ask(move(1, "<a/> x")), [])
        self.assertEqual((bob.heard(), master.heard()), ([], [move(1, "<a/> x")]))
        master.say(state(1, "bob", HEAP))
        self.assertEqual((ann.heard(), bob.heard()), ([state(1, "bob", HEAP)], [state(1, "bob", HEAP)]))
        bob.say(move(1, ""))
        self.assertEqual(master.heard(), [move(1, "")])
        results = {"bob": True, "ann": True}
        self.assertEqual(master.ask(over(1, results, "x")), [])
        self.assertEqual((ann.heard(), bob.heard()), ([over(1, results, "x")], [over(1, results, "x")]))

    def test_the_master_hears_of_no_refused_move(self) -> None:
        world = World()
        master, (ann, bob) = world.game("ann", "bob")
        for player, wrong in ((bob, move(1)), (ann, move(2)), (ann, move("1.1")), (ann, thanks(1))):
            self.assertEqual([is_error(line) for line in player.ask(wrong)], [True], wrong)
        self.assertEqual(ann.ask(move(1)), [])
        self.assertTrue(is_error(ann.ask(move(1))[0]))
        self.assertEqual(master.heard(), [move(1)])
        cid, _ = world.player("cid"), world.player("dan")
        self.assertTrue(is_error(cid.ask(move(2))[0]))
        self.assertEqual(master.heard(), [begin(2, "cid", "dan")])

    def test_refused_states(self) -> None:
        world = World()
        master, (ann, bob, _) = world.game("ann", "bob", "cid")
        world.host.robots.clear()
        bob.drop()
        master.heard(), ann.heard()
        for wrong in (
            state(1, "eve"),
            state(1, "bob"),
            over(1, {"ann": True}),
            over(1, {"ann": True, "bob": False, "cid": False}),
            over(1, {"ann": True, "ann ": False}),
            left(1, "bob"),
            left(1, "eve"),
            *(state(number, "ann") for number in (2, 0, -1, "01", "1.0", "1.1", "1.2", "x", "")),
        ):
            answer = master.ask(wrong)
            self.assertEqual([is_error(line) for line in answer], [True], wrong)
            self.assertEqual(ann.heard(), [], wrong)
        master.say(state(1, "ann"))
        self.assertEqual(ann.heard(), [state(1, "ann")])

    def test_a_state_for_a_game_that_is_over(self) -> None:
        master, (ann, _) = World().game("ann", "bob")
        ann.drop()
        self.assertEqual(master.heard(), [left(1, "ann")])
        self.assertEqual(master.ask(state(1, "bob"), left(1, "bob")), [])

    def test_states_unasked(self) -> None:
        master, (ann, bob) = World().game("ann", "bob")
        master.say(state(1, "bob", "1"), state(1, "ann", "2"), state(1, "bob", "3"))
        self.assertEqual(len(ann.heard()), 3)
        self.assertTrue(is_error(ann.ask(move(1))[0]))
        self.assertEqual(bob.ask(move(1))[3:], [])
        self.assertEqual(master.heard(), [move(1)])

    def test_many_games_at_once(self) -> None:
        world = World()
        master = world.master()
        players = [world.player(f"p{number}") for number in range(128)]
        self.assertEqual(len(master.heard()), 64)
        master.say(*(state(number, f"p{2 * number - 2}") for number in reversed(range(1, 65))))
        for number, player in enumerate(players):
            self.assertEqual(player.heard(), [state(number // 2 + 1, f"p{number // 2 * 2}")])

    def test_one_game_after_the_other(self) -> None:
        world = World()
        master, (ann, bob) = world.game("ann", "bob")
        cid = world.player("cid")
        master.say(over(1, {"ann": True, "bob": False}))
        self.assertEqual(ann.heard(), [over(1, {"ann": True, "bob": False})])
        self.assertEqual(ann.ask(move(1), thanks(1)), [])
        self.assertEqual(master.heard(), [begin(2, "cid", "ann")])
        self.assertEqual(bob.heard(), [over(1, {"ann": True, "bob": False})])
        self.assertEqual(bob.ask(thanks(99)), [])
        master.say(state(2, "cid"))
        self.assertEqual((cid.heard(), ann.heard(), bob.heard()), ([state(2, "cid")], [state(2, "cid")], []))

    def test_who_gives_no_thanks_is_outside_after_the_grace_time(self) -> None:
        world = World()
        master, (_, bob) = world.game("ann", "bob")
        master.say(over(1, {"ann": True, "bob": False}))
        world.host.wait(60.1)
        self.assertEqual(len(world.host.lobby.registry), 0)
        bob.heard()
        self.assertEqual(bob.ask(login("ann", "nim")), [ACCEPTED])


class RestartTests(SynchronousTestCase):
    def test_games_are_closed(self) -> None:
        world = World()
        master, (ann, _) = world.game("ann", "bob")
        ann.say(move(1, "{ "))
        journal = world.host.journal.restarted()
        again = World(journal=journal)
        self.assertEqual(again.outcomes, ["nobody won (left): the host was started again"])
        kinds = [entry.kind for entry in journal.entries[TableId(1)]]
        self.assertEqual(kinds[1:], [EntryKind.ACTED, EntryKind.ACTED, EntryKind.FORFEITED])
        self.assertEqual((again.host.unfinished, journal.restarted().records()), ([], []))
        master = again.master()
        again.player("ann"), again.player("bob")
        self.assertEqual(master.heard(), [begin(2, "ann", "bob")])

    def test_a_game_that_has_ended(self) -> None:
        world = World()
        master, _ = world.game("ann", "bob")
        world.host.journal.late = True
        master.say(over(1, {"ann": True, "bob": False}))
        again = World(journal=world.host.journal.restarted())
        again.host.journal.release()
        self.assertEqual(again.outcomes, ["ann won (rules): as the master says"])
        self.assertEqual(again.host.journal.restarted().records(), [])

    def test_a_game_that_has_not_begun(self) -> None:
        world = World(journal=RecordingJournal(late=True))
        world.master()
        world.player("ann"), world.player("bob")
        journal = world.host.journal
        journal.entries[TableId(1)].clear()
        again = World(journal=journal.restarted())
        again.host.journal.release()
        self.assertEqual([entry.kind for entry in again.host.journal.entries[TableId(1)]], [EntryKind.ARCHIVED])

    def test_the_host_stops(self) -> None:
        world = World()
        master, (ann, bob) = world.game("ann", "bob")
        world.host.lobby.close()
        world.host.factories["paper-soccer"].close("the host is stopping")
        for client in (master, ann, bob):
            self.assertEqual(client.heard(), ['<message type="serverShutdown"/>'])
        world.host.wait(100)
        self.assertEqual((world.outcomes, world.host.clock.getDelayedCalls()), ([""], []))


class LeavingTests(SynchronousTestCase):
    def test_one_of_two(self) -> None:
        for leaving in (leave(1), '<message type="logout"/>', '<message type="leaveGame"/>', ""):
            world = World()
            master, (ann, bob) = world.game("ann", "bob")
            ann.say(leaving) if leaving else ann.drop()
            self.assertEqual(ann.heard(), [])
            self.assertEqual(bob.heard(), [over(1, {"ann": False, "bob": True})])
            self.assertEqual(master.heard(), [left(1, "ann")])
            self.assertEqual(world.outcomes, ["bob won (left): the others have left"])

    def test_who_leaves_a_game_waits_for_the_next_one(self) -> None:
        world = World()
        master, (ann, bob) = world.game("ann", "bob")
        ann.say(leave(1))
        bob.say(thanks(1))
        self.assertEqual(master.heard(), [left(1, "ann"), begin(2, "ann", "bob")])
        ann.say('<message type="logout"/>')
        self.assertEqual(master.heard(), [left(2, "ann")])
        self.assertIsNone(world.host.lobby.registry.get("ann"))

    def test_one_of_three(self) -> None:
        master, (ann, bob, cid) = World().game("ann", "bob", "cid")
        cid.drop()
        self.assertEqual(master.heard(), [left(1, "cid")])
        self.assertEqual((ann.heard(), bob.heard()), ([], []))
        ann.say(move(1))
        master.say(state(1, "bob"))
        bob.drop()
        self.assertEqual(ann.heard(), [state(1, "bob"), over(1, {"ann": True, "bob": False, "cid": False})])

    def test_the_turn_is_open(self) -> None:
        """If the master does not say whose turn it is now, the rest have won."""
        world = World()
        master, (ann, bob, cid) = world.game("ann", "bob", "cid")
        ann.drop()
        world.host.wait(29.9)
        self.assertEqual((bob.heard(), master.heard()), ([], [left(1, "ann")]))
        world.host.wait(0.2)
        results = {"ann": False, "bob": True, "cid": True}
        self.assertEqual((bob.heard(), cid.heard()), ([over(1, results)], [over(1, results)]))
        self.assertFalse(master.closed)

    def test_the_master_may_put_a_player_out(self) -> None:
        world = World()
        master, (ann, bob, cid) = world.game("ann", "bob", "cid")
        self.assertEqual(master.ask(left(1, "bob")), [left(1, "bob")])
        self.assertEqual((bob.heard(), ann.heard()), ([over(1, {"bob": False})], []))
        self.assertEqual(bob.ask(thanks(1)), [])
        ann.say(move(1))
        self.assertEqual(master.heard(), [move(1)])
        master.say(state(1, "cid"))
        self.assertEqual(bob.heard(), [])
        self.assertEqual(master.ask(left(1, "cid")), [left(1, "cid")])
        ends = over(1, {"ann": True, "bob": False, "cid": False})
        self.assertEqual((ann.heard()[-1], cid.heard()[-1], bob.heard()), (ends, ends, []))

    def test_too_slow(self) -> None:
        world = World({"remote.move_time": "5"})
        master, (ann, bob) = world.game("ann", "bob")
        world.host.wait(5.1)
        ends = over(1, {"ann": False, "bob": True})
        self.assertEqual((ann.heard(), bob.heard(), master.heard()), ([ends], [ends], [left(1, "ann")]))

    def test_two_who_leave_at_once_make_one_end(self) -> None:
        world = World(journal=RecordingJournal())
        master, (ann, bob) = world.game("ann", "bob")
        world.host.journal.late = True
        ann.drop()
        bob.drop()
        while world.host.journal.release():
            world.host.until_idle()
        self.assertEqual((master.heard(), len(world.outcomes)), ([left(1, "ann")], 1))

    def test_a_move_on_its_way(self) -> None:
        world = World()
        master, (ann, bob) = world.game("ann", "bob")
        world.host.journal.late = True
        ann.say(move(1))
        ann.drop()
        self.assertEqual(master.heard(), [])
        while world.host.journal.release():
            world.host.until_idle()
        self.assertEqual(master.heard(), [move(1), left(1, "ann")])
        self.assertEqual(bob.heard(), [over(1, {"ann": False, "bob": True})])

    def test_quiet(self) -> None:
        """Some masters hang up on a message that they do not know."""
        master, (ann, bob) = World({"paper-soccer.left": "quiet"}).game("ann", "bob")
        ann.drop()
        self.assertEqual((bob.heard(), master.heard()), ([over(1, {"ann": False, "bob": True})], []))

    def test_a_game_left_before_the_first_state_never_was(self) -> None:
        world = World()
        master = world.master()
        ann, bob, cid = (world.player(name) for name in ("ann", "bob", "cid"))
        self.assertEqual(master.heard(), [begin(1, "ann", "bob")])
        ann.say(leave(1))
        self.assertEqual(master.heard(), [left(1, "ann"), begin(2, "bob", "cid")])
        self.assertEqual((ann.heard(), bob.heard(), cid.heard()), ([], [], []))
        self.assertTrue(is_error(bob.ask(move(2))[0]))
        master.say(left(2, "cid"))
        self.assertEqual(master.heard(), [left(2, "cid"), begin(3, "bob", "cid")])


class MasterTests(SynchronousTestCase):
    def test_it_never_answers(self) -> None:
        """The game is void: all have lost, nobody has won, and the connections stay."""
        world = World()
        master, (ann, bob) = world.game("ann", "bob")
        ann.say(move(1))
        world.host.wait(29.9)
        self.assertEqual(ann.heard(), [])
        world.host.wait(0.2)
        void = over(1, {"ann": False, "bob": False})
        self.assertEqual((ann.heard(), bob.heard(), master.heard()), ([void], [void], [move(1)]))
        self.assertEqual(world.outcomes, ["nobody won (time): the master has not answered"])
        self.assertEqual(master.ask(state(1, "bob")), [])

    def test_three_games_without_an_answer(self) -> None:
        """Then it is hung up on. Its players were never told of a game, and wait."""
        world = World()
        master = world.master()
        ann, bob = world.player("ann"), world.player("bob")
        world.host.wait(30)
        world.host.wait(30)
        self.assertFalse(master.closed)
        self.assertEqual(master.heard(), [begin(number, "ann", "bob") for number in (1, 2, 3)])
        world.host.wait(30)
        self.assertIn("3 games in a row", master.heard()[-1])
        world.host.wait(2)
        self.assertTrue(master.closed)
        self.assertEqual((ann.heard(), bob.heard()), ([], []))
        self.assertEqual(world.master().heard(), [begin(4, "ann", "bob")])

    def test_three_games_without_an_answer_count_in_a_row_only(self) -> None:
        world = World()
        master = world.master()
        ann, bob = world.player("ann"), world.player("bob")
        for number in range(1, 7):
            if number % 2:
                world.host.wait(30)
            else:
                master.say(over(number, {"ann": True, "bob": False}))
                ann.say(thanks(number))
                bob.say(thanks(number))
        self.assertFalse(master.closed)

    def test_it_is_lost_and_comes_back(self) -> None:
        world = World()
        master, (ann, bob) = world.game("ann", "bob")
        ann.say(move(1, "1"))
        master.say(state(1, "bob", "2"))
        ann.heard(), bob.heard()
        master.drop()
        self.assertEqual(bob.ask(move(1, "3")), [])
        self.assertTrue(is_error(bob.ask(move(1, "4"))[0]))
        world.host.wait(19.9)
        second = world.master()
        self.assertEqual(second.heard(), [begin("1.2", "ann", "bob")])
        self.assertEqual(second.ask(state("1.2", "ann")), [move("1.2", "1")])
        self.assertEqual(second.ask(state(1, "bob", "2")), [])
        self.assertEqual(second.ask(state("1.2", "bob", "2")), [move("1.2", "3")])
        self.assertEqual((ann.heard(), bob.heard()), ([], []))
        second.say(state("1.2", "ann", "5"))
        self.assertEqual((ann.heard(), bob.heard()), ([state(1, "ann", "5")], [state(1, "ann", "5")]))
        second.drop()
        third = world.master()
        self.assertEqual(third.heard(), [begin("1.3", "ann", "bob")])
        self.assertEqual(third.ask(state("1.2", "ann")), [])
        self.assertEqual(third.ask(state("1.3", "ann")), [move("1.3", "1")])

    def test_other_states(self) -> None:
        """A master with luck of its own cannot go on: the game is void."""
        for wrong in (state("1.2", "bob"), state("1.2", "ann", "other"), over("1.2", {"ann": True, "bob": False})):
            world = World()
            master, (ann, bob) = world.game("ann", "bob")
            master.drop()
            second = world.master()
            second.say(wrong)
            void = over(1, {"ann": False, "bob": False})
            self.assertEqual((ann.heard(), bob.heard()), ([void], [void]))
            self.assertFalse(second.closed)

    def test_it_does_not_come_back(self) -> None:
        world = World()
        master, (ann, bob) = world.game("ann", "bob")
        master.say('<message type="logout"/>')
        world.host.wait(19.9)
        self.assertTrue(master.closed)
        self.assertEqual((ann.heard(), bob.heard()), ([], []))
        world.host.wait(0.2)
        void = over(1, {"ann": False, "bob": False})
        self.assertEqual((ann.heard(), bob.heard()), ([void], [void]))
        ann.say(thanks(1))
        bob.say(thanks(1))
        self.assertEqual(world.master().heard(), [begin(2, "ann", "bob")])

    def test_a_game_whose_master_dies_before_the_first_state_never_was(self) -> None:
        world = World()
        master = world.master()
        ann, bob = world.player("ann"), world.player("bob")
        master.drop()
        second = world.master()
        self.assertEqual(second.heard(), [begin("1.2", "ann", "bob")])
        second.drop()
        world.host.wait(20.1)
        self.assertEqual((ann.heard(), bob.heard()), ([], []))
        self.assertEqual(world.master().heard(), [begin(2, "ann", "bob")])

    def test_it_dies_before_the_game_is_durable(self) -> None:
        """Whoever is master then is told of it first."""
        journal = RecordingJournal(late=True)
        world = World(journal=journal)
        master = world.master()
        world.player("ann"), world.player("bob")
        master.drop()
        while journal.release():
            world.host.until_idle()
        self.assertEqual(world.master().heard(), [begin(1, "ann", "bob")])

    def test_a_game_whose_master_dies_again_is_rebuilt_again(self) -> None:
        world = World()
        master, (ann, bob) = world.game("ann", "bob")
        ann.say(move(1, "1"))
        master.say(state(1, "bob", "2"))
        master.drop()
        second = world.master()
        second.say(state("1.2", "ann"))
        second.drop()
        third = world.master()
        told = third.ask(state("1.3", "ann"), state("1.3", "bob", "2"))
        self.assertEqual(told, [move("1.3", "1")])
        bob.heard()
        self.assertEqual(bob.ask(move(1)), [])
        self.assertEqual(third.heard(), [move("1.3")])

    def test_a_game_that_is_not_rebuilt_in_time_is_void(self) -> None:
        world = World()
        master, (ann, _) = world.game("ann", "bob")
        master.drop()
        world.master()
        world.host.wait(29.9)
        self.assertEqual(ann.heard(), [])
        world.host.wait(0.2)
        self.assertEqual(ann.heard(), [over(1, {"ann": False, "bob": False})])

    def test_players_clocks_stand_still(self) -> None:
        world = World({"remote.move_time": "5"})
        master, (ann, _) = world.game("ann", "bob")
        world.host.wait(4)
        master.drop()
        world.host.wait(15)
        second = world.master()
        world.host.wait(15)
        second.say(state("1.2", "ann"))
        world.host.wait(0.9)
        self.assertEqual(ann.heard(), [])
        world.host.wait(0.2)
        self.assertEqual(ann.heard(), [over(1, {"ann": False, "bob": True})])

    def test_a_player_leaves_without_a_master(self) -> None:
        world = World()
        master, (ann, bob, cid) = world.game("ann", "bob", "cid")
        ann.say(move(1, "1"))
        master.say(state(1, "bob", "2"))
        master.drop()
        bob.drop()
        second = world.master("nim", 3, 3)
        self.assertEqual(
            second.ask(state("1.2", "ann"), state("1.2", "bob", "2")),
            [move("1.2", "1"), left("1.2", "bob")],
        )
        ann.heard(), cid.heard()
        second.say(state("1.2", "cid", "3"))
        self.assertEqual((ann.heard(), cid.heard()), ([state(1, "cid", "3")], [state(1, "cid", "3")]))
        second.drop()
        cid.drop()
        self.assertEqual(ann.heard(), [over(1, {"ann": True, "bob": False, "cid": False})])

    def test_a_player_put_out_is_put_out_again(self) -> None:
        """A master repeats what it did; that is read over."""
        world = World()
        master, (ann, bob, _) = world.game("ann", "bob", "cid")
        ann.say(move(1))
        master.say(left(1, "cid"), state(1, "bob"))
        master.drop()
        second = world.master("nim", 3, 3)
        self.assertEqual(
            second.ask(state("1.2", "ann"), left("1.2", "cid"), state("1.2", "bob")),
            [move("1.2"), left("1.2", "cid")],
        )
        bob.heard()
        self.assertEqual((bob.ask(move(1)), second.heard()), ([], [move("1.2")]))

    def test_how_many_masters(self) -> None:
        """One for each type, eight from one address, and 64 in all."""
        world = World()
        world.host.lobby.remote.limits = RemoteLimits(masters=9)
        masters = [world.master(f"t{number}") for number in range(8)]
        ninth = world.connect()
        self.assertIn('<error id="4">this type', ninth.ask(master_login("t0"))[0])
        ninth.protocol.address = "192.0.2.200"
        self.assertIn('<error id="3">', ninth.ask(master_login("t8"))[0])
        other, tenth = world.connect(), world.connect()
        self.assertEqual(other.ask(master_login("t8")), [ACCEPTED])
        self.assertIn('<error id="3">', tenth.ask(master_login("t9"))[0])
        masters[0].drop()
        self.assertEqual(tenth.ask(master_login("t0")), [ACCEPTED])

    def test_a_game_with_too_many_bytes_or_states_is_void(self) -> None:
        world = World({"limits.remote_bytes": "1024"})
        master, (ann, bob) = world.game("ann", "bob")
        master.say(state(1, "ann", "x" * 1000))
        ann.heard()
        ann.say(move(1, "x" * 25))
        void = over(1, {"ann": False, "bob": False})
        self.assertEqual((ann.heard(), bob.heard()[-1]), ([void], void))
        self.assertEqual(master.heard(), [])
        world = World()
        world.host.lobby.remote.limits = RemoteLimits(states=3)
        master, (ann, bob) = world.game("ann", "bob")
        master.say(state(1, "ann"), state(1, "ann"), state(1, "ann"))
        self.assertEqual(ann.heard(), [state(1, "ann"), state(1, "ann"), void])


class FaultTests(SynchronousTestCase):
    def test_the_others_go_on_after_a_fault(self) -> None:
        world = World()
        master, (ann, bob, _) = world.game("ann", "bob", "cid")

        def fail(*_: object) -> None:
            raise ZeroDivisionError

        self.patch(bob.protocol.conversation, "remote_state", fail)
        ann.say(move(1))
        master.say(state(1, "ann"))
        self.assertEqual((ann.heard(), len(self.flushLoggedErrors(ZeroDivisionError))), ([state(1, "ann")], 1))
        self.patch(master.protocol.conversation, "pass_move", fail)
        ann.say(move(1))
        master.say(state(1, "ann"))
        self.assertEqual((ann.heard(), len(self.flushLoggedErrors(ZeroDivisionError))), ([state(1, "ann")], 2))
