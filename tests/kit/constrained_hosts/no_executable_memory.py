"""A host that may have no memory that is both written and executed, as a sandbox has it; status 77: this system cannot."""

import ctypes
import sys

from gamehost.__main__ import main

_PR_SET_MDWE, _REFUSE_EXEC_GAIN = 65, 1

if __name__ == "__main__":
    if ctypes.CDLL(None).prctl(_PR_SET_MDWE, _REFUSE_EXEC_GAIN, 0, 0, 0) != 0:
        sys.exit(77)
    main()
