"""
The suite. Run it with `make test`, or with `python -m twisted.trial tests` from the checkout.

Property tests draw the same examples in every run. `make test-properties` draws new ones, and more.
"""

import os
import tempfile

# trial runs its workers in folders of their own: one place for all, outside the checkout.
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", os.path.join(tempfile.gettempdir(), "gamehost-hypothesis"))

from hypothesis import HealthCheck, settings

settings.register_profile(
    "suite",
    deadline=None,
    derandomize=True,
    max_examples=20,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.differing_executors],
)
settings.register_profile(
    "search",
    deadline=None,
    max_examples=int(os.environ.get("GAMEHOST_EXAMPLES", "200")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.differing_executors],
)
settings.load_profile(os.environ.get("GAMEHOST_TEST_PROFILE", "suite"))
