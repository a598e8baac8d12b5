"""Litama's wire with a client that draws its board from the moves alone, as those of the community do."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.onitama.rules import SQUARE_NAMED, SQUARES, Card, Move, Position
from tests.kit.litama import BLUE, RED, drawn
from tests.kit.model_clients.litama import colours_of, stands
from tests.kit.process import HostProcess, Socket


def chosen(position: Position, plies: int, rng: random.Random) -> Move:
    """A move that does not win before the host was killed."""
    moves = list(position.moves())
    winning = [move for move in moves if position.after(move).won is not None]
    if plies > 12 and winning:
        return winning[0]
    return rng.choice([move for move in moves if move not in winning] or moves)


class Drawing:
    """A client of Litama. Of the states it uses `startingCards`, `moves` and `indices`, and whether the match is over."""

    def __init__(self, host: HostProcess, name: str) -> None:
        self._socket = host.connect("litama")
        self.created = self.ask(f"create {name}")
        self.spectate("")

    def hear(self) -> Any:
        return json.loads(self._socket.hear())

    def ask(self, text: str) -> Any:
        self._socket.say(text)
        return self.hear()

    def spectate(self, token: str) -> None:
        assert self.ask(f"spectate {self.created['matchId']}{token}")["messageType"] == "spectate"
        self.state = self.hear()

    def come_back(self, host: HostProcess) -> None:
        self._socket.close()
        self._socket = host.connect("litama")
        self.spectate(f" {self.created['token']}")

    def hear_state(self) -> None:
        """Of a match in which one more move was made. The clients throw away a state with fewer moves."""
        known = self.state.get("moves", [])
        self.state = self.hear()
        assert self.state["messageType"] == "state", self.state
        assert self.state["moves"][: len(known)] == known, (known, self.state)

    @property
    def position(self) -> Position:
        board, cards = drawn(self.state)
        turn = self.colours[len(self.state["moves"]) % 2]
        return stands({**self.state, "board": board, "cards": cards, "currentTurn": turn})

    @property
    def colours(self) -> Sequence[str]:
        return colours_of(self.state)

    @property
    def seat(self) -> int:
        return 0 if self.state["indices"][self.colours[0]] == 0 else 1

    def move(self, move: Move) -> None:
        squares = SQUARES if self.colours[0] == "blue" else SQUARES[::-1]
        words = f"{move.card} {squares[move.start]}{squares[move.end]}"
        assert self.ask(f"move {self.created['matchId']} {self.created['token']} {words}")["messageType"] == "move"
        self.hear_state()

    def close(self) -> None:
        self._socket.close()


class LitamaTests(SynchronousTestCase):
    def test_whole_games_through_kills_against_a_player_of_another_wire(self) -> None:
        """Blue begins in one match, red in the other. The board that is drawn is always that of the other player."""
        for number, deal in enumerate((BLUE, RED)):
            folder = Path(self.mktemp()).absolute()
            folder.mkdir(parents=True)
            options = ("--set", f"onitama.deal={deal['onitama.deal']}", "--set", "onitama.max_plies=80")
            self.play(options, folder, random.Random(number))

    def play(self, options: Sequence[str], folder: Path, rng: random.Random) -> None:
        def new_host() -> HostProcess:
            return HostProcess(*options, wires=["litama", "onitama"], folder=folder, store="store.sqlite")

        host = new_host().__enter__()
        try:
            ann, bob = Drawing(host, "ann"), host.connect("onitama")
            bob.say("LOGIN|bob")
            self.until(bob, "START|")
            ann.hear_state()
            position = ann.position
            while ann.state["gameState"] == "in progress":
                plies = len(ann.state["moves"])
                if plies in (5, 10):
                    host.kill()
                    host.__exit__(None, None, None)
                    host = new_host().__enter__()
                    ann.come_back(host)
                    bob.close()
                    bob = host.connect("onitama")
                    bob.say("LOGIN|bob")
                    self.until(bob, "RECONNECT|bob|")
                self.assertEqual((plies, len(ann.state["moves"])), (plies, plies))
                self.assertEqual(ann.position, position)
                move = chosen(position, plies, rng)
                if position.turn == ann.seat:
                    ann.move(move)
                    _, card, start, end = self.until(bob, "MOVE_WAS_MADE|").split("|")
                    # As the other wire has it: nothing of what the first client has drawn.
                    move = Move(Card(card), SQUARE_NAMED[start], SQUARE_NAMED[end])
                else:
                    bob.say(f"MAKE_MOVE|{move.card}|{SQUARES[move.start]}|{SQUARES[move.end]}")
                    self.until(bob, "MOVE_WAS_MADE|")
                    ann.hear_state()
                position = position.after(move)
            self.assertEqual((ann.position, len(ann.state["moves"]) > 10), (position, True))
            winner = ann.state["winner"]
            name = "draw" if winner == "none" else ann.state["usernames"][winner]
            self.assertEqual(self.until(bob, "GAME_OVER|"), f"GAME_OVER|{name}")
            ann.close()
            bob.close()
        finally:
            host.__exit__(None, None, None)

    def until(self, player: Socket, words: str) -> str:
        while line := player.hear():
            if line.startswith(words):
                return line
        self.fail(f"expected {words}")
