"""Eriantys in JSON: the contract, games, settings and help."""

import json
import random
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.eriantys.rules import Character, Status
from gamehost.lobby.sessions import Queue
from gamehost.plugins import WIRES
from gamehost.settings import BadOption
from gamehost.testing.cases import PropertyCase
from gamehost.testing.wire_contract import WireContract
from gamehost.testing.wire_hooks import Situation
from gamehost.wires.eriantys import OPTIONS, WIRE
from gamehost.wires.eriantys.codec import example
from gamehost.wires.eriantys.messages import CLIENT_TYPES, Error
from gamehost.wires.eriantys_conversation import EriantysState
from tests.kit.games.eriantys import acting, rich
from tests.kit.memory_host import HOME, Client, MemoryHost
from tests.kit.pages import table
from tests.kit.wires.eriantys_page import PAGE, SCHEMA, board, in_step, published
from tests.kit.wires.eriantys_players import (
    ANSWERED_BY,
    ANSWERS,
    MOVES,
    Habit,
    Player,
    as_the_diagrams,
    asked_for,
    everything,
    laid_out,
    line,
    never,
    pair,
    play,
    seated,
)
from tests.kit.wires.eriantys_players import OPEN as ERIANTYS_OPEN
from tests.kit.wires.eriantys_words import BOARD_LINE, LINES

LOGIN = '{"type":"LoginMessage","nickname":"ann"}'
configure: Any = WIRE.configure
SET_GAME = '{"type":"SetGame","numberOfPlayers":2,"expertMode":false}'


class WireTests(WireContract, PropertyCase):
    wire = WIRE
    transcripts = HOME
    begun = b'{"type":"LoginMessage","nickname":"a'
    too_long = b'{"type":"LoginMessage","nickname":"' + b"a" * 16_400 + b'"}\n'

    host_settings = {"eriantys.ping": "0", "eriantys.ack_seconds": "0"}
    silent = {
        "late": "it crossed with the end of the match on its way: the player is told the end and nothing else",
    }
    nonsense = (
        *WireContract.nonsense,
        *(
            b'{"type":"canary\\u001b"}\n',
            b'{"type":"ChosenTower","tower":"canary"}\n',
            b'{"canary":1}\n',
            b'["canary"]\n',
        ),
    )
    log_out = b'{"type":"Disconnect"}\n'

    def log_in(self, name: str) -> bytes:
        return (line("LoginMessage", nickname=name) + "\n").encode()

    def join(self, client: Client, name: str) -> None:
        client.send(self.log_in(name))
        self.join_again(client, name)

    def join_again(self, client: Client, name: str) -> None:
        waiting = client.world.lobby.waiting(Queue(WIRE.games[0]))
        client.say(line("JoinAvailableGame", gameId=waiting[0].table) if waiting else SET_GAME)

    def legal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, b'{"type":"ChosenTower","tower":"BLACK"}\n'

    def illegal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, b'{"type":"ChosenTower","tower":"GREY"}\n'

    def situations(self) -> Mapping[str, Callable[[], Situation]]:
        return {**super().situations(), "lobby": self.in_lobby}

    def in_lobby(self) -> Situation:
        situation = self.connected_only()
        situation.client.send(self.log_in("ann"))
        return situation

    def corpus(self) -> list[bytes]:
        """Short streams, since each is cut in many ways: into a game with the opponent, and everything else."""
        join = ['{"type":"LoginMessage","nickname":"a"}', '{"type":"JoinAvailableGame","gameId":1}']
        streams = [[*join, example(name)] for name in CLIENT_TYPES]
        streams += [[join[0], example("RequestGames")], [join[0], SET_GAME], ["{", "[", "1"]]
        streams += [[example("Acknowledgement")] * 2]
        return ["".join(text + "\n" for text in stream).encode() for stream in streams]


#: What is sent for the rows of the table of answers that are not a message of a client.
SENT = {
    "an answer or UseCharacterEffect": [example(name) for name in (*ANSWERS, "UseCharacterEffect")],
    "a message with other keys or values": [
        '{"type":"LoginMessage","nickname":1}',
        '{"type":"ChosenSteps"}',
        '{"type":"Pong","x":1}',
        '{"type":"ChosenTower","tower":"RED"}',
    ],
    "a message of the server": [text for _, text in LINES],
    "other JSON": ["{}", "[]", '"Pong"', "1", "null", '{"type":"Hello"}', '{"type":"Pong","type":"Pong"}'],
    "a line that is not JSON": ["hello", '{"type":"Pong"', "\x00", "\x1b[2J", "{'type':'Pong'}", "\u0165ah"],
    "an empty line": ["", "\r", "  "],
}


class AnswersTests(SynchronousTestCase):
    def in_state(self, state: EriantysState, strict: bool = False) -> Client:
        if state is EriantysState.IN_GAME:
            return pair(strict=strict)[1].client
        world = MemoryHost(ERIANTYS_OPEN, strict=strict)
        client = world.connect("eriantys")
        if state is not EriantysState.CONNECTED:
            client.say(LOGIN)
        if state is EriantysState.WAITING:
            client.say(SET_GAME)
        if state is EriantysState.LOBBY:
            other = world.connect("eriantys")
            other.say('{"type":"LoginMessage","nickname":"bob"}', SET_GAME.replace("2", "3"))
        self.assertIs(client.state, state)
        client.heard()
        return client

    def test_every_message_in_every_state(self) -> None:
        """Each is answered as the page says; whatever is refused leaves the state as it was."""
        rows = {message: answers for message, *answers in table(PAGE, "answers")}
        alone = set(CLIENT_TYPES) - {*ANSWERS, "UseCharacterEffect"}
        self.assertEqual(set(rows), {*alone, *SENT}, "the table and this test speak of the same messages")
        for message, answers in rows.items():
            for state, answer in zip(EriantysState, answers, strict=True):
                for said in SENT.get(message, [example(message)]):
                    client = self.in_state(state)
                    self.assert_answer(answer, client, client.ask(said), state)

    def assert_answer(self, answer: str, client: Client, heard: list[str], state: EriantysState) -> None:
        if answer == "close":
            self.assertTrue(client.closed)
            return
        self.assertFalse(client.transport.disconnecting)
        messages = [json.loads(text) for text in heard]
        if answer == "nothing":
            self.assertEqual(messages, [])
        elif answer == "act":
            self.assertIn(messages[0].get("message") or messages[0]["error"], ("SUCCESS", "INVALID_ACTION"))
        elif answer.isupper():
            self.assertEqual(messages[0].get("message") or messages[0]["error"], answer)
        else:
            self.assertEqual(messages[0]["type"], answer)
        if answer in ("INVALID_ACTION", "INVALID_INPUT"):
            self.assertIs(client.state, state)

    def test_every_answer_to_every_request(self) -> None:
        rows = {what: answers for what, *answers in table(PAGE, "in-a-match")}
        self.assertEqual(len(rows), 6)
        for request, answer in ANSWERED_BY.items():
            for kind, (_, bad) in ANSWERS.items():
                right, said = kind == answer, ANSWERS[kind][0]
                _, ann, bob = asked_for(request)
                self.assertEqual([m["error"] for m in bob.ask(kind, **said)], ["WRONG_TURN"], (request, kind))
                self.assert_malformed(ann, bob, kind, right)
                heard = ann.ask(kind, **bad)
                if right:
                    self.assertEqual((heard[0]["type"], heard[-1]["type"]), ("ErrorMessage", self.again(request)))
                    if request == "WhereToMove":
                        ann.ask("ChosenStudent", color="PINK")
                heard = ann.ask(kind, **said)
                errors = [m["error"] for m in heard if m["type"] == "ErrorMessage"]
                if right:
                    self.assertEqual(errors, [], (request, kind, heard))
                else:
                    self.assertEqual((errors, len(heard)), (["INVALID_ACTION"], 1), (request, kind))

    def again(self, request: str) -> str:
        """What is asked after an answer that cannot be had: a destination is chosen from the student on."""
        return "MovableStudents" if request == "WhereToMove" else request

    def assert_malformed(self, ann: Player, bob: Player, kind: str, right: bool) -> None:
        """Only what would have answered is asked again; another player's is never."""
        request = ann.request
        heard = ann.ask(kind, nothing="of this kind")
        self.assertEqual(heard[0]["error"], "INVALID_INPUT")
        self.assertEqual(heard[1:], [request] if right else [])
        self.assertEqual([m["error"] for m in bob.ask(kind, nothing=1)], ["INVALID_INPUT"])

    def test_a_character_at_every_request(self) -> None:
        """In Moves 1 to 3 it is played; at any other request it is not now, and never of another player."""
        for request in ANSWERED_BY:
            _, ann, bob = asked_for(request)
            asked = ann.request
            self.assertEqual([m["error"] for m in bob.ask("UseCharacterEffect", character=8)], ["WRONG_TURN"])
            malformed = ann.ask("UseCharacterEffect", character="8")
            self.assertEqual(malformed[1:], [asked] if request in MOVES else [])
            heard = ann.ask("UseCharacterEffect", character=8)
            if request in MOVES:
                self.assertEqual(heard[0]["message"], "SUCCESS", (request, heard))
                bob.hear()
                self.assertEqual(ann.hear()[-1]["type"], self.again(request))
            else:
                self.assertEqual([m["error"] for m in heard], ["INVALID_ACTION"], request)

    def test_destination_of_a_character_is_an_island(self) -> None:
        world, ann, bob = pair(expert=True)
        play(world, (ann, bob), most=4)
        laid_out(world, ann, bob, acting(rich(Character.HERALD), Status.MOVE_2))
        ann.ask("UseCharacterEffect", character=3)
        bob.hear()
        [asked] = ann.hear()
        self.assertEqual(asked["type"], "WhereToMove")
        self.assertEqual([m.get("error") for m in ann.ask("ChosenDestination", destination=0)], ["INVALID_INPUT", None])
        self.assertEqual(ann.ask("ChosenDestination", destination="1")[1:], [asked])
        self.assertEqual([m["error"] for m in ann.ask("UseCharacterEffect", character="3")], ["INVALID_INPUT"])
        self.assertEqual(ann.ask("ChosenDestination", destination=1)[0]["message"], "SUCCESS")


class PageTests(SynchronousTestCase):
    def test_the_drawing_is_in_step(self) -> None:
        """`python -m tests.kit.wires.eriantys_page` draws it anew."""
        page = PAGE.read_text("utf-8")
        self.assertEqual(page, in_step(page))
        self.assertIn("IN GAME", page)

    def test_the_schema_is_in_step(self) -> None:
        self.assertEqual(SCHEMA.read_text("utf-8"), published())

    def test_every_message_stands_there_with_its_example(self) -> None:
        page = PAGE.read_text("utf-8")
        for text in (*(text for _, text in LINES if text != BOARD_LINE), *map(example, CLIENT_TYPES)):
            self.assertIn(f"\n   {text}\n", page)

    def test_a_whole_board_is_shown(self) -> None:
        text = board().split("\n\n", 1)[1]
        shown = msgspec.json.decode("".join(line.strip() for line in text.splitlines()))
        self.assertEqual(shown["order"], ["bob", "ann"])
        characters = {card["character"]: card for card in shown["dashboard"]["characters"]}
        self.assertEqual([characters[number]["students"] is None for number in (5, 6, 7)], [True, True, False])
        self.assertLessEqual(max(map(len, text.splitlines())), 100)


EXTENSIONS = ("detail", "islands", "clouds", "nicknames", "numberOfPlayers", "expertMode", "order", "reason")


class ShutdownTests(SynchronousTestCase):
    def test_the_reason_is_told(self) -> None:
        """As an ErrorMessage with a key of its own: a program can tell it from an error that it made."""
        world = MemoryHost(ERIANTYS_OPEN)
        client = world.connect("eriantys")
        client.heard()
        world.factories["eriantys"].close("the host is stopping; seats at tables are kept")
        world.wait(0)
        self.assertEqual(
            [json.loads(text) for text in client.heard()],
            [
                {
                    "type": "ErrorMessage",
                    "error": "INVALID_ACTION",
                    "detail": "the host is stopping; seats at tables are kept",
                    "reason": "the host is stopping",
                }
            ],
        )
        self.assertTrue(client.closed)


class StrictTests(SynchronousTestCase):
    def test_no_extension_in_a_whole_match(self) -> None:
        """No key and no word of ours, from the log-in to the end, with mistakes and characters on the way."""
        world = MemoryHost(ERIANTYS_OPEN, strict=True)
        players = [_Documented(world, name, seed) for seed, name in enumerate(("ann", "bob", "carl"))]
        seated(world, players, expert=True)
        play(world, players)
        for player in players:
            self.assertGreater(player.heard["ErrorMessage"], 0)
            self.assertEqual(player.heard["NO_ENTRY_TILE_ON_ISLAND"] + player.heard["LAST_ROUND"], 0)
            self.assertEqual(player.extensions, set())

    def test_errors_are_told_and_reasons_of_the_host_are_not(self) -> None:
        """There is an ErrorMessage for what a client does wrong, and none for a host that stops."""
        world = MemoryHost(ERIANTYS_OPEN, strict=True)
        client = world.connect("eriantys")
        client.heard()
        self.assertEqual(client.ask('{"type":"Pong","x":1}'), ['{"type":"ErrorMessage","error":"INVALID_INPUT"}'])
        world.factories["eriantys"].close("the host is stopping")
        world.wait(0)
        self.assertEqual((client.heard(), client.closed), ([], True))

    def test_who_comes_back_is_not_told_who_else_is_away(self) -> None:
        """The document tells that once, when it happens."""
        for strict in (True, False):
            world, ann, bob = pair(strict=strict)
            play(world, (ann, bob), most=1)
            ann.client.drop()
            bob.client.drop()
            told = [message["type"] for message in ann.connect()]
            self.assertEqual("PlayerDisconnected" in told, not strict)


class _Documented(Player):
    """A player who knows the document alone, and writes down what is not in it."""

    def __init__(self, world: MemoryHost, name: str, seed: int) -> None:
        super().__init__(world, name, random.Random(seed), everything, rude=0.1)
        self.extensions: set[str] = set()

    def _take(self, said: str) -> dict[str, Any]:
        message = super()._take(said)
        self.extensions |= {key for key in message if key in EXTENSIONS}
        return message

    def _answer(self, request: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        assert self.board is not None or request["type"].startswith("Available")
        if self.board is not None:
            dashboard = self.board["dashboard"]
            clouds = [number for number, cloud in enumerate(dashboard["clouds"]) if sum(cloud.values())]
            request = {**request, "islands": len(dashboard["islands"]), "clouds": clouds}
        return super()._answer(request)


NAMES = ("ann", "bob", "carl", "dora")
#: Errors of the lobby, and two that need a position laid by hand: `test_eriantys_wrong_input` has them.
ELSEWHERE = {
    Error.TAKEN_NICKNAME,
    Error.NICKNAME_TOO_LONG,
    Error.INVALID_NICKNAME,
    Error.INVALID_SETTINGS,
    Error.GAME_NOT_FOUND,
    Error.FULL_GAME,
    Error.FULL_DINING_ROOM,
    Error.ZERO_NO_ENTRY_TILES_LEFT,
}
#: All in one moment: whatever the rate is, these players would be past it.
OPEN = {"limits.unlimited": "yes", "limits.messages_per_second": "50000", "eriantys.ping": "0"}


def company(world: MemoryHost, seed: int, *habits: Habit, **more: Any) -> list[Player]:
    """As many players as habits."""
    return [
        Player(world, name, random.Random(seed * 10 + number), habit, **more)
        for number, (name, habit) in enumerate(zip(NAMES, habits, strict=False))
    ]


def played(seats: int, expert: bool, seed: int, rude: float = 0.0) -> Counter[str]:
    world = MemoryHost(OPEN, rng=random.Random(seed).randrange)
    players = company(world, seed, *[everything] * seats, rude=rude)
    seated(world, players, expert)
    play(world, players)
    assert not world.lobby.tables
    heard = Counter[str]()
    assert any(player.heard["won"] for player in players)
    for player in players:
        assert str(player.client.state) == "EriantysState.LOBBY"
        heard += player.heard
    return heard


class GamesTests(PropertyCase):
    def test_every_kind_of_match_to_its_end(self) -> None:
        heard = Counter[str]()
        for seats in (2, 3, 4):
            for expert in (False, True):
                for seed in range(25, 30):
                    heard += played(seats, expert, seed)
        self.assertEqual({number for number in range(1, 13) if heard[f"character {number}"]}, set(range(1, 13)))
        self.assertGreater(heard["UNIFIED_ISLANDS"], 0)
        self.assertGreater(heard["NO_ENTRY_TILE_ON_ISLAND"], 0)
        self.assertGreater(heard["LAST_ROUND"], 0)

    def test_rude_players_finish_too(self) -> None:
        heard = Counter[str]()
        for seats, expert, seed in ((3, True, 39), (3, True, 40), (2, True, 60), (4, False, 30)):
            heard += played(seats, expert, seed, rude=0.5)
        self.assertEqual({error for error in Error if not heard[error]}, ELSEWHERE)


class HabitsTests(PropertyCase):
    def test_as_the_diagrams(self) -> None:
        """Whoever acknowledges what is due keeps nobody waiting, and owes nothing when anything is asked."""
        for seats in (2, 3, 4):
            world = MemoryHost(OPEN, rng=random.Random(seats).randrange)
            players = company(world, seats, *[as_the_diagrams] * seats)
            seated(world, players, expert=False)
            play(world, players)
            for player in players:
                client = player.client.protocol.conversation._client  # type: ignore[attr-defined]
                self.assertTrue(client.waited_for)

    def test_silent_players_are_waited_for_once(self) -> None:
        """One limit each at most, in the whole match; the others' acknowledgements go on to count."""
        for habits in ((never, never), (never, everything), (everything, as_the_diagrams, never)):
            world = MemoryHost(OPEN, rng=random.Random(3).randrange)
            players = company(world, 3, *habits)
            seated(world, players, expert=False)
            play(world, players, patience=habits.count(never))


BEGIN = '{"type":"LoginMessage","nickname":"ann"}'


def details(heard: list[str]) -> list[str]:
    return [json.loads(text)["detail"] for text in heard]


class HelpTests(SynchronousTestCase):
    def test_the_first_line_to_type_is_told(self) -> None:
        client = MemoryHost(ERIANTYS_OPEN).connect("eriantys")
        client.heard()
        for text in ("help", "HELP", " ? ", "quit", "exit", "help"):
            [detail] = details(client.ask(text))
            self.assertIn(BEGIN, detail)
            self.assertIn('{"type":"Disconnect"}', detail)
        self.assertIn("SUCCESS", client.ask(BEGIN)[-1])

    def test_other_text_is_told_what_is_expected(self) -> None:
        client = MemoryHost(ERIANTYS_OPEN).connect("eriantys")
        client.heard()
        self.assertEqual(details(client.ask("hello")), [f"a line that is not JSON; expected one such as {BEGIN}"])
        client.ask("hello")
        self.assertTrue(client.closed)

    def test_strict_mode_has_no_words_for_it(self) -> None:
        """`help` is a line that is not JSON, and the second one ends the connection."""
        client = MemoryHost(ERIANTYS_OPEN, strict=True).connect("eriantys")
        client.heard()
        self.assertEqual(client.ask("help"), ['{"type":"ErrorMessage","error":"INVALID_INPUT"}'])
        client.ask("help")
        self.assertTrue(client.closed)


class TooLateTests(SynchronousTestCase):
    """An answer that was sent before its sender could know that the match has ended."""

    def ended(self, strict: bool = False) -> Client:
        _, ann, bob = pair(strict=strict)
        bob.say("Disconnect")
        ann.client.heard()
        self.assertIs(ann.client.state, EriantysState.LOBBY)
        return ann.client

    def test_the_first_one_is_ignored(self) -> None:
        client = self.ended()
        late = line("ChosenTower", tower="WHITE")
        self.assertEqual(client.ask(line("Acknowledgement"), late), [])
        self.assertEqual([json.loads(text)["error"] for text in client.ask(late)], ["INVALID_ACTION"])

    def test_only_an_action_is_ignored(self) -> None:
        client = self.ended()
        self.assertIn("INVALID_INPUT", client.ask(line("Hello"))[0])
        self.assertIn("AvailableGames", client.ask(line("RequestGames"))[0])

    def test_strict_mode_refuses_it(self) -> None:
        self.assertIn("INVALID_ACTION", self.ended(strict=True).ask(line("ChosenTower", tower="WHITE"))[0])


class RateTests(SynchronousTestCase):
    def test_two_bots_that_play_at_full_speed_are_no_flood(self) -> None:
        """The log-in, and what every new game takes, is free: a clock that stands still gives nothing back."""
        world = MemoryHost({"eriantys.ping": "0", "limits.messages_per_second": "0.15"})
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
        client = MemoryHost({"eriantys.ping": "0", "limits.messages_per_second": "0.2"}).connect("eriantys")
        client.say(BEGIN, *[line("RequestGames")] * 4)
        self.assertFalse(client.closed)
        client.say(line("RequestGames"))
        self.assertTrue(client.closed)


class SettingsTests(SynchronousTestCase):
    def test_every_setting_is_read(self) -> None:
        """The defaults are those that the help text and the page tell."""
        config = configure({})
        self.assertEqual((config.strict, config.conversation.keywords), (False, {"ack_seconds": 2.0, "ping": 15.0}))
        self.assertEqual((configure({}).queue.pool, configure({"separate": "yes"}).queue.pool), ("", "eriantys"))
        config = configure({"strict": "yes", "ack_seconds": "0.5", "ping": "0"})
        self.assertEqual((config.strict, config.conversation.keywords), (True, {"ack_seconds": 0.5, "ping": 0.0}))
        self.assertEqual(set(OPTIONS), {"strict", "separate", "ack_seconds", "ping"})
        self.assertIn(WIRE, WIRES)

    def test_what_cannot_be_used_is_named(self) -> None:
        for settings in ({"ping": "often"}, {"ack_seconds": "-1"}, {"strict": "perhaps"}, {"nothing": "1"}):
            error = self.assertRaises(BadOption, configure, settings)
            self.assertIn(next(iter(settings)), str(error))

    def test_a_board_is_encoded_once_for_a_listener(self) -> None:
        here = configure({})
        self.assertIs(here.new_codec()._boards, here.new_codec()._boards)
        self.assertIsNot(here.new_codec()._boards, configure({}).new_codec()._boards)

    def test_the_host_s_settings_of_the_game_are_those_of_its_tables(self) -> None:
        """But for the mode, which is what SetGame says."""
        world = MemoryHost({"eriantys.planning_order": "clockwise", "eriantys.expert": "yes"})
        for name in ("ann", "bob"):
            client = world.connect("eriantys")
            client.say(line("LoginMessage", nickname=name), line("JoinAvailableGame", gameId=1))
            client.say(line("SetGame", numberOfPlayers=2, expertMode=False))
        [opening] = world.journal.openings.values()
        self.assertEqual((opening.settings["planning_order"], opening.settings["expert"]), ("clockwise", "no"))
