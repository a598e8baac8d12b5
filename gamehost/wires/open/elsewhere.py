"""
What of a conversation on the open wire another host of a cluster must know: what its messages need that may be there, and how
it goes on there.
"""

import re
from collections.abc import Mapping
from enum import Enum
from typing import Any, ClassVar

from msgspec import UNSET
from msgspec.json import decode

from gamehost.games.base import Seat
from gamehost.journal.records import TableId
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.queues import Queue
from gamehost.lobby.sessions import Session
from gamehost.wires.conversation import Claim, Peer, claim_of_account, claim_of_table
from gamehost.wires.open import messages as m
from gamehost.wires.open.codec import to_json
from gamehost.wires.open.watching import LookingOn, OpenOptions, SharedEncoder
from gamehost.wires.seeking import SeekRefused, Sought, claim_of_sought, wanted


class OpenState(Enum):
    """What a connection can do next."""

    #: Not logged in. It may watch.
    OUTSIDE = "outside"
    #: The password of an account is being checked.
    CHECKING = "checking"
    #: Logged in.
    LOBBY = "lobby"
    #: Seeks opponents, or waits at a table.
    WAITING = "waiting"
    #: Has a seat, or is about to get it back.
    PLAYING = "playing"


#: A guest's key: so many random bits, in hexadecimal.
KEY_BITS = 128
KEY = re.compile(rf"[0-9a-f]{{{KEY_BITS // 4}}}", re.ASCII)
#: An account's.
ACCOUNT_KEY = re.compile(r"[0-9]{1,7}-[0-9a-f]{64}", re.ASCII)

_WISHES: Mapping[str, Seat | None] = {"first": Seat(0), "second": Seat(1), "any": None}


def asked_for(message: m.Seek) -> Sought:
    seats = None if message.seats is UNSET else message.seats
    settings = {name: _text(value) for name, value in message.settings.items()}
    return Sought(message.game, seats, settings, message.private, _WISHES[message.seat])


def _text(value: m.SettingValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else repr(value)


class GoesElsewhere(LookingOn):
    """A conversation that another host of a cluster can go on with, unless its client has a part in a match."""

    def __init__(self, peer: Peer[m.Message], lobby: Lobby, options: OpenOptions, encoder: SharedEncoder) -> None:
        super().__init__(peer, lobby, OpenState.OUTSIDE, options, encoder)
        #: The game that is sought, and the code of the private table.
        self._sought = ("", "")
        #: The seat that is wanted in the queue of that game.
        self._wish: Seat | None = None

    def claim_of_enter(self, message: m.Enter) -> Claim | None:
        if message.key is not UNSET and not (KEY.fullmatch(message.key) or ACCOUNT_KEY.fullmatch(message.key)):
            return None
        return claim_of_account(message.name)

    def claim_of_log_in(self, message: m.LogIn) -> Claim | None:
        return claim_of_account(message.name)

    def claim_of_seek(self, message: m.Seek) -> Claim | None:
        """A table that fits and waits at another host, if none waits here."""
        try:
            sought = wanted(asked_for(message), self._options.games, self.lobby.settings_for)
        except SeekRefused:
            return None
        return claim_of_sought(self.lobby, sought) if message.house is UNSET else None

    def claim_of_join(self, message: m.Join | m.AskInvitation) -> Claim | None:
        return claim_of_table(TableId(message.table))

    def parcel(self) -> str | None:
        """What is looked at, and what is sought: whoever waits in a queue can wait in that of another host."""
        looks, session = self.looks_on(), self.session
        waits = self.state is OpenState.WAITING
        if looks is None or self.state in (OpenState.CHECKING, OpenState.PLAYING):
            return None
        if session is not None and (session.table_id is not None or self.lobby.waits_at_table(session)):
            return None
        return to_json({**looks, "game": self._sought[0] if waits else "", "wish": self._wish}).decode("utf-8")

    def unpack(self, parcel: str, session: Session | None) -> None:
        """Look at the same, and wait in the same queue. The client has been told that it seeks."""
        told = decode(parcel)
        if session is not None:
            self.logged_in(session)
            self.set_state(OpenState.LOBBY)
        self.look_on(told)
        if session is not None and told["game"]:
            self.set_state(OpenState.WAITING)
            self._sought, self._wish = (told["game"], ""), told["wish"]
            self.adopt(session)

    def adopt(self, session: Session) -> None:
        self.lobby.play(session, Queue(self._options.games[self._sought[0]].game), self._wish)

    CLAIMS: ClassVar[Any] = {
        (OpenState.OUTSIDE, m.Enter): claim_of_enter,
        (OpenState.OUTSIDE, m.LogIn): claim_of_log_in,
        (OpenState.LOBBY, m.Seek): claim_of_seek,
        (OpenState.LOBBY, m.Join): claim_of_join,
        **dict.fromkeys(((state, m.AskInvitation) for state in OpenState), claim_of_join),
    }
