"""The final dialect over real sockets: at a table with the document's wire, through a kill of the host."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.process import HostProcess, Socket


class OnitamaFinalTests(SynchronousTestCase):
    """A published client, as it sounds, and a player of the document."""

    def host(self, folder: Path) -> HostProcess:
        options = ("--set", "onitama.deal=boar,ox/crab,eel/tiger")
        return HostProcess(*options, wires=["onitama", "onitama-final"], folder=folder, store="store.sqlite")

    def logged_in(self, host: HostProcess) -> tuple[Socket, Socket]:
        """Ann on the final dialect's wire, then Bob on the document's."""
        ann, bob = Socket(host.ports["onitama-final"], b"\0"), host.connect("onitama")
        ann.say("LOGIN|ann")
        first = ann.hear()
        self.assertIn(first.split("|")[0], ("WAITING", "RECONNECT"))
        bob.say("LOGIN|bob")
        return ann, bob

    def test_killed_in_mid_game_and_on(self) -> None:
        """kill -9: both come back to the same position, each in the words of its wire."""
        folder = Path(self.mktemp()).absolute()
        folder.mkdir()
        with self.host(folder) as host:
            ann, bob = self.logged_in(host)
            self.assertEqual(ann.hear(), "START|bob|ann|crab|eel|tiger|boar|ox")
            self.assertEqual(bob.hear(), "START|ann|bob|white=boar,ox;black=crab,eel;spare=tiger")
            ann.say("PING|PING", "MAKE_MOVE|ox|4|2|3|2")
            self.assertEqual(ann.hear(), "PING|PING")
            self.assertEqual(ann.hear(), "MOVE_WAS_MADE|ox|4|2|3|2")
            self.assertEqual(bob.hear(), "MOVE_WAS_MADE|ox|c1|c2")
            host.kill()
        with self.host(folder) as host:
            ann, bob = self.logged_in(host)
            board = "ppkpp/...../...../..K../PP.PP|white=boar,tiger;black=crab,eel;spare=ox"
            self.assertEqual(bob.hear(), f"RECONNECT|bob|black|{board}|bob")
            bob.say("MAKE_MOVE|crab|a5|a4")
            self.assertEqual(bob.hear(), "MOVE_WAS_MADE|crab|a5|a4")
            self.assertEqual(ann.hear(), "MOVE_WAS_MADE|crab|0|0|1|0")
            ann.say("MAKE_MOVE|tiger|3|2|1|2")
            self.assertEqual(ann.hear(), "MOVE_WAS_MADE|tiger|3|2|1|2")
            self.assertEqual(bob.hear(), "MOVE_WAS_MADE|tiger|c2|c4")
