"""A process that is killed in the middle of its work: what it has said is there afterwards."""

import os
import random
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import TableId
from gamehost.storage.inspect import Summary, reading
from tests.kit.fork_server import ROOT, Process, start


def said(process: Process, lines: int) -> bytes:
    """What a victim said until it was killed, which is after so many lines."""
    assert process.stdout is not None
    pieces = []
    seen = 0
    while seen < lines:
        piece = os.read(process.stdout.fileno(), 4096)
        if not piece:
            break
        pieces.append(piece)
        seen += piece.count(b"\n")
    process.kill()
    pieces.append(process.stdout.read())
    process.wait()
    process.stdout.close()
    return b"".join(pieces)


class KillCase(SynchronousTestCase):
    """Kills, one life after the other on one journal."""

    def kill(self, times: int, seed: int) -> int:
        """Kill so many lives; how many acknowledgements were checked."""
        path = Path(self.mktemp()).absolute()
        rng = random.Random(seed)
        checked = 0
        for _ in range(times):
            process = start("tests.kit.kill_target", [str(path)], ROOT, {**os.environ, "PYTHONPATH": str(ROOT)})
            lines = said(process, rng.randint(1, 2000)).splitlines()
            self.assertEqual(process.returncode, -9, "it ran until it was killed")
            self.assertTrue(lines)
            checked += self.check(path, lines)
        return checked

    def check(self, path: Path, lines: list[bytes]) -> int:
        """See that what was said is so; the last line may be half of one."""
        told: dict[TableId, int] = {}
        for line in lines[:-1]:
            table, number = map(int, line.split())
            told[TableId(table)] = number
        with reading(path) as journal:
            held = {table.table: table.entries for table in journal.tables() if isinstance(table, Summary)}
            self.assertEqual(journal.verify().faults, [])
        for table, number in told.items():
            self.assertGreaterEqual(held[table], number)
        return len(lines)


class KillTests(KillCase):
    """`gamehost.storage.sqlite` under SIGKILL."""

    def test_what_was_said_is_there(self) -> None:
        """Twenty-five kills at any moment: no acknowledged entry is lost, every next life starts."""
        self.assertGreater(self.kill(25, seed=1), 2500)
