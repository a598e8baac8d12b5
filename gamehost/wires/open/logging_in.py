"""
Logging in on the open wire, and the messages with which a player changes the own account: its password, its keys, its
notices, and the texts that it stores.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from msgspec import UNSET, UnsetType

from gamehost.accounts.login import LoginRefused
from gamehost.accounts.names import NameFault, NameRefused, place_of, typed_name
from gamehost.accounts.remembered import REMEMBERED_KEY, REMEMBERED_KEY_BITS, remembered_id
from gamehost.journal.records import AGENT, OwnedMatch
from gamehost.lobby.own_account import MOST_KEPT, Device, OwnAccount, OwnNotices
from gamehost.lobby.sessions import IssuedKey, Session
from gamehost.tables.interfaces import SeatHandle
from gamehost.wires.open import messages as m
from gamehost.wires.open.mine import KnowsOwn, rows, shown_of
from gamehost.wires.open.values import told_shown
from gamehost.wires.open.watching import KEY, KEY_BITS, GoesElsewhere, OpenState

if TYPE_CHECKING:
    from gamehost.lobby.lobby import Lobby

LOGGED_OUT = "you have logged out"
NO_SEAT = "you have no seat at this table"
_NO_ACCOUNT = "only an account has a password and log-ins: log in to one first"
_BUSY = "your password is being changed: wait for the answer"
_NO_NOTICES = "only an account is told what happens while its player is away: log in to one first"
_BUSY_NOTICES = "wait for the answer to your last question about notices"
_NO_TEXTS = "the host keeps texts for accounts only: log in to one first"
#: A change of notices, or of an empty text, counts as this number of bytes in the journal, for the rate limit.
_CHANGE_BYTES = 1024
INSIDE = (OpenState.LOBBY, OpenState.WAITING, OpenState.PLAYING)


def random_key(lobby: "Lobby", bits: int) -> str:
    """Returns a new random key of this number of bits, in hexadecimal digits."""
    return f"{lobby.below(1 << bits):0{bits // 4}x}"


def _shown(session: Session) -> dict[str, str]:
    """Returns the player's display name, by its name; empty if both are the same."""
    return {} if session.shown == session.name else {session.name: session.shown}


class LogsIn(KnowsOwn, GoesElsewhere):
    """The part of a conversation in which a client logs in, and changes its account."""

    #: The name of the client's device; `None`: the client has asked for no key.
    _device: str | None = None
    #: The key that is being stored, and may be used when it is durable.
    _awaited = ""
    #: Whether a guest has logged in with a key.
    _came_back = False
    #: Whether the password is being changed.
    _changing = False
    #: Whether a request or a change of notices is being handled.
    _asks_notices = False

    def enter(self, message: m.Enter) -> None:
        """
        Logs in as a guest, or takes back the seat that is reserved for this guest; or logs in to an account by its key.
        """
        if message.key is not UNSET and REMEMBERED_KEY.fullmatch(message.key):
            self._enter_account(message, message.key)
            return
        try:
            name = typed_name(message.name)
            key = self._key_of(message)
            session = self.lobby.enter(name, self._wire_of(message), self.peer.address, self, issued=key)
        except NameRefused as refusal:
            other = self.lobby.name_instead(message.name, refusal)
            self._refuse(f'{refusal}; "{other}" would be taken' if other else str(refusal))
            return
        self._came_back = message.key is not UNSET
        # A player that takes a seat back without the seat's key gets no new key: the first key is valid until the match
        # ends.
        self._entered(session, key.text if session.key_digest == key.digest else UNSET)

    def _wire_of(self, message: m.Enter) -> str:
        """Returns the name of the wire that other players see for this player."""
        return AGENT if message.agent is True else self._options.wire

    def _enter_account(self, message: m.Enter, key: str) -> None:
        """Logs in to an account by a key that the host gave to it before. The client keeps this key."""

        def answer(outcome: Session | LoginRefused) -> None:
            """Logs the client in if the key is valid; otherwise the client receives the refusal."""
            if isinstance(outcome, Session):
                # Not `None`: a device with a key gets a new key when the password changes.
                self._device = ""
                self._login_id = remembered_id(key)
                self._entered(outcome, key)
            else:
                self._checked(outcome)

        self.set_state(OpenState.CHECKING)
        # The client waits for the host now, so the deadline for logging in ends.
        self.peer.logged_in()
        wire, address = self._wire_of(message), self.peer.address
        attempt = self.lobby.log_in_by_key(message.name, key, wire, address, self, answer)
        # Unless the answer has come already, the log-in can be cancelled later.
        if attempt is not None and not attempt.over:
            self._attempt = attempt

    def _key_of(self, message: m.Enter) -> IssuedKey:
        """
        Returns the key in the client's message, or a new key.

        :raises NameRefused: the key does not have the form of the host's keys
        """
        if message.key is UNSET:
            return IssuedKey(random_key(self.lobby, KEY_BITS), shown=False)
        if not KEY.fullmatch(message.key):
            raise NameRefused(NameFault.INVALID, 'a key is the one that "entered" had')
        return IssuedKey(message.key, shown=True)

    def log_in(self, message: m.LogIn) -> None:
        """Logs in to an account by its password."""
        device = "" if message.device is UNSET else message.device
        if not device.isprintable():
            self._refuse("the name of a device has letters, digits, spaces and signs only")
            return
        # `keep`: the client asks for a key, with which it can log in later.
        self._device = device if message.keep is True else None
        self.check_password(OpenState.CHECKING, message.name, message.password, self._options.wire, strong=True)

    def password_checked(self, outcome: Session | LoginRefused) -> None:
        """Answers a log-in after the check of its password. A device that asked for a key gets one first."""
        if isinstance(outcome, LoginRefused):
            self.set_state(OpenState.OUTSIDE)
            # The deadline for logging in begins again.
            self.peer.logged_out()
            self._refuse(outcome.reason)
            return
        account = self.lobby.own_account(outcome)
        if self._device is None or account is None:
            self._entered(outcome)
        else:
            # The client waits until its key is durable. Otherwise a crash could make a key invalid that the client has
            # already received.
            self.session = outcome
            self._awaited = self._remember(account, self._key_is_durable)

    def _remember(self, account: OwnAccount, given: Callable[[str], None]) -> str:
        """
        Makes a key for this device, and returns it. `given` is called with the key when it is durable, unless the
        client has gone meanwhile.
        """
        session, key = self.session, random_key(self.lobby, REMEMBERED_KEY_BITS)

        def remembered() -> None:
            """Called when the key is durable."""
            # Unless the client has logged out, or a newer connection has the session.
            if session is not None and self.session is session and session.player is self:
                self._login_id = remembered_id(key)
                given(key)

        account.remember(key, self._device or "", remembered)
        return key

    def _key_is_durable(self, key: str) -> None:
        """Completes the log-in after its key was stored."""
        if self.session is None:
            return
        # The client still waits for `entered`. Otherwise `enter_before_its_key` has sent it already, and only the waiting
        # at the player's tables must continue.
        if self.state is OpenState.CHECKING:
            self._entered(self.session, key)
        elif self.handle is None:
            self.lobby.goes_on_waiting(self.session)

    def enter_before_its_key(self) -> None:
        """
        Sends `entered` at once if the client still waits for its key, because a message about a table is to be sent
        now: for example, a friend has just taken a seat.
        """
        if self.state is OpenState.CHECKING and self.session is not None:
            self.logged_in(self.session)
            session, account = self.session, True if self.session.account else UNSET
            entered = m.Entered(
                session.name, self._awaited or UNSET, UNSET, account, shown_as=told_shown(_shown(session))
            )
            self.peer.say(entered)
            self.set_state(OpenState.LOBBY)

    def seated(self, handle: SeatHandle[Any]) -> None:
        """Takes a seat. `entered` is sent first, and the list of own matches is updated."""
        self.enter_before_its_key()
        super().seated(handle)
        # The client receives the list of its matches: the new one is added.
        if self._list is not None:
            self._list.sit()

    def _entered(self, session: Session, key: str | UnsetType = UNSET) -> None:
        """
        Completes a log-in. A client that may have been here before first needs the matches that have ended meanwhile.
        """
        # A client with a seat returns to its match at once. A new guest has missed nothing.
        if session.table_id is not None or not (session.account or self._came_back):
            self._welcome(session, key, ())
            return
        # The client waits in the state CHECKING until the store has answered.
        self.session = session
        self._awaited = "" if key is UNSET else key
        self.set_state(OpenState.CHECKING)

        def found(matches: Sequence[OwnedMatch]) -> None:
            """Called with the player's list of matches. The ended ones are sent with `entered`."""
            if self.session is not session:
                return
            if self.state is OpenState.CHECKING:
                self._welcome(session, key, [one for one in matches if one.state == "over"])
            # `enter_before_its_key` has sent `entered` already, without the ended matches.
            elif self.handle is None:
                self.lobby.goes_on_waiting(session)

        self._own.find(session.record, found, session.key)

    def _welcome(self, session: Session, key: str | UnsetType, missed: Sequence[OwnedMatch]) -> None:
        """
        Sends `entered`, and returns the client to its table, or to the lobby.

        :param missed: the matches that have ended while the player was away
        """
        self.logged_in(session)
        table, account = session.table_id, True if session.account else UNSET
        told = rows(missed) or UNSET
        shown = shown_of(missed) | _shown(session)
        entered = m.Entered(session.name, key, UNSET if table is None else table, account, told, told_shown(shown))
        self.peer.say(entered)
        if table is None:
            # An earlier connection of the same player may have left a place in a queue.
            self.lobby.stop_waiting(session)
            self.set_state(OpenState.LOBBY)
            # Tables of the player may still wait for it.
            self.lobby.goes_on_waiting(session)
        else:
            self.set_state(OpenState.PLAYING)
            self.lobby.goes_on_waiting(session)
            self.lobby.reconnect(session)

    def looks_on(self) -> dict[str, Any] | None:
        """See `LookingOn.looks_on`. Also says whether the client receives the list of its matches."""
        looks = super().looks_on()
        return None if looks is None else {**looks, "mine": self._list is not None}

    def look_on(self, looks: Mapping[str, Any]) -> None:
        """See `LookingOn.look_on`. Also sends the list of own matches again, if the client receives it."""
        super().look_on(looks)
        if looks["mine"] and self.session is not None:
            self.ask_mine(m.AskMine())

    # -- the own account

    def _account(self) -> OwnAccount | None:
        """Returns the account of the client; `None`: the client is a guest, and was sent a refusal."""
        account = None if self.session is None else self.lobby.own_account(self.session)
        if account is None:
            self._refuse(_NO_ACCOUNT)
        return account

    def ask_log_ins(self, message: m.AskLogIns) -> None:
        if (account := self._account()) is not None:
            self._tell_log_ins(account)

    def _tell_log_ins(self, account: OwnAccount) -> None:
        """Reads and sends the devices that have a key of the account."""

        def found(devices: Sequence[Device]) -> None:
            """Sends the devices. `here` marks the one of this connection."""
            rows = [
                m.LogInRow(one.id, one.name, one.since, one.seen, here=True if one.id == self._login_id else UNSET)
                for one in devices
            ]
            # The client has not logged out meanwhile.
            if self.session is not None:
                self.peer.say(m.LogIns(rows))

        account.devices(found)

    def log_out(self, message: m.LogOut) -> None:
        """
        Ends keys of the account: those that the message names. Without any, ends the key of this connection, and closes
        the connection.
        """
        if (account := self._account()) is None:
            return
        if message.everywhere is True:
            account.end_all(partial(self._tell_log_ins, account))
        elif message.id is not UNSET:
            account.end(message.id, partial(self._tell_log_ins, account))
        else:
            account.end(self._login_id, self._say_logged_out)

    def _say_logged_out(self) -> None:
        self.say_closing(LOGGED_OUT)
        self.peer.hang_up(LOGGED_OUT)

    def change_password(self, message: m.ChangePassword) -> None:
        """Changes the password of the account, after a check of the old one. Only one change at a time."""
        account = self._account()
        if account is None:
            return
        if self._changing:
            self._refuse(_BUSY)
            return
        self._changing = True
        answer, waits = self._password_answered, self.tell_log_in_waits
        attempt = account.change_password(message.old, message.new, self.peer.address, answer, waits)
        if self._changing:
            self._attempt = attempt

    def _password_answered(self, refusal: str | None) -> None:
        """
        Sends the result of a change of the password. A client with a key gets a new key, because the change has ended
        all keys.

        :param refusal: the reason why the password was not changed; `None`: it was changed
        """
        self._attempt = None
        self._changing = False
        if self.session is None:
            return
        account = self.lobby.own_account(self.session)
        if refusal is not None:
            self._refuse(refusal)
        elif self._device is None or account is None:
            self.peer.say(m.PasswordChanged())
        else:
            self._remember(account, lambda key: self.peer.say(m.PasswordChanged(key)))

    def set_notices(self, message: m.SetNotices) -> None:
        """Sends the player's settings of notices, or changes one of them."""
        if self._asks_notices:
            self._refuse(_BUSY_NOTICES)
            return
        session, own = self.session, self.lobby.own
        account = None if session is None else self.lobby.own_account(session)
        # A client without a log-in has no account here, but may prove its identity by a link from a mail.
        notices = OwnNotices(own.notices, None if account is None else account.key, self._login_id)
        # The client only asks for the settings.
        if message.by is UNSET or message.set is UNSET:
            if session is not None and account is None:
                self._refuse(_NO_NOTICES)
                return
            self._asks_notices = True
            notices.state(self._tell_notices)
            return
        # A change is written to the disk, so it counts against the rate limit of the journal.
        self.peer.journaled(_CHANGE_BYTES)
        self._asks_notices = True
        notices.change(message.by, message.set, partial(self._notices_changed, notices))

    def _notices_changed(self, notices: OwnNotices, refusal: str | None) -> None:
        """Sends the new settings after a change of notices, or the reason of its refusal."""
        if refusal is None:
            notices.state(self._tell_notices)
            return
        self._asks_notices = False
        self._refuse(refusal)

    def _tell_notices(self, ways: Mapping[str, Mapping[str, Any]]) -> None:
        """Sends the player's settings of each kind of notice."""
        self._asks_notices = False
        self.peer.say(m.NoticeWays({name: dict(facts) for name, facts in ways.items()}))

    def keep(self, message: m.Keep) -> None:
        """
        Handles a message about a text that the host stores for the client's account. If the message has a text, it is
        stored. Otherwise the stored text is sent to the client.
        """
        account = None if self.session is None else self.lobby.own_account(self.session)
        if account is None:
            self.peer.refuse(m.Refused(_NO_TEXTS, message.id))
            return
        if (why := self._why_not_kept(message)) is not None:
            self.peer.refuse(m.Refused(why, message.id))
            return
        game, table, text = message.game, message.table, message.text
        # A text belongs to a game or to a match.
        place = place_of(table) if game is UNSET else game
        # Without a text, the stored one is sent.
        if text is UNSET:
            account.find_kept(place, lambda found: self._tell_kept(m.Kept(game, table, found)))
        else:
            self.peer.journaled(_CHANGE_BYTES + len(text.encode()))
            account.keep(place, text, partial(self._tell_kept, m.Kept(game, table)))

    def _why_not_kept(self, message: m.Keep) -> str | None:
        """Returns the reason why the host refuses to store or send this text; `None`: it does not refuse."""
        game, table, text = message.game, message.table, message.text or ""
        # Both are given, or none.
        if (game is UNSET) is (table is UNSET):
            return 'expected "game" or "table", and not both'
        if game is not UNSET and game not in self._options.games:
            return f"no such game; expected one of {', '.join(self._options.games)}"
        if table is not UNSET and not self._sits_at(table):
            return NO_SEAT
        if len(text.encode()) > MOST_KEPT:
            return f"a text has at most {MOST_KEPT} bytes in UTF-8"
        return None if text.isprintable() else "a text has letters, digits, spaces and signs only"

    def _sits_at(self, table: int) -> bool:
        """Whether the client has a seat in this match, which may be a slow one."""
        return (self.handle is not None and self.handle.table == table) or self._slow_seat(table) is not None

    def _tell_kept(self, kept: m.Kept) -> None:
        if self.session is not None:
            self.peer.say(kept)

    #: (state, message) -> the method that handles it, as in `HEARS`.
    ACCOUNT: ClassVar[Any] = {
        (OpenState.OUTSIDE, m.Enter): enter,
        (OpenState.OUTSIDE, m.LogIn): log_in,
        **dict.fromkeys(((state, m.AskLogIns) for state in INSIDE), ask_log_ins),
        **dict.fromkeys(((state, m.LogOut) for state in INSIDE), log_out),
        **dict.fromkeys(((state, m.Keep) for state in INSIDE), keep),
        **dict.fromkeys(((state, m.ChangePassword) for state in INSIDE), change_password),
        **dict.fromkeys(((state, m.SetNotices) for state in (OpenState.OUTSIDE, *INSIDE)), set_notices),
    }
