"""House players in the lobby: who gets one and when, how their seats are kept, and whose seats they take over."""

import os
from typing import Any

from attrs import evolve
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import json
from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.names import NameRefused
from gamehost.games.onitama.master import ONITAMA
from gamehost.journal.records import TableId
from gamehost.lobby.house import IDLE, PATIENCE, HouseRules
from gamehost.lobby.queues import HouseRefused
from gamehost.players.base import Level
from gamehost.plugins import WIRES
from gamehost.tables.interfaces import Displaced
from gamehost.testing.cases import PropertyCase
from tests.kit.journal_oracle import check_house
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.players import RULES, HouseProcess, house_host
from tests.kit.wires.open import act, line


class Program:
    def __init__(self) -> None:
        self.told: list[Any] = []
        self.handle: Any = None

    def seated(self, handle: Any) -> None:
        self.handle = handle

    def deliver(self, event: Any) -> None:
        self.told.append(event)


def come(host: MemoryHost, name: str) -> Program:
    program = Program()
    session = host.lobby.house.log_in(name, program)
    host.lobby.reconnect(session)
    host.lobby.house.active(session, program.handle)
    return program


def told(client: Client) -> list[dict[str, Any]]:
    return [json.decode(text) for text in client.heard()]


def enter(host: MemoryHost, name: str) -> Client:
    client = host.connect("open")
    client.send(line(do="enter", name=name))
    client.heard()
    return client


def seek(host: MemoryHost, name: str, **more: Any) -> Client:
    client = enter(host, name)
    client.send(line(do="seek", **{"game": "onitama", **more}))
    return client


class WaitingTests(SynchronousTestCase):
    def test_a_queue(self) -> None:
        host, programs = house_host()
        ann = host.connect("onitama")
        ann.say("LOGIN|ann")
        host.wait(19.9)
        self.assertEqual((programs.called, host.lobby.tables), ([], {}))
        ann.heard()
        host.wait(0.1)
        self.assertEqual(programs.called, ["easy.1"])
        self.assertIn("START|ann|easy.1", ann.heard()[0])

    def test_the_rules(self) -> None:
        for rules, others in (
            (HouseRules(), []),
            (HouseRules({"stratego": 20.0}), []),
            (HouseRules({"onitama": 0.0, "stratego": 20.0}), []),
            (evolve(RULES, level=Level.HARD), ["hard.1"]),
        ):
            host, programs = house_host(rules=rules)
            host.connect("onitama").say("LOGIN|ann")
            host.wait(60)
            self.assertEqual(programs.called, others)

    def test_people_come_first(self) -> None:
        for before in (True, False):
            host, programs = house_host()
            ann = host.connect("onitama")
            ann.say("LOGIN|ann")
            host.clock.advance(19.999)
            bob = host.connect("onitama")
            if before:
                bob.say("LOGIN|bob")
                host.wait(0.001)
                self.assertIn("START|ann|bob", bob.heard()[0])
                self.assertEqual(programs.called, [])
            else:
                host.wait(0.001)
                bob.say("LOGIN|bob")
                self.assertNotIn("START", "".join(bob.heard()))
            host.wait(20)
            self.assertEqual(len(host.lobby.tables), 1 if before else 2)

    def test_a_game_at_some_levels(self) -> None:
        """Others are refused by name. A player that waits alone gets the weakest one that is offered."""
        onitama: Any = type(ONITAMA)
        onitama.house_levels = (Level.MEDIUM, Level.HARD)
        self.addCleanup(delattr, onitama, "house_levels")
        host, programs = house_host()
        ann = seek(host, "ann", house="easy")
        self.assertEqual(told(ann)[0]["why"], "no such level; expected one of medium, hard")
        seek(host, "bob")
        host.wait(20)
        self.assertEqual(programs.called, ["medium.1"])

    def test_wishes(self) -> None:
        """Who wants the second seat has it against a house player, too."""
        host, _ = house_host()
        ann = seek(host, "ann", seat="second")
        host.wait(20)
        [seated] = [one for one in told(ann) if one["is"] == "seated"]
        self.assertEqual((seated["seat"], seated["names"]), (1, ["easy.1", "ann"]))

    def test_not_alone(self) -> None:
        host, programs = house_host()
        seek(host, "ann", game="eriantys", seats=3)
        bob = seek(host, "bob", game="eriantys", seats=3)
        host.wait(30)
        self.assertEqual(programs.called, [])
        bob.send(line(do="stop"))
        host.wait(20)
        self.assertEqual(programs.called, ["easy.1", "easy.2"])

    def test_somebody_at_the_table_is_away(self) -> None:
        host, programs = house_host()
        ann = seek(host, "ann", game="eriantys", seats=3)
        seek(host, "bob", game="eriantys", seats=3).drop()
        ann.heard()
        ann.send(line(do="house", level="easy"))
        self.assertIn("is away", told(ann)[0]["why"])
        host.wait(60)
        self.assertEqual(programs.called, [])

    def test_at_a_table_of_ones_own(self) -> None:
        """One who is alone at a table gets an opponent there, but not at a private one, and not after it was closed."""
        for host_settings, wanted, called in (
            ({}, {"settings": {"move_time": 60}}, ["easy.1"]),
            ({}, {"private": True}, []),
            ({"limits.open_table_seconds": "5"}, {"settings": {"move_time": 60}}, []),
        ):
            host, programs = house_host(host_settings)
            ann = seek(host, "ann", **wanted)
            host.wait(20)
            self.assertEqual(programs.called, called)
            self.assertEqual("seated" in [one["is"] for one in told(ann)], bool(called))

    def test_nothing_is_left_of_who_has_gone(self) -> None:
        host, programs = house_host({"limits.open_table_seconds": "5"})
        seek(host, "ann").drop()
        seek(host, "bob", settings={"move_time": 60})
        host.wait(60)
        self.assertEqual((programs.called, host.clock.getDelayedCalls()), ([], []))

    def test_who_waits_for_programs_that_are_not_ready_waits_on(self) -> None:
        host, programs = house_host()
        programs.games = ()
        ann = seek(host, "ann")
        host.wait(60)
        self.assertNotIn("seated", [one["is"] for one in told(ann)])
        programs.games = ("onitama",)
        host.wait(5)
        self.assertIn("seated", [one["is"] for one in told(ann)])


class WishTests(SynchronousTestCase):
    def test_a_match_that_is_sought_with_a_level_begins_at_once(self) -> None:
        host, programs = house_host()
        seek(host, "bob")
        ann = seek(host, "ann", house="hard")
        self.assertEqual(told(ann)[0]["names"], ["ann", "hard.1"])
        self.assertEqual((programs.called, len(host.lobby.tables)), (["hard.1"], 1))

    def test_eriantys(self) -> None:
        host, programs = house_host()
        ann = seek(host, "ann", game="eriantys", seats=4, house="medium")
        self.assertEqual(told(ann)[0]["names"], ["ann", "medium.1", "medium.2", "medium.3"])
        self.assertEqual(programs.called, ["medium.1", "medium.2", "medium.3"])

    def test_while_waiting(self) -> None:
        host, programs = house_host()
        ann, bob, carl = (seek(host, "ann"), seek(host, "bob", game="eriantys", seats=4), enter(host, "carl"))
        carl.send(line(do="join", table=1))
        for client in (ann, bob, carl):
            client.heard()
        carl.send(line(do="house", level="easy"))
        self.assertEqual(told(carl)[0]["why"], "only the player who has opened the table can ask for house players")
        bob.send(line(do="house", level="easy"))
        ann.send(line(do="house", level="hard"))
        self.assertEqual(programs.called, ["easy.1", "easy.2", "hard.1"])
        self.assertEqual(told(carl)[-1]["is"], "event")
        self.assertEqual(told(ann)[0]["is"], "seated")

    def test_refusals(self) -> None:
        for rules, ready, words in (
            (HouseRules(), True, "house players are off"),
            (HouseRules({"stratego": 5.0}), True, "there are no house players for onitama"),
            (RULES, False, "house players are not ready: try again in a moment"),
            (evolve(RULES, tables=0), True, "all house players are busy: try again later"),
        ):
            host, programs = house_host(rules=rules)
            programs.games = programs.games if ready else ()
            ann = seek(host, "ann", house="easy")
            self.assertEqual(told(ann), [{"is": "sorry", "why": words}])
            ann.send(line(do="seek", game="onitama"))
            self.assertEqual(told(ann)[0]["is"], "seeking")
            ann.send(line(do="house", level="easy"))
            self.assertEqual(told(ann), [{"is": "sorry", "why": words}])
        host, _ = house_host()
        ann = seek(host, "ann", house="canary")
        self.assertEqual(told(ann)[0]["why"], "no such level; expected one of random, easy, medium, hard")
        host.lobby.no_room = "no room"
        ann.send(line(do="seek", game="onitama", house="easy"))
        self.assertEqual(told(ann)[0]["why"], "no room")
        self.assertRaises(HouseRefused, host.lobby.house.wanted, host.lobby.registry.get("ann"), "easy")

    def test_the_share_of_an_address(self) -> None:
        host, programs = house_host(rules=evolve(RULES, tables=10, tables_per_address=2))

        def ask(name: str, address: str) -> dict[str, Any]:
            client = host.connect("open", address)
            client.send(line(do="enter", name=name) + line(do="seek", game="onitama", house="easy"))
            return told(client)[1]

        near = ["2001:db8::1", "2001:db8::2", "2001:db8::3"]
        answers = [ask(f"ann{number}", address) for number, address in enumerate(near)]
        self.assertEqual([one["is"] for one in answers], ["seated", "seated", "sorry"])
        self.assertIn("too many matches from your address have house players", answers[2]["why"])
        self.assertEqual(ask("bob", "192.0.2.7")["is"], "seated")
        self.assertEqual([ask(f"carl{number}", "127.0.0.1")["is"] for number in range(4)], ["seated"] * 4)
        self.assertEqual(programs.groups, [1, 1, 2, 3, 3, 3, 3])
        # The match of that address in which nothing has happened for a minute is given up.
        host.wait(61)
        self.assertEqual(ask("dora", near[0])["is"], "seated")

    def test_numbers_are_not_used_again(self) -> None:
        """The program of the last one may be on its way out still. Of each level the numbers begin with 1."""
        host, programs = house_host()
        for level in ("easy", "easy", "hard"):
            client = seek(host, f"ann{len(programs.called)}", house=level)
            self.assertEqual(told(client)[0]["is"], "seated")
            client.send(line(do="leave"))
            self.assertIsNone(host.lobby.registry.get(programs.called[-1]))
        self.assertEqual(programs.called, ["easy.1", "easy.2", "hard.1"])

    def test_busy_and_idle(self) -> None:
        """Over the limit, the house player gives way at whose table nothing has happened for longest, if it is long."""
        host, _ = house_host(rules=evolve(RULES, tables=2))
        ann, bob = seek(host, "ann", house="easy"), seek(host, "bob", house="easy")
        first, _ = come(host, "easy.1"), come(host, "easy.2")
        host.wait(IDLE - 1)
        host.lobby.house.active(host.lobby.registry.get("easy.1"), first.handle)  # type: ignore[arg-type]
        carl = seek(host, "carl", house="easy")
        self.assertEqual(told(carl)[0]["why"], "all house players are busy: try again later")
        host.wait(1)
        carl.send(line(do="seek", game="onitama", house="easy"))
        self.assertEqual(told(carl)[0]["is"], "seated")
        self.assertEqual(told(bob)[-1]["winners"], [0])
        self.assertNotIn("over", [one["is"] for one in told(ann)])


class SeatTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.host, self.programs = house_host()
        self.ann = seek(self.host, "ann", house="easy")
        self.ann.heard()

    def test_a_program_comes_and_is_lost(self) -> None:
        program = come(self.host, "easy.1")
        self.assertEqual((program.handle.seat, len(program.told)), (1, 1))
        self.ann.send(act("ox c1 c2"))
        self.assertEqual(len(program.told), 2)
        self.assertEqual([one["is"] for one in told(self.ann)], ["event"])
        self.host.lobby.leave(self.host.lobby.registry.get("easy.1"), program)  # type: ignore[arg-type]
        self.host.wait(PATIENCE - 1)
        self.assertEqual(self.programs.called, ["easy.1", "easy.1"])
        again = come(self.host, "easy.1")
        self.host.wait(60)
        self.assertEqual((told(self.ann), again.handle.n), ([], 2))

    def test_a_program_that_does_not_come(self) -> None:
        self.host.wait(PATIENCE)
        self.assertEqual([one["is"] for one in told(self.ann)], ["away"])
        program = come(self.host, "easy.1")
        self.assertEqual([one["is"] for one in told(self.ann)], ["back"])
        self.host.lobby.leave(self.host.lobby.registry.get("easy.1"), program)  # type: ignore[arg-type]
        self.host.wait(PATIENCE)
        self.host.wait(60)
        self.assertEqual(told(self.ann)[-1]["winners"], [0])
        self.assertIsNone(self.host.lobby.registry.get("easy.1"))
        self.assertRaises(NameRefused, come, self.host, "easy.1")

    def test_the_match_sleeps_when_only_house_players_are_left(self) -> None:
        """Its clock stands still: the player comes back tomorrow, and plays on against the same opponent."""
        program = come(self.host, "easy.1")
        self.ann.send(act("ox c1 c2"))
        self.ann.drop()
        self.assertEqual((len(self.host.lobby.tables), self.host.lobby.seats.sleeps(TableId(1))), (0, True))
        self.assertIsInstance(program.told[-1], Displaced)
        self.assertFalse(program.handle.act("x"))
        self.host.wait(80_000)
        self.programs.called.clear()
        ann = self.host.connect("open")
        ann.send(line(do="enter", name="ann"))
        kinds = [one["is"] for one in told(ann)]
        self.assertEqual((kinds[0], kinds[1], self.programs.called), ("entered", "seated", ["easy.1"]))
        again = come(self.host, "easy.1")
        self.assertEqual((again.handle.n, len(self.host.lobby.tables)), (2, 1))

    def test_a_match_without_a_move_does_not_sleep(self) -> None:
        """The seat is kept for a reload of the page."""
        come(self.host, "easy.1")
        self.ann.drop()
        self.host.wait(59)
        self.assertEqual(len(self.host.lobby.tables), 1)
        self.host.wait(1)
        self.assertEqual((len(self.host.lobby.tables), self.host.lobby.seats.sleeps(TableId(1))), (0, False))

    def test_another_person_is_there(self) -> None:
        """Then the seat is kept for the grace time only."""
        host, _ = house_host()
        ann, bob = (seek(host, name, game="eriantys", seats=3) for name in ("ann", "bob"))
        ann.send(line(do="house", level="easy"))
        ann.heard(), bob.heard()
        host.lobby.tables[TableId(1)]._acted = True
        bob.drop()
        self.assertEqual(told(ann), [{"is": "away", "table": 1, "n": 1, "seat": 1, "kept": 60_000}])
        host.wait(30)
        ann.drop()
        self.assertTrue(host.lobby.seats.sleeps(TableId(1)))

    def test_the_second_of_two_programs_displaces_the_first(self) -> None:
        first = come(self.host, "easy.1")
        come(self.host, "easy.1")
        self.assertIsInstance(first.told[-1], Displaced)
        self.assertEqual(told(self.ann), [])

    def test_a_new_process(self) -> None:
        seek(self.host, "bob", house="hard")
        come(self.host, "hard.1")
        self.programs.called.clear()
        self.host.lobby.house.started(self.programs)
        self.assertEqual(self.programs.called, ["easy.1"])

    def test_a_restart_of_the_host(self) -> None:
        self.ann.send(act("ox c1 c2"))
        journal = self.host.journal.restarted()
        host, programs = house_host(journal=journal)
        self.assertEqual(programs.called, [])
        ann = enter(host, "ann")
        host.until_idle()
        self.assertEqual(programs.called, ["easy.1"])
        program = come(host, "easy.1")
        self.assertEqual(program.handle.n, 2)
        self.assertNotIn("away", [one["is"] for one in told(ann)])

    def test_a_restart_without_house_players(self) -> None:
        self.ann.send(act("ox c1 c2"))
        host, _ = house_host(rules=HouseRules(), journal=self.host.journal.restarted())
        ann = enter(host, "ann")
        host.wait(120)
        self.assertEqual(told(ann)[-1]["winners"], [0])

    def test_a_match_that_was_over(self) -> None:
        self.ann.send(act("ox c1 c2"))
        self.host.journal.late = True
        self.ann.send(line(do="leave"))
        self.host.journal.release()
        host, _ = house_host(journal=self.host.journal.restarted())
        enter(host, "ann")
        host.until_idle()
        self.assertEqual((host.unfinished, host.lobby.registry.get("easy.1")), ([], None))

    def test_sleeping_tables_are_not_counted_for_house_players(self) -> None:
        """The limit of sleeping tables is one of an address, and house players have none."""
        people = [host_of(self.host, number) for number in range(30)]
        for client in people:
            client.drop()
        self.host.lobby.close()
        again, _ = house_host(journal=self.host.journal.restarted())
        self.assertEqual(len(again.unfinished), 31)


def host_of(host: MemoryHost, number: int) -> Client:
    """A guest from an address of its own who plays a house player."""
    client = host.connect("open", f"198.51.100.{number}")
    client.send(line(do="enter", name=f"guest{number}") + line(do="seek", game="onitama", house="easy"))
    table = next(one["table"] for one in told(client) if one["is"] == "seated")
    client.send(act("ox c1 c2", table))
    return client


class TakeOverTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.host, self.programs = house_host(wires=tuple(wire for wire in WIRES if wire.name in ("open", "onitama")))
        self.ann, self.bob = seek(self.host, "ann"), seek(self.host, "bob")
        self.ann.send(act("ox c1 c2"))

    def ask(self, **more: Any) -> list[dict[str, Any]]:
        self.ann.heard()
        self.ann.send(line(do="house", **{"level": "hard", "seat": 1, **more}))
        return told(self.ann)

    def test_a_player_who_does_not_come_back(self) -> None:
        self.bob.drop()
        self.assertEqual(self.ask(), [])
        self.host.wait(59)
        self.assertEqual(self.programs.called, [])
        self.host.wait(1)
        self.assertEqual(self.programs.called, ["hard.1"])
        heard = [one for one in told(self.ann) if one["is"] in ("back", "replaced", "over")]
        self.assertEqual([one["is"] for one in heard], ["back", "replaced"])
        self.assertEqual((heard[1]["seat"], heard[1]["name"]), (1, "hard.1"))
        program = come(self.host, "hard.1")
        self.assertEqual((program.handle.n, list(program.handle.names)), (2, ["ann", "hard.1"]))
        bob = enter(self.host, "bob")
        bob.send(line(do="seek", game="onitama"))
        self.assertEqual(told(bob)[0]["is"], "seeking")
        self.ann.send(line(do="leave"))
        self.assertEqual(self.host.journal.records(), [])
        self.assertIsNone(self.host.lobby.registry.get("hard.1"))

    def test_a_player_who_comes_back(self) -> None:
        self.bob.drop()
        self.ask()
        enter(self.host, "bob").drop()
        self.host.wait(60)
        self.assertEqual((self.programs.called, told(self.ann)[-1]["is"]), ([], "claim"))

    def test_without_a_house_player_the_seat_is_lost(self) -> None:
        self.bob.drop()
        self.ask()
        self.programs.games = ()
        self.host.wait(60)
        self.assertEqual(told(self.ann)[-1]["as"], ["win", "draw"])
        self.host.wait(600)
        self.assertEqual(told(self.ann)[-1]["winners"], [0])

    def test_refusals(self) -> None:
        for more, words in (
            ({}, "the player of this seat is not away, or no house player is free"),
            ({"seat": 0}, "expected the seat of another player"),
            ({"seat": 2}, "expected the seat of another player"),
            ({"level": "best"}, "no such level; expected one of random, easy, medium, hard"),
        ):
            self.assertEqual(self.ask(**more), [{"is": "sorry", "why": words}])
        self.ann.send(line(do="house", level="easy"))
        self.assertIn("expected", told(self.ann)[0]["why"])
        self.bob.drop()
        self.programs.games = ()
        self.assertEqual(self.ask()[0]["why"], "house players are not ready: try again in a moment")

    def test_a_third_player_on_another_wire(self) -> None:
        """Clients of documents have no message for another player, so there is none."""
        host, _ = house_host()
        others = [seek(host, name, game="eriantys", seats=3) for name in ("ann", "bob")]
        carl = host.connect("eriantys", "192.0.2.9")
        for text in ('{"type":"LoginMessage","nickname":"carl"}', '{"type":"JoinAvailableGame","gameId":1}'):
            carl.say(text)
        others[1].drop()
        others[0].heard()
        others[0].send(line(do="house", level="easy", seat=1))
        self.assertEqual(told(others[0])[-1]["why"], "the others' wire cannot tell them of another player")


PEOPLE = 4
#: More of them: `GAMEHOST_RACES=5000`.
EXAMPLES = int(os.environ.get("GAMEHOST_RACES", "60"))

STEPS = st.one_of(
    st.tuples(st.just("wait"), st.sampled_from((0.0, 0.001, 5.0, 9.999, 10.0, 19.999, 20.0, 60.0))),
    st.tuples(st.sampled_from(("onitama", "open", "third", "house", "asks", "drop")), st.integers(0, PEOPLE - 1)),
    st.tuples(st.sampled_from(("kill", "restart", "late", "release")), st.none()),
)


class Crowd:
    def __init__(self) -> None:
        self.host = MemoryHost({"onitama.max_plies": "4"}, house_rules=RULES)
        self.process = HouseProcess(self.host)
        self.clients: list[Client | None] = [None] * PEOPLE

    def step(self, kind: str, value: Any) -> None:
        match kind:
            case "wait":
                self.host.wait(value)
            case "kill":
                self.process.kill()
            case "restart":
                self.process.restart()
            case "late":
                self.host.journal.late = True
            case "release":
                self.release()
            case _:
                self.of_person(kind, value)
        if self.process.games:
            self.process.until_idle()
        self.check()

    def release(self) -> None:
        self.host.journal.late = False
        with self.host.context.cork:
            self.host.journal.release()

    def of_person(self, kind: str, number: int) -> None:
        client = self.clients[number]
        if client is not None and (kind == "drop" or client.closed):
            client.drop() if not client.closed else None
            self.clients[number] = client = None
        if kind == "asks" and client is not None:
            client.say('{"do":"house","level":"random"}')
        if client is not None or kind in ("asks", "drop"):
            return
        name = f"guest{number}"
        client = self.clients[number] = self.host.connect("onitama" if kind == "onitama" else "open")
        if kind == "onitama":
            client.say(f"LOGIN|{name}")
            return
        more = {"house": "random"} if kind == "house" else {"seats": 3, "game": "eriantys"} if kind == "third" else {}
        client.send(line(do="enter", name=name) + line(do="seek", **{"game": "onitama", **more}))

    def check(self) -> None:
        """Sessions and tables fit each other; those who wait have no seat, and house players have one."""
        links = [
            *(one for one in self.clients if one is not None),
            *(one.link for one in self.process.players.values()),
        ]
        check_house(self.host, links)
        house = self.host.lobby.house
        for session, waiting in house.waiting.items():
            assert session.player is not None, "somebody who has gone waits"
            if session.table is not None:
                raise AssertionError(f"{session.name} waits for {waiting.game.name}, and has a seat")
        for session in house.kept:
            assert session.house, "a person among the house players"
            assert session.table is not None, f"{session.name} has no seat"
            assert self.host.lobby.registry.get(session.name) is session, "a house player without a name"
        for table in self.host.lobby.tables.values():
            assert not all(session.house for session in self.host.lobby.seats.seated[table.id]), "nobody to play with"

    def leave(self) -> None:
        self.release()
        for number in range(PEOPLE):
            self.of_person("drop", number)
        self.process.until_idle()
        for _ in range(30):
            self.host.wait(3_600)
            self.process.until_idle()
        assert not self.host.lobby.house.kept, "a house player is left"
        assert not self.host.lobby.house.waiting, "somebody waits"
        assert self.host.unfinished == [], "a match is left"
        assert len(self.host.lobby.registry) == 0, "a name is left"
        assert self.host.clock.getDelayedCalls() == [], "a timer is left"


class RaceTests(PropertyCase):
    @settings(max_examples=EXAMPLES, deadline=None)
    @given(st.lists(STEPS, min_size=8, max_size=40))
    def test_any_order(self, steps: list[tuple[str, Any]]) -> None:
        """Whoever comes in whatever instant, and whatever happens to the process of the house players."""
        crowd = Crowd()
        for kind, value in steps:
            crowd.step(kind, value)
        crowd.leave()
