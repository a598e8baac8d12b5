"""Players of the final dialect of Onitama at a table, alone and with players of the document's wire."""

from typing import Any

from gamehost.games.onitama.rules import SQUARES, Exchange, Move, Position
from gamehost.wires.onitama_final.conversation import row_and_column
from tests.kit.memory_host import Client, MemoryHost

WIRE = "onitama-final"
DEAL = {"onitama.deal": "boar,ox/crab,eel/tiger"}
START = "START|bob|ann|crab|eel|tiger|boar|ox"
#: White: tiger and horse cannot move.
STUCK = Position((("tiger", "horse"), ("crab", "eel")), "ox", "P....P....K....P....P..k.")  # type: ignore[arg-type]


def entered(host: MemoryHost, name: str, wire: str = WIRE) -> Client:
    """A new connection that logs in."""
    client = host.connect(wire)
    client.say(f"LOGIN|{name}")
    return client


def seated(host: MemoryHost, *wires: str) -> tuple[Client, Client]:
    """Ann (White) and Bob (Black) at a table, the second behind START over, and nothing unheard."""
    first, second = wires or (WIRE, WIRE)
    ann, bob = entered(host, "ann", first), entered(host, "bob", second)
    host.wait(1)
    ann.heard(), bob.heard()
    return ann, bob


def master_of(host: MemoryHost) -> Any:
    """The master of the only table."""
    [table] = host.lobby.tables.values()
    return table._master


def said(action: Move | Exchange, wire: str) -> str:
    """An action in the words of a wire."""
    match action, wire:
        case Move(card, start, end), "onitama":
            return f"MAKE_MOVE|{card}|{SQUARES[start]}|{SQUARES[end]}"
        case Move(card, start, end), _:
            return "|".join(("MAKE_MOVE", card, *row_and_column(start), *row_and_column(end)))
        case Exchange(card), "onitama":
            return f"STALEMATE|{card}"
    return f"MAKE_PASS|{action.card}"
