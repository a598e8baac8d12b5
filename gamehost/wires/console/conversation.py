"""
The conversation of the console, `->` from the person, `<-` from the host. All is text; the prompt is `>` and a space,
without a line end::

                                 <- gamehost: Onitama, ...
                                 <- 3 tables, 5 people, 2 waiting. Type help, or: play onitama
    -> name ann                  <- You are ann.                        or a reason; `play` without a name makes a guest
    -> login ann                 <- Password:                           the next line is the password
    -> play onitama easy         <- Match 12: Onitama. ...              then the board, and what to type
    -> ox c1 c2                  <- You played ox c1 c2.                during a match, a line that is not a command is a move
    -> draw                      <- You offer a draw. ...               the opponent is asked, and types accept or decline
    -> resign                    <- Do you want to give the match up?   yes resigns
    connection lost
    -> name ann      (again)     <- You are back in match 12 ...        with the board

The answer to a line that is not possible is one sentence: the reason, and what to type instead.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import partial
from math import ceil
from typing import Any, ClassVar

from gamehost.accounts.login import LOG_IN_WAITS, LoginRefused
from gamehost.accounts.names import NameRefused, key_of
from gamehost.games.base import MOVE_DAYS, Offer, Seat
from gamehost.games.screen import MoveRefused
from gamehost.journal.records import OwnedMatch, TableId
from gamehost.lobby.opened import can_come_back
from gamehost.lobby.own_matches import OwnMatches
from gamehost.lobby.queues import PHRASES, CannotJoin, HouseRefused, NeedsAccount, Played, Said, TooManyTables
from gamehost.lobby.sessions import Session
from gamehost.tables.interfaces import (
    Back,
    Declined,
    Displaced,
    Left,
    NoNewMatches,
    Offered,
    OpenTable,
    Over,
    Refused,
    SeatHandle,
    Suspended,
    TableClosed,
    Unmatched,
)
from gamehost.wires.base import SUSPENDED
from gamehost.wires.console import codec as m
from gamehost.wires.console.codec import HIDE, SHOW
from gamehost.wires.console.commands import (
    DIRECTIONS,
    Asked,
    NotNow,
    NotUnderstood,
    as_shown,
    as_typed,
    asked,
    beginning,
    find_command,
    greeting,
    name_refused,
    nearest,
    page,
    people,
    sentence,
    table_and_code,
    tables,
    title,
    waiting,
    waiting_line,
)
from gamehost.wires.console.elsewhere import ConsoleState
from gamehost.wires.console.languages import commands
from gamehost.wires.console.matches import OwnMatch
from gamehost.wires.console.mine import OneLook, mine_lines, missed_lines
from gamehost.wires.console.slow import SitsAtSlow
from gamehost.wires.framing import UndecodableLine, wrong_port
from gamehost.wires.seeking import SeekRefused, Wanted, find_table, join_table, play_house

#: The states in which a line may be a command or a move.
_TYPING = (ConsoleState.OUTSIDE, ConsoleState.LOBBY, ConsoleState.WAITING, ConsoleState.PLAYING)
#: The states in which the host waits for a password or checks one.
_SECRET = (ConsoleState.PASSWORD, ConsoleState.CHECKING)

_YES = frozenset({"yes", "y"})

#: How many names are tried for a guest without a name. A name may be taken at the same moment, or look like another name.
_TRIES = 20

#: The answer to a command that needs a match, if the person has none.
_NO_MATCH = "No match is on. To begin one, type: play onitama"


def _no_house(reason: str, game: str) -> NotNow:
    return NotNow(f"{sentence(reason)} To play with somebody who comes, type: play {game}")


class ConsoleConversation(SitsAtSlow):
    """
    The conversation on one connection of the console.

    :param options: the wire's games
    """

    declines: bool = False

    #: Whether the last answer asked the person to confirm a resignation.
    _asked_to_resign = False
    #: The last match, and how many phrases this person has sent to its players.
    _played: Played | None = None
    _phrases = 0

    def begin(self) -> None:
        games, closed = list(self._options.games), self.lobby.no_tables
        self._printer.print(*greeting(games, self._directory.counts(), closed))
        self._printer.prompt()

    def set_state(self, state: Enum) -> None:
        super().set_state(state)
        self._printer.secret = state in _SECRET

    def _tell(self, *sentences: str) -> None:
        self._write_collected()
        self._printer.print(*sentences)
        self._printer.prompt()

    def _tell_listing(self, lines: Sequence[str]) -> None:
        self._write_collected()
        self._printer.listing(lines)
        self._printer.prompt()

    # -- lines

    def hear(self, message: m.Message) -> None:
        """Handles a message of the client. After a line, sends a prompt unless the answer follows later."""
        # Sentences about earlier events come in front of the answer.
        self._write_collected()
        if not isinstance(message, m.Line | UndecodableLine):
            super().hear(message)
            return
        printer = self._printer
        printer.typed()
        printer.hearing = True
        printer.awaiting = False
        try:
            super().hear(message)
            self._write_collected()
        finally:
            printer.hearing = False
        printer.prompt()

    def line(self, message: m.Line) -> None:
        """
        Handles a typed line: a command, a move, or the answer to the question whether the person resigns. An empty line
        does nothing.
        """
        words = message.text.split()
        # Only the line right after the question answers it.
        asked, self._asked_to_resign = self._asked_to_resign, False
        if not words:
            return
        if asked and len(words) == 1 and words[0].casefold() in _YES:
            words = ["resign", "yes"]
        try:
            self._carry_out(words, message.text)
        except NotUnderstood as error:
            self._printer.refuse(str(error))

    def _carry_out(self, words: list[str], text: str) -> None:
        """
        Performs the command or the move in a line. A line that can be both is a move during a match.

        :raises NotUnderstood: the line is neither a command nor a move
        """
        first = words[0].casefold()
        if self.handle is not None and first not in commands() and self._play_move(first, words, text):
            return
        command = find_command(first)
        if command is None:
            raise NotUnderstood(self._strange(first, text))
        try:
            self.DOES[command](self, words[1:])
        # A command that is not possible now is refused here; a line that is not valid is refused by the caller.
        except NotNow as reason:
            self._printer.refuse(str(reason))
        if self.state is ConsoleState.OUTSIDE and command not in ("name", "quit"):
            # a person who only reads pages or watches needs no name, so the deadline for logging in ends
            self.peer.logged_in()

    def _play_move(self, first: str, words: list[str], text: str) -> bool:
        """
        Plays the typed move, or refuses it. Returns `False` if the line is not a legal move, but the beginning of a command.

        :raises NotUnderstood: the line is not a legal move, and several commands begin with it
        """
        own = self._own
        assert own is not None
        try:
            actions = own.screen.read(text)
        except MoveRefused as refusal:
            command = None if first in DIRECTIONS else find_command(first)
            # A command without parameters is not meant if more words follow: `boar a1 a9` is a move with a card, not the
            # command `board`.
            if command is not None and (len(words) == 1 or " " in commands()[command].usage):
                return False
            # A single longer word may be a misspelled command, such as `baord`.
            near = nearest(first, commands()) if len(words) == 1 and len(first) > 3 else None
            self._printer.refuse(f"{refusal} Or did you mean the command {near}?" if near else str(refusal))
            return True
        # `careful`: an action that loses the match at once is refused, because a person may have mistyped it. Actions
        # stop when the match is over.
        own.play(actions, lambda action: self.act(action, careful=True), lambda: self.handle is not None)
        return True

    def _strange(self, first: str, text: str) -> str:
        """Returns the answer to a line that is not a command, outside a match."""
        sentence = wrong_port(text.encode("utf-8"), m.SPOKEN)
        # The line looks like another protocol.
        if sentence is not None:
            return f"{sentence[:1].upper()}{sentence[1:]}."
        near = nearest(first, (*commands(), *self._options.games))
        if near in self._options.games:
            return f"Did you mean the game? Type: play {near}"
        if near is not None:
            return f"This is no command, and no match is on. Did you mean {near}? Type help to see all commands."
        return "This is no command, and no match is on. Type help to see all commands, or: play onitama"

    def unreadable(self, message: UndecodableLine) -> None:
        self._printer.refuse(message.reason)

    def unexpected(self, message: m.Message) -> None:
        """Refuses a line that comes while a password is being checked. Messages of telnet are accepted at any time."""
        self._printer.refuse("Your password is being checked. Wait for the answer.")

    def help(self, words: list[str]) -> None:
        self._printer.show(page(words, self._options.games, self._printer.language))

    def quit(self, words: list[str]) -> None:
        """Performs the command `quit`: closes the connection. A person in a match is informed how to come back."""
        # Without a match, or in a match with days for a move, no time limit for coming back must be named.
        if self.handle is None or self._slow is not None:
            self._printer.print("Goodbye.")
        else:
            name = self.name_of(self.handle.seat)
            back = f"login {name}" if self.session is not None and self.session.account else f"name {name}"
            seconds = f"{self.lobby.grace:g} s"
            self._printer.print(f"Goodbye. Your seat is kept for {seconds}: connect again and type: {back}")
        self.peer.hang_up()

    # -- names

    def name(self, words: list[str]) -> None:
        """Performs the command `name`: takes a name, or the seat that is reserved under this name."""
        self._need_no_place()
        if not words:
            raise NotUnderstood("Say which name. For example: name ann")
        text = " ".join(words)
        try:
            # `typed`: the name may have the letters of a display name.
            session = self.lobby.enter(text, self._options.wire, self.peer.address, self, typed=True)
        except NameRefused as refusal:
            raise NotNow(name_refused(refusal, self.lobby.name_instead(text.partition(":")[0], refusal))) from None
        self._entered(session)

    def login(self, words: list[str]) -> None:
        """Performs the command `login`: asks for the password of an account. The name may have several words."""
        self._need_no_place()
        if not words:
            raise NotUnderstood("Type your name; you are asked for the password. For example: login ann")
        self._account = " ".join(words)
        self._ask_password("Password", None)

    def change_password(self, words: list[str]) -> None:
        """Performs the command `password`: asks for the old password and then for the new one."""
        account = None if self.session is None else self.lobby.own_account(self.session)
        if account is None:
            raise NotNow("Only an account has a password. To get one, see: help login")
        if self.state is not ConsoleState.LOBBY:
            raise NotNow("You can change your password when you have no match and wait for none.")

        def answered(refusal: str | None) -> None:
            """Shows whether the password was changed. A text is the reason why it was not."""
            self._attempt = None
            # The state in which the command was typed.
            self.set_state(self._before)
            if refusal is None:
                self._printer.print("Your password is changed.")
            else:
                self._printer.refuse(f"{sentence(refusal)} Your password is as it was.")
            self._printer.prompt()

        def change(old: str, new: str) -> None:
            """Asks the host to change the password. `answered` is called with the result, at once or later."""
            self.set_state(ConsoleState.CHECKING)
            attempt = account.change_password(old, new, self.peer.address, answered, self.tell_log_in_waits)
            # Unless the answer has come already, the change can be cancelled later.
            if self.state is ConsoleState.CHECKING:
                self._attempt = attempt

        # Empty: the next passwords are not for a log-in.
        self._account = ""
        self._ask_password("Old password", lambda old: self._ask_password("New password", partial(change, old)))

    def _ask_password(self, what: str, given: Callable[[str], None] | None) -> None:
        """
        Asks for a password. Telnet does not show the next line.

        :param given: called with the password, if it is not empty; `None`: the password is for a log-in
        """
        # A second question, for the new password, must not replace the state to return to.
        if self.state is not ConsoleState.PASSWORD:
            self._before = self.state
        self._given = given
        self.set_state(ConsoleState.PASSWORD)
        self._printer.negotiate(HIDE)
        self._printer.ask(f"{what}: " if self._printer.telnet else f"{what} (it is shown while you type): ")

    def password(self, message: m.Line | UndecodableLine) -> None:
        """
        Handles the line with a password. An empty line, or one that cannot be read, cancels the log-in or the change.
        """
        if self._printer.telnet:
            self._printer.negotiate(SHOW)
            self._printer.show(("",))  # telnet has not shown the line end of the password either
        text = message.text if isinstance(message, m.Line) else ""
        given, self._given = self._given, None
        if not text:
            self.set_state(self._before)
            # An empty `_account` means that the person was changing the password.
            again = "You are not logged in. To try again, type login and your name."
            self._printer.refuse(again if self._account else "Your password is as it was. To try again, type password.")
            return
        if given is not None:
            given(text)
        else:
            self.check_password(ConsoleState.CHECKING, self._account, text, self._options.wire, strong=True)

    def password_checked(self, outcome: Session | LoginRefused) -> None:
        """Handles the result of a log-in: the person has this name now, or keeps the state before the log-in."""
        if isinstance(outcome, Session):
            self._entered(outcome)
        else:
            self.set_state(self._before)
            # The person still has no name, so the deadline for logging in begins again.
            if self._before is ConsoleState.OUTSIDE:
                self.peer.logged_out()
            self._printer.refuse(f"{sentence(outcome.reason)} To try again, type login and your name.")
        self._printer.prompt()

    def _need_no_place(self) -> None:
        """Refuses another name to a person that plays or waits under the present name, by `NotNow`."""
        if self.state is ConsoleState.PLAYING:
            raise NotNow("You are in a match, and keep your name until it is over. To give it up, type: resign")
        if self.state is ConsoleState.WAITING:
            raise NotNow("You wait for opponents under your name. To change it, type cancel first.")

    # -- a name for a guest, and its reserved seat

    def _entered(self, session: Session) -> None:
        """Gives the person this name, and gives up the name before. A person with a reserved seat returns to it."""
        before = self.session
        self.session = None
        # A person that logs in again under the same name keeps the session.
        if before is not None and before is not session:
            self.lobby.leave(before, self)
        self.logged_in(session)
        table = session.table_id
        if table is None:
            # An earlier connection of the same person may have left a place in a queue.
            self.lobby.stop_waiting(session)
            self.set_state(ConsoleState.LOBBY)
            self._printer.print(f"You are {session.shown}. To play, type: play onitama")
            # The person may have left tables that still wait.
            self.lobby.goes_on_waiting(session)
        else:
            self._printer.print(f"You are {session.shown}, and your seat in match {table} is yours again.")
            self.set_state(ConsoleState.PLAYING)
            self._printer.awaiting = True
            self.lobby.goes_on_waiting(session)
            self.lobby.reconnect(session)
        # Ask the store for matches that ended while the person was away; they are shown later.
        self._lists.find(session.record, partial(self._tell_missed, session), session.key)

    @property
    def _lists(self) -> OwnMatches:
        return self.lobby.own

    def _tell_missed(self, session: Session, matches: Sequence[OwnedMatch]) -> None:
        """Shows the matches that ended while the person was away, and marks them as seen."""
        over = [one for one in matches if one.state == "over"]
        # The person may have taken another name since the question.
        if self.session is session and over:
            self._tell_listing(missed_lines(over))
            for one in over:
                self._lists.seen(session, one.table)

    def mine(self, words: list[str]) -> None:
        """Performs the command `mine`: lists the own matches."""
        session, lists = self.session, self._lists
        if session is None:
            raise NotNow("Take a name first: then this lists your matches. For example: name ann")

        def told(matches: Sequence[OwnedMatch]) -> None:
            """Shows the list, and ends the look at it: the list is needed only once, without its later changes."""

            lists.look_away(session.key)
            if self.session is session:
                self._printer.awaiting = False
                self._tell_listing(mine_lines(matches, session.name, lists.now))

        self._printer.awaiting = True
        lists.look(session, OneLook(self.handle, told))

    def _need_name(self) -> Session:
        """
        Returns the person's session. A person without a name becomes a guest, and gets a name with a number.

        :raises NotUnderstood: the host accepts no players now
        """
        if self.session is not None:
            return self.session
        reason = ""
        for _ in range(_TRIES):
            try:
                name = self._directory.new_guest()
                # `given`: the host itself has chosen the name.
                session = self.lobby.enter(name, self._options.wire, self.peer.address, self, given=True)
            except NameRefused as refusal:
                # The name is taken, or looks like another one: try the next number.
                reason = str(refusal)
                continue
            self.logged_in(session)
            self.set_state(ConsoleState.LOBBY)
            self._printer.print(f"You are {session.name}. For another name, type name and the name before you play.")
            return session
        raise NotUnderstood(sentence(reason))

    # -- opponents

    def play(self, words: list[str]) -> None:
        """
        Performs the command `play`: looks for opponents, or begins a match against house players.

        :raises NotUnderstood: the words are not valid, or this host has no such match
        """
        # Check everything first, before the person gives up a place in another queue.
        want = asked(words, self._options.games)
        self._need_no_match()
        try:
            sought = self._wanted(want.sought)
        except SeekRefused as refusal:
            game = want.sought.game
            raise NotUnderstood(f"{sentence(str(refusal))} For example: play {game}") from None
        if want.level and (reason := self._house.why_not(want.sought.game)) is not None:
            raise _no_house(reason, want.sought.game)
        if (closed := self.lobby.why_no_match(want.sought.game)) is not None:
            raise NotNow(sentence(closed))
        session = self._need_name()
        self.lobby.stop_waiting(session)
        self._looking.stop()
        self._seeks = want.sought
        self.set_state(ConsoleState.WAITING)
        if want.level:
            self._play_house(session, sought, want.level)
        elif want.against and not self._waits(want.against, sought):
            self._invite(session, want, sought)
        # The person still waits, in the game's queue: say how to stop. At a table, other sentences say it.
        elif not self._wait(session, sought) and sought.in_queue:
            self._printer.print(*self._waiting_words(sought))
        self._printer.awaiting = session.table_id is not None  # the events of the match come at once

    def _wait(self, session: Session, sought: Wanted) -> bool:
        """
        Begins to wait in the game's queue, or at a table. Returns whether a match has begun at once. At a table this is
        always `False`, because a match there begins with its events.
        """
        if sought.in_queue:
            return self.lobby.play(session, sought.queue)
        self._open(session, sought)
        return False

    def _wait_no_longer(self, why: str) -> None:
        self._rest()
        self._printer.refuse(sentence(why))

    def _rest(self) -> None:
        """
        Returns to the state of a person without a match: waiting, if a table of the person still waits, otherwise in
        the lobby.
        """
        waits = self.session is not None and self.lobby.waits_at_table(self.session)
        self.set_state(ConsoleState.WAITING if waits else ConsoleState.LOBBY)

    def _play_house(self, session: Session, sought: Wanted, level: str) -> None:
        """Begins a match against house players. Raises `NotNow` if this is not possible."""
        try:
            play_house(self.lobby, session, sought, level)
        except HouseRefused as refusal:
            self._rest()
            raise _no_house(str(refusal), sought.played.game.name) from None

    def _need_no_match(self) -> None:
        """:raises NotNow: a match is on"""
        if self.handle is not None or self.state is ConsoleState.PLAYING:
            raise NotNow("You are in a match. Type board to see it, or resign to give it up.")

    def _waiting_words(self, sought: Wanted) -> list[str]:
        """
        Returns the sentences for a person that waits in a queue: how to stop, and when the host plays instead of an
        opponent.
        """
        game = sought.played.game.name
        lines = [f"You wait for an opponent in {title(game)}. To stop, type: cancel"]
        seconds = self._house.rules.seconds.get(game, 0)
        # House players can play this game here.
        if self._house.why_not(game) is None:
            lines.append(f"If nobody comes in {seconds:g} s, the host plays. To begin at once, type: play {game} easy")
        return lines

    def _waits(self, name: str, sought: Wanted) -> bool:
        """Whether a player of this name waits for this game: in its queue, or at a table that fits."""
        here = self._directory.waiting().get(sought.played.game.name)
        if here is None:
            return False
        names = [*here.names, *(one for table in here.tables if sought.fits(table) for one in table.names)]
        # Players that are not connected do not count.
        away = {one for table in here.tables for one in table.away}
        return key_of(name) in (key_of(one) for one in names if one not in away)

    def _invite(self, session: Session, want: Asked, sought: Wanted) -> None:
        """Opens a private table for an opponent who does not wait yet."""
        there = any(key_of(one.name) == key_of(want.against) for one in self._directory.people())
        where = "does not wait for this game now" if there else "is not here now"
        self._printer.print(f"Your opponent {where}. You get a private table.")
        private = Wanted(sought.played, sought.seats, sought.settings, private=True, wish=sought.wish, in_queue=False)
        self._open(session, private)

    def _open(self, session: Session, sought: Wanted) -> None:
        """
        Takes a seat at a fitting table, or opens a new table. If the host refuses this, the person returns to the
        lobby.
        """
        try:
            find_table(self.lobby, session, sought, self._tell_opened)
        except (TooManyTables, CannotJoin) as error:
            self._wait_no_longer(str(error))

    def _tell_opened(self, table: OpenTable) -> None:
        """Shows how others can join the person's own table, which is stored now."""
        # While a line is handled, the prompt follows after the whole answer.
        if self._printer.hearing:
            self._printer.print(*self._opened_words(table))
        else:
            self._tell(*self._opened_words(table))

    def _opened_words(self, table: OpenTable) -> list[str]:
        """Returns the sentences about the person's own table: who is there, how others can join it, and how long it waits."""
        lines, game = [waiting_line(table)], table.game
        if table.code:
            lines.append(f"Others come with: join {table.table}-{table.code}")
        else:
            lines.append(f"Others come with: join {table.table}")
        # A match with days for a move needs nobody to be connected.
        if MOVE_DAYS in table.settings:
            return [
                *lines,
                "The match begins when all seats are taken, whether you are here or not. To stop, type: cancel",
            ]
        if self.session is not None and can_come_back(self.session):
            lines.append("The table waits for a day, whether you are here or not.")
        if self._house.why_not(game) is None:
            lines.append(f"To play against the host instead, type: play {game} easy{as_typed(table)}")
        return [*lines, "To stop, type: cancel"]

    def join(self, words: list[str]) -> None:
        """Performs the command `join`: takes a seat at a table that waits. Raises `NotUnderstood` without a number."""
        table, code = table_and_code(words, "join 12")
        self._need_no_match()
        if self.session is not None and not self.lobby.may_seek(self.session):
            raise NotNow("You wait for opponents already. To stop, type: cancel")
        session = self._need_name()
        # The person has no wish of its own that could move to another host: another player has opened the table.
        self._seeks = None
        self.set_state(ConsoleState.WAITING)
        try:
            join_table(self.lobby, session, self._options.games, table, code)
        except CannotJoin as error:
            self._rest()
            # A guest cannot join any rated match, so other tables are not the way out.
            hint = "" if isinstance(error, NeedsAccount) else " Type waiting to see those that do."
            self._printer.refuse(sentence(str(error)) + hint)
        # If the person has taken the last seat, the events of the match follow now.
        self._printer.awaiting = session.table_id is not None

    def cancel(self, words: list[str]) -> None:
        """
        Performs the command `cancel`: stops waiting in a queue or at a table. With a number, or if the person waits
        only at tables that last, gives up the seat at one of these tables.
        """
        if self.session is None or (self.state is not ConsoleState.WAITING and not words):
            raise NotNow("You do not wait for anybody.")
        if self.session.table_id is not None:
            raise NotNow("The match begins just now.")
        table = table_and_code(words, "cancel 12")[0] if words else None
        # `may_seek`: the person waits only at tables that last. Such a table is given up when the store has noted it
        # (`_given_up`).
        if table is not None or self.lobby.may_seek(self.session):
            if not self.lobby.give_up_table(self.session, table, self._given_up):
                raise NotNow("No table of this number waits for you.")
            return
        self.lobby.stop_waiting(self.session)
        self._rest()
        self._printer.print("You do not wait any more.")

    def _given_up(self, table: TableId) -> None:
        """Informs the person that the seat at a waiting table is given up. A person in a match stays in it."""
        if self.handle is None and self.session is not None:
            self._rest()
        say = self._printer.print if self._printer.hearing else self._tell
        say(f"You do not wait any more at table {table}.")

    # -- the match

    def seated(self, handle: SeatHandle[Any]) -> None:
        """Takes a seat. The events of the match follow."""
        self._write_collected()
        super().seated(handle)
        self.set_state(ConsoleState.PLAYING)
        session = self.session
        screen = self._options.screens[handle.game](handle.seat, as_shown(handle.names, handle.shown_as))
        # Only a guest in an ordinary match must be informed how to come back.
        needs_none = session is None or session.account or self._slow is not None
        back = "" if needs_none or session is None else self._way_back(session)
        game = self._options.games[handle.game]
        self._match = OwnMatch(handle, screen, game, self._printer, self.alarm, back)
        self._played = None if session is None else Played.of(session)
        self._phrases = 0
        # For the commands about the present match, such as `history`; a private match needs its code.
        table = None if session is None else session.table
        self._looking.played = (handle.table, "" if table is None else table.code)

    def _way_back(self, session: Session) -> str:
        """Returns the sentence that says to a guest how to come back after a lost connection."""
        if self.lobby.comes_back(session):
            return f"If your connection is lost, connect again and type: name {session.shown}"
        return (
            "A name alone does not give your seat back here. Before your next match, log in with a password: help login"
        )

    def name_of(self, seat: Seat) -> str:
        """Returns the display name of the player in a seat."""
        assert self.handle is not None
        return as_shown(self.handle.names, self.handle.shown_as)[seat]

    def tell_other(self, event: Any) -> None:
        """Shows an event of the game in sentences."""
        if self.handle is not None and self._own is not None:
            self._own.hear(event)

    def tell_refused(self, event: Refused) -> None:
        if self._match is not None:
            self._match.refused(event)

    def tell_said(self, event: Said) -> None:
        """Shows a phrase of another player. The other player is on a wire that can send phrases."""
        self._tell(f"{event.name}: {PHRASES[event.phrase]}")

    def tell_offered(self, event: Offered) -> None:
        if self._own is not None:
            self._tell(self._own.offered(event))

    def tell_declined(self, event: Declined) -> None:
        if self._own is not None:
            self._tell(self._own.declined(event))

    def tell_left(self, event: Left) -> None:
        if self.handle is not None:
            self._tell(f"{self.name_of(event.seat)} has left the match.")

    def tell_back(self, event: Back[Any]) -> None:
        """Informs the person that a player is back. If it is this person, shows the state of the match."""
        if self.handle is None or self._own is None:
            return
        if event.seat == self.handle.seat:
            self._own.back(event)
        # In a slow match nobody is shown as away, so nobody comes back either.
        elif self._slow is None:
            self._absent.pop(event.seat, None)
            self._tell(f"{self.name_of(event.seat)} is back.")

    def tell_suspended(self, event: Suspended) -> None:
        self._printer.awaiting = False
        self._tell(sentence(SUSPENDED))
        self._end_slow()

    def tell_over(self, event: Over) -> None:
        """Shows the end of the match. The person still has the name, and may play again."""
        assert self._match is not None
        self._match.end(event, self.lobby.no_tables, self._slow)
        self._end_slow()

    def resign(self, words: list[str]) -> None:
        """Performs the command `resign`: resigns the match after a question."""
        if self.handle is None:
            raise NotNow(_NO_MATCH)
        if [word.casefold() for word in words] in (["yes"], ["y"]):
            # The end of the match follows. It says that this person has given up.
            self._printer.awaiting = True
            if self._own is not None:
                self._own.resigned = True
            self.handle.resign()
        else:
            self._asked_to_resign = True
            self._printer.print("Do you want to give the match up? Type yes, or play on.")

    @property
    def _on(self) -> OwnMatch:
        """The present match. Raises `NotNow` if the person has none."""
        if self._own is None:
            raise NotNow(_NO_MATCH)
        return self._own

    def say(self, words: list[str]) -> None:
        """
        Performs the command `say`: sends a phrase to the players of the match. Without words, or with a phrase that
        does not exist, shows all phrases.
        """
        # A phrase may be shortened, and typed with spaces instead of hyphens.
        found = beginning("-".join(words).casefold(), PHRASES) if words else []
        if len(found) != 1:
            known = (f"  say {phrase:14} {text}" for phrase, text in PHRASES.items())
            self._printer.show(["That is not one of these phrases:", *known] if words else list(known))
            return
        # The lobby limits the phrases of one match.
        why = self.lobby.say(self._played, found[0], self._phrases)
        if why is None:
            self._phrases += 1
        else:
            self._printer.refuse(sentence(why))

    def board(self, words: list[str]) -> None:
        """
        Performs the command `board`: shows the board of the own match, or else of the match that the person replays or
        watches.
        """
        if self._own is not None:
            self._own.show_board()
        elif (board := self._looking.board()) is not None:
            self._printer.show(board)
        else:
            raise NotNow(_NO_MATCH)

    # -- events of the lobby

    def tell_gathered(self, event: OpenTable) -> None:
        """Informs the person which players are at the table where the person waits, when one has come or gone."""
        # A table of the person still waits after a new log-in, or a table for a rematch was opened.
        if self.state is ConsoleState.LOBBY:
            self.set_state(ConsoleState.WAITING)
        self._printer.awaiting = False
        # otherwise the match begins now, and its first sentences follow
        if len(event.names) < event.seats or event.away:
            self._tell(waiting_line(event))

    def tell_closed(self, event: TableClosed) -> None:
        """Informs the person that a table where the person waits was closed, and why."""
        if self.handle is None:
            self._rest()
        # A person may wait at several tables that last, so the number says which one is meant.
        where = f" at table {event.table}" if event.lasted else ""
        self._tell(f"{sentence(event.why)} You do not wait any more{where}.")

    def tell_displaced(self, event: Displaced) -> None:
        """Ends this connection: the same person has logged in on another one, which receives everything from now on."""
        # Both belong to the newer connection now, so the end of this one must not leave the lobby.
        self.session = self.handle = None
        self.say_closing("You have logged in on another connection.")
        self.peer.hang_up("displaced by another connection")

    def tell_unmatched(self, event: Unmatched) -> None:
        self.set_state(ConsoleState.LOBBY)
        self._tell("Nobody came for a day. You do not wait any more.")

    def tell_no_new_matches(self, event: NoNewMatches) -> None:
        """Informs the person that the host begins no more matches. The person can stay and watch."""
        self._rest()
        self._tell(sentence(event.why))

    def say_notice(self, text: str) -> bool:
        self._tell(f"The owner of this host says: {text}")
        return True

    def tell_log_in_waits(self, seconds: float) -> None:
        self._tell(sentence(LOG_IN_WAITS.format(seconds=ceil(seconds))))

    # -- lists

    def who(self, words: list[str]) -> None:
        self._printer.listing(people(self._directory.people(), self._directory.waiting()))

    # -- the end

    def say_closing(self, reason: str) -> None:
        self.forget_attempt()
        self._write_collected()
        self._printer.print(sentence(reason))

    def end(self) -> None:
        self._looking.end()
        super().end()

    DOES: ClassVar[Mapping[str, Callable[["ConsoleConversation", list[str]], None]]] = {
        "help": help,
        "name": name,
        "login": login,
        "password": change_password,
        "who": who,
        "tables": lambda self, words: self._printer.listing(tables(self._directory.tables())),
        "waiting": lambda self, words: self._printer.listing(
            waiting(self._directory.waiting(), [*self._options.games])
        ),
        "mine": mine,
        "play": play,
        "join": join,
        "cancel": cancel,
        "sit": SitsAtSlow.sit,
        "rise": SitsAtSlow.rise,
        "rematch": SitsAtSlow.rematch,
        "holiday": SitsAtSlow.holiday,
        "board": board,
        "moves": lambda self, words: self._on.show_moves(words),
        "history": lambda self, words: self._looking.history(words),
        "clock": SitsAtSlow.show_clock,
        "claim": SitsAtSlow.claim_match,
        "draw": lambda self, words: self._on.offer(Offer.DRAW),
        "takeback": lambda self, words: self._on.offer(Offer.TAKEBACK),
        "accept": lambda self, words: self._on.answer(True),
        "decline": lambda self, words: self._on.answer(False),
        "say": say,
        "resign": resign,
        "watch": lambda self, words: self._looking.watch(words),
        "unwatch": lambda self, words: self._looking.unwatch(words),
        "records": lambda self, words: self._looking.records(words),
        "replay": lambda self, words: self._looking.replay(words),
        "study": lambda self, words: self._looking.study(words),
        "next": lambda self, words: self._looking.step(words),
        "back": lambda self, words: self._looking.step(words, -1),
        "ladder": lambda self, words: self._looking.ladder(words),
        "set": lambda self, words: self._printer.set(words),
        "language": lambda self, words: self._printer.speak(words),
        "quit": quit,
    }
    SPEAKS = m.SPOKEN
    HEARS: ClassVar[Any] = {
        **dict.fromkeys(((state, m.Line) for state in _TYPING), line),
        **dict.fromkeys(((state, UndecodableLine) for state in _TYPING), unreadable),
        (ConsoleState.PASSWORD, m.Line): password,
        (ConsoleState.PASSWORD, UndecodableLine): password,
        **dict.fromkeys(
            ((state, kind) for state in ConsoleState for kind in m.Told.__args__),
            lambda self, message: self._printer.told(message),
        ),
    }
    TELLS: ClassVar[Any] = {
        **SitsAtSlow.TELLS,
        Refused: tell_refused,
        Left: tell_left,
        Offered: tell_offered,
        Declined: tell_declined,
        Said: tell_said,
        Back: tell_back,
        Suspended: tell_suspended,
        Over: tell_over,
        OpenTable: tell_gathered,
        TableClosed: tell_closed,
        Displaced: tell_displaced,
        Unmatched: tell_unmatched,
        NoNewMatches: tell_no_new_matches,
    }
