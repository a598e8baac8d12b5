"""The XML wire: why a game is lost, wrong end tags, one refusal a mistake, help, other protocols, late moves."""

from gamehost.testing.cases import PropertyCase
from tests.kit.memory_host import MemoryHost
from tests.kit.wires.paper_soccer_talk import (
    ACCEPTED,
    REASONS,
    TOO_FAR,
    WIRE,
    Table,
    error,
    game_id,
    left,
    login,
    message,
    move,
    over,
    points,
    refused,
    state,
    thanks,
)


class ReasonsTests(PropertyCase):
    """Every refusal says why."""

    def test_the_loser_hears_which_rule_the_move_broke(self) -> None:
        """First and alone; the end is the same for both."""
        table = Table()
        table.ann.say(move((0, 2)))
        self.assertEqual(table.ann.heard(), [error(TOO_FAR), over("bob", "ann")])
        self.assertEqual(table.bob.heard(), [over("bob", "ann")])

    def test_other_ends_have_no_reason(self) -> None:
        """A dead end or a lost clock is no mistake in the protocol."""
        table = Table(move_time="5")
        table.world.wait(5)
        self.assertEqual(table.both(), [over("bob", "ann")])

    def test_refused_log_ins(self) -> None:
        """The reason is the text of the error element."""
        world = MemoryHost()
        client = world.connect(WIRE)
        self.assertEqual(client.ask(login("a b")), [refused(1, REASONS[1])])
        self.assertEqual(client.ask(login("ann", "chess")), [refused(2, REASONS[2])])
        self.assertEqual(client.ask(login("ann")), [ACCEPTED])
        self.assertEqual(world.connect(WIRE).ask(login("Ann")), [refused(1, "this name is in use")])


class MistakesTests(PropertyCase):
    """What is wrong is refused once, and at once."""

    def test_a_wrong_end_tag_is_refused_at_once(self) -> None:
        """The sound message behind it is not acted on, the connection ends, and the seat is kept."""
        table = Table()
        table.ann.say(message("move", "<move>"), move((0, 1)))
        self.assertEqual(table.ann.heard(), [error("not well-formed: &lt;/message&gt; ends &lt;move&gt;")])
        table.world.wait(2)
        self.assertTrue(table.ann.closed)
        self.assertEqual(table.bob.heard(), [left("ann")])
        self.assertEqual(table.come("ann").heard(), [ACCEPTED, state("ann")])

    def test_one_refusal_for_one_mistake_on_one_line(self) -> None:
        """Elements that follow on the line belong to the mistake, points too: they could lose the game."""
        good, bad = points((0, 1)), "<pt x='0' y='1'/>"
        for line in (good + bad, bad + good, bad + bad + bad, good + bad + good, bad + " " + good + bad):
            table = Table()
            self.assertEqual(len(table.ann.ask(line)), 1, line)
            self.assertEqual(table.bob.heard(), [])
            self.assertEqual(table.ann.ask(good), [state("bob", (0, 1))], line)

    def test_two_lines_are_two_mistakes(self) -> None:
        """And a message behind a mistake is a message, on whatever line."""
        table = Table()
        self.assertEqual(len(table.ann.ask("<pt/>", "<pt/>")), 2)
        self.assertEqual(len(table.ann.ask("<pt/>" + message("hello"))), 2)
        self.assertEqual(table.ann.ask("<pt/>" + move((0, 1)))[1:], [state("bob", (0, 1))])

    def test_the_elements_of_a_refused_line_count_for_the_rate(self) -> None:
        """A line without end costs its sender what it costs the host."""
        client = MemoryHost().connect(WIRE)
        client.send(b"<pt/>" * 2_000)
        heard = client.heard()
        self.assertEqual((len(heard), heard[-1]), (2, error("too many messages")))


class LostPeopleTests(PropertyCase):
    """People who do not know the protocol, and clients of other protocols."""

    def test_help_is_an_explanation_and_an_example_that_works(self) -> None:
        """The line after the explanation can be sent back as it is."""
        world = MemoryHost()
        bob = world.connect(WIRE)
        bob.ask(login("bob"))
        client = world.connect(WIRE)
        for word in ("help", "?", "HELP"):
            explanation, example = client.ask(word)
            self.assertIn("Paper Soccer", explanation)
        self.assertEqual(client.ask(example), [ACCEPTED, state("ann")])
        explanation, example = client.ask("help")
        self.assertIn("an illegal move loses", explanation)
        self.assertEqual(client.ask(example), [state("bob", (0, 1))])

    def test_clients_of_other_protocols_are_told_what_this_port_speaks(self) -> None:
        """One sentence, and the end of the connection."""
        for opening, name in (
            (b"GET / HTTP/1.1\r\n\r\n", "an HTTP request"),
            (b"\x16\x03\x01\x02\x00", "a TLS handshake"),
            (b"SSH-2.0-OpenSSH_9.6\r\n", "an SSH client"),
            (b'{"type": "LoginMessage"}\n', "JSON"),
        ):
            client = MemoryHost().connect(WIRE)
            client.send(opening)
            [answer] = client.heard()
            self.assertIn(f">this looks like {name}; this port speaks Paper Soccer", answer)
            self.assertTrue(client.transport.disconnecting or client.closed)
        client = MemoryHost().connect(WIRE)
        client.send(b"LOGIN|ann\n")
        [answer] = client.heard()
        self.assertIn("expected XML messages", answer)


class LateMovesTests(PropertyCase):
    """What was sent before its sender could know of the end."""

    def test_the_first_move_behind_the_end_is_ignored(self) -> None:
        """Bare or not; the second one is refused."""
        for late in (move((0, 1)), move((0, 1), game=None), points((0, 1))):
            table = Table()
            table.ann.say(move((0, 2)))
            table.hush()
            self.assertEqual(table.bob.ask(late), [], late)
            self.assertEqual(table.bob.ask(late), [error("the game is over: expected thank you or playerLogin")])
            self.assertEqual(table.bob.ask(thanks()), [])

    def test_only_a_move_of_that_game_can_be_late(self) -> None:
        """A move of another game was not sent in this one."""
        table = Table()
        table.ann.say(move((0, 2)))
        table.hush()
        self.assertEqual(len(table.bob.ask(message("move", game_id(7) + f"<move>{points((0, 1))}</move>"))), 1)
