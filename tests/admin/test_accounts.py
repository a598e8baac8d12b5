"""The owner's commands for accounts, on a host where people play with them."""

import json

from twisted.trial.unittest import SynchronousTestCase

from gamehost.admin import accounts as under_test
from gamehost.service import DRAINING
from tests.kit.admin import AdminHost, Owner, Player
from tests.kit.workers import HeldWorker


class AccountTests(SynchronousTestCase):
    """A host whose passwords are checked when the test says so."""

    def setUp(self) -> None:
        self.world = AdminHost("--set=limits.password_work=10")
        self.worker = HeldWorker()
        self.world.host.context.lobby.login_service._worker = self.worker

    def player(self, name: str, password: str = "secret") -> Player:
        """Somebody who logs in."""
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
        """All, or those that match; after some of them the host does something else."""
        self.patch(under_test, "_AT_ONCE", 1)
        for name in ("ann", "bob", "carl"):
            self.player(name)
        self.assertEqual([one["name"] for one in self.world.items("account list")], ["ann", "bob", "carl"])
        [carl] = self.world.items("account list", pattern="C*")
        self.assertEqual((carl["name"], carl["present"], carl["table"]), ("carl", True, None))
        self.assertRegex(carl["last_log_in"], "^[0-9]{4}-[0-9]{2}-[0-9]{2}$")

    def test_no_new_accounts(self) -> None:
        """While the host drains, a newcomer is refused and has no account afterwards."""
        self.player("ann")
        self.world.ask("drain")
        self.assertIn(f"err {DRAINING}", self.world.connect("stratego-lines").ask("bob", "secret"))
        self.assertEqual([one["name"] for one in self.world.items("account list")], ["ann"])

    def test_reset(self) -> None:
        """The host makes a password and tells it once, or takes one."""
        ann, owner = self.player("ann"), self.world.owner()
        made = self.later(owner, "account reset", name="ann")
        self.assertEqual((made["name"], made["connections"], made["table"]), ("ann", 1, None))
        self.assertTrue(str(made["password"]))
        self.assertTrue(ann.closed)
        given = self.later(owner, "account reset", name="ann", password="canary")
        self.assertNotIn("password", given)
        self.assertIn("auth-ok", self.player("ann", "canary").heard())

    def test_rename(self) -> None:
        """And who has the new name is told what is wrong."""
        for name in ("ann", "bob", "carl"):
            self.player(name)
        renamed = self.world.ask("account rename", name="carl", new_name="Zoe")
        self.assertEqual(renamed, {"name": "Zoe", "connections": 1, "table": None})
        self.assertIn(
            "another account has the name bob", self.world.error("account rename", name="zoe", new_name="bob")
        )

    def test_delete(self) -> None:
        """A player with a seat is refused without force."""
        self.player("ann")
        self.player("bob")
        self.assertIn("seat at table 1", self.world.error("account delete", name="ann"))
        deleted = self.world.ask("account delete", name="ann", force=True)
        self.assertEqual(deleted, {"name": "ann", "connections": 1, "table": 1})
        self.assertIn("there is no account 'ann'", self.world.error("account delete", name="ann"))

    def test_changed_meanwhile(self) -> None:
        """The reason comes later, too."""
        self.player("ann")
        owner = self.world.owner()
        self.assertEqual(owner.ask("account reset", name="ann"), [])
        self.world.ask("account delete", name="ann")
        self.worker.release()
        [answer] = owner.heard()
        self.assertIn("changed meanwhile", json.dumps(answer))
