"""Remote games as their players and masters see them, in a host in memory."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import EntryKind, TableId
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
    move,
    over,
    state,
    thanks,
)

HEAP = '<heap left="7"/>'


class PoolTests(SynchronousTestCase):
    """Who plays with whom."""

    def test_players_wait_for_a_master(self) -> None:
        """Of a type that masters may have; then the ones who have waited longest play."""
        world = World({"paper-soccer.types": "nim,go"})
        players = [world.player(name) for name in ("ann", "bob", "cid")]
        other = world.player("dan", "go")
        self.assertEqual([player.heard() for player in players], [[], [], []])
        master = world.master("NIM")
        self.assertEqual(master.heard(), [begin(1, "ann", "bob")])
        self.assertEqual(other.heard(), [])

    def test_as_many_as_there_are(self) -> None:
        """A game takes those who wait, up to `playersMax`, and the next one begins with the others."""
        world = World({"paper-soccer.types": "*"})
        for name in ("a1", "b2", "c3", "d4", "e5", "f6"):
            world.player(name)
        self.assertEqual(world.master("nim", 2, 3).heard(), [begin(1, "a1", "b2", "c3"), begin(2, "d4", "e5", "f6")])

    def test_as_soon_as_there_are_enough(self) -> None:
        """A third one waits for a fourth."""
        world = World()
        master = world.master("nim", 2, 3)
        for name in ("a1", "b2", "c3"):
            world.player(name)
        self.assertEqual(master.heard(), [begin(1, "a1", "b2")])

    def test_a_master_with_enough_games(self) -> None:
        """More players wait."""
        world = World({"limits.unlimited": "no", "limits.master_games": "1"})
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
                world.host.settle()
            self.assertEqual(master.heard(), [begin(1, "ann", "bob"), left(1, "ann"), begin(2, "bob", "cid")])
            self.assertEqual((bob.heard(), cid.heard()), ([], []))

    def test_no_room(self) -> None:
        """While the host lets no table begin, all wait."""
        world = World()
        master = world.master()
        world.host.lobby.no_room = "the disk is nearly full"
        self.assertIn('accept="no"', world.connect().ask(login("ann", "nim"))[0])
        world.host.lobby.no_room = None
        world.player("ann")
        world.player("bob")
        self.assertEqual(master.heard(), [begin(1, "ann", "bob")])

    def test_types_are_forgotten(self) -> None:
        """Those that were used longest ago, and only if nobody waits for them."""
        games = World().host.lobby.remote
        for number in range(KNOWN + 10):
            games.type_of(f"t{number}")
        self.assertEqual(len(games.types), KNOWN)
        self.assertTrue(games.knows(f"T{KNOWN + 9}"))
        self.assertFalse(games.knows("t0"))


class GameTests(SynchronousTestCase):
    """A game with a master that is there."""

    def test_moves_and_states(self) -> None:
        """Each move goes to the master alone, and each state to all players."""
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

    def test_refused_moves(self) -> None:
        """Out of turn, twice in a turn, in another game, before the first state: the master hears of none."""
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
        """Nothing changes; the players hear nothing."""
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
        """It has crossed the end, and is read over."""
        master, (ann, _) = World().game("ann", "bob")
        ann.drop()
        self.assertEqual(master.heard(), [left(1, "ann")])
        self.assertEqual(master.ask(state(1, "bob"), left(1, "bob")), [])

    def test_states_unasked(self) -> None:
        """The last one counts."""
        master, (ann, bob) = World().game("ann", "bob")
        master.say(state(1, "bob", "1"), state(1, "ann", "2"), state(1, "bob", "3"))
        self.assertEqual(len(ann.heard()), 3)
        self.assertTrue(is_error(ann.ask(move(1))[0]))
        self.assertEqual(bob.ask(move(1))[3:], [])
        self.assertEqual(master.heard(), [move(1)])

    def test_many_games_at_once(self) -> None:
        """Of one master, in any order, with many messages in a segment."""
        world = World()
        master = world.master()
        players = [world.player(f"p{number}") for number in range(128)]
        self.assertEqual(len(master.heard()), 64)
        master.say(*(state(number, f"p{2 * number - 2}") for number in reversed(range(1, 65))))
        for number, player in enumerate(players):
            self.assertEqual(player.heard(), [state(number // 2 + 1, f"p{number // 2 * 2}")])

    def test_one_game_after_the_other(self) -> None:
        """After thanks a player waits behind all others."""
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

    def test_no_thanks(self) -> None:
        """The player is outside after the grace time, and the nick is free."""
        world = World()
        master, (_, bob) = world.game("ann", "bob")
        master.say(over(1, {"ann": True, "bob": False}))
        world.host.wait(60.1)
        self.assertEqual(len(world.host.lobby.registry), 0)
        bob.heard()
        self.assertEqual(bob.ask(login("ann", "nim")), [ACCEPTED])


class RestartTests(SynchronousTestCase):
    """The host starts again."""

    def test_games_are_closed(self) -> None:
        """Without a winner; their records are kept, and the nicks are free."""
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
        """Its end is not changed, although nobody was told of it."""
        world = World()
        master, _ = world.game("ann", "bob")
        world.host.journal.late = True
        master.say(over(1, {"ann": True, "bob": False}))
        again = World(journal=world.host.journal.restarted())
        again.host.journal.release()
        self.assertEqual(again.outcomes, ["ann won (rules): as the master says"])
        self.assertEqual(again.host.journal.restarted().records(), [])

    def test_a_game_that_has_not_begun(self) -> None:
        """Nobody was told of it."""
        world = World(journal=RecordingJournal(late=True))
        world.master()
        world.player("ann"), world.player("bob")
        journal = world.host.journal
        journal.entries[TableId(1)].clear()
        again = World(journal=journal.restarted())
        again.host.journal.release()
        self.assertEqual([entry.kind for entry in again.host.journal.entries[TableId(1)]], [EntryKind.ARCHIVED])

    def test_the_host_stops(self) -> None:
        """All are told so, and nobody has left a game."""
        world = World()
        master, (ann, bob) = world.game("ann", "bob")
        world.host.lobby.close()
        world.host.factories["paper-soccer"].close("the host is stopping")
        for client in (master, ann, bob):
            self.assertEqual(client.heard(), ['<message type="serverShutdown"/>'])
        world.host.wait(100)
        self.assertEqual((world.outcomes, world.host.clock.getDelayedCalls()), ([""], []))
