"""What others see of a match on the open wire: its history, while it is played and when it is over; nothing that is hidden."""

import contextlib
from typing import Any

from attrs import evolve
from msgspec import json
from msgspec.structs import replace
from twisted.logger import capturedLogs, eventAsText
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.stratego.actions import Action, Move, Place, PlaceRows
from gamehost.games.stratego.master import StrategoMaster
from gamehost.games.stratego.messages import MESSAGES
from gamehost.journal.records import EntryKind, TableId
from gamehost.lobby import watching as spectators
from gamehost.lobby.watching import NO_RECORD, UNREADABLE
from gamehost.storage.memory import MemoryJournal
from gamehost.wires.open.conversation import NAME, WIRE, OpenConfig, OpenConversation
from gamehost.wires.open.watching import OpenOptions
from gamehost.wires.seeking import PlayedGame
from tests.games.test_stratego_secrets import KindInRefusal, KindInView, PlacedForAll
from tests.kit.memory_host import MemoryHost
from tests.kit.wires.open import DEAL, OpenCase, act, line
from tests.kit.wires.stratego_frames import LeakyStratego, WireWords, differences
from tests.kit.wires.stratego_lines import PairsContract


class InMemory(MemoryJournal):
    """A journal of `--store=memory`, without accounts."""

    def find(self, key: str) -> None:
        """No account has this key."""

    def names(self) -> list[str]:
        return []


class HistoryTests(OpenCase):
    def test_history_is_what_was_told(self) -> None:
        """Only what is durable, and one question at a time. What was told once is not read again."""
        host = self.host()
        ann, bob, _ = self.matched(host)
        bob.heard()
        ann.send(act("ox c1 c2"))
        events = [{"n": one["n"], "event": one["event"]} for one in self.told(bob)]
        client = host.connect("open")
        [told] = self.ask(client, do="history", table=1)
        self.assertEqual((told["is"], told["n"], told["events"][1:]), ("history", 2, events))
        self.assertEqual(self.ask(client, do="history", table=1, until=0)[0]["events"], [])
        host.journal.late = True
        bob.send(act("crab a5 a4"))
        self.assertEqual(self.ask(client, do="history", table=1), [told])
        self.assertEqual(self.ask(client, do="history", table=1, until=1), [])
        self.assertEqual(self.ask(client, do="history", table=1), [{"is": "sorry", "why": 'wait for "history"'}])
        client.drop()
        host.journal.late = False
        host.journal.release()

    def test_history_of_a_finished_match(self) -> None:
        """All that everybody was told, also after a restart of the host."""
        host = self.host()
        ann, bob, _ = self.matched(host)
        ann.send(act("ox c1 c2"))
        bob.send(act("crab a5 a4"))
        client = host.connect("open")
        [played] = self.ask(client, do="history", table=1)
        ann.send(line(do="leave"))
        [finished] = self.ask(client, do="history", table=1)
        self.assertEqual((finished["n"], finished["events"]), (4, played["events"]))
        self.assertEqual(self.ask(client, do="history", table=1, until=3), [played])
        for session in (ann, bob):
            session.drop()
        again = self.host(journal=host.journal.restarted())
        self.assertEqual(self.ask(again.connect("open"), do="history", table=1), [finished])

    def test_a_long_match_is_told_in_parts(self) -> None:
        """Of many entries, the last ones up to the one that was asked for are told. Without one, it begins at the beginning."""
        self.patch(spectators, "MANY", 3)
        host = self.host()
        ann, bob, _ = self.matched(host)
        for player, action in ((ann, "ox c1 c2"), (bob, "crab a5 a4"), (ann, "boar c2 c3"), (bob, "ox a4 a3")):
            player.send(act(action))
        for over in (False, True):
            client = host.connect("open")
            told = [self.ask(client, do="history", table=1, **more)[0] for more in ({}, {"until": 5}, {"until": 2})]
            numbers = [(one["n"], sorted({event["n"] for event in one["events"]})) for one in told]
            self.assertEqual(numbers, [(3, [1, 2, 3]), (5, [3, 4, 5]), (2, [1, 2])], over)
            ann.send(line(do="leave"))

    def test_history_of_a_private_finished_match(self) -> None:
        """Without its code it is answered as a match that never was."""
        host = self.host()
        (ann, _), (bob, _) = self.enter(host, "ann"), self.enter(host, "bob")
        [seeking] = self.ask(ann, do="seek", game="onitama", private=True)
        number, code = seeking["table"], seeking["code"]
        self.ask(bob, do="join", table=number, code=code)
        client = host.connect("open")
        sorry = [{"is": "sorry", "why": NO_RECORD}]
        self.assertEqual(self.ask(client, do="history", table=number), sorry)
        ann.send(line(do="leave"))
        for wrong in ({}, {"code": ""}, {"code": "AAAAAAAA"}):
            self.assertEqual(self.ask(client, do="history", table=number, **wrong), sorry)
        self.assertEqual(self.ask(client, do="history", table=number + 1), sorry)
        self.assertEqual(self.ask(client, do="history", table=number, code=code)[0]["is"], "history")

    def test_no_history_of_a_match_without_an_end(self) -> None:
        """One that sleeps is not loaded for it, and one that was put away has no result."""
        host = self.host(grace=5)
        ann, bob, _ = self.matched(host)
        ann.send(act("ox c1 c2"))
        for player in (ann, bob):
            player.drop()
        client = host.connect("open")
        sorry = [{"is": "sorry", "why": NO_RECORD}]
        self.assertEqual(self.ask(client, do="history", table=1), sorry)
        host.wait(90_000)
        client = host.connect("open")
        self.assertEqual(host.journal.entries[TableId(1)][-1].kind, EntryKind.ARCHIVED)
        self.assertEqual(self.ask(client, do="history", table=1), sorry)

    def test_no_history_from_rules_that_are_not_here(self) -> None:
        """An earlier version of the rules, and a record that does not fit."""
        host = self.host()
        ann, _, _ = self.matched(host)
        ann.send(line(do="leave"))
        client = host.connect("open")
        opening, entries = host.journal.openings[TableId(1)], host.journal.entries[TableId(1)]
        host.journal.openings[TableId(1)] = evolve(opening, version=0)
        why = "this match was played under rules that this host does not have"
        self.assertEqual(self.ask(client, do="history", table=1), [{"is": "sorry", "why": why}])
        host.journal.openings[TableId(1)] = opening
        entries[0] = replace(entries[0], drawn=(1,))
        self.assertEqual(self.ask(client, do="history", table=1), [{"is": "sorry", "why": UNREADABLE}])
        self.assertEqual(len(self.flushLoggedErrors()), 1)

    def test_a_journal_in_memory_has_finished_matches(self) -> None:
        """For as long as it keeps them. Others are refused in the same words as those that never were."""
        host = self.host(journal=InMemory())
        ann, _, _ = self.matched(host)
        client = host.connect("open")
        self.assertEqual(self.ask(client, do="history", table=1)[0]["n"], 1)
        ann.send(line(do="leave"))
        self.assertEqual(self.ask(client, do="history", table=1)[0]["n"], 2)
        self.assertEqual(self.ask(client, do="history", table=2), [{"is": "sorry", "why": NO_RECORD}])

    def test_history_keeps_the_delay(self) -> None:
        """Those who look on know nothing earlier by it."""
        host = MemoryHost({**DEAL, "onitama.watch_delay": "5"}, wires=(WIRE,))
        ann, _, _ = self.matched(host)
        client = host.connect("open")
        self.assertEqual(self.ask(client, do="history", table=1)[0]["n"], 0)
        host.wait(4)
        ann.send(act("ox c1 c2"))
        host.wait(1)
        self.assertEqual(self.ask(client, do="history", table=1)[0]["n"], 1)
        host.wait(4)
        self.assertEqual(self.ask(client, do="history", table=1)[0]["n"], 2)


del OpenCase


def message(**keys: Any) -> str:
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


ON_WIRE = WireWords(WIRE, log_in, in_words)


def leaky(referee: type[StrategoMaster]) -> WireWords:
    game = LeakyStratego(referee=referee)
    config = OpenConfig(OpenOptions(NAME, {game.name: PlayedGame(game, MESSAGES, frozenset())}))
    return evolve(ON_WIRE, wire=evolve(WIRE, games=(game,), configure=lambda settings: config))


class SecretTests(PairsContract, SynchronousTestCase):
    """Pairs of games that differ only in what is hidden, and wires that are known to leak."""

    on_wire = ON_WIRE
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
