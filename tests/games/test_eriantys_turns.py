"""Turns: their three moves, and the ends in their places, with the words in their order."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.eriantys.actions import (
    ChooseCloud,
    ChooseDestination,
    ChooseSteps,
    ChooseStudent,
    PlayAssistant,
    RuleFault,
)
from gamehost.games.eriantys.events import (
    AskCloud,
    AskDestination,
    AskSteps,
    AskStudent,
    Board,
    Denied,
    IslandOwner,
    NoEntryUsed,
)
from gamehost.games.eriantys.phases import Play
from gamehost.games.eriantys.pieces import Colour, Status, Tower
from gamehost.games.eriantys.position import Position
from gamehost.games.eriantys.values import evolve
from tests.kit.games.eriantys_table import (
    at,
    circle,
    go,
    names,
    new_position,
    refusal,
    students,
    with_islands,
    with_school,
)

BLACK, WHITE = Tower.BLACK, Tower.WHITE


class MoveOneTests(SynchronousTestCase):
    """Moving students."""

    def test_script(self) -> None:
        """A student, a destination, the board; after the last one the move ends and steps are asked for."""
        play = at(new_position(), Status.MOVE_1)
        play, say = go(play, ChooseStudent(Colour.RED))
        self.assertEqual(names(say), ["AskDestination 0"])
        self.assertEqual(play.request, AskDestination(Seat(0), 12, dining_room=True))
        play, say = go(play, ChooseDestination(0))
        self.assertEqual(names(say), ["Success 0", "Board", "AskStudent 0"])
        play, _ = go(play, ChooseStudent(Colour.BLUE), ChooseDestination(12))
        play, say = go(play, ChooseStudent(Colour.BLUE), ChooseDestination(1))
        self.assertEqual(
            names(say), ["AskDestination 0", "Success 0", "Board", "END_MOVE_1 0", "MOVE_2 0", "AskSteps 0"]
        )
        self.assertEqual(play.position.school.dining, students(red=1))
        self.assertEqual(play.position.school.entrance, students(2, 0, 1, 0, 1))
        self.assertEqual([sum(play.position.islands[at].students) for at in (11, 0)], [2, 1])

    def test_three_players_move_four(self) -> None:
        """With three players four students are moved."""
        play = at(new_position(3), Status.MOVE_1)
        for number in range(4):
            self.assertIsInstance(play.request, AskStudent, number)
            play, _ = go(play, ChooseStudent(next(c for c in Colour if play.position.school.entrance[c])))
            play, _ = go(play, ChooseDestination(2))
        self.assertEqual(play.request, AskSteps(Seat(0), 4))

    def test_students_that_are_not_there(self) -> None:
        """A colour that is not in the entrance, or no colour, is refused and the question stays."""
        play = at(with_school(new_position(), 0, entrance=students(7)), Status.MOVE_1)
        self.assertIs(refusal(self, play, ChooseStudent(Colour.RED)).fault, RuleFault.STUDENT_NOT_AVAILABLE)
        self.assertIs(refusal(self, play, ChooseStudent(None)).fault, RuleFault.INVALID_INPUT)
        self.assertTrue(refusal(self, play, ChooseStudent(None)).ask_again)

    def test_a_destination_that_is_not_there_drops_the_student(self) -> None:
        """Numbers that are no destination are denied, and the question for a student comes again."""
        for number in (13, -1, 10**20):
            play, _ = go(at(new_position(), Status.MOVE_1), ChooseStudent(Colour.RED))
            after, say = go(play, ChooseDestination(number))
            self.assertEqual(names(say), ["Denied 0", "AskStudent 0"])
            denied = say[0].event
            assert isinstance(denied, Denied)
            self.assertIs(denied.fault, RuleFault.INVALID_INPUT)
            self.assertEqual((after.position, after.picked), (play.position, None))

    def test_island_numbers_are_those_of_the_circle_now(self) -> None:
        """With five groups left 5 is an island and 6 is none."""
        islands = circle((4, WHITE), (4, None), (2, BLACK), (1, None), (1, BLACK))
        play, _ = go(at(with_islands(new_position(), islands), Status.MOVE_1), ChooseStudent(Colour.RED))
        after, _ = go(play, ChooseDestination(5))
        self.assertEqual(after.position.islands[4].students, students(red=1))
        self.assertEqual(names(go(play, ChooseDestination(6))[1])[0], "Denied 0")

    def test_a_full_table_drops_the_student(self) -> None:
        """An eleventh student of a colour is denied; the same student may go to an island."""
        play, _ = go(
            at(with_school(new_position(), 0, dining=students(red=10)), Status.MOVE_1), ChooseStudent(Colour.RED)
        )
        after, say = go(play, ChooseDestination(0))
        self.assertEqual(names(say), ["Denied 0", "AskStudent 0"])
        denied = say[0].event
        assert isinstance(denied, Denied)
        self.assertIs(denied.fault, RuleFault.FULL_DINING_ROOM)
        go(after, ChooseStudent(Colour.RED), ChooseDestination(3))

    def test_other_answers_are_out_of_place(self) -> None:
        """What does not answer the question is refused, and the question is not put again."""
        play = at(new_position(), Status.MOVE_1)
        for action in (ChooseDestination(1), ChooseSteps(1), ChooseCloud(0), PlayAssistant(1)):
            refused = refusal(self, play, action)
            self.assertIs(refused.fault, RuleFault.INVALID_ACTION)
            self.assertFalse(refused.ask_again)
        chosen, _ = go(play, ChooseStudent(Colour.RED))
        self.assertIs(refusal(self, chosen, ChooseStudent(Colour.RED)).fault, RuleFault.INVALID_ACTION)


def walking(position: Position, assistant: int = 7) -> Play:
    """Seat 0 about to move Mother Nature, with this assistant played and every cloud full."""
    position = with_school(position, 0, played=assistant)
    return at(evolve(position, clouds=(students(3),) * len(position.clouds)), Status.MOVE_2)


class MoveTwoTests(SynchronousTestCase):
    """Mother Nature walks, and where she stops is resolved."""

    def owned(self, *groups: tuple[int, Tower | None], heap: int = 1) -> Position:
        """A circle with yellow students on group 2, and seat 0 the yellow professor."""
        islands = circle(*groups)
        islands[1] = evolve(islands[1], students=students(yellow=heap))
        position = with_islands(new_position(), islands)
        return evolve(position, professors=(Seat(0), None, None, None, None))

    def test_script_without_a_merger(self) -> None:
        """Steps, the board, the owner, the board again, and the clouds are asked for."""
        play, say = go(walking(self.owned(*[(1, None)] * 12)), ChooseSteps(1))
        script = ["Success 0", "Board", "IslandOwner", "Board", "END_MOVE_2 0", "MOVE_3 0", "AskCloud 0"]
        self.assertEqual(names(say), script)
        owner = say[2].event
        assert isinstance(owner, IslandOwner)
        self.assertEqual((owner.number, owner.owner), (2, Seat(0)))
        self.assertEqual(play.position.mother_nature, 1)

    def test_script_with_a_merger(self) -> None:
        """Islands that grow together are told after the owner, whose island is told as it was before."""
        play, say = go(walking(self.owned((1, None), (1, None), (1, BLACK), *[(1, None)] * 9)), ChooseSteps(1))
        self.assertEqual(names(say)[:5], ["Success 0", "Board", "IslandOwner", "Unified", "Board"])
        owner = say[2].event
        assert isinstance(owner, IslandOwner)
        self.assertEqual(owner.island.members, (2,))
        self.assertEqual(play.position.islands[1].members, (2, 3))

    def test_owner_is_told_though_nothing_changed(self) -> None:
        """After each count the owner is told, nobody where nobody owns the island."""
        _, say = go(walking(new_position()), ChooseSteps(2))
        owner = say[2].event
        assert isinstance(owner, IslandOwner)
        self.assertIs(owner.owner, None)

    def test_the_board_before_the_island_is_resolved_says_so(self) -> None:
        """The first of the two boards, and no other one."""
        _, say = go(walking(new_position()), ChooseSteps(2))
        self.assertEqual([to.event.unresolved for to in say if isinstance(to.event, Board)], [True, False])

    def test_no_entry_tile_is_told_in_place_of_the_owner(self) -> None:
        """Where a tile stops the count there is no owner to tell."""
        position = self.owned(*[(1, None)] * 12)
        position = position.with_island(1, evolve(position.islands[1], no_entry_tiles=1))
        play, say = go(walking(position), ChooseSteps(1))
        self.assertEqual(names(say)[2:4], ["NoEntryUsed", "Board"])
        self.assertEqual(say[2].event, NoEntryUsed(2))
        self.assertIs(play.position.islands[1].tower, None)

    def test_steps_are_one_to_the_assistants(self) -> None:
        """Zero, one too many and wild numbers are refused, and the question stays."""
        play = walking(new_position(), assistant=6)
        self.assertEqual(play.request, AskSteps(Seat(0), 3))
        for number in (0, 4, -1, 10**30, -(10**30)):
            refused = refusal(self, play, ChooseSteps(number))
            self.assertIs(refused.fault, RuleFault.INVALID_INPUT)
            self.assertTrue(refused.ask_again)

    def test_d_r16_steps_may_go_around_the_circle(self) -> None:
        """D-R16: five steps among four groups end one further on."""
        position = with_islands(new_position(), circle((4, BLACK), (4, None), (3, WHITE), (1, None)), mother_nature=3)
        play, _ = go(walking(position, assistant=10), ChooseSteps(5))
        self.assertEqual(play.position.mother_nature, 0)

    def test_last_tower_ends_the_match_without_a_merger(self) -> None:
        """The last tower: the owner and the board are told, no merger, and nothing more is asked."""
        position = self.owned((7, BLACK), (1, None), (1, WHITE), (3, None))
        play, say = go(walking(position), ChooseSteps(1))
        self.assertEqual(names(say), ["Success 0", "Board", "IslandOwner", "Board"])
        assert play.verdict is not None
        self.assertEqual((play.verdict.team, play.request), (BLACK, None))

    def test_three_groups_end_the_match(self) -> None:
        """A merger that leaves three groups (from five, or from four two) ends the match after its board."""
        for groups in (
            ((1, BLACK), (1, None), (1, BLACK), (1, WHITE), (8, None)),
            ((1, BLACK), (1, None), (1, BLACK), (9, WHITE)),
        ):
            play, say = go(walking(self.owned(*groups)), ChooseSteps(1))
            self.assertEqual(names(say), ["Success 0", "Board", "IslandOwner", "Unified", "Board"])
            assert play.verdict is not None
            self.assertIn("three groups", play.verdict.why)


class MoveThreeTests(SynchronousTestCase):
    """Taking a cloud, and what comes after a turn."""

    def choosing(self, turn: int = 0, **changes: object) -> Play:
        """A match in which a cloud is to be chosen, by the player who acts first or last."""
        position = evolve(new_position(), turn=turn, clouds=(students(1, 1, 1), students()))
        return at(evolve(position, **changes), Status.MOVE_3)  # type: ignore[arg-type]

    def test_script_between_turns(self) -> None:
        """The end of the turn, the board, the status, and the next player's turn."""
        play, say = go(self.choosing(), ChooseCloud(0))
        script = ["EndOfTurn", "Board", "WAITING 0", "StartOfTurn", "MOVE_1 1", "AskStudent 1"]
        self.assertEqual(names(say), script)
        self.assertEqual(play.position.schools[0].entrance, students(3, 3, 2, 1, 1))
        self.assertEqual(play.position.clouds, (students(), students()))

    def test_script_between_rounds(self) -> None:
        """After the last turn the end of the round is told, and the clouds are filled for the next."""
        play, say = go(self.choosing(turn=1), ChooseCloud(0))
        script = ["EndOfTurn", "Board", "EndOfRound", "WAITING 1", "Board", "PLANNING 0", "AskAssistant 0"]
        self.assertEqual(names(say), script)
        self.assertEqual(play.position.round, 2)

    def test_clouds_that_cannot_be_had(self) -> None:
        """An empty cloud and one that is not there are refused, and the question stays."""
        play = self.choosing()
        self.assertEqual(play.request, AskCloud(Seat(0), (0,)))
        self.assertIs(refusal(self, play, ChooseCloud(1)).fault, RuleFault.EMPTY_CLOUD)
        for number in (2, -1, 10**30):
            self.assertIs(refusal(self, play, ChooseCloud(number)).fault, RuleFault.INVALID_INPUT)
        self.assertTrue(refusal(self, play, ChooseCloud(1)).ask_again)

    def test_last_round_ends_the_match_after_its_last_turn(self) -> None:
        """A last round is played to its end; then the match is over without another question."""
        play, say = go(self.choosing(last_round=True), ChooseCloud(0))
        self.assertIs(play.verdict, None)
        play, say = go(self.choosing(turn=1, last_round=True), ChooseCloud(0))
        self.assertEqual(names(say), ["EndOfTurn", "Board", "EndOfRound", "WAITING 1"])
        assert play.verdict is not None
        self.assertIn("students", play.verdict.why)

    def test_tenth_round_ends_the_match(self) -> None:
        """With the assistants used up the match is over after the round."""
        play, _ = go(self.choosing(turn=1, hands=((), ())), ChooseCloud(0))
        assert play.verdict is not None
        self.assertIn("assistants", play.verdict.why)

    def test_d_r3_a_round_without_students_on_clouds(self) -> None:
        """D-R3: a refill that falls short says that the round is the last, and its turns end without a cloud."""
        play, say = go(self.choosing(turn=1, bag=students(red=5)), ChooseCloud(0))
        self.assertEqual(names(say)[4:], ["Board", "LastRound", "PLANNING 0", "AskAssistant 0"])
        play, _ = go(play, PlayAssistant(1), PlayAssistant(2))
        for number in range(3):
            colour = Colour(number)
            play, _ = go(play, ChooseStudent(colour), ChooseDestination(3 + number))
        play, say = go(play, ChooseSteps(1))
        script = ["END_MOVE_2 0", "MOVE_3 0", "EndOfTurn", "Board", "WAITING 0", "StartOfTurn", "MOVE_1 1"]
        self.assertEqual(names(say)[4:], [*script, "AskStudent 1"])
