"""Recorded messages of the published programs: one of each kind, five boards, and all that a client sent in an expert game."""

import gzip
import json
from functools import cache
from typing import Any

from tests.kit.sources import ROOT


def _rows(name: str) -> list[dict[str, Any]]:
    packed = (ROOT / "tests" / "vectors" / f"eriantys_java_{name}.jsonl.gz").read_bytes()
    return [json.loads(line) for line in gzip.decompress(packed).splitlines()]


@cache
def recorded(side: str) -> list[tuple[str, bytes, Any]]:
    """
    The messages of one side: the name, the bytes with their reset, and the values.

    :param side: `C`, the client, or `S`, the server
    """
    return [
        (row["message"], bytes.fromhex(row["hex"]), row["value"]) for row in _rows("messages") if row["dir"] == side
    ]


@cache
def segments() -> list[bytes]:
    """What a client sent in a whole expert game, segment by segment. The last message has no reset."""
    return [bytes.fromhex(row["hex"]) for row in _rows("stream")]
