"""The open wire: what all wires do, and its own conversation."""

import random
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import sha256
from typing import Any

from msgspec import json
from twisted.internet.defer import Deferred, succeed
from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.passwords import Account, Cost, Digest
from gamehost.accounts.remembered import MemoryRemembered, RememberedLogins
from gamehost.games.onitama.master import Onitama
from gamehost.journal.records import TableId
from gamehost.lobby.notices import Asker, News, Notices
from gamehost.lobby.own_account import NO_WAY
from gamehost.lobby.queues import LONGEST, MOST_PHRASES
from gamehost.lobby.sessions import ResumePolicy
from gamehost.net.connection import CLOSING_SECONDS
from gamehost.net.context import ConnectionBounds
from gamehost.testing import memory_host
from gamehost.testing.cases import PropertyCase
from gamehost.testing.wire_contract import WireContract
from gamehost.testing.wire_hooks import Situation
from gamehost.wires.base import SUSPENDED
from gamehost.wires.eriantys import WIRE as ERIANTYS_WIRE
from gamehost.wires.open.conversation import WIRE
from gamehost.wires.open.watching import OpenState
from tests.kit.games.stratego import POOR, POOR_FAR
from tests.kit.memory_host import HOME, Client, MemoryHost
from tests.kit.players import SECRET, house_factory, house_host
from tests.kit.wires.open import DEAL, OpenCase, act, line
from tests.lobby.test_house import enter, seek


class Way:
    """A notifier that stores what it is given."""

    def __init__(self) -> None:
        self.values: Mapping[str, str] = {}
        self.asked: list[tuple[str, str] | None] = []
        self.refusal: str | None = None
        self.answers = True

    def deliver(self, account: str, news: News) -> None: ...

    def seen(self, account: str, table: TableId) -> None: ...

    def state(self, asker: Asker, told: Callable[[Mapping[str, Any]], None]) -> None:
        if self.answers:
            told(self.values)

    def change(self, asker: Asker | None, values: Mapping[str, str], done: Callable[[str | None], None]) -> None:
        self.values = values
        self.asked.append(None if asker is None else (asker.account, asker.id))
        done(self.refusal)

    def stop(self) -> Deferred[Any]:
        return succeed(None)


class WireTests(WireContract, PropertyCase):
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
    unreached = {OpenState.CHECKING: "passwords are checked at once in memory"}

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
        host, client = self.connected(unlimited="yes")
        client.send(line(do="log-in", name="ann", password="secret secret") if account else self.log_in("ann"))
        return Situation(host, client)


class MovesTests(OpenCase):
    def moves(self, client: Client, table: int = 1, **keys: Any) -> Any:
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

    def test_a_picture_with_the_moves(self) -> None:
        host = self.host()
        players = [self.enter(host, name)[0] for name in ("ann", "bob")]
        for player in players:
            player.send(line(do="seek", game="stratego"))
        answer = self.moves(players[0], picture=True)
        self.assertEqual((answer["moves"], answer["why"]), ([], "there are too many actions to list them"))
        for player, rows in zip(players, (POOR, POOR_FAR), strict=True):
            player.send(act("/".join(rows)))
        shown = [self.moves(player, picture=True) for player in players]
        self.assertTrue(shown[0]["moves"] and not shown[1]["moves"])
        for answer in shown:
            self.assertNotIn("why", answer)
            self.assertEqual(answer["picture"].count("marshal on "), 1)
        self.assertNotIn("picture", self.moves(players[0]))

    def test_a_view_with_the_moves(self) -> None:
        host = self.host()
        players = [self.enter(host, name)[0] for name in ("ann", "bob")]
        for player in players:
            player.send(line(do="seek", game="stratego"))
        answer = self.moves(players[0], view=True)
        self.assertEqual((answer["moves"], answer["view"]["phase"]), ([], "setup"))
        self.assertEqual(answer["why"], "there are too many actions to list them")
        players[0].send(act("/".join(POOR)))
        answer = self.moves(players[0], view=True)
        self.assertEqual((answer["moves"], answer["view"]["ready"], "why" in answer), ([], [True, False], False))
        players[1].send(act("/".join(POOR_FAR)))
        answers = [self.moves(player, view=True) for player in players]
        for player, answer, piece in zip(players, answers, (POOR[0][0], POOR_FAR[-1][-1]), strict=True):
            self.assertEqual(answer["view"]["squares"].count("#"), 40)
            self.assertIn(piece, answer["view"]["squares"])
            self.assertNotIn("view", self.moves(player))

    def test_questions_are_no_flood(self) -> None:
        """Above the rate of moves they are answered later. Other messages of the same number end the connection."""
        rates = {"moves_per_second": "20", "messages_per_second": "5"}
        host = MemoryHost({f"limits.{name}": text for name, text in rates.items()}, wires=(WIRE,))
        players = [self.enter(host, name)[0] for name in ("ann", "bob")]
        for player in players:
            player.send(line(do="seek", game="onitama"))
            self.told(player)
        answered = 0
        for _ in range(1_000):
            players[0].send(line(do="moves", table=1))
            answered += len(self.told(players[0]))
            host.wait(0.01)
        self.assertTrue(290 <= answered <= 302, answered)
        self.assertFalse(players[0].closed)
        for _ in range(200):
            players[1].send(line(do="ping"))
        self.assertTrue(players[1].closed)

    def test_words_that_are_no_beginning(self) -> None:
        host = self.host()
        players = [self.enter(host, name)[0] for name in ("ann", "bob")]
        for player, seat in zip(players, ("first", "second"), strict=True):
            player.send(line(do="seek", game="paper-soccer", seat=seat))
        for begun in ("x", "0,1", "9,9", "\u00e9", "0,1 0,2"):
            answers = [self.moves(player, begun=begun) for player in players]
            self.assertIn("refused", [answer["is"] for answer in answers], begun)

    def test_a_fault_in_the_rules_ends_its_connection_alone(self) -> None:
        host = self.host()
        ann, bob, _ = self.matched(host)
        self.patch(Onitama, "legal", lambda game, view, seat: 1 // 0)
        ann.send(line(do="moves", table=1))
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.assertEqual([one["is"] for one in self.told(bob)][-1], "away")


class KeyTests(OpenCase):
    def test_a_key_is_random_and_kept_by_its_digest_alone(self) -> None:
        """Each log-in has another one, and neither the journal nor any `repr` has it."""
        host = self.host(resume=ResumePolicy.NEVER)
        ann, _, key = self.matched(host)
        self.assertEqual(len(key), 32)
        opening = host.journal.openings[TableId(1)]
        [seat, other] = opening.seats
        self.assertEqual(seat.key_digest, "~" + sha256(key.encode()).hexdigest())
        self.assertNotEqual(seat.key_digest, other.key_digest)
        for part in (host.journal.entries, opening, host.lobby.registry.get("ann"), ann.protocol.conversation):
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

    def test_the_key_of_an_account(self) -> None:
        """Whoever has logged in and asked for it comes back with it, until the password is changed; nobody else does."""
        host = self.host()
        ann = host.connect("open")
        log_in = {"do": "log-in", "name": "ann", "password": "a good one"}
        ann.send(line(**log_in))
        self.assertEqual(self.told(ann), [{"is": "entered", "name": "ann", "account": True}])
        ann.drop()
        ann = host.connect("open")
        ann.send(line(**log_in, keep=True))
        [answer] = self.told(ann)
        key = answer["key"]
        self.assertNotIn(key, repr(host.lobby.registry.get("ann")))
        _, again = self.enter(host, "Ann", "203.0.113.7", key=key)
        self.assertEqual(again, {"is": "entered", "name": "ann", "key": key, "account": True})
        self.assertEqual(self.told(ann)[-1]["is"], "bye")
        for name, wrong in (("bob", key), ("ann", key[:-1] + ("0" if key[-1] != "0" else "1")), ("ann", "1" + key)):
            self.assertEqual(self.enter(host, name, key=wrong)[1]["is"], "sorry")
        service = host.lobby.login_service
        account = service.accounts.find("ann")
        assert account is not None
        service.accounts.change(Account("ann", Digest.of(b"another", Cost(2))), lambda: None)
        self.assertEqual(self.enter(host, "ann", key=key)[1]["is"], "sorry")

    def logged_in(self, host: memory_host.MemoryHost, device: str = "") -> tuple[Client, dict[str, Any]]:
        """A client that has logged in to the account `ann`, and asked for a key."""
        ann = host.connect("open")
        password = {"name": "ann", "password": "a good one"}
        ann.send(line(do="log-in", **password, keep=True, **({"device": device} if device else {})))
        return ann, self.told(ann)[-1]

    def test_devices_are_listed_and_ended(self) -> None:
        host = self.host()
        keys = [self.logged_in(host, device)[1]["key"] for device in ("phone", "desk")]
        ann, _ = self.logged_in(host)
        [listed] = self.ask(ann, do="log-ins")
        devices = {row["device"]: row["id"] for row in listed["log_ins"]}
        self.assertEqual(set(devices), {"phone", "desk", ""})
        self.assertEqual([row["device"] for row in listed["log_ins"] if "here" in row], [""])
        [left] = self.ask(ann, do="log-out", id=devices["phone"])
        self.assertEqual({row["device"] for row in left["log_ins"]}, {"desk", ""})
        self.assertEqual(self.enter(host, "ann", key=keys[0])[1]["is"], "sorry")
        _, entered = self.enter(host, "ann", key=keys[1])
        self.assertEqual(entered["key"], keys[1])

    def test_logging_out_ends_the_own_key_and_the_connection(self) -> None:
        host = self.host()
        ann, entered = self.logged_in(host)
        [bye] = self.ask(ann, do="log-out")
        self.assertEqual((bye["is"], ann.closed), ("bye", True))
        self.assertEqual(self.enter(host, "ann", key=entered["key"])[1]["is"], "sorry")

    def test_logging_out_everywhere(self) -> None:
        host = self.host()
        _, entered = self.logged_in(host)
        ann = host.connect("open")
        ann.send(line(do="log-in", name="ann", password="a good one"))
        self.told(ann)
        self.assertEqual(self.ask(ann, do="log-out", everywhere=True), [{"is": "log-ins", "log_ins": []}])
        self.assertEqual(self.enter(host, "ann", key=entered["key"])[1]["is"], "sorry")

    def test_a_new_password_ends_all_keys(self) -> None:
        host = self.host()
        _, entered = self.logged_in(host)
        ann, _ = self.logged_in(host)
        for old, new, why in (
            ("a wrong one", "another one", "wrong password"),
            ("a good one", "short", "the new password cannot be used: a new password has at least 8 characters"),
        ):
            [sorry] = self.ask(ann, do="password", old=old, new=new)
            self.assertEqual(sorry, {"is": "sorry", "why": why})
        [changed] = self.ask(ann, do="password", old="a good one", new="another one")
        self.assertEqual(changed["is"], "password-changed")
        for key in (entered["key"], changed["key"][::-1]):
            self.assertEqual(self.enter(host, "ann", key=key)[1]["is"], "sorry")
        self.assertEqual(self.enter(host, "ann", key=changed["key"])[1]["is"], "entered")
        refused = host.connect("open")
        refused.send(line(do="log-in", name="ann", password="a good one"))
        self.assertEqual(self.told(refused), [{"is": "sorry", "why": "wrong password"}])

    def test_a_key_is_told_when_it_is_durable(self) -> None:
        """A client that is gone meanwhile is told nothing, and its session is free."""
        host, waiting = self.host(), list[Callable[[], None]]()
        store = MemoryRemembered()
        put = store.put
        store.put = lambda login, durable: put(login, partial(waiting.append, durable))  # type: ignore[method-assign]
        host.lobby.login_service.remembered = RememberedLogins(store)
        ann, gone = host.connect("open"), host.connect("open")
        for client, name in ((ann, "ann"), (gone, "bob")):
            client.send(line(do="log-in", name=name, password="a good one", keep=True))
            self.assertEqual(self.told(client), [])
        gone.drop()
        for durable in waiting:
            durable()
        self.assertEqual([one["is"] for one in self.told(ann)], ["entered"])
        self.assertIsNone(host.lobby.registry.get("bob"))

    def test_a_match_begins_before_the_key_is_durable(self) -> None:
        """A friend takes the last seat in that moment. The player hears first that it has entered, and hears it once."""
        host, waiting = self.host(), list[Callable[[], None]]()
        ann, _ = self.logged_in(host)
        [opened] = self.ask(ann, do="seek", game="onitama", private=True)
        ann.drop()
        store = MemoryRemembered()
        put = store.put
        store.put = lambda login, durable: put(login, partial(waiting.append, durable))  # type: ignore[method-assign]
        host.lobby.login_service.remembered = RememberedLogins(store)
        again = host.connect("open")
        again.send(line(do="log-in", name="ann", password="a good one", keep=True))
        self.assertEqual(self.told(again), [])
        bob, _ = self.enter(host, "bob")
        bob.send(line(do="join", table=opened["table"], code=opened["code"]))
        for durable in waiting:
            durable()
        kinds = [one["is"] for one in self.told(again)]
        self.assertEqual((kinds[0], kinds.count("entered"), kinds.count("seated")), ("entered", 1, 1))
        again.send(line(do="moves", table=opened["table"]))
        self.assertIn(self.told(again)[-1]["is"], ("moves", "refused"))

    def test_a_client_that_is_gone_before_its_key_is_checked(self) -> None:
        host, waiting = self.host(), list[Callable[[], None]]()
        ann, entered = self.logged_in(host)
        remembered = host.lobby.login_service.remembered
        check = remembered.check
        late = lambda *asked: waiting.append(partial(check, *asked))  # noqa: E731
        remembered.check = late  # type: ignore[method-assign]
        again = host.connect("open")
        again.send(line(do="enter", name="ann", key=entered["key"]))
        again.drop()
        for one in waiting:
            one()
        self.assertFalse(ann.closed)

    def test_how_a_player_is_told_while_away(self) -> None:
        """Each way is asked; a change is answered with how all of them are now, or with the reason why not."""
        host, way = self.host(), Way()
        ann, _ = self.logged_in(host)
        self.assertEqual(self.ask(ann, do="notices"), [{"is": "notices", "ways": {}}])
        [sorry] = self.ask(ann, do="notices", by="way", set={})
        self.assertEqual(sorry["why"], NO_WAY)
        host.lobby.own.notices = Notices(host.clock, {"way": way})
        self.assertEqual(self.ask(ann, do="notices"), [{"is": "notices", "ways": {"way": {}}}])
        self.assertEqual(
            self.ask(ann, do="notices", by="way", set={"a": "b"}), [{"is": "notices", "ways": {"way": {"a": "b"}}}]
        )
        way.refusal = "no"
        self.assertEqual(self.ask(ann, do="notices", by="way", set={}), [{"is": "sorry", "why": "no"}])
        self.assertEqual(way.asked[-1], ("ann", self.ask(ann, do="log-ins")[0]["log_ins"][0]["id"]))
        way.answers = False
        self.assertEqual(self.ask(ann, do="notices"), [])
        [sorry] = self.ask(ann, do="notices")
        self.assertIn("wait for the answer", sorry["why"])

    def test_notices_without_a_log_in(self) -> None:
        """A proof from a mail is enough. A guest has nothing by which to be told."""
        host, way = self.host(), Way()
        host.lobby.own.notices = Notices(host.clock, {"way": way})
        client = host.connect("open")
        self.assertEqual(self.ask(client, do="notices", by="way", set={"stop": "x"}), [{"is": "notices", "ways": {}}])
        self.assertEqual((way.values, way.asked), ({"stop": "x"}, [None]))
        guest, _ = self.enter(host, "bob")
        [sorry] = self.ask(guest, do="notices")
        self.assertIn("only an account is told", sorry["why"])

    def test_guests_have_no_log_ins(self) -> None:
        ann, _ = self.enter(self.host(), "ann")
        for message in ({"do": "log-ins"}, {"do": "log-out"}, {"do": "password", "old": "x", "new": "y"}):
            [sorry] = self.ask(ann, **message)
            self.assertIn("only an account has", sorry["why"])

    def test_the_name_of_a_device(self) -> None:
        client = self.host().connect("open")
        for device in ("\x1b[2J", "x" * 41):
            client.send(line(do="log-in", name="ann", password="a good one", keep=True, device=device))
            self.assertNotIn("entered", [one["is"] for one in self.told(client)])

    def test_names_hold_no_keys(self) -> None:
        """`NAME:KEY` is how other wires write it."""
        self.assertEqual(self.enter(self.host(), "ann:secret")[1]["is"], "sorry")


class ConversationTests(OpenCase):
    def test_every_refusal_has_the_id_of_its_action(self) -> None:
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
        host = self.host()
        ann, _, _ = self.matched(host)
        host.journal.late = True
        ann.send(line(do="leave") + act("ox c1 c2", id=1))
        host.journal.late = False
        host.journal.release()
        self.assertEqual([one.get("id", one["is"]) for one in self.told(ann)], ["over", 1])
        self.assertEqual(self.ask(ann, do="act", table=1, action="ox c1 c2", id=2), [refused(2)])

    def test_time_runs_out_while_an_action_comes(self) -> None:
        host = MemoryHost(DEAL, wires=(WIRE,), move_time="5")
        ann, _, _ = self.matched(host)
        host.clock.rightNow += 6  # the alarm has not rung yet
        ann.send(act("ox c1 c2", id=1))
        self.assertEqual([one.get("id", one["is"]) for one in self.told(ann)], ["over", 1])

    def test_actions_are_refused_after_a_fault_of_the_game(self) -> None:
        host = self.host()
        ann, bob, _ = self.matched(host)
        [table] = host.lobby.tables.values()
        self.patch(type(table._master), "act", lambda *_: 1 // 0)
        ann.send(act("ox c1 c2", id=1))
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.assertEqual(self.told(bob), [{"is": "suspended", "table": 1, "why": SUSPENDED}])
        self.assertEqual([one["is"] for one in self.told(ann)], ["suspended", "refused"])
        self.assertEqual(self.ask(bob, do="act", table=1, action="ox c1 c2", id=2)[0]["id"], 2)

    def test_a_player_who_leaves_on_another_wire(self) -> None:
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

    def test_a_client_is_told_when_to_come_again(self) -> None:
        host = self.host()
        client, _ = self.enter(host, "ann")
        host.factories["open"].close("the host is stopping")
        self.assertEqual(self.told(client), [{"is": "bye", "why": "the host is stopping", "again": 5.0}])

    def test_who_is_gone_watches_nothing(self) -> None:
        host = self.host()
        self.matched(host)
        client = host.connect("open")
        client.send(line(do="lobby") + line(do="watch", table=1))
        host.wait(1)
        self.assertEqual(host.lobby.galleries.watchers(TableId(1)), 1)
        client.drop()
        self.assertEqual(host.lobby.galleries.watchers(TableId(1)), 0)
        self.assertFalse(host.lobby.directory.board._lookers)

    def test_watching_what_is_not_there(self) -> None:
        client = self.host().connect("open")
        for number in range(10_000):
            if client.closed:
                break
            client.send(line(do="watch", table=number))
        self.assertTrue(client.closed)
        self.assertLess(number, 100)
        self.assertEqual(self.told(client)[-1], {"is": "bye", "why": "too many refusals"})

    def test_who_waits_for_a_day_is_told_why_and_closed(self) -> None:
        host = self.host()
        ann, _ = self.enter(host, "ann")
        ann.send(line(do="seek", game="onitama"))
        host.wait(LONGEST - 1)
        self.assertFalse(ann.closed)
        ann.heard()
        host.wait(1)
        self.assertEqual(self.told(ann)[-1], {"is": "bye", "why": "nobody came for a day"})
        host.wait(CLOSING_SECONDS)
        self.assertTrue(ann.closed)
        self.assertIsNone(host.lobby.registry.get("ann"))

    def test_who_finds_no_room_is_told_when_to_try_again(self) -> None:
        host = MemoryHost({"limits.new_burst": "1"}, wires=(WIRE,))
        host.connect("open")
        why = "too many new connections from this address"
        self.assertEqual(self.told(host.connect("open")), [{"is": "bye", "why": why, "again": 5.0}])

    def test_a_watcher_that_does_not_read(self) -> None:
        bounds = ConnectionBounds(unread_bytes=1_024)
        host = MemoryHost({**DEAL, "limits.unlimited": "yes"}, wires=(WIRE,), bounds=bounds)
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
        host = self.host()
        ann, _, _ = self.matched(host)
        client = host.connect("open")
        client.send(line(do="watch", table=1))
        ann.send(line(do="leave"))
        self.assertEqual([one["is"] for one in self.told(client)], ["shown", "over"])
        conversation: Any = client.protocol.conversation
        self.assertEqual(conversation._watched, {})


def refused(number: int) -> dict[str, Any]:
    return {"is": "refused", "why": "you have no seat at this table", "id": number}


CLOCKED = {"game_time": 60, "increment": 2.5}


class ClockTests(OpenCase):
    def clocked(self, host: memory_host.MemoryHost) -> tuple[Client, Client]:
        (ann, _), (bob, _) = self.enter(host, "ann"), self.enter(host, "bob")
        for client in (ann, bob):
            client.send(line(do="seek", game="onitama", settings=CLOCKED))
        return ann, bob

    def test_they_are_told(self) -> None:
        host = self.host()
        ann, bob = self.clocked(host)
        self.assertEqual([one["clocks"] for one in self.told(bob)[1:]], [[60_000, 60_000]] * 2)
        host.wait(4)
        watcher = host.connect("open")
        [shown] = self.ask(watcher, do="watch", table=1)
        self.assertEqual(shown["clocks"], [56_000, 60_000])
        ann.send(act("ox c1 c2"))
        for client in (watcher, bob):
            self.assertEqual(self.told(client)[0]["clocks"], [58_500, 60_000])
        host.wait(1)
        bob.drop()
        bob, _ = self.enter(host, "bob")
        host.wait(1)
        bob.drop()
        again = host.connect("open")
        [_, seated, *_] = self.ask(again, do="enter", name="bob")
        self.assertEqual(seated["clocks"], [58_500, 58_000])

    def test_a_match_that_is_shown_later(self) -> None:
        """Its clocks are those of this moment, and would tell who has moved: those who watch are not told them."""
        host = self.host()
        host.lobby.galleries.delays = {"onitama": 5.0}
        ann, _ = self.clocked(host)
        watcher = host.connect("open")
        self.ask(watcher, do="watch", table=1)
        ann.send(act("ox c1 c2"))
        host.wait(5)
        told = self.told(watcher)
        self.assertEqual([one["is"] for one in told], ["shown", "event"])
        self.assertTrue(all("clocks" not in one for one in told))

    def test_the_seat_of_a_clock_that_ends_loses(self) -> None:
        host = self.host()
        ann, _ = self.clocked(host)
        ann.send(act("ox c1 c2"))
        host.wait(59.9)
        self.told(ann)
        host.wait(0.2)
        [over] = self.told(ann)
        self.assertEqual((over["is"], over["winners"], over["cause"]), ("over", [0], "time"))

    def test_after_a_restart(self) -> None:
        host = self.host()
        ann, bob = self.clocked(host)
        ann.send(act("ox c1 c2"))
        for client in (ann, bob):
            client.drop()
        again = self.host(journal=host.journal.restarted())
        again.wait(1_000)
        client = again.connect("open")
        [_, seated, *_] = self.ask(client, do="enter", name="bob")
        self.assertEqual(seated["clocks"], [62_500, 60_000])
        again.wait(60)
        self.assertEqual(self.told(client)[-1]["cause"], "time")

    def test_without_them(self) -> None:
        host = self.host()
        ann, _, _ = self.matched(host)
        ann.send(act("ox c1 c2"))
        self.assertTrue(all("clocks" not in one for one in self.told(ann)))
        [shown] = self.ask(host.connect("open"), do="watch", table=1)
        self.assertNotIn("clocks", shown)

    def test_bad_settings_are_refused_before_anybody_waits(self) -> None:
        client, _ = self.enter(self.host(), "ann")
        for settings, why in (
            ({"increment": 1}, "increment: expected 0 without game_time"),
            ({"game_time": "soon"}, "game_time: expected seconds, such as 60 or 2.5"),
        ):
            told = self.ask(client, do="seek", game="onitama", settings=settings)
            self.assertEqual(told, [{"is": "sorry", "why": why}])


del OpenCase


class HouseTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.host, _ = house_host()
        self.factory = house_factory(self.host)
        self.ann = seek(self.host, "ann", house="easy", private=True)
        self.ann.heard()
        self.client = Client(self.host, self.factory, "")

    def ask(self, **message: Any) -> list[dict[str, Any]]:
        self.client.send(line(**message))
        return [json.decode(text) for text in self.client.heard()]

    def test_the_seat(self) -> None:
        told = self.ask(do="enter", name="easy.1", key=SECRET)
        self.assertEqual([one["is"] for one in told], ["entered", "seated", "back"])
        self.assertEqual(
            (told[1]["names"], told[1]["wires"], told[1]["seat"]), (["ann", "easy.1"], ["open", "open"], 1)
        )
        self.ann.send(act("ox c1 c2"))
        self.client.heard()
        self.assertEqual(self.ask(do="act", table=1, action="crab c5 c4")[0]["is"], "event")
        self.assertEqual([json.decode(text)["is"] for text in self.ann.heard()], ["event", "event"])

    def test_who_comes_in(self) -> None:
        for more in ({}, {"key": "5ec2e8"}, {"key": "\u00e9"}):
            answer = self.ask(do="enter", name="easy.1", **more)
            self.assertEqual(answer, [{"is": "sorry", "why": "only the host's own players enter here"}])
        for name in ("easy.2", "ann", ""):
            answer = self.ask(do="enter", name=name, key=SECRET)
            self.assertEqual(answer, [{"is": "sorry", "why": "no seat is kept for this name"}])
        self.assertEqual(self.ask(do="log-in", name="easy.1", password="x" * 8)[0]["is"], "sorry")

    def test_the_public_listener(self) -> None:
        for more in ({}, {"key": SECRET}, {"key": "f" * 32}):
            other = self.host.connect("open")
            other.send(line(do="enter", name="easy.1", **more))
            self.assertEqual(json.decode(other.heard()[0])["is"], "sorry")

    def test_what_can_be_said(self) -> None:
        self.ask(do="enter", name="easy.1", key=SECRET)
        for message in (
            {"do": "seek", "game": "onitama"},
            {"do": "lobby"},
            {"do": "watch", "table": 1},
            {"do": "leave"},
        ):
            self.assertEqual(self.ask(**message)[0]["is"], "sorry")
        self.assertEqual(self.ask(do="ping"), [{"is": "pong"}])

    def test_history(self) -> None:
        self.ask(do="enter", name="easy.1", key=SECRET)
        told = self.ask(do="history", table=1)
        self.assertEqual([one["event"]["kind"] for one in told[0]["events"]], ["dealt"])
        self.ann.send(line(do="history", table=1))
        self.assertEqual(json.decode(self.ann.heard()[-1])["is"], "history")
        stranger = seek(self.host, "bob")
        stranger.heard()
        stranger.send(line(do="history", table=1))
        self.assertEqual(json.decode(stranger.heard()[0])["is"], "sorry")

    def test_a_lost_connection(self) -> None:
        self.ask(do="enter", name="easy.1", key=SECRET)
        self.client.drop()
        self.client = Client(self.host, self.factory, "")
        self.assertEqual([one["is"] for one in self.ask(do="enter", name="easy.1", key=SECRET)][-1], "back")
        self.assertEqual(self.ann.heard(), [])

    def test_the_end(self) -> None:
        self.ask(do="enter", name="easy.1", key=SECRET)
        self.ann.send(line(do="leave"))
        self.assertEqual(json.decode(self.client.heard()[-1])["is"], "over")
        self.assertEqual(self.ask(do="act", table=1, action="crab c5 c4")[0]["why"], "you have no seat at this table")
        self.client.drop()
        self.assertIsNone(self.host.lobby.registry.get("easy.1"))


class PhraseTests(SynchronousTestCase):
    def test_who_is_told(self) -> None:
        for wire, log_in, told in (
            ("console", b"name bob\nplay onitama\n", "ann: Well played!"),
            ("onitama", b"LOGIN|bob\r\n", ""),
        ):
            host, _ = house_host()
            ann, bob = seek(host, "ann"), host.connect(wire)
            bob.send(log_in)
            for last in (b"", line(do="leave")):
                ann.send(last)
                host.wait(0.1)
                bob.transport.read()
                ann.heard()
                ann.send(line(do="say", phrase="well-played"))
                words = {"is": "said", "table": 1, "seat": 0, "phrase": "well-played", "words": "Well played!"}
                self.assertEqual([json.decode(text) for text in ann.heard()], [words])
                text = bob.transport.read().decode()
                self.assertIn(told, text)
                self.assertEqual(not text, not told)

    def test_what_is_refused(self) -> None:
        host, _ = house_host()
        ann = enter(host, "ann")
        for game, phrase, why in (
            ("", "hello", "you have played no match"),
            ("onitama", "<b>", "expected one of the phrases hello,"),
        ):
            if game:
                ann.send(line(do="seek", game=game, house="easy"))
            ann.heard()
            ann.send(line(do="say", phrase=phrase))
            self.assertIn(why, json.decode(ann.heard()[0])["why"])
        for _ in range(MOST_PHRASES):
            ann.send(line(do="say", phrase="hello"))
        self.assertEqual({json.decode(text)["is"] for text in ann.heard()}, {"said"})
        ann.send(line(do="say", phrase="hello"))
        self.assertIn("enough", json.decode(ann.heard()[0])["why"])
