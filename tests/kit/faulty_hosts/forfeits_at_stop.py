"""A host with a fault, for tests of the tests: when it stops, it takes everybody for having left."""

from gamehost.__main__ import main
from gamehost.lobby.lobby import Lobby

_close = Lobby.close


def _close_and_forget(self: Lobby) -> None:
    _close(self)
    self._stopping = False


if __name__ == "__main__":
    Lobby.close = _close_and_forget  # type: ignore[method-assign]
    main()
