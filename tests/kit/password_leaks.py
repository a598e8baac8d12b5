"""
Canaries: passwords that are known by their look, sent in every way in which one may come, to a host that is killed now and
then and writes down all it can. Afterwards its log, its store and all files beside it are searched for them, in every
spelling in which a password may have got there.

`python -m tests.kit.password_leaks 10000` has so many sessions (`make test-leaks`).
"""

import base64
import random
import re
import selectors
import signal
import string
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from attrs import define, field

from tests.kit.process import HostProcess, Socket, all_wires

WIRE = "stratego-lines"
#: Sessions at once; and between two kills.
BATCH, RUN = 50, 1000
#: Seconds without an answer after which a batch is over.
QUIET = 0.1
#: Quotas would keep most sessions out, and the work for a password is not the matter here.
LIMITS = {"password_work": "10", "log_ins_waiting": "10000"}
#: Of each canary; a password cut anywhere behind the first still has a piece that is whole.
PIECES, PIECE_LENGTH = 3, 8


class Leak(AssertionError):
    """A canary was found where it must not be."""


def pieces(rng: random.Random) -> list[str]:
    """What is the same in all canaries of a run."""
    letters = string.ascii_letters + string.digits
    return ["".join(rng.choices(letters, k=PIECE_LENGTH)) for _ in range(PIECES)]


def spellings(piece: str) -> Iterator[bytes]:
    """A text as it might stand somewhere. What escapes or quotes it (JSON, repr, URLs) leaves letters and digits alone."""
    for text in {piece, piece.lower(), piece.upper(), piece[::-1]}:
        plain = text.encode("ascii")
        yield plain
        yield from (
            plain.hex().encode(),
            plain.hex().upper().encode(),
            plain.hex(" ").encode(),
            plain.hex(":").encode(),
        )
        yield "".join(f"\\x{byte:02x}" for byte in plain).encode()
        yield ", ".join(str(byte) for byte in plain).encode()
        for encoding in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
            yield text.encode(encoding)
        for ahead in range(3):
            # What stands before it moves its letters; those that a neighbour has a part in are left out.
            encoded = base64.b64encode(b"\0" * ahead + plain).rstrip(b"=")
            yield encoded[-(-ahead * 8 // 6) : (ahead + len(plain)) * 8 // 6]
        for ahead in range(5):
            encoded = base64.b32encode(b"\0" * ahead + plain).rstrip(b"=")
            yield encoded[-(-ahead * 8 // 5) : (ahead + len(plain)) * 8 // 5]


@define(eq=False)
class Search:
    """Looks for the pieces of canaries."""

    found: list[str] = field(factory=list)
    #: How many bytes were searched, and how many faults that `verbose_log` plants were told in them.
    searched: int = 0
    faults: int = 0
    _pattern: re.Pattern[bytes] = field(init=False)
    _pieces: list[str] = field(kw_only=True)

    def __attrs_post_init__(self) -> None:
        forms = {form for piece in self._pieces for form in spellings(piece)}
        assert min(map(len, forms)) >= PIECE_LENGTH - 1
        self._pattern = re.compile(b"|".join(map(re.escape, sorted(forms))))

    def look(self, where: str, data: bytes) -> None:
        """Note what is found in there."""
        self.searched += len(data)
        self.faults += data.count(b"MemoryError: planted")
        if (match := self._pattern.search(data)) is not None:
            around = data[max(0, match.start() - 60) : match.end() + 20]
            self.found.append(f"{where}: {match.group()!r} in {around!r}")

    def look_around(self, folder: Path) -> None:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                self.look(path.name, path.read_bytes())


@define(eq=False)
class Sessions:
    _luck: random.Random
    _pieces: list[str]
    #: Answers by their first word.
    heard: dict[str, int] = field(factory=dict)
    #: What was done, by the method.
    done: dict[str, int] = field(factory=dict)
    #: Names that have an account, with their passwords.
    _known: dict[str, str] = field(factory=dict)
    _count: int = 0

    def canary(self) -> str:
        """A password with all pieces in it, and like no other."""
        self._count += 1
        return "-".join((*self._pieces, str(self._count)))

    def one(self, host: HostProcess) -> Socket:
        """One session, as far as it says something."""
        ways = (self.new, self.new, self.right, self.wrong, self.malformed, self.misplaced, self.cut, self.elsewhere)
        way: Callable[[HostProcess], Socket] = self._luck.choice(ways)
        self.done[way.__name__] = self.done.get(way.__name__, 0) + 1
        with suppress(OSError):
            return way(host)
        raise ConnectionError("the host is gone")

    def new(self, host: HostProcess) -> Socket:
        name, password = f"player{self._count}", self.canary()
        self._known[name] = password
        return self._said(host, f"{name}\n{password}\n")

    def right(self, host: HostProcess) -> Socket:
        if not self._known:
            return self.new(host)
        name = self._luck.choice(list(self._known))
        return self._said(host, f"{name}\n{self._known[name]}\n", bytewise=self._luck.random() < 0.2)

    def wrong(self, host: HostProcess) -> Socket:
        """Of a known name, up to three times, after which the host hangs up."""
        name = self._luck.choice(list(self._known) or ["nobody"])
        return self._said(host, "".join(f"{name}\n{self.canary()}\n" for _ in range(self._luck.randint(1, 3))))

    def malformed(self, host: HostProcess) -> Socket:
        """Not ASCII, control bytes, too long, empty; and a name that cannot be, so that the password is for nothing."""
        canary = self.canary()
        spoilt = self._luck.choice(
            (f"{canary}\xe9", f"\0{canary}", f"{canary}\x1b[2J", canary * 20, f" {canary}\t", f"{canary}\r\r")
        )
        name = self._luck.choice((f"player{self._count}", "a b\x07", "x" * 60, "\xff"))
        return self._said(host, f"{name}\n{spoilt}\n".encode("latin-1"))

    def misplaced(self, host: HostProcess) -> Socket:
        """A password for a name, in front of it, as a set-up and as a move."""
        canary = self.canary()
        name = f"player{self._count}"
        self._known[name] = canary
        text = self._luck.choice(
            (
                f"{canary}\n{name}\n",
                f"{name}\n{canary}\n{canary}\n",
                f"{name}\n{canary}\n" + f"{canary}\n" * 12,
                f"{name} {canary}\n{canary}\n",
            )
        )
        return self._said(host, text)

    def cut(self, host: HostProcess) -> Socket:
        """Somewhere behind its first piece, and then silence, an end, or a reset."""
        canary = self.canary()
        return self._said(host, f"player{self._count}\n{canary[: self._luck.randint(PIECE_LENGTH, len(canary) - 1)]}")

    def elsewhere(self, host: HostProcess) -> Socket:
        """On another wire, in words that are not its own, and in some that are nearly."""
        canary = self.canary()
        wire = self._luck.choice([wire for wire in host.ports if wire != WIRE])
        said = self._luck.choice(
            (
                f"{canary}\n",
                f"LOGIN|{canary}\n",
                f"CHAT|{canary}\n",
                f'{{"type": "chat", "text": "{canary}"}}\n',
                f'<chat text="{canary}"/>\n',
                f'<login name="{canary}"/>\0',
            )
        ).encode("ascii")
        if self._luck.random() < 0.3:
            said = bytes((2,)) + len(said).to_bytes(4, "big") + said
        client = host.connect(wire)
        client.socket.sendall(said)
        return client

    def _said(self, host: HostProcess, text: str | bytes, bytewise: bool = False) -> Socket:
        client = host.connect(WIRE)
        data = text if isinstance(text, bytes) else text.encode("ascii")
        for part in [data[place : place + 1] for place in range(len(data))] if bytewise else [data]:
            client.socket.sendall(part)
        return client

    def answered(self, clients: Sequence[Socket]) -> None:
        """Hear what comes until nothing has for a moment, and go."""
        said: dict[Socket, bytes] = dict.fromkeys(clients, b"")
        with selectors.DefaultSelector() as selector:
            for client in clients:
                selector.register(client.socket, selectors.EVENT_READ, client)
            while ready := selector.select(QUIET):
                for key, _ in ready:
                    with suppress(ConnectionResetError):
                        if data := key.data.socket.recv(65_536):
                            said[key.data] += data
                            continue
                    selector.unregister(key.data.socket)
        for client, data in said.items():
            for word in re.findall(rb"^auth-\w+|^winner|^err", data, re.MULTILINE):
                self.heard[word.decode()] = self.heard.get(word.decode(), 0) + 1
            client.close()


def search(sessions: int, seed: int) -> tuple[Sessions, Search]:
    """Have so many sessions, kill the host several times meanwhile, and search; a `Leak` if something is found."""
    rng = random.Random(seed)
    canaries = pieces(rng)
    people, looking = Sessions(rng, canaries), Search(pieces=canaries)
    done = runs = 0
    limits = [word for name, text in LIMITS.items() for word in ("--set", f"limits.{name}={text}")]
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        while done < sessions:
            runs += 1
            form = "json" if runs % 2 else "text"
            options = (*limits, f"--log-format={form}", "--grace=0")
            with HostProcess(
                *options,
                wires=all_wires(),
                folder=folder,
                store="store.sqlite",
                module="tests.kit.altered_hosts:verbose_log",
            ) as host:
                log = _Drain(host)
                done += _live(host, people, rng, min(RUN, sessions - done))
                looking.look_around(folder)
                if runs % 3:
                    host.kill()
                else:
                    host.stop()
                log.finish()
            looking.look("log", log.data)
            looking.look_around(folder)
            if looking.found:
                raise Leak(f"after {done} sessions: {looking.found[0]}")
    return people, looking


def _live(host: HostProcess, people: Sessions, rng: random.Random, count: int) -> int:
    """One run's sessions; how many they were. The last batch is not answered: the host is killed under it."""
    done = 0
    while done < count:
        clients = []
        for _ in range(min(BATCH, count - done)):
            clients.append(people.one(host))
            done += 1
        if rng.random() < 0.1:
            host.process.send_signal(signal.SIGUSR1)  # it logs what every thread is doing
        if done < count:
            people.answered(clients)
    return done


class _Drain:
    """Reads a host's log as it comes: a pipe that is full would stop the host."""

    def __init__(self, host: HostProcess) -> None:
        self.data = host.log.encode("utf-8")
        self._host = host
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        assert self._host.process.stdout is not None
        for line in self._host.process.stdout:
            self.data += line

    def finish(self) -> None:
        """The process is gone: read what is left."""
        self._thread.join(10)


if __name__ == "__main__":
    number = int(sys.argv[1])
    began = time.monotonic()
    people, looked = search(number, int(sys.argv[2]) if sys.argv[2:] else 1)
    print(
        f"{number} sessions in {time.monotonic() - began:.0f} s: 0 hits in {looked.searched} bytes and {looked.faults} faults; "
        f"done {people.done}, heard {people.heard}"
    )
