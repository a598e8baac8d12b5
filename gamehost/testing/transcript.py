"""
Transcripts: a session as a person with netcat sees it, as text that is both test and documentation.

A transcript is a text file in a folder that has the wire's name. Its lines are:

- `C1: line`: client 1 sends a line. Its connection is made when the client is first named.
- `S1: line`: the host sends this line to client 1. `S1 10 times: line` stands for ten such lines. After a line that
  ends in `…`, more text may follow. Everything that a client receives must be in the transcript.
- `C1 drops`: connection 1 is lost. `60 s pass`: so much time passes.
- `# Settings: a=b c=d`: the settings of the host, as for `--set`. Any other line that begins with `#` is a comment.

`python -m gamehost.testing.transcript FILE` writes the host's lines again, from the clients' lines in a file.

For a wire without lines, messages are written in words (`gamehost.testing.memory_host`). After `=` a line may give the
same message as bytes in hexadecimal.
"""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from attrs import field, frozen

from gamehost.plugins import find_wires
from gamehost.testing.memory_host import Client, MemoryHost

_STEP = re.compile(r"(?P<side>[CS])(?P<number>[0-9]+)( (?P<times>[0-9]+) times)?: (?P<line>.*)")
_BYTES = re.compile(r"(?P<words>.*?) += (?P<bytes>[0-9A-F]{2}( [0-9A-F]{2})*)", re.ASCII)
_DROP = re.compile(r"C(?P<number>[0-9]+) drops")
_PASS = re.compile(r"(?P<seconds>[0-9.]+) s pass")


@frozen
class Says:
    number: int
    line: str
    #: The same line in hexadecimal; empty if the file does not have it.
    bytes: str = ""


@frozen
class Hears:
    number: int
    line: str
    #: As in `Says`.
    bytes: str = ""

    def fits(self, heard: str) -> bool:
        """Whether this line fits a received one."""
        return heard == self.line or (self.line.endswith("…") and heard.startswith(self.line[:-1]))


@frozen
class Drops:
    number: int


@frozen
class Passes:
    seconds: float


Step = Says | Hears | Drops | Passes


@frozen
class Transcript:
    name: str
    wire: str
    steps: tuple[Step, ...]
    settings: dict[str, str] = field(factory=dict)

    @classmethod
    def read(cls, path: Path, in_words: bool = False) -> "Transcript":
        """
        Read a file. Its folder's name is the wire's name.

        :param in_words: messages are written in words, because the wire has no lines
        :raises ValueError: a line is none of a transcript's
        """
        steps: list[Step] = []
        settings: dict[str, str] = {}
        wire = path.parent.name
        for line in path.read_text("utf-8").splitlines():
            if line.startswith("# Settings: "):
                settings = dict(word.split("=", 1) for word in line.removeprefix("# Settings: ").split())
            elif line and not line.startswith("#"):
                steps += _steps(line, in_words)
        return cls(path.stem, wire, tuple(steps), settings)


def _steps(line: str, in_words: bool) -> list[Step]:
    if (match := _STEP.fullmatch(line)) is not None:
        kind = Says if match["side"] == "C" else Hears
        message, in_bytes = match["line"], ""
        if in_words and (spelled := _BYTES.fullmatch(message)) is not None:
            message, in_bytes = spelled["words"], spelled["bytes"]
        return [kind(int(match["number"]), message, in_bytes)] * int(match["times"] or 1)
    if (match := _DROP.fullmatch(line)) is not None:
        return [Drops(int(match["number"]))]
    if (match := _PASS.fullmatch(line)) is not None:
        return [Passes(float(match["seconds"]))]
    raise ValueError(f"not a line of a transcript: {line!r}")


def read_transcripts(folder: Path, in_words: bool = False) -> Iterator[Transcript]:
    """All transcripts in a folder, which has the wire's name."""
    for path in sorted(folder.glob("*.txt")):
        yield Transcript.read(path, in_words)


def play(transcript: Transcript, host: MemoryHost, send: Callable[[Client, bytes], None] = Client.send) -> None:
    """
    Play a transcript, each client's line through `send`.

    :raises AssertionError: a client received something else than the transcript says
    """
    clients: dict[int, Client] = {}
    received: dict[int, list[str]] = {}
    for step in transcript.steps:
        if isinstance(step, Says | Hears) and step.number not in clients:
            clients[step.number] = host.connect(transcript.wire)
        match step:
            case Says(number, line):
                send(clients[number], clients[number].message_text.said(line))
            case Hears(number, line):
                lines = received.setdefault(number, [])
                lines += clients[number].heard()
                assert lines, f"{transcript.name}: connection {number} received nothing, expected {line}"
                got = lines.pop(0)
                assert step.fits(got), f"{transcript.name}: connection {number} received {got}, expected {line}"
            case Drops(number):
                clients[number].drop()
            case Passes(seconds):
                host.wait(seconds)
    for number, client in clients.items():
        rest = received.get(number, []) + client.heard()
        assert not rest, f"{transcript.name}: connection {number} also received {rest}"


def written(text: str, host: MemoryHost, wire: str) -> str:
    """
    The transcript with the lines that the host sends now. The old lines of the host in the file are ignored.

    :param text: the lines of a file
    :raises ValueError: a line is none of a transcript's
    """
    clients: dict[int, Client] = {}
    lines: list[str] = []

    def hear() -> None:
        lines.extend(f"S{number}: {line}" for number, client in sorted(clients.items()) for line in client.heard())

    # Carry out the clients' lines; the old lines of the host are dropped.
    for line in text.splitlines():
        if not line or line.startswith("#"):
            lines.append(line)
            continue
        for step in _steps(line, False):
            match step:
                case Hears():
                    continue
                case Says(number, said):
                    if number not in clients:
                        clients[number] = host.connect(wire)
                        hear()
                    clients[number].say(said)
                case Drops(number):
                    clients.pop(number).drop()
                case Passes(seconds):
                    host.wait(seconds)
            lines.append(line)
            hear()
    return "\n".join(lines) + "\n"


def main(words: Sequence[str], host_class: type[MemoryHost] = MemoryHost) -> int:
    """Write the named transcripts again. The name of each file's folder is the name of its wire."""
    if not words:
        print("usage: python -m gamehost.testing.transcript FILE...", file=sys.stderr)
        return 2
    for word in words:
        path = Path(word).resolve()
        transcript = Transcript.read(path)
        wires = tuple(one for one in find_wires().wires if one.name == transcript.wire)
        if not wires:
            print(f"{word}: no wire {transcript.wire!r} is installed", file=sys.stderr)
            return 1
        host = host_class(transcript.settings, wires=wires)
        path.write_text(written(path.read_text("utf-8"), host, transcript.wire), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
