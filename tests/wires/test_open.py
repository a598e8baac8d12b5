"""The open wire: what all wires do, and its own conversation."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from msgspec import json

from gamehost.testing.cases import PropertyCase
from gamehost.testing.memory_host import Client
from gamehost.testing.wire_contract import WireContract
from gamehost.testing.wire_hooks import Situation
from gamehost.wires.open.factory import WIRE
from gamehost.wires.open.table_side import State
from tests.kit.transcript import HOME

DEAL = {"onitama.deal": "boar,ox/crab,eel/tiger"}


def line(**message: Any) -> bytes:
    """A message of a client; `log_in` stands for `log-in`."""
    return json.encode(message) + b"\n"


def act(action: str, table: int = 1, **more: Any) -> bytes:
    """An action at a table."""
    return line(do="act", table=table, action=action, **more)


class WireTests(WireContract, PropertyCase):
    """What all wires do."""

    wire = WIRE
    transcripts = HOME
    host_settings = DEAL
    begun = b'{"do":"enter","name":"aaaaa'
    too_long = b'{"do":"enter","name":"' + b"a" * 4073 + b'"}\n'
    nonsense = (
        *WireContract.nonsense,
        *(b'{"do":"canary"}\n', b'{"do":"enter","canary":1}\n', b'{"canary":"\x1b[2J"}\n', b'["canary"]\n'),
        *(b'{"do":"act","table":1,"action":"canary\\u0007"}\n', b'{"do":"seek","game":"canary"}\n'),
        *(b'{"do":"seek","game":"onitama","settings":{"canary":1}}\n', b'{"is":"over","why":"canary"}\n'),
        *(b'{"do":"seek","game":"onitama","settings":{"move_time":"canary"}}\n', b'{"do":"log-in","name":"canary"}\n'),
    )
    unreached = {State.CHECKING: "passwords are checked at once in memory"}

    def log_in(self, name: str) -> bytes:
        return line(do="enter", name=name)

    def join(self, client: Client, name: str) -> None:
        client.send(self.log_in(name) + line(do="seek", game="onitama"))

    def join_again(self, client: Client, name: str) -> None:
        client.send(line(do="seek", game="onitama"))

    def legal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, act("ox c1 c2")

    def illegal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, act("ox c1 c5")

    def situations(self) -> Mapping[str, Callable[[], Situation]]:
        return {
            **super().situations(),
            "logged in": partial(self.logged_in, False),
            "account": partial(self.logged_in, True),
        }

    def logged_in(self, account: bool) -> Situation:
        """Ann, who does not seek opponents."""
        host, client = self.connected(unlimited="yes")
        client.send(line(do="log-in", name="ann", password="secret") if account else self.log_in("ann"))
        return Situation(host, client)
