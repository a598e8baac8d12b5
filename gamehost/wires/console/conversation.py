"""
The conversation, `->` from the person, `<-` from the host. All is text; `>` and a space are the prompt, without a line end::

                                 <- gamehost: Onitama, ... 3 tables, 5 people, 2 waiting.
                                 <- Type help, or: play onitama
    -> name ann                  <- You are ann.                        or a reason; without it, play gives a number as a name
    -> login ann                 <- Password:                           the next line is the password
    -> play onitama easy         <- Match 12: Onitama. ...              then the board, and what to type
    -> ox c1 c2                  <- You played ox c1 c2.                what is no command is a move
    -> resign                    <- Do you want to give the match up?   yes does it
    connection lost
    -> name ann      (again)     <- You are back in match 12 ...        with the board

Whatever cannot be carried out is answered with one sentence that says why and what to type.
"""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from gamehost.accounts.login import LoginRefused
from gamehost.accounts.names import NameRefused
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.sessions import Session
from gamehost.wires.claims import claim_of_account, claim_of_guest
from gamehost.wires.console import listings
from gamehost.wires.console import messages as m
from gamehost.wires.console.commands import BY_WORD, DIRECTIONS, NotUnderstood, find_command, nearest
from gamehost.wires.console.match_side import State
from gamehost.wires.console.options import ConsoleOptions
from gamehost.wires.console.pages import overview, page
from gamehost.wires.console.screens.base import MoveRefused
from gamehost.wires.console.seeking_side import SeekingSide
from gamehost.wires.console.telnet import HIDE, SHOW
from gamehost.wires.console.words import sentence
from gamehost.wires.conversation import Claim, Peer
from gamehost.wires.framing import UndecodableLine
from gamehost.wires.guidance import wrong_port

#: The states in which a line is a command or a move.
_TYPING = (State.OUTSIDE, State.LOBBY, State.WAITING, State.PLAYING)

_YES = frozenset({"yes", "y"})

#: What needs a match, and is asked for without one.
_NO_MATCH = "No match is on. To begin one, type: play onitama"


class ConsoleConversation(SeekingSide):
    """The conversation on one connection."""

    def __init__(self, peer: Peer[m.Message], lobby: Lobby, options: ConsoleOptions) -> None:
        super().__init__(peer, lobby, options)
        #: For whom a password is awaited.
        self._account = ""
        #: The state to go back to when a log-in has failed.
        self._before = State.OUTSIDE
        #: Whether the person was asked whether to resign.
        self._asked_to_resign = False

    def begin(self) -> None:
        """Say what this is, and what to type."""
        self._printer.show(listings.greeting(list(self._options.games), self._directory.counts()))
        self._printer.prompt()

    # -- lines

    def line(self, message: m.Line) -> None:
        """A command, or a move."""
        words = message.text.split()
        asked, self._asked_to_resign = self._asked_to_resign, False
        if not words:
            return
        if asked and len(words) == 1 and words[0].casefold() in _YES:
            self.resign(["yes"])
            return
        try:
            self._carry_out(words, message.text)
        except NotUnderstood as error:
            self._refuse(str(error))

    def _carry_out(self, words: list[str], text: str) -> None:
        """
        Do what a line says. In a match, the beginning of a command may be a move too: then it is a move.

        :raises NotUnderstood: it says nothing that can be done
        """
        first = words[0].casefold()
        if self.handle is not None and first not in BY_WORD and self._play_move(first, words, text):
            return
        command = find_command(first)
        if command is None:
            raise NotUnderstood(self._strange(first, text))
        self.DOES[command](self, words[1:])
        if self.state is State.OUTSIDE and command not in ("name", "quit"):
            self.peer.logged_in()  # a person who reads pages and looks on needs no name, and all the time there is

    def _play_move(self, first: str, words: list[str], text: str) -> bool:
        """
        Play what was typed; `False`: it is no legal move, and the beginning of a command.

        :raises NotUnderstood: it is no legal move, and the beginning of several commands
        """
        assert self._screen is not None
        try:
            actions = self._screen.read(text)
        except MoveRefused as refusal:
            if first not in DIRECTIONS and find_command(first) is not None:
                return False
            near = nearest(first, BY_WORD) if len(words) == 1 and len(first) > 3 else None
            self._refuse(f"{refusal} Or did you mean the command {near}?" if near else str(refusal))
            return True
        self.play_actions(actions)
        return True

    def _strange(self, first: str, text: str) -> str:
        """What to say to a line that is no command, where no match is on."""
        sentence = wrong_port(text.encode("utf-8"), m.SPOKEN)
        if sentence is not None:
            return f"{sentence[:1].upper()}{sentence[1:]}."
        near = nearest(first, (*BY_WORD, *self._options.games))
        if near in self._options.games:
            return f"Did you mean the game? Type: play {near}"
        if near is not None:
            return f"This is no command, and no match is on. Did you mean {near}? Type help to see all commands."
        return "This is no command, and no match is on. Type help to see all commands, or: play onitama"

    def unreadable(self, message: UndecodableLine) -> None:
        """A line that is no text."""
        self._refuse(message.reason)

    def unexpected(self, message: m.Message) -> None:
        """A line while a password is being checked. What telnet tells is never out of place."""
        self._refuse("Your password is being checked. Wait for the answer.")

    def help(self, words: list[str]) -> None:
        """All commands, or a page."""
        screens = self._options.screens
        self._printer.show(page(words, screens, self._options.games) if words else overview(screens))

    def quit(self, words: list[str]) -> None:
        """Leave."""
        if self.handle is None:
            self._printer.print("Goodbye.")
        else:
            name = self.name_of(self.handle.seat)
            back = f"login {name}" if self.session is not None and self.session.account else f"name {name}"
            seconds = f"{self.lobby.grace:g} s"
            self._printer.print(f"Goodbye. Your seat is kept for {seconds}: connect again and type: {back}")
        self.peer.hang_up()

    # -- names

    def name(self, words: list[str]) -> None:
        """Take a name, or the seat that is kept under it."""
        if self._has_place():
            return
        if len(words) != 1:
            raise NotUnderstood("Say which name, in one word. For example: name ann")
        try:
            session = self.lobby.enter(words[0], self._options.wire, self.peer.address, self)
        except NameRefused as refusal:
            self._refuse(_name_refused(str(refusal)))
            return
        self._entered(session)

    def claim_of_line(self, message: m.Line) -> Claim | None:
        """What a line claims: that of the command `name` alone. Names that the host gives are nobody else's."""
        words = message.text.split()
        try:
            named = len(words) == 2 and find_command(words[0]) == "name"
        except NotUnderstood:
            return None
        return claim_of_guest(words[1]) if named else None

    def login(self, words: list[str]) -> None:
        """Ask for the password of an account."""
        if self._has_place():
            return
        if len(words) != 1:
            raise NotUnderstood("Type the name alone; you are asked for the password. For example: login ann")
        self._account = words[0]
        self._before = self.state  # type: ignore[assignment]
        self.set_state(State.PASSWORD)
        if self._telnet:
            self.peer.say(HIDE)
        self._printer.ask("Password: " if self._telnet else "Password (it is shown while you type): ")

    def password(self, message: m.Line | UndecodableLine) -> None:
        """The password, or an empty line instead of it."""
        if self._telnet:
            self.peer.say(SHOW)
            self._printer.show(("",))  # the client has not shown the Enter either
        text = message.text if isinstance(message, m.Line) else ""
        if not text:
            self.set_state(self._before)
            self._refuse("You are not logged in. To try again, type login and your name.")
            return
        self.check_password(State.CHECKING, self._account, text, self._options.wire, strong=True)

    def claim_of_password(self, message: m.Line) -> Claim | None:
        """What an account claims."""
        return claim_of_account(self._account) if message.text else None

    def password_checked(self, outcome: Session | LoginRefused) -> None:
        """Let the person in, or say why not."""
        if isinstance(outcome, Session):
            self._entered(outcome)
        else:
            self.set_state(self._before)
            if self._before is State.OUTSIDE:
                self.peer.logged_out()
            self._refuse(f"{sentence(outcome.reason)} To try again, type login and your name.")
        self._prompt()

    def _has_place(self) -> bool:
        """Whether the person has a place that goes with the name. It is told then."""
        if self.state is State.PLAYING:
            self._refuse("You are in a match, and keep your name until it is over. To give it up, type: resign")
        elif self.state is State.WAITING:
            self._refuse("You wait for opponents under your name. To change it, type cancel first.")
        else:
            return False
        return True

    # -- the match

    def resign(self, words: list[str]) -> None:
        """Give the match up, after a question."""
        if self.handle is None:
            self._refuse(_NO_MATCH)
        elif [word.casefold() for word in words] in (["yes"], ["y"]):
            self._awaiting = True
            self.handle.resign()
        else:
            self._asked_to_resign = True
            self._printer.print("Do you want to give the match up? Type yes, or play on.")

    def board(self, words: list[str]) -> None:
        """Draw the board again."""
        if self._screen is not None:
            self.show_board()
        elif self._replay is not None:
            self._printer.show(self._replay.lines(self._printer.style))
        elif self._watched is not None:
            self._printer.show(self._watched.board(self._printer.style))
        else:
            self._refuse(_NO_MATCH)

    def moves(self, words: list[str]) -> None:
        """List the moves that can be typed."""
        if self._screen is None:
            self._refuse(_NO_MATCH)
        else:
            self.show_moves()

    def clock(self, words: list[str]) -> None:
        """Tell the time that is left."""
        if self.handle is None:
            self._refuse(_NO_MATCH)
        else:
            self.show_clock()

    # -- the end

    def say_closing(self, reason: str) -> None:
        """Say why the connection ends."""
        self.forget_attempt()
        super().say_closing(reason)

    #: What each command does.
    DOES: ClassVar[Mapping[str, Callable[["ConsoleConversation", list[str]], None]]] = {
        "help": help,
        "name": name,
        "login": login,
        "who": SeekingSide.who,
        "tables": SeekingSide.list_tables,
        "waiting": SeekingSide.list_waiting,
        "play": SeekingSide.play,
        "join": SeekingSide.join,
        "cancel": SeekingSide.cancel,
        "board": board,
        "moves": moves,
        "history": SeekingSide.history,
        "clock": clock,
        "resign": resign,
        "watch": SeekingSide.watch,
        "unwatch": SeekingSide.unwatch,
        "records": SeekingSide.records,
        "replay": SeekingSide.replay,
        "next": SeekingSide.step,
        "back": SeekingSide.step_back,
        "ladder": SeekingSide.ladder,
        "set": SeekingSide.set,
        "quit": quit,
    }
    SPEAKS = m.SPOKEN
    HEARS: ClassVar[Any] = {
        **dict.fromkeys(((state, m.Line) for state in _TYPING), line),
        **dict.fromkeys(((state, UndecodableLine) for state in _TYPING), unreadable),
        (State.PASSWORD, m.Line): password,
        (State.PASSWORD, UndecodableLine): password,
        **dict.fromkeys(((state, m.Telnet) for state in State), SeekingSide.is_telnet),
        **dict.fromkeys(((state, m.Agreed) for state in State), SeekingSide.agreed),
        **dict.fromkeys(((state, m.Window) for state in State), SeekingSide.window),
        **dict.fromkeys(((state, m.Terminal) for state in State), SeekingSide.terminal),
        **dict.fromkeys(((state, m.Charset) for state in State), SeekingSide.charset),
    }
    CLAIMS: ClassVar[Any] = {
        (State.OUTSIDE, m.Line): claim_of_line,
        (State.LOBBY, m.Line): claim_of_line,
        (State.PASSWORD, m.Line): claim_of_password,
    }


def _name_refused(reason: str) -> str:
    """Why a name cannot be had, and what to type."""
    if "belongs to an account" in reason:
        return f"{sentence(reason)} If it is yours, type login and the name."
    return f"{sentence(reason)} Type name and another one."
