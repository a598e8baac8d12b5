"""The pipe-separated wire: help and other protocols, giving up, late moves, strict mode."""

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import Client, MemoryHost
from tests.wires.test_onitama import DEAL, back, seated


class LostPeopleTests(SynchronousTestCase):
    """People who do not know the protocol, and clients of other protocols."""

    def test_help_is_an_explanation_and_an_example_that_works(self) -> None:
        """The line after the explanation can be sent back as it is."""
        world = MemoryHost(DEAL)
        client = world.connect()
        for word in ("help", "?", "HELP"):
            explanation, example = client.ask(word)
            self.assertEqual(explanation.split("|")[0], "ERROR")
            self.assertIn("Onitama", explanation)
        self.assertEqual(client.ask(example), ["WAITING|ann"])
        [explanation] = client.ask("help")
        self.assertIn("wait for an opponent", explanation)
        world.connect().say("LOGIN|bob")
        client.heard()
        explanation, example = client.ask("help")
        self.assertEqual(client.ask(example)[0].split("|")[0], "INVALID_MOVE", "well-formed, but not in this hand")

    def test_clients_of_other_protocols_are_told_what_this_port_speaks(self) -> None:
        """One sentence for each line, and for HTTP, TLS and SSH the end of the connection."""
        for opening, name, ends in (
            (b"GET / HTTP/1.1\r\n", "an HTTP request", True),
            (b"\x16\x03\x01\x02\x00", "a TLS handshake", True),
            (b"SSH-2.0-OpenSSH_9.6\r\n", "an SSH client", True),
            (b'<message type="logout"/>\n', "XML", False),
            (b'{"type": "LoginMessage"}\n', "JSON", False),
        ):
            client = MemoryHost().connect()
            client.send(opening)
            [answer] = client.heard()
            self.assertTrue(answer.startswith(f"ERROR|this looks like {name}; this port speaks Onitama"), answer)
            self.assertEqual(client.transport.disconnecting or client.closed, ends)

    def test_strict_says_none_of_it(self) -> None:
        """The document has no words for it: the server hangs up."""
        for opening in (b"help\n", b"?\n", b"GET / HTTP/1.1\r\n", b"<message/>\n", b"RESIGN\n"):
            client = MemoryHost(strict=True).connect()
            client.send(opening)
            self.assertEqual((client.heard(), client.closed), ([], True), opening)


class EndTests(SynchronousTestCase):
    """Giving up, and what is sent before its sender can know of the end."""

    def test_resign_gives_the_game_to_the_other(self) -> None:
        """On either turn; both hear GAME_OVER and may play again."""
        for loser, winner in ((0, "bob"), (1, "ann")):
            world = MemoryHost(DEAL)
            players = seated(world)
            players[loser].say("RESIGN")
            self.assertEqual([player.heard() for player in players], [[f"GAME_OVER|{winner}"]] * 2)
            self.assertEqual(players[0].ask("LOGIN|ann"), ["WAITING|ann"])
            self.assertEqual(players[1].ask("LOGIN|bob")[0].split("|")[:3], ["START", "ann", "bob"])

    def test_resign_is_told_once_the_journal_has_it(self) -> None:
        """As every end of a match is."""
        journal = RecordingJournal(late=True)
        world = MemoryHost(DEAL, journal=journal)
        ann, bob = world.connect(), world.connect()
        ann.say("LOGIN|ann")
        bob.say("LOGIN|bob")
        journal.release()
        ann.heard()
        bob.heard()
        self.assertEqual((ann.ask("RESIGN"), bob.heard()), ([], []))
        journal.release()
        self.assertEqual((ann.heard(), bob.heard()), (["GAME_OVER|bob"],) * 2)

    def over(self, **options: Any) -> tuple[Client, Client]:
        """A game that Ann's move has just ended."""
        ann, bob = seated(MemoryHost(DEAL | {"onitama.max_plies": "1"}, **options))
        ann.say("MAKE_MOVE|ox|c1|c2")
        ann.heard()
        bob.heard()
        return ann, bob

    def test_a_late_move_is_ignored(self) -> None:
        """The first message behind GAME_OVER may be a move that was sent before; it is not answered."""
        for late in ("MAKE_MOVE|crab|a5|a4", "STALEMATE|crab", "RESIGN", "MAKE_MOVE|crab|a5"):
            _, bob = self.over()
            self.assertEqual(bob.ask(late), [], late)
            self.assertEqual(bob.ask("MAKE_MOVE|crab|a5|a4"), ["ERROR|log in first: LOGIN and one field, the username"])
            self.assertEqual(bob.ask("LOGIN|bob"), ["WAITING|bob"])

    def test_only_the_first_message_can_be_late(self) -> None:
        """Anything else in between shows that the client has gone on."""
        _, bob = self.over()
        self.assertEqual(len(bob.ask("hello")), 1)
        self.assertEqual(len(bob.ask("MAKE_MOVE|crab|a5|a4")), 1)

    def test_strict_answers_a_late_move_as_any_other(self) -> None:
        """It hangs up: the document has no words."""
        _, bob = self.over(strict=True)
        self.assertEqual((bob.ask("MAKE_MOVE|crab|a5|a4"), bob.closed), ([], True))


class StrictTests(SynchronousTestCase):
    """`--strict`: the document and nothing else."""

    def test_start_has_two_fields_and_nobody_is_told_to_wait(self) -> None:
        """Log-ins are answered by START alone."""
        world = MemoryHost(DEAL, strict=True)
        ann, bob = world.connect(), world.connect()
        self.assertEqual(ann.ask("LOGIN|ann"), [])
        self.assertEqual(bob.ask("LOGIN|bob"), ["START|ann|bob"])
        self.assertEqual(ann.heard(), ["START|ann|bob"])

    def test_logout_is_not_said_again_to_who_comes_back(self) -> None:
        """It is a message of the document, but not there."""
        world = MemoryHost(DEAL, strict=True)
        ann, bob = seated(world)
        ann.ask("MAKE_MOVE|ox|c1|c2")
        bob.drop()
        self.assertEqual(ann.heard(), ["LOGOUT|bob"])
        ann.drop()
        self.assertEqual([line.split("|")[0] for line in back(world, "ann").heard()], ["RECONNECT"])

    def test_host_that_stops_hangs_up_without_a_word(self) -> None:
        """The document has none."""
        world = MemoryHost(DEAL, strict=True)
        ann, _ = seated(world)
        world.factories["onitama"].close("the host is stopping")
        world.wait(0)
        self.assertEqual((ann.heard(), ann.closed), ([], True))
