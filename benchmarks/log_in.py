"""
What log-ins cost. It measures whether the time of a refusal tells a known name from an unknown one, and what many log-ins do to
running games.

    python benchmarks/log_in.py [--count 300] [--rate 1000] [--seconds 20]
    python benchmarks/log_in.py --cpu [--count 150]

The host runs in a process of its own with a new store and the default cost of a password. Figures depend on this machine and
its other work. With `--cpu` only the log-in service runs, in this process, and its CPU time is measured, which depends little
on other work.
"""

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from pathlib import Path

from twisted.internet.task import Clock

sys.path.insert(0, str(Path(__file__).parents[1]))

from gamehost.accounts.login import LoginOutcome, LoginRefused, LoginService
from gamehost.accounts.names import name_of
from gamehost.limits import Limits
from tests.kit.journals import RecordingJournal
from tests.kit.process import HostProcess, Socket

WIRE = "stratego-lines"
RED = ("VMGKKJJJPP", "PPLLLLSSSS", "IIIIIRRRRR", "RRROBBBBBB")
BLUE = ("MGKKJJJPPP", "PLLLLSSSSI", "IIIIRRRRRB", "VRRROBBBBB")
#: One address may connect as often as it likes; accounts and guesses have their quotas.
CONNECTIONS = {"connections_per_address": "100000", "new_per_second": "100000", "new_burst": "100000"}
CONNECTIONS |= {"open": "no", "messages_per_second": "10000"}
MANY_GUESSES = {"guesses_per_minute": "1000000", "failures_per_hour": "1000000", "accounts_per_address": "2"}


def options(limits: dict[str, str], *more: str) -> list[str]:
    """As on the command line."""
    return [word for name, text in limits.items() for word in ("--set", f"limits.{name}={text}")] + list(more)


def host(folder: str, *arguments: str) -> HostProcess:
    """A host with a store."""
    return HostProcess(*arguments, wires=[WIRE], folder=Path(folder), store="store.sqlite")


def refused_after(client: Socket, name: str) -> float:
    """The milliseconds from a password to its auth-err."""
    client.say(name)
    time.sleep(0.002)
    began = time.perf_counter()
    client.say("a wrong password")
    assert client.hear() == "auth-err"
    return (time.perf_counter() - began) * 1000


def timing(count: int) -> None:
    """Known names and unknown ones in turn: the medians of their refusals."""
    took: dict[str, list[float]] = {"known": [], "unknown": []}
    with tempfile.TemporaryDirectory() as folder, host(folder, *options({**CONNECTIONS, **MANY_GUESSES})) as running:
        for name in ("known", "another"):
            client = running.connect(WIRE)
            client.say(name, "secret")
            assert [client.hear(), client.hear()] == ["auth-req", "auth-ok"]
        for number in range(count):
            for kind, name in (("known", "known"), ("unknown", f"nobody{number}")):
                client = running.connect(WIRE)
                assert client.hear() == "auth-req"
                took[kind].append(refused_after(client, name))
                client.close()
    known, unknown = (statistics.median(took[kind]) for kind in ("known", "unknown"))
    apart = abs(known - unknown) / known
    print(f"refusals, {count} each: median {known:.2f} ms known, {unknown:.2f} ms unknown, {apart:.1%} apart")


def cpu_timing(count: int) -> None:
    """Two known names and unknown ones in turn, with wrong passwords: the medians of the CPU time of their refusals."""
    limits, answers = Limits.read(MANY_GUESSES), list[LoginOutcome]()
    service = LoginService(
        RecordingJournal(), lambda key: False, Clock(), lambda work, done: done(work()), limits, nullcontext()
    )

    def log_in(name: str, password: str) -> float:
        began = time.process_time()
        service.log_in(name_of(name), password, "192.0.2.1", answers.append)
        return (time.process_time() - began) * 1000

    for name in ("known", "another"):
        log_in(name, "secret")
    took: dict[str, list[float]] = {"known": [], "another": [], "unknown": []}
    for number in range(count):
        for kind in took:
            took[kind].append(log_in(f"nobody{number}" if kind == "unknown" else kind, "a wrong password"))
    assert len(answers) == 2 + 3 * count and all(isinstance(one, LoginRefused) for one in answers[2:])
    medians = [statistics.median(times) for times in took.values()]
    words = ", ".join(f"{median:.2f} ms {kind}" for kind, median in zip(took, medians, strict=True))
    print(f"CPU time of refusals, {count} each: {words}; {max(medians) / min(medians) - 1:.1%} apart")


def storm(port: int, rate: int, seconds: float, with_password: bool) -> dict[str, int]:
    """So many log-ins a second, each on a connection of its own: the answers, and how many. For a process of its own."""
    # Who makes the storm is not to be what the players wait for: on a small machine they share a core.
    os.nice(5)
    answers: dict[str, int] = {}
    asyncio.run(log_ins(port, rate, time.monotonic() + seconds, with_password, answers))
    return answers


async def log_ins(port: int, rate: int, until: float, with_password: bool, answers: dict[str, int]) -> None:
    running: set[asyncio.Task[None]] = set()
    began = time.monotonic()
    number = 0
    while time.monotonic() < until:
        while number < (time.monotonic() - began) * rate:
            number += 1
            task = asyncio.create_task(one_log_in(port, number, with_password, answers))
            running.add(task)
            task.add_done_callback(running.discard)
        await asyncio.sleep(0.005)
    if running:
        await asyncio.wait(running, timeout=10)


async def one_log_in(port: int, number: int, with_password: bool, answers: dict[str, int]) -> None:
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        answer = (await asyncio.wait_for(reader.readline(), 5)).decode().strip()
        if with_password:
            writer.write(f"x{number % 5000}\nguess{number}\n".encode())
            answer = (await asyncio.wait_for(reader.readline(), 5)).decode().strip()
        writer.transport.abort()
    except (OSError, TimeoutError):
        answer = "none"
    answers[answer] = answers.get(answer, 0) + 1


def until_heard(client: Socket, beginning: str) -> None:
    """Skip lines until one begins so."""
    while not (line := client.hear()).startswith(beginning):
        assert line and not line.startswith("err"), line


def play(port: int, seconds: float) -> list[float]:
    """Two scouts go to and fro; the milliseconds to each answer. For a process of its own."""
    players = [Socket(port) for _ in (RED, BLUE)]
    for name, client in zip(("ann", "bob"), players, strict=True):
        client.say(name, "secret")
        until_heard(client, "auth-ok")
    for client, rows in zip(players, (RED, BLUE), strict=True):
        until_heard(client, "color ")
        client.say(*rows)
    took: list[float] = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        number = len(took)
        client = players[number % 2]
        until_heard(client, "get-move")
        start, end = (("A4", "A5"), ("B7", "B6"))[number % 2]
        began = time.perf_counter()
        client.say(f"{start}-{end}" if number // 2 % 2 == 0 else f"{end}-{start}")
        assert client.hear() == "none"
        took.append((time.perf_counter() - began) * 1000)
        time.sleep(0.01)
    return took


def cpu_seconds(process: int) -> float:
    """What a process has used until now, its start included."""
    fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def shares(took: Sequence[float]) -> str:
    """Median, 99th of 100 and the slowest."""
    ordered = sorted(took)
    return (
        f"p50 {ordered[len(ordered) // 2]:.1f}, p99 {ordered[len(ordered) * 99 // 100]:.1f}, max {ordered[-1]:.1f} ms"
    )


def abuse(words: str, rate: int, seconds: float, limits: dict[str, str], with_password: bool = True) -> None:
    """Answers to moves while log-ins rain."""
    more = ("--set", "stratego.two_squares=0", "--set", "stratego.max_plies=100000")
    with tempfile.TemporaryDirectory() as folder, host(folder, *options(limits, *more)) as running:
        port = running.ports[WIRE]
        with ProcessPoolExecutor(2) as processes:
            moves = processes.submit(play, port, seconds)
            time.sleep(1)
            answers = processes.submit(storm, port, rate, seconds, with_password).result() if rate else {}
            took = moves.result()
        busy = cpu_seconds(running.process.pid) / seconds
    print(f"{words}: {shares(took)} over {len(took)} moves; the host's CPU {busy:.0%}")
    if answers:
        print(f"    {sum(answers.values()) / seconds:.0f} a second: {answers}")


def main() -> None:
    """All of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--cpu", action="store_true")
    parser.add_argument("--rate", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=20.0)
    given = parser.parse_args()
    if given.cpu:
        cpu_timing(given.count)
        return
    if given.count:
        timing(given.count)
    abuse("moves, nobody logs in", 0, given.seconds, CONNECTIONS)
    abuse("moves, connections that come and go", given.rate, given.seconds, CONNECTIONS, with_password=False)
    abuse("moves, log-ins with quotas", given.rate, given.seconds, CONNECTIONS)
    abuse("moves, log-ins without quotas", given.rate, given.seconds, {"open": "yes"})


if __name__ == "__main__":
    main()
