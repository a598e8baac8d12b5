"""Failing properties are seen to fail under trial, with their example."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.reporter import TestResult
from twisted.trial.unittest import SynchronousTestCase

from gamehost.testing.cases import PropertyCase


class Planted:
    """A mixin with a property that is false."""

    @given(st.integers())
    def test_small(self, number: int) -> None:
        assert number < 1000


def outcome(case: type[PropertyCase]) -> str:
    """What trial says of `test_small`."""
    result: Any = TestResult()
    case("test_small").run(result)
    [(_, failure)] = result.failures + result.errors
    return str(failure)


class TellingTests(SynchronousTestCase):
    def test_planted_property_fails_and_names_its_example(self) -> None:

        class Case(PropertyCase):
            test_small = Planted.test_small

        self.assertIn("number=1000", outcome(Case))

    def test_property_from_a_mixin_is_told_too(self) -> None:
        """A property that comes from a mixin names its example as well."""

        class Case(Planted, PropertyCase):
            pass

        self.assertIn("number=1000", outcome(Case))
