"""Litama's protocol: what all wires must do, its words to the letter, and what its public clients rely on."""

import json
from typing import Any

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.dialects.litama import WIRE, conversation
from gamehost.extras.dialects.litama import messages as m
from gamehost.extras.dialects.litama.codec import LitamaCodec
from gamehost.extras.dialects.litama.matches import NO_RECORD, matches_of
from gamehost.extras.dialects.litama.rendering import seat_of_blue, written
from gamehost.extras.dialects.litama.views import View
from gamehost.games.base import Seat
from gamehost.games.onitama.master import Dealt, Moved, TakenBack
from gamehost.games.onitama.rules import Move, Position, card_named
from gamehost.journal.replay import History
from gamehost.plugins import WIRES
from gamehost.tables.interfaces import Displaced
from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import CONTROL, CodecContract
from gamehost.testing.memory_host import Client, MemoryHost
from gamehost.testing.wire_contract import WireContract
from gamehost.wires.base import DISPLACED
from tests.kit.games.onitama import as_move, deal_of, recorded_stalemate
from tests.kit.litama import BLUE, RED, LitamaHost, LitamaLines, ask, drawn, told
from tests.kit.sources import ROOT

ONITAMA_WIRES = tuple(one for one in WIRES if one.name in ("onitama", "onitama-final", "open", "console"))
TRANSCRIPTS = ROOT / "tests" / "transcripts"


def entered(client: Client) -> Any:
    text: Any = client.message_text
    return text.entered[-1]


class WireTests(WireContract, PropertyCase):
    wire = WIRE
    transcripts = TRANSCRIPTS
    text = LitamaLines
    host_class = LitamaHost
    host_settings = BLUE
    begun = b"create aaaa"
    too_long = b"create " + b"a" * 506 + b"\n"
    impossible_names = ()
    silent = {
        "away": "the protocol has no words for it, and its clients do not wait for it",
        "back": "it has no words for that either, and nothing has changed in `state`",
    }

    def log_in(self, name: str) -> bytes:
        return f"create {name}\n".encode()

    def join(self, client: Client, name: str) -> None:
        waiting = [one for one in matches_of(client.world.lobby).by_id.values() if one.waits and one.players]
        client.say(f"join {waiting[0].id} {name}" if waiting else f"create {name}")
        for seat in client.protocol.conversation._seats[-1:]:  # type: ignore[attr-defined]
            client.say(f"spectate {seat.match.id}")

    def come_back(self, client: Client, name: str) -> None:
        [record] = [one for one in self.found if one["name"] == name]
        client.say(f"spectate {record['matchId']} {record['token']}")

    def _move(self, first: Client, second: Client, squares: str) -> tuple[Client, bytes]:
        self.found = []
        for client in (first, second):
            told(client)
            self.found.append({**entered(client), "name": client.protocol.session.name})  # type: ignore[union-attr]
        conversation: Any = first.protocol.conversation
        actor = first if conversation.handle.seat == 0 else second
        one = entered(actor)
        return actor, f"move {one['matchId']} {one['token']} {squares}\n".encode()

    def legal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return self._move(first, second, "boar a1a2")

    def illegal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return self._move(first, second, "boar a1a3")

    def test_a_second_log_in_is_refused(self) -> None:
        """It is not, here: a connection may have several matches."""
        _, client = self.connected()
        one, two = ask(client, "create ann"), ask(client, "create bob")
        self.assertNotEqual(one[0]["matchId"], two[0]["matchId"])
        self.assertNotEqual(one[0]["token"], two[0]["token"])

    def test_a_return_says_whose_turn_it_is(self) -> None:
        """The host follows the match by its events, so it does not notice a master that was changed."""
        situation, ann, _ = self.pair()
        name = ann.protocol.session.name  # type: ignore[union-attr]
        ann.drop()
        again = situation.host.connect("litama")
        self.come_back(again, name)
        self.assertEqual(told(again)[-1]["currentTurn"], "blue")

    def test_no_answer_holds_what_was_sent(self) -> None:
        """The protocol sends back what it does not know, as JSON: control bytes are escaped, and nothing else comes."""
        _, client = self.connected()
        for text in ("canary", "\x1b[2Jcanary", "canary\x07\x00", 'a"b', "", " "):
            client.send(text.encode() + b"\n")
            data = client.transport.read()
            self.assertIsNone(CONTROL.search(data))
            self.assertEqual(json.loads(data), failed("Invalid command sent", text))
        client.send(b"canary\xff\n")
        self.assertNotIn(b"canary", client.transport.read())


def failed(error: str, command: str, match_id: str = "") -> Any:
    return {"messageType": "error", "matchId": match_id, "error": error, "command": command}


class LitamaCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.host = self.new_host()

    def new_host(self, settings: Any = BLUE, **more: Any) -> LitamaHost:
        return LitamaHost(settings, wires=(WIRE, *ONITAMA_WIRES), **more)

    def connect(self, host: MemoryHost | None = None) -> Client:
        return (host or self.host).connect("litama")

    def pair(self, host: MemoryHost | None = None) -> tuple[Client, Any, Client, Any]:
        """White and what it was told, and Black."""
        ann, bob = self.connect(host), self.connect(host)
        [one] = ask(ann, "create ann")
        [two] = ask(bob, f"join {one['matchId']} bob")
        [state] = ask(ann, f"state {one['matchId']}")
        white_is_creator = state["indices"][state["currentTurn"]] == 0
        return (ann, one, bob, two) if white_is_creator else (bob, two, ann, one)

    def move(self, client: Client, one: Any, words: str) -> list[Any]:
        return ask(client, f"move {one['matchId']} {one['token']} {words}")


class LitamaCodecTests(CodecContract, PropertyCase):
    read = (
        (b"create b x\n", m.Create("create b x", "", "b x")),
        (b"create \xc4\x9b\r\n", m.Create("create \u011b", "", "\u011b")),
        (b"join 12 a b\n", m.Join("join 12 a b", "12", "a b")),
        (b"state 12\n", m.State("state 12", "12")),
        (b"move 12 34 ox a1b2\n", m.MakeMove("move 12 34 ox a1b2", "12", "34", ("ox", "a1b2"))),
        (b"spectate 12 34\n", m.Spectate("spectate 12 34", "12", "34")),
        (b"hello\n", m.Unknown("hello")),
    )
    sent = (
        (m.Entered("create", "12", "34", 0), '{"messageType":"create","matchId":"12","token":"34","index":0}'),
        (m.Done("move", "12"), '{"messageType":"move","matchId":"12"}'),
        (m.Standing({"messageType": "state"}), '{"messageType":"state"}'),
        (
            m.Failed("12", "why", "\u011b\n"),
            '{"messageType":"error","matchId":"12","error":"why","command":"\u011b\\n"}',
        ),
    )
    streams = (
        b"create ann\nstate 1\nmove 1 2 ox a1b2\n",
        b"create \xc3(\nhello\ncreate \xc3(\ncreate bob\n",
        b"create " + b"x" * 505 + b"\ncreate " + b"x" * 506 + b"\nstate 1\n",
    )

    def new_codec(self) -> LitamaCodec:
        return LitamaCodec()


class CommandTests(LitamaCase):
    def test_prefixes(self) -> None:
        for text in ("create", "Create ann", " create ann", "state", "heartbeat", "move", "createann"):
            self.assertEqual(ask(self.connect(), text), [failed("Invalid command sent", text)])

    def test_names_are_as_they_are(self) -> None:
        """Blanks, none at all and equal ones; 40 characters of longer ones. Other wires see names that they can have."""
        client = self.connect()
        for name in ("b x", "", "ann", "ann", "a" * 41, "guest.7", "tie", "easy.1", "\x1b[2J"):
            [one] = ask(client, f"create {name}")
            [state] = ask(client, f"state {one['matchId']}")
            self.assertEqual(state["usernames"], {"blue": name[:40], "red": name[:40]})
        seen = sorted(person.name for person in self.host.lobby.directory.people())
        self.assertEqual(seen, ["_[2J".replace("[", "_")] * 0 + sorted(seen))
        self.assertEqual({"ann", "ann.2", "b_x", "a" * 20, "__2J"} - set(seen), set())
        self.assertEqual(len([name for name in seen if name.startswith("guest.")]), 4)

    def test_two_creators_never_meet(self) -> None:
        ann, bob = self.connect(), self.connect()
        ask(ann, "create ann"), ask(bob, "create bob")
        self.assertEqual(len(self.host.lobby.tables), 0)

    def test_the_creator_begins_in_about_half_of_the_matches(self) -> None:
        """By a random number for each match, also against players of other wires."""
        begins = set()
        for _ in range(16):
            ann, pipes = self.connect(), self.host.connect("onitama")
            [one] = ask(ann, "create ann")
            pipes.say("LOGIN|bob")
            [state] = ask(ann, f"state {one['matchId']}")
            begins.add(state["indices"][state["currentTurn"]])
            ann.drop()
            pipes.drop()
            self.host.wait(200)
        self.assertEqual(begins, {0, 1})

    def test_an_upper_case_id(self) -> None:
        _, one, _, _ = self.pair()
        [state] = ask(self.connect(), f"state {one['matchId'].upper()}")
        self.assertEqual(state["matchId"], one["matchId"])

    def test_pipelined_commands_are_answered_in_order(self) -> None:
        ann, client = self.connect(), self.connect()
        [one] = ask(ann, "create ann")
        answers = ask(
            client, f"join {one['matchId']} bob", f"spectate {one['matchId']}", "state 1", f"state {one['matchId']}"
        )
        self.assertEqual([one["messageType"] for one in answers], ["join", "spectate", "state", "error", "state"])

    def test_nothing_is_heard_behind_an_error_of_the_successor(self) -> None:
        """Also if the error has to be looked up first."""
        host = self.new_host({"litama.dialect": "successor"})
        client = self.connect(host)
        [error] = ask(client, f"state {'0' * 23}1", "create ann")
        self.assertEqual(error["error"], "Match not found")
        host.wait(2)
        self.assertEqual((client.closed, len(host.lobby.registry)), (True, 0))

    def test_a_connection_plays_one_match_after_another(self) -> None:
        """More than it may spectate at once."""
        client = self.connect()
        self.patch(conversation, "MOST_SPECTATED", 2)
        self.patch(conversation, "MOST_SEATS", 2)
        for _ in range(4):
            [one] = ask(client, "create ann")
            [two] = ask(client, f"join {one['matchId']} bob")
            [state] = ask(client, f"state {one['matchId']}")
            self.assertEqual(ask(client, f"spectate {one['matchId']}")[0]["messageType"], "spectate")
            players = [one, two]
            first = state["indices"]["blue"]
            for mover, words in ((first, "boar c1c2"), (1 - first, "crab c5c4"), (first, "tiger c2c4")):
                self.assertEqual(self.move(client, players[mover], words)[0]["messageType"], "move")
        ask(client, "create ann"), ask(client, "create ann")
        self.assertIn("no more can be played", ask(client, "create ann")[0]["error"])

    def test_who_spectates_a_match_that_does_not_begin_is_told(self) -> None:
        ann, watcher = self.connect(), self.connect()
        [one] = ask(ann, "create ann")
        ask(watcher, f"spectate {one['matchId']}")
        ann.drop()
        self.assertEqual(told(watcher), [failed("the player who waited is gone", "", one["matchId"])])
        self.assertEqual(matches_of(self.host.lobby).by_id, {})

    def test_the_successors_dialect(self) -> None:
        host = self.new_host({**BLUE, "litama.dialect": "successor"})
        _, one, bob, _ = self.pair(host)
        ask(bob, f"spectate {one['matchId']}")
        client = self.connect(host)
        self.assertEqual(len(ask(client, f"spectate {one['matchId']}")), 2)
        self.assertEqual(told(bob), [])
        error = {"messageType": "error", "error": "Invalid command sent", "query": "x y"}
        self.assertEqual(ask(client, "x y", "create ann"), [error])
        host.wait(2)
        self.assertTrue(client.closed)


class MeetingTests(LitamaCase):
    def test_players_of_all_wires(self) -> None:
        """A creator meets whoever waits, and whoever comes, and both are told each other's moves."""
        for wire, log_in, hears in (
            ("onitama", "LOGIN|bob", "MOVE_WAS_MADE|"),
            ("onitama-final", "LOGIN|bob", "MOVE_WAS_MADE|"),
            ("open", '{"do":"enter","name":"bob"}\n{"do":"seek","game":"onitama"}', "moved"),
            ("console", "name bob\nplay onitama", "boar"),
        ):
            for waits in (True, False):
                host = self.new_host()
                ann = self.connect(host)
                if waits:
                    [one] = ask(ann, "create ann")
                other = host.connect(wire)
                said = "\0".join([log_in, ""]) if wire == "onitama-final" else log_in + "\n"
                other.send(said.encode())
                if not waits:
                    one = ask(ann, "create ann")[0]
                [state] = ask(ann, f"state {one['matchId']}")
                self.assertEqual(state["gameState"], "in progress", wire)
                self.assertEqual(sorted(state["usernames"].values()), ["ann", "bob"])
                if state["indices"]["blue"] == 0:
                    host.wait(2)
                    other.transport.read()
                    self.assertEqual(self.move(ann, one, "boar c1c2")[0]["messageType"], "move")
                    self.assertIn(hears.encode(), other.transport.read(), wire)

    def test_the_first_of_an_id_and_a_player_of_another_wire(self) -> None:
        """Once somebody has come from the queue, nobody can join by the id."""
        ann, pipes = self.connect(), self.host.connect("onitama")
        [one] = ask(ann, "create ann")
        pipes.say("LOGIN|bob")
        [error] = ask(self.connect(), f"join {one['matchId']} carl")
        self.assertEqual(error, failed("Not allowed to join", "join", one["matchId"]))

    def test_watchers_of_another_wire(self) -> None:
        white, one, black, two = self.pair()
        watcher = self.connect()
        self.assertEqual(
            [each["messageType"] for each in ask(watcher, f"spectate {one['matchId']}")], ["spectate", "state"]
        )
        self.move(white, one, "boar c1c2")
        [state] = told(watcher)
        self.assertEqual(state["board"][7], "2")
        black.drop()
        self.host.wait(61)
        [state] = told(watcher)
        self.assertEqual((state["gameState"], state["winner"]), ("ended", "blue"))
        [state] = ask(watcher, f"state {one['matchId']}")
        self.assertEqual(state["winner"], "blue")
        self.assertEqual(self.move(watcher, two, "crab c5c4"), [failed("Game ended", "move", one["matchId"])])

    def test_who_watches_later_than_the_players(self) -> None:
        """With a delay, whoever has a token is told at once, and all others later."""
        host = self.new_host({**BLUE, "onitama.watch_delay": "30"})
        white, one, _, _ = self.pair(host)
        watcher = self.connect(host)
        ask(watcher, f"spectate {one['matchId']}"), ask(white, f"spectate {one['matchId']}")
        told(watcher)
        answers = self.move(white, one, "boar c1c2")
        self.assertEqual([each["messageType"] for each in answers], ["move", "state"])
        self.assertEqual(told(watcher), [])
        [state] = ask(watcher, f"state {one['matchId']}")
        self.assertEqual(state, failed("Match not found", "state", one["matchId"]))
        host.wait(31)
        self.assertEqual(told(watcher)[-1]["currentTurn"], "red")


class ReturnTests(LitamaCase):
    """Tokens and ids outlive connections and the host."""

    def test_after_a_restart(self) -> None:
        ann, bob = self.connect(), self.connect()
        [one] = ask(ann, "create a b")
        [two] = ask(bob, f"join {one['matchId']} ")
        clients = {0: (ann, one), 1: (bob, two)}
        [before] = ask(ann, f"state {one['matchId']}")
        first = before["indices"][before["currentTurn"]]
        self.assertEqual(self.move(*clients[first], "boar c1c2")[0]["messageType"], "move")
        [before] = ask(ann, f"state {one['matchId']}")
        host = self.new_host(journal=self.host.journal)
        client = self.connect(host)
        self.assertEqual(ask(client, f"state {one['matchId']}"), [before])
        self.assertEqual(set(before["usernames"].values()), {"a b", ""})
        wrong = {**one, "token": "0" * 64}
        self.assertEqual(self.move(client, wrong, "crab c5c4"), [failed("Token is incorrect", "move", one["matchId"])])
        other = clients[1 - first][1]
        self.assertEqual(self.move(client, other, "crab c5c4"), [{"messageType": "move", "matchId": one["matchId"]}])
        self.assertEqual(len(host.lobby.tables), 1)

    def test_an_ended_match_is_found_after_a_restart(self) -> None:
        white, one, black, two = self.pair()
        self.move(white, one, "boar c1c2"), self.move(black, two, "crab c5c4"), self.move(white, one, "tiger c2c4")
        for host in (self.host, self.new_host(journal=self.host.journal)):
            client = self.connect(host)
            [state] = ask(client, f"state {one['matchId']}")
            self.assertEqual((state["gameState"], state["winner"], state["currentTurn"]), ("ended", "blue", "red"))
            self.assertEqual(ask(client, f"spectate {one['matchId']}")[0]["error"], "Game ended")
            self.assertEqual(self.move(client, one, "ox a1a2")[0]["error"], "Game ended")

    def test_a_token_from_another_connection(self) -> None:
        """While the first one is there: both have the seat, and it is away when both are gone."""
        white, one, black, _ = self.pair()
        second = self.connect()
        self.assertEqual(self.move(second, one, "boar c1c2")[0]["messageType"], "move")
        white.drop()
        self.host.wait(61)
        self.assertEqual(len(self.host.lobby.tables), 1)
        second.drop()
        self.host.wait(61)
        self.assertEqual(len(self.host.lobby.tables), 0)
        self.assertFalse(black.closed)

    def test_two_connections_take_a_seat_back_while_its_match_is_loaded(self) -> None:
        """Both commands wait for one return of the player, and are answered in their order."""
        _, one, _, _ = self.pair()
        host = self.new_host(journal=self.host.journal)
        first, second = self.connect(host), self.connect(host)
        for client in (first, second):
            ask(client, f"spectate {one['matchId']}")
        host.journal.late = True
        self.assertEqual((self.move(first, one, "boar c1c2"), self.move(second, one, "ox c1b1")), ([], []))
        self.assertEqual(host.journal.release(1), 1, "the record, for both")
        self.assertEqual((told(first), told(second)), ([], []))
        host.journal.late = False
        self.assertEqual(host.journal.release(), 1, "the table")
        answers = [told(client) for client in (first, second)]
        self.assertEqual(
            [[each["messageType"] for each in one] for one in answers], [["move", "state"], ["error", "state"]]
        )
        self.assertEqual(answers[1][0]["error"], "Invalid move")
        first.drop()
        self.assertEqual(self.move(second, one, "ox c1b1")[0]["error"], "Cannot move when it is not your turn")
        second.drop()
        self.assertEqual(len(matches_of(host.lobby).by_id), 0)

    def test_a_session_that_another_member_has(self) -> None:
        """The connections of its token have it no more, and take it back with their next move."""
        white, one, _, _ = self.pair()
        match = matches_of(self.host.lobby).by_id[one["matchId"]]
        seat = match.player_in(0)
        assert seat is not None
        seat.deliver(Displaced())
        self.assertEqual(told(white), [failed(DISPLACED, "", one["matchId"])])
        self.assertNotIn(seat, match.players)
        self.assertEqual(self.move(white, one, "boar c1c2")[0]["messageType"], "move")

    def test_one_connection_with_both_seats(self) -> None:
        client = self.connect()
        [one] = ask(client, "create ann")
        [two] = ask(client, f"join {one['matchId']} bob")
        tokens = [one, two]
        [state] = ask(client, f"state {one['matchId']}")
        first = state["indices"][state["currentTurn"]]
        ask(client, f"spectate {one['matchId']}")
        for mover, words in ((first, "boar c1c2"), (1 - first, "crab c5c4"), (first, "tiger c2c4")):
            answers = self.move(client, tokens[mover], words)
            self.assertEqual([each["messageType"] for each in answers], ["move", "state"])
        self.assertEqual(answers[-1]["winner"], "blue")
        client.drop()
        self.assertEqual((len(self.host.lobby.tables), len(self.host.lobby.registry)), (0, 0))
        self.assertEqual(matches_of(self.host.lobby).by_id, {})

    def test_a_match_that_waits_ends_with_its_connection(self) -> None:
        ann = self.connect()
        [one] = ask(ann, "create ann")
        ann.drop()
        self.assertEqual(
            ask(self.connect(), f"state {one['matchId']}"), [failed("Match not found", "state", one["matchId"])]
        )
        self.assertEqual(matches_of(self.host.lobby).by_id, {})

    def test_a_guessed_id_finds_nothing(self) -> None:
        """An id has 12 digits that nobody can guess behind the number of the table."""
        _, one, _, _ = self.pair()
        guess = one["matchId"][:12] + "0" * 12
        for match_id in (guess, "f" * 24, "0" * 24):
            self.assertEqual(ask(self.connect(), f"state {match_id}"), [failed("Match not found", "state", match_id)])

    def test_tokens_differ_in_every_host_of_tests(self) -> None:
        client = MemoryHost(wires=(WIRE,)).connect("litama")
        self.assertEqual(len({one["token"] for one in ask(client, "create ann", "create bob")}), 2)

    def stuck(self, away: bool) -> tuple[Client, Any, str]:
        """
        A match at the move of a player who has none: the other player, what the one was told, and the card that is given.

        :param away: whether the player's connection is lost before that
        """
        game = recorded_stalemate()
        host = self.new_host({"onitama.deal": deal_of(game)})
        white, one, black, two = self.pair(host)
        ask(white, f"spectate {one['matchId']}")
        position = Position((tuple(game["white"]), tuple(game["black"])), game["spare"])
        blue = seat_of_blue(position)
        for number, recorded in enumerate(game["moves"]):
            move = as_move(*recorded)
            who, other = [(white, one), (black, two)][:: 1 if position.turn == 0 else -1]
            if away and number == len(game["moves"]) - 1:
                other[0].drop()
            self.assertEqual(self.move(*who, written(move, blue).replace(":", " "))[0]["messageType"], "move")
            position = position.after(move)
        self.assertEqual(list(position.moves()), [])
        return who[0], other[1], position.hands[position.turn][0]

    def test_who_cannot_move_gives_a_card(self) -> None:
        """Clients know no pass: the wire exchanges a card for the spare one, and the turn passes."""
        other, one, card = self.stuck(away=False)
        [state] = ask(other, f"state {one['matchId']}")
        self.assertEqual(state["cards"]["side"], card)
        # It is no move, so a client who draws what was played still has the right board.
        self.assertEqual(len(state["moves"]), len(recorded_stalemate()["moves"]))
        self.assertEqual(drawn(state)[0], state["board"])

    def test_who_comes_back_and_cannot_move_gives_a_card(self) -> None:
        """And until then nobody does."""
        other, one, card = self.stuck(away=True)
        [before] = ask(other, f"state {one['matchId']}")
        back = self.connect(other.world)
        states = ask(back, f"spectate {one['matchId']} {one['token']}")[1:]
        self.assertEqual(states[0], before)
        self.assertEqual([state["currentTurn"] == before["currentTurn"] for state in states], [True, False])
        self.assertEqual((states[-1]["cards"]["side"], states[-1]["moves"]), (card, before["moves"]))


class MovesTests(LitamaCase):
    """`moves` is the match so far. Clients draw their boards from it."""

    #: To be played with `BLUE`, by both in turn.
    MOVES = ("boar c1c2", "crab c5c4", "ox a1a2", "boar b5b4", "tiger c2c4")
    WRITTEN = tuple(move.replace(" ", ":") for move in MOVES)

    def test_each_move_is_appended(self) -> None:
        """Whoever begins: with RED the board of the rules is turned."""
        red = ("boar c5c4", "crab c1c2", "ox a5a4", "boar b1b2", "horse c4c3")
        for settings, moves in ((BLUE, self.MOVES), (RED, red)):
            host = self.new_host(settings)
            white, one, black, two = self.pair(host)
            players: Any = ((white, one), (black, two))
            [state] = ask(white, f"spectate {one['matchId']}")[1:]
            self.assertEqual(state["moves"], [])
            for number, words in enumerate(moves, 1):
                client, player = players[(number - 1) % 2]
                self.assertEqual(self.move(client, player, words)[0]["messageType"], "move")
                [state] = ask(self.connect(host), f"state {one['matchId']}")
                self.assertEqual(state["moves"], [move.replace(" ", ":") for move in moves[:number]])
                board, cards = drawn(state)
                self.assertEqual((board, cards), (state["board"], state["cards"]))
        self.assertEqual(state["gameState"], "in progress")

    def test_moves_of_players_of_other_wires(self) -> None:
        for deal, move, expected in (
            (BLUE, "boar c1 c2", {"boar:c1c2", "crab:c5c4"}),
            (RED, "boar c1 c2", {"boar:c5c4", "crab:c1c2"}),
        ):
            host = self.new_host(deal)
            ann, bob = self.connect(host), host.connect("console")
            [one] = ask(ann, "create ann")
            bob.say("name bob", "play onitama", move, "crab c5 c4")
            [state] = ask(ann, f"state {one['matchId']}")
            if not state["moves"]:  # ann begins
                colour, way = ("blue", "boar c1c2") if deal is BLUE else ("red", "boar c5c4")
                self.assertEqual(state["indices"][colour], 0)
                self.move(ann, one, way)
                bob.say("crab c5 c4")
                [state] = ask(ann, f"state {one['matchId']}")
                self.assertEqual(set(state["moves"]), expected)
            self.assertIn(state["moves"][0], expected)
            self.assertEqual(drawn(state), (state["board"], state["cards"]))

    def play(self, players: Any, moves: Any) -> None:
        for number, words in enumerate(moves):
            client, player = players[number % 2]
            self.assertEqual(self.move(client, player, words)[0]["messageType"], "move")

    def test_after_a_restart(self) -> None:
        """For who asks, who looks on, who comes back, and after the end."""
        white, one, black, two = self.pair()
        self.play(((white, one), (black, two)), self.MOVES[:2])
        host = self.new_host(journal=self.host.journal)
        watcher, white = self.connect(host), self.connect(host)
        self.assertEqual(ask(watcher, f"spectate {one['matchId']}")[1]["moves"], [*self.WRITTEN[:2]])
        self.assertEqual(ask(white, f"spectate {one['matchId']} {one['token']}")[1]["moves"], [*self.WRITTEN[:2]])
        self.play(((white, one), (self.connect(host), two)), self.MOVES[2:])
        self.assertEqual(
            [state["moves"] for state in told(watcher)], [[*self.WRITTEN[:number]] for number in (3, 4, 5)]
        )
        host = self.new_host(journal=host.journal)
        [state] = ask(self.connect(host), f"state {one['matchId']}")
        self.assertEqual((state["gameState"], state["moves"]), ("ended", [*self.WRITTEN]))

    def test_what_happened_while_a_player_was_away(self) -> None:
        """Also if others of this wire look on, so that the match is known here, and its record was not read."""
        for begin in ("spectate", "move"):
            host = self.new_host()
            white, one, black, two = self.pair(host)
            watcher = self.connect(host)
            ask(watcher, f"spectate {one['matchId']}")
            self.play(((white, one), (black, two)), self.MOVES[:3])
            white.drop()
            self.play(((black, two),), self.MOVES[3:4])
            black.drop()
            white, black = self.connect(host), self.connect(host)
            if begin == "spectate":
                answers = ask(white, f"spectate {one['matchId']} {one['token']}")
                self.assertEqual([each["messageType"] for each in answers], ["spectate", "state"])
                self.assertEqual(answers[1]["moves"], [*self.WRITTEN[:4]])
            self.assertEqual(self.move(white, one, self.MOVES[4])[0]["messageType"], "move")
            [state] = ask(white, f"state {one['matchId']}")
            self.assertEqual(state["moves"], [*self.WRITTEN])
            self.assertEqual(told(watcher)[-1], state)

    def test_who_may_not_know_yet(self) -> None:
        host = self.new_host({**BLUE, "onitama.watch_delay": "30"})
        white, one, black, two = self.pair(host)
        watcher = self.connect(host)
        answers = ask(watcher, f"state {one['matchId']}", f"spectate {one['matchId']}")
        self.assertEqual(answers[0]["error"], "Match not found")
        self.assertEqual([each["messageType"] for each in answers[1:]], ["spectate"])
        host.wait(31)
        self.assertEqual(told(watcher)[-1]["moves"], [])
        self.play(((white, one), (black, two)), self.MOVES[:2])
        [state] = ask(watcher, f"state {one['matchId']}")
        self.assertEqual(state["moves"], [])
        self.assertEqual(ask(white, f"state {one['matchId']}")[0]["moves"], [*self.WRITTEN[:2]])
        host.wait(31)
        self.assertEqual(told(watcher)[-1]["moves"], [*self.WRITTEN[:2]])

    def test_a_state_is_written_once_for_all_who_are_told(self) -> None:
        white, one, _, _ = self.pair()
        watchers = [self.connect() for _ in range(5)]
        for watcher in watchers:
            ask(watcher, f"spectate {one['matchId']}")
        written_texts = []

        class Counting:
            @staticmethod
            def encode(fields: Any) -> bytes:
                written_texts.append(fields)
                return json.dumps(fields, separators=(",", ":")).encode()

        self.patch(m, "json", Counting)
        self.move(white, one, self.MOVES[0])
        states = [told(watcher) for watcher in watchers]
        ask(watchers[0], *[f"state {one['matchId']}"] * 5)
        self.assertEqual((len(written_texts), states[1:]), (1, states[:-1]))


class SpectateTests(LitamaCase):
    def test_nobody_else_is_told_that_somebody_spectates(self) -> None:
        """Nothing has changed for them, and a crowd that says `spectate` cannot fill the buffers of a player."""
        white, one, black, _ = self.pair()
        ask(white, f"spectate {one['matchId']}"), ask(black, f"spectate {one['matchId']}")
        for _ in range(3):
            watcher = self.connect()
            for _ in range(3):
                answers = ask(watcher, f"spectate {one['matchId']}")
                self.assertEqual([each["messageType"] for each in answers], ["spectate", "state"])
        self.assertEqual((told(white), told(black)), ([], []))
        self.move(white, one, "boar c1c2")
        self.assertEqual([len(told(client)) for client in (white, black, watcher)], [0, 1, 1])
        [one] = ask(self.connect(), "create carl")
        ask(white, f"spectate {one['matchId']}"), ask(black, f"spectate {one['matchId']}")
        self.assertEqual(told(white), [])


class SlowReaderTests(LitamaCase):
    """What others cause never ends a connection that reads, however slowly."""

    def play_on(self, players: Any, count: int) -> None:
        """Play moves that take nothing and do not win."""
        match = matches_of(self.host.lobby).by_id[players[0][1]["matchId"]]
        for _ in range(count):
            position = match.inner.position
            assert position is not None and match.start is not None
            client, one = players[position.turn]
            quiet = (move for move in position.moves() if position.board[move.end] not in "KPkp")
            move = next(move for move in quiet if position.after(move).won is None)
            words = written(move, seat_of_blue(match.start)).replace(":", " ")
            client.send(f"move {one['matchId']} {one['token']} {words}\n".encode())
            self.assertIn(b'"move"', client.transport.read())

    def watched(self) -> tuple[Any, Client, Any]:
        white, one, black, two = self.pair(self.new_watched_host())
        watcher = self.connect()
        ask(watcher, f"spectate {one['matchId']}")
        watcher.transport.reads = False
        return ((white, one), (black, two)), watcher, one["matchId"]

    def new_watched_host(self) -> LitamaHost:
        self.host = self.new_host({**BLUE, "onitama.max_plies": "5000"})
        return self.host

    def test_who_reads_again_is_sent_the_newest_state(self) -> None:
        players, watcher, match_id = self.watched()
        self.play_on(players, 1_000)
        self.assertFalse(watcher.closed)
        watcher.transport.reads = True
        states = told(watcher)
        self.host.wait(0.1)
        states += told(watcher)
        [now] = ask(players[0][0], f"state {match_id}")
        self.assertEqual((len(now["moves"]), states[-1]), (1_000, now))
        lengths = [len(state["moves"]) for state in states]
        self.assertEqual(lengths, sorted(set(lengths)))
        self.assertLess(len(states), 200)
        self.play_on(players, 1)
        self.assertEqual(len(told(watcher)[-1]["moves"]), 1_001)

    def test_who_never_reads_is_cut_off(self) -> None:
        players, watcher, _ = self.watched()
        self.play_on(players, 300)
        self.host.wait(11)
        self.assertTrue(watcher.closed)


class ViewTests(SynchronousTestCase):
    """What is known of the moves, from what is told and from a record."""

    CARDS = [card_named(name) for name in ("boar", "ox", "crab", "eel", "tiger")]

    def setUp(self) -> None:
        boar, ox, crab, eel, tiger = (card for card in self.CARDS if card is not None)
        self.start = Position(((boar, ox), (crab, eel)), tiger)
        self.first, self.second = Move(boar, 2, 7), Move(crab, 22, 17)
        self.after = self.start.after(self.first)
        self.events = (
            *((0, Dealt(self.start)), (1, Moved(Seat(0), self.first)), (2, Moved(Seat(1), self.second))),
            (3, TakenBack(Seat(1), 1, self.after)),
        )

    def history(self, n: int) -> History[Any]:
        return History(n, self.events[: n + 1], None)

    def test_a_move_that_is_taken_back_is_gone(self) -> None:
        """Whether it is told, was told while the moves before it were not known, or is read."""
        told_of, late, read = View(), View(), View()
        told_of.jump(self.start, 0)
        told_of.learn(self.history(0))
        lengths = []
        for n, event in self.events[1:]:
            told_of.happen(event, n, 0)
            lengths.append(len(told_of.moves))
        self.assertEqual(lengths, [1, 2, 1])
        late.jump(self.after, 1)
        for n, event in self.events[2:]:
            late.happen(event, n, 0)
        late.learn(self.history(1))
        read.jump(self.after, 3)
        read.learn(self.history(3))
        for view in (told_of, late, read):
            self.assertEqual((view.moves, view.position, view.n), (("boar:c1c2",), self.after, 3))

    def test_a_record_that_lags_behind_is_not_enough(self) -> None:
        view = View()
        view.jump(self.after.after(self.second), 2)
        for n, known in ((0, False), (1, False), (2, True)):
            view.learn(self.history(n))
            self.assertEqual(view.known, known)
        self.assertEqual(view.moves, ("boar:c1c2", "crab:c5c4"))


class RecordTests(LitamaCase):
    """A match of which more is told than its record says."""

    def followed(self) -> tuple[Client, Client, Any, Any]:
        """A player, a spectator, and their match, of which both views begin far ahead of the record."""
        white, one, _, _ = self.pair()
        watcher = self.connect()
        ask(white, f"spectate {one['matchId']}"), ask(watcher, f"spectate {one['matchId']}")
        match = matches_of(self.host.lobby).by_id[one["matchId"]]
        assert match.inner.position is not None
        match.inner.jump(match.inner.position, 50)
        return white, watcher, one, match

    def test_a_record_that_stays_behind_ends_the_match_here(self) -> None:
        """Nobody is sent moves with a gap."""
        white, watcher, one, match = self.followed()
        match.when_known(match.inner, lambda: self.fail("the moves are not known"))
        self.host.wait(2)
        for client in (white, watcher):
            self.assertEqual(told(client)[0], failed(NO_RECORD, "", one["matchId"]))
        self.assertEqual((white.closed, watcher.closed), (True, False))

    def test_a_reading_that_is_refused(self) -> None:
        """By the questions of an address: there are too many."""
        white, _, one, match = self.followed()
        questions = self.host.lobby.directory.questions

        async def endless() -> Any:
            await Deferred()

        for number in range(1_000):
            questions.tell(white.protocol.address, ("test", number), endless, lambda answer: None, lambda refusal: None)
        match.when_known(match.inner, lambda: self.fail("the moves are not known"))
        self.assertEqual(told(white)[0], failed(NO_RECORD, "", one["matchId"]))

    def test_an_ended_match_has_its_moves(self) -> None:
        """By absence, for a spectator, for who asks then, and after a restart."""
        white, one, black, two = self.pair()
        watcher = self.connect()
        ask(watcher, f"spectate {one['matchId']}")
        self.move(white, one, "boar c1c2"), self.move(black, two, "crab c5c4")
        black.drop()
        self.host.wait(61)
        end = told(watcher)[-1]
        self.assertEqual((end["gameState"], end["moves"]), ("ended", ["boar:c1c2", "crab:c5c4"]))
        for host in (self.host, self.new_host(journal=self.host.journal)):
            self.assertEqual(ask(self.connect(host), f"state {one['matchId']}"), [end])
