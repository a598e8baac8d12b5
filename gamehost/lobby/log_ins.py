"""The log-ins of a host: how many there were, and their lines in the log."""

from collections import Counter

from attrs import define, field
from twisted.logger import Logger

from gamehost.lobby.sessions import Session


@define(eq=False)
class LogIns:
    """
    Counts the log-ins of a host, and writes one line to the log for each accepted or refused log-in.

    A refused name is not logged: some people type their password there.
    """

    #: By wire, identity (`guest` or `account`) and result (`accepted`, `replaced` or `refused`).
    counts: Counter[tuple[str, str, str]] = field(factory=Counter)

    log = Logger()

    def accepted(self, session: Session, replaced: bool) -> None:
        """
        Count and log the log-in of a player.

        :param replaced: whether this replaces a connection of the same player
        """
        kind = "account" if session.account else "guest"
        self.counts[session.wire, kind, "replaced" if replaced else "accepted"] += 1
        identity = f"a{'n' * session.account} {kind}"  # "a guest" or "an account"
        if replaced:
            identity += f" {'that' if session.account else 'who'} was connected already"
        seat = "" if session.table_id is None else f", seated at table {session.table_id}"
        words = "log-in: {name} on {wire} from {address!r} as {identity}{seat}"
        name, wire, address = session.name, session.wire, session.address
        self.log.info(words, name=name, wire=wire, address=address, identity=identity, seat=seat)

    def refused(self, wire: str, kind: str, address: str, reason: str) -> None:
        """
        Count and log a log-in that was refused.

        :param kind: what the client wanted to be: `guest` or `account`
        """
        self.counts[wire, kind, "refused"] += 1
        self.log.info(
            "log-in refused: on {wire} from {address!r}: {reason}", wire=wire, address=address, kind=kind, reason=reason
        )
