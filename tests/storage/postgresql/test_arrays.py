"""Values in PostgreSQL's binary format: the same bytes as psycopg makes."""

from typing import Any

from psycopg.adapt import PyFormat, Transformer
from psycopg.types.numeric import Int2, Int4, Int8
from twisted.trial.unittest import SynchronousTestCase

from gamehost.storage.postgresql.rows import bytea_array, int2_array, int4_array, int8, int8_array


def by_psycopg(value: Any) -> bytes:
    """The value as psycopg dumps it."""
    return bytes(Transformer().get_dumper(value, PyFormat.BINARY).dump(value) or b"")


class ArrayTests(SynchronousTestCase):
    """Each type."""

    def test_numbers(self) -> None:
        """Small, large and negative ones."""
        for values in ([1], [0, -1, 2**31 - 1, -(2**31)], list(range(300))):
            self.assertEqual(int8_array(values), by_psycopg([Int8(value) for value in values]))
            self.assertEqual(int4_array(values), by_psycopg([Int4(value) for value in values]))
        self.assertEqual(int8_array([2**63 - 1]), by_psycopg([Int8(2**63 - 1)]))
        self.assertEqual(int2_array([1, 64]), b"\0\0\0\1\0\0\0\1" + by_psycopg([Int2(1), Int2(64)])[8:])
        self.assertEqual(int2_array([None, 3]), by_psycopg([None, Int2(3)]))
        self.assertEqual(int8(-7), by_psycopg(Int8(-7)))

    def test_bytes(self) -> None:
        """Any bytes, and none."""
        values = [b"", b"\0\xff", b"a" * 1000]
        self.assertEqual(bytea_array(values), by_psycopg(values))

    def test_nothing(self) -> None:
        """An array without elements has no dimension, and a type."""
        for array, kind in ((int8_array, 20), (int4_array, 23), (int2_array, 21), (bytea_array, 17)):
            empty: Any = array
            self.assertEqual(empty([]), b"\0" * 11 + bytes([kind]))
