"""
Chromium as a process of the test's own reactor: commands go through a pipe, and no driver and no port is needed.

The protocol is the one of the developer tools: JSON, and a NUL byte behind each message, on the file descriptors 3 and 4.
"""

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from msgspec import json
from twisted.internet.defer import Deferred
from twisted.internet.error import ProcessExitedAlready
from twisted.internet.protocol import ProcessProtocol
from twisted.python.failure import Failure
from twisted.trial.unittest import SkipTest

NAMES = ("chromium", "chromium-browser", "google-chrome")

#: `required`: a test without a browser is a failure, and is not skipped.
VARIABLE = "GAMEHOST_BROWSER"

OPTIONS = (
    *("--headless=new", "--remote-debugging-pipe", "--no-first-run", "--no-default-browser-check"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions"),
    *("--disable-background-timer-throttling", "--disable-renderer-backgrounding"),
    *("--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars", "--mute-audio", "--force-color-profile=srgb"),
    *("--disable-features=Translate,MediaRouter,OptimizationHints", "--font-render-hinting=none"),
)


def find_chromium() -> str:
    """
    The browser of this machine.

    :raises SkipTest: there is none
    :raises AssertionError: there is none, and there must be one
    """
    for name in NAMES:
        path = shutil.which(name)
        if path is not None:
            return path
    why = f"there is no browser here: none of {', '.join(NAMES)}; `make test-browser` installs one"
    if os.environ.get(VARIABLE) == "required":
        raise AssertionError(why)
    raise SkipTest(why)


class CommandFailed(Exception):
    """The browser refuses a command, or a script in a page has failed."""


class Chromium(ProcessProtocol):
    """
    One browser. Made by `Chromium.start`.

    :param heard: called with the session and the name and the parameters of each event
    """

    def __init__(self, heard: Callable[[str, str, Mapping[str, Any]], None]) -> None:
        self._heard = heard
        self._unread = b""
        self._asked: dict[int, Deferred[Any]] = {}
        self._number = 0
        self._errors = b""
        self._ended: Deferred[None] = Deferred()
        self._folder = tempfile.TemporaryDirectory(prefix="gamehost-browser-", ignore_cleanup_errors=True)

    def start(self, reactor: Any, more: Sequence[str] = ()) -> None:
        """
        Start the process.

        :raises SkipTest: as `find_chromium`
        """
        path = find_chromium()
        options = [path, *OPTIONS, f"--user-data-dir={self._folder.name}", *more]
        if os.getuid() == 0:
            options.append("--no-sandbox")
        # As the child sees them: it reads commands from 3, and writes answers to 4.
        descriptors: Any = {0: "w", 1: "r", 2: "r", 3: "w", 4: "r"}
        reactor.spawnProcess(self, path, [*options, "about:blank"], env=dict(os.environ), childFDs=descriptors)

    def ask(self, method: str, session: str = "", **parameters: Any) -> Deferred[Any]:
        """
        Give a command.

        :param session: of a page
        :returns: fires with the answer; fails with `CommandFailed`
        """
        self._number += 1
        command = {"id": self._number, "method": method, "params": parameters}
        if session:
            command["sessionId"] = session
        answer = self._asked[self._number] = Deferred()
        transport: Any = self.transport
        transport.writeToChild(3, json.encode(command) + b"\x00")
        return answer

    def childDataReceived(self, childFD: int, data: bytes) -> None:
        """Read answers and events."""
        if childFD != 4:
            self._errors = (self._errors + data)[-4_000:]
            return
        *messages, self._unread = (self._unread + data).split(b"\x00")
        for text in messages:
            message = json.decode(text)
            if "id" not in message:
                self._heard(message.get("sessionId", ""), message["method"], message["params"])
                continue
            answer = self._asked.pop(message["id"])
            if "error" in message:
                answer.errback(CommandFailed(message["error"]["message"]))
            else:
                answer.callback(message["result"])

    def stop(self) -> Deferred[None]:
        """End the process. Fires when it is gone."""
        transport: Any = self.transport
        if transport is not None:
            with suppress(ProcessExitedAlready):
                transport.signalProcess("KILL")
        else:
            self._folder.cleanup()
            self._ended.callback(None)
        return self._ended

    def processEnded(self, reason: Failure) -> None:
        """The process is gone."""
        self._folder.cleanup()
        asked, self._asked = self._asked, {}
        words = self._errors.decode("utf-8", "replace").strip()
        for answer in asked.values():
            answer.errback(CommandFailed(f"the browser has ended: {words}"))
        self._ended.callback(None)
