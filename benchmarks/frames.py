"""
What a message costs on WebSocket, without a network: a client's frame that is read, and an event that is made.

    python -m benchmarks.frames
"""

from timeit import repeat

from wsproto.frame_protocol import FrameProtocol

from gamehost.games.onitama.messages import MovedEvent
from gamehost.wires.open import messages as m
from gamehost.wires.open.codec import OpenCodec
from gamehost.wires.open.websocket import SocketCodec

LINE = b'{"do":"act","table":1,"action":"tiger c1 c3","id":7}'
ROUNDS = 20_000


def microseconds(work: object) -> float:
    """The best of five, in microseconds."""
    return min(repeat("work()", globals={"work": work}, number=ROUNDS, repeat=5)) / ROUNDS * 1e6


def figures() -> dict[str, float]:
    """What was measured, by what it is."""
    codec, lines = SocketCodec(), OpenCodec()
    [*lines.feed(LINE + b"\n")]  # the first one is looked at for other protocols
    frame = bytes(FrameProtocol(client=True, extensions=[]).send_data(LINE.decode()))
    event = m.Event(1, 12, MovedEvent(0, "tiger", "c1", "c3"))
    return {
        "a frame read, us": microseconds(lambda: codec.whole(frame)),
        "by wsproto, us": microseconds(lambda: list(codec.feed(frame))),
        "the same as a line, us": microseconds(lambda: lines.whole(LINE + b"\n")),
        "an event made, us": microseconds(lambda: codec.encode(event)),
        "its bytes": float(len(codec.encode(event))),
    }


if __name__ == "__main__":
    for what, figure in figures().items():
        print(f"{what:24} {figure:8.1f}")
