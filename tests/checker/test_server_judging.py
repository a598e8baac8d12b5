"""How findings name what differs."""

from msgspec import Struct
from twisted.trial.unittest import SynchronousTestCase

from gamehost.checker.server_run import differences
from gamehost.wires.onitama import messages as m


class Part(Struct, frozen=True):
    """A value with parts."""

    count: int
    marks: dict[str, int]


class Whole(Struct, frozen=True):
    """A message with parts."""

    parts: tuple[Part, ...]
    names: tuple[str, ...] = ()


class DifferencesTests(SynchronousTestCase):
    """Each by its way into the message."""

    def test_equal(self) -> None:
        """There is none."""
        self.assertEqual(list(differences(Whole(()), Whole(()))), [])

    def test_flat(self) -> None:
        """Each field by its name."""
        got, expected = m.MoveWasMade("ox", "a1", "a2"), m.MoveWasMade("ox", "a1", "b2")
        self.assertEqual(list(differences(got, expected)), [(["end"], "end is 'a2', expected 'b2'")])

    def test_parts(self) -> None:
        """Places of a list are told, and do not make another finding."""
        got = Whole((Part(1, {"red": 2}), Part(1, {"red": 2})))
        expected = Whole((Part(1, {"red": 2}), Part(3, {"red": 4})))
        self.assertEqual(
            list(differences(got, expected)),
            [
                (["parts", "count"], "parts[1].count is 1, expected 3"),
                (["parts", "marks"], "parts[1].marks.red is 2, expected 4"),
            ],
        )

    def test_what_cannot_be_compared_part_by_part(self) -> None:
        """It is told as a whole."""
        self.assertEqual(
            list(differences(Whole((), ("ann", "bob")), Whole((Part(1, {}),), ("bob",)))),
            [
                (["parts"], "parts is (), expected (Part(count=1, marks={}),)"),
                (["names"], "names is ('ann', 'bob'), expected ('bob',)"),
            ],
        )
