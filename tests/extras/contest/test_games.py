"""Whole contests on each wire for programs: every result is that of the game's record."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.bots.command import playable
from gamehost.extras.contest.audit import faults
from gamehost.extras.contest.entries import Played
from gamehost.extras.contest.game import PrivateGame
from gamehost.games.base import Cause, Seat
from gamehost.journal.notation import read_notation
from gamehost.journal.replay import replayed
from gamehost.ops.workers import Running
from gamehost.plugins import REGISTRY
from tests import long
from tests.kit.contests import NOBODY, WIRES, MemoryContest, program, tables

#: Settings for short games that the rules end.
SHORT = {"stratego": ("--set", "stratego.max_plies=200")}


class WholeContestTests(SynchronousTestCase):
    def contest(self, wire: str, game: str, seats: int, *more: str, last: str = "") -> MemoryContest:
        """
        Programs, and a house player where there is one for the wire.

        :param last: the command of the last player, instead
        """
        usual = program(wire, seats, game if wire == "open" else "")
        house = "" if wire not in playable(REGISTRY.wires) else "house:random" if game == "eriantys" else "house:easy"
        commands = dict.fromkeys(("ann", "bob", "cyd", "dan")[: seats - 1], usual)
        commands["eve"] = last or house or usual
        words = [f"--wire={wire}", f"--game={game}", f"--seats={seats}", "--seed=3", *SHORT.get(game, ()), *more]
        return MemoryContest(
            Path(self.mktemp()), *words, *(f"--player={name}={command}" for name, command in commands.items())
        )

    def shares(self, made: MemoryContest, one: Played) -> dict[str, float]:
        """By name, from the record alone."""
        record = read_notation(one.notation).record
        result = replayed(made.game, record.opening, record.entries).result
        assert result is not None
        winners = result.winners or tuple(map(Seat, range(len(record.opening.seats))))
        names = [seat.name for seat in record.opening.seats]
        return {name: 1 / len(winners) if seat in winners else 0.0 for seat, name in enumerate(names)}

    @long
    def test_every_result_is_that_of_its_record(self) -> None:
        self.assertEqual(len(WIRES), 9)
        for wire, game, seats in tables():
            with self.subTest(wire=wire, game=game, seats=seats):
                rounds = 1 if game == "eriantys" else 2  # its games are long
                made = self.contest(wire, game, seats, f"--rounds={rounds}")
                contest = made.play()
                self.assertEqual(made.ends, [""])
                self.assertEqual([one.cause for one in contest.played.values()], [Cause.RULES.value] * rounds)
                for one in contest.played.values():
                    named = dict(zip((made.plan.names[player] for player in one.players), one.shares, strict=True))
                    self.assertEqual(named, self.shares(made, one))
                self.assertEqual([*faults(contest, made.game)], [])

    def two(self, command: str, *more: str) -> MemoryContest:
        """A contest of one game, the first player of which has this command."""
        words = [f"--player=ann={command}", f"--player=bob={program('onitama', 2)}"]
        return MemoryContest(Path(self.mktemp()), "--wire=onitama", "--seed=3", *words, *more)

    def test_what_no_record_can_say_is_ruled(self) -> None:
        """With its evidence, and an audit finds nothing in it."""
        stalls = f"./stalls 9 {program('onitama', 2).removeprefix('./random ')}"
        times = ("--deadline=30", "--move-time=0")
        for command, more, cause, evidence in (
            ("./idle", (), "absent", {"seconds": 20.0}),
            ("./ends", (), "crash", {"status": 3, "said": ""}),
            (stalls, times, "deadline", {"seconds": 30.0, "to_move": 1, "moves": 5}),
            ("./idle", ("--deadline=5",), "deadline", {"seconds": 5.0, "to_move": None, "moves": 0}),
        ):
            with self.subTest(command):
                made = self.two(command, *more)
                [one] = made.play().played.values()
                assert one.ruling is not None
                self.assertEqual((one.ruling.cause, one.cause), (cause, cause))
                self.assertEqual({name: one.ruling.evidence[name] for name in evidence}, evidence)
                ann = one.shares[one.players.index(0)]
                self.assertEqual(ann, 0.5 if evidence.get("to_move", 0) is None else 0.0)
                self.assertEqual([*faults(made.contest, made.game)], [])

    def test_what_a_program_takes_counts_with_all_that_it_has_started(self) -> None:
        """The keeper of a program takes memory and is a process, which do not count."""
        mib, keeper, first, second = 2**20, NOBODY, 7, 8
        for bound, sizes, expected in (
            ("--memory=20", (10 * mib, 5 * mib), None),
            ("--memory=20", (10 * mib, 11 * mib), "memory"),
            ("--processes=1", (1, 1), "processes"),
            ("--processor-time=3", (1, 1), "processor"),
        ):
            made = self.two(program("onitama", 2), "--memory=9000", "--processes=99", bound)
            made.begin()
            made.games[0].look(
                [
                    Running(keeper, 1, 1, 1.0, 500 * mib),
                    Running(first, keeper, first, 1.5, sizes[0]),
                    Running(second, first, second, 1.5, sizes[1]),
                ]
            )
            made.go_on()
            [one] = made.contest.played.values()
            self.assertEqual(one.ruling and one.ruling.cause, expected)
            self.assertEqual([*faults(made.contest, made.game)], [])

    def test_a_game_in_which_the_host_fails_is_played_again(self) -> None:
        made = self.two(program("onitama", 2))
        made.begin()
        [first] = made.games
        assert isinstance(first, PrivateGame)
        first.failed()
        made.go_on()
        self.assertEqual((len(made.games), [*made.contest.voids.values()], len(made.contest.played)), (2, [1], 1))
        self.assertEqual([*faults(made.contest, made.game)], [])

    def test_one_host_for_all_games(self) -> None:
        """It has as many rooms as games are played at once, also if one entrant plays all of them."""
        for at_once in (1, 3):
            made = self.two(program("onitama", 2), "--rounds=8")
            made.play(at_once)
            [host] = {game._host for game in made.games if isinstance(game, PrivateGame)}
            self.assertEqual((len(made.games), len(host.rooms)), (8, at_once))
            self.assertTrue(all(room.free for room in host.rooms))

    @long
    def test_nothing_of_a_game_is_left_for_the_next_one(self) -> None:
        """On each wire: the names, the accounts with their passwords, and ends that players have missed."""
        for wire, game, seats in tables():
            if wire != "open" or seats == 2:
                made = self.contest(wire, game, seats, "--rounds=2", "--deadline=8", "--move-time=0")
                made.machine.stalled = 40
                made.play()
                self.assertEqual(made.ends, [""])
                for room in made.games[0]._host.rooms:  # type: ignore[attr-defined]
                    lobby = room._lobby
                    left = (len(lobby.registry), len(lobby.registry.ended), [*lobby.login_service.accounts.names()])
                    self.assertEqual((wire, *left, [*lobby.tables]), (wire, 0, 0, [], []))

    def early(self) -> MemoryContest:
        """The last one of a table has come and plays before its program is started, which does nothing."""
        made = self.contest("eriantys", "eriantys", 3, last="./idle")
        words = program("eriantys", 3).replace("{name}", "eve").replace("{host}", "127.0.0.1")
        made.machine.early = words.replace("{password}", "correct").split()
        return made

    def test_a_stranger_has_no_seat(self) -> None:
        """Whoever comes under the name of a player, and is not its program, is refused, and that is written down."""
        made = self.early()
        contest = made.play()
        [one], [refused] = contest.played.values(), contest.refused
        self.assertEqual((one.cause, one.absent), ("absent", (made.plan.names.index("eve"),)))
        self.assertEqual((refused.name, refused.owner, refused.process), ("eve", None, "process 0"))
        self.assertEqual([fault for fault in faults(contest, made.game) if "refused" not in fault], [])

    def test_who_asks_for_the_seat_of_another_one_has_lost(self) -> None:
        """Before the program of that one was started, and while it waits. The other one has the point, and nobody else one."""
        for wire in WIRES:
            if wire not in playable(REGISTRY.wires) or wire == "litama":  # whose names are no proof of anything
                continue
            with self.subTest(wire):
                usual = program(wire, 2, "onitama" if wire == "open" else "")
                words = [f"--player=ann={usual}", f"--player=bob={usual.replace('{name}', 'ann')}", "--rounds=2"]
                game = "--game=onitama" if wire == "open" else ""
                made = MemoryContest(Path(self.mktemp()), f"--wire={wire}", "--seed=3", *words, *filter(None, [game]))
                contest = made.play()
                points = [
                    [one.shares[one.players.index(player)] for one in contest.played.values()] for player in (0, 1)
                ]
                self.assertEqual(points, [[1.0, 1.0], [0.0, 0.0]])
                self.assertEqual({one.cause for one in contest.played.values()}, {"seat"})
                self.assertEqual({(one.name, one.owner) for one in contest.refused}, {("ann", 1)})
                found = [*faults(contest, made.game)]
                self.assertEqual(len(found), len(contest.refused))
                self.assertIn("a connection of bob asked for the seat of ann and was refused", found[0])

    def test_who_fills_the_host_with_connections_keeps_nobody_out(self) -> None:
        """The program of the other seat has the limits of an address of its own."""
        for owners in (True, False):
            made = self.two(program("onitama", 2), "--player=eve=./idle", "--format=gauntlet")
            made.owners = made.machine.owners if owners else None
            made.begin()
            first = made.machine.processes[0]
            crowd = [made.machine.connect(first, 1) for _ in range(20)]
            made.go_on(1)
            [one] = made.contest.played.values()
            self.assertEqual(one.cause, "rules" if owners else "crash")
            for connection in crowd:
                connection.drop()
            made._journal.close()

    def test_last_words_do_nothing_to_a_terminal(self) -> None:
        words = [f"--player={name}=./ends" for name in ("ann", "bob")]
        made = MemoryContest(Path(self.mktemp()), "--wire=onitama", *words)
        made.begin()
        made.machine.processes[0].prints("\x1b]0;mine\x07\x1b[2J\r<b>ann won</b>\x9b1m\n")
        made.go_on()
        [one] = made.contest.played.values()
        self.assertIn("ann won", one.words)
        self.assertTrue(one.words.isprintable(), one.words)

    def test_who_comes_first_has_the_seat_of_the_plan(self) -> None:
        """Where the system does not show whose a connection is."""
        made = self.early()
        made.owners = None
        [one] = made.play().played.values()
        record = read_notation(one.notation).record
        names = [made.plan.names[player] for player in one.players]
        self.assertEqual(dict(zip(names, one.shares, strict=True)), self.shares(made, one))
        self.assertEqual([seat.name for seat in record.opening.seats], names)
