"""The checks of servers of Stratego in frames."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace
from twisted.trial.unittest import SynchronousTestCase

from gamehost.wires.stratego_frames import messages as m
from tests.kit.checked_server import Faulty
from tests.kit.server_checker_contract import ServerCheckerContract


def shows_the_enemy(end: Faulty, message: Any) -> Sequence[Any]:
    return [m.Board(message.squares.replace("#", "9")) if isinstance(message, m.Board) else message]


def shows_an_empty_board(end: Faulty, message: Any) -> Sequence[Any]:
    return [m.Board("." * 100) if isinstance(message, m.Board) else message]


def names_another_winner(end: Faulty, message: Any) -> Sequence[Any]:
    return [m.GameOver("tie") if isinstance(message, m.GameOver) else message]


def names_another_piece(end: Faulty, message: Any) -> Sequence[Any]:
    return [replace(message, attacker="B") if isinstance(message, m.Battle) else message]


def sends_the_board_first(end: Faulty, message: Any) -> Sequence[Any]:
    """The board and the move are exchanged."""
    if isinstance(message, m.Move):
        return [m.Board("." * 100), message]
    return [message]


def is_silent_when_it_refuses(end: Faulty, message: Any) -> Sequence[Any]:
    return [] if isinstance(message, m.MoveInvalid) else [message]


def lets_illegal_moves_pass(end: Faulty, message: Any) -> Sequence[Any]:
    return [end.heard[-1] if isinstance(message, m.MoveInvalid) else message]


def accepts_any_placement(end: Faulty, message: Any) -> Sequence[Any]:
    return [m.PlacementValid() if isinstance(message, m.PlacementInvalid) else message]


def names_the_wrong_player(end: Faulty, message: Any) -> Sequence[Any]:
    return [m.Playing("nobody") if isinstance(message, m.Playing) else message]


def says_more_in_an_extension(end: Faulty, message: Any) -> Sequence[Any]:
    """An extension tells the first player of the second game more than the one of the first game."""
    if isinstance(message, m.Playing) and end.number == 2:
        return [m.Error("the flag is in the corner"), message]
    return [message]


class StrategoFramesServers(ServerCheckerContract, SynchronousTestCase):
    """What the checks of every wire must do."""

    wire = "stratego-frames"
    sends_wrong = {
        shows_the_enemy: ("moves", "Board tells a secret"),
        shows_an_empty_board: ("moves", "Board: wrong squares"),
        names_another_winner: ("first-wins", "GameOver: wrong winner"),
        names_another_piece: ("second-wins", "Battle: wrong attacker"),
        sends_the_board_first: ("alike", "Board instead of Move"),
        is_silent_when_it_refuses: ("refused-first", "MoveInvalid is missing after a move that ends where it began"),
        lets_illegal_moves_pass: ("refused-second", "Move instead of MoveInvalid"),
        accepts_any_placement: ("wrong-set-up", "PlacementValid instead of PlacementInvalid"),
        says_more_in_an_extension: ("alike", "the first player can tell two hidden set-ups apart"),
        names_the_wrong_player: ("crosswise", "Playing: wrong username"),
    }
