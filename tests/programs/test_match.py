"""One seat of one match: when its player hears, and when it answers."""

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.programs.match import Match


class Noting:
    """A player that answers with what it heard last."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def hear(self, event: Any) -> None:
        self.heard.append(event)

    def refused(self, notation: bytes) -> None:
        self.heard.append(notation)

    def answer(self) -> bytes | None:
        return str(self.heard[-1]).encode()


class MatchTests(SynchronousTestCase):
    """One player."""

    def setUp(self) -> None:
        self.player = Noting()
        self.match = Match(self.player)

    def think(self) -> bytes | None:
        """Do what is to be done."""
        work = self.match.work()
        assert work is not None
        return self.match.done(work())

    def test_nothing_to_do(self) -> None:
        """Before anything was told, while it is done, and after the end."""
        self.assertIsNone(self.match.work())
        self.match.hear(1)
        self.assertIsNotNone(self.match.work())
        self.match.hear(2)
        self.assertIsNone(self.match.work())
        over = Match(self.player)
        over.hear(1)
        over.over = True
        self.assertIsNone(over.work())

    def test_one_answer_at_a_time(self) -> None:
        """The next one comes when the last one was judged."""
        self.match.hear(1)
        self.assertEqual(self.think(), b"1")
        self.match.hear(2, judged=False)
        self.assertIsNone(self.think())
        self.match.hear(3)
        self.assertEqual(self.think(), b"3")
        self.assertEqual(self.player.heard, [1, 2, 3])

    def test_a_refusal(self) -> None:
        """The player is told which answer it was, and answers anew."""
        self.match.hear(1)
        self.think()
        self.match.refuse()
        self.assertEqual(self.think(), b"b'1'")
        self.assertEqual(self.player.heard, [1, b"1"])
        self.match.hear(2)
        self.match.refuse()
        self.think()
        self.assertEqual(self.player.heard[2:], [2], "nothing was said that could be refused")

    def test_the_end_comes_while_thinking(self) -> None:
        """Nothing is said then."""
        self.match.hear(1)
        work = self.match.work()
        assert work is not None
        self.match.over = True
        self.assertIsNone(self.match.done(work()))
