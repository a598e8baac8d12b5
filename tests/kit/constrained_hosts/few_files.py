"""A host that may open few files, and believes that it may open many: out of files, for tests."""

import resource

from gamehost.__main__ import main
from gamehost.ops import systemd as supervisor

FILES = 64

if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))
    supervisor.OTHER_FILES = -1000
    main()
