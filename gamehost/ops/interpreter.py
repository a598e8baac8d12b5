"""How the Python that runs the host was built."""

import sysconfig
from collections.abc import Callable


def is_plain(lookup: Callable[[str], object] = sysconfig.get_config_var) -> bool:
    """
    Whether Python was compiled without a profile of its own work (PGO). Such a Python is slower, and nothing else shows it.

    :param lookup: finds a variable of the build; `None`: there is none of this name
    """
    # Debian compiles with a profile by commands of its own, without this option. It removes the compiler's flag for the
    # profile from the installed settings. Other builds leave the flag, used or not.
    asked_for = "--enable-optimizations" in str(lookup("CONFIG_ARGS") or "")
    return not asked_for and bool(lookup("PGO_PROF_USE_FLAG"))
