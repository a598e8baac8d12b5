"""Players of Eriantys: every request has an answer, at every table, also for a player who has just come back."""

from collections.abc import Mapping, Sequence

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import IllegalAction, Seat
from gamehost.games.eriantys.events import AskAssistant, AskSteps, ChooseSteps, Closing
from gamehost.games.eriantys.master import Eriantys, EriantysMaster
from gamehost.games.eriantys.phases import Play
from gamehost.games.eriantys.player import after
from gamehost.games.play import new_player
from gamehost.players.base import Level, Player, SeededChance
from tests.kit.players import check_whole_matches, match_of, one_action, pairs, players_of, tell

ERIANTYS = Eriantys()
LEVELS = tuple(Level)


def settings_of(seed: int) -> Mapping[str, str]:
    """Every other match is an expert game."""
    return {"expert": "yes" if seed % 2 else "no"}


def begun(levels: Sequence[Level], seed: int) -> tuple[EriantysMaster, list[Player]]:
    """A match that has begun, and its players."""
    master = ERIANTYS.new_master(len(levels), settings_of(seed), SeededChance(seed))
    players = players_of("eriantys", levels, seed, effort=0.2)
    tell(players, master.begin(0))
    return master, players


def winning_steps(master: EriantysMaster, seat: Seat) -> set[int]:
    """The steps that win the match at once for the seat that is asked."""
    play = master._state
    assert isinstance(play, Play) and isinstance(play.request, AskSteps)
    found = set()
    for steps in range(1, play.request.most + 1):
        verdict = after(play, ChooseSteps(steps), SeededChance(1)).verdict
        if verdict is not None and verdict.winners == (seat,):
            found.add(steps)
    return found


class EriantysTests(SynchronousTestCase):
    """A player's answers."""

    def test_whole_matches(self) -> None:
        """Every pair of levels plays whole matches, with characters and without."""
        check_whole_matches(self, ERIANTYS, pairs(), [1], settings_of, effort=0.02)

    def test_three_and_four(self) -> None:
        """Tables of three and four players, of all levels."""
        line_ups = [LEVELS[1:], LEVELS[:3], LEVELS, LEVELS[::-1]]
        check_whole_matches(self, ERIANTYS, line_ups, [1, 2], settings_of, effort=0.02)

    def test_same_seed_same_match(self) -> None:
        """A match follows from its seed; another seed gives another match."""
        levels, expert = (Level.MEDIUM, Level.EASY), {"expert": "yes"}
        self.assertEqual(match_of(ERIANTYS, levels, 5, expert), match_of(ERIANTYS, levels, 5, expert))
        self.assertNotEqual(match_of(ERIANTYS, levels, 5, expert), match_of(ERIANTYS, levels, 6, expert))

    def test_coming_back(self) -> None:
        """A player that knows a view alone finishes what was begun. After a refusal it tries something else."""
        for level, seed in ((Level.RANDOM, 1), (Level.MEDIUM, 2), (Level.HARD, 3)):
            self.check_coming_back(level, seed)

    def check_coming_back(self, level: Level, seed: int) -> None:
        """Every answer comes from a player who has just come back."""
        master, _ = begun((level, level), seed)
        refusals = 0
        for number in range(2_000):
            request = master.request
            if request is None:
                break
            player = new_player("eriantys", request.seat, level, number, effort=0.02)
            player.hear(master.view(request.seat))
            for _ in range(60):
                notation = player.answer()
                assert notation is not None
                try:
                    master.act(request.seat, ERIANTYS.read(notation), 0)
                    break
                except IllegalAction:
                    refusals += 1
                    player.refused(notation)
            else:
                self.fail(f"no answer to {request}")
        self.assertIsNotNone(master.result)
        self.assertLess(refusals, 20)

    def test_wins_in_one(self) -> None:
        """Where some steps of Mother Nature win at once, hard takes such steps."""
        seen = 0
        for seed in range(1, 5):
            master, players = begun((Level.HARD, Level.EASY), seed)
            while master.result is None:
                request = master.request
                assert request is not None
                best = winning_steps(master, request.seat) if isinstance(request, AskSteps) else set()
                seat, notation = one_action(ERIANTYS, master, players)
                if best and seat == 0 and notation.startswith(b"steps"):
                    seen += 1
                    self.assertIn(int(notation.split()[1]), best)
        self.assertGreater(seen, 0)

    def test_silence(self) -> None:
        """No answer before a request, to another's request, and after the end."""
        player = new_player("eriantys", Seat(0), Level.HARD, 1)
        self.assertIsNone(player.answer())
        player.hear(AskAssistant(Seat(1), (1, 2), ()))
        self.assertIsNone(player.answer())
        player.hear(Closing())
        self.assertIsNone(player.answer())
