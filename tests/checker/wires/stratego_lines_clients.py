"""A sound client for Stratego in lines of ASCII, and clients with one fault each."""

from collections.abc import Mapping

from gamehost.wires.stratego_lines.messages import COLUMNS
from tests.kit.checker import (
    MemoryLauncher,
    MessageClient,
    NeverEnds,
    NeverGivesUp,
    OneMessageASegment,
    WholeSegments,
    with_fault,
)

RANKS = "MGKJPLSIRO"
LAKES = ("C5", "D5", "C6", "D6", "G5", "H5", "G6", "H6")
ROWS = ("VBBPSSSBPP", "BKGLLLLSKM", "IIIIIBOJJJ", "RRRRRRRRBP")


class SoundClient(MessageClient):
    wire = "stratego-lines"
    matches = 2

    def __init__(self, name: str, launcher: MemoryLauncher) -> None:
        super().__init__(name, launcher)
        self.own: dict[str, str] = {}
        self.enemy: set[str] = set()
        self.sent = ("", "")
        self.refused: set[tuple[str, str]] = set()
        self.red = True
        self.resuming = False
        self.rows_left = 0

    def say(self, text: str) -> None:
        self.send(text.encode() + b"\n")

    def read(self, message: bytes) -> None:
        self.hear(message.decode())

    def hear(self, line: str) -> None:
        word, *rest = line.split(" ")
        if self.rows_left:
            self.read_row(line)
        elif (hears := getattr(self, "hear_" + word.replace("-", "_"), None)) is not None:
            hears(*rest)
        elif "-" in line:
            self.hear_moved(*line.split("-"))
        elif word in RANKS + "VB":
            self.hear_met(word)

    def hear_auth_req(self) -> None:
        self.say(self.name)
        self.say("correct horse")

    def hear_auth_ok(self) -> None:
        pass

    def hear_new(self) -> None:
        self.resuming = False

    def hear_resume(self) -> None:
        self.resuming = self.in_match = True

    def hear_color(self, color: str) -> None:
        self.red = color == "red"
        if not self.resuming:
            self.set_up()

    def set_up(self) -> None:
        self.in_match = True
        self.own.clear()
        ranks = (1, 2, 3, 4) if self.red else (10, 9, 8, 7)
        for rank, row in zip(ranks, ROWS, strict=True):
            self.own.update((f"{column}{rank}", letter) for column, letter in zip(COLUMNS, row, strict=True))
            self.say(row)
        theirs = (7, 8, 9, 10) if self.red else (1, 2, 3, 4)
        self.enemy = {f"{column}{rank}" for rank in theirs for column in COLUMNS}

    def hear_board(self) -> None:
        self.own.clear()
        self.enemy.clear()
        self.rows_left = 10

    def read_row(self, line: str) -> None:
        for column, letter in zip(COLUMNS, line, strict=True):
            if letter == "#":
                self.enemy.add(f"{column}{self.rows_left}")
            elif letter not in ".~":
                self.own[f"{column}{self.rows_left}"] = letter
        self.rows_left -= 1

    def hear_get_move(self) -> None:
        moves = [move for move in self.moves() if move not in self.refused]
        self.refused.add(self.sent)
        moves = [move for move in moves if move not in self.refused]
        if moves:
            self.sent = self.rng.choice(moves)
            self.say_move(*self.sent)
        else:
            self.say("resign")

    def say_move(self, start: str, end: str) -> None:
        self.say(f"{start}-{end}")

    def moves(self) -> list[tuple[str, str]]:
        found = []
        for start, letter in sorted(self.own.items()):
            if letter in RANKS:
                column, row = COLUMNS.index(start[0]), int(start[1:])
                for x, y in ((column + 1, row), (column - 1, row), (column, row + 1), (column, row - 1)):
                    if 0 <= x < 10 and 1 <= y <= 10:
                        end = f"{COLUMNS[x]}{y}"
                        if end not in LAKES and end not in self.own:
                            found.append((start, end))
        return found

    def hear_none(self) -> None:
        self.answered("")

    def hear_met(self, letter: str) -> None:
        self.answered(letter)

    def answered(self, met: str) -> None:
        start, end = self.sent
        self.sent = ("", "")
        self.refused.clear()
        mine = self.own.pop(start)
        stays, theirs = self.battle(mine, met)
        if stays:
            self.own[end] = mine
        if not theirs:
            self.enemy.discard(end)

    def hear_moved(self, start: str, end: str, attacker: str = "") -> None:
        self.enemy.discard(start)
        if attacker:
            stays, mine = self.battle(attacker, self.own[end])
            if not mine:
                del self.own[end]
            if stays:
                self.enemy.add(end)
        else:
            self.enemy.add(end)

    def battle(self, attacker: str, met: str) -> tuple[bool, bool]:
        """Whether the attacker stays, and whether the other piece does."""
        if not met:
            return True, False
        if met == "B":
            return (True, False) if attacker == "I" else (False, True)
        if met == "V" or attacker + met == "OM":
            return True, False
        if attacker == met:
            return False, False
        return (True, False) if RANKS.index(attacker) < RANKS.index(met) else (False, True)

    def hear_winner(self, color: str) -> None:
        self.over += 1
        self.in_match = False
        self.refused.clear()
        self.sent = ("", "")
        if self.over >= self.matches:
            self.end()


class SmallLetters(SoundClient):
    def say_move(self, start: str, end: str) -> None:
        self.say(f"{start}-{end}".lower())


class CarriageReturn(SoundClient):
    def say(self, text: str) -> None:
        self.send(text.encode() + b"\r\n")


class FrontRowFirst(SoundClient):
    """Sends its set-up in the wrong order: its moves are not those of its pieces."""

    def set_up(self) -> None:
        sent = self.say
        rows: list[str] = []
        self.say = rows.append  # type: ignore[method-assign, assignment]
        super().set_up()
        self.say = sent  # type: ignore[method-assign]
        for row in reversed(rows):
            self.say(row)


class BlueAsRed(SoundClient):
    def hear_color(self, color: str) -> None:
        super().hear_color("red")


class NinePieces(SoundClient):
    def set_up(self) -> None:
        for row in ROWS:
            self.say(row[:9])


class TooManyBombs(SoundClient):
    def set_up(self) -> None:
        for row in ROWS:
            self.say(row.replace("R", "B"))


class IgnoresARefusal(SoundClient):
    """Does not move again when `get-move` comes a second time."""

    def hear_get_move(self) -> None:
        if not self.sent[0]:
            super().hear_get_move()


class DoesNotWait(SoundClient):
    """Moves without `get-move`, when its own move is answered."""

    def answered(self, met: str) -> None:
        super().answered(met)
        self.say_move(*self.moves()[0])


class TellsThePiece(SoundClient):
    def say_move(self, start: str, end: str) -> None:
        self.say(f"{start}-{end}-{self.own[start]}")


class ForgetsItsLosses(SoundClient):
    def battle(self, attacker: str, met: str) -> tuple[bool, bool]:
        return True, True


class NoPassword(SoundClient):
    def hear_auth_req(self) -> None:
        self.say(self.name)


class SpeaksFirst(SoundClient):
    def connected(self) -> None:
        super().connected()
        self.say("hello")


class EndsAtTheFirstWinner(SoundClient):
    """Closes its connection after a game, and does not wait for `new`. The document lets it."""

    matches = 1


class NeedsTheReason(SoundClient):
    """Moves again only after `err`, which is an extension."""

    told = True

    def hear_err(self, *words: str) -> None:
        self.told = True

    def hear_get_move(self) -> None:
        if not self.sent[0] or self.told:
            self.told = False
            super().hear_get_move()


class ForgetsResume(SoundClient):
    def hear_resume(self) -> None:
        pass


class IgnoresScouts(SoundClient):
    def hear_moved(self, start: str, end: str, attacker: str = "") -> None:
        across = abs(COLUMNS.index(start[0]) - COLUMNS.index(end[0])) + abs(int(start[1:]) - int(end[1:]))
        if across == 1:
            super().hear_moved(start, end, attacker)


class GoesToAndFro(SoundClient):
    """Moves one piece to and fro, and does not know that this may be refused."""

    last = ("", "")

    def hear_get_move(self) -> None:
        start, end = self.last
        moves = self.moves()
        self.last = self.sent = (end, start) if (end, start) in moves else self.last if self.last in moves else moves[0]
        self.say_move(*self.sent)


#: Each client with a fault, and a scenario that must find it.
CRIPPLED: Mapping[type[SoundClient], str] = {
    with_fault(OneMessageASegment, SoundClient): "red",
    with_fault(WholeSegments, SoundClient): "bytes",
    SmallLetters: "red",
    CarriageReturn: "red",
    FrontRowFirst: "red",
    BlueAsRed: "blue",
    NinePieces: "red",
    TooManyBombs: "red",
    IgnoresARefusal: "refused-move",
    DoesNotWait: "red",
    TellsThePiece: "red",
    ForgetsItsLosses: "loses",
    NoPassword: "red",
    SpeaksFirst: "red",
    NeedsTheReason: "strict-refused",
    ForgetsResume: "own-drop",
    with_fault(NeverEnds, SoundClient): "wins-at-once",
    with_fault(NeverGivesUp, SoundClient): "host-killed",
    IgnoresScouts: "scouts",
    GoesToAndFro: "two-squares",
}
