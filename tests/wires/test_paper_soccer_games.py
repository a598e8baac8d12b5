"""Whole games over the XML wire, from bytes to bytes: however moves are spelled and cut, all of it is the same game."""

import random
from collections.abc import Callable, Sequence

from gamehost.testing.cases import PropertyCase
from gamehost.wires.paper_soccer.messages import Point
from tests.kit.games.paper_soccer_walks import as_move, recorded
from tests.kit.wires.paper_soccer_talk import (
    ACCEPTED,
    DECLARATION,
    READ_AT_ONCE,
    SPELLINGS,
    Table,
    login,
    over,
    spelled,
    state,
    thanks,
)

Moves = Sequence[tuple[Point, ...]]
Cut = Callable[[bytes], Sequence[bytes]]

NICKS = ("ann", "bob")


def games() -> list[tuple[Moves, str]]:
    """The recorded games, each with the nick of its winner if ann moves first."""
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
    """One segment."""
    return [data]


def bytewise(data: bytes) -> Sequence[bytes]:
    """A segment for every byte."""
    return [data[n : n + 1] for n in range(len(data))]


def cut_at(place: int) -> Cut:
    """Two segments."""
    return lambda data: [piece for piece in (data[:place], data[place:]) if piece]


class WholeGamesTests(PropertyCase):
    """Recorded games, and what both players hear of them."""

    def hear(self, moves: Moves, spelling: str, cut: Cut = whole, declaration: bool = False) -> list[str]:
        """Play a game; both must hear the same of it."""
        rng = random.Random(1)
        table = Table({**READ_AT_ONCE, **({"paper-soccer.declaration": "yes"} if declaration else {})})
        for number, move in enumerate(moves):
            client = (table.ann, table.bob)[number % 2]
            for piece in cut(spelled(spelling, move, rng).encode()):
                client.send(piece)
        return table.both()

    def test_every_spelling(self) -> None:
        """With the envelope, bare, mixed: the same game, whole and byte by byte."""
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

    def test_cut_at_every_byte(self) -> None:
        """Every message of a short game in two segments, cut at the same place: at each that there is."""
        moves, winner = min(games(), key=lambda game: len(game[0]))
        for spelling, spell in SPELLINGS.items():
            longest = max(len(spell(move, 1)) for move in moves)
            for place in range(1, longest):
                self.assertEqual(self.hear(moves, spelling, cut_at(place)), told(moves, winner), (spelling, place))

    def test_games_in_a_row_joined(self) -> None:
        """Last move, thanks and the next log-in in one segment: the next game begins with it."""
        moves, winner = games()[0]
        table = Table()
        clients = dict(zip(NICKS, (table.ann, table.bob), strict=True))
        for number, move in enumerate(moves[:-1]):
            clients[NICKS[number % 2]].say(spelled("bare", move, random.Random(1)))
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
