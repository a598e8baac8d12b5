"""Matches of the final dialect: with other wires, through drops and restarts, and as they were recorded."""

import json
import random
from pathlib import Path
from typing import Any

from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.onitama.position import Exchange, Move, Position
from gamehost.testing.cases import PropertyCase
from gamehost.wires.onitama_final.conversation import cards_of, squares_of
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import MemoryHost
from tests.kit.wires.onitama_final_table import DEAL, START, STUCK, WIRE, entered, master_of, said, seated

RECORDED = Path(__file__).parents[1] / "vectors" / "onitama_final.jsonl"


class AcrossTests(PropertyCase):
    """The document's wire and this one at one table."""

    def test_the_document_s_player_and_this_one(self) -> None:
        """Each hears the other in its own words, and the deal is one."""
        host = MemoryHost(DEAL)
        ann, bob = entered(host, "ann"), entered(host, "bob", "onitama")
        self.assertEqual(ann.heard(), ["WAITING|ann", START])
        self.assertEqual(bob.heard(), ["START|ann|bob|white=boar,ox;black=crab,eel;spare=tiger"])
        host.wait(1)
        self.assertEqual(ann.ask("MAKE_MOVE|ox|4|2|3|2"), ["MOVE_WAS_MADE|ox|4|2|3|2"])
        self.assertEqual(bob.heard(), ["MOVE_WAS_MADE|ox|c1|c2"])
        bob.say("MAKE_MOVE|crab|a5|a4")
        self.assertEqual(ann.heard(), ["MOVE_WAS_MADE|crab|0|0|1|0"])
        ann.drop()
        self.assertEqual(bob.heard()[1:], ["LOGOUT|ann"])
        board = "bP|--|--|--|--|--|--|--|--|--|--|--|wK|--|--|wP|wP|--|wP|wP"
        self.assertEqual(
            entered(host, "ann").heard(),
            ["RECONNECT|bob|ann|ox|eel|crab|boar|tiger|1|1|--|bP|bK|bP|bP|" + board],
        )
        self.assertTrue(bob.heard()[0].startswith("RECONNECT|ann|white|"))

    def test_a_pass_is_an_exchange_for_the_spare(self) -> None:
        """At a table with a player of this wire, in either seat; two players of the document exchange with the pack."""
        for wires in ((WIRE, "onitama"), ("onitama", WIRE), (WIRE, WIRE)):
            host = MemoryHost(DEAL)
            ann, bob = seated(host, *wires)
            master_of(host).position = STUCK
            ann.say(said(Exchange(STUCK.hands[0][1]), wires[0]))
            told = {WIRE: "PASS_WAS_MADE|horse", "onitama": "STALEMATE_CARD|horse|ox"}
            self.assertEqual((ann.heard(), bob.heard()), ([told[wires[0]]], [told[wires[1]]]))
            self.assertEqual(master_of(host).position.spare, "horse")
        host = MemoryHost(DEAL)
        ann, _ = seated(host, "onitama", "onitama")
        master_of(host).position = STUCK
        self.assertEqual(ann.ask("STALEMATE|horse")[0].split("|")[:2], ["STALEMATE_CARD", "horse"])
        self.assertEqual(master_of(host).position.spare, "ox")

    def test_a_long_name_of_the_document_s_wire(self) -> None:
        """It is told as it is."""
        host = MemoryHost(DEAL)
        entered(host, "x" * 20, "onitama")
        self.assertEqual(entered(host, "bob").heard()[1].split("|")[:3], ["START", "bob", "x" * 20])

    def test_a_seat_of_another_wire_is_kept_there(self) -> None:
        """The refusal says where."""
        host = MemoryHost(DEAL)
        _, bob = seated(host, WIRE, "onitama")
        bob.drop()
        [line] = entered(host, "bob").heard()
        self.assertRegex(line, r"^FAILED\|your seat at Onitama table 1 on the wire onitama is kept for ")

    @given(st.randoms(use_true_random=False), st.sampled_from([(WIRE, "onitama"), ("onitama", WIRE), (WIRE, WIRE)]))
    def test_whole_games_with_drops_and_restarts(self, rng: random.Random, wires: tuple[str, str]) -> None:
        """At any moment each player may be lost and back, and the host may be killed: the game goes on as it stood."""
        host = MemoryHost(rng=rng.randrange)
        clients = list(seated(host, *wires))
        for _ in range(40):
            position: Position = master_of(host).position
            moves: list[Move | Exchange] = sorted(position.moves(), key=str) or [
                Exchange(card) for card in position.hands[position.turn]
            ]
            event = rng.random()
            if event < 0.1:
                host = MemoryHost(rng=rng.randrange, journal=host.journal.restarted())
                clients = [entered(host, name, wire) for name, wire in zip(("ann", "bob"), wires, strict=True)]
                host.wait(1)
            elif event < 0.3:
                seat = rng.randrange(2)
                clients[seat].drop()
                clients[seat] = entered(host, ("ann", "bob")[seat], wires[seat])
                if wires[seat] == WIRE:
                    [line] = clients[seat].heard()
                    flags = [str(int(seat == 0)), str(int(position.turn == 0))]
                    fields = ["bob", "ann", *cards_of(position), *flags, *squares_of(position)]
                    self.assertEqual(line, "|".join(["RECONNECT", *fields]))
                host.wait(1)
            for client in clients:
                client.heard()
            turn = position.turn
            clients[turn].say(said(rng.choice(moves), wires[turn]))
            self.assertIn(clients[turn].heard()[0].split("|")[0], ("MOVE_WAS_MADE", "PASS_WAS_MADE", "STALEMATE_CARD"))
            if not host.lobby.tables:
                return

    def test_an_end_that_was_missed_in_a_crash(self) -> None:
        """Who comes back after it sees the last position, then the end, and can play again."""
        journal = RecordingJournal(late=True)
        host = MemoryHost({**DEAL, "onitama.max_plies": "1"}, journal=journal)
        ann, _ = entered(host, "ann"), entered(host, "bob")
        journal.release()
        host.wait(1)
        ann.say("MAKE_MOVE|ox|4|2|3|2")
        again = MemoryHost(journal=journal.restarted())
        again.journal.late = False
        ann = entered(again, "ann")
        again.wait(1)
        heard = ann.heard()
        self.assertEqual((heard[0].count("|"), heard[1:]), (34, ["GAME_OVER|draw"]))
        self.assertEqual(ann.ask("LOGIN|ann"), ["WAITING|ann"])


class RecordedTests(SynchronousTestCase):
    """The published server and two published clients, as they were recorded."""

    def test_the_recorded_games(self) -> None:
        """
        All that the clients sent is sent to the host, and each client hears what it heard then.

        The texts of refusals are the host's own. The published server makes the first player Black, so here the players of
        each game log in in the other order. That leaves out a log-in that was refused because the name was in use.
        """
        segments = [json.loads(line) for line in RECORDED.read_text("utf-8").splitlines()]
        self.assertEqual([one["text"].split("|")[0] for one in segments[2:4]], ["LOGIN", "FAILED"])
        del segments[2:4]
        middle = next(n for n, one in enumerate(segments) if n > 1 and one["text"].startswith("LOGIN|ann"))
        deals = ("dragon,goose/mantis,monkey/ox", "ox,horse/rooster,eel/mantis")
        for part, deal in zip((segments[:middle], segments[middle:]), deals, strict=True):
            self.replay(part, MemoryHost({"onitama.deal": deal}))

    def replay(self, segments: list[dict[str, Any]], host: MemoryHost) -> None:
        first = next(one for one in segments if one["text"] == "LOGIN|bob\\0")
        numbers = {one["conn"] for one in segments}
        clients = {number: host.connect(WIRE) for number in numbers}
        expected: dict[int, list[str]] = {number: [] for number in numbers}
        heard: dict[int, list[str]] = {number: [] for number in numbers}
        for one in [first, *(one for one in segments if one is not first)]:
            data = bytes.fromhex(one["hex"])
            if one["dir"] == "C":
                clients[one["conn"]].send(data)
            else:
                expected[one["conn"]] += self.without_texts(data.decode().split("\0")[:-1])
                if one["text"].startswith(("START", "RECONNECT")):
                    host.wait(1)
                if one["text"].startswith("DISCONNECT"):
                    clients[2].drop()
            for number, client in clients.items():
                heard[number] += self.without_texts(client.heard())
        self.assertEqual(heard, expected)

    def without_texts(self, messages: list[str]) -> list[str]:
        return [one.split("|")[0] if one.startswith(("FAILED", "INVALID_MOVE")) else one for one in messages]


class PositionTests(PropertyCase):
    """The squares of RECONNECT."""

    def test_start(self) -> None:
        """Black's back row is row 0."""
        position = evolve(STUCK, board="PPKPP...............ppkpp")
        squares = squares_of(position)
        self.assertEqual(squares[:5], ("bP", "bP", "bK", "bP", "bP"))
        self.assertEqual(squares[20:], ("wP", "wP", "wK", "wP", "wP"))
