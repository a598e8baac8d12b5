"""One remote game: players who leave, and masters that are lost."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.limits import RemoteLimits
from tests.kit.journals import RecordingJournal
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


class LeavingTests(SynchronousTestCase):
    """A player is gone."""

    def test_one_of_two(self) -> None:
        """By a message, a log-out or a lost connection: the other one has won, and the master is told."""
        for leaving in (leave(1), '<message type="logout"/>', '<message type="leaveGame"/>', ""):
            world = World()
            master, (ann, bob) = world.game("ann", "bob")
            ann.say(leaving) if leaving else ann.drop()
            self.assertEqual(ann.heard(), [])
            self.assertEqual(bob.heard(), [over(1, {"ann": False, "bob": True})])
            self.assertEqual(master.heard(), [left(1, "ann")])
            self.assertEqual(world.outcomes, ["bob won (left): the others have left"])

    def test_leaving_is_not_logging_out(self) -> None:
        """Who leaves a game waits for the next one; who logs out does not."""
        world = World()
        master, (ann, bob) = world.game("ann", "bob")
        ann.say(leave(1))
        bob.say(thanks(1))
        self.assertEqual(master.heard(), [left(1, "ann"), begin(2, "ann", "bob")])
        ann.say('<message type="logout"/>')
        self.assertEqual(master.heard(), [left(2, "ann")])
        self.assertIsNone(world.host.lobby.registry.get("ann"))

    def test_one_of_three(self) -> None:
        """The others go on, if it was not the leaver's turn without a word."""
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

    def test_put_out(self) -> None:
        """The master may put a player out, who is told the end, and may play again."""
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
        """Who does not move within the time for a move is gone."""
        world = World({"remote.move_time": "5"})
        master, (ann, bob) = world.game("ann", "bob")
        world.host.wait(5.1)
        ends = over(1, {"ann": False, "bob": True})
        self.assertEqual((ann.heard(), bob.heard(), master.heard()), ([ends], [ends], [left(1, "ann")]))

    def test_both_at_once(self) -> None:
        """There is one end."""
        world = World(journal=RecordingJournal())
        master, (ann, bob) = world.game("ann", "bob")
        world.host.journal.late = True
        ann.drop()
        bob.drop()
        while world.host.journal.release():
            world.host.settle()
        self.assertEqual((master.heard(), len(world.outcomes)), ([left(1, "ann")], 1))

    def test_a_move_on_its_way(self) -> None:
        """Its player is lost: the master hears the move first."""
        world = World()
        master, (ann, bob) = world.game("ann", "bob")
        world.host.journal.late = True
        ann.say(move(1))
        ann.drop()
        self.assertEqual(master.heard(), [])
        while world.host.journal.release():
            world.host.settle()
        self.assertEqual(master.heard(), [move(1), left(1, "ann")])
        self.assertEqual(bob.heard(), [over(1, {"ann": False, "bob": True})])

    def test_quiet(self) -> None:
        """Some masters hang up on a message that they do not know."""
        master, (ann, bob) = World({"paper-soccer.left": "quiet"}).game("ann", "bob")
        ann.drop()
        self.assertEqual((bob.heard(), master.heard()), ([over(1, {"ann": False, "bob": True})], []))

    def test_before_the_first_state(self) -> None:
        """The game never was, and who is left stands in front of the pool."""
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
    """A master is gone, or does not answer."""

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

    def test_an_answer_in_between(self) -> None:
        """Only games in a row count."""
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
        """The next master hears the game anew, under another id. The players hear nothing of it."""
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
        """The games are void after the grace time, and their players free."""
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

    def test_it_dies_before_the_first_state(self) -> None:
        """The game waits, then never was."""
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
            world.host.settle()
        self.assertEqual(world.master().heard(), [begin(1, "ann", "bob")])

    def test_it_dies_while_a_game_is_rebuilt(self) -> None:
        """It is rebuilt again, from the beginning."""
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

    def test_it_does_not_answer_while_a_game_is_rebuilt(self) -> None:
        """The game is void after the time for an answer."""
        world = World()
        master, (ann, _) = world.game("ann", "bob")
        master.drop()
        world.master()
        world.host.wait(29.9)
        self.assertEqual(ann.heard(), [])
        world.host.wait(0.2)
        self.assertEqual(ann.heard(), [over(1, {"ann": False, "bob": False})])

    def test_players_clocks_stand_still(self) -> None:
        """Without a master nobody's time runs."""
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
        """The next master hears of it in its turn. With one player left the game is over."""
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
        world = World({"limits.unlimited": "no", "limits.masters": "9"})
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

    def test_a_game_that_is_too_long(self) -> None:
        """Too many bytes, or too many states: it is void."""
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
    """A fault of one connection."""

    def test_the_others_go_on(self) -> None:
        """The log has it; the other players and the master are told as if nothing had happened."""
        world = World()
        master, (ann, bob, _) = world.game("ann", "bob", "cid")

        def fail(*_: object) -> None:
            raise ZeroDivisionError

        self.patch(bob.protocol._conversation, "remote_state", fail)
        ann.say(move(1))
        master.say(state(1, "ann"))
        self.assertEqual((ann.heard(), len(self.flushLoggedErrors(ZeroDivisionError))), ([state(1, "ann")], 1))
        self.patch(master.protocol._conversation, "pass_move", fail)
        ann.say(move(1))
        master.say(state(1, "ann"))
        self.assertEqual((ann.heard(), len(self.flushLoggedErrors(ZeroDivisionError))), ([state(1, "ann")], 2))
