"""Backups that the owner of a running host asks for."""

from pathlib import Path
from typing import Any

from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import StoreUnusable
from gamehost.storage.backup import FileExists
from gamehost.storage.durable import DurableJournal
from gamehost.storage.high_water_mark import Mark
from gamehost.storage.online_backup import Backup
from tests.kit.admin import AdminHost


@define(eq=False)
class Backups:
    """What stands for the store's own."""

    begun: list[Any] = field(factory=list)

    def begin(self, target: Path, done: Any, force: bool = False, accept_faults: bool = False) -> None:
        self.begun.append((target, force, accept_faults, done))
        if target.name == "refused":
            raise StoreUnusable("planted")
        if target.name == "there":
            raise FileExists("this file exists")


class BackupTests(SynchronousTestCase):
    """The command `backup`."""

    def setUp(self) -> None:
        self.world = AdminHost()
        self.backups = Backups()

    def use(self) -> None:
        """The host has a store that can be backed up."""
        journal = DurableJournal.__new__(DurableJournal)
        journal.backups = self.backups  # type: ignore[assignment]
        self.world.host.store = journal

    def test_answer(self) -> None:
        """It is given when the backup is there, with its size, or with the reason."""
        self.use()
        for result, line in (
            (
                Backup(Path("/a"), Mark(3, 3, "", 2), 9, ["planted"]),
                {"end": {"file": "/a", "rows": 3, "accounts": 0, "bytes": 9, "faults": ["planted"]}},
            ),
            ("planted", {"error": "planted", "status": 1}),
        ):
            owner = self.world.owner()
            self.assertEqual(owner.ask("backup", file="/a", force=True, accept_faults=True), [])
            [(*begun, done)] = self.backups.begun
            self.assertEqual(begun, [Path("/a"), True, True])
            self.backups.begun.clear()
            done(result)
            self.assertEqual(owner.heard(), [line])

    def test_refusals(self) -> None:
        """A store in memory, a path that only the client understands, and whatever the store itself refuses."""
        self.assertIn("only a store that is an SQLite file", self.world.error("backup", file="/a"))
        self.use()
        self.assertEqual(self.world.error("backup", file="a"), "file: expected an absolute path")
        self.assertEqual(self.world.error("backup", file="/refused"), "planted")
        there = self.world.error("backup", file="/there")
        self.assertEqual(there, "this file exists, or replace an earlier backup with --force")
        assert isinstance(self.world.host.store, DurableJournal)
        self.world.host.store.backups = None
        self.assertIn("copy it with pg_dump", self.world.error("backup", file="/a"))
