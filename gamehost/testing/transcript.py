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
    """A step of a transcript: a client sends a message."""

    #: The number of the client.
    number: int
    line: str
    #: The same line in hexadecimal; empty if the file does not have it.
    bytes: str = ""


@frozen
class Hears:
    """A step of a transcript: a client receives a message."""

    #: The number of the client.
    number: int
    line: str
    #: The same line in hexadecimal; empty if the file does not have it.
    bytes: str = ""

    def fits(self, heard: str) -> bool:
        """Whether a received line is the expected line. After a line that ends in `…`, more text may follow."""
        return heard == self.line or (self.line.endswith("…") and heard.startswith(self.line[:-1]))


@frozen
class Drops:
    """A step of a transcript: the connection of a client is lost."""

    #: The number of the client.
    number: int


@frozen
class Passes:
    """A step of a transcript: time passes."""

    seconds: float


Step = Says | Hears | Drops | Passes


@frozen
class Transcript:
    """A transcript, as it was read from a file: the steps of a session, and the settings of its host."""

    name: str
    wire: str
    steps: tuple[Step, ...]
    settings: dict[str, str] = field(factory=dict)

    @classmethod
    def read(cls, path: Path, in_words: bool = False) -> "Transcript":
        """
        Reads a file. The name of its folder is the name of the wire.

        :param in_words: whether messages are written in words, because the wire has no lines
        :raises ValueError: the file has a line that is no step of a transcript
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
    """
    Reads a line of a transcript. A line with `10 times` is ten equal steps.

    :raises ValueError: the line is no step of a transcript
    """
    if (match := _STEP.fullmatch(line)) is not None:
        kind = Says if match["side"] == "C" else Hears
        message, in_bytes = match["line"], ""
        if in_words and (spelled := _BYTES.fullmatch(message)) is not None:
            message, in_bytes = spelled["words"], spelled["bytes"]
        # `10 times` stands only in lines of the host.
        return [kind(int(match["number"]), message, in_bytes)] * int(match["times"] or 1)
    if (match := _DROP.fullmatch(line)) is not None:
        return [Drops(int(match["number"]))]
    if (match := _PASS.fullmatch(line)) is not None:
        return [Passes(float(match["seconds"]))]
    raise ValueError(f"not a line of a transcript: {line!r}")


def read_transcripts(folder: Path, in_words: bool = False) -> Iterator[Transcript]:
    """Yields all transcripts in a folder. The name of the folder is the name of their wire."""
    for path in sorted(folder.glob("*.txt")):
        yield Transcript.read(path, in_words)


def play(transcript: Transcript, host: MemoryHost, send: Callable[[Client, bytes], None] = Client.send) -> None:
    """
    Plays a transcript on a host, and compares the received messages with those of the transcript.

    :param send: sends the bytes of each message of a client
    :raises AssertionError: a client received other messages than those of the transcript
    """
    clients: dict[int, Client] = {}
    received: dict[int, list[str]] = {}
    for step in transcript.steps:
        if isinstance(step, Says | Hears) and step.number not in clients:
            # The client is named for the first time.
            clients[step.number] = host.connect(transcript.wire)
        match step:
            case Says(number, line):
                send(clients[number], clients[number].message_text.said(line))
            case Hears(number, line):
                # One step is one message, but several may have come at once: the others wait for their steps.
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
        # Everything that a client receives must be in the transcript.
        rest = received.get(number, []) + client.heard()
        assert not rest, f"{transcript.name}: connection {number} also received {rest}"


def written(text: str, host: MemoryHost, wire: str) -> str:
    """
    Plays the clients' lines of a transcript, and writes a new transcript with the lines that the host sends now.

    :param text: the text of the transcript; its lines of the host are ignored
    :param wire: the name of the wire
    :returns: the text of the new transcript
    :raises ValueError: the text has a line that is no step of a transcript
    """
    clients: dict[int, Client] = {}
    lines: list[str] = []

    def hear() -> None:
        """Writes the lines that each client has received since the last call."""
        lines.extend(f"S{number}: {line}" for number, client in sorted(clients.items()) for line in client.heard())

    # Carry out each line of a client, and write the lines that follow it.
    for line in text.splitlines():
        if not line or line.startswith("#"):
            lines.append(line)
            continue
        # A line is one step, or several equal ones (`10 times`). Old lines of the host are left out.
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
                    # A client of this number is a new one from now on.
                    clients.pop(number).drop()
                case Passes(seconds):
                    host.wait(seconds)
            lines.append(line)
            hear()
    return "\n".join(lines) + "\n"


def main(words: Sequence[str], host_class: type[MemoryHost] = MemoryHost) -> int:
    """
    Writes transcripts again, with the lines that the host sends now. The name of a file's folder is the name of its
    wire.

    :param words: the arguments of the command: the paths of the transcripts
    :returns: the exit status
    """
    if not words:
        print("usage: python -m gamehost.testing.transcript FILE...", file=sys.stderr)
        return 2
    for word in words:
        path = Path(word).resolve()
        transcript = Transcript.read(path)
        # Only the wire of the transcript is served.
        wires = tuple(one for one in find_wires().wires if one.name == transcript.wire)
        if not wires:
            print(f"{word}: no wire {transcript.wire!r} is installed", file=sys.stderr)
            return 1
        host = host_class(transcript.settings, wires=wires)
        path.write_text(written(path.read_text("utf-8"), host, transcript.wire), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
