"""Hosts with a leak, for tests of the search for passwords: which one, the environment's `LEAK` says."""

import base64
import os
from pathlib import Path
from typing import Any

from attrs import evolve
from twisted.logger import Logger

from gamehost.__main__ import main
from gamehost.accounts.passwords import Digest
from gamehost.lobby.lobby import Lobby
from gamehost.net.connection import WireProtocol

log = Logger()
_log_in: Any = Lobby.log_in
_lost: Any = WireProtocol.connectionLost
_of: Any = Digest.of


def _repr_in_the_log(self: Lobby, name: str, password: str, *more: Any) -> Any:
    log.info("{who} logs in", who=(name, password))
    return _log_in(self, name, password, *more)


def _utf16_beside(self: Lobby, name: str, password: str, *more: Any) -> Any:
    Path("notes").write_bytes(password.encode("utf-16"))
    return _log_in(self, name, password, *more)


def _base64_in_the_store(password: bytes, cost: Any) -> Any:
    return evolve(_of(password, cost), salt=base64.b64encode(b"!" + password))


def _what_was_cut(self: Any, reason: Any = None) -> None:
    if (lines := getattr(self._codec, "_lines", None)) is not None:
        log.info("lost with {rest}", rest=bytes(lines._rest).hex())
    _lost(self, reason)


LEAKS = {
    "repr": (Lobby, "log_in", _repr_in_the_log),
    "beside": (Lobby, "log_in", _utf16_beside),
    "store": (Digest, "of", staticmethod(_base64_in_the_store)),
    "cut": (WireProtocol, "connectionLost", _what_was_cut),
}

if __name__ == "__main__":
    where, name, leak = LEAKS[os.environ["LEAK"]]
    setattr(where, name, leak)
    main()
