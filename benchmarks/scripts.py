"""
The messages of two players on each wire, as bytes that are made before, and how much each player receives in answer.

The moves of a script either return to the first position, so that one match is enough for a run, or the match ends and the same
players begin again. For a new wire, add one `Script` to `_SCRIPTS`.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from struct import pack

from attrs import field, frozen

GAMES = Path(__file__).parents[1] / "tests" / "vectors"

#: The columns of Stratego's board without a lake, from 0.
OPEN_COLUMNS = (0, 1, 4, 5, 8, 9)

#: Stands for a player's name: six characters.
ME = b"{name}"
#: Stands for the number of a match that one player has opened, in what the other one says.
GAME = b"{game}"


def highest(n: int) -> int:
    """The highest number below another one: chance that always gives the same."""
    return n - 1


@frozen
class Step:
    """One player says something, and both are told something: lines or bytes, as the wire counts."""

    sender: int
    said: bytes
    told: tuple[int, int]
    #: What ends what each is told; empty where that is not known beforehand.
    ends: tuple[bytes, bytes] = (b"", b"")


@frozen
class Script:
    """The matches of one wire."""

    wire: str
    #: From a new connection to the first move; `ME` is each player's own name.
    arrival: tuple[Step, ...]
    play: tuple[Step, ...]
    #: What a bare relay is to pass on in place of each step of `play`: the bytes that the host tells.
    relayed: tuple[bytes, ...]
    settings: Mapping[str, str] = field(factory=dict)
    #: Whether what is told is counted in lines; otherwise in bytes.
    lines: bool = True
    #: For matches that are over after `play` (others go on as they began): what both say to come in, at first and
    #: again after every match, whoever it is with then.
    log_in: bytes = b""
    #: For matches that one player opens and the other one joins: from the lobby to the first move, and how the first one
    #: is told which match it is (`game`).
    opening: tuple[Step, ...] = ()
    number: re.Pattern[bytes] = re.compile(b"$")
    #: Whether chance is to give the same every time.
    lucky: bool = False
    #: How each is told of a match that begins: which (`game`), and who moves first (`first`).
    begins: re.Pattern[bytes] = re.compile(b"$")
    #: What is played at the second table and at further ones, so that nothing that is kept of a move helps at the next table;
    #: each with what is relayed. Behind the last of these comes `play` again.
    others: tuple[tuple[tuple[Step, ...], tuple[bytes, ...]], ...] = ()

    @property
    def options(self) -> list[str]:
        """The settings as the host takes them."""
        return [word for name, text in self.settings.items() for word in ("--set", f"{name}={text}")]

    def at_table(self, number: int, bare: bool = False) -> tuple[Step, ...]:
        """
        What is played at a table; the first one has number 0.

        :param bare: whether a relay is between the two, which tells both what one said
        """
        play, relayed = ((self.play, self.relayed), *self.others)[number % (1 + len(self.others))]
        if not bare:
            return play
        steps = []
        for step, said in zip(play, relayed, strict=True):
            told = said.count(b"\n") if self.lines else len(said)
            steps.append(Step(step.sender, said, (told, told), (said, said)))
        return tuple(steps)


def _onitama() -> Script:
    # A piece of each side goes round in a triangle: after six moves every piece and every card is where it was.
    def rounds(first: str, second: str) -> tuple[tuple[Step, ...], tuple[bytes, ...]]:
        right, left = chr(ord(first) + 1), chr(ord(second) - 1)
        words = (
            *(f"boar|{first}1|{first}2", f"monkey|{second}5|{left}4", f"ox|{first}2|{right}2"),
            *(f"boar|{left}4|{second}4", f"monkey|{right}2|{first}1", f"ox|{second}4|{second}5"),
        )
        steps, told = [], []
        for ply, word in enumerate(words):
            answer = f"MOVE_WAS_MADE|{word}\n".encode("ascii")
            steps.append(Step(ply % 2, f"MAKE_MOVE|{word}\n".encode("ascii"), (1, 1), (answer, answer)))
            told.append(answer)
        return tuple(steps), tuple(told)

    (play, relayed), *others = [rounds(first, second) for first in "bacd" for second in "dbce"]
    return Script(
        "onitama",
        (Step(0, b"LOGIN|%b\n" % ME, (1, 0)), Step(1, b"LOGIN|%b\n" % ME, (1, 1))),
        play,
        relayed,
        {"onitama.deal": "boar,crab/monkey,eel/ox", "onitama.max_plies": "1000000"},
        others=tuple(others),
    )


def _frame(kind: int, payload: bytes) -> bytes:
    return pack(">BBHH", 0x2A, kind, 0, len(payload)) + payload


def _stratego_frames() -> Script:
    # Both sides' front rows have scouts where there is no lake. One of each side goes a step forward and back.
    rows = ("F123344455", "5566667777", "8888899SBB", "99BB99BB99")
    sides = [
        b"".join(
            _frame(2, pack(">Hii", ord(piece), x, y))
            for y, row in zip(ys, rows, strict=True)
            for x, piece in enumerate(row)
        )
        + _frame(3, pack(">H", 5) + b"ready")
        for ys in (range(0, 4), range(9, 5, -1))
    ]
    valid, board, playing = 40 * 13, 6 + 200, 6 + 2 + 6
    connected = (6 + 2 + 9) + (6 + 2)  # Connected and Side
    told = len(_frame(6, bytes(16))) + board

    def rounds(one: int, two: int) -> tuple[tuple[Step, ...], tuple[bytes, ...]]:
        moves = [
            pack(">iiii", *move) for move in ((one, 3, one, 4), (two, 6, two, 5), (one, 4, one, 3), (two, 5, two, 6))
        ]
        steps = (Step(ply % 2, _frame(4, move), (told, told)) for ply, move in enumerate(moves))
        return tuple(steps), tuple(_frame(6, move + bytes(board)) for move in moves)

    (play, relayed), *others = [rounds(one, two) for one in OPEN_COLUMNS for two in OPEN_COLUMNS]
    return Script(
        "stratego-frames",
        (
            Step(0, _frame(1, pack(">H", 6) + ME), (6 + 2 + 4, 0)),
            Step(1, _frame(1, pack(">H", 6) + ME), (connected, connected)),
            Step(0, sides[0], (valid, 0)),
            Step(1, sides[1], (playing + board, valid + playing + board)),
        ),
        play,
        relayed,
        {"stratego.two_squares": "0", "stratego.max_plies": "100000"},
        lines=False,
        others=tuple(others),
    )


def _paper_soccer() -> Script:
    # Lines on the pitch stay, so no match returns to where it began: long ones are played to their end, again and again.
    games = map(json.loads, (GAMES / "paper_soccer_games.jsonl").read_text("utf-8").splitlines())
    state = (
        b'<message type="gameState"><gameId id="100"/><nextPlayer nick="a00000"/><gameState>%b</gameState></message>\n'
    )

    def match(moves: Sequence[Sequence[Sequence[int]]]) -> tuple[tuple[Step, ...], tuple[bytes, ...]]:
        said = ["".join(f'<point x="{x}" y="{y}"/>' for x, y in points).encode("ascii") for points in moves]
        steps = (
            Step(
                ply % 2,
                b'<message type="move"><move>%b</move></message>\n' % points,
                (1, 1),
                (b"%b</gameState></message>\n" % points,) * 2,
            )
            for ply, points in enumerate(said)
        )
        return tuple(steps), tuple(state % points for points in said)

    longest = sorted((game["moves"] for game in games), key=len, reverse=True)[:16]
    (play, relayed), *others = map(match, longest)
    return Script(
        "paper-soccer",
        (),
        play,
        relayed,
        log_in=b'<message type="playerLogin"><playerLogin nick="%b" gameType="paper soccer"/></message>\n' % ME,
        begins=re.compile(rb'<gameId id="(?P<game>\d+)"/><nextPlayer nick="(?P<first>\w+)"/><gameState/></message>\n'),
        others=tuple(others),
    )


def _stratego_lines() -> Script:
    # The same with other pieces; every account is new, so passwords are worked on as little as can be.
    rows = (b"VMGKKJJJPP", b"PPLLLLSSSS", b"IIIIIRROBB", b"RRBBRRBBRR")
    log_in = b"%b\nsecret\n" % ME

    def rounds(one: bytes, two: bytes) -> tuple[tuple[Step, ...], tuple[bytes, ...]]:
        moves = (
            b"%b4-%b5\n" % (one, one),
            b"%b7-%b6\n" % (two, two),
            b"%b5-%b4\n" % (one, one),
            b"%b6-%b7\n" % (two, two),
        )
        steps = []
        for ply, move in enumerate(moves):
            mover, other = (1, b"none\n"), (2, move + b"get-move\n")
            first, second = (mover, other) if ply % 2 == 0 else (other, mover)
            steps.append(Step(ply % 2, move, (first[0], second[0]), (first[1], second[1])))
        return tuple(steps), moves

    columns = [b"ABCDEFGHIJ"[place : place + 1] for place in OPEN_COLUMNS]
    (play, relayed), *others = [rounds(one, two) for one in columns for two in reversed(columns)]
    return Script(
        "stratego-lines",
        (
            Step(0, b"", (1, 1)),
            Step(0, log_in, (1, 0)),
            Step(1, log_in, (2, 3)),
            Step(0, b"\n".join(rows) + b"\n", (0, 0)),
            Step(1, b"".join(row[::-1] + b"\n" for row in rows), (2, 1)),
        ),
        play,
        relayed,
        {
            "stratego.two_squares": "0",
            "stratego.max_plies": "100000",
            "limits.password_work": "10",
            "limits.login_seconds": "3600",
        },
        others=tuple(others),
    )


def _eriantys() -> Script:
    from benchmarks.eriantys import recorded

    return recorded()


_SCRIPTS: Mapping[str, Callable[[], Script]] = {
    "onitama": _onitama,
    "stratego-lines": _stratego_lines,
    "stratego-frames": _stratego_frames,
    "paper-soccer": _paper_soccer,
    "eriantys": _eriantys,
}
WIRES = tuple(_SCRIPTS)


@cache
def script_of(wire: str) -> Script:
    """The script of a wire, by the wire's name."""
    return _SCRIPTS[wire]()
