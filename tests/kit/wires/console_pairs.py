"""How people play Stratego on the console, for the pairs of games that differ in secrets only; and hosts that leak."""

from attrs import evolve

from gamehost.games.base import Seat
from gamehost.games.stratego.actions import Action, Move, Place, PlaceRows
from gamehost.games.stratego.face import FACE
from gamehost.games.stratego.master import StrategoMaster
from gamehost.wires.console.factory import NAME, WIRE, ConsoleConfig
from gamehost.wires.console.options import ConsoleOptions
from gamehost.wires.console.screens import SCREENS
from gamehost.wires.seeking import PlayedGame
from tests.kit.wires.stratego_pairs import LeakyStratego, Speech


def square(x: int, y: int) -> str:
    """A square, or something that looks like one."""
    return f"{chr(ord('a') + x)}{y + 1}"


def in_words(seat: Seat, action: Action) -> tuple[str, ...]:
    """What is typed for an action. A player types rows as they are seen: the front row first."""
    match action:
        case Move(x, y, to_x, to_y):
            return (f"{square(x, y)} {square(to_x, to_y)}",)
        case Place(piece, x, y):
            return (f"place {piece} {square(x, y)}",)
        case PlaceRows(rows):
            return (f"setup {' '.join(rows[::-1] if seat == 0 else [row[::-1] for row in rows])}",)
    return ("ready",)


def log_in(name: str) -> tuple[str, ...]:
    """What is typed to come in, and to come back; `play` is refused then. The board and the moves are looked at too."""
    return f"name {name}", "play stratego", "moves", "history"


SPEECH = Speech(WIRE, log_in, in_words)


def leaky(referee: type[StrategoMaster]) -> Speech:
    """The wire with a referee that may leak."""
    game = LeakyStratego(referee=referee)
    config = ConsoleConfig(ConsoleOptions(NAME, {game.name: PlayedGame(game, FACE, frozenset())}, SCREENS))
    return evolve(SPEECH, wire=evolve(WIRE, games=(game,), configure=lambda settings: config))
