"""The picture of a match, made from its record."""

from collections.abc import Sequence

from attrs import evolve, frozen

from gamehost.games.base import Cause, Seat
from gamehost.games.drawing import Scene
from gamehost.games.paper_soccer.master import PAPER_SOCCER, Move
from gamehost.journal.pictures import NoPicture, picture
from gamehost.journal.records import Entry, EntryKind, SeatRecord, TableHeader, TableId, TableRecord
from gamehost.testing.cases import PropertyCase
from tests.journal.test_replay import played
from tests.kit.example_game import TOY, Toy

SEATS = (SeatRecord("ann", "toy"), SeatRecord("bob", "toy"))
SCENES: list[Scene] = []


@frozen
class Sketched(Toy):
    """A toy game with pictures."""

    def draw(self, scene: Scene) -> str:
        """Keep what the picture would be made of."""
        SCENES.append(scene)
        return "a picture"


SKETCHED = Sketched()


def record(entries: Sequence[Entry], game: str = "toy", **settings: str) -> TableRecord:
    """A record of two players."""
    return TableRecord(TableId(7), TableHeader(game, 1, SEATS, settings), tuple(entries))


class PictureTests(PropertyCase):
    """What a game is given, and what cannot be drawn."""

    def scene(self, entries: Sequence[Entry], **changes: object) -> Scene:
        """What the game is given for a picture."""
        self.assertEqual(picture(SKETCHED, record(entries, goal="100"), **changes), "a picture")  # type: ignore[arg-type]
        return SCENES.pop()

    def test_a_match_that_goes_on(self) -> None:
        """What happened, entry by entry; the view of the one who asks, and nobody else's."""
        scene = self.scene(played(3), date="2026-01-31")
        self.assertEqual((scene.names, scene.seat, scene.result, scene.views), (["ann", "bob"], None, None, ()))
        self.assertEqual([turn.seat for turn in scene.turns], [None, 0, 1, 0])
        self.assertEqual(scene.view.count, 3)
        self.assertEqual(scene.source, "table 7, 2026-01-31")
        self.assertEqual(self.scene(played(3), seat=Seat(1)).seat, 1)

    def test_until_an_entry(self) -> None:
        """As the match stood then."""
        scene = self.scene(played(100), until=3)
        self.assertEqual((scene.view.count, len(scene.turns), scene.result), (2, 3, None))

    def test_a_match_that_is_over(self) -> None:
        """The views of all seats, unless nothing may be revealed."""
        scene = self.scene(played(100))
        self.assertIsNotNone(scene.result)
        self.assertEqual(len(scene.views), 2)
        self.assertEqual(self.scene(played(100), reveal=False).views, ())

    def test_a_match_that_was_put_away(self) -> None:
        """It says so."""
        self.assertIn("put away", self.scene([*played(3), Entry(EntryKind.ARCHIVED, 9)]).standstill)

    def test_an_illegal_move(self) -> None:
        """What lost the match is given to the game."""
        entries = [
            Entry(EntryKind.BEGAN, 0, drawn=(0,)),
            Entry(EntryKind.ACTED, 1, Seat(0), b"3,3", outcome="bob won (violation): illegal move"),
        ]
        drawn = picture(PAPER_SOCCER, record(entries, "paper-soccer"))
        self.assertIn('class="cross"', drawn)
        master = PAPER_SOCCER.new_master(2, {}, _Nothing())
        master.begin(0)
        master.act(Seat(0), Move(((3, 3),)), 1)
        assert master.result is not None
        self.assertIs(master.result.cause, Cause.VIOLATION)

    def test_what_cannot_be_drawn(self) -> None:
        """Each with its reason."""
        wrong = [*played(2), evolve(played(3)[-1], notation=b"+7")]
        for game, entries, seat, reason in (
            (TOY, played(1), None, "the game has no pictures"),
            (SKETCHED, [], None, "the match has not begun"),
            (SKETCHED, played(1), Seat(2), "there is no seat 2; expected 0 to 1"),
            (SKETCHED, wrong, None, "its record does not fit the rules: entry 4"),
        ):
            error = self.assertRaises(NoPicture, picture, game, record(entries, goal="100"), seat=seat)
            self.assertIn(reason, str(error))


class _Nothing:
    """Chance that always gives 0."""

    def below(self, n: int) -> int:
        return 0
