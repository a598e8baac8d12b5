"""The XML wire's conversations: every message in every state, getting in, the end, and leaving."""

import csv
from pathlib import Path
from typing import Any

from gamehost.testing.cases import PropertyCase
from gamehost.wires.paper_soccer.conversation import State, XmlConversation
from gamehost.wires.paper_soccer.messages import CLIENT_TYPES, SERVER_TYPES
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.wires.paper_soccer_talk import (
    ACCEPTED,
    REASONS,
    TOO_FAR,
    WIRE,
    Table,
    error,
    leave,
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

PAGE = Path(__file__).parents[2] / "docs" / "wires" / "paper-soccer.rst"

#: What stands for each row of the documentation's table.
SAMPLES = {
    "playerLogin": [login("ann")],
    "move": [move((0, 1)), points((0, 1)) + "\n", message("move", f"<move>{points((0, 1))}</move>")],
    "thank you": [thanks(), thanks(None)],
    "leaveGame": [leave(), leave(None)],
    "logout": [message("logout")],
    "error": [message("error", "something")],
    "a message of the server": [message(kind) for kind in sorted(SERVER_TYPES)],
    "a call for help": ["help\n", "?\r\n", "HELP \n", "quit\n", " exit\n"],
    "anything else": ["<hello/>", message("hello"), message("move", "<move/>"), "<point x='0'/>\n", "<point/><a/>"],
    "an empty line": ["\n", "\r\n", " \n\n"],
}


def table_of_answers() -> dict[str, dict[str, str]]:
    """The documentation's table: message -> state -> answer."""
    text = PAGE.read_text("utf-8")
    block = text[text.index(":name: answers") :].split("\n\n")[1]
    header = ["message", *(state.value for state in State)]
    rows = csv.reader((line.strip() for line in block.splitlines()), skipinitialspace=True)
    return {row[0]: dict(zip(header[1:], row[1:], strict=True)) for row in rows}


def arrive(where: State) -> tuple[MemoryHost, Client, Client]:
    """A connection of ann's in this state (her turn, if it is one), and another one who plays with her or does not."""
    if where in (State.PLAYING, State.OVER):
        table = Table()
        world, client, other = table.world, table.ann, table.bob
        if where is State.OVER:
            client.send(move((0, 2)).encode())
            table.hush()
    else:
        world = MemoryHost()
        other, client = world.connect(WIRE), world.connect(WIRE)
        if where is State.WAITING:
            client.send(login("ann").encode())
            client.heard()
    assert client.state is where
    return world, client, other


class AnswersTests(PropertyCase):
    """The whole product of states and messages, as the documentation prints it."""

    def test_the_table_is_whole(self) -> None:
        """Every type of message has a row, and the conversation's own table holds no more than the page's."""
        self.assertEqual(set(SAMPLES), set(table_of_answers()))
        self.assertEqual(set(CLIENT_TYPES) - set(SAMPLES), set())
        self.assertEqual({where for where, _ in XmlConversation.HEARS}, set(State))

    def test_every_message_in_every_state(self) -> None:
        """What the page says is what happens."""
        for row, answers in table_of_answers().items():
            for column, answer in answers.items():
                for sample in SAMPLES[row]:
                    with_state = State(column)
                    world, client, other = arrive(with_state)
                    client.send(sample.encode())
                    self.check(answer, with_state, client, other, world)

    def check(self, answer: str, before: State, client: Client, other: Client, world: MemoryHost) -> None:
        """What is heard, and where the connection is then."""
        heard, others = client.heard(), other.heard()
        match answer:
            case "error":
                self.assertTrue(heard and all("error" in line for line in heard), heard)
                self.assertEqual((others, client.state), ([], before))
            case "help":
                self.assertTrue(heard[0].startswith('<message type="error">'), heard)
                self.assertIn(heard[1:], ([], [login("ann")], ['<point x="0" y="1"/>']))
                self.assertEqual((others, client.state), ([], before))
            case "nothing" | "ignored once":
                self.assertEqual((heard, others, client.state), ([], [], before))
            case "log in":
                self.assertEqual((heard, client.state), ([ACCEPTED], State.WAITING))
            case "act":
                self.assertEqual((heard, others), ([state("bob", (0, 1))],) * 2)
            case "free":
                self.assertEqual((heard, others, client.state), ([], [], State.OUTSIDE))
                self.assertIsNone(world.lobby.registry.get("ann"))
            case "leave":
                self.assertEqual((heard, client.state), ([], State.OUTSIDE))
                self.assertEqual(others, [left("ann"), over("bob", "ann")])
                self.assertIsNone(world.lobby.registry.get("ann"))
            case _:
                self.fail(f"the page says {answer!r}")
        self.assertFalse(client.transport.disconnecting)

    def test_a_wrong_table_fails(self) -> None:
        """The check notices an answer that is not given."""
        for wrong in ("nothing", "log in", "free", "leave", "error"):
            world, client, other = arrive(State.PLAYING)
            client.send(move((0, 1)).encode())
            self.assertRaises(self.failureException, self.check, wrong, State.PLAYING, client, other, world)


class LoginTests(PropertyCase):
    """Getting in."""

    def test_types_of_game(self) -> None:
        """Three spellings, in any case; anything else is unknown."""
        for good in ("paper soccer", "Paper_Football", "PAPER-SOCCER"):
            self.assertEqual(MemoryHost().connect(WIRE).ask(login("ann", good)), [ACCEPTED])
        for bad in ("", "chess", "paper  soccer", "papersoccer", " paper soccer"):
            self.assertEqual(MemoryHost().connect(WIRE).ask(login("ann", bad)), [refused(2)])
        self.assertEqual(
            MemoryHost().connect(WIRE).ask(message("playerLogin", "<playerLogin nick='ann'/>")), [refused(2)]
        )

    def test_nicks(self) -> None:
        """One that cannot be, or is taken, is error 1; the next one may be better."""
        world = MemoryHost()
        world.connect(WIRE).ask(login("ann"))
        client = world.connect(WIRE)
        for nick, reason in (
            *((nick, REASONS[1]) for nick in ("", "a b", "a\u202eb", "a|b", "<ann>", "a\u200db")),
            *(("a" * 21, "a name has at most 20 characters"), ("draw", "a name is not a word such as tie or help")),
            ("Ann", "this name is in use"),
        ):
            self.assertEqual(client.ask(login(nick)), [refused(1, reason)], nick)
        no_nick = message("playerLogin", "<playerLogin gameType='paper soccer'/>")
        self.assertEqual(client.ask(no_nick), [refused(1)])
        self.assertEqual(client.ask(login("Ünü")), [ACCEPTED, state("Ünü")])

    def test_no_room(self) -> None:
        """A connection that may not stay hears so as the answer to a log-in."""
        world = MemoryHost({"limits.connections_per_address": "1"})
        world.connect(WIRE)
        [answer] = world.connect(WIRE).heard()
        self.assertRegex(answer, '<response accept="no"/><error id="3">[^<]+</error></message>$')

    def test_log_out_and_in_again(self) -> None:
        """After a log-out the connection may log in again, within the time that a new one has."""
        world = MemoryHost()
        client = world.connect(WIRE)
        client.ask(login("ann"))
        world.wait(100)
        self.assertEqual(client.ask(message("logout")), [])
        world.wait(9)
        self.assertEqual(client.ask(login("bob")), [ACCEPTED])
        client.say(message("logout"))
        world.wait(13)
        self.assertTrue(client.closed)

    def test_separate(self) -> None:
        """With tables of its own the wire's players meet all the same."""
        table = Table({"paper-soccer.separate": "yes"})
        self.assertEqual(table.ann.ask(move((0, 1))), [state("bob", (0, 1))])


class EndTests(PropertyCase):
    """What comes after the end."""

    def table(self, **options: Any) -> Table:
        """A game that bob has just won."""
        table = Table(**options)
        table.ann.say(move((0, 2)))
        self.assertEqual(table.illegal(table.ann), [over("bob", "ann")])
        return table

    def test_thank_you_frees_the_nick(self) -> None:
        """Until it is said the nick is taken; a wrong game's is refused."""
        table = self.table()
        self.assertEqual(table.world.connect(WIRE).ask(login("ann")), [refused(1, "this name is in use")])
        self.assertEqual(table.ann.ask(thanks(2)), [error('this game is &lt;gameId id="1"/&gt;')])
        self.assertEqual(table.ann.ask(thanks()), [])
        self.assertEqual(table.world.connect(WIRE).ask(login("ann")), [ACCEPTED])

    def test_the_grace_time_frees_the_nick(self) -> None:
        """Who never says thank you is not waited for longer than a seat would be kept; saying it late is no fault."""
        table = self.table(grace=30.0)
        table.world.wait(29)
        self.assertIs(table.ann.state, State.OVER)
        table.world.wait(1)
        self.assertIs(table.ann.state, State.OUTSIDE)
        self.assertEqual(table.ann.ask(thanks()), [])
        self.assertEqual(len(table.ann.ask(thanks(2))), 1)
        self.assertEqual(table.ann.ask(login("ann")), [ACCEPTED])
        self.assertEqual(table.ann.ask(thanks()), [])
        table.world.wait(100)
        self.assertFalse(table.ann.closed)

    def test_the_next_log_in_frees_the_nick(self) -> None:
        """Without thanks, on to the next game at once; no alarm of the first one disturbs it."""
        table = self.table()
        self.assertEqual(table.bob.ask(login("bob")), [ACCEPTED])
        self.assertEqual(table.ann.ask(login("ann")), [ACCEPTED, state("ann", game=2)])
        table.world.wait(59)
        self.assertEqual(table.ann.ask(move((0, 1), game=2)), [state("bob", (0, 1), game=2)])
        table.world.wait(59)
        self.assertIs(table.ann.state, State.PLAYING)

    def test_a_lost_connection_frees_the_nick(self) -> None:
        """And leaves no timer."""
        table = self.table()
        table.ann.drop()
        table.bob.drop()
        self.assertEqual(table.world.clock.getDelayedCalls(), [])
        self.assertEqual(table.world.connect(WIRE).ask(login("ann")), [ACCEPTED])


class LeavingTests(PropertyCase):
    """Lost connections, and leaving for good."""

    def test_told_once(self) -> None:
        """Who was told that the other one is gone is not told so again when the grace time ends."""
        table = Table()
        table.bob.drop()
        self.assertEqual(table.ann.heard(), [left("bob")])
        table.world.wait(60)
        self.assertEqual(table.ann.heard(), [over("ann", "bob")])

    def test_told_again_after_a_return(self) -> None:
        """A return makes a later loss news."""
        table = Table()
        table.bob.drop()
        table.ann.heard()
        bob = table.come("bob")
        self.assertEqual(bob.heard(), [ACCEPTED, state("ann")])
        self.assertEqual(table.ann.heard(), [])
        bob.say(message("logout"))
        self.assertEqual(table.ann.heard(), [left("bob"), over("ann", "bob")])

    def test_both_gone(self) -> None:
        """The one who is back first hears that the other is away; nobody has lost anything."""
        table = Table()
        table.ann.say(move((0, 1)))
        table.ann.drop()
        table.bob.drop()
        table.world.wait(3600)
        bob = table.come("bob")
        self.assertEqual(bob.heard(), [ACCEPTED, state("bob", (0, 1)), left("ann")])
        ann = table.come("ann")
        self.assertEqual(ann.heard(), [ACCEPTED, state("bob", (0, 1))])
        self.assertEqual(bob.ask(move((1, 1))), [state("ann", (1, 1))])

    def test_no_grace(self) -> None:
        """Without grace time a lost connection loses at once."""
        table = Table(grace=0.0)
        table.ann.drop()
        self.assertEqual(table.bob.heard(), [left("ann"), over("bob", "ann")])

    def test_move_time(self) -> None:
        """Whose time runs out loses, without a move in the last state."""
        table = Table(move_time="5")
        table.world.wait(5)
        self.assertEqual(table.both(), [over("bob", "ann")])

    def test_an_end_that_was_missed(self) -> None:
        """The next log-in goes to the lobby."""
        table = Table()
        table.bob.drop()
        table.ann.say(move((0, 2)))
        self.assertEqual(table.ann.heard(), [left("bob"), error(TOO_FAR), over("bob", "ann")])
        self.assertEqual(table.come("bob").heard(), [ACCEPTED])
