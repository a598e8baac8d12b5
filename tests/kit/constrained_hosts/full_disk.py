"""A host that may write only small files: a full disk, for tests."""

import resource

from gamehost.__main__ import main

#: Bytes: room for a new store and a few moves, and for nothing after that.
ROOM = 131_072

if __name__ == "__main__":
    # Python ignores SIGXFSZ, so that a write past the limit fails with EFBIG.
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, ROOM))
    main()
