"""
A process with a fault, for tests of the tests: its backups are copies of the store's main file, and it trusts them.

The newest rows are in the log beside that file.
"""

import shutil
import sys
from pathlib import Path
from typing import Any

from gamehost.storage import high_water_mark, online_backup
from gamehost.storage.sidecar import sidecar_path
from tests.kit.backup_kills import victim


def _copy_main_file(connection: Any, part: Path, *_: object) -> None:
    store = Path(connection.execute("PRAGMA database_list").fetchone()[2])
    shutil.copyfile(store, part)
    shutil.copyfile(sidecar_path(store, high_water_mark.SUFFIX), sidecar_path(part, high_water_mark.SUFFIX))


if __name__ == "__main__":
    vars(online_backup).update(copy_pages=_copy_main_file)
    online_backup.OnlineBackup._check = lambda self, part: ()  # type: ignore[method-assign]
    victim(Path(sys.argv[2]), Path(sys.argv[3]), float(sys.argv[4]))
