"""The bots of the documentation, as processes: they play on while the host is killed and started again."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from tests.kit.process import HostProcess

#: Seconds for a bot to finish; it needs a few. A bot that hangs fails the test instead of stopping the suite.
PATIENCE = 120

_WON = re.compile(r"game [0-9]+ won by (.+)")


class Bots:
    """
    Bots as processes of their own; a context manager that leaves none behind.

    :param commands: one for each bot
    """

    def __init__(self, *commands: Sequence[str]) -> None:
        self.processes = [
            subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            for command in commands
        ]

    def __enter__(self) -> "Bots":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for process in self.processes:
            process.kill()
            process.wait(10)
            if process.stdout is not None:
                process.stdout.close()

    def wait_for(self, word: str) -> str:
        """What the first bot prints up to a line with this word."""
        printed = ""
        output = self.processes[0].stdout
        assert output is not None
        for line in output:
            printed += line
            if word in line:
                return printed
        raise AssertionError(f"the bot ended without {word!r}: {printed}")

    def finish(self) -> list[str]:
        """The rest of what each bot prints; all of them end well."""
        printed = [process.communicate(timeout=PATIENCE)[0] for process in self.processes]
        assert [process.returncode for process in self.processes] == [0] * len(printed), printed
        return printed


def winners(printed: str) -> list[str]:
    """Who won, game by game."""
    return _WON.findall(printed)


def play_through_a_kill(wire: str, folder: Path, *commands: Sequence[str]) -> list[str]:
    """
    Two bots begin to play, the host is killed and started again on the same port, and they play all their games.

    :param commands: as for `Bots`, with `PORT` in place of the port
    :return: what each of them printed
    """
    folder.mkdir()
    store = "store.sqlite"
    with HostProcess(wires=[wire], folder=folder, store=store) as host:
        port = str(host.ports[wire])
        with Bots(*([word.replace("PORT", port) for word in command] for command in commands)) as bots:
            begun = bots.wait_for("playing")
            host.kill()
            bots.wait_for("trying again")
            with HostProcess(f"--{wire}=tcp:{port}:interface=127.0.0.1", wires=[wire], folder=folder, store=store):
                printed = bots.finish()
    return [begun + printed[0], *printed[1:]]
