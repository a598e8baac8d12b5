"""
What slow matches cost a host: visits, the start, deadlines that come due while it runs, and deadlines that were over before it.

    python -m benchmarks.slow_matches [TABLES [VISITS]]

The store has so many tables (10,000). The clock of each host is moved, so that nobody waits for days.
"""

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue

from attrs import evolve, frozen

from gamehost.journal.records import EntryKind, TableId, TableRecord
from gamehost.storage.copying import inspecting
from gamehost.storage.row_codec import Undecodable
from gamehost.storage.sqlite import open_journal
from gamehost.testing.memory_host import MemoryHost
from tests.kit.process import HostProcess

DAY = 86_400
DAYS = 3
MOVES = ("ox c1 c2", "crab c5 c4", "boar c2 c3", "ox a5 a4")
#: The seconds within which a part of the matches comes due, and how large that part is.
WITHIN, DUE = 20, 0.34
#: Tables at which one connection sits at once.
SEATS = 8


def played() -> tuple[TableRecord, str]:
    """A slow match of four moves, and the key of the first player."""
    host = MemoryHost({"onitama.deal": "boar,ox/crab,eel/tiger"})
    players = [host.connect("open") for _ in "ab"]
    keys = [
        json.loads(player.ask(json.dumps({"do": "enter", "name": name}))[0])["key"]
        for name, player in zip(("olga", "ben"), players, strict=True)
    ]
    seek = {"do": "seek", "game": "onitama", "settings": {"move_days": DAYS}, "private": True}
    told = json.loads(players[0].ask(json.dumps(seek))[0])
    players[1].ask(json.dumps({"do": "join", "table": told["table"], "code": told["code"]}))
    for number, action in enumerate(MOVES):
        players[number % 2].ask(json.dumps({"do": "act", "table": told["table"], "action": action}))
    return host.journal.record(TableId(told["table"])), keys[0]


def fill(path: Path, tables: int, due: Callable[[int], int]) -> str:
    """
    A store with so many matches. The first thousand have the same players.

    :param due: the deadline of a table, in milliseconds since 1970
    :returns: the key of the first of these players
    """
    (match, key), calls = played(), SimpleQueue[Callable[[], None]]()
    journal = open_journal(path, calls.put, sys.exit)
    allowed = DAYS * DAY * 1000 + match.entries[-1].at
    for number in range(tables):
        tag, address = number // 1000 or "", f"10.{number % 200}.{number // 200 % 200}.1"
        seats = tuple(evolve(one, name=f"{one.name}{tag}", address=address) for one in match.opening.seats)
        settings = {**match.opening.settings, "slow": str(due(number) - allowed)}
        table = journal.new_table()
        journal.open(table, evolve(match.opening, seats=seats, settings=settings), lambda: None)
        for entry in match.entries:
            journal.append(table, entry, lambda: None)
        journal.sleep(table, 1, due(number))
        while number % 100 == 99:
            try:
                calls.get(timeout=0.02)()
            except Empty:
                break
    done: list[bool] = []
    journal.stop(lambda: done.append(True))
    while not done:
        calls.get(timeout=60)()
    return key


@frozen
class Cost:
    """Of a process until now: seconds of a processor, and MiB."""

    seconds: float
    memory: float

    @classmethod
    def of(cls, host: HostProcess) -> "Cost":
        folder = Path(f"/proc/{host.process.pid}")
        times = (folder / "stat").read_text("ascii").rpartition(")")[2].split()
        rows = dict(line.split(":", 1) for line in (folder / "status").read_text("ascii").splitlines())
        return cls((int(times[11]) + int(times[12])) / 100, int(rows["VmRSS"].split()[0]) / 1024)


def a_host(folder: Path, later: float = 0.0, grace: int = 43_200) -> HostProcess:
    return HostProcess(
        *("--resume=never", f"--slow-after-start={grace}"),
        wires=["open"],
        folder=folder,
        store="store.sqlite",
        module="tests.kit.later_host",
        environment={"GAMEHOST_LATER": str(later)},
    )


def starts(tables: int, folder: Path) -> None:
    """With and without slow matches: until the ports are open, and ten idle seconds."""
    with tempfile.TemporaryDirectory() as empty, a_host(Path(empty)) as host:
        bare = Cost.of(host)
    with a_host(folder) as host:
        full = Cost.of(host)
        time.sleep(10)
        idle = Cost.of(host)
    print(
        f"start with {tables:,} slow matches: {full.seconds - bare.seconds:.2f} s of a processor and "
        f"{(full.memory - bare.memory) * 1024 / tables:.1f} KiB a match more than without ({bare.seconds:.2f} s, "
        f"{bare.memory:.0f} MiB); 10 s idle: {idle.seconds - full.seconds:.2f} s",
        flush=True,
    )


def visits(most: int, folder: Path, key: str) -> None:
    """A player sits down at its matches, moves at each and rises: each is loaded, followed, and put away."""
    with a_host(folder) as host:
        player, done = host.connect("open"), 0
        player.say(json.dumps({"do": "enter", "name": "olga", "key": key}))
        before, began = Cost.of(host), time.monotonic()
        for first in range(1, most + 1, SEATS):
            some = range(first, min(first + SEATS, most + 1))
            for table in some:
                number = (table - 1) % 1000 + 1
                sit = {"do": "sit", "table": number}
                player.say(json.dumps(sit), json.dumps({"do": "rise", "table": number}))
            player.say(json.dumps({"do": "ping", "id": first}))
            while (told := json.loads(player.hear()))["is"] != "pong":
                done += told["is"] == "seated"
        after, seconds = Cost.of(host), time.monotonic() - began
    each = (after.seconds - before.seconds) / max(1, done)
    print(f"{done:,} visits: {seconds:.1f} s; {each * 1000:.2f} ms of a processor each", flush=True)


def ends(folder: Path, later: float, seconds: float, words: str) -> None:
    """Deadlines that count, while somebody pings: how late each match ended, and how long the answers took."""
    answers: list[float] = []
    with a_host(folder, later, grace=0) as host:
        before, began, player = Cost.of(host), time.monotonic(), host.connect("open")
        player.say(json.dumps({"do": "enter", "name": "tom"}))
        player.hear()
        while (passed := time.monotonic() - began) < seconds:
            asked = time.perf_counter()
            player.say('{"do":"ping"}')
            player.hear()
            answers.append((time.perf_counter() - asked) * 1000)
            time.sleep(0.02)
        after = Cost.of(host)
        host.kill()
    late = [one.entries[-1].at - one.entries[-2].at - DAYS * DAY * 1000 for one in _ended(folder)]
    answers.sort()
    print(
        f"{words}: {len(late):,} ended, {(after.seconds - before.seconds) * 1000 / max(1, len(late)):.2f} ms of a processor "
        f"each, {max(late, default=0)} ms late at most, of {passed:.0f} s; answers: p50 {answers[len(answers) // 2]:.1f}, p99 "
        f"{answers[len(answers) * 99 // 100]:.1f}, most {answers[-1]:.1f} ms",
        flush=True,
    )


def _ended(folder: Path) -> list[TableRecord]:
    found = []
    with inspecting(str(folder / "store.sqlite")) as reader:
        for summary in reader.tables():
            assert not isinstance(summary, Undecodable)
            _, record = reader.table(summary.table)
            kinds = [entry.kind for entry in record.entries]
            assert kinds.count(EntryKind.EXPIRED) <= 1, "a deadline has counted twice"
            if kinds[-1] is EntryKind.EXPIRED:
                found.append(record)
    return found


def main() -> None:
    """All parts, each with a copy of the same store."""
    tables = int(sys.argv[1]) if sys.argv[1:] else 10_000
    most = int(sys.argv[2]) if sys.argv[2:] else 20_000
    with tempfile.TemporaryDirectory() as temporary:
        now, share = round(time.time() * 1000), int(tables * DUE)
        base = Path(temporary, "base")
        base.mkdir()
        # In a day and a bit some come due, one after the other; in two days all have.
        key = fill(
            base / "store.sqlite",
            tables,
            lambda number: now + (DAY * 1000 + number * WITHIN * 1000 // share if number < share else 2 * DAY * 1000),
        )

        def copy(name: str) -> Path:
            return Path(shutil.copytree(base, Path(temporary, name)))

        starts(tables, copy("start"))
        visits(most, copy("visits"), key)
        ahead = DAY - (time.time() * 1000 - now) / 1000 - 40
        ends(copy("due"), ahead, WITHIN + 70, f"{share:,} of {tables:,} come due within {WITHIN} s")
        ends(copy("over"), 3 * DAY, 90, f"all {tables:,} were over before the start")


if __name__ == "__main__":
    main()
