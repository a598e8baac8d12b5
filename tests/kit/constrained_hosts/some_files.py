"""A host that may open some files, and knows how many: for tests of whom it refuses."""

import resource

from gamehost.__main__ import main

FILES = 192

if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))
    main()
