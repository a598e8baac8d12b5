"""
The part of a conversation on the console about other hosts of a cluster: the claims of typed lines, and how another
host continues the conversation.
"""

from collections.abc import Callable
from enum import Enum
from typing import Any, ClassVar

from msgspec import convert
from msgspec.json import decode, encode

from gamehost.accounts.names import NameRefused
from gamehost.journal.records import TableId
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.sessions import Session, split_key
from gamehost.wires.base import (
    Claim,
    Peer,
    claim_of_account,
    claim_of_table,
)
from gamehost.wires.console import codec as m
from gamehost.wires.console.commands import NotUnderstood, asked, find_command, table_and_code
from gamehost.wires.console.matches import ConsoleOptions, Looking, OwnMatch
from gamehost.wires.console.printer import Printer
from gamehost.wires.seeking import SeekingConversation, SeekRefused, Sought, claim_of_slow, claim_of_sought


class ConsoleState(Enum):
    """The state of a connection. It decides what the next line means."""

    #: The person has no name yet.
    OUTSIDE = "outside"
    #: The next line is a password.
    PASSWORD = "password"
    #: The password is being checked.
    CHECKING = "checking"
    #: The person has a name, and no match.
    LOBBY = "lobby"
    #: The person waits for opponents.
    WAITING = "waiting"
    #: The person has a seat in a match, or is about to get it back.
    PLAYING = "playing"


class GoesElsewhere(SeekingConversation[m.Message]):
    """
    The part of a conversation that another host of a cluster can continue, unless the person plays a match.

    :param options: the wire's games
    """

    state: ConsoleState

    def __init__(self, peer: Peer[m.Message], lobby: Lobby, options: ConsoleOptions) -> None:
        self._printer = Printer(peer.say, peer.refuse)
        super().__init__(peer, lobby, ConsoleState.OUTSIDE)
        self._options = options
        self._house = lobby.house
        self._match: OwnMatch | None = None
        self._looking = Looking(
            self._printer,
            lobby.directory,
            lobby.studies,
            options=options,
            address=peer.address,
            write_collected=self._write_collected,
            seat=lambda: self.handle,
        )
        #: The name of the account to log in to with the awaited password; empty: the person changes the password of the
        #: own account.
        self._account = ""
        #: Called with the awaited password; `None`: the password is for a log-in, or no password is awaited.
        self._given: Callable[[str], None] | None = None
        #: The state before the log-in, for the case that the log-in fails.
        self._before = ConsoleState.OUTSIDE

    @property
    def _own(self) -> OwnMatch | None:
        """The current match, until its end was shown; `None` after that."""
        return None if self._match is None or self._match.over else self._match

    def _write_collected(self) -> None:
        """Writes the sentences that were collected for the own match."""
        if self._own is not None:
            self._own.write_collected()

    def claim_of_line(self, message: m.Line) -> Claim | None:
        """
        Returns the claim of a typed line. Only the command `name` has one: the name behind it. `None`: any other line,
        or a name that is not valid.
        """
        words = message.text.split()
        try:
            if len(words) < 2 or find_command(words[0]) != "name":
                return None
            name, _ = split_key(" ".join(words[1:]))
        except (NotUnderstood, NameRefused):
            return None
        return claim_of_account(name, typed=True)

    def claim_in_lobby(self, message: m.Line) -> Claim | None:
        """
        Returns the claim of a line of a person without a match: to a name, or to a table that waits at another host.
        """
        words = message.text.split()
        try:
            command = find_command(words[0]) if words else None
            if command == "join":
                # The example for an error message is empty: here an error only means that there is no claim.
                table, _ = table_and_code(words[1:], "")
                return claim_of_table(TableId(table))
            if command == "sit":
                table, _ = table_and_code(words[1:], "")
                return claim_of_slow(self.lobby, self.session, TableId(table))
            if command == "play":
                want = asked(words[1:], self._options.games)
                sought = self._wanted(want.sought)
                # House players are at every host.
                return None if want.level else claim_of_sought(self.lobby, sought)
        except (NotUnderstood, SeekRefused):
            return None
        return self.claim_of_line(message)

    def parcel(self) -> str | None:
        """
        Returns the state for another host of the cluster: the style of the output, the watched match, and the wish of a
        person who waits. `None`: this host must continue.
        """
        state, looks = self.state, self._looking.state()
        # Not now: an answer is being prepared, a password is being changed or checked, or a match is on.
        if looks is None or self._given is not None or state in (ConsoleState.CHECKING, ConsoleState.PLAYING):
            return None
        waits = state is ConsoleState.WAITING
        if not self._can_go(waits):
            return None
        told = {
            "printer": self._printer.state(),
            "looks": looks,
            "state": state.value,
            "before": self._before.value,
            "account": self._account,
            "seeks": self._seeks if waits else None,
        }
        return encode(told).decode("utf-8")

    def unpack(self, parcel: str, session: Session | None) -> None:
        """Continues the conversation of another host. The person may wait in the queue of a game."""
        told = decode(parcel)
        self._printer.go_on(told["printer"])
        # The deadline for logging in was the business of the first host.
        self.peer.logged_in()
        if session is not None:
            self.logged_in(session)
        self._account = told["account"]
        self._before = ConsoleState(told["before"])
        self.set_state(ConsoleState(told["state"]))
        self._looking.go_on(told["looks"])
        if session is not None and self.state is ConsoleState.WAITING:
            self._seeks = convert(told["seeks"], Sought)
            self.adopt(session)

    def claim_of_password(self, message: m.Line) -> Claim | None:
        """Returns the claim to the account's name, when its password is typed."""
        return claim_of_account(self._account, typed=True) if message.text else None

    CLAIMS: ClassVar[Any] = {
        (ConsoleState.OUTSIDE, m.Line): claim_in_lobby,
        (ConsoleState.LOBBY, m.Line): claim_in_lobby,
        (ConsoleState.PASSWORD, m.Line): claim_of_password,
    }
