"""
Floods of one kind of bytes each: sixty connections from one address send them as fast as the host reads, and come back when
they are closed.
"""

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from socket import socket

from benchmarks.network import connection

CONNECTIONS = 60
SOURCE = "6.1"


def flood(data: bytes, port: int, seconds: float, step: int = 65_536) -> dict[str, float]:
    """
    :param data: is repeated
    :param step: bytes given to the system in one call: 1 makes a segment of each byte
    """
    segment = data * (1 + 65_536 // len(data)) if step > 1 else data
    ends = time.monotonic() + seconds
    open_ones: list[socket] = []
    sent = made = at = 0
    retry_at = 0.0
    while (now := time.monotonic()) < ends:
        if len(open_ones) < CONNECTIONS and now >= retry_at:
            retry_at = now + 0.05
            with suppress(OSError):
                one = connection(port, SOURCE)
                one.setblocking(False)
                open_ones.append(one)
                made += 1
        for one in list(open_ones):
            try:
                if step > 1:
                    sent += one.send(segment)
                else:
                    sent += one.send(segment[at % len(segment) :][:1])
            except BlockingIOError:
                continue
            except OSError:
                open_ones.remove(one)
                one.close()
        at += 1
        time.sleep(0.001)
    for one in open_ones:
        one.close()
    return {"MiB taken": sent / 2**20, "connections": made}


TELNET = b"\xff\xfb\x01"

#: The wire, and the attack: by the name of the flood.
FLOODS: dict[str, tuple[str, Callable[[int, float], dict[str, float]]]] = {
    "telnet negotiation": ("onitama", partial(flood, TELNET)),
    "telnet, byte by byte": ("onitama", partial(flood, TELNET, step=1)),
    "blank lines": ("onitama", partial(flood, b"\n")),
    "blank lines, XML": ("paper-soccer", partial(flood, b"\n")),
    "spaces, XML": ("paper-soccer", partial(flood, b" ")),
    "comments, XML": ("paper-soccer", partial(flood, b"<!-- -->")),
    "pings, JSON": ("eriantys", partial(flood, b'{"type":"Pong"}\n')),
    "spaces, JSON": ("eriantys", partial(flood, b" ")),
    "frames of nothing": ("stratego-frames", partial(flood, b"\0")),
}
