"""A host that checks one table before it opens its ports, and all others later, as with very many tables: for tests."""

from gamehost.__main__ import main
from gamehost.storage import record_check

if __name__ == "__main__":
    record_check.AT_START = 1
    main()
