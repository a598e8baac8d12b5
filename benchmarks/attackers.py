"""
The attackers. Each attack runs in a process of its own against a host on this machine. It has a time limit and a fixed
number of sockets, and reports its result at the end.
"""

import multiprocessing
import os
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from benchmarks.network import Network, connection

#: What an attack found: a few numbers by name.
Found = dict[str, float]
Attack = Callable[[int, float], Found]

#: Never more sockets than this at once, in one attack.
MOST_SOCKETS = 1_000


def newlines(port: int, seconds: float) -> Found:
    """Four connections send nothing but line ends, as fast as they are taken, and come back when they are cut off."""
    sent = [0] * 4
    ends = time.monotonic() + seconds

    def flood(number: int) -> None:
        while time.monotonic() < ends:
            with suppress(OSError), connection(port, f"1.{number + 1}") as flooding:
                while time.monotonic() < ends:
                    sent[number] += flooding.send(b"\n" * 65_536)
            time.sleep(0.05)

    floods = [threading.Thread(target=flood, args=(number,)) for number in range(4)]
    for one in floods:
        one.start()
    for one in floods:
        one.join()
    return {"MiB taken": sum(sent) / 2**20}


def unread(port: int, seconds: float, readers: int = 100) -> Found:
    """Connections that log in, ask for many answers, and read none of them."""
    ends = time.monotonic() + seconds
    begun: dict[int, tuple[socket.socket, float]] = {}
    for number in range(min(readers, MOST_SOCKETS)):
        made = connection(port, f"3.{1 + number % 200}", (socket.SO_RCVBUF, 2_048))
        made.sendall(b"LOGIN|unread%d\n" % number)
        made.setblocking(False)
        begun[made.fileno()] = made, time.monotonic()
    aborted: list[float] = []
    asking = b"X\n" * 500
    while begun and time.monotonic() < ends:
        time.sleep(0.02)
        for place, (number, (made, since)) in enumerate(list(begun.items())):
            if place % 50 == 0:
                time.sleep(0.001)  # a burst of a thousand packets is more than the loopback carries
            try:
                made.send(asking)
            except BlockingIOError:
                pass
            except OSError:
                aborted.append(time.monotonic() - since)
                begun.pop(number)[0].close()
    for made, _ in begun.values():
        made.close()
    return {"cut off": len(aborted), "of": readers, "the last after s": max(aborted, default=0.0)}


def thousand_unread(port: int, seconds: float) -> Found:
    """A thousand of these."""
    return unread(port, seconds, MOST_SOCKETS)


def _closings(sockets: Sequence[socket.socket], seconds: float, each_second: Callable[[socket.socket], None]) -> Found:
    """Hold sockets open, and see when the host closes them."""
    began = time.monotonic()
    left = list(sockets)
    closed: list[float] = []
    while left and time.monotonic() < began + seconds:
        for one in left:
            with suppress(OSError):
                each_second(one)
        tick = time.monotonic() + 1
        while left and (wait := tick - time.monotonic()) > 0:
            for one in select.select(left, [], [], wait)[0]:
                try:
                    data = one.recv(4096)
                except OSError:
                    data = b""
                if not data:
                    closed.append(time.monotonic() - began)
                    left.remove(one)
                    one.close()
    for one in left:
        one.close()
    return {"closed": len(closed), "of": len(sockets), "the last after s": max(closed, default=0.0)}


def silent(port: int, seconds: float) -> Found:
    """Sixty connections say nothing."""
    sockets = [connection(port, f"4.{1 + number % 6}") for number in range(60)]
    return _closings(sockets, seconds, lambda one: None)


def drips(port: int, seconds: float) -> Found:
    """Sixty connections, half of them logged in, send one byte a second of a message that never ends."""
    sockets = [connection(port, f"5.{1 + number % 6}") for number in range(60)]
    for number, one in enumerate(sockets[:30]):
        one.sendall(b"LOGIN|drip%d\n" % number)
    return _closings(sockets, seconds, lambda one: one.sendall(b"M"))


def storm(port: int, seconds: float) -> Found:
    """Connections come and go, up to a thousand a second, from two hundred addresses."""
    began = time.monotonic()
    made = 0
    while (now := time.monotonic()) < began + seconds:
        if made > (now - began) * 1_000:
            time.sleep(0.001)
            continue
        with suppress(OSError):
            connection(port, f"2.{1 + made % 200}").close()
        made += 1
    return {"a second": made / seconds}


@contextmanager
def under_way(
    attacks: Sequence[Attack], ports: Sequence[int], seconds: float, network: Network
) -> Iterator[list[Found]]:
    """Each attack in a process of its own, with its port, from a network; what they found stands in the list afterwards."""
    forking = multiprocessing.get_context("fork")
    answers: Any = forking.Queue()

    def run(attack: Attack, port: int) -> None:
        os.nice(10)  # strangers have machines of their own: here they take what the host and its players leave
        network.enter()
        answers.put(attack(port, seconds))

    processes = [forking.Process(target=run, args=one, daemon=True) for one in zip(attacks, ports, strict=True)]
    found: list[Found] = []
    for process in processes:
        process.start()
    try:
        yield found
        found += [answers.get(timeout=30) for _ in processes]
    finally:
        for process in processes:
            process.join(10)
            if process.is_alive():
                process.kill()
