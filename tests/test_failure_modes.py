"""The catalogue of `catalogue.txt` is whole: every number stands there once, and every test that is named is there."""

import re
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from attrs import field, frozen
from twisted.trial.unittest import SynchronousTestCase

_HEAD = re.compile(r"(?P<number>[0-9]+)  ?(?P<title>\S.*)")


@frozen
class Row:
    number: int
    title: str
    #: Dotted names.
    tests: tuple[str, ...] = ()
    #: What there is to say beside tests, or instead of them.
    remark: str = field(default="")


def read(text: str) -> Iterator[Row]:
    """
    The rows of a list.

    :raises ValueError: a line is none of the three kinds
    """
    number, title, tests, remarks = 0, "", list[str](), list[str]()
    for line in [*text.strip("\n").splitlines(), "0 end"]:
        head = _HEAD.fullmatch(line)
        if head is not None:
            if number:
                yield Row(number, title, tuple(tests), " ".join(remarks))
            number, title, tests, remarks = int(head["number"]), head["title"], [], []
        elif line.startswith("    - "):
            remarks.append(line[6:])
        elif line.startswith(("    tests.", "    gamehost.testing.")):
            tests.append(line[4:])
        else:
            raise ValueError(f"after row {number}: {line!r} is no row, no test and no remark")


CATALOGUE = Path(__file__).with_name("failure_modes").joinpath("catalogue.txt").read_text("utf-8")
#: What stands before the first row says how to read it.
ROWS = tuple(read(CATALOGUE[CATALOGUE.index("\n1 ") :]))


def missing(row: Row) -> list[str]:
    """The tests of a row that are not where it says they are."""
    found = []
    for name in row.tests:
        module, kind, test = name.rsplit(".", 2)
        home = None if find_spec(module) is None else import_module(module)
        if not callable(getattr(getattr(home, kind, None), test, None)):
            found.append(name)
    return found


class CatalogueTests(SynchronousTestCase):
    def test_every_number_once(self) -> None:
        self.assertEqual([row.number for row in ROWS], list(range(1, 177)))

    def test_every_row_says_something(self) -> None:
        for row in ROWS:
            self.assertTrue(row.title)
            self.assertTrue(row.tests or row.remark, row.number)

    def test_named_tests_are_there(self) -> None:
        """Whoever renames a test finds the rows that name it."""
        self.assertEqual([(row.number, name) for row in ROWS for name in missing(row)], [])

    def test_checks_see_what_is_wrong(self) -> None:
        """A test that is not there is found missing, whichever part of its name is wrong; so is a line of no kind."""
        for name in (
            "tests.nowhere.A.test",
            "tests.test_repository.Nobody.test",
            "tests.test_repository.SuiteTests.test_nothing",
        ):
            self.assertEqual(missing(Row(1, "x", (name,))), [name])
        [row] = read("7 seven\n    tests.a.B.test_c\n    - because\n    - of that\n")
        self.assertEqual(row, Row(7, "seven", ("tests.a.B.test_c",), "because of that"))
        self.assertRaises(ValueError, list, read("7 seven\n  tests.a.B.test_c\n"))
