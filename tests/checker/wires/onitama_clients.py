"""A sound client for Onitama in pipe-separated lines, and clients with one fault each."""

import random
from collections.abc import Mapping

from gamehost.games.onitama.cards import SQUARES, Card
from gamehost.games.onitama.position import START, Move, Position
from tests.kit.checked_client import MemoryClient, MemoryLauncher, TriesForEver

_SQUARES = {name: number for number, name in enumerate(SQUARES)}
#: The deal of the scenarios that are played without extensions.
DEAL = "white=boar,ox;black=crab,eel;spare=tiger"


class SoundClient(MemoryClient):
    """Plays at random, one match, and ends."""

    wire = "onitama"
    matches = 3

    def __init__(self, name: str, launcher: MemoryLauncher) -> None:
        super().__init__(name, launcher)
        self.rng = random.Random(5)
        self.buffer = b""
        self.position: Position | None = None
        self.me = 0

    def connected(self) -> None:
        self.buffer = b""
        self.log_in()

    def log_in(self) -> None:
        self.say("LOGIN", self.name)

    def say(self, *fields: str) -> None:
        self.send(("|".join(fields) + "\n").encode())

    def received(self, data: bytes) -> None:
        self.buffer += data
        while b"\n" in self.buffer and not self.ended:
            line, self.buffer = self.buffer.split(b"\n", 1)
            self.hear(line.decode().split("|"))

    def hear(self, fields: list[str]) -> None:
        command, *rest = fields
        hears = getattr(self, f"hear_{command.lower()}", None)
        if hears is not None:
            hears(*rest)

    def hear_start(self, white: str, black: str, cards: str = DEAL) -> None:
        self.in_match = True
        self.me = 0 if white == self.name else 1
        self.position = position(cards, START, 0)
        self.move()

    def hear_move_was_made(self, card: str, start: str, end: str) -> None:
        assert self.position is not None
        self.position = self.position.after(Move(Card(card), _SQUARES[start], _SQUARES[end]))
        self.move()

    def hear_stalemate_card(self, old: str, new: str) -> None:
        assert self.position is not None
        self.position = self.position.exchanged(Card(old), Card(new))
        self.move()

    def hear_invalid_move(self, reason: str = "") -> None:
        self.move()

    def hear_reconnect(self, name: str, colour: str, board: str, cards: str, on_turn: str) -> None:
        self.in_match = True
        self.me = 0 if (colour == "white") == (name == self.name) else 1
        turn = self.me if on_turn == self.name else 1 - self.me
        self.position = position(cards, "".join(reversed(board.split("/"))), turn)
        self.move()

    def hear_game_over(self, winner: str) -> None:
        self.over += 1
        self.in_match = False
        self.position = None
        if self.over < self.matches:
            self.log_in()
        else:
            self.end()

    def move(self) -> None:
        if self.position is None or self.position.won or self.position.turn != self.me:
            return
        moves = list(self.position.moves())
        if moves:
            self.say_move(self.rng.choice(moves))
        else:
            self.say("STALEMATE", self.position.hands[self.me][0])

    def say_move(self, move: Move) -> None:
        self.say("MAKE_MOVE", move.card, SQUARES[move.start], SQUARES[move.end])


def position(cards: str, board: str, turn: int) -> Position:
    """The position of the fields of START and RECONNECT."""
    parts = dict(part.split("=") for part in cards.split(";"))
    white, black = (tuple(map(Card, parts[side].split(","))) for side in ("white", "black"))
    return Position(((white[0], white[1]), (black[0], black[1])), Card(parts["spare"]), board, turn)


class OneMessageASegment(SoundClient):
    """Reads the first line of each segment only."""

    def received(self, data: bytes) -> None:
        self.hear(data.split(b"\n")[0].decode("utf-8", "replace").split("|"))


class WholeSegments(SoundClient):
    """Splits each segment into lines, and keeps nothing for the next one."""

    def received(self, data: bytes) -> None:
        for line in data.decode("utf-8", "replace").split("\n"):
            if line:
                self.hear(line.split("|"))


class IgnoresInvalidMove(SoundClient):
    """Does not move again after INVALID_MOVE."""

    def hear_invalid_move(self, reason: str = "") -> None:
        pass


class MovesOutOfTurn(SoundClient):
    """Moves when it is the other's turn, too."""

    def move(self) -> None:
        if self.position is not None and self.position.turn != self.me and not self.position.won:
            self.say_move(Move(self.position.hands[self.me][0], 2, 7))
        super().move()


class CountsFromTheTop(SoundClient):
    """Has row 1 at the top."""

    def say_move(self, move: Move) -> None:
        start, end = (f"{SQUARES[square][0]}{6 - int(SQUARES[square][1])}" for square in (move.start, move.end))
        self.say("MAKE_MOVE", move.card, start, end)


class TrailingSpace(SoundClient):
    """Sends a space at the end of each line."""

    def say(self, *fields: str) -> None:
        self.send(("|".join(fields) + " \n").encode())


class CarriageReturn(SoundClient):
    """Ends its lines as Windows does."""

    def say(self, *fields: str) -> None:
        self.send(("|".join(fields) + "\r\n").encode())


class NeverReads(SoundClient):
    """Logs in and hears nothing."""

    def received(self, data: bytes) -> None:
        pass


class KeepsItsCards(SoundClient):
    """Does not exchange the played card with the spare."""

    def hear_move_was_made(self, card: str, start: str, end: str) -> None:
        assert self.position is not None
        before = self.position
        after = before.after(Move(Card(card), _SQUARES[start], _SQUARES[end]))
        self.position = Position(before.hands, before.spare, after.board, after.turn)
        self.move()


class ForgetsReconnect(SoundClient):
    """Hears RECONNECT, and does nothing."""

    def hear_reconnect(self, name: str, colour: str, board: str, cards: str, on_turn: str) -> None:
        pass


class EndsAtLogout(SoundClient):
    """Takes LOGOUT for the end of the match."""

    def hear_logout(self, name: str) -> None:
        self.end()


class NeedsTheExtension(SoundClient):
    """Cannot play without the cards in START."""

    def hear_start(self, white: str, black: str, cards: str = "") -> None:
        if not cards:
            self.end(1, "IndexError: list index out of range")
            return
        super().hear_start(white, black, cards)


class GuessesItsCards(SoundClient):
    """Takes other cards for its own where START does not tell them."""

    def hear_start(
        self, white: str, black: str, cards: str = "white=rabbit,rooster;black=eel,cobra;spare=frog"
    ) -> None:
        super().hear_start(white, black, cards)

    def hear_invalid_move(self, reason: str = "") -> None:
        self.end(1, "no other move")


class MirrorsRowsOnly(SoundClient):
    """Turns the rows of its steps as Black, and not the columns."""

    def say_move(self, move: Move) -> None:
        if self.me == 1:
            column = 2 * (move.start % 5) - move.end % 5
            if 0 <= column < 5:
                move = Move(move.card, move.start, move.end - move.end % 5 + column)
        super().say_move(move)


class NeverEnds(SoundClient):
    """Does not end after the last match."""

    def hear_game_over(self, winner: str) -> None:
        self.over += 1
        self.in_match = False
        self.position = None

    def lost(self) -> None:
        pass


class NeverGivesUp(TriesForEver, SoundClient):
    """Tries to reach the host for ever."""


class WrongCommand(SoundClient):
    """Writes its command in lower case."""

    def say_move(self, move: Move) -> None:
        self.say("make_move", move.card, SQUARES[move.start], SQUARES[move.end])


class ForgetsTheLineEnd(SoundClient):
    """Forgets the line end of the log-in."""

    def log_in(self) -> None:
        self.send(f"LOGIN|{self.name}".encode())


class CapitalLetters(SoundClient):
    """Writes squares in capital letters."""

    def say_move(self, move: Move) -> None:
        self.say("MAKE_MOVE", move.card, SQUARES[move.start].upper(), SQUARES[move.end].upper())


class HasAlwaysAMove(SoundClient):
    """Does not know that there may be no move."""

    def move(self) -> None:
        position = self.position
        if position is not None and not position.won and position.turn == self.me:
            self.say_move(self.rng.choice(list(position.moves())))


class IgnoresStalemateCard(SoundClient):
    """Does not know that the other may have no move."""

    def hear_stalemate_card(self, old: str, new: str) -> None:
        assert self.position is not None
        if self.position.turn == self.me:
            super().hear_stalemate_card(old, new)


#: Each client with a fault, and a scenario that must find it.
CRIPPLED: Mapping[type[SoundClient], str] = {
    OneMessageASegment: "joined",
    WholeSegments: "bytes",
    IgnoresInvalidMove: "invalid-move",
    MovesOutOfTurn: "second-mover",
    CountsFromTheTop: "first-mover",
    MirrorsRowsOnly: "second-mover",
    TrailingSpace: "first-mover",
    CarriageReturn: "first-mover",
    NeverReads: "first-mover",
    KeepsItsCards: "first-mover",
    ForgetsReconnect: "own-drop-in-turn",
    EndsAtLogout: "drop-in-clients-turn",
    NeverEnds: "wins",
    NeverGivesUp: "host-killed",
    WrongCommand: "first-mover",
    ForgetsTheLineEnd: "first-mover",
    CapitalLetters: "first-mover",
    HasAlwaysAMove: "stalemate",
    IgnoresStalemateCard: "opponents-stalemate",
}
