"""The high-water mark says how long a journal was, and knows that journal again."""

from hypothesis import given
from hypothesis import strategies as st

from gamehost.storage.database import Loss
from gamehost.storage.high_water_mark import Mark, mark_of, read_mark, write_mark
from gamehost.testing.cases import PropertyCase


class MarkTests(PropertyCase):
    """What `gamehost.storage.high_water_mark` says of itself. That stores are checked with it: `test_damage`."""

    @given(st.integers(0, 2**40), st.integers(0, 2**40), st.binary(min_size=8, max_size=8), st.integers(0, 2**40))
    def test_reads_back(self, last: int, count: int, h: bytes, accounts: int) -> None:
        """What is written is read."""
        mark = mark_of(last, count, h, accounts)
        self.assertEqual(read_mark(write_mark(mark)), mark)

    def test_the_file_is_this(self) -> None:
        """The form does not change by accident."""
        self.assertEqual(write_mark(mark_of(0, 0, b"", 0)), '{"max_seq": 0, "count": 0, "sha": "", "accounts": 0}\n')
        sha = "48f90f414ab525a62b15c4e31492a8dc233a4a7da4ae89bc8dc6a46b7f83aff8"
        text = f'{{"max_seq": 2, "count": 2, "sha": "{sha}"'
        self.assertEqual(write_mark(mark_of(2, 2, b"12345678", 3)), text + ', "accounts": 3}\n')
        self.assertEqual(read_mark(text + "}\n"), mark_of(2, 2, b"12345678", 0), "as older releases wrote it")

    @given(st.text(max_size=60))
    def test_nothing_else_is_a_mark(self, text: str) -> None:
        """Text that was not written as a mark is refused, and nothing else happens."""
        try:
            mark = read_mark(text)
        except Loss:
            return
        self.assertIsInstance(mark, Mark)

    def test_wrong_types_are_refused(self) -> None:
        """Numbers are numbers, and not below zero."""
        for text in (
            '{"max_seq": true, "count": 1, "sha": ""}',
            '{"max_seq": 1.0, "count": 1, "sha": ""}',
            '{"max_seq": 1, "count": -1, "sha": ""}',
            '{"max_seq": 1, "count": 1, "sha": null}',
            '{"max_seq": 1, "count": 1, "sha": "", "accounts": -1}',
            '{"max_seq": 1, "count": 1, "sha": "", "accounts": "1"}',
        ):
            self.assertRaises(Loss, read_mark, text)
