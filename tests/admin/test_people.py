"""Commands about people and accounts."""

import json

from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.names import name_of
from gamehost.admin import host as under_test
from gamehost.service import DRAINING
from tests.kit.admin import AdminHost, Owner, Player
from tests.kit.reactors import HeldWorker


class KickTests(SynchronousTestCase):
    def test_who_is_kicked_keeps_the_seat_and_comes_back(self) -> None:
        world = AdminHost()
        ann, bob = world.match()
        ann.heard()
        self.assertEqual(world.ask("kick", name="ANN"), {"name": "ann", "connections": 1, "table": 1})
        self.assertIn("the owner of this host has ended your connection", "".join(ann.heard()))
        self.assertTrue(ann.closed)
        self.assertFalse(bob.closed)
        world.wait(3)
        again = world.connect()
        again.ask("LOGIN|ann")
        session = world.host.context.lobby.registry.get("ann")
        assert session is not None
        self.assertIsNotNone(session.player)

    def test_nobody_of_this_name(self) -> None:
        world = AdminHost()
        self.assertIn("no player has logged in under the name 'ann'", world.error("kick", name="ann"))
        ann, _ = world.match()
        ann.transport.hang_up()
        world.until_idle()
        self.assertIn("no player has logged in", world.error("kick", name="ann"))
        self.assertIn("name: expected a text", world.error("kick"))

    def test_house_players(self) -> None:
        """They are not kicked: their program would come back."""
        world = AdminHost()
        registry = world.host.context.lobby.registry
        session = registry.enter_house(name_of("easy.1"), "open")
        session.player = world.connect().transport.protocol.conversation
        self.assertIn("easy.1 is a house player", world.error("kick", name="easy.1"))


class SayTests(SynchronousTestCase):
    def test_say(self) -> None:
        """On the wires that have words for it, in a match too; others hear nothing."""
        world = AdminHost()
        ann, _ = world.match()
        console, client = world.connect("console"), world.connect("open")
        for one in (ann, console, client):
            one.heard()
        self.assertEqual(world.ask("say", text=" We stop at \u2155 8. "), {"told": 2, "not_told": 2})
        self.assertIn("The owner of this host says: We stop at \u2155 8.", "".join(console.heard()))
        self.assertEqual(client.heard(), ['{"is":"notice","text":"We stop at \u2155 8."}'])
        self.assertEqual(ann.heard(), [])

    def test_what_cannot_be_said(self) -> None:
        world = AdminHost()
        for text in ("", " ", "a\nb", "\x1b[2J", "a" * 401):
            self.assertIn("expected 1 to 400 characters", world.error("say", text=text))


class BanTests(SynchronousTestCase):
    def test_a_name(self) -> None:
        world = AdminHost()
        ann, bob = world.match()
        ann.heard()
        answer = world.ask("ban", target="Ann")
        self.assertEqual(
            (answer["target"], answer["kind"], answer["until"], answer["connections"]), ("Ann", "name", None, 1)
        )
        self.assertIn("this name is banned from this host", "".join(ann.heard()))
        self.assertTrue(ann.closed)
        self.assertFalse(bob.closed)
        again = world.connect()
        self.assertIn("this name is banned from this host", "".join(again.ask("LOGIN|ann")))
        self.assertEqual(world.ask("unban", target="ann")["target"], "Ann")
        self.assertNotIn("banned", "".join(again.ask("LOGIN|ann")))
        self.assertFalse(again.closed)

    def test_the_password_of_a_banned_account_is_not_looked_at(self) -> None:
        world = AdminHost()
        world.ask("ban", target="ann")
        client = world.connect("stratego-lines")
        client.heard()
        self.assertIn("this name is banned", "".join(client.ask("ann", "secret")))

    def test_an_address_on_the_open_wire(self) -> None:
        world = AdminHost()
        world.ask("ban", target="192.0.2.1")
        words = "your address is banned from this host"
        self.assertEqual(world.connect("open").heard(), [f'{{"is":"bye","why":"{words}"}}'])

    def test_a_network(self) -> None:
        world = AdminHost()
        ann, bob = world.match()
        silent = world.connect(address="192.0.2.1")
        answer = world.ask("ban", target="192.0.2.1")
        self.assertEqual((answer["target"], answer["connections"]), ("192.0.2.1", 2))
        self.assertTrue(ann.closed and silent.closed)
        self.assertFalse(bob.closed)
        self.assertIn("your address is banned", "".join(world.connect(address="192.0.2.1").heard()))
        self.assertFalse(world.connect(address="192.0.2.3").closed)

    def test_the_end_of_the_ban_is_told(self) -> None:
        world = AdminHost()
        answer = world.ask("ban", target="ann", seconds=60)
        self.assertEqual(answer["until"] - answer["since"], 60)
        self.assertIn("is banned from this host until 20", "".join(world.connect().ask("LOGIN|ann")))

    def test_what_is_wrong(self) -> None:
        world = AdminHost()
        for arguments, words in (
            ({"target": "a b"}, "expected a name, an address"),
            ({"target": "easy.1"}, "the host's own players"),
            ({"target": "ann", "seconds": 0}, "seconds: expected more than 0"),
            ({"target": "ann", "seconds": 1e300}, "seconds: expected more than 0"),
            ({"target": "ann", "seconds": "1"}, "seconds: expected a number"),
            ({"target": "ann", "seconds": True}, "seconds: expected a number"),
            ({}, "target: expected a text"),
        ):
            self.assertIn(words, world.error("ban", **arguments))
        self.assertEqual(world.items("bans"), [])
        self.assertIn("'ann' is not banned", world.error("unban", target="ann"))

    def test_list(self) -> None:
        world = AdminHost()
        world.ask("ban", target="ann")
        world.ask("ban", target="192.0.2.0/24", seconds=60)
        bans = world.items("bans")
        self.assertEqual([(one["target"], one["kind"]) for one in bans], [("ann", "name"), ("192.0.2.0/24", "network")])


class AccountTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.world = AdminHost("--set=limits.password_work=10")
        self.worker = HeldWorker()
        self.world.host.context.lobby.login_service._worker = self.worker

    def player(self, name: str, password: str = "secret") -> Player:
        player = self.world.connect("stratego-lines")
        player.ask(name, password)
        self.worker.release()
        return player

    def later(self, owner: Owner, command: str, **arguments: object) -> dict[str, object]:
        """The end of an answer that waits for the worker."""
        self.assertEqual(owner.ask(command, **arguments), [])
        self.worker.release()
        [answer] = owner.heard()
        end: dict[str, object] = answer["end"]
        return end

    def test_list(self) -> None:
        self.patch(under_test, "_ACCOUNTS_AT_ONCE", 1)
        for name in ("ann", "bob", "carl"):
            self.player(name)
        self.assertEqual([one["name"] for one in self.world.items("account list")], ["ann", "bob", "carl"])
        [carl] = self.world.items("account list", pattern="C*")
        self.assertEqual((carl["name"], carl["present"], carl["table"]), ("carl", True, None))
        self.assertRegex(carl["last_log_in"], "^[0-9]{4}-[0-9]{2}-[0-9]{2}$")

    def test_no_new_accounts(self) -> None:
        self.player("ann")
        self.world.ask("drain")
        self.assertIn(f"err {DRAINING}", self.world.connect("stratego-lines").ask("bob", "secret"))
        self.assertEqual([one["name"] for one in self.world.items("account list")], ["ann"])

    def test_reset(self) -> None:
        ann, owner = self.player("ann"), self.world.owner()
        made = self.later(owner, "account reset", name="ann")
        self.assertEqual((made["name"], made["connections"], made["table"]), ("ann", 1, None))
        self.assertTrue(str(made["password"]))
        self.assertTrue(ann.closed)
        given = self.later(owner, "account reset", name="ann", password="canary")
        self.assertNotIn("password", given)
        self.assertIn("auth-ok", self.player("ann", "canary").heard())

    def test_devices(self) -> None:
        client = self.world.connect("open")
        log_in = {"do": "log-in", "name": "ann", "password": "a good one", "keep": True, "device": "phone"}
        client.ask(json.dumps(log_in))
        self.worker.release()
        [found] = self.world.items("account devices", name="Ann")
        self.assertEqual((found["device"], found["since"]), ("phone", found["seen"]))
        self.later(self.world.owner(), "account reset", name="ann")
        self.assertEqual(self.world.items("account devices", name="ann"), [])
        self.assertIn("there is no account 'bob'", self.world.error("account devices", name="bob"))

    def test_rename(self) -> None:
        for name in ("ann", "bob", "carl"):
            self.player(name)
        renamed = self.world.ask("account rename", name="carl", new_name="Zoe")
        self.assertEqual(renamed, {"name": "Zoe", "connections": 1, "table": None})
        self.assertIn(
            "another account has the name bob", self.world.error("account rename", name="zoe", new_name="bob")
        )

    def test_a_player_with_a_seat_is_deleted_by_force_alone(self) -> None:
        self.player("ann")
        self.player("bob")
        self.assertIn("seat at table 1", self.world.error("account delete", name="ann"))
        deleted = self.world.ask("account delete", name="ann", force=True)
        self.assertEqual(deleted, {"name": "ann", "connections": 1, "table": 1})
        self.assertIn("there is no account 'ann'", self.world.error("account delete", name="ann"))

    def test_changed_meanwhile(self) -> None:
        self.player("ann")
        owner = self.world.owner()
        self.assertEqual(owner.ask("account reset", name="ann"), [])
        self.world.ask("account delete", name="ann")
        self.worker.release()
        [answer] = owner.heard()
        self.assertIn("changed meanwhile", json.dumps(answer))
