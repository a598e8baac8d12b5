"""
The box and the battles.
"""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.stratego.pieces import KINDS, MOVERS, survivor


class PieceTests(SynchronousTestCase):
    """`KINDS` and `survivor`."""

    def test_box(self) -> None:
        """A side has forty pieces, thirty-three of which can move."""
        self.assertEqual(sum(kind.count for kind in KINDS.values()), 40)
        self.assertEqual(sum(KINDS[kind].count for kind in MOVERS), 33)
        self.assertEqual("".join(KINDS), "123456789SFB")
        self.assertEqual([kind.count for kind in KINDS.values()], [1, 1, 2, 3, 4, 4, 4, 5, 8, 1, 1, 6])

    def test_table(self) -> None:
        """Every battle there can be, row by row: the attacker against 1 to 9, spy, flag, bomb."""
        table = {
            "1": "=AAAAAAAA AAD",
            "2": "D=AAAAAAA AAD",
            "3": "DD=AAAAAA AAD",
            "4": "DDD=AAAAA AAD",
            "5": "DDDD=AAAA AAD",
            "6": "DDDDD=AAA AAD",
            "7": "DDDDDD=AA AAD",
            "8": "DDDDDDD=A AAA",
            "9": "DDDDDDDD= AAD",
            "S": "ADDDDDDDD =AD",
        }
        words = {"A": "attacker", "D": "defender", "=": "tie"}
        self.assertEqual("".join(table), MOVERS)
        for attacker, line in table.items():
            for defender, letter in zip(KINDS, line.replace(" ", ""), strict=True):
                self.assertEqual(survivor(attacker, defender), words[letter], (attacker, defender))

    def test_what_cannot_attack_does_not(self) -> None:
        """Bombs and flags strike nobody, and what is no piece neither strikes nor is struck."""
        for attacker, defender in (("B", "9"), ("F", "9"), ("0", "9"), ("9", "0"), ("9", "")):
            self.assertRaises(ValueError, survivor, attacker, defender)
