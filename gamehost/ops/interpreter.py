"""Finds out how the Python that runs the host was built."""

import sysconfig
from collections.abc import Callable


def is_plain(lookup: Callable[[str], object] = sysconfig.get_config_var) -> bool:
    """
    Whether Python was compiled without profile-guided optimization (PGO). Such a Python is slower, and shows this
    nowhere else.

    :param lookup: returns the value of a build variable, or `None` if there is none of this name
    """
    # Debian uses PGO with commands of its own, and without this option. But Debian removes the compiler's flag for PGO
    # from the installed settings. Other builds leave the flag there, whether it was used or not.
    asked_for = "--enable-optimizations" in str(lookup("CONFIG_ARGS") or "")
    return not asked_for and bool(lookup("PGO_PROF_USE_FLAG"))
