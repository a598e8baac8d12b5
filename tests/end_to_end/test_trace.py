"""`gamehost trace` between real sockets: the bytes of a session are the same as without it."""

import re
import subprocess
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.process import ROOT, HostProcess, Socket

DEAL = "onitama.deal=boar,ox/crab,eel/tiger"


class TraceTests(SynchronousTestCase):
    """One client through the trace, one directly."""

    def test_a_session(self) -> None:
        """Both are told the same, and the trace has each message once."""
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        printed = folder / "trace.txt"
        with HostProcess("--set", DEAL, wires=["onitama"]) as host, printed.open("w") as out:
            command = [sys.executable, "-m", "gamehost", "trace", "onitama", "--listen=tcp:0:interface=127.0.0.1"]
            words = [*command, f"--to=127.0.0.1:{host.ports['onitama']}"]
            trace = subprocess.Popen(words, stdout=out, stderr=subprocess.PIPE, text=True, cwd=ROOT)
            try:
                assert trace.stderr is not None
                found = re.match(r"clients of onitama connect to 127.0.0.1:(\d+);", trace.stderr.readline())
                assert found is not None
                port = int(found[1])
                ann, bob = Socket(port), host.connect("onitama")
                ann.say("LOGIN|ann")
                self.assertEqual(ann.hear(), "WAITING|ann")
                bob.say("LOGIN|bob")
                self.assertEqual(ann.hear(), bob.hear())
                ann.say("MAKE_MOVE|ox|c1|c2")
                self.assertEqual([ann.hear(), bob.hear()], ["MOVE_WAS_MADE|ox|c1|c2"] * 2)
                ann.say("MAKE_MOVE|boar|c2|c3")
                self.assertEqual(ann.hear(), "INVALID_MOVE|it is the other player's turn")
                ann.close()
                self.assertEqual(bob.hear(), "LOGOUT|ann")
                bob.close()
            finally:
                trace.terminate()
                trace.communicate(timeout=10)
        text = printed.read_text("utf-8")
        self.assertEqual(text.count("MAKE_MOVE|"), 2)
        self.assertIn("BREACH: it is Black's turn", text)
