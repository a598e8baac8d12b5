"""
Fuzzing that is guided by coverage: bytes that lead to code not run before are kept, and changed further.

`make fuzz-coverage` does it for some minutes, all wires in turn; `python -m tests.kit.guided_fuzzing onitama 60` for one wire
and so many seconds. An input is a script: what some clients of a whole host in memory say, who drops, and when time passes. The
corpus begins with the transcripts. Nothing may be logged as an error, the rooms of the host must be in order afterwards,
and of every fourth script, which is played byte by byte too, everybody must have heard the same.

It needs the extra `fuzz` (atheris, on Linux). What it finds is written to `crash-...`, and is played again by
`python -m tests.kit.guided_fuzzing onitama FILE`.
"""

import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import atheris

with atheris.instrument_imports(include=["gamehost"]):
    from tests.kit.journal_oracle import Complaints, check_house
    from tests.kit.memory_host import (
        Client,
        Drops,
        MemoryHost,
        MessageText,
        Passes,
        Says,
        Transcript,
        message_text_of,
        transcripts,
    )

#: What no wire can use: the first byte is in no UTF-8.
SIGN = b"\xf5"
#: Behind the sign: which client speaks from here on; it is gone; time passes.
CLIENTS = b"123"
GONE, PASS = b"D", b"P"
_STEPS = re.compile(SIGN + b"([" + CLIENTS + GONE + PASS + b"])")
SECONDS = 7.0
LONGEST = 1000


class Unequal(AssertionError):
    """The same bytes in other segments are answered otherwise."""


def script_of(transcript: Transcript) -> bytes:
    """A transcript as a script; of more than three clients, the first three."""
    spellings: dict[int, MessageText] = {}
    parts = []
    for step in transcript.steps:
        if isinstance(step, Passes):
            parts.append(SIGN + PASS)
        elif isinstance(step, Says | Drops) and step.number <= len(CLIENTS):
            parts.append(SIGN + str(step.number).encode())
            if isinstance(step, Drops):
                spellings.pop(step.number, None)
                parts.append(SIGN + GONE)
            else:
                parts.append(spellings.setdefault(step.number, message_text_of(transcript.wire)).said(step.line))
    return b"".join(parts)


def played(wire: str, script: bytes, bytewise: bool) -> list[bytes]:
    """What every client heard, in the order in which they came. The host must be in order afterwards."""
    world = MemoryHost({"limits.unlimited": "yes"})
    here: dict[bytes, Client] = {}
    all_clients: list[Client] = []
    client_model = CLIENTS[:1]
    with Complaints() as complaints:
        for number, part in enumerate(_STEPS.split(script)):
            if number % 2 and part in (GONE, PASS):
                if part == PASS:
                    world.wait(SECONDS)
                elif (client := here.pop(client_model, None)) is not None and not client.closed:
                    client.drop()
            elif number % 2:
                client_model = part
            elif part:
                if client_model not in here:
                    here[client_model] = world.connect(wire, f"192.0.2.{client_model.decode()}")
                    all_clients.append(here[client_model])
                _say(here[client_model], part, bytewise)
    complaints.check()
    check_house(world, all_clients)
    return [client.transport.read() for client in all_clients]


def _say(client: Client, data: bytes, bytewise: bool) -> None:
    for piece in [data[place : place + 1] for place in range(len(data))] if bytewise else [data]:
        if client.closed or client.transport.disconnecting:
            break
        client.send(piece)


def check(wire: str, script: bytes, twice: bool = True) -> None:
    """
    Play a script both ways.

    :param twice: no: in segments only
    :raises Disorder: as `played`
    :raises Unequal: it makes a difference
    """
    whole = played(wire, script, bytewise=False)
    if not twice:
        return
    single = played(wire, script, bytewise=True)
    if whole != single:
        raise Unequal(f"in segments: {whole}\nbyte by byte: {single}")


def words(wire: str) -> Iterator[bytes]:
    """For libFuzzer's dictionary: whole words of the wire, and the signs."""
    found = {word for one in transcripts(wire) for word in re.findall(rb"[A-Za-z_\-]{3,20}", script_of(one))}
    for word in sorted(found | {SIGN + op.to_bytes(1, "big") for op in CLIENTS + GONE + PASS}):
        yield b'"' + b"".join(b"\\x%02x" % byte for byte in word) + b'"\n'


def main(wire: str, what: str) -> None:
    """Fuzz for so many seconds, or play one file."""
    if not what.isdigit():
        check(wire, Path(what).read_bytes())
        return
    with tempfile.TemporaryDirectory() as temporary:
        corpus, dictionary = Path(temporary, "corpus"), Path(temporary, "words")
        corpus.mkdir()
        for transcript in transcripts(wire):
            (corpus / transcript.name).write_bytes(script_of(transcript))
        dictionary.write_bytes(b"".join(words(wire)))
        limits = [
            f"-max_total_time={what}",
            f"-max_len={LONGEST}",
            "-len_control=0",
            "-timeout=20",
            "-rss_limit_mb=2048",
        ]
        arguments = [sys.argv[0], *limits, f"-dict={dictionary}", "-print_final_stats=1", str(corpus)]
        # Byte by byte takes most of the time: every fourth script, and always the same ones.
        atheris.Setup(arguments, lambda data: check(wire, data, crc32(data) % 4 == 0))
        atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
