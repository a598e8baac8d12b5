"""
What trial needs to run property tests well.

trial prints only an exception's own text, and Hypothesis says the falsifying example in the exception's notes. Test
cases with properties derive from `PropertyCase`, which puts the two together.
"""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from twisted.trial.unittest import SynchronousTestCase


def with_notes(error: BaseException) -> BaseException:
    """The same exception, its notes folded into its text."""
    notes = getattr(error, "__notes__", ())
    if notes:
        error.args = ("\n".join([str(error), *notes]),)
        del error.__notes__
    return error


def telling(test: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a test method so that what Hypothesis notes on a failure is said."""

    @functools.wraps(test)
    def told(*args: Any, **kwargs: Any) -> Any:
        try:
            return test(*args, **kwargs)
        except Exception as error:
            raise with_notes(error) from None

    return told


class PropertyCase(SynchronousTestCase):
    """A test case whose failures name the falsifying example, those of properties from mixins too."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name in dir(cls):
            if name.startswith("test") and hasattr(getattr(cls, name), "hypothesis"):
                setattr(cls, name, telling(getattr(cls, name)))


if TYPE_CHECKING:
    Mixin = PropertyCase
else:
    #: What a mixin of tests derives from: to the type checker a test case, to trial nothing to collect.
    Mixin = object
