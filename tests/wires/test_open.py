"""The open wire: what all wires do, and its own conversation."""

import random
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import sha256
from typing import Any

from gamehost.games.onitama.master import Onitama
from gamehost.journal.records import TableId
from gamehost.lobby.queues import LONGEST
from gamehost.lobby.sessions import ResumePolicy
from gamehost.testing.cases import PropertyCase
from gamehost.testing.memory_host import Client, MemoryHost
from gamehost.testing.wire_contract import WireContract
from gamehost.testing.wire_hooks import Situation
from gamehost.wires.eriantys.conversation import WIRE as ERIANTYS_WIRE
from gamehost.wires.open.factory import WIRE
from gamehost.wires.open.table_side import State
from tests.kit.games.stratego_table import POOR, POOR_FAR
from tests.kit.transcript import HOME
from tests.kit.wires.open_case import DEAL, OpenCase, act, line


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
        client.send(line(do="log-in", name="ann", password="secret secret") if account else self.log_in("ann"))
        return Situation(host, client)


class MovesTests(OpenCase):
    """What can be done now, on request."""

    def moves(self, client: Client, table: int = 1, **keys: Any) -> Any:
        """The last answer to a question for moves."""
        client.send(line(do="moves", table=table, **keys))
        return self.told(client)[-1]

    def test_what_is_listed_is_accepted(self) -> None:
        """In every game, at random, until the match ends: each action can be sent as it is."""
        for game, seed in (("onitama", 1), ("paper-soccer", 2), ("stratego", 3), ("eriantys", 4)):
            rng = random.Random(seed)
            host = MemoryHost({"limits.unlimited": "yes"}, wires=(WIRE,))
            players = [self.enter(host, name)[0] for name in ("ann", "bob")]
            for player in players:
                player.send(line(do="seek", game=game))
            if game == "stratego":
                for player in players:
                    player.send(act("/".join(POOR if player is players[0] else POOR_FAR)))
            sent = 0
            for _ in range(40):
                for player in players:
                    said = self.pick(player, rng)
                    if said is not None:
                        sent += 1
                        player.send(act(said))
                        self.assertNotIn("refused", [one["is"] for one in self.told(player)])
            self.assertGreater(sent, 9, game)

    def pick(self, player: Client, rng: random.Random) -> str | None:
        """An action that is listed for this player, step by step if need be; `None`: there is none."""
        answer, begun = self.moves(player), ""
        while answer["is"] == "moves" and answer["moves"]:
            chosen = rng.choice(answer["moves"])
            if "more" not in chosen:
                return str(chosen["action"])
            self.assertTrue(chosen["action"].startswith(begun))
            begun = chosen["action"]
            answer = self.moves(player, begun=begun)
        return None

    def test_the_answer_comes_behind_all_that_it_rests_on(self) -> None:
        """Also when the disk is late. Until then a second question is refused."""
        host = self.host()
        ann, bob, _ = self.matched(host)
        host.journal.late = True
        ann.send(act("ox c1 c2"))
        bob.send(line(do="moves", table=1, id=1) + line(do="moves", table=1, id=2))
        self.assertEqual(self.told(bob), [{"is": "refused", "why": 'wait for "moves"', "id": 2}])
        host.journal.late = False
        host.journal.release()
        event, answer = self.told(bob)
        self.assertEqual((event["is"], answer["is"], answer["n"], answer["id"]), ("event", "moves", event["n"], 1))
        self.assertEqual(len(answer["moves"]), 9)
        self.assertEqual(self.moves(bob, id=3)["id"], 3)

    def test_a_question_that_the_end_overtakes(self) -> None:
        """Is answered by the end. In the next match there is a new one."""
        host = self.host()
        ann, bob, _ = self.matched(host)
        host.journal.late = True
        ann.send(line(do="leave"))
        bob.send(line(do="moves", table=1, id=1))
        host.journal.late = False
        host.journal.release()
        self.assertEqual([one["is"] for one in self.told(bob)], ["over"])
        for player in (ann, bob):
            player.send(line(do="seek", game="onitama"))
        self.assertEqual(self.moves(ann, 2)["is"], "moves")
        self.assertEqual(self.moves(bob, 2)["is"], "moves")

    def test_words_that_are_no_beginning(self) -> None:
        """A path in words, a whole move, and letters that no notation has."""
        host = self.host()
        players = [self.enter(host, name)[0] for name in ("ann", "bob")]
        for player, seat in zip(players, ("first", "second"), strict=True):
            player.send(line(do="seek", game="paper-soccer", seat=seat))
        for begun in ("x", "0,1", "9,9", "\u00e9", "0,1 0,2"):
            answers = [self.moves(player, begun=begun) for player in players]
            self.assertIn("refused", [answer["is"] for answer in answers], begun)

    def test_a_fault_in_the_rules_ends_only_this_connection(self) -> None:
        """The match goes on without it."""
        host = self.host()
        ann, bob, _ = self.matched(host)
        self.patch(Onitama, "legal", lambda game, view, seat: 1 // 0)
        ann.send(line(do="moves", table=1))
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.assertEqual([one["is"] for one in self.told(bob)][-1], "away")


class KeyTests(OpenCase):
    """The keys of guests."""

    def test_a_key_is_random_and_kept_by_its_digest_alone(self) -> None:
        """Each log-in has another one, and neither the journal nor any `repr` has it."""
        host = self.host(resume=ResumePolicy.NEVER)
        ann, _, key = self.matched(host)
        self.assertEqual(len(key), 32)
        opening = host.journal.openings[TableId(1)]
        [seat, other] = opening.seats
        self.assertEqual(seat.key_digest, "~" + sha256(key.encode()).hexdigest())
        self.assertNotEqual(seat.key_digest, other.key_digest)
        for part in (host.journal.entries, opening, host.lobby.registry.get("ann"), ann.protocol._conversation):
            self.assertNotIn(key, repr(part))

    def test_the_key_is_honoured_anywhere_and_after_a_restart(self) -> None:
        """Whatever `--resume` says. The seat is there at the same position."""
        for resume in ResumePolicy:
            host = self.host(resume=resume)
            ann, _, key = self.matched(host)
            ann.send(act("ox c1 c2"))
            later = self.host(resume=resume, journal=host.journal.restarted(), guarded=True)
            for name in ("bob", "ann"):
                _, answer = self.enter(later, name, "203.0.113.7", key=key[::-1])
                self.assertEqual(answer["is"], "sorry")
            _, answer = self.enter(later, "ann", "203.0.113.7", key=key)
            self.assertEqual((answer["is"], answer["table"], answer["key"]), ("entered", 1, key))

    def test_without_the_key_the_policy_decides(self) -> None:
        """The same address, after a moment; elsewhere not. There is no new key: the first one counts, after a restart too."""
        host = self.host()
        ann, _, key = self.matched(host)
        ann.drop()
        self.assertEqual(self.enter(host, "ann", "203.0.113.7")[1]["is"], "sorry")
        again, answer = self.enter(host, "ann")
        self.assertEqual(answer, {"is": "entered", "name": "ann", "table": 1})
        again.drop()
        later = self.host(journal=host.journal.restarted())
        for one in (host, later):
            self.assertEqual(self.enter(one, "ann", key=key[::-1])[1]["is"], "sorry")
            self.assertEqual(self.enter(one, "ann", "203.0.113.7", key=key)[1]["table"], 1)

    def test_a_key_without_a_seat(self) -> None:
        """A page that is loaded again after its match goes on with its key, if the name is free."""
        host = self.host()
        _, answer = self.enter(host, "ann", key="0" * 32)
        self.assertEqual(answer, {"is": "entered", "name": "ann", "key": "0" * 32})

    def test_names_hold_no_keys(self) -> None:
        """`NAME:KEY` is how other wires write it."""
        self.assertEqual(self.enter(self.host(), "ann:secret")[1]["is"], "sorry")


class ConversationTests(OpenCase):
    """What no transcript shows."""

    def test_every_refusal_has_the_id_of_its_action(self) -> None:
        """Also when the disk is late, and refusals come after what was accepted before them."""
        host = self.host()
        ann, bob, _ = self.matched(host)
        host.journal.late = True
        ann.send(act("ox c1 c2", id=1) + act("ox c1 c2", id=2) + act("tiger c2 c4", id=3) + act("x", id=4))
        bob.send(act("ox c1 c2", id=5))
        self.assertEqual([one["id"] for one in self.told(ann)], [4])
        host.journal.late = False
        host.journal.release()
        self.assertEqual([one.get("id", one["is"]) for one in self.told(ann)], ["event", 2, 3])
        self.assertEqual([one.get("id", one["is"]) for one in self.told(bob)], ["event", 5])

    def test_actions_after_the_end_are_refused(self) -> None:
        """Those too that the table got before its end was told."""
        host = self.host()
        ann, _, _ = self.matched(host)
        host.journal.late = True
        ann.send(line(do="leave") + act("ox c1 c2", id=1))
        host.journal.late = False
        host.journal.release()
        self.assertEqual([one.get("id", one["is"]) for one in self.told(ann)], ["over", 1])
        self.assertEqual(self.ask(ann, do="act", table=1, action="ox c1 c2", id=2), [refused(2)])

    def test_time_runs_out_while_an_action_comes(self) -> None:
        """The end is told first, and the action is refused."""
        host = MemoryHost(DEAL, wires=(WIRE,), move_time="5")
        ann, _, _ = self.matched(host)
        host.clock.rightNow += 6  # the alarm has not rung yet
        ann.send(act("ox c1 c2", id=1))
        self.assertEqual([one.get("id", one["is"]) for one in self.told(ann)], ["over", 1])

    def test_a_fault_of_the_game(self) -> None:
        """The match is suspended, and actions are refused. The connection goes on."""
        host = self.host()
        ann, bob, _ = self.matched(host)
        [table] = host.lobby.tables.values()
        self.patch(type(table._master), "act", lambda *_: 1 // 0)
        ann.send(act("ox c1 c2", id=1))
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.assertEqual(self.told(bob), [{"is": "suspended", "table": 1}])
        self.assertEqual([one["is"] for one in self.told(ann)], ["suspended"])
        self.assertEqual(self.ask(bob, do="act", table=1, action="ox c1 c2", id=2)[0]["id"], 2)

    def test_a_player_who_leaves_on_another_wire(self) -> None:
        """`left` is told, in a match of three."""
        host = MemoryHost({"eriantys.move_time": "0"}, wires=(WIRE, ERIANTYS_WIRE))
        clients = [self.enter(host, name)[0] for name in ("ann", "bob")]
        for client in clients:
            client.send(line(do="seek", game="eriantys", seats=3))
        carl = host.connect("eriantys")
        carl.say('{"type":"LoginMessage","nickname":"carl"}', '{"type":"JoinAvailableGame","gameId":1}')
        for client in clients:
            client.heard()
        carl.say('{"type":"Disconnect"}')
        self.assertEqual(self.told(clients[0])[0], {"is": "left", "table": 1, "n": 1, "seat": 2})

    def test_the_host_stops(self) -> None:
        """A client is told when to come again."""
        host = self.host()
        client, _ = self.enter(host, "ann")
        host.factories["open"].close("the host is stopping")
        self.assertEqual(self.told(client), [{"is": "bye", "why": "the host is stopping", "again": 5.0}])

    def test_who_is_gone_watches_nothing(self) -> None:
        """Neither a match nor the board."""
        host = self.host()
        self.matched(host)
        client = host.connect("open")
        client.send(line(do="lobby") + line(do="watch", table=1))
        host.wait(1)
        self.assertEqual(host.lobby.galleries.watchers(TableId(1)), 1)
        client.drop()
        self.assertEqual(host.lobby.galleries.watchers(TableId(1)), 0)
        self.assertFalse(host.lobby.spectators.board._lookers)

    def test_watching_what_is_not_there(self) -> None:
        """Again and again: each is refused, and the connection is closed after some of them."""
        client = self.host().connect("open")
        for number in range(10_000):
            if client.closed:
                break
            client.send(line(do="watch", table=number))
        self.assertTrue(client.closed)
        self.assertLess(number, 100)
        self.assertEqual(self.told(client)[-1], {"is": "bye", "why": "too many refusals"})

    def test_a_player_who_waits_for_a_day(self) -> None:
        """The client is told why, the connection ends, and the name is free."""
        host = self.host()
        ann, _ = self.enter(host, "ann")
        ann.send(line(do="seek", game="onitama"))
        host.wait(LONGEST - 1)
        self.assertFalse(ann.closed)
        ann.heard()
        host.wait(1)
        self.assertEqual(self.told(ann)[-1], {"is": "bye", "why": "nobody came for a day"})
        host.wait(host.limits.close_seconds)
        self.assertTrue(ann.closed)
        self.assertIsNone(host.lobby.registry.get("ann"))

    def test_no_room(self) -> None:
        """Who is not let in is told when to try again."""
        host = MemoryHost({"limits.new_burst": "1"}, wires=(WIRE,))
        host.connect("open")
        why = "too many new connections from this address"
        self.assertEqual(self.told(host.connect("open")), [{"is": "bye", "why": why, "again": 5.0}])

    def test_a_watcher_that_does_not_read(self) -> None:
        """It is cut, and the players do not notice it."""
        host = MemoryHost({**DEAL, "limits.queue_bytes": "1024", "limits.unlimited": "yes"}, wires=(WIRE,))
        ann, bob, _ = self.matched(host)
        client = host.connect("open")
        client.send(line(do="watch", table=1))
        client.protocol.output.pauseProducing()  # the transport's buffer is full
        for _ in range(20):
            bob.drop()
            bob, _ = self.enter(host, "bob")
            host.wait(0.1)
        self.assertEqual(host.lobby.galleries.watchers(TableId(1)), 0)
        self.assertEqual([one["is"] for one in self.told(ann)][-2:], ["away", "back"])

    def test_a_match_that_is_over_does_not_count(self) -> None:
        """What was watched to its end is watched no longer."""
        host = self.host()
        ann, _, _ = self.matched(host)
        client = host.connect("open")
        client.send(line(do="watch", table=1))
        ann.send(line(do="leave"))
        self.assertEqual([one["is"] for one in self.told(client)], ["shown", "over"])
        conversation: Any = client.protocol._conversation
        self.assertEqual(conversation._watched, set())


def refused(number: int) -> dict[str, Any]:
    """The answer to an action without a seat."""
    return {"is": "refused", "why": "you have no seat at this table", "id": number}


del OpenCase
