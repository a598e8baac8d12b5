"""What is hidden stays hidden on the open wire: the enemy's pieces, passwords and keys."""

import contextlib
from typing import Any

from attrs import evolve
from msgspec import json
from twisted.logger import capturedLogs, eventAsText
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.stratego.actions import Action, Move, Place, PlaceRows
from gamehost.games.stratego.face import FACE
from gamehost.games.stratego.master import StrategoMaster
from gamehost.wires.open.conversation import OpenConversation
from gamehost.wires.open.factory import NAME, WIRE, OpenConfig
from gamehost.wires.open.options import OpenOptions
from gamehost.wires.seeking import PlayedGame
from tests.games.test_stratego_secrets import KindInRefusal, KindInView, PlacedForAll
from tests.kit.memory_host import MemoryHost
from tests.kit.wires.stratego_pairs import LeakyStratego, Speech, differences
from tests.kit.wires.stratego_pairs_contract import PairsContract


def message(**keys: Any) -> str:
    """A client's message."""
    return json.encode(keys).decode()


def square(x: int, y: int) -> str:
    """A square, or something that looks like one."""
    return f"{chr(ord('A') + x)}{y + 1}"


def in_words(seat: Seat, action: Action) -> tuple[str, ...]:
    """An action in the game's notation, possible or not."""
    match action:
        case Move(x, y, to_x, to_y):
            text = f"{square(x, y)}-{square(to_x, to_y)}"
        case Place(piece, x, y):
            text = f"{piece}@{square(x, y)}"
        case PlaceRows(rows):
            text = "/".join(rows)
        case _:
            text = "ready"
    return (message(do="act", table=1, action=text, id=1),)


def log_in(name: str) -> tuple[str, ...]:
    """What a client says to come in, and to come back; `seek` is refused then."""
    return message(do="enter", name=name), message(do="seek", game="stratego")


SPEECH = Speech(WIRE, log_in, in_words)


def leaky(referee: type[StrategoMaster]) -> Speech:
    """The wire with a referee that leaks."""
    game = LeakyStratego(referee=referee)
    config = OpenConfig(OpenOptions(NAME, {game.name: PlayedGame(game, FACE, frozenset())}))
    return evolve(SPEECH, wire=evolve(WIRE, games=(game,), configure=lambda settings: config))


class SecretTests(PairsContract, SynchronousTestCase):
    """Pairs of games that differ only in what is hidden, and wires that are known to leak."""

    speech = SPEECH
    back = b'"view"'

    def has_battle(self, heard: bytes) -> bool:
        return b'"fought"' in heard

    def test_leaks_are_found(self) -> None:
        """Each referee that leaks in one way is caught within 100 pairs; one that does not leak is not."""
        for referee in (KindInRefusal, KindInView, PlacedForAll):
            self.assertIsNot(next(differences(leaky(referee), 100), None), None, referee.__name__)
        self.assertEqual(list(differences(leaky(StrategoMaster), 20)), [])


class CanaryTests(SynchronousTestCase):
    """A password, and a key, are looked for in all that is logged and shown."""

    def test_a_crash_shows_neither(self) -> None:
        """Of the conversation, at the answer to a log-in."""

        def broken(*anything: object) -> None:
            raise RuntimeError("planted")

        self.patch(OpenConversation, "_entered", broken)
        key = "0123456789abcdef" * 2
        for keys in (
            {"do": "log-in", "name": "ann", "password": "canary canary"},
            {"do": "enter", "name": "ann", "key": key},
        ):
            host = MemoryHost(wires=(WIRE,))
            client = host.connect("open")
            # In memory there is no transport that would log an error.
            with capturedLogs() as events, contextlib.suppress(RuntimeError):
                client.say(message(**keys))
            self.flushLoggedErrors()
            shown = [eventAsText(event, includeTraceback=True) for event in events]
            shown += [repr(client.protocol), repr(client.protocol._conversation), repr(host.lobby)]
            for text in shown:
                self.assertNotIn("canary", text)
                self.assertNotIn(key, text)
