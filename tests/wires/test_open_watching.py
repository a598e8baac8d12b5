"""The open wire beside the own match: watching, histories, studies, invitations, rematches; nothing that is hidden."""

import contextlib
from typing import Any

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json
from msgspec.structs import replace
from twisted.logger import capturedLogs, eventAsText
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.stratego.rules import Action, Move, Place, PlaceRows
from gamehost.journal.records import EntryKind, TableId
from gamehost.lobby import directory
from gamehost.lobby.directory import NO_RECORD, UNREADABLE
from gamehost.lobby.questions import FAULT, NotAnswered
from gamehost.lobby.studies import PER_ADDRESS
from gamehost.testing import memory_host
from gamehost.testing.cases import PropertyCase
from gamehost.testing.memory_host import Client
from gamehost.wires.open.conversation import WIRE, OpenConversation
from tests.kit.games.stratego import POOR, POOR_FAR
from tests.kit.journals import InMemory
from tests.kit.memory_host import MemoryHost
from tests.kit.players import HouseProcess, NotedPrograms, house_host
from tests.kit.wires.open import DEAL, OpenCase, act, line
from tests.kit.wires.stratego_frames import PairsContract, WireWords
from tests.lobby.test_house import seek


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
        self.assertEqual(
            self.ask(client, do="history", table=1), [{"is": "sorry", "why": 'wait for "history" or "ladder"'}]
        )
        client.drop()
        host.journal.late = False
        host.journal.release()

    def test_history_of_a_finished_match(self) -> None:
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
        self.patch(directory, "MANY", 3)
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


def message(**keys: Any) -> str:
    return json.encode(keys).decode()


def square(x: int, y: int) -> str:
    return f"{chr(ord('A') + x)}{y + 1}"


def in_words(seat: Seat, action: Action) -> tuple[str, ...]:
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
    return message(do="enter", name=name), message(do="seek", game="stratego")


ON_WIRE = WireWords(WIRE, log_in, in_words)


class SecretTests(PairsContract, SynchronousTestCase):
    on_wire = ON_WIRE


class CanaryTests(SynchronousTestCase):
    def test_a_crash_shows_neither(self) -> None:
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
            shown += [repr(client.protocol), repr(client.protocol.conversation), repr(host.lobby)]
            for text in shown:
                self.assertNotIn("canary", text)
                self.assertNotIn(key, text)


CLOCKED = {"game_time": 60, "increment": 2.5}


class InvitationTests(OpenCase):
    def test_a_private_table(self) -> None:
        host = self.host()
        ann, _ = self.enter(host, "ann")
        [seeking] = self.ask(ann, do="seek", game="onitama", private=True, settings={"move_time": 30})
        friend = host.connect("open")
        [told] = self.ask(friend, do="invitation", table=1, code=seeking["code"])
        self.assertEqual(
            told,
            {
                "is": "invitation",
                "table": 1,
                "game": "onitama",
                "seats": 2,
                "names": ["ann"],
                "settings": {"move_time": "30", "deal": DEAL["onitama.deal"]},
            },
        )
        sorry = [{"is": "sorry", "why": "no table of this number waits for players"}]
        for question in ({"table": 1}, {"table": 1, "code": "x"}, {"table": 2, "code": seeking["code"]}):
            self.assertEqual(self.ask(friend, do="invitation", **question), sorry)
        self.ask(ann, do="stop")
        self.assertEqual(self.ask(friend, do="invitation", table=1, code=seeking["code"]), sorry)

    def test_a_table_for_everybody_needs_no_code(self) -> None:
        host = self.host()
        ann, _ = self.enter(host, "ann")
        ann.send(line(do="seek", game="onitama", settings={"move_time": 30}))
        [told] = self.ask(host.connect("open"), do="invitation", table=1)
        self.assertEqual(told["names"], ["ann"])


class RematchTests(OpenCase):
    def over(self, host: memory_host.MemoryHost, **wishes: Any) -> tuple[Client, Client]:
        (ann, _), (bob, _) = self.enter(host, "ann"), self.enter(host, "bob")
        for client in (ann, bob):
            client.send(line(do="seek", game="onitama", **wishes))
        ann.send(line(do="leave"))
        for client in (ann, bob):
            client.heard()
        return ann, bob

    def test_both_ask(self) -> None:
        host = self.host()
        ann, bob = self.over(host, settings={"move_time": 30})
        [seeking] = self.ask(ann, do="rematch")
        self.assertEqual((seeking["is"], seeking["settings"]["move_time"]), ("seeking", "30"))
        self.assertEqual(self.told(bob), [{"is": "rematch", "table": 1, "name": "ann"}])
        bob.send(line(do="rematch"))
        for client, seat in ((ann, 1), (bob, 0)):
            [seated] = [one for one in self.told(client) if one["is"] == "seated"]
            self.assertEqual((seated["seat"], seated["names"], seated["due"]), (seat, ["bob", "ann"], [30_000, 30_000]))

    def test_nobody_is_made_to(self) -> None:
        host = self.host()
        ann, bob = self.over(host)
        self.ask(ann, do="rematch")
        self.assertEqual(self.ask(ann, do="stop"), [{"is": "stopped"}])
        self.told(bob)
        self.assertEqual([one["is"] for one in self.ask(bob, do="rematch")], ["seeking"])
        self.assertEqual(self.told(ann), [{"is": "rematch", "table": 1, "name": "bob"}])

    def test_who_cannot_be_asked(self) -> None:
        host = self.host()
        carl, _ = self.enter(host, "carl")
        refused = [{"is": "sorry", "why": "you have played no match on this connection"}]
        self.assertEqual(self.ask(carl, do="rematch"), refused)
        ann, bob = self.over(host)
        for client in (bob, carl):
            client.send(line(do="seek", game="onitama"))
        self.assertEqual(self.ask(ann, do="rematch"), [{"is": "sorry", "why": "bob plays another match"}])
        self.ask(bob, do="leave")
        self.assertEqual(self.ask(ann, do="rematch"), [{"is": "sorry", "why": "bob has played another match"}])
        bob.drop()
        host.wait(1_000)
        self.assertEqual(self.ask(ann, do="rematch"), [{"is": "sorry", "why": "bob is not here any more"}])


class DeadlineTests(OpenCase):
    def test_the_set_up_has_one_time_for_both(self) -> None:
        """It runs on from placement to placement, also over a lost connection and a restart; then each move has its own."""
        host = self.host(move_time="60")
        (ann, _), (bob, entered) = self.enter(host, "ann"), self.enter(host, "bob")
        for client in (ann, bob):
            client.send(line(do="seek", game="stratego"))
        self.assertEqual([one["due"] for one in self.told(bob)], [[300_000, 300_000]] * 2)
        self.told(ann)
        host.wait(10)
        ann.send(act("/".join(POOR)))
        self.assertEqual(self.told(ann)[0]["due"], [290_000, 300_000])
        bob.drop()
        again = host.connect("open")
        [_, seated, *_] = self.ask(again, do="enter", name="bob", key=entered["key"])
        self.assertEqual(seated["due"], [290_000, 300_000])
        for client in (ann, again):
            client.drop()
        restarted = self.host(journal=host.journal.restarted(), move_time="60")
        again = restarted.connect("open")
        [_, seated, *_] = self.ask(again, do="enter", name="bob", key=entered["key"])
        self.assertEqual(seated["due"], [290_000, 300_000])
        again.send(act("/".join(POOR_FAR)))
        ann, _ = self.enter(restarted, "ann")
        ann.heard()
        for client in (ann, again):
            client.send(act("ready"))
        self.assertEqual([one["due"] for one in self.told(again) if one["is"] == "event"][-1], [60_000, 60_000])

    def test_beside_clocks(self) -> None:
        """The time for a move and those for all moves are told apart; without such a time nothing is told."""
        host = self.host()
        (ann, _), (bob, _) = self.enter(host, "ann"), self.enter(host, "bob")
        for client in (ann, bob):
            client.send(line(do="seek", game="onitama", settings={**CLOCKED, "move_time": 30}))
        self.told(bob)
        host.wait(4)
        watcher = host.connect("open")
        [shown] = self.ask(watcher, do="watch", table=1)
        self.assertEqual((shown["due"], shown["clocks"]), ([26_000, 30_000], [56_000, 60_000]))
        ann.send(act("ox c1 c2"))
        for client in (watcher, bob):
            self.assertEqual(self.told(client)[0]["due"], [30_000, 30_000])

    def test_a_match_that_is_shown_later(self) -> None:
        host = self.host(move_time="60")
        host.lobby.galleries.delays = {"onitama": 5.0}
        self.matched(host)
        watcher = host.connect("open")
        self.ask(watcher, do="watch", table=1)
        host.wait(5)
        [shown] = self.told(watcher)
        self.assertNotIn("due", shown)


class ShownTests(OpenCase):
    def test_a_model_is_shown_as_one(self) -> None:
        """And it comes back as one, also at a host that has been started again."""
        host = self.host()
        ann, entered = self.enter(host, "ann", agent=True)
        bob, _ = self.enter(host, "bob")
        for client in (ann, bob):
            client.send(line(do="seek", game="onitama"))
        seated = self.told(bob)[0]
        self.assertEqual(seated["wires"], ["agent", "open"])
        later = self.host(journal=host.journal.restarted())
        back = later.connect("open")
        told, again = self.ask(back, do="enter", name="ann", key=entered["key"], agent=True)[:2]
        self.assertEqual((told["table"], again["wires"]), (1, ["agent", "open"]))


del OpenCase


class StudyStormTests(PropertyCase):
    """Studies while those who ask come and go, and the process of the house players ends and starts again."""

    ADDRESSES = ("192.0.2.1", "192.0.2.2", "198.51.100.1")
    TABLES = (1, 2, 3)

    def finished(self) -> tuple[MemoryHost, NotedPrograms]:
        host, programs = house_host()
        for table in self.TABLES:
            ann, bob = (seek(host, name) for name in ("ann", "bob"))
            ann.send(act("ox c1 c2", table))
            bob.send(act("crab c5 c4", table))
            ann.send(line(do="leave"))
            for one in (ann, bob):
                one.drop()
        return host, programs

    @given(st.lists(st.tuples(st.sampled_from("aaaaadse"), st.integers(0, 8), st.sampled_from(TABLES)), max_size=40))
    def test_everybody_is_answered_once(self, steps: list[tuple[str, int, int]]) -> None:
        """A study, or a sentence why there is none; whoever has gone holds nothing up, and nothing is left at the end."""
        host, programs = self.finished()
        clients = [host.connect("open", address=self.ADDRESSES[number % 3]) for number in range(9)]
        owed = [0] * 9

        def hear() -> None:
            host.wait(0.1)
            for number, client in enumerate(clients):
                told = [json.decode(text) for text in client.heard()]
                self.assertTrue(all(one["is"] in ("study", "sorry") for one in told), told)
                owed[number] -= len(told)
                self.assertIn(owed[number], (0, 1))

        for kind, number, table in steps:
            waiting = [answer for _, answer in programs.studied if not answer.called]
            if kind == "a":
                clients[number].send(line(do="study", table=table))
                owed[number] += 1
            elif kind == "d":
                clients[number].drop()
                clients[number] = host.connect("open", address=self.ADDRESSES[number % 3])
                owed[number] = 0
            elif kind == "s" and waiting:
                waiting[number % len(waiting)].callback(STUDIED)
            elif kind == "e":
                for answer in waiting:
                    answer.errback(NotAnswered("the house players have stopped"))
            hear()
            under_way = [answer for _, answer in programs.studied if not answer.called]
            counts = host.lobby.studies._addresses
            self.assertEqual(counts.total(), len(under_way))
            self.assertLessEqual(max(map(counts.of, self.ADDRESSES)), PER_ADDRESS)
        for _, answer in programs.studied:
            if not answer.called:
                answer.callback(STUDIED)
        hear()
        self.assertEqual((sum(owed), host.lobby.studies._addresses.total()), (0, 0))


#: What a house player finds in a match, as its process writes it.
STUDIED = '{"standings":[{"n":1,"shares":[50,50]}],"turns":[]}'


class StudyTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.host, self.programs = house_host()

    def play(self, **more: Any) -> dict[str, Any]:
        """A match with two moves that ends; what ann was told of her wait for it."""
        ann = seek(self.host, "ann", seat="first", **more)
        waits: dict[str, Any] = json.decode(ann.heard()[-1])
        bob = self.host.connect("open")
        bob.send(line(do="enter", name="bob"))
        if "table" in waits:
            bob.send(line(do="join", table=waits["table"], code=waits["code"]))
        else:
            bob.send(line(do="seek", game="onitama"))
        ann.send(line(do="act", table=1, action="ox c1 c2"))
        bob.send(line(do="act", table=1, action="crab c5 c4"))
        ann.send(line(do="leave"))
        return waits

    def ask(self, client: Client, **more: Any) -> list[dict[str, Any]]:
        client.send(line(do="study", table=1, **more))
        self.host.wait(0.1)
        return [json.decode(text) for text in client.heard()]

    def test_a_study(self) -> None:
        """It needs no log-in. It is made once for all who ask, and kept."""
        process, self.host.lobby.house.programs = HouseProcess(self.host), self.programs
        self.play()
        one, other = self.host.connect("open"), self.host.connect("open")
        self.assertEqual(self.ask(one), [])
        self.assertEqual(self.ask(one), [{"is": "sorry", "why": 'wait for "study"'}])
        self.assertEqual(self.ask(other), [])
        other.drop()
        [(question, answer)] = self.programs.studied
        process.study(1, question).chainDeferred(answer)
        [told] = [json.decode(text) for text in one.heard()]
        self.assertEqual([told["is"], told["table"], len(told["turns"])], ["study", 1, 1])
        # Black's master has come forward, and can be threatened.
        turn = {"n": 3, "seat": 1, "action": "crab c5 c4", "better": "eel b5 c4", "lost": 49}
        self.assertEqual(told["turns"], [turn])
        self.assertEqual([standing["n"] for standing in told["standings"]], [1, 2, 4])
        self.assertEqual(told["standings"][-1]["shares"], [0, 100])
        self.assertEqual(self.ask(self.host.connect("open")), [told])
        self.assertEqual(len(self.programs.studied), 1)

    def test_a_study_ends_with_its_askers(self) -> None:
        self.play()
        one, other = self.host.connect("open"), self.host.connect("open")
        self.assertEqual(self.ask(one) + self.ask(other), [])
        ended: list[object] = []
        [(_, answer)] = self.programs.studied
        self.patch(answer, "_canceller", ended.append)
        one.drop()
        self.assertEqual(ended, [])
        other.drop()
        self.assertEqual(ended, [answer])
        self.assertEqual((self.host.lobby.studies._addresses.total(), self.flushLoggedErrors()), (0, []))
        self.assertEqual(self.ask(self.host.connect("open")), [])
        self.assertEqual(len(self.programs.studied), 2)

    def test_so_many_studies_are_under_way(self) -> None:
        """One for an address, and four in all."""
        studies = self.host.lobby.studies
        self.play()
        studies._addresses.enter("192.0.2.9")
        client = self.host.connect("open", address="192.0.2.9")
        self.assertIn("a study for your address is under way", self.ask(client)[0]["why"])
        for number in range(3):
            studies._addresses.enter(f"192.0.2.{20 + number}")
        client = self.host.connect("open", address="192.0.2.10")
        self.assertIn("too many studies are under way", self.ask(client)[0]["why"])

    def test_what_was_hidden_stays_hidden(self) -> None:
        """If the owner never shows it, a study does not. Where nothing was hidden, there is one."""
        self.host.lobby.studies.reveal = False
        client = self.host.connect("open")
        for game, actions, why in (
            ("onitama", ("ox c1 c2", "crab c5 c4"), None),
            ("stratego", ("/".join(POOR), "/".join(POOR_FAR)), "never shows what was hidden"),
        ):
            players = [seek(self.host, name, game=game) for name in ("ann", "bob")]
            table = json.decode(players[1].heard()[0])["table"]
            for player, action in zip(players, actions, strict=True):
                player.send(act(action, table))
            for player in players:
                player.send(line(do="leave"))
                player.drop()
            client.send(line(do="study", table=table))
            self.host.wait(0.1)
            if why is None:
                self.assertEqual(client.heard(), [])
                self.programs.studied[0][1].errback(NotAnswered("stopped"))
                client.heard()
            else:
                self.assertIn(why, json.decode(client.heard()[0])["why"])

    def test_a_blunder_that_was_taken_back(self) -> None:
        """It is no place where the match turned."""
        process, self.host.lobby.house.programs = HouseProcess(self.host), self.programs
        ann, bob = (seek(self.host, name) for name in ("ann", "bob"))
        ann.send(act("ox c1 c2"))
        bob.send(act("crab c5 c4") + line(do="takeback", table=1, step="offer"))
        ann.send(line(do="takeback", table=1, step="accept"))
        bob.send(act("crab a5 a4"))
        bob.send(line(do="leave"))
        client = self.host.connect("open")
        self.assertEqual(self.ask(client), [])
        [(question, answer)] = self.programs.studied
        process.study(1, question).chainDeferred(answer)
        [told] = [json.decode(text) for text in client.heard()]
        self.assertNotIn("crab c5 c4", [turn["action"] for turn in told["turns"]])
        self.assertEqual([standing["n"] for standing in told["standings"]], [1, 2, 4, 6])

    def test_what_cannot_be_studied(self) -> None:
        """No match, one that goes on, one with another code; and no more than a few at once for an address."""
        client = self.host.connect("open")
        [answer] = self.ask(client)
        self.assertIn("no record of a finished match", answer["why"])
        waits = self.play(private=True)
        self.assertEqual(self.ask(client), [answer])
        self.assertEqual(self.ask(client, code=waits["code"]), [])
        self.programs.studied[0][1].errback(NotAnswered("the house players have stopped"))
        self.assertEqual(json.decode(client.heard()[0])["why"], "the house players have stopped")
        self.programs.games = ()
        [answer] = self.ask(client, code=waits["code"])
        self.assertIn("only house players can study a match", answer["why"])

    def test_a_game_that_cannot_be_weighed(self) -> None:
        self.play()
        client = self.host.connect("open")
        self.assertEqual(self.ask(client), [])
        self.programs.studied[0][1].callback('{"standings":[],"turns":[]}')
        self.assertIn("cannot weigh", json.decode(client.heard()[0])["why"])
        self.assertEqual(self.ask(client), [])
        self.programs.studied[1][1].callback("nonsense")
        with_fault = json.decode(client.heard()[0])["why"]
        self.assertEqual(with_fault, FAULT)
        self.assertEqual(len(self.flushLoggedErrors()), 1)
