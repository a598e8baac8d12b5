"""Whole contests on each wire for programs: every result is that of the game's record."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.bots.command import playable
from gamehost.extras.contest.audit import faults
from gamehost.extras.contest.entries import Played
from gamehost.games.base import Cause, Seat
from gamehost.journal.notation import read_notation
from gamehost.journal.replay import replayed
from gamehost.plugins import REGISTRY
from tests.kit.contests import WIRES, MemoryContest, program, tables

#: Settings for short games that the rules end.
SHORT = {"stratego": ("--set", "stratego.max_plies=200")}


class WholeContestTests(SynchronousTestCase):
    def contest(self, wire: str, game: str, seats: int, *more: str, last: str = "") -> MemoryContest:
        """
        Programs, and a house player where there is one for the wire.

        :param last: the command of the last player, instead
        """
        usual = program(wire, seats, game if wire == "open" else "")
        house = wire in playable(REGISTRY.wires) and game != "eriantys"
        commands = dict.fromkeys(("ann", "bob", "cyd", "dan")[: seats - 1], usual)
        commands["eve"] = last or ("house:easy" if house else usual)
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

    def test_every_result_is_that_of_its_record(self) -> None:
        self.assertEqual(len(WIRES), 9)
        for wire, game, seats in tables():
            with self.subTest(wire=wire, game=game, seats=seats):
                rounds = 1 if wire == "eriantys-java" else 2  # its codec costs ten times as much
                made = self.contest(wire, game, seats, f"--rounds={rounds}")
                contest = made.play()
                self.assertEqual(made.ends, [""])
                self.assertEqual([one.cause for one in contest.played.values()], [Cause.RULES.value] * rounds)
                for one in contest.played.values():
                    named = dict(zip((made.plan.names[player] for player in one.players), one.shares, strict=True))
                    self.assertEqual(named, self.shares(made, one))
                self.assertEqual([*faults(contest, made.game)], [])

    def test_who_comes_first_has_the_seat_of_the_plan(self) -> None:
        """The last one of a table has come and plays before its program is started, which comes to nothing."""
        made = self.contest("eriantys", "eriantys", 3, last="./idle")
        words = program("eriantys", 3).replace("{name}", "eve").replace("{host}", "127.0.0.1")
        made.machine.early = words.replace("{password}", "correct").split()
        [one] = made.play().played.values()
        record = read_notation(one.notation).record
        names = [made.plan.names[player] for player in one.players]
        self.assertEqual(dict(zip(names, one.shares, strict=True)), self.shares(made, one))
        self.assertEqual([seat.name for seat in record.opening.seats], names)
