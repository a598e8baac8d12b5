"""A sound client for Stratego in binary frames, and clients with one fault each."""

import struct
from collections.abc import Mapping

from tests.kit.checker import MemoryClient, MemoryLauncher, NeverEnds, NeverGivesUp, with_fault

BOX = "F12334445555666677778888899999999SBBBBBB"
MOVERS = "123456789S"
EMPTY = "." * 100


class SoundClient(MemoryClient):
    wire = "stratego-frames"
    matches = 2

    def __init__(self, name: str, launcher: MemoryLauncher) -> None:
        super().__init__(name, launcher)
        self.buffer = b""
        self.board = EMPTY
        self.low = 60
        self.waited = self.interrupted = self.setting_up = self.my_turn = False

    def connected(self) -> None:
        self.buffer = b""
        self.interrupted, self.setting_up, self.waited = self.in_match, False, False
        if not self.in_match:
            self.low = 60
        self.sign_on()

    def sign_on(self) -> None:
        self.frame(1, self.string(self.name))

    def frame(self, kind: int, payload: bytes) -> None:
        self.send(struct.pack(">BBHH", 0x2A, kind, 0, len(payload)) + payload)

    @staticmethod
    def string(text: str) -> bytes:
        return struct.pack(">H", len(text.encode())) + text.encode()

    def received(self, data: bytes) -> None:
        self.buffer += data
        while len(self.buffer) >= 6 and not self.ended:
            size = 6 + struct.unpack(">H", self.buffer[4:6])[0]
            if len(self.buffer) < size:
                break
            frame, self.buffer = self.buffer[:size], self.buffer[size:]
            self.hear(frame[1], frame[6:])

    def hear(self, kind: int, payload: bytes) -> None:
        hears = getattr(self, f"hear_{kind}", None)
        if hears is not None:
            hears(payload)

    def hear_1(self, payload: bytes) -> None:
        if not self.setting_up:
            self.low = 0

    def hear_2(self, payload: bytes) -> None:
        if not self.setting_up:
            self.setting_up = True
            if not self.interrupted:
                self.in_match = True
                self.place()

    def place(self) -> None:
        home = range(self.low, self.low + 40)
        missing = list(BOX)
        for square in home:
            if self.board[square] in missing:
                missing.remove(self.board[square])
        # The flag and the bombs stand behind, so that pieces can move.
        for square in home if self.low == 0 else reversed(home):
            if self.board[square] == ".":
                piece = "F" if "F" in missing else "B" if "B" in missing else self.rng.choice(missing)
                missing.remove(piece)
                self.place_one(piece, square % 10, square // 10)
                self.board = self.board[:square] + piece + self.board[square + 1 :]
        self.ready()

    def place_one(self, piece: str, x: int, y: int) -> None:
        self.frame(2, struct.pack(">Hii", ord(piece), x, y))

    def ready(self) -> None:
        self.frame(3, self.string("ready"))

    def hear_5(self, payload: bytes) -> None:
        self.setting_up = self.interrupted = False
        self.my_turn = payload[2:].decode() == self.name

    def hear_6(self, payload: bytes) -> None:
        self.my_turn = not self.my_turn

    def hear_9(self, payload: bytes) -> None:
        self.my_turn = not self.my_turn
        if payload.endswith(b"F"):
            self.my_turn = False

    def hear_7(self, payload: bytes) -> None:
        self.board = payload.decode("utf-16-be")
        if self.setting_up and self.interrupted:
            self.interrupted = False
            if any(piece in BOX for piece in self.board[:40]):
                self.low = 0
            self.place()
        elif self.my_turn:
            self.move()

    def hear_8(self, payload: bytes) -> None:
        if self.my_turn:
            self.move()

    def hear_10(self, payload: bytes) -> None:
        self.over += 1
        self.board, self.low = EMPTY, 60
        self.my_turn = self.setting_up = self.in_match = False
        if self.over < self.matches:
            self.sign_on()
        else:
            self.end()

    def moves(self) -> list[tuple[int, int, int, int]]:
        found = []
        for square in range(100):
            if self.board[square] in MOVERS:
                x, y = square % 10, square // 10
                for to_x, to_y in ((x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)):
                    if 0 <= to_x < 10 and 0 <= to_y < 10 and self.board[to_y * 10 + to_x] in ".#":
                        found.append((x, y, to_x, to_y))
        return found

    def move(self) -> None:
        moves = self.moves()
        if moves:
            self.say_move(*self.rng.choice(moves))

    def say_move(self, x: int, y: int, to_x: int, to_y: int) -> None:
        self.frame(4, struct.pack(">iiii", x, y, to_x, to_y))


class OneFrameASegment(SoundClient):
    def received(self, data: bytes) -> None:
        size = 6 + struct.unpack(">H", data[4:6])[0]
        self.hear(data[1], data[6:size])


class WholeSegments(SoundClient):
    def received(self, data: bytes) -> None:
        while data:
            size = 6 + struct.unpack(">H", data[4:6])[0]
            self.hear(data[1], data[6:size])
            data = data[size:]


class LittleEndian(SoundClient):
    """Writes its ints the wrong way round."""

    def say_move(self, x: int, y: int, to_x: int, to_y: int) -> None:
        self.frame(4, struct.pack("<iiii", x, y, to_x, to_y))


class RowsAsColumns(SoundClient):
    def place_one(self, piece: str, x: int, y: int) -> None:
        super().place_one(piece, y, x)


class OneByteChars(SoundClient):
    def place_one(self, piece: str, x: int, y: int) -> None:
        self.frame(2, struct.pack(">Bii", ord(piece), x, y))


class NoMark(SoundClient):
    def frame(self, kind: int, payload: bytes) -> None:
        self.send(struct.pack(">BBHH", 0x2B, kind, 0, len(payload)) + payload)


class BareName(SoundClient):
    def sign_on(self) -> None:
        self.frame(1, self.name.encode())


class NotReady(SoundClient):
    def ready(self) -> None:
        pass


class ReadyTooEarly(SoundClient):
    def place(self) -> None:
        self.ready()
        super().place()


class AlwaysBelow(SoundClient):
    """Takes the rows 0 to 3, always."""

    def place(self) -> None:
        self.low = 0
        super().place()


class OnePieceTooMany(SoundClient):
    def place_one(self, piece: str, x: int, y: int) -> None:
        super().place_one("F" if piece == "S" else piece, x, y)


class MovesOutOfTurn(SoundClient):
    def hear_7(self, payload: bytes) -> None:
        self.board = payload.decode("utf-16-be")
        self.move()


class MovesIntoLakes(SoundClient):
    def moves(self) -> list[tuple[int, int, int, int]]:
        board, self.board = self.board, self.board.replace("~", ".")
        found = super().moves()
        self.board = board
        into = [one for one in found if board[one[3] * 10 + one[2]] == "~"]
        return into or found


class IgnoresMoveInvalid(SoundClient):
    def hear_8(self, payload: bytes) -> None:
        pass


class NeedsTheSide(SoundClient):
    """Waits for Side, which is an extension."""

    def hear_2(self, payload: bytes) -> None:
        pass

    def hear_16(self, payload: bytes) -> None:
        self.low = 0 if payload == b"\x001" else 60
        super().hear_2(payload)


class PlacesAnew(SoundClient):
    def hear_2(self, payload: bytes) -> None:
        self.board, self.interrupted = EMPTY, False
        super().hear_2(payload)


class KnowsNoScouts(SoundClient):
    def hear_6(self, payload: bytes) -> None:
        x, y, to_x, to_y = struct.unpack(">iiii", payload)
        assert abs(x - to_x) + abs(y - to_y) == 1
        super().hear_6(payload)


class GoesToAndFro(SoundClient):
    """Moves one piece to and fro, and does not know that this may be refused."""

    last = (0, 0, 0, 0)

    def move(self) -> None:
        x, y, to_x, to_y = self.last
        moves, back = self.moves(), (to_x, to_y, x, y)
        self.last = back if back in moves else self.last if self.last in moves else moves[0]
        self.say_move(*self.last)


#: Each client with a fault, and a scenario that must find it.
CRIPPLED: Mapping[type[SoundClient], str] = {
    OneFrameASegment: "joined",
    WholeSegments: "random-cuts",
    LittleEndian: "first-player",
    RowsAsColumns: "second-player",
    OneByteChars: "first-player",
    NoMark: "first-player",
    BareName: "first-player",
    NotReady: "first-player",
    ReadyTooEarly: "first-player",
    AlwaysBelow: "second-player",
    OnePieceTooMany: "first-player",
    MovesOutOfTurn: "first-player",
    MovesIntoLakes: "whole-game",
    IgnoresMoveInvalid: "refused-move",
    NeedsTheSide: "strict",
    PlacesAnew: "own-drop-in-set-up",
    with_fault(NeverEnds, SoundClient): "wins-at-once",
    with_fault(NeverGivesUp, SoundClient): "host-killed",
    KnowsNoScouts: "scouts",
    GoesToAndFro: "two-squares",
}
