"""Eriantys over real sockets: the documentation's bot, through a kill of the host, and a Java virtual machine."""

import shutil
import sys
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.dialects.eriantys_java import messages as m
from gamehost.extras.dialects.eriantys_java.client import JavaClientCodec
from gamehost.extras.dialects.eriantys_java.codec import BoardCache, JavaCodec
from gamehost.extras.dialects.eriantys_java.objects import HEADER
from tests import long
from tests.end_to_end.test_games import bot
from tests.kit.java_words import compiled, recorded, run
from tests.kit.process import ROOT, Bots, HostProcess, winners

# The host as a process, over real sockets: the documentation's bot, through a kill and a start, and a stop in good order.


BOT = ROOT / "docs" / "bots" / "eriantys_bot.py"


def bots(port: int, name: str) -> Bots:
    return Bots([sys.executable, str(BOT), name, "--port", str(port), "--players", "2", "--games", "2"])


def won(printed: str) -> list[str]:
    return [name.split(":")[0] for name in winners(printed)]


class _LeftOff(Exception):
    """Bob has played half a game."""


class EriantysOverSocketsTests(SynchronousTestCase):
    def test_two_bots_play_on_after_the_host_is_killed_and_started_again(self) -> None:
        """kill -9 in the middle of a match: the bots come back, and the same match goes on to its end."""
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        with HostProcess(wires=["eriantys"], folder=folder, store="store.sqlite") as host:
            port = host.ports["eriantys"]
            with bots(port, "ann") as first:
                self.assertRaises(_LeftOff, self.half_a_game, port)
                host.kill()
                option = f"--eriantys=tcp:{port}:interface=127.0.0.1"
                with (
                    HostProcess(option, wires=["eriantys"], folder=folder, store="store.sqlite") as again,
                    bots(port, "bob") as second,
                ):
                    [bob] = second.finish()
                    [ann] = first.finish()
        self.assertIn("resumed 1 table", again.log)
        self.assertIn("ann: no connection", ann)
        self.assertTrue(bob.startswith("bob: playing with "), "the match goes on at once")
        self.assertEqual(len(won(ann)), 2)
        self.assertEqual(won(ann), won(bob))

    def half_a_game(self, port: int) -> None:
        """Bob plays until he is asked for a cloud in round 2, and does not answer: so the match waits for him."""

        class Half(bot("eriantys").Bot):  # type: ignore[misc]
            def replies(self, message: dict[str, Any]) -> Any:
                self.round = message.get("roundNumber", getattr(self, "round", 0))
                if message["type"] == "SelectCloud" and self.round == 2:
                    raise _LeftOff
                return super().replies(message)

            def tell(self, text: str) -> None:
                """Print nothing."""

        bob = Half("bob", port=port)
        bob.creates = False
        bob.run()


# The wire of Java objects over real sockets: a Java virtual machine.


WIRE = "eriantys-java"


class JavaVirtualMachineTests(SynchronousTestCase):
    if shutil.which("javac") is None or shutil.which("java") is None:
        skip = "there is no JDK: javac and java are needed"

    @long
    def test_both_ways_and_a_log_in(self) -> None:
        """The JVM's messages are read, those of the host are read by the JVM, and a client in the JVM logs in."""
        classes = compiled(Path(self.mktemp()))
        self.assert_written(run(classes, "write"))
        self.assert_copied(classes)
        with HostProcess(wires=[WIRE]) as host:
            told = run(classes, "log-in", str(host.ports[WIRE])).decode().split("\n")
        self.assertEqual(told, ["ENTER_NICKNAME", "SUCCESS", "AvailableGames", "WaitingForPlayers 1", ""])

    def assert_written(self, data: bytes) -> None:
        """One message of each class, the same bytes that our own client writes."""
        messages = list(JavaCodec(BoardCache()).feed(data))
        self.assertEqual({type(message) for message in messages}, set(m.CLIENT_TYPES.values()))
        self.assertEqual(messages[3], m.LoginMessage("Zden\u011bk \N{MUSICAL SYMBOL G CLEF}"))
        self.assertEqual(messages[5:7], [m.SetGame(True, 4), m.JoinAvailableGame(7)])
        client = JavaClientCodec()
        self.assertEqual(b"".join(map(client.encode, messages)), data)

    def assert_copied(self, classes: Path) -> None:
        """Every recorded message of the server, boards among them, survives a Java virtual machine."""
        data = b"".join(data for _, data, _ in recorded("S"))
        messages = list(JavaClientCodec().feed(HEADER + data))
        codec = JavaCodec(BoardCache())
        said = b"".join(map(codec.encode, messages))
        self.assertEqual(said, HEADER + data)
        self.assertEqual(list(JavaClientCodec().feed(run(classes, "copy", given=said))), messages)
