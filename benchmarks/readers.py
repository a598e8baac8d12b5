"""
Clients without a log-in who look things up, for `benchmarks.abuse`: a store of finished matches, and attackers who ask for
lists, histories, records and results without end.
"""

import random
import selectors
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import count, cycle
from pathlib import Path
from queue import SimpleQueue

from attrs import define, evolve
from msgspec.structs import replace

from benchmarks.attackers import Found
from benchmarks.honest import quantile
from benchmarks.network import connection
from gamehost.games.base import JournalledChance, Seat
from gamehost.journal.records import Entry, EntryKind, SeatRecord, TableId, TableRecord
from gamehost.journal.replay import new_master, replay
from gamehost.storage.sqlite import open_journal
from tests.games import test_onitama_master, test_stratego_master
from tests.kit.drawn_matches import record_of

#: Finished matches in the store, and entries of the longest, which has the number 1.
MATCHES, LONG = 5_000, 940


def _ended(record: TableRecord, entries: int, player: object) -> TableRecord:
    """A match that a player gives up after so many entries."""
    game, played = player.game, record.entries[: entries - 1]  # type: ignore[attr-defined]
    if record.entries[len(played) - 1].outcome:
        return record
    chance = JournalledChance()
    master = replay(game, new_master(game, record.opening, chance), chance, played)
    at = played[-1].at
    master.forfeit(Seat(0), at)
    words = master.result.words([seat.name for seat in record.opening.seats])  # type: ignore[union-attr]
    return evolve(record, entries=(*played, Entry(EntryKind.FORFEITED, at, Seat(0), outcome=words)))


def fill(folder: Path) -> None:
    """A store of finished matches, written by the host's own journal."""
    long, short = test_stratego_master.MasterTests(), test_onitama_master.MasterTests()
    longest = max((record_of(long, seed, LONG) for seed in range(6)), key=lambda record: len(record.entries))
    matches = [_ended(longest, LONG, long)] + [_ended(record_of(short, seed, 40), 40, short) for seed in range(20)]
    calls: SimpleQueue[Callable[[], None]] = SimpleQueue()
    journal = open_journal(folder / "store.sqlite", calls.put, sys.exit)
    for number in range(MATCHES):
        match = matches[number % 20 + 1 if number else 0]
        seats = tuple(SeatRecord(f"p{number % 700}{side}", "open") for side in "ab")
        table: TableId = journal.new_table()
        journal.open(table, evolve(match.opening, seats=seats), _nothing)
        for entry in match.entries:
            # The words of the outcome have the names of the players.
            words = entry.outcome.replace("ann", seats[0].name).replace("bob", seats[1].name)
            journal.append(table, replace(entry, outcome=words), _nothing)
        journal.told(table)
    done: list[bool] = []
    journal.stop(lambda: done.append(True))
    while not done:
        calls.get(timeout=60)()


def _nothing() -> None:
    """Nobody waits for this entry."""


@define(eq=False)
class _Asker:
    """One connection that asks again as soon as it is answered."""

    source: str
    questions: Iterator[bytes]
    #: What stands at the end of an answer; of HTTP, the length is read.
    end: bytes
    socket: socket.socket
    heard: bytes = b""

    def ask(self) -> None:
        self.heard = b""
        self.socket.sendall(next(self.questions))

    def hear(self, answers: Counter[str]) -> None:
        """Whatever has come; once an answer is complete, the next question."""
        data = self.socket.recv(262_144)
        if not data:
            raise ConnectionError
        self.heard += data
        if self.end:
            if self.end in self.heard:
                answers["answers"] += 1
                self.ask()
            return
        head, found, body = self.heard.partition(b"\r\n\r\n")
        if found and len(body) >= int(head.lower().partition(b"content-length: ")[2].split(b"\r\n", 1)[0] or b"0"):
            answers[head[9:12].decode()] += 1
            if b"close" in head.lower():
                raise ConnectionError
            self.ask()


def asked(
    askers: Sequence[tuple[str, Iterator[bytes], bytes, bytes]], port: int, seconds: float, most: int = sys.maxsize
) -> Found:
    """
    Many connections that ask without end.

    :param askers: of each, its address, its questions, what it says first, and the end of an answer
    :param most: answers after which all have asked enough
    """
    answers: Counter[str] = Counter()
    ends = time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:

        def begin(source: str, questions: Iterator[bytes], first: bytes, end: bytes) -> None:
            try:
                made = connection(port, source)
                asker = _Asker(source, questions, end, made)
                made.sendall(first)
                asker.ask()
                selector.register(made, selectors.EVENT_READ, (asker, first))
            except OSError:
                answers["connections refused"] += 1

        for one in askers:
            begin(*one)
        while time.monotonic() < ends and answers.total() < most:
            for key, _ in selector.select(0.1):
                asker, first = key.data
                try:
                    asker.hear(answers)
                except OSError:
                    answers["connections lost"] += 1
                    selector.unregister(asker.socket)
                    asker.socket.close()
                    begin(asker.source, asker.questions, first, asker.end)
        for key in list(selector.get_map().values()):
            key.data[0].socket.close()
    return {name: float(number) for name, number in sorted(answers.items())}


def _get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()


def _of(paths: Callable[[int], str], first: int) -> Iterator[bytes]:
    return (_get(paths(number)) for number in count(first))


def _listed(number: int) -> str:
    """A list that nobody else asks for, or one of those that everybody does."""
    return (f"/api/matches?name=nobody{number}", f"/api/matches?before={1 + number * 7 % MATCHES}", "/api/results")[
        number % 3
    ]


def _looked_at(number: int) -> str:
    """A history or a record, another one each time."""
    match = 1 + number * 13 % MATCHES
    return (f"/api/tables/{match}/history", f"/api/matches/{match}.json", f"/api/matches/{match}.svg")[number % 3]


def lists(port: int, seconds: float) -> Found:
    """250 connections from one address ask for lists and histories."""
    asking = [("6.1", _of((_listed, _looked_at)[number % 2], number * 1_000), b"", b"") for number in range(250)]
    return asked(asking, port, seconds)


def long_match(port: int, seconds: float) -> Found:
    """Six addresses, 40 connections each, ask for the history of one long match: now all of it, now a part."""

    def history(number: int) -> str:
        return "/api/tables/1/history" + (f"?until={number % LONG}" if number % 2 else "")

    asking = [(f"0.{2 + number % 6}", _of(history, number * 97), b"", b"") for number in range(240)]
    return asked(asking, port, seconds)


def one_segment(port: int, seconds: float) -> Found:
    """Forty connections send 200 requests in one segment, and then again."""
    pipelined = [_get("/api/matches") * 200]
    asking = [(f"7.{1 + number % 4}", cycle(pipelined), b"", b"") for number in range(40)]
    return asked(asking, port, seconds)


def ladders(port: int, seconds: float) -> Found:
    """60 consoles type `ladder` and `records`, and read."""
    words = (b"ladder\r\n", b"records\r\n", b"ladder onitama\r\n", b"records p5a\r\n")
    asking = [
        (f"8.{1 + number % 6}", (words[turn % 4] for turn in count(number)), b"name r%d\r\n" % number, b"> ")
        for number in range(60)
    ]
    return asked(asking, port, seconds)


#: GETs that show what stays of them in the memory.
GETS = 10_000


def _gets(port: int, seconds: float, paths: Callable[[int], str]) -> Found:
    """So many GETs of two hundred addresses, each with another number: one address has a rate."""
    asking = [(f"9.{1 + number}", _of(paths, number * GETS), b"", b"") for number in range(200)]
    return asked(asking, port, seconds, GETS)


def plain_gets(port: int, seconds: float) -> Found:
    """The same lists again and again."""
    return _gets(port, seconds, lambda number: ("/api/matches", "/api/results?game=onitama")[number % 2])


def _text(number: int) -> str:
    """What is no name, no game and no code, and takes four bytes a character because of one of them; for an address."""
    return f"{number}x%F0%9F%98%80" + "y" * 12_000


def hostile_gets(port: int, seconds: float) -> Found:
    """Names, games, codes and numbers that nobody else asks for, in 12 KB each."""

    def path(number: int) -> str:
        return (
            f"/api/matches?name={_text(number)}",
            f"/api/matches?game={_text(number)}",
            f"/api/results?name={_text(number)}",
            f"/api/results?game={_text(number)}",
            f"/api/matches?name=nobody{number}",
            f"/api/results?name=nobody{number}",
            f"/api/matches?before={number}",
            f"/api/tables/2/history?code={_text(number)}",
            f"/api/tables/2/history?until={100 + number}",
        )[number % 9]

    return _gets(port, seconds, path)


#: Combining marks in the wrong order: to normalize such a text takes the square of its length.
_MARKS = "\u0301\u0316" * 3_700


def long_names_in_gets(port: int, seconds: float) -> Found:
    """Ten connections look up names of marks."""
    get = _get("/api/matches?name=" + "%CC%81%CC%96" * 1_300)
    return asked([(f"9.{1 + number}", cycle([get]), b"", b"") for number in range(10)], port, seconds)


def plain_names_in_log_ins(port: int, seconds: float) -> Found:
    """Names of as many bytes as below, in plain letters: what the bytes alone cost."""
    return _log_ins(port, seconds, "a" * len(_MARKS.encode()))


def long_names_in_log_ins(port: int, seconds: float) -> Found:
    """Names of marks."""
    return _log_ins(port, seconds, _MARKS)


def _log_ins(port: int, seconds: float, nick: str) -> Found:
    """Twenty connections log in on the wire in XML, sixteen times in each segment."""
    log_in = f'<message type="playerLogin"><playerLogin nick="{nick}" gameType="paper soccer"/></message>'.encode()
    return asked([(f"9.{1 + number}", cycle([log_in * 16]), b"", b"</message>") for number in range(20)], port, seconds)


def long_names_in_messages(port: int, seconds: float) -> Found:
    """Twenty connections enter the open wire under names of marks, as long as a line can be."""
    line = b'{"do":"enter","name":"%s"}\n' % _MARKS[:1_900].encode()
    return asked([(f"9.{1 + number}", cycle([line]), b"", b"\n") for number in range(20)], port, seconds)


def newcomers(port: int, seconds: float) -> Found:
    """Honest players who come one after the other, and log in on the open wire."""
    waits: list[float] = []
    refused = 0
    ends = time.monotonic() + seconds
    luck = random.Random(1)
    while time.monotonic() < ends:
        begun = time.perf_counter()
        try:
            with connection(port, f"9.{1 + len(waits) % 200}") as made:
                made.sendall(b'{"do":"enter","name":"new%d"}\n' % luck.randrange(1 << 30))
                refused += b'"entered"' not in made.recv(4_096)
        except OSError:
            refused += 1
        waits.append(time.perf_counter() - begun)
        time.sleep(0.2)
    waits.sort()
    return {"newcomers": len(waits), "refused": refused, "log-in p99 ms": quantile(waits, 0.99) * 1000}
