"""Tables that players have opened: they wait for their players, whoever is connected, and over the end of the host."""

from collections.abc import Mapping
from typing import Any

import msgspec

from gamehost.lobby.opened import BRIEFLY, MOST_OPENED
from gamehost.testing.memory_host import Client, MemoryHost
from gamehost.wires.console import WIRE as CONSOLE
from gamehost.wires.eriantys import WIRE as ERIANTYS
from gamehost.wires.open.conversation import WIRE
from gamehost.wires.stratego_lines import WIRE as LINES
from tests.kit.wires.open import DEAL, KEYS, OpenCase, line

DAY = 86_400.0
#: This machine's own address: everybody who plays on it has it.
HERE = "127.0.0.1"


class OpenedCase(OpenCase):
    def host(self, settings: Mapping[str, str] = {}, **more: Any) -> MemoryHost:
        wires = (WIRE, CONSOLE, ERIANTYS, LINES)
        return MemoryHost({**DEAL, **settings}, wires=wires, rng=lambda n: next(KEYS) % n, **more)

    def again(self, host: MemoryHost) -> MemoryHost:
        """The next run of a host that was killed."""
        return self.host(journal=host.journal.restarted(), clock=host.clock)

    def open(self, host: MemoryHost, name: str = "olga", **wishes: Any) -> tuple[Client, str, dict[str, Any]]:
        """A guest who has opened a private table, the guest's key, and what they were told."""
        client, entered = self.enter(host, name, HERE)
        wanted = {"game": "onitama", "private": True, **wishes}
        return client, entered["key"], self.ask(client, do="seek", **wanted)[-1]

    def join(self, host: MemoryHost, seeking: dict[str, Any], name: str = "ben") -> tuple[Client, list[dict[str, Any]]]:
        client, _ = self.enter(host, name, HERE)
        return client, self.ask(client, do="join", table=seeking["table"], code=seeking.get("code", ""))

    def kinds(self, told: list[dict[str, Any]]) -> list[str]:
        return [one["is"] for one in told]


class AwayTests(OpenedCase):
    def test_the_table_is_there_after_a_reload(self) -> None:
        """The opener is gone for a moment: the same invitation is shown, and the friend's seat begins the match."""
        host = self.host()
        olga, key, seeking = self.open(host)
        olga.drop()
        host.wait(100)
        olga, _ = self.enter(host, "olga", HERE, key=key)
        self.assertEqual(self.told(olga), [])  # `enter` has taken the first answer, and left nothing
        _ben, told = self.join(host, seeking)
        self.assertEqual(self.kinds(told), ["seeking", "seated", "event"])
        self.assertEqual(self.kinds(self.told(olga)), ["seeking", "seated", "event"])
        self.assertEqual(told[0]["names"], ["olga", "ben"])

    def test_who_comes_back_is_told_of_the_table(self) -> None:
        host = self.host()
        olga, key, seeking = self.open(host)
        olga.drop()
        client = host.connect("open", "203.0.113.7")
        told = self.ask(client, do="enter", name="olga", key=key)
        self.assertEqual(self.kinds(told), ["entered", "seeking"])
        self.assertEqual(told[1], seeking)

    def test_a_friend_takes_the_seat_while_the_opener_is_away(self) -> None:
        """The match begins when both are here, and not before."""
        host = self.host()
        olga, key, seeking = self.open(host)
        olga.drop()
        ben, told = self.join(host, seeking)
        self.assertEqual(told, [{**seeking, "names": ["olga", "ben"], "away": ["olga"]}])
        olga = host.connect("open", HERE)
        told = self.ask(olga, do="enter", name="olga", key=key)
        self.assertEqual(self.kinds(told), ["entered", "seeking", "seated", "event"])
        self.assertEqual(self.kinds(self.told(ben)), ["seeking", "seated", "event"])
        self.assertEqual(host.journal.opened_tables, {})

    def test_a_table_is_given_up_in_a_match(self) -> None:
        """By its number; without one, a player who has a seat does not wait."""
        host = self.host()
        olga, _, kept = self.open(host)
        ben, _ = self.enter(host, "ben", HERE)
        for client in (olga, ben):
            client.send(line(do="seek", game="onitama"))
        self.assertEqual(self.kinds(self.ask(olga, do="stop")), ["sorry"])
        self.assertEqual(self.kinds(self.ask(olga, do="stop", table=kept["table"])), ["stopped"])
        self.assertEqual(host.journal.opened_tables, {})
        self.assertEqual(self.kinds(self.ask(olga, do="leave")), ["over"])

    def test_both_go_and_come(self) -> None:
        host = self.host()
        olga, olgas, seeking = self.open(host)
        olga.drop()
        ben, entered = self.enter(host, "ben", HERE)
        self.ask(ben, do="join", table=seeking["table"], code=seeking["code"])
        ben.drop()
        olga, _ = self.enter(host, "olga", HERE, key=olgas)
        self.assertEqual(len(host.lobby.tables), 0)
        self.enter(host, "ben", HERE, key=entered["key"])
        self.assertEqual(len(host.lobby.tables), 1)

    def test_those_who_wait_are_told_who_goes(self) -> None:
        host = self.host()
        olga, _, seeking = self.open(host, game="eriantys", seats=3)
        ben, _ = self.join(host, seeking)
        olga.drop()
        self.assertEqual(self.told(ben)[-1]["away"], ["olga"])

    def test_a_table_waits_a_day(self) -> None:
        host = self.host()
        olga, _, seeking = self.open(host)
        olga.drop()
        host.wait(DAY - 1)
        self.assertEqual(self.join(host, seeking)[1][0]["is"], "seeking")
        host = self.host()
        olga, _key, seeking = self.open(host)
        olga.drop()
        host.wait(DAY)
        self.assertEqual(self.join(host, seeking)[1][0]["is"], "sorry")
        self.assertEqual(self.ask(host.connect("open", HERE), do="enter", name="olga")[0]["is"], "entered")

    def test_a_table_that_is_given_up_is_gone(self) -> None:
        host = self.host()
        olga, _key, seeking = self.open(host)
        self.assertEqual(self.ask(olga, do="stop"), [{"is": "stopped"}])
        self.assertEqual(self.join(host, seeking)[1][0]["is"], "sorry")
        self.assertEqual(host.journal.opened_tables, {})

    def test_several_tables(self) -> None:
        """One more is refused. Each can be given up by its number, without it the last one."""
        host = self.host({"limits.open_tables": "20"})
        olga, _, first = self.open(host)
        tables = [self.ask(olga, do="seek", game="onitama", private=True)[0]["table"] for _ in range(MOST_OPENED - 1)]
        [refused] = self.ask(olga, do="seek", game="onitama", private=True)
        self.assertIn("5 tables of yours wait", refused["why"])
        told = self.ask(olga, do="stop", table=first["table"])
        self.assertEqual([one.get("table") for one in told], [None, *tables])
        self.assertEqual([one.get("table") for one in self.ask(olga, do="stop")], [None, *tables[:-1]])
        self.ask(olga, do="seek", game="onitama")
        self.assertEqual([one.get("table") for one in self.ask(olga, do="stop")], [None, *tables[:-1]])
        self.assertIn("no table", self.ask(olga, do="stop", table=first["table"])[0]["why"])

    def test_another_match_meanwhile(self) -> None:
        """The table waits while its opener plays, and begins when that match is over."""
        host = self.host()
        olga, _, seeking = self.open(host)
        self.ask(olga, do="seek", game="onitama")
        tom, _ = self.enter(host, "tom")
        self.ask(tom, do="seek", game="onitama")
        ben, told = self.join(host, seeking)
        self.assertEqual(told[-1]["names"], ["olga", "ben"])
        self.assertNotIn("away", told[-1])
        self.ask(olga, do="leave")
        host.wait(0.01)
        self.assertEqual(self.kinds(self.told(ben))[-2:], ["seated", "event"])

    def test_nobody_joins_twice(self) -> None:
        host = self.host()
        olga, _key, seeking = self.open(host)
        [own] = self.ask(olga, do="join", table=seeking["table"], code=seeking["code"])
        self.assertIn("you have a seat at this table", own["why"])
        olga.drop()
        ben, _ = self.join(host, seeking)
        [twice] = self.ask(ben, do="join", table=seeking["table"], code=seeking["code"])
        self.assertIn("you have a seat", twice["why"])
        [full] = self.join(host, seeking, "tom")[1]
        self.assertIn("all seats of this table are taken", full["why"])
        for code in ("", "WRONGONE", "x" * 100):
            [wrong] = self.ask(self.enter(host, f"eve{len(code)}")[0], do="join", table=seeking["table"], code=code)
            self.assertIn("no table of this number", wrong["why"])

    def test_one_at_which_nobody_is_gives_way(self) -> None:
        host = self.host({"limits.open_tables": "2"})
        olga, *_ = self.open(host)
        _pia, _, kept = self.open(host, "pia")
        tom, _ = self.enter(host, "tom", HERE)
        self.assertIn("wait already", self.ask(tom, do="seek", game="onitama", private=True)[0]["why"])
        olga.drop()
        self.assertEqual(self.ask(tom, do="seek", game="onitama", private=True)[0]["is"], "seeking")
        self.assertIn(kept["table"], host.journal.opened_tables)


class NameTests(OpenedCase):
    def test_the_name_is_kept_by_its_key_alone(self) -> None:
        """On one machine all addresses are the same: a stranger does not get the absent opener's name."""
        host = self.host()
        olga, key, _ = self.open(host)
        olga.drop()
        host.wait(200)
        for more in ({}, {"key": "0" * 32}):
            [refused] = self.ask(host.connect("open", HERE), do="enter", name="OLGA", **more)
            self.assertIn("a table or a match is kept under this name", refused["why"])
        strict = host.connect("eriantys", HERE)
        strict.say('{"type":"LoginMessage","nickname":"olga"}')
        self.assertNotIn("SUCCESS", "".join(strict.heard()))
        self.assertEqual(self.enter(host, "olga", "203.0.113.9", key=key)[1]["is"], "entered")

    def test_an_account_comes_back_on_another_wire(self) -> None:
        """Its match does not begin there, as documents have no word for it."""
        host = self.host()
        client = host.connect("open", HERE)
        self.ask(client, do="log-in", name="olga", password="secret secret")
        [seeking] = self.ask(client, do="seek", game="onitama", private=True)
        client.drop()
        lines = host.connect("stratego-lines", HERE)
        lines.say("auth olga secret secret")
        ben, told = self.join(host, seeking)
        self.assertEqual(self.kinds(told), ["seeking"])
        lines.drop()
        console = host.connect("console", HERE)
        console.say("login olga", "secret secret")
        self.assertEqual(self.kinds(self.told(ben))[-2:], ["seated", "event"])

    def test_an_account_that_is_deleted_waits_nowhere(self) -> None:
        host = self.host()
        client = host.connect("open", HERE)
        self.ask(client, do="log-in", name="olga", password="secret secret")
        self.ask(client, do="seek", game="onitama", private=True)
        host.lobby.waiting_tables.withdraw("olga")
        self.assertEqual(host.journal.opened_tables, {})

    def test_a_guest_without_a_key_takes_the_table_along(self) -> None:
        """Nobody could show that it is theirs."""
        host = self.host()
        console = host.connect("console", HERE)
        console.say("name olga", "play onitama with ben")
        self.assertNotIn("waits for a day", "".join(console.heard()))
        console.drop()
        self.assertEqual((host.journal.opened_tables, host.clock.getDelayedCalls()), ({}, []))

    def test_a_guest_of_the_console_with_a_key(self) -> None:
        host = self.host()
        console = host.connect("console", HERE)
        console.say("name olga:secret", "play onitama with ben")
        self.assertIn("waits for a day", "".join(console.heard()))
        console.drop()
        console = host.connect("console", HERE)
        console.say("name olga")
        self.assertIn("kept under this name", "".join(console.heard()))
        console.say("name olga:secret")
        self.assertIn("You wait at table 1", "".join(console.heard()))
        console.say("cancel")
        self.assertIn("You do not wait any more at table 1.", "".join(console.heard()))


class OtherWireTests(OpenedCase):
    def test_documents_do_not_see_a_table_whose_opener_is_away(self) -> None:
        host = self.host()
        olga, _, _seeking = self.open(host, game="eriantys", seats=2, private=False)
        carl = host.connect("eriantys", HERE)
        carl.say('{"type":"LoginMessage","nickname":"carl"}')
        carl.heard()
        carl.say('{"type":"RequestGames"}')
        self.assertIn('"gameId":1', "".join(carl.heard()))
        olga.drop()
        carl.say('{"type":"RequestGames"}', '{"type":"JoinAvailableGame","gameId":1}')
        told = "".join(carl.heard())
        self.assertNotIn('"gameId":1', told)
        self.assertIn("GAME_NOT_FOUND", told)

    def test_who_waits_with_a_documented_wire_waits_for_who_is_there(self) -> None:
        """As before: its document has no word for somebody who is away."""
        host = self.host()
        olga, _, _seeking = self.open(host, game="eriantys", seats=3, private=False)
        carl = host.connect("eriantys", HERE)
        carl.say('{"type":"LoginMessage","nickname":"carl"}', '{"type":"JoinAvailableGame","gameId":1}')
        carl.heard()
        olga.drop()
        self.assertIn('"waitingPlayers":1', "".join(carl.heard()))

    def test_a_table_of_a_documented_wire_goes_with_its_connection(self) -> None:
        host = self.host()
        carl = host.connect("eriantys", HERE)
        carl.say(
            '{"type":"LoginMessage","nickname":"carl"}', '{"type":"SetGame","numberOfPlayers":2,"expertMode":false}'
        )
        self.assertEqual(host.journal.opened_tables, {})
        self.assertLessEqual(max(call.getTime() for call in host.clock.getDelayedCalls()), BRIEFLY + 60)

    def test_who_seeks_does_not_join_somebody_who_is_away(self) -> None:
        host = self.host()
        settings = {"move_time": 60}
        olga, *_ = self.open(host, private=False, settings=settings)
        olga.drop()
        tom, _ = self.enter(host, "tom")
        [told] = self.ask(tom, do="seek", game="onitama", settings=settings)
        self.assertEqual(told["names"], ["tom"])
        board = self.ask(tom, do="lobby")
        self.assertEqual([row.get("away") for row in board[0]["waiting"]], [["olga"], None])

    def test_a_public_table_keeps_no_name(self) -> None:
        """A program that crashed while it waited comes back without its key, and waits at its table."""
        host = self.host()
        olga, *_ = self.open(host, private=False, settings={"move_time": 60})
        olga.drop()
        again = host.connect("open", HERE)
        again.send(line(do="enter", name="olga"))
        told = self.told(again)
        self.assertEqual([one["is"] for one in told], ["entered", "seeking"])

    def test_a_host_that_drains_keeps_the_tables(self) -> None:
        """It begins no match, and the next run does."""
        host = self.host()
        olga, _key, seeking = self.open(host)
        ben, _ = self.enter(host, "ben")
        host.lobby.drain("the host is about to stop")
        self.assertEqual(self.told(olga), [])
        told = self.ask(ben, do="join", table=seeking["table"], code=seeking["code"])
        self.assertEqual(self.kinds(told), ["seeking"])
        host.lobby.drain(None)
        self.assertEqual(self.kinds(self.told(ben))[-2:], ["seated", "event"])


class RestartTests(OpenedCase):
    def test_everything_is_there_after_a_kill(self) -> None:
        host = self.host()
        olga, olgas, seeking = self.open(host)
        olga.drop()
        ben, entered = self.enter(host, "ben", HERE)
        self.ask(ben, do="join", table=seeking["table"], code=seeking["code"])
        host = self.again(host)
        client = host.connect("open", HERE)
        told = self.ask(client, do="enter", name="olga", key=olgas)
        self.assertEqual(told[1], {**seeking, "names": ["olga", "ben"], "away": ["ben"]})
        self.assertIn("kept", self.ask(host.connect("open", HERE), do="enter", name="ben")[0]["why"])
        told = self.ask(host.connect("open", HERE), do="enter", name="ben", key=entered["key"])
        self.assertEqual(self.kinds(told)[-2:], ["seated", "event"])
        self.assertEqual(host.journal.opened_tables, {})

    def test_a_new_table_has_another_number(self) -> None:
        host = self.host()
        _olga, _, seeking = self.open(host)
        host = self.again(host)
        _, _, other = self.open(host, "tom")
        self.assertNotEqual(other["table"], seeking["table"])

    def test_nobody_is_told_before_it_is_durable(self) -> None:
        host = self.host()
        host.journal.late = True
        olga, _key, _ = self.open(host) if host.journal.release() else (self.enter(host, "olga", HERE)[0], "", {})
        self.assertEqual(self.ask(olga, do="seek", game="onitama", private=True), [])
        host.journal.release()
        [seeking] = self.told(olga)
        ben, told = self.join(host, seeking)
        self.assertEqual(told, [])
        host.journal.release()
        self.assertEqual(self.kinds(self.told(ben)), ["seeking", "seated", "event"])
        self.assertEqual(self.ask(olga, do="seek", game="onitama", private=True)[0]["is"], "sorry")

    def test_it_is_durable_that_a_table_was_given_up(self) -> None:
        host = self.host()
        olga, _, _seeking = self.open(host)
        host.journal.late = True
        self.assertEqual(self.ask(olga, do="stop"), [])
        host.journal.release()
        self.assertEqual(self.told(olga), [{"is": "stopped"}])

    def test_a_day_is_counted_over_the_restart(self) -> None:
        host = self.host()
        _olga, _key, seeking = self.open(host)
        host.wait(DAY - 10)
        host = self.again(host)
        host.wait(5)
        self.assertEqual(self.join(host, seeking)[1][0]["is"], "seeking")
        host.wait(10)
        self.assertEqual(host.journal.opened_tables, {})

    def test_what_cannot_begin_any_more_is_dropped(self) -> None:
        host = self.host()
        self.open(host)
        journal = host.journal.restarted()
        [one] = journal.opened_tables.values()
        for change in ({"game": "chess"}, {"seats": 9}, {"settings": {"move_time": "never"}}):
            changed = journal.restarted()
            changed.opened_tables[one.table] = msgspec.structs.replace(one, **change)
            again = self.host(journal=changed)
            self.assertEqual((again.lobby.waiting_tables.keys(), changed.opened_tables), (set(), {}))

    def test_a_host_without_such_tables_does_nothing(self) -> None:
        host = self.host()
        self.matched(host)
        self.assertEqual((host.journal.opened_tables, len(host.lobby.waiting_tables.keys())), ({}, 0))


class RematchTests(OpenedCase):
    def play(self, host: MemoryHost, **wishes: Any) -> list[Client]:
        clients = []
        for name in ("ann", "bob"):
            client = host.connect("open", HERE)
            self.ask(client, do="log-in", name=name, password="secret secret")
            client.send(line(do="seek", game="onitama", **wishes))
            clients.append(client)
        self.ask(clients[0], do="leave")
        return clients

    def test_the_rematch_of_a_public_match_is_public(self) -> None:
        """And rated, if the match was."""
        host = self.host()
        ann, bob = self.play(host, settings={"rated": True})
        self.ask(ann, do="rematch")
        told = self.ask(bob, do="rematch")
        table = host.lobby.tables[told[-1]["table"]]
        self.assertEqual((table.code, table.settings["rated"]), ("", "yes"))
        self.assertIn(table.id, [one.table for one in host.lobby.directory.tables()])

    def test_nobody_else_joins_it(self) -> None:
        host = self.host()
        ann, _bob = self.play(host)
        seeking = self.ask(ann, do="rematch")[-1]
        tom, _ = self.enter(host, "tom")
        self.assertIn("no table", self.ask(tom, do="join", table=seeking["table"])[0]["why"])
        self.assertEqual(self.ask(tom, do="lobby")[0]["waiting"], [])

    def test_it_is_not_wanted_for_ever(self) -> None:
        host = self.host()
        ann, bob = self.play(host)
        self.ask(ann, do="rematch")
        host.wait(BRIEFLY)
        self.assertEqual(self.told(ann)[-1]["is"], "stopped")
        self.assertEqual(self.told(bob)[-1]["on"], False)
        self.assertEqual(host.journal.opened_tables, {})
