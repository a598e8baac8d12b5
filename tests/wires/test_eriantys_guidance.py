"""What the JSON wire tells people who ask for help, programs that speak another protocol, and players who are too late."""

import json
import random

from twisted.trial.unittest import SynchronousTestCase

from gamehost.wires.eriantys_conversation import State
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.wires.eriantys_players import Player, everything, line, play
from tests.kit.wires.eriantys_tables import OPEN, pair

BEGIN = '{"type":"LoginMessage","nickname":"ann"}'


def details(heard: list[str]) -> list[str]:
    """The details of the errors that were heard."""
    return [json.loads(text)["detail"] for text in heard]


class HelpTests(SynchronousTestCase):
    """A person who types `help`."""

    def test_the_first_line_to_type_is_told(self) -> None:
        """In every spelling, as often as it is asked; nothing is counted as a line that is not JSON."""
        client = MemoryHost(OPEN).connect("eriantys")
        client.heard()
        for text in ("help", "HELP", " ? ", "quit", "exit", "help"):
            [detail] = details(client.ask(text))
            self.assertIn(BEGIN, detail)
            self.assertIn('{"type":"Disconnect"}', detail)
        self.assertIn("SUCCESS", client.ask(BEGIN)[-1])

    def test_other_text_is_told_what_is_expected(self) -> None:
        """A line to copy; the second such line ends the connection."""
        client = MemoryHost(OPEN).connect("eriantys")
        client.heard()
        self.assertEqual(details(client.ask("hello")), [f"a line that is not JSON; expected one such as {BEGIN}"])
        client.ask("hello")
        self.assertTrue(client.closed)

    def test_strict_mode_has_no_words_for_it(self) -> None:
        """`help` is a line that is not JSON, and the second one ends the connection."""
        client = MemoryHost(OPEN, strict=True).connect("eriantys")
        client.heard()
        self.assertEqual(client.ask("help"), ['{"type":"ErrorMessage","error":"INVALID_INPUT"}'])
        client.ask("help")
        self.assertTrue(client.closed)


class OtherProtocolTests(SynchronousTestCase):
    """A program that expects something else on this port."""

    def test_it_is_told_what_this_port_speaks(self) -> None:
        """One sentence, and the connection ends."""
        for opening, name in (
            (b"GET / HTTP/1.1\r\n", "an HTTP request"),
            (b"\x16\x03\x01\x02\x00", "a TLS handshake"),
            (b"SSH-2.0-OpenSSH_9.6\r\n", "an SSH client"),
            (b'<message type="login"><login name="ann"/></message>\n', "XML"),
        ):
            client = MemoryHost(OPEN).connect("eriantys")
            client.heard()
            client.send(opening)
            [detail] = details(client.heard())
            self.assertTrue(detail.startswith(f"this looks like {name}; this port speaks Eriantys"), detail)
            self.assertIn(BEGIN, detail)
            self.assertTrue(client.closed)


class TooLateTests(SynchronousTestCase):
    """An answer that was sent before its sender could know that the match has ended."""

    def ended(self, strict: bool = False) -> Client:
        """Ann's connection, right after Bob has left their match."""
        _, ann, bob = pair(strict=strict)
        bob.say("Disconnect")
        ann.client.heard()
        self.assertIs(ann.client.state, State.LOBBY)
        return ann.client

    def test_the_first_one_is_ignored(self) -> None:
        """Acknowledgements before it or not; a second one is refused."""
        client = self.ended()
        late = line("ChosenTower", tower="WHITE")
        self.assertEqual(client.ask(line("Acknowledgement"), late), [])
        self.assertEqual([json.loads(text)["error"] for text in client.ask(late)], ["INVALID_ACTION"])

    def test_only_an_action_is_ignored(self) -> None:
        """Any other message is answered as in every lobby."""
        client = self.ended()
        self.assertIn("INVALID_INPUT", client.ask(line("Hello"))[0])
        self.assertIn("AvailableGames", client.ask(line("RequestGames"))[0])

    def test_strict_mode_refuses_it(self) -> None:
        """As before: the document says nothing about it."""
        self.assertIn("INVALID_ACTION", self.ended(strict=True).ask(line("ChosenTower", tower="WHITE"))[0])


class RateTests(SynchronousTestCase):
    """The limit on messages, and what does not count."""

    def test_two_bots_that_play_at_full_speed_are_no_flood(self) -> None:
        """The log-in, and what every new game takes, is free: a clock that stands still gives nothing back."""
        world = MemoryHost({"eriantys.ping": "0", "limits.messages_burst": "3"})
        ann, bob = (Player(world, name, random.Random(name), everything) for name in ("ann", "bob"))
        for player in (ann, bob):
            player.connect()
        for _ in range(4):
            for player in (ann, bob):
                player.over = False
            ann.ask("SetGame", numberOfPlayers=2, expertMode=False)
            bob.client.say(line("RequestGames"))
            [games] = [json.loads(text) for text in bob.client.heard()]
            bob.ask("JoinAvailableGame", gameId=games["availableGames"][0]["gameId"])
            play(world, (ann, bob))
        self.assertFalse(ann.client.closed or bob.client.closed)

    def test_requests_for_the_list_count_but_for_the_first(self) -> None:
        """Four requests after the log-in, of a burst of four."""
        client = MemoryHost({"eriantys.ping": "0", "limits.messages_burst": "4"}).connect("eriantys")
        client.say(BEGIN, *[line("RequestGames")] * 4)
        self.assertFalse(client.closed)
        client.say(line("RequestGames"))
        self.assertTrue(client.closed)
