"""Paper Soccer in XML."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from gamehost.testing.cases import PropertyCase
from gamehost.testing.memory_host import Client
from gamehost.testing.wire_contract import WireContract
from gamehost.wires.paper_soccer import WIRE
from gamehost.wires.paper_soccer import messages as m
from gamehost.wires.paper_soccer.conversation import XmlConversation, XmlState
from tests.kit.games.paper_soccer import as_move, recorded
from tests.kit.memory_host import HOME, MemoryHost
from tests.kit.pages import answers
from tests.kit.wires.paper_soccer_talk import (
    ACCEPTED,
    DECLARATION,
    READ_AT_ONCE,
    REASONS,
    SPELLINGS,
    TOO_FAR,
    Table,
    error,
    game_id,
    leave,
    left,
    login,
    message,
    move,
    over,
    points,
    refused,
    spelled,
    state,
    thanks,
)
from tests.kit.wires.paper_soccer_talk import WIRE as SOCCER

ATTACKS = (
    b'<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;">]><lolz>&lol2;</lolz>',
    b"<message type='move'><![CDATA[<point/>]]></message>",
    b"<message><!-- -->",
    b'<?xml version="1.0" encoding="UTF-16"?><message type="logout"/>',
    b"\xef\xbb\xbf<message type='logout'/>",
    b"<a><a><a><a><a><a><a><a><a>",
    b"<message type='error'>&amp;&#65;&foo;</message>",
    b"<x:point x='0' y='1'/>\n<message y='1' xmlns='u'/>",
)


class WireTests(WireContract, PropertyCase):
    wire = WIRE
    transcripts = HOME
    begun = b'<message type="aaaaa'
    too_long = b'<message type="' + b"a" * 16_367 + b'"/>'

    log_out = b'<message type="logout"/>'
    silent = {
        "back": "the document has no words for it; the game goes on with the next gameState",
        "late": "it crossed with the end of the match on its way: the player is told the end and nothing else",
    }
    nonsense = (
        b'<message type="canary"/>\n',
        b'<message type="move"><canary/></message>\n',
        b'<message type="gameState">canary</message>\n',
        b"<message type='move'><move><point x='canary' y='\t'/></move></message>\n",
        b"<message type='thank you'><gameId id='canary\x7f'/></message>\n",
        b"\x1b[2Jcanary\n",
    )

    def log_in(self, name: str) -> bytes:
        return login(name).encode()

    def legal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        """Chance says who moves first: in these tests always the second player."""
        return second, move((0, 1), game=None).encode()

    def illegal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, move((0, 1), game=None).encode()

    def samples(self) -> dict[type, list[Any]]:
        """With the messages of remote games, which are out of place in this one."""
        remote = [m.GameMasterLogin("nim-1", "nim", "2", "2"), m.RemoteMove(b"<a/>", "1"), m.PlayerLeftGame("bob", "1")]
        more: list[Any] = [*remote, m.RemoteState("1", b"<a/>", "bob")]
        return {**super().samples(), **{type(message): [message] for message in more}}

    def corpus(self) -> Sequence[bytes]:
        """Short streams, for each is sent byte by byte, too: games begun, endings, odd spellings, attacks."""
        rng = random.Random(1)
        ann = login("ann") + "\n"
        streams = [ann + move(*self._first_moves(rng)) + thanks() + login("ann") for _ in range(5)]
        streams += [ann + "<point x='0' y='1'/>\r\n<point x=\"1\" y='1' /> <point x='0' y='0'></point>\n"]
        streams += [ann + '<message type="leaveGame"><gameId id="1"/></message>' + ann]
        streams += ['<?xml version="1.0" encoding="utf-8"?>\n' + ann + '\n\n<message type="logout"/>']
        streams += [ann + '<message type="error">x &lt; y</message><message type="move"><move/></message>']
        return [stream.encode() for stream in streams] + [ann.encode() + attack for attack in ATTACKS]

    def _first_moves(self, rng: random.Random) -> tuple[m.Point, ...]:
        return as_move(rng.choice(recorded("paper_soccer_games.jsonl"))["moves"][0])

    def test_line_ends_on_the_way_to_another_host(self) -> None:
        """A line end that belongs to an earlier message is a blank line for the host that goes on."""
        wrong, ann = self.log_in("no/such name"), self.log_in("ann")
        for pieces in ([wrong, b"\n" + wrong + ann], [wrong, b"\n\n" + wrong, b"\n" + ann], [b"\n\n" + wrong, ann]):
            self.assertTrue(self.assert_unnoticed(self.connected_only, pieces))

    def test_the_limit_itself_is_allowed(self) -> None:
        """A message of exactly the limit is read; the one of the contract is one byte longer."""
        _, client = self.connected()
        client.send(self.too_long.replace(b"aa", b"a", 1))
        self.assertEqual(len(self.too_long), 16_385)
        self.assertIn("unknown type", client.heard()[0])
        self.assertFalse(client.transport.disconnecting)


PAGE = Path(__file__).parents[2] / "docs" / "wires" / "paper-soccer.rst"

#: What stands for each row of the documentation's table.
SAMPLES = {
    "playerLogin": [login("ann")],
    "move": [move((0, 1)), points((0, 1)) + "\n", message("move", f"<move>{points((0, 1))}</move>")],
    "thank you": [thanks(), thanks(None)],
    "leaveGame": [leave(), leave(None)],
    "logout": [message("logout")],
    "error": [message("error", "something")],
    "a message of the server": [message(kind) for kind in sorted(m.SERVER_TYPES)],
    "a call for help": ["help\n", "?\r\n", "HELP \n", "quit\n", " exit\n"],
    "anything else": ["<hello/>", message("hello"), message("move", "<move/>"), "<point x='0'/>\n", "<point/><a/>"],
    "an empty line": ["\n", "\r\n", " \n\n"],
}


def arrive(where: XmlState) -> tuple[MemoryHost, Client, Client]:
    """A connection of ann's in this state (her turn, if it is one), and another one who plays with her or does not."""
    if where in (XmlState.PLAYING, XmlState.OVER):
        table = Table()
        world, client, other = table.world, table.ann, table.bob
        if where is XmlState.OVER:
            client.send(move((0, 2)).encode())
            table.hush()
    else:
        world = MemoryHost()
        other, client = world.connect(SOCCER), world.connect(SOCCER)
        if where is XmlState.WAITING:
            client.send(login("ann").encode())
            client.heard()
    assert client.state is where
    return world, client, other


class AnswersTests(PropertyCase):
    def test_the_table_is_whole(self) -> None:
        """Every type of message has a row, and the conversation's own table holds no more than the page's."""
        self.assertEqual(set(SAMPLES), set(answers(PAGE, "answers", [one.value for one in XmlState])))
        self.assertEqual(set(m.CLIENT_TYPES) - set(SAMPLES), set())
        self.assertEqual({where for where, _ in XmlConversation.HEARS}, set(XmlState))

    def test_every_message_in_every_state(self) -> None:
        for row, by_state in answers(PAGE, "answers", [one.value for one in XmlState]).items():
            for column, answer in by_state.items():
                for sample in SAMPLES[row]:
                    with_state = XmlState(column)
                    world, client, other = arrive(with_state)
                    client.send(sample.encode())
                    self.check(answer, with_state, client, other, world)

    def check(
        self,
        answer: str,
        before: XmlState,
        client: Client,
        other: Client,
        world: MemoryHost,
    ) -> None:
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
                self.assertEqual((heard, client.state), ([ACCEPTED], XmlState.WAITING))
            case "act":
                self.assertEqual((heard, others), ([state("bob", (0, 1))],) * 2)
            case "free":
                self.assertEqual((heard, others, client.state), ([], [], XmlState.OUTSIDE))
                self.assertIsNone(world.lobby.registry.get("ann"))
            case "leave":
                self.assertEqual((heard, client.state), ([], XmlState.OUTSIDE))
                self.assertEqual(others, [left("ann"), over("bob", "ann")])
                self.assertIsNone(world.lobby.registry.get("ann"))
            case _:
                self.fail(f"the page says {answer!r}")
        self.assertFalse(client.transport.disconnecting)

    def test_a_wrong_table_fails(self) -> None:
        """The check notices an answer that is not given."""
        for wrong in ("nothing", "log in", "free", "leave", "error"):
            world, client, other = arrive(XmlState.PLAYING)
            client.send(move((0, 1)).encode())
            self.assertRaises(self.failureException, self.check, wrong, XmlState.PLAYING, client, other, world)


class LoginTests(PropertyCase):
    def test_types_of_game_have_three_spellings_in_any_case(self) -> None:
        for good in ("paper soccer", "Paper_Football", "PAPER-SOCCER"):
            self.assertEqual(MemoryHost().connect(SOCCER).ask(login("ann", good)), [ACCEPTED])
        for bad in ("", "chess", "paper  soccer", "papersoccer", " paper soccer"):
            self.assertEqual(MemoryHost().connect(SOCCER).ask(login("ann", bad)), [refused(2)])
        self.assertEqual(
            MemoryHost().connect(SOCCER).ask(message("playerLogin", "<playerLogin nick='ann'/>")),
            [refused(2)],
        )

    def test_nicks(self) -> None:
        """One that cannot be, or is taken, is error 1; the next one may be better."""
        world = MemoryHost()
        world.connect(SOCCER).ask(login("ann"))
        client = world.connect(SOCCER)
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
        world = MemoryHost({"limits.connections_per_address": "1"})
        world.connect(SOCCER)
        [answer] = world.connect(SOCCER).heard()
        self.assertRegex(answer, '<response accept="no"/><error id="3">[^<]+</error></message>$')

    def test_log_out_and_in_again(self) -> None:
        """After a log-out the connection may log in again, within the time that a new one has."""
        world = MemoryHost()
        client = world.connect(SOCCER)
        client.ask(login("ann"))
        world.wait(100)
        self.assertEqual(client.ask(message("logout")), [])
        world.wait(9)
        self.assertEqual(client.ask(login("bob")), [ACCEPTED])
        client.say(message("logout"))
        world.wait(13)
        self.assertTrue(client.closed)


class EndTests(PropertyCase):
    def table(self, **options: Any) -> Table:
        table = Table(**options)
        table.ann.say(move((0, 2)))
        self.assertEqual(table.illegal(table.ann), [over("bob", "ann")])
        return table

    def test_thank_you_frees_the_nick(self) -> None:
        table = self.table()
        self.assertEqual(table.world.connect(SOCCER).ask(login("ann")), [refused(1, "this name is in use")])
        self.assertEqual(table.ann.ask(thanks(2)), [error('this game is &lt;gameId id="1"/&gt;')])
        self.assertEqual(table.ann.ask(thanks()), [])
        self.assertEqual(table.world.connect(SOCCER).ask(login("ann")), [ACCEPTED])

    def test_the_grace_time_frees_the_nick(self) -> None:
        """Who never says thank you is not waited for longer than a seat would be kept; saying it late is no fault."""
        table = self.table(grace=30.0)
        table.world.wait(29)
        self.assertIs(table.ann.state, XmlState.OVER)
        table.world.wait(1)
        self.assertIs(table.ann.state, XmlState.OUTSIDE)
        self.assertEqual(table.ann.ask(thanks()), [])
        self.assertEqual(len(table.ann.ask(thanks(2))), 1)
        self.assertEqual(table.ann.ask(login("ann")), [ACCEPTED])
        self.assertEqual(table.ann.ask(thanks()), [])
        table.world.wait(100)
        self.assertFalse(table.ann.closed)

    def test_the_next_log_in_frees_the_nick(self) -> None:
        table = self.table()
        self.assertEqual(table.bob.ask(login("bob")), [ACCEPTED])
        self.assertEqual(table.ann.ask(login("ann")), [ACCEPTED, state("ann", game=2)])
        table.world.wait(59)
        self.assertEqual(table.ann.ask(move((0, 1), game=2)), [state("bob", (0, 1), game=2)])
        table.world.wait(59)
        self.assertIs(table.ann.state, XmlState.PLAYING)

    def test_a_lost_connection_frees_the_nick(self) -> None:
        table = self.table()
        table.ann.drop()
        table.bob.drop()
        self.assertEqual(table.world.clock.getDelayedCalls(), [])
        self.assertEqual(table.world.connect(SOCCER).ask(login("ann")), [ACCEPTED])


class LeavingTests(PropertyCase):
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

    def test_an_end_that_was_missed_leads_to_the_lobby(self) -> None:
        table = Table()
        table.bob.drop()
        table.ann.say(move((0, 2)))
        self.assertEqual(table.ann.heard(), [left("bob"), error(TOO_FAR), over("bob", "ann")])
        self.assertEqual(table.come("bob").heard(), [ACCEPTED])


class ReasonsTests(PropertyCase):
    def test_other_ends_have_no_reason(self) -> None:
        table = Table(move_time="5")
        table.world.wait(5)
        self.assertEqual(table.both(), [over("bob", "ann")])


class MistakesTests(PropertyCase):
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
        client = MemoryHost().connect(SOCCER)
        client.send(b"<pt/>" * 2_000)
        heard = client.heard()
        self.assertEqual((len(heard), heard[-1]), (2, error("too many messages")))


class LostPeopleTests(PropertyCase):
    def test_help_is_an_explanation_and_an_example_that_works(self) -> None:
        world = MemoryHost()
        bob = world.connect(SOCCER)
        bob.ask(login("bob"))
        client = world.connect(SOCCER)
        for word in ("help", "?", "HELP"):
            explanation, example = client.ask(word)
            self.assertIn("Paper Soccer", explanation)
        self.assertEqual(client.ask(example), [ACCEPTED, state("ann")])
        explanation, example = client.ask("help")
        self.assertIn("an illegal move loses", explanation)
        self.assertEqual(client.ask(example), [state("bob", (0, 1))])


class LateMovesTests(PropertyCase):
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
        table = Table()
        table.ann.say(move((0, 2)))
        table.hush()
        self.assertEqual(len(table.bob.ask(message("move", game_id(7) + f"<move>{points((0, 1))}</move>"))), 1)


Moves = Sequence[tuple[m.Point, ...]]
Cut = Callable[[bytes], Sequence[bytes]]

NICKS = ("ann", "bob")


def games() -> list[tuple[Moves, str]]:
    return [
        ([as_move(move) for move in game["moves"]], NICKS[game["winner"] - 1])
        for game in recorded("paper_soccer_games.jsonl")
    ]


def told(moves: Moves, winner: str) -> list[str]:
    """What both hear of a game, after its first state."""
    *before, last = moves
    heard = [state(NICKS[number % 2], *move) for number, move in enumerate(before, 1)]
    return [*heard, over(winner, NICKS[winner == "ann"], *last)]


def whole(data: bytes) -> Sequence[bytes]:
    return [data]


def bytewise(data: bytes) -> Sequence[bytes]:
    return [data[n : n + 1] for n in range(len(data))]


class WholeGamesTests(PropertyCase):
    def hear(self, moves: Moves, spelling: str, cut: Cut = whole, declaration: bool = False) -> list[str]:
        rng = random.Random(1)
        table = Table({**READ_AT_ONCE, **({"paper-soccer.declaration": "yes"} if declaration else {})})
        for number, placed in enumerate(moves):
            client = (table.ann, table.bob)[number % 2]
            for piece in cut(spelled(spelling, placed, rng).encode()):
                client.send(piece)
        return table.both()

    def test_every_spelling(self) -> None:
        for moves, winner in games()[:12]:
            for spelling in (*SPELLINGS, "mixed"):
                for cut in (whole, bytewise):
                    self.assertEqual(self.hear(moves, spelling, cut), told(moves, winner), (spelling, cut))

    def test_declaration(self) -> None:
        """With it every line has one in front, and is otherwise the same."""
        for moves, winner in games()[:12]:
            for spelling in (*SPELLINGS, "mixed"):
                expected = [DECLARATION + line for line in told(moves, winner)]
                self.assertEqual(self.hear(moves, spelling, declaration=True), expected, spelling)

    def test_games_in_a_row_joined(self) -> None:
        moves, winner = games()[0]
        table = Table()
        clients = dict(zip(NICKS, (table.ann, table.bob), strict=True))
        for number, placed in enumerate(moves[:-1]):
            clients[NICKS[number % 2]].say(spelled("bare", placed, random.Random(1)))
        table.hush()
        mover = NICKS[(len(moves) - 1) % 2]
        other = NICKS[mover == "ann"]
        end = told(moves, winner)[-1]
        heard = clients[mover].ask(spelled("bare", moves[-1], random.Random(1)) + thanks() + login(mover))
        self.assertEqual(heard, [end, ACCEPTED])
        self.assertEqual(clients[other].heard(), [end])
        begin = state(other, game=2)
        self.assertEqual(clients[other].ask(thanks() + login(other)), [ACCEPTED, begin])
        self.assertEqual(clients[mover].heard(), [begin])
