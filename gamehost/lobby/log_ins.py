"""
Log-ins, accepted and refused: each is one line of the log, and is counted.

A refused name is not logged: some people type their password there.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from attrs import define, field
from twisted.logger import Logger

from gamehost.accounts.login import LoginRefused
from gamehost.accounts.names import NameRefused
from gamehost.lobby.sessions import Membership, Session


@define(eq=False)
class LogIns:
    """
    The log-ins of a host.

    :param membership: what other hosts of a cluster are told of the names
    """

    _membership: Membership = field(factory=Membership)
    #: By wire, identity (`guest` or `account`) and result (`accepted`, `replaced` or `refused`).
    counts: Counter[tuple[str, str, str]] = field(factory=Counter)

    log = Logger()

    def accepted(self, session: Session, replaced: bool) -> None:
        """
        Somebody has logged in.

        :param replaced: whether this replaces a connection of the same player
        """
        self._membership.entered(session)
        kind = "account" if session.account else "guest"
        self.counts[session.wire, kind, "replaced" if replaced else "accepted"] += 1
        identity = f"a{'n' * session.account} {kind}"
        if replaced:
            identity += f" {'that' if session.account else 'who'} was connected already"
        seat = "" if session.table_id is None else f", seated at table {session.table_id}"
        words = "log-in: {name} on {wire} from {address!r} as {identity}{seat}"
        name, wire, address = session.name, session.wire, session.address
        self.log.info(words, name=name, wire=wire, address=address, identity=identity, seat=seat)

    @contextmanager
    def of_guest(self, wire: str, address: str) -> Iterator[None]:
        """A context in which a guest is let in or refused."""
        try:
            yield
        except NameRefused as refusal:
            self._refused(wire, "guest", address, str(refusal))
            raise

    def of_account(
        self, wire: str, address: str, answer: Callable[[Session | LoginRefused], None]
    ) -> Callable[[Session | LoginRefused], None]:
        """The function that answers the log-in of an account, with a note of refusals."""

        def answered(outcome: Session | LoginRefused) -> None:
            if isinstance(outcome, LoginRefused):
                self._refused(wire, "account", address, outcome.reason)
            answer(outcome)

        return answered

    def _refused(self, wire: str, kind: str, address: str, reason: str) -> None:
        self.counts[wire, kind, "refused"] += 1
        self.log.info(
            "log-in refused: on {wire} from {address!r}: {reason}", wire=wire, address=address, kind=kind, reason=reason
        )
