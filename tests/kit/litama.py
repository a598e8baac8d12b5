"""How tests speak Litama's protocol: a host whose tokens differ, and clients that read JSON."""

import json
import sys
from collections.abc import Callable, Mapping
from hashlib import sha256
from itertools import count
from typing import Any

from gamehost.plugins import WIRES
from gamehost.testing.memory_host import Client, Lines
from gamehost.testing.transcript import main
from gamehost.wires.base import SeatKey
from tests.kit.memory_host import MemoryHost

#: White has boar and ox, Black crab and eel, and the side card is the tiger, whose stamp is blue.
BLUE = {"onitama.deal": "boar,ox/crab,eel/tiger"}
#: The same with the side card of red.
RED = {"onitama.deal": "boar,ox/crab,eel/horse"}


def chance() -> Callable[[int], int]:
    """Random numbers that differ, and are the same in each run: the first is 0."""
    numbers = count()

    def below(limit: int) -> int:
        digest = sha256(str(next(numbers)).encode()).digest() * 2
        return int.from_bytes(digest[:40], "big") % limit

    return below


def tokens_differ(wire: str) -> Mapping[str, Any]:
    """What else a host is made with for the transcripts of a wire: where tokens are drawn, they differ."""
    (found,) = (one for one in WIRES if one.name == wire)
    return {"rng": chance()} if found.seat_key is SeatKey.TOKEN else {}


class LitamaHost(MemoryHost):
    """A host whose ids and tokens differ."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **{"rng": chance(), **named})


class LitamaLines(Lines):
    def __init__(self) -> None:
        super().__init__()
        self.entered: list[Any] = []

    def heard(self, data: bytes) -> list[str]:
        lines = super().heard(data)
        self.entered += [found for line in lines if "token" in (found := json.loads(line))]
        return lines


def drawn(state: Any) -> tuple[str, Any]:
    """
    The board and the cards that a client draws who reads nothing of `state` but `startingCards` and `moves`.

    Independent of the host's rules: what stands on the first square goes to the second one, and the card of the side takes the
    place of the card that was played.
    """
    squares = [rank + line for line in "12345" for rank in "abcde"]
    board = dict(zip(squares, "1121100000000000000033433", strict=True))
    cards = {name: list(cards) for name, cards in state["startingCards"].items() if name != "side"}
    side = state["startingCards"]["side"]
    for move in state["moves"]:
        card, _, way = move.partition(":")
        start, end = way[:2], way[2:]
        hand = cards["blue" if board[start] in "12" else "red"]
        hand[hand.index(card)], side = side, card
        board[start], board[end] = "0", board[start]
    return "".join(board[square] for square in squares), {**cards, "side": side}


def told(client: Client) -> list[Any]:
    return [json.loads(line) for line in client.heard()]


def ask(client: Client, *lines: str) -> list[Any]:
    client.heard()
    client.say(*lines)
    return told(client)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:], LitamaHost))
