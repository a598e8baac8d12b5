"""
Test cases for property tests under trial.

trial prints only the text of an exception. Hypothesis writes the falsifying example into the notes of the exception. A test
case that derives from `PropertyCase` prints both.
"""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, Phase, settings
from twisted.trial.unittest import SynchronousTestCase

# A suite that has chosen no profile gets one in which no test depends on how fast the machine is.
if settings.get_current_profile_name() == "default":
    settings.register_profile("gamehost", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("gamehost")


#: For properties of whole random matches. A failure is printed as it was found, with the actions of the match. Hypothesis does
#: not look for a smaller one, because for that it would play hundreds of long matches, which takes minutes.
of_matches = settings(phases=(Phase.explicit, Phase.reuse, Phase.generate))


def with_notes(error: BaseException) -> BaseException:
    """Appends the notes of an exception to its text, and returns the exception."""
    notes = getattr(error, "__notes__", ())
    if notes:
        error.args = ("\n".join([str(error), *notes]),)
        # Otherwise they would be printed twice.
        del error.__notes__
    return error


def printing_example(test: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a test method that calls this one. If it fails, trial also prints the notes of Hypothesis."""

    @functools.wraps(test)
    def told(*args: Any, **kwargs: Any) -> Any:
        """Calls the test. Raises its exception again, with the notes in the text."""
        try:
            return test(*args, **kwargs)
        except Exception as error:
            # `None`: the traceback shows the error once.
            raise with_notes(error) from None

    return told


class PropertyCase(SynchronousTestCase):
    """A test case that prints the falsifying example of a failure, for inherited properties too."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Called when a class derives from this one: replaces its property tests by tests that print their examples."""
        super().__init_subclass__(**kwargs)
        # `dir` also names inherited tests. Hypothesis gives its tests the attribute `hypothesis`.
        for name in dir(cls):
            if name.startswith("test") and hasattr(getattr(cls, name), "hypothesis"):
                setattr(cls, name, printing_example(getattr(cls, name)))


if TYPE_CHECKING:
    Mixin = PropertyCase
else:
    #: The base of a mixin of tests. The type checker sees a test case; trial sees nothing that it would collect.
    Mixin = object
