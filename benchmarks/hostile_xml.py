"""
Hostile XML: the longest turn of the reactor that each attack causes, and the host's answer.

    python benchmarks/hostile_xml.py [--runs 7] [--most MILLISECONDS]

Each attack is fed to a codec of the Paper Soccer wire in segments of 64 KiB, with at most 64 messages a turn and twenty
refusals. The best of several runs is shown, because the machine has other work too. With `--most` the exit status is 1
if a turn took longer. The last line says how much memory a parser keeps for names that do not occur again; it should be
none.
"""

import argparse
import resource
import time
from collections.abc import Callable, Mapping, Sequence

from gamehost.wires.framing import WireError
from gamehost.wires.paper_soccer.codec import XmlCodec
from gamehost.wires.paper_soccer.messages import Dialect, LoginResponse, Malformed

SEGMENT = 65_536
MESSAGES_PER_TURN = 64
REFUSALS = 20
MOVED = b"</move></message>"


def attributes(count: int, shape: bytes = b"a%d=''") -> bytes:
    """One element with so many attributes."""
    return b"<message " + b" ".join(shape % number for number in range(count)) + b"/>"


ATTACKS: Mapping[str, bytes] = {
    "billion laughs": b'<!DOCTYPE a [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;">]><message>&b;</message>',
    "quadratic blow-up": b'<!DOCTYPE a [<!ENTITY a "' + b"a" * 50_000 + b'">]><message>' + b"&a;" * 50_000,
    "external entity": b'<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]><message>&a;</message>',
    "undefined entities": b"<message type='error'>" + b"&a;" * 5_000 + b"</message>",
    "UTF-16": '<message type="logout"/>'.encode("utf-16") * 2_000,
    "byte order mark": b"\xef\xbb\xbf<message type='logout'/>" * 2_000,
    "Latin-1 declared": b'<?xml version="1.0" encoding="ISO-8859-1"?><message type="logout"/>' * 900,
    "endless attribute": b"<message type='" + b"a" * 1_000_000,
    "endless text": b"<message>" + b"a" * 1_000_000,
    "endless tag": b"<message " + b"a " * 500_000,
    "100,000 attributes": attributes(100_000),
    "20,000 namespaces": attributes(20_000, b"xmlns:a%d='u'"),
    "attributes of 16 KiB": attributes(1_800) * 4,
    "47 attributes each": attributes(47) * 160,
    "one attribute, doubled": b"<point " + b" x=''" * 3_000 + b"/>\n",
    "depth 100,000": b"<a>" * 100_000,
    "316 points": b"<message type='move'><move>" + b"<point x='-1' y='-1'/>" * 316 + b"</move></message>",
    "316 points, oddly": (
        b"<message type='move'><move>" + b"<point\tx = '-1' y='-1' ></point >" * 316 + b"</move ></message >"
    ),
    "316 points, misspelt": b"<message type='move'><move>" + b"<poin x='-1' y='-1'/>" * 316 + b"</move></message>",
    "317 points": b"<message type='move'><move>" + b"<point x='-1' y='-1'/>" * 317 + b"</move></message>",
    "line ends": b"\n" * SEGMENT,
    "white space": b" " * SEGMENT,
    "small elements": b"<a/>" * 16_384,
    "errors of 16 KiB": (b"<message type='error'>" + b"a" * 16_300 + b"</message>") * 4,
    "references": (b"<message type='error'>" + b"&#49;" * 3_200 + b"</message>") * 4,
    "quotes": b"<message " + b"''" * 32_000,
}


#: Contents of moves in games of remote masters, where a content may be anything.
REMOTE_ATTACKS: Mapping[str, bytes] = {
    "remote: 2,040 elements": b"<a/>" * 2_040,
    "remote: attributes": b"<a " + b" ".join(b"a%d=''" % number for number in range(1_600)) + b"/>",
    "remote: namespaces": b"<a " + b" ".join(b"xmlns:n%d='u%d'" % (number, number) for number in range(750)) + b"/>",
    "remote: a long namespace": b"<a xmlns:n='" + b"u" * 8_000 + b"'>" + b"<b n:c=''/>" * 700 + b"</a>",
    "remote: references": b"&amp;" * 3_200,
}


def remote_codec() -> XmlCodec:
    """A codec whose client has logged in for a remote game."""
    codec = XmlCodec()
    codec.encode(LoginResponse(dialect=Dialect.EXACT))
    return codec


def longest_turn(data: bytes, new_codec: Callable[[], XmlCodec] = XmlCodec) -> tuple[float, str]:
    """Seconds of the longest turn, and how it ended."""
    codec = new_codec()
    longest, answer, refused = 0.0, "heard", 0
    for start in range(0, len(data), SEGMENT):
        began = time.perf_counter()
        messages = codec.feed(data[start : start + SEGMENT])
        try:
            for number, message in enumerate(messages, 1):
                answer = type(message).__name__
                refused += type(message) is Malformed
                if refused == REFUSALS:
                    raise WireError("too many refusals")
                if number % MESSAGES_PER_TURN == 0:
                    longest = max(longest, time.perf_counter() - began)
                    began = time.perf_counter()
        except WireError as error:
            return max(longest, time.perf_counter() - began), f"ended: {error}"
        longest = max(longest, time.perf_counter() - began)
    return longest, answer


def grown(messages: int, new_codec: Callable[[], XmlCodec] = XmlCodec) -> int:
    """KiB by which the process grows while so many messages name things that nobody named before."""
    codec = new_codec()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number in range(messages):
        names = b" ".join(b"%s%d_%d=''" % (b"n" * 60, number, name) for name in range(45))
        list(codec.feed(b"<message " + names + b"/>"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--most", type=float, default=float("inf"))
    options = parser.parse_args(arguments)
    worst = 0.0
    remote = {name: b"<message type='move'><move>" + content + MOVED for name, content in REMOTE_ATTACKS.items()}
    for name, data in {**ATTACKS, **remote}.items():
        new_codec = remote_codec if name in remote else XmlCodec
        turns = [longest_turn(data, new_codec) for _ in range(options.runs)]
        best, answer = min(turns)
        worst = max(worst, best * 1000)
        print(f"{name:24} {best * 1000:8.3f} ms   {answer}")
    print(f"{'longest':24} {worst:8.3f} ms")
    print(f"{'10,000 x 45 new names':24} {grown(10_000):8} KiB more")
    print(f"{'the same, remote':24} {grown(10_000, remote_codec):8} KiB more")
    return 1 if worst > options.most else 0


if __name__ == "__main__":
    raise SystemExit(main())
