"""
The catalogue: 176 things that go wrong, or are done wrong on purpose, and where the suite shows what happens then.

`ROWS` are the lists of `wires.py`, `host.py` and `web.py`. Each row has a number, a title, and below it the tests, one a
line, or a line that begins with a dash and says what there is instead of one, or beside it.
"""

import re
from collections.abc import Iterator

from attrs import field, frozen

from tests.failure_modes import host, web, wires

_HEAD = re.compile(r"(?P<number>[0-9]+)  ?(?P<title>\S.*)")


@frozen
class Row:
    """One thing that goes wrong."""

    number: int
    title: str
    #: Dotted names.
    tests: tuple[str, ...] = ()
    #: What there is to say beside tests, or instead of them.
    remark: str = field(default="")


def read(text: str) -> Iterator[Row]:
    """
    The rows of a list.

    :raises ValueError: a line is none of the three kinds
    """
    number, title, tests, remarks = 0, "", list[str](), list[str]()
    for line in [*text.strip("\n").splitlines(), "0 end"]:
        head = _HEAD.fullmatch(line)
        if head is not None:
            if number:
                yield Row(number, title, tuple(tests), " ".join(remarks))
            number, title, tests, remarks = int(head["number"]), head["title"], [], []
        elif line.startswith("    - "):
            remarks.append(line[6:])
        elif line.startswith(("    tests.", "    gamehost.testing.")):
            tests.append(line[4:])
        else:
            raise ValueError(f"after row {number}: {line!r} is no row, no test and no remark")


ROWS = (*read(wires.LIST), *read(host.LIST), *read(web.LIST))
