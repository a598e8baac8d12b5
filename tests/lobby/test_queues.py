"""The queues: who meets whom, and who waits."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.lobby.queues import Queues
from gamehost.lobby.sessions import Session

KEY = ("onitama", "")


class QueuesTests(SynchronousTestCase):
    """Players who wait for anybody."""

    def setUp(self) -> None:
        self.queues = Queues()

    def session(self, name: str) -> Session:
        return Session(name, "onitama", "192.0.2.1", False, None)

    def met(self, session: Session, wish: int | None = None, seats: int = 2) -> str | None:
        """The names of those who meet when a player joins."""
        self.assertTrue(self.queues.join(KEY, session, None if wish is None else Seat(wish)))
        found = self.queues.match(KEY, session, seats)
        return None if found is None else " ".join(one.name for one in found)

    def test_the_first_comes_first(self) -> None:
        """Those who have waited longest play, in the order in which they came."""
        for name in ("ann", "bob"):
            self.assertIsNone(self.met(self.session(name), seats=4))
        self.assertEqual(self.met(self.session("carl"), seats=3), "ann bob carl")
        self.assertEqual(self.met(self.session("dora")), "ann dora")

    def test_wishes(self) -> None:
        """Players with the same wish do not meet; all others get the seat that they want."""
        self.assertIsNone(self.met(self.session("ann"), wish=1))
        self.assertIsNone(self.met(self.session("bob"), wish=1))
        self.assertEqual(self.met(self.session("carl")), "carl ann")
        self.assertEqual(self.met(self.session("dora"), wish=0), "dora ann")

    def test_one_place(self) -> None:
        """Nobody waits twice, and whoever leaves does not wait."""
        ann, bob = self.session("ann"), self.session("bob")
        self.met(ann)
        self.assertFalse(self.queues.join(KEY, ann, None))
        self.queues.join(("stratego", ""), bob, None)
        self.assertEqual(self.queues.everybody(), [ann, bob])
        for session in (ann, bob, bob):
            self.queues.leave(session)
        self.assertEqual((self.queues.everybody(), self.queues.waiting), ([], {}))
