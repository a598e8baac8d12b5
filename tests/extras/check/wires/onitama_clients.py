"""A sound client for Onitama in pipe-separated lines, and clients with one fault each."""

from collections.abc import Mapping

from gamehost.games.onitama.rules import SQUARE_NAMED, SQUARES, Card, Move, Position
from gamehost.games.onitama.rules import START as FIRST_BOARD
from tests.kit.checker import (
    MemoryLauncher,
    MessageClient,
    NeverEnds,
    NeverGivesUp,
    NeverReads,
    OneMessageASegment,
    WholeSegments,
    with_fault,
)
from tests.kit.model_clients.onitama import PIECES, START, place, position_in, position_of, square

#: The deal of the scenarios that are played without extensions.
DEAL = "white=boar,ox;black=crab,eel;spare=tiger"


class SoundClient(MessageClient):
    wire = "onitama"
    no_move = "STALEMATE"
    matches = 3

    def __init__(self, name: str, launcher: MemoryLauncher) -> None:
        super().__init__(name, launcher)
        self.position: Position | None = None
        self.me = 0

    def connected(self) -> None:
        super().connected()
        self.log_in()

    def log_in(self) -> None:
        self.say("LOGIN", self.name)

    def say(self, *fields: str) -> None:
        self.send("|".join(fields).encode() + self.mark)

    def read(self, message: bytes) -> None:
        self.hear(message.decode().split("|"))

    def hear(self, fields: list[str]) -> None:
        command, *rest = fields
        hears = getattr(self, f"hear_{command.lower()}", None)
        if hears is not None:
            hears(*rest)

    def hear_start(self, white: str, black: str, cards: str = DEAL) -> None:
        self.in_match = True
        self.me = 0 if white == self.name else 1
        self.position = position_of(START, cards, 0)
        self.move()

    def hear_move_was_made(self, card: str, start: str, end: str) -> None:
        self.made(Move(Card(card), SQUARE_NAMED[start], SQUARE_NAMED[end]))

    def made(self, move: Move) -> None:
        assert self.position is not None
        self.position = self.position.after(move)
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
        self.position = position_of(board, cards, turn)
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
            self.say(self.no_move, self.position.hands[self.me][0])

    def say_move(self, move: Move) -> None:
        self.say("MAKE_MOVE", move.card, SQUARES[move.start], SQUARES[move.end])


class IgnoresInvalidMove(SoundClient):
    def hear_invalid_move(self, reason: str = "") -> None:
        pass


class MovesOutOfTurn(SoundClient):
    def move(self) -> None:
        if self.position is not None and self.position.turn != self.me and not self.position.won:
            self.say_move(Move(self.position.hands[self.me][0], 2, 7))
        super().move()


class CountsFromTheTop(SoundClient):
    def say_move(self, move: Move) -> None:
        start, end = (f"{SQUARES[square][0]}{6 - int(SQUARES[square][1])}" for square in (move.start, move.end))
        self.say("MAKE_MOVE", move.card, start, end)


class TrailingSpace(SoundClient):
    def say(self, *fields: str) -> None:
        super().say(*fields[:-1], f"{fields[-1]} ")


class CarriageReturn(SoundClient):
    def say(self, *fields: str) -> None:
        super().say(*fields[:-1], f"{fields[-1]}\r")


class KeepsItsCards(SoundClient):
    def made(self, move: Move) -> None:
        assert self.position is not None
        before, after = self.position, self.position.after(move)
        self.position = Position(before.hands, before.spare, after.board, after.turn)
        self.move()


class ForgetsReconnect(SoundClient):
    def hear_reconnect(self, *fields: str) -> None:
        pass


class EndsAtLogout(SoundClient):
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


class WrongCommand(SoundClient):
    def say_move(self, move: Move) -> None:
        self.say("make_move", move.card, SQUARES[move.start], SQUARES[move.end])


class ForgetsTheLineEnd(SoundClient):
    def log_in(self) -> None:
        self.send(f"LOGIN|{self.name}".encode())


class CapitalLetters(SoundClient):
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
    with_fault(OneMessageASegment, SoundClient): "joined",
    with_fault(WholeSegments, SoundClient): "bytes",
    IgnoresInvalidMove: "invalid-move",
    MovesOutOfTurn: "second-mover",
    CountsFromTheTop: "first-mover",
    MirrorsRowsOnly: "second-mover",
    TrailingSpace: "first-mover",
    CarriageReturn: "first-mover",
    with_fault(NeverReads, SoundClient): "first-mover",
    KeepsItsCards: "first-mover",
    ForgetsReconnect: "own-drop-in-turn",
    EndsAtLogout: "drop-in-clients-turn",
    with_fault(NeverEnds, SoundClient): "wins",
    with_fault(NeverGivesUp, SoundClient): "host-killed",
    WrongCommand: "first-mover",
    ForgetsTheLineEnd: "first-mover",
    CapitalLetters: "first-mover",
    HasAlwaysAMove: "stalemate",
    IgnoresStalemateCard: "opponents-stalemate",
}


class FinalSoundClient(SoundClient):
    """The same in the final dialect: a zero byte at the end, rows from the top, and the cards in START."""

    wire = "onitama-final"
    no_move = "MAKE_PASS"
    mark = b"\0"
    pings = False

    def connected(self) -> None:
        super().connected()
        if not self.pings:
            self.pings = True
            self.ping()

    def ping(self) -> None:
        self.say("PING", "PING")
        self.later(10.0, self.ping)

    def hear_start(self, black: str, white: str, *cards: str) -> None:  # type: ignore[override]
        self.in_match = True
        self.me = 0 if white == self.name else 1
        self.position = position_in(cards, FIRST_BOARD, 0)
        self.move()

    def hear_move_was_made(self, card: str, *squares: str) -> None:
        self.made(Move(Card(card), square(*squares[:2]), square(*squares[2:])))

    def hear_pass_was_made(self, card: str) -> None:
        assert self.position is not None
        self.position = self.position.exchanged(Card(card), self.position.spare)
        self.move()

    def hear_reconnect(self, name: str, *fields: str) -> None:
        if not fields:
            return
        self.in_match = True
        _, *rest = fields
        cards, (mine, white_moves), board = rest[:5], rest[5:7], rest[7:]
        self.me = 0 if mine == "1" else 1
        rows = ["".join(PIECES[one] for one in board[at : at + 5]) for at in range(0, 25, 5)]
        self.position = position_in(cards, "".join(reversed(rows)), 0 if white_moves == "1" else 1)
        self.move()

    def say_move(self, move: Move) -> None:
        self.say("MAKE_MOVE", move.card, place(move.start), place(move.end))


class FinalCountsFromTheBottom(FinalSoundClient):
    def say_move(self, move: Move) -> None:
        upside_down = (20 - at // 5 * 5 + at % 5 for at in (move.start, move.end))
        self.say("MAKE_MOVE", move.card, *map(place, upside_down))


class FinalColumnsFirst(FinalSoundClient):
    def say_move(self, move: Move) -> None:
        self.say("MAKE_MOVE", move.card, *("|".join(reversed(place(at).split("|"))) for at in (move.start, move.end)))


class FinalLineEnds(FinalSoundClient):
    def say(self, *fields: str) -> None:
        super().say(*fields[:-1], f"{fields[-1]}\n")


class FinalEndsAtDisconnect(FinalSoundClient):
    def hear_disconnect(self, name: str) -> None:
        self.end()


class FinalForgetsTheZeroByte(ForgetsTheLineEnd, FinalSoundClient):
    def ping(self) -> None:
        """Its pings would end the message."""


class FinalIgnoresPasses(FinalSoundClient):
    def hear_pass_was_made(self, card: str) -> None:
        pass


#: Each client with a fault, and a scenario that must find it.
FINAL_CRIPPLED: Mapping[type[FinalSoundClient], str] = {
    with_fault(OneMessageASegment, FinalSoundClient): "joined",
    with_fault(WholeSegments, FinalSoundClient): "bytes",
    with_fault(IgnoresInvalidMove, FinalSoundClient): "invalid-move",
    with_fault(MovesOutOfTurn, FinalSoundClient): "second-mover",
    FinalCountsFromTheBottom: "first-mover",
    FinalColumnsFirst: "first-mover",
    with_fault(MirrorsRowsOnly, FinalSoundClient): "second-mover",
    FinalLineEnds: "first-mover",
    with_fault(NeverReads, FinalSoundClient): "first-mover",
    with_fault(KeepsItsCards, FinalSoundClient): "first-mover",
    with_fault(ForgetsReconnect, FinalSoundClient): "own-drop-in-turn",
    FinalEndsAtDisconnect: "opponent-gone",
    with_fault(NeverEnds, FinalSoundClient): "wins",
    FinalForgetsTheZeroByte: "first-mover",
    with_fault(HasAlwaysAMove, FinalSoundClient): "stalemate",
    FinalIgnoresPasses: "opponents-stalemate",
}
