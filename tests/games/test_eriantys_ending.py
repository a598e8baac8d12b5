"""Ends of a match: at once, with the round, and when a player is gone."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Cause, Seat
from gamehost.games.eriantys.ending import counted, ended_at_once, ended_with_round, left, left_before_deal
from gamehost.games.eriantys.master import Eriantys
from gamehost.games.eriantys.pieces import Tower
from gamehost.games.eriantys.position import Position
from gamehost.games.eriantys.values import evolve
from tests.kit.games.eriantys_table import Dice, circle, new_position, with_islands, with_school

BLACK, WHITE, GREY = Tower.BLACK, Tower.WHITE, Tower.GREY


def with_left(*towers: int, holders: tuple[int, ...] = (), seats: int | None = None) -> Position:
    """A table with so many towers left, by seat, and the first professors with these holders."""
    position = new_position(seats or len(towers))
    for seat, count in enumerate(towers):
        position = with_school(position, seat, towers=count)
    professors = [Seat(holder) for holder in holders]
    return evolve(position, professors=tuple([*professors, *[None] * (5 - len(professors))]))


class AtOnceTests(SynchronousTestCase):
    """The two ends that come in the middle of a round (A.8)."""

    def test_last_tower(self) -> None:
        """A team with no towers left on its board has won, in four both partners."""
        verdict = ended_at_once(with_left(3, 0, 2))
        assert verdict is not None
        self.assertEqual((verdict.team, verdict.winners), (WHITE, (Seat(1),)))
        verdict = ended_at_once(with_left(3, 0, 0, 0))
        assert verdict is not None
        self.assertEqual((verdict.team, verdict.winners), (WHITE, (Seat(1), Seat(2))))

    def test_a_partner_without_towers_is_not_a_winner(self) -> None:
        """Four players: the partners' boards are always empty, and that ends nothing."""
        self.assertIs(ended_at_once(with_left(3, 4, 0, 0)), None)

    def test_three_groups(self) -> None:
        """Three groups of islands end the match by the count; four do not."""
        self.assertIs(
            ended_at_once(with_islands(new_position(), circle((4, BLACK), (4, None), (2, WHITE), (2, None)))), None
        )
        for groups in (((4, BLACK), (4, None), (4, None)), ((6, WHITE), (6, None))):
            verdict = ended_at_once(with_islands(new_position(), circle(*groups)))
            assert verdict is not None
            self.assertEqual(verdict.team, groups[0][1])
            self.assertIn("three groups", verdict.why)

    def test_last_tower_beats_three_groups(self) -> None:
        """Whoever built the last tower has won, whatever the count of three groups would say."""
        position = with_islands(new_position(3), circle((7, BLACK), (4, WHITE), (1, GREY)))
        position = with_school(with_school(position, 0, towers=3), 2, towers=0)
        verdict = ended_at_once(position)
        assert verdict is not None
        self.assertEqual(verdict.team, GREY)
        self.assertIn("last tower", verdict.why)


class WithRoundTests(SynchronousTestCase):
    """The ends that wait for the end of the round (A.8, A.9)."""

    def test_a_round_like_others_ends_nothing(self) -> None:
        """With students and assistants left the match goes on."""
        self.assertIs(ended_with_round(with_left(3, 4)), None)

    def test_students_have_run_out(self) -> None:
        """A round marked as the last ends the match by the count."""
        verdict = ended_with_round(evolve(with_left(3, 4), last_round=True))
        assert verdict is not None
        self.assertEqual((verdict.team, verdict.why), (BLACK, "the students have run out; most towers"))

    def test_assistants_are_used_up(self) -> None:
        """The round in which the last assistants were played ends the match by the count."""
        verdict = ended_with_round(evolve(with_left(5, 4), hands=((), ())))
        assert verdict is not None
        self.assertEqual((verdict.team, verdict.why), (WHITE, "the assistants are used up; most towers"))


class CountTests(SynchronousTestCase):
    """Who is ahead (A.8, D-R9)."""

    def test_fewest_towers_left(self) -> None:
        """The fewest towers left win, whoever has the professors."""
        position = with_left(4, 3, 5, holders=(0, 0, 0))
        self.assertEqual(counted(position.teams, position, "why").winners, (Seat(1),))

    def test_equal_towers_go_by_professors(self) -> None:
        """Among those with the fewest towers left, more professors win; a third player's do not count."""
        position = with_left(3, 3, 4, holders=(2, 2, 1))
        verdict = counted(position.teams, position, "why")
        self.assertEqual(verdict.winners, (Seat(1),))
        self.assertIn("professors", verdict.why)

    def test_partners_count_their_professors_together(self) -> None:
        """Four players: the professors of both partners are one sum."""
        position = with_left(3, 3, 0, 0, holders=(0, 3, 1))
        self.assertEqual(counted(position.teams, position, "why").winners, (Seat(0), Seat(3)))

    def test_d_r9_equal_in_both_share_the_victory(self) -> None:
        """D-R9: equal in towers and professors is a shared victory, and the reason says that it is a tie."""
        position = with_left(3, 3, 4, holders=(0, 1))
        verdict = counted(position.teams, position, "why")
        self.assertEqual((verdict.team, verdict.winners), (None, (Seat(0), Seat(1))))
        self.assertIn("tie", verdict.why)
        four = with_left(3, 3, 0, 0)
        self.assertEqual(counted(four.teams, four, "why").winners, (Seat(0), Seat(3), Seat(1), Seat(2)))


class LeavingTests(SynchronousTestCase):
    """A player who is gone (A.12)."""

    def test_of_two_teams_the_other_wins(self) -> None:
        """Two players, or two teams: the others win, however the match stands."""
        self.assertEqual(left(with_left(1, 8), Seat(0), Cause.LEFT).winners, (Seat(1),))
        verdict = left(with_left(1, 8, 0, 0), Seat(3), Cause.LEFT)
        self.assertEqual((verdict.team, verdict.winners, verdict.cause), (WHITE, (Seat(1), Seat(2)), Cause.LEFT))

    def test_of_three_players_two_are_counted(self) -> None:
        """Three players: the two who remain are compared, also when the leaver was ahead."""
        self.assertEqual(left(with_left(1, 5, 4), Seat(0), Cause.TIME).winners, (Seat(2),))
        tie = left(with_left(1, 5, 5), Seat(0), Cause.LEFT)
        self.assertEqual(tie.winners, (Seat(1), Seat(2)))
        self.assertIn("tie", tie.why)

    def test_before_the_deal(self) -> None:
        """While teams are chosen all win but the leaver and who has chosen the leaver's team."""
        for seats, chosen, leaver, winners, team in (
            (2, (), 0, (1,), None),
            (2, (BLACK, WHITE), 0, (1,), WHITE),
            (3, (BLACK,), 2, (0, 1), None),
            (4, (BLACK, BLACK), 0, (2, 3), None),
            (4, (BLACK, WHITE, BLACK, WHITE), 2, (1, 3), WHITE),
            (4, (BLACK,), 1, (0, 2, 3), None),
        ):
            verdict = left_before_deal(seats, chosen, Seat(leaver), Cause.LEFT)
            self.assertEqual((verdict.winners, verdict.team), (winners, team))

    def test_master_says_it(self) -> None:
        """A seat given up ends the match at once: statuses, the winner, and no more questions."""
        master = Eriantys().new_master(2, {"move_time": "60"}, Dice(1))
        master.begin(0)
        said = [type(to.event).__name__ for to in master.forfeit(Seat(0), 5)]
        self.assertEqual(said, ["PlayerStatus", "PlayerStatus", "Won", "Closing"])
        self.assertIs(master.request, None)
        self.assertIs(master.deadline, None)
        result = master.result
        assert result is not None
        self.assertEqual(result.winners, (Seat(1),))
