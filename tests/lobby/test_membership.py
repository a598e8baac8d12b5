"""What a lobby tells the other hosts of its cluster."""

from typing import Any

from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.names import NameRefused
from gamehost.games.onitama.master import ONITAMA
from gamehost.lobby.queues import Queue, Queues
from gamehost.lobby.sessions import Membership, ResumePolicy, Session, SessionRegistry


@define(eq=False)
class Told(Membership):
    """Keeps what it is told."""

    calls: list[tuple[Any, ...]] = field(factory=list)
    elsewhere: set[str] = field(factory=set)

    def is_elsewhere(self, key: str) -> bool:
        return key in self.elsewhere

    def freed(self, key: str) -> None:
        self.calls.append(("freed", key))

    def waits(self, session: Session, queue: tuple[str, str]) -> None:
        self.calls.append(("waits", session.name, queue))

    def waits_no_longer(self, session: Session) -> None:
        self.calls.append(("waits no longer", session.name))


class MembershipTests(SynchronousTestCase):
    """Names and waiting players."""

    def setUp(self) -> None:
        self.told = Told()
        self.registry = SessionRegistry(ResumePolicy.ANY, membership=self.told)

    def enter(self, name: str) -> Session:
        player: Any = object()
        return self.registry.enter(name, "onitama", "192.0.2.1", player)[0]

    def test_a_name_elsewhere(self) -> None:
        """A name that another host has is in use, for guests and for accounts."""
        self.told.elsewhere.add("ann")
        player: Any = object()
        for enter in (
            lambda: self.enter("Ann"),
            lambda: self.registry.enter_account("Ann", "onitama", "192.0.2.1", player),
        ):
            self.assertEqual(str(self.assertRaises(NameRefused, enter)), "this name is in use")
        self.assertEqual(len(self.registry), 0)

    def test_a_name_here(self) -> None:
        """What other hosts have says nothing about a name that is here."""
        session = self.enter("ann")
        self.told.elsewhere.add("ann")
        session.player = None
        self.assertIs(self.enter("ann"), session)

    def test_a_free_name(self) -> None:
        """Who is forgotten frees a name."""
        self.registry.forget(self.enter("Ann"))
        self.assertEqual(self.told.calls, [("freed", "ann")])

    def test_queues(self) -> None:
        """Who waits, and who does not any more."""
        queues, key = Queues(self.told), Queue(ONITAMA, "a wire").key
        ann, bob = self.enter("ann"), self.enter("bob")
        queues.join(key, ann, None)
        queues.join(key, ann, None)
        queues.leave(bob)
        queues.leave(ann)
        self.assertEqual(self.told.calls, [("waits", "ann", ("onitama", "a wire")), ("waits no longer", "ann")])

    def test_alone(self) -> None:
        """A host that is no member tells nobody, and nothing is elsewhere."""
        alone = Membership()
        session = self.enter("ann")
        alone.entered(session)
        alone.freed("ann")
        alone.waits(session, ("onitama", ""))
        alone.waits_no_longer(session)
        self.assertEqual((alone.prefix, alone.is_elsewhere("ann")), ("", False))
