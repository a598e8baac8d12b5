"""Onitama in a terminal."""

from gamehost.games.base import Seat
from gamehost.games.onitama.master import ONITAMA
from gamehost.games.onitama.messages import MESSAGES, ExchangedEvent, View
from gamehost.games.onitama.rules import START
from gamehost.games.onitama.text import SCREEN
from gamehost.games.screen import Screen, Style
from gamehost.testing.cases import PropertyCase
from tests.kit.games.onitama import as_move, deal_of, recorded_stalemate
from tests.kit.wires.console import NAMES, ScreenContract, ScreenMatch, hear, refused, show

_DEAL = {"deal": "boar,ox/crab,eel/tiger"}


def screen(seat: int | None, board: str = START, turn: int = 0) -> Screen[View]:
    made = SCREEN(seat, NAMES[:2])
    show(made, View(board, (["boar", "ox"], ["crab", "eel"]), "tiger", turn))
    return made


class ScreenTests(ScreenContract, PropertyCase):
    game = ONITAMA
    messages = MESSAGES
    kind, example = SCREEN, "ox c1 c2"

    def test_in_words(self) -> None:
        lines = screen(0).draw(Style(words=True))
        self.assertEqual(lines[0], "You (White): master c1, pupils a1, b1, d1 and e1; cards boar and ox.")
        self.assertIn("Boar leads 1 forward, 1 left or 1 right.", lines)

    def test_what_is_told(self) -> None:
        match = ScreenMatch(ONITAMA, MESSAGES, SCREEN, 2, _DEAL, 0)
        for seat, text in ((0, "ox c1 c2"), (1, "eel b5-c4"), (0, "boar c2 c3"), (1, "ox c4 c3")):
            match.type(Seat(seat), text)
        self.assertEqual(match.told[None][-1], "bob played ox c4 c3 and took a master.")
        self.assertEqual(match.told[Seat(1)][-1], "You played ox c4 c3 and took a master.")
        self.assertEqual(match.screens[None].prompt_line(), "The match is over.")
        self.assertEqual(
            hear(screen(0), ExchangedEvent(1, "eel", "frog")), ["bob could not move, gave eel and got frog."]
        )

    def test_mistakes(self) -> None:
        white = screen(0)
        for text, part in (
            ("hello", "Type CARD FROM TO: boar a1 a2."),
            ("ox", "Type CARD FROM TO"),
            ("ox a1 a9", "There is no square a9: columns are a to e, and rows 1 to 5."),
            ("dog c1 c2", "There is no such card. Your cards are boar and ox."),
            ("crab c1 c2", "You do not hold crab. Your cards are boar and ox."),
            ("ox c2 c3", "None of your pieces is on c2. Yours are on a1, b1, c1, d1 and e1."),
            ("ox c1 c4", "Ox does not lead from c1 to c4. From c1 it can lead to c2."),
            ("ox c1 d1", "A piece of yours is on d1. With ox from c1 it can lead to c2."),
            ("c1 c2", "Both of your cards lead there. Name one: boar c1 c2 or ox c1 c2."),
            ("c1 c3", "None of your cards leads from c1 to c3. It can do boar c1 c2 or ox c1 c2."),
            ("stalemate ox", "You can move, so you must: for example boar a1 a2."),
        ):
            self.assertIn(part, refused(self, white, text), text)
        self.assertEqual(refused(self, screen(1), "eel c5 c4"), "It is not your turn. ann is to move.")

    def test_ways_to_type(self) -> None:
        for text in ("ox c1 c2", "OX C1 C2", "ox c1-c2", "ox c1c2", " ox, c1, c2 "):
            self.assertEqual(screen(0).read(text), [b"ox c1 c2"], text)

    def test_no_move(self) -> None:
        recorded = recorded_stalemate()
        match = ScreenMatch(ONITAMA, MESSAGES, SCREEN, 2, {"deal": deal_of(recorded)}, 0)
        for number, move in enumerate(recorded["moves"]):
            match.type(Seat(number % 2), str(as_move(*move)))
        white = match.screens[Seat(0)]
        stalemate, other = white.moves(10)
        self.assertEqual(white.prompt_line(), f"You cannot move. Give a card and get another one: {stalemate}.")
        self.assertIn(f"Give one of your cards: {stalemate} or {other}.", refused(self, white, "a1 a2"))
        match.type(Seat(0), stalemate)
        self.assertIn("ann could not move, gave", match.told[None][-1])


del ScreenContract
