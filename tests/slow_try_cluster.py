"""`make cluster` as a whole: three hosts start, one is killed, and Ctrl-C ends the others and the database."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.postgresql import require_postgresql
from tests.kit.sources import ROOT

#: Added to all ports, so that a host of this machine may run meanwhile.
SHIFT = 21_000


class TryClusterTests(SynchronousTestCase):
    """One try."""

    def test_kill_and_end(self) -> None:
        """It says which host has ended, the others go on, and nothing is left behind."""
        require_postgresql()
        command = [sys.executable, "-m", "tests.kit.try_cluster", str(SHIFT)]
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as program:
            assert program.stdout is not None
            lines = []
            for line in program.stdout:
                lines.append(line)
                if "Ctrl-C" in line:
                    break
            text = "".join(lines)
            pids = [int(pid) for pid in re.findall(r"^host [123]  pid (\d+)  nc ", text, re.M)]
            self.assertEqual(len(pids), 3, text)
            [folder] = re.findall(r"The logs of the hosts are in (\S+)\.$", text, re.M)
            os.kill(pids[0], signal.SIGKILL)
            self.assertEqual(next(program.stdout), "host 1  was ended by SIGKILL\n")
            asked = subprocess.run(
                [sys.executable, "-m", "gamehost", "admin", f"--admin={folder}/2.admin", "cluster"],
                capture_output=True,
                text=True,
                check=True,
            )
            self.assertIn("this member", asked.stdout)
            program.send_signal(signal.SIGINT)
            self.assertEqual(program.wait(60), 0)
        self.assertFalse(Path(folder).exists())
        for pid in pids:
            self.assertRaises(ProcessLookupError, os.kill, pid, 0)
