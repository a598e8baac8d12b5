"""The client libraries in JavaScript and Java against a host that lies: each case ends in a result or in the one error."""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from twisted.internet import reactor as this_reactor
from twisted.internet.defer import Deferred
from twisted.internet.utils import getProcessOutputAndValue
from twisted.trial.unittest import TestCase

from tests import long
from tests.kit.hostile import cases, hostile_factory
from tests.kit.process import CLIENTS, ROOT, compiled_java, java, node

reactor: Any = this_reactor


class LiesTests(TestCase):
    timeout = 600

    async def check(self, command: Sequence[str]) -> None:
        told = cases()
        port = reactor.listenTCP(0, hostile_factory(told), interface="127.0.0.1")
        self.addCleanup(port.stopListening)
        words = [*command, str(port.getHost().port), str(len(told))]
        done: Deferred[tuple[bytes, bytes, int]] = getProcessOutputAndValue(words[0], words[1:], env=os.environ)
        out, err, status = await done
        ends = out.decode().splitlines()
        self.assertEqual((status, err, len(ends)), (0, b"", len(told)), ends[-3:])
        broken = [(case.name, end) for case, end in zip(told, ends, strict=True) if " broken " in end]
        self.assertEqual(broken, [])
        self.assertNotIn(b"\x1b", out)
        refused = {case.name for case, end in zip(told, ends, strict=True) if " refused " in end}
        for name in ("seated.names=null", "moves.moves=-", "replaced.seat=99", "over.winners=[99]", "line 10"):
            self.assertIn(name, refused)
        (named,) = (end for case, end in zip(told, ends, strict=True) if case.name == "replaced.seat=99")
        self.assertIn('sent "replaced" with a wrong "seat"', named)

    @long
    async def test_javascript(self) -> None:
        script = Path(__file__).with_name("client_lies.js")
        await self.check([*node(), str(script), str(CLIENTS / "js" / "gamehost.js")])

    @long
    async def test_java(self) -> None:
        java()
        with tempfile.TemporaryDirectory() as folder:
            compiled_java(Path(folder), ROOT / "tests" / "java" / "Lies.java")
            await self.check([*java(Path(folder)), "Lies"])
