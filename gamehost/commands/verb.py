"""What one verb of `gamehost admin` takes, and how its answer is shown."""

import argparse
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from attrs import frozen

#: Names and values of an answer.
Facts: TypeAlias = Mapping[str, Any]


def nothing(parser: argparse.ArgumentParser) -> None:
    """A verb without arguments."""


def no_lines(facts: Facts) -> Iterable[str]:
    """Nothing is shown."""
    return ()


@frozen
class Verb:
    """One verb."""

    #: A few words for the help text.
    help: str
    #: The lines for the end of an answer.
    end: Callable[[Facts], Iterable[str]] = no_lines
    #: The lines for one item.
    item: Callable[[Facts], Iterable[str]] = no_lines
    add_arguments: Callable[[argparse.ArgumentParser], None] = nothing
