"""Players of Eriantys: every request has an answer; the search for a turn; what one seat can know of a match."""

from collections.abc import Mapping, Sequence

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import IllegalAction, Seat
from gamehost.games.eriantys.events import AskAssistant, AskSteps, AskStudent, ChooseSteps, Closing
from gamehost.games.eriantys.master import Eriantys, EriantysMaster
from gamehost.games.eriantys.phases import Play
from gamehost.games.eriantys.player import Beam, EriantysPlayer, Seen, after, is_own, options, turn_lines, worth
from gamehost.games.eriantys.rules import Position, evolve
from gamehost.games.play import new_player
from gamehost.players.base import Budget, Level, Player, SeededChance
from tests.kit.players import check_whole_matches, line_ups, one_action, players_of, tell

ERIANTYS = Eriantys()
LEVELS = tuple(Level)


def settings_of(seed: int) -> Mapping[str, str]:
    return {"expert": "yes" if seed % 2 else "no"}


def begun(levels: Sequence[Level], seed: int) -> tuple[EriantysMaster, list[Player]]:
    master = ERIANTYS.new_master(len(levels), settings_of(seed), SeededChance(seed))
    players = players_of("eriantys", levels, seed, effort=0.2)
    tell(players, master.begin(0))
    return master, players


def winning_steps(master: EriantysMaster, seat: Seat) -> set[int]:
    play = master._state
    assert isinstance(play, Play) and isinstance(play.request, AskSteps)
    found = set()
    for steps in range(1, play.request.most + 1):
        verdict = after(play, ChooseSteps(steps), SeededChance(1)).verdict
        if verdict is not None and verdict.winners == (seat,):
            found.add(steps)
    return found


class EriantysTests(SynchronousTestCase):
    def test_whole_matches(self) -> None:
        check_whole_matches(self, ERIANTYS, line_ups(), [1], settings_of, effort=0.02)

    def test_three_and_four(self) -> None:
        line_ups = [LEVELS[1:], LEVELS[:3], LEVELS, LEVELS[::-1]]
        check_whole_matches(self, ERIANTYS, line_ups, [1], settings_of, effort=0.02)

    def test_coming_back(self) -> None:
        """A player that knows a view alone finishes what was begun. After a refusal it tries something else."""
        for level, seed in ((Level.RANDOM, 1), (Level.MEDIUM, 2), (Level.HARD, 3)):
            self.check_coming_back(level, seed)

    def check_coming_back(self, level: Level, seed: int) -> None:
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

    def test_no_answer_before_a_request_to_others_and_after_the_end(self) -> None:
        player = new_player("eriantys", Seat(0), Level.HARD, 1)
        self.assertIsNone(player.answer())
        player.hear(AskAssistant(Seat(1), (1, 2), ()))
        self.assertIsNone(player.answer())
        player.hear(Closing())
        self.assertIsNone(player.answer())


def at_turn(seed: int) -> Play:
    master, players = begun((Level.EASY, Level.EASY), seed)
    while True:
        state = master._state
        if isinstance(state, Play) and state.position.round == 3 and isinstance(state.request, AskStudent):
            return state
        one_action(ERIANTYS, master, players)


class TurnTests(SynchronousTestCase):
    def test_lines_are_legal(self) -> None:
        for seed in range(6):
            play = at_turn(seed)
            lines = turn_lines(play, Beam(3, characters=True), SeededChance(1), Budget(2_000))
            self.assertEqual([line.value for line in lines], sorted((line.value for line in lines), reverse=True))
            for line in lines:
                here = play
                for action in line.actions:
                    self.assertTrue(is_own(here, play.position.seat))
                    here = after(here, action, SeededChance(1))
                self.assertFalse(is_own(here, play.position.seat))

    def test_wider_is_not_worse(self) -> None:
        """In the mean over some turns, a wide beam finds more than a narrow one."""
        found = [0.0, 0.0]
        for seed in range(8):
            play = at_turn(seed)
            for place, width in enumerate((1, 6)):
                lines = turn_lines(play, Beam(width, characters=True), SeededChance(1), Budget(10_000))
                found[place] += lines[0].value
        self.assertGreaterEqual(found[1], found[0])

    def test_options(self) -> None:
        play = at_turn(1)
        for action in options(play, characters=False):
            self.assertIsNotNone(after(play, action, SeededChance(1)).picked)

    def test_worth(self) -> None:
        """A tower more is worth more than anything else that one move changes, and what one team gains the other loses."""
        position = at_turn(2).position
        seat = Seat(0)
        self.assertAlmostEqual(worth(position, seat), -worth(position, Seat(1)))
        self.assertGreater(worth(with_towers(position, seat, -1), seat), worth(position, seat) + 50)


def with_towers(position: Position, seat: Seat, more: int) -> Position:
    school = position.schools[seat]
    return position.with_school(seat, evolve(school, towers=school.towers + more))


class SeenTests(SynchronousTestCase):
    def test_the_own_turn(self) -> None:
        """In whole games, the seat that is asked knows the match as the rules hold it: bag, hands, order and moves made."""
        for seats in (2, 3, 4):
            for seed in (1, 2):
                self.check_match(seats, seed)

    def check_match(self, seats: int, seed: int) -> None:
        master, players = begun((Level.EASY,) * seats, seed)
        while master.result is None:
            state = master._state
            if isinstance(state, Play) and state.request is not None:
                player = players[state.request.seat]
                assert isinstance(player, EriantysPlayer)
                known = player.seen.play()
                assert known is not None
                if not isinstance(state.request, AskAssistant):
                    self.assertEqual(known.position, evolve(state.position, banned=known.position.banned))
                    self.assertEqual((known.moved, known.request), (state.moved, state.request))
                else:
                    self.assertEqual(known.position.hands, state.position.hands)
            one_action(ERIANTYS, master, players)

    def test_before_the_deal_there_is_no_position(self) -> None:
        seen = Seen(Seat(0))
        self.assertIsNone(seen.position())
        self.assertIsNone(seen.play())

    def test_view(self) -> None:
        """A view is enough for the own turn, but for what others have played."""
        master, players = begun((Level.EASY, Level.EASY), 2)
        while not (isinstance(master._state, Play) and master._state.position.round == 2):
            one_action(ERIANTYS, master, players)
        request = master.request
        assert request is not None
        seen = Seen(request.seat)
        seen.hear(master.view(request.seat))
        position = seen.position()
        assert position is not None and master.position is not None
        self.assertEqual(position.bag, master.position.bag)
        self.assertEqual(position.islands, master.position.islands)
        self.assertEqual(position.hands[request.seat], master.position.hands[request.seat])
