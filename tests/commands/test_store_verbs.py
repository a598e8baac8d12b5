"""The verbs for the store: what is sent, and what is shown."""

import os

from tests.commands.test_admin import AdminCase


class BackupTests(AdminCase):
    """`gamehost admin backup`."""

    def test_backup(self) -> None:
        """The path is one that the host understands in its own folder."""
        facts = {"file": "/a\x1b", "rows": 3, "accounts": 2, "bytes": 1_250_000}
        status, out, _ = self.ask("backup", "a", "--force", answers=[{"end": facts}])
        arguments = {"file": os.path.join(os.getcwd(), "a"), "force": True}
        self.assertEqual(self.requests, [{"command": "backup", "arguments": arguments}])
        self.assertEqual((status, out), (0, "/a\\x1b: 3 rows and 2 accounts copied and checked, 1.2 MB\n"))
