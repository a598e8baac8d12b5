"""Players of Stratego: set-ups, what they know, and whole matches."""

import random
from collections import Counter

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Cause, Result, Seat
from gamehost.games.play import new_player
from gamehost.games.stratego.master import STRATEGO, StrategoMaster, board_with
from gamehost.games.stratego.player import LIBRARY, Knowledge, StrategoPlayer, Suspect, any_set_up, set_up
from gamehost.games.stratego.rules import (
    EMPTY,
    FIRST_PLAYER,
    KINDS,
    SECOND,
    SECOND_PLAYER,
    Board,
    Fought,
    Move,
    Moved,
    Opened,
    Over,
    Phase,
    Place,
    PlaceRows,
    Position,
    ReadySet,
    Situation,
    seen,
)
from gamehost.players.base import Level, Player, SeededChance, Thinking
from tests import share
from tests.kit.games.stratego import drawn, from_setups, shuffled_rows, square
from tests.kit.players import check_whole_matches, line_ups, match_of, tell

SETTINGS = {"max_plies": "250"}


def player_of(level: Level = Level.HARD, seat: int = 0, seed: int = 1) -> StrategoPlayer:
    return StrategoPlayer(Seat(seat), level, Thinking(SeededChance(seed)))


def move_of(player: StrategoPlayer) -> Move:
    notation = player.answer()
    assert notation is not None
    move = STRATEGO.read(notation)
    assert isinstance(move, Move)
    return move


class Pair:
    """Two matches that differ only in two hidden pieces of the second side, each with a player in the first seat."""

    def __init__(self, level: Level, seed: int) -> None:
        self.rng = random.Random(seed)
        rows = list("".join(set_up(1, SeededChance(seed))))
        self.masters: list[StrategoMaster] = []
        self.players: list[list[Player]] = []
        one, other = self.rng.sample([place for place, kind in enumerate(rows) if kind in "1234567S"], 2)
        #: Where the two pieces stand now.
        self.exchanged = {60 + one, 60 + other}
        for _ in range(2):
            master = STRATEGO.new_master(2, {}, SeededChance(seed))
            player = new_player("stratego", FIRST_PLAYER, level, seed, effort=0.2)
            self.masters.append(master)
            self.players.append([player, Silent()])
            tell(self.players[-1], master.begin(0))
            self.act_second(-1, PlaceRows(tuple("".join(rows[start : start + 10]) for start in range(0, 40, 10))))
            rows[one], rows[other] = rows[other], rows[one]

    def act_second(self, number: int, action: PlaceRows | Move) -> None:
        """The second side acts in one of the matches."""
        tell(self.players[number], self.masters[number].act(SECOND_PLAYER, action, 0))

    def second_moves(self) -> bool:
        first, second = (master.position for master in self.masters)
        assert first is not None and second is not None
        common = set(first.legal_moves()) & set(second.legal_moves())
        steps = sorted(step for step in common if step[0] not in self.exchanged or first.squares[step[1]] == EMPTY)
        if not steps:
            return False
        start, end = self.rng.choice(steps)
        if start in self.exchanged:
            self.exchanged = self.exchanged - {start} | {end}
        for number in range(2):
            self.act_second(number, Move(start % 10, start // 10, end % 10, end // 10))
        return True

    def compare(self, test: SynchronousTestCase, most: int) -> int:
        """Play on until the difference is seen; the number of equal answers."""
        for count in range(most):
            answers = [players[0].answer() for players in self.players]
            test.assertEqual(answers[0], answers[1])
            assert answers[0] is not None
            action = STRATEGO.read(answers[0])
            if isinstance(action, Move) and 10 * action.to_y + action.to_x in self.exchanged:
                return count
            for master, players in zip(self.masters, self.players, strict=True):
                tell(players, master.act(FIRST_PLAYER, action, 0))
            over = any(master.result for master in self.masters)
            if over or (count and not self.second_moves()) or any(master.result for master in self.masters):
                return count
        return most


class Silent:
    def hear(self, event: object) -> None:
        pass

    def answer(self) -> None:
        pass

    def refused(self, notation: bytes) -> None:
        pass


class SecretTests(SynchronousTestCase):
    def test_hidden_kinds_change_nothing(self) -> None:
        """Matches that differ in what is hidden get the same answers, until a battle shows the difference."""
        for level in Level:
            equal = sum(Pair(level, seed).compare(self, 40) for seed in range(share(2, 4)))
            self.assertGreater(equal, share(20, 40), level)


class StrategoTests(SynchronousTestCase):
    def test_whole_matches(self) -> None:
        check_whole_matches(self, STRATEGO, line_ups(), [1], lambda seed: SETTINGS, effort=0.02)

    def test_takes_the_flag(self) -> None:
        """A last piece that has never moved, with no bomb left, is the flag; any piece takes it."""
        for level in (Level.MEDIUM, Level.HARD):
            player = player_of(level)
            squares = seen(drawn("7B9 5J1 FA1", "FB10 6E7").squares, FIRST_PLAYER)
            player.hear(Situation(FIRST_PLAYER, Phase.PLAY, squares, (True, True), FIRST_PLAYER, None))
            knowledge = player.knowledge
            knowledge.lost = {kind.id: kind.count for kind in KINDS.values() if kind.id not in "F6"} | {"6": 3}
            knowledge.suspects[square("E7")] = Suspect(square("E7"), "6", moved=True)
            self.assertEqual(move_of(player), Move(1, 8, 1, 9))

    def test_saves_a_strong_piece(self) -> None:
        player = player_of()
        squares = seen(drawn("2E5 7J2 FA1 9J1", "1E6 FA10 7A8").squares, FIRST_PLAYER)
        player.hear(Situation(FIRST_PLAYER, Phase.PLAY, squares, (True, True), FIRST_PLAYER, None))
        player.knowledge.suspects[square("E6")] = Suspect(square("E6"), "1", moved=True)
        self.assertEqual((move_of(player).x, move_of(player).y), (4, 4))

    def test_no_circles(self) -> None:
        """A board that came about before by an own move is avoided, so a match that is won is not drawn by repetition."""
        match = match_of(STRATEGO, (Level.HARD, Level.RANDOM), 2, effort=0.1)
        self.assertEqual(match.result.winners, (FIRST_PLAYER,))
        self.assertLess(len(match.actions), 700)

    def test_no_answer_before_the_match_after_the_set_up_out_of_turn_and_at_the_end(self) -> None:
        player = player_of()
        self.assertIsNone(player.answer())
        player.hear(Opened())
        self.assertIsNotNone(player.answer())
        player.hear(ReadySet(FIRST_PLAYER))
        self.assertIsNone(player.answer())
        squares = seen(drawn("2E5 FA1", "1E7 FA10").squares, FIRST_PLAYER)
        player.hear(Situation(FIRST_PLAYER, Phase.PLAY, squares, (True, True), SECOND_PLAYER, None))
        self.assertIsNone(player.answer())
        player.hear(Moved(SECOND_PLAYER, Move(4, 6, 4, 5), FIRST_PLAYER))
        player.hear(Over(Result((), Cause.LEFT, "left"), None))
        self.assertIsNone(player.answer())

    def test_takes_a_set_up_over(self) -> None:
        master = STRATEGO.new_master(2, {}, SeededChance(1))
        player = player_of(seat=1)
        master.begin(0)
        for column, kind in enumerate("FB1"):
            master.act(SECOND_PLAYER, Place(kind, column, 9), 0)
        for _ in range(38):
            player.hear(master.view(SECOND_PLAYER))
            notation = player.answer()
            assert notation is not None
            master.act(SECOND_PLAYER, STRATEGO.read(notation), 0)
        self.assertEqual(master.view(None).ready, (False, True))

    def test_another_answer_after_a_refusal(self) -> None:
        player = player_of()
        squares = seen(drawn("2E5 FA1", "1E7 FA10").squares, FIRST_PLAYER)
        player.hear(Situation(FIRST_PLAYER, Phase.PLAY, squares, (True, True), FIRST_PLAYER, None))
        given = set()
        for _ in range(3):
            notation = player.answer()
            assert notation is not None
            given.add(notation)
            player.refused(notation)
        self.assertEqual(len(given), 3)


def played(seed: int, most: int) -> tuple[Position, Knowledge]:
    rng = random.Random(seed)
    position = from_setups(shuffled_rows(rng), shuffled_rows(rng))
    knowledge = Knowledge(FIRST_PLAYER)
    knowledge.look(seen(position.squares, FIRST_PLAYER))
    for _ in range(most):
        steps = list(position.legal_moves())
        if position.result(1000) is not None or not steps:
            break
        fights = [step for step in steps if position.squares[step[1]] != ord(".")]
        start, end = rng.choice(fights if fights and rng.random() < 0.3 else steps)
        seat, move = position.turn, Move(start % 10, start // 10, end % 10, end // 10)
        position, battle = position.after(start, end)
        if battle is None:
            knowledge.moved(Moved(seat, move, position.turn))
        else:
            fought = Fought(seat, move, battle.attacker, battle.defender, battle.winner, position.turn)
            knowledge.fought(fought)
        knowledge.look(Board(seen(position.squares, FIRST_PLAYER)).squares)
    return position, knowledge


class KnowledgeTests(SynchronousTestCase):
    def test_true(self) -> None:
        for seed in range(20):
            position, knowledge = played(seed, 300)
            enemies = {place: piece for place, piece in enumerate(position.squares) if piece & SECOND}
            self.assertEqual(set(knowledge.suspects), set(enemies))
            for place, suspect in knowledge.suspects.items():
                if suspect.kind is not None:
                    self.assertEqual(suspect.kind, chr(enemies[place] & ~SECOND))
                if suspect.moved:
                    self.assertNotIn(chr(enemies[place] & ~SECOND), "FB")
            unknown = sorted(
                chr(piece & ~SECOND) for place, piece in enemies.items() if knowledge.suspects[place].kind is None
            )
            self.assertEqual(sorted(knowledge.unknown_kinds()), unknown)
            self.assertLessEqual(
                knowledge.shown, {p for p, piece in enumerate(position.squares) if chr(piece).isalnum()}
            )

    def test_samples_are_possible(self) -> None:
        """A sampled board has the enemy's pieces, those known and those left; what has moved is neither bomb nor flag."""
        for seed in range(20):
            position, knowledge = played(seed, 200)
            if position.result(1000) is not None:
                continue
            for luck in range(5):
                kinds = knowledge.sample(SeededChance(luck))
                self.assertEqual(set(kinds), set(knowledge.suspects))
                truth = sorted(chr(piece & ~SECOND) for piece in position.squares if piece & SECOND)
                self.assertEqual(sorted(kinds.values()), truth)
                for place, suspect in knowledge.suspects.items():
                    self.assertEqual(suspect.kind or kinds[place], kinds[place])
                    self.assertFalse(suspect.moved and kinds[place] in "FB")

    def test_without_the_history(self) -> None:
        """A board alone: every enemy piece gets some kind, and one of those that have not moved is the flag."""
        squares = seen(drawn("1A4", "9A10 8B10 7E5").squares, FIRST_PLAYER)
        knowledge = Knowledge(FIRST_PLAYER)
        knowledge.look(squares)
        kinds = knowledge.sample(SeededChance(1))
        self.assertEqual(len(kinds), 3)
        self.assertIn("F", (kinds[square("A10")], kinds[square("B10")]))
        self.assertNotIn(kinds[square("E5")], "FB")
        board = board_with(squares, FIRST_PLAYER, kinds)
        self.assertEqual(seen(board, FIRST_PLAYER), squares)

    def test_scouts_give_themselves_away(self) -> None:
        knowledge = Knowledge(Seat(1))
        knowledge.look(seen(drawn("9A4", "1A9").squares, SECOND_PLAYER))
        knowledge.moved(Moved(Seat(0), Move(0, 3, 0, 6), Seat(1)))
        self.assertEqual(knowledge.suspects[square("A7")].kind, "9")

    def test_forgets(self) -> None:
        """A weak player does not keep a kind in mind, but that the piece has moved."""
        knowledge = Knowledge(FIRST_PLAYER, remembers=False)
        knowledge.look(seen(drawn("9A4", "1A5").squares, FIRST_PLAYER))
        knowledge.fought(Fought(Seat(1), Move(0, 4, 0, 3), "1", "9", "attacker", Seat(0)))
        suspect = knowledge.suspects[square("A4")]
        self.assertEqual((suspect.kind, suspect.moved), (None, True))


class SetUpTests(SynchronousTestCase):
    def test_each_set_up_of_the_library_has_exactly_the_pieces_of_a_side(self) -> None:
        box = Counter({kind.id: kind.count for kind in KINDS.values()})
        for rows in LIBRARY:
            self.assertEqual(Counter("".join(rows)), box)
            self.assertEqual({len(row) for row in rows}, {10})

    def test_accepted(self) -> None:
        for seed in range(20):
            for seat, last in ((0, 0), (1, 3)):
                master = STRATEGO.new_master(2, {}, SeededChance(1))
                master.begin(0)
                rows = set_up(seat, SeededChance(seed))
                master.act(Seat(seat), PlaceRows(rows), 0)
                self.assertIn("F", rows[last])
                master = STRATEGO.new_master(2, {}, SeededChance(1))
                master.begin(0)
                master.act(Seat(seat), PlaceRows(any_set_up(SeededChance(seed))), 0)

    def test_seeds_give_different_set_ups(self) -> None:
        self.assertGreater(len({set_up(0, SeededChance(seed)) for seed in range(50)}), 40)
