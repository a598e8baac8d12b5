"""The index of the sessions."""

from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import TableId
from gamehost.lobby.sessions import Session, SessionIndex


def session(name: str, address: str, seated: bool = True) -> Session:
    """A session whose player is away."""
    made = Session(name, "onitama", address, False, None)
    made.asleep = TableId(1) if seated else None
    return made


class SessionIndexTests(SynchronousTestCase):
    """Sessions by name and by address."""

    def test_by_name(self) -> None:
        """A session replaces one of the same name, and only the session that is in can be removed."""
        index = SessionIndex()
        first, second = session("ann", "192.0.2.1"), session("ANN", "192.0.2.2")
        index.add(first)
        index.add(second)
        index.remove(first)
        self.assertEqual((len(index), index.get("ann")), (1, second))
        index.remove(second)
        self.assertEqual((len(index), index.get("ann")), (0, None))

    def test_seats_at_an_address(self) -> None:
        """Sessions with a seat count, where their players were last."""
        index = SessionIndex()
        ann = session("ann", "2001:db8::1")
        index.add(ann)
        index.add(session("bob", "2001:db8::2"))
        index.add(session("carl", "2001:db8::3", seated=False))
        self.assertEqual(index.seats_at("2001:db8::/64"), 2)
        index.move(ann, "192.0.2.1")
        self.assertEqual((index.seats_at("2001:db8::/64"), index.seats_at("192.0.2.1")), (1, 1))
        index.remove(ann)
        self.assertEqual(index.seats_at("192.0.2.1"), 0)
