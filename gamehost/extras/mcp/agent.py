"""
The player of a language model: its tools, and the state of its match. It has no input and output.

`Agent.hear` receives each message of the host. A tool is a generator. While it must wait for a message, it yields words
that say what it waits for. At the end it returns its text. `Call` runs one tool, for 20 seconds at most. So tools can
be tested without a connection, and several calls can run at the same time.
"""

import secrets
from collections import deque
from collections.abc import Callable, Generator, Mapping
from typing import Any, TypeAlias

from msgspec import UNSET, UnsetType

from gamehost.client.core import ClientCore, ClientError, Heard, Lost
from gamehost.extras.mcp import texts
from gamehost.games.base import Game, HasSteps, IllegalAction, Seat
from gamehost.games.installed import installed
from gamehost.games.play import messages_of, screen_of
from gamehost.games.screen import MoveRefused, Screen
from gamehost.wires.framing import WireError
from gamehost.wires.open import messages as m
from gamehost.wires.open.values import Due

#: A tool answers within so many seconds. Common clients wait for 60 seconds.
WITHIN = 20.0
#: The most events in a state.
_EVENTS = 8
_LOST = "The connection is lost, so this is what was known last."
#: A running tool. It yields what it waits for, in words, and returns its text.
Steps: TypeAlias = Generator[str, None, str]


class ToolRefused(Exception):
    """A tool has no effect, or its effect is not known. The message gives the model the reason."""


class AgentMatch:
    """The state of a match, as far as its player knows it."""

    def __init__(self, seated: m.Seated, game: Game[Any, Any]) -> None:
        """
        Begins a match.

        :param seated: the host's message about the seat
        """
        self.table, self.seat = seated.table, Seat(seated.seat)
        # Accounts may show another name than the one with which they log in.
        shown = {} if seated.shown_as is UNSET else seated.shown_as
        self.names = [shown.get(name, name) for name in seated.names]
        messages = messages_of(game)
        assert messages is not None
        self._messages = messages
        self._new_screen = screen_of(game)
        self.screen: Screen[Any] = self._new_screen(self.seat, self.names)
        self.events: deque[str] = deque(maxlen=_EVENTS)
        #: Whether the host was asked for the events before the player came back.
        self.recalling = False
        #: The seconds for a move at the time of the last event; 0: there is no limit.
        self.seconds = _seconds(seated.due)
        #: How the match has ended; empty: it is not over.
        self.over = ""

    def hear(self, event: Any) -> None:
        """Follows an event of the match."""
        self._take(self.screen, event)

    def _take(self, screen: Screen[Any], event: Any) -> None:
        """Passes an event to a screen, and stores the screen's sentences about it."""
        known = self._messages.read_event(event)
        if known is not None:
            self.events += screen.hear(known, event)

    def show(self, view: Any) -> None:
        """Called when the player is back in the match: shows the current position."""
        self.screen.show(self._messages.read_view(view, self.seat))

    def recall(self, events: list[m.Numbered]) -> None:
        """Called with the public events so far, after the player has come back."""
        self.recalling = False
        # Public events are read on a screen of a watcher, so the player's own screen does not change.
        watched = self._new_screen(None, self.names)
        self.events = deque(maxlen=_EVENTS)
        for one in events:
            self._take(watched, one.event)

    def end(self, winners: list[int], cause: str, why: str) -> None:
        self.over = texts.over_text([self.names[seat] for seat in winners], cause, why)

    def text(self, before: str = "") -> str:
        """
        Returns the state of the match as a text.

        :param before: words in front of it
        """
        return before + texts.state_text(self.table, self.screen, self.events, self.over, self.seconds, len(before))


def _seconds(due: Due) -> int:
    return 0 if isinstance(due, UnsetType) else due[0] // 1000


class Agent:
    """
    The player of a model. Its public methods without `hear` and `end` are the tools.

    :param client: the connection to the host; all its messages must be passed to `hear`
    :param keep: called with each new key, with which the seat can be taken back later
    :param below: returns a random number from 0 to n-1; by default from the operating system
    """

    def __init__(
        self,
        client: ClientCore,
        keep: Callable[[str], object] = lambda key: None,
        below: Callable[[int], int] | None = None,
    ) -> None:
        self._client, self._keep, self._below = client, keep, below or secrets.randbelow
        self.match: AgentMatch | None = None
        #: Why no more messages will come; empty: messages may come.
        self.ended = ""
        #: Why there is no connection; empty: there is one.
        self.trouble = "not connected yet"
        #: How many connections were lost.
        self._losses = 0
        #: Whether the client logs in with a key.
        self._keyed = self._key_shown()
        #: The last refusal, and the number of refusals.
        self._sorry, self._sorries = "", 0
        #: The table at which the player waits; `None`: it does not wait.
        self._waits: m.Seeking | None = None
        #: Whether `Stop` was sent although there is nothing to stop. The refusal of it is ignored.
        self._stops = False
        #: The last request for a match.
        self._sought: m.Seek | m.Join | None = None
        #: The answers to actions and to the requests after them, by id: `None`, or the words of the refusal.
        self._judged: dict[int, str | None] = {}
        #: The id of the request that is not answered yet. The host accepts one at a time.
        self._asked: int | None = None
        #: The last move of `random_move`, in the game's own notation.
        self._drawn = ""

    @property
    def ready(self) -> bool:
        """Whether there is a connection, and the seat is taken back if there was one."""
        return self._client.ready

    def _key_shown(self) -> bool:
        """Returns whether the client logs in with a key."""
        return isinstance(self._client.login, m.Enter) and self._client.login.key is not UNSET

    # -- what comes

    def hear(self, message: Heard) -> None:
        """Called with each message of the host, and with the loss of the connection."""
        match message:
            case Lost(why, again):
                self.trouble = why
                self._losses += 1
                # The host forgets what it was asked on the lost connection.
                self._asked = self._waits = None
                self._stops = False
                self._judged.clear()
                if self.match is not None:
                    self.match.recalling = False
                if again is None:
                    self.end(f"the host does not want this player back: {why}")
            case m.Entered():
                self._entered(message)
            case m.Sorry(why):
                self._refused(why)
            case m.Seeking():
                self._waits = message
            case m.Stopped(why=why):
                self._waits = None
                self._stops = False
                if why is not UNSET:
                    self._refused(why)
            case m.Seated():
                self._seated(message)
            case m.Moves(id=number) | m.Refused(id=number) if number is not UNSET:
                self._answered(number, message.why if isinstance(message, m.Refused) else None)
            case _:
                # All other messages.
                self._at_the_table(message)

    def end(self, why: str) -> None:
        """Called when no more messages will come. All running tools end with this reason."""
        self.ended = why

    def _entered(self, message: m.Entered) -> None:
        """Called after a log-in: stores a new key, and notes if the match has ended while the connection was lost."""
        self.trouble = ""
        if message.key is not UNSET:
            self._keyed = True
            self._keep(message.key)
        # The player has no seat in this match any more. The missed results may have the end of it.
        if self.match is not None and not self.match.over and message.table != self.match.table:
            self.match.over = "The match has ended while the connection was lost."
            for row in () if isinstance(message.missed, UnsetType) else message.missed:
                if row.table == self.match.table and isinstance(row.winners, list):
                    self.match.end(row.winners, str(row.cause), str(row.why))

    def _refused(self, why: str) -> None:
        """Called with a refusal of the host that is not about a move."""
        if self._stops:
            self._stops = False
            return
        self._sorry = why
        self._sorries += 1
        if self.trouble and not self._client.ready:
            # The refusal is about the log-in.
            # Without the key, the client tries the name alone.
            self.trouble = f"the host refuses the log-in: {why}"
            if not self._keyed:
                self.end(self.trouble)
            self._keyed = False
        if self.match is not None:
            self.match.recalling = False
        if self._client.seeking and self._waits is None:
            # The refusal is about the request for a match.
            # Without `Stop`, the client would seek again on its next connection. The host refuses it, because nothing
            # is sought.
            self._stops = True
            self._client.say(m.Stop())

    def _seated(self, message: m.Seated) -> None:
        """Called when the player has a seat: begins a new match, unless it is the current one."""
        self._waits = None
        before = self.match
        if before is None or before.table != message.table or before.over:
            game = installed().games.get(message.game)
            self.match = None if game is None else AgentMatch(message, game)

    def _answered(self, number: int, why: str | None) -> None:
        """
        Stores the answer to an action or request.

        :param number: its id
        :param why: the words of the refusal; `None`: it was accepted
        """
        self._judged[number] = why
        if number == self._asked:
            self._asked = None

    def _at_the_table(self, message: Any) -> None:
        """Called with a message about a table. Messages about other tables are ignored."""
        match = self.match
        if match is None or getattr(message, "table", None) != match.table:
            return
        seat = getattr(message, "seat", 0)
        name = match.names[seat] if isinstance(seat, int) and seat < len(match.names) else ""
        match message:
            case m.Event(event=event, due=due):
                match.hear(event)
                match.seconds = _seconds(due)
            case m.Back(table, n, view=view) if view is not UNSET:
                match.show(view)
                # The view has the position alone: ask for the events before it.
                match.recalling = True
                self._client.say(m.AskHistory(table, n))
            case m.History(events=events):
                match.recall(events)
            case m.Over(winners=winners, cause=cause, why=why):
                match.end(winners, cause, why)
            case m.Suspended(why=why):
                match.over = f"A fault of the host has stopped the match. {why}".rstrip()
            case m.Away():
                match.events.append(f"{name} has lost the connection.")
            case m.Back():
                match.events.append(f"{name} is back.")
            case m.Left():
                match.events.append(f"{name} has left.")
            case m.Replaced(name=instead):
                match.events.append(f"{instead} plays on for {name}.")

    # -- tools about games

    def list_games(self) -> Steps:
        yield from ()
        return texts.games_text(list(installed().games.values()))

    def rules(self, game: str) -> Steps:
        yield from ()
        return texts.rules_text(self._game(game))

    def _game(self, name: str) -> Game[Any, Any]:
        """
        Returns the installed game with a name.

        :raises ToolRefused: there is no such game
        """
        games = installed().games
        if name not in games:
            raise ToolRefused(f"there is no game {name!r}; expected one of {', '.join(games)}")
        return games[name]

    # -- tools that begin a match

    def seek(
        self,
        game: str,
        house: str = "",
        seats: int = 0,
        settings: Mapping[str, str | int | bool] = {},
        private: bool = False,
    ) -> Steps:
        """The tool that begins a match, or waits for opponents."""
        self._game(game)
        if "move_days" in settings:
            raise ToolRefused("slow matches are not for this tool: seek without move_days")
        yield from self._connected()
        return (yield from self._seats(m.Seek(game, seats or UNSET, dict(settings), house or UNSET, private)))

    def join(self, table: int, code: str = "") -> Steps:
        yield from self._connected()
        return (yield from self._seats(m.Join(table, code or UNSET)))

    def _seats(self, message: m.Seek | m.Join) -> Steps:
        """
        Asks for a match, and waits until it begins. The same request may be repeated while the player waits.

        :raises ToolRefused: the player has another match, or the host refuses
        """
        if self.match is not None and not self.match.over:
            raise ToolRefused(f"a match goes on at table {self.match.table}: call state, or resign first")
        if self._waiting and message != self._sought:
            raise ToolRefused("you wait for another match already: call wait_for_turn, or resign first")
        # Refusals are counted, because the same words may come twice.
        sorries = self._sorries
        if not self._waiting:
            # A repeated call only continues to wait.
            self._sought = message
            self.match = None
            self._say(message)
        return (yield from self._until_seated(sorries))

    @property
    def _waiting(self) -> bool:
        """Whether the player waits for opponents."""
        return self._waits is not None or self._client.seeking

    def _until_seated(self, sorries: int) -> Steps:
        """
        Waits until the match begins.

        :param sorries: the number of refusals before the request. One more ends the wait.
        """
        while self.match is None:
            if self._sorries > sorries:
                raise ToolRefused(self._sorry)
            yield self._waiting_for()
        return (yield from self.state())

    def _waiting_for(self) -> str:
        """Describes what the player waits for before a match, in words."""
        waits = self._waits
        if waits is None:
            return "the host has not answered yet"
        code = "" if waits.code is UNSET else f" and the code {waits.code}"
        where = "" if waits.table is UNSET else f" They join table {waits.table}{code}."
        return f"waiting for other players: {len(waits.names)} of {waits.seats} are there.{where}"

    # -- tools of a match

    def state(self) -> Steps:
        """The tool that returns the state of the match. While the connection is lost, it is the last known state."""
        if self.match is None:
            # After a restart of the program the seat is known only when the client is connected.
            yield from self._connected()
            if self._waiting:
                return f"No match yet: {self._waiting_for()}"
        match = self._current()
        while match.recalling:
            yield "the seat is being taken back"
        return match.text(f"{_LOST}\n" if not (self.ready or match.over) else "")

    def continue_move(self, begun: str) -> Steps:
        """The tool that lists the steps which can follow some steps of a move."""
        yield from self._connected()
        match = self._current()
        if not isinstance(match.screen.game, HasSteps):
            raise ToolRefused("in this game moves are whole: state lists them")
        if not match.screen.turn:
            raise ToolRefused("it is not your turn")
        try:
            return texts.moves_text(match.screen, begun) or "no step can follow: it is a whole move"
        except (ValueError, IllegalAction) as refusal:
            raise ToolRefused(str(refusal)) from None

    def random_move(self) -> Steps:
        """The tool that returns a random legal move, without playing it."""
        yield from self._connected()
        match = self._current()
        screen = match.screen
        game = screen.game
        if match.over or not screen.turn:
            raise ToolRefused("there is nothing to do for you now: call wait_for_turn")
        if not isinstance(game, HasSteps) and game.legal(screen.known, match.seat) is not None:
            # The legal moves can be listed, so each is as probable as any other.
            moves = texts.whole_moves(screen)
            return moves[self._below(len(moves))]
        action = game.random_action(screen.known, match.seat, self._below)
        if action is None:
            raise ToolRefused("there is nothing to do for you now: call wait_for_turn")
        # `move` accepts this text as it is.
        self._drawn = game.write(action).decode()
        return self._drawn

    def move(self, move: str) -> Steps:
        """The tool that plays a move, and returns the state after it."""
        yield from self._connected()
        match = self._current()
        if match.over:
            raise ToolRefused(match.over)
        try:
            # A move may consist of several actions, which are sent one after the other.
            actions = [self._drawn] if move == self._drawn else [one.decode() for one in match.screen.read(move)]
        except MoveRefused as refusal:
            raise ToolRefused(str(refusal)) from None
        for action in actions:
            yield from self._act(action)
        self._drawn = ""
        return (yield from self.state())

    def _act(self, action: str) -> Generator[str, None, None]:
        """
        Sends an action, and a request after it. When the request is answered, the host has judged the action, too.

        It yields what it waits for, in words, and continues after the next message of the host. If the time of the call is
        over, the last words are the answer to the model.

        :raises ToolRefused: the host has refused the action, or the connection was lost meanwhile
        """
        while self._asked is not None:
            yield "another call waits for the host"
        losses = self._losses
        try:
            number = self._client.act(action)
            self._asked = self._client.moves()
        except (ClientError, WireError) as error:
            raise ToolRefused(f"the move was not sent: {error}") from None
        # The request asks for the legal moves. The host answers it after the action.
        asked = self._asked
        while asked not in self._judged:
            if self._losses > losses:
                raise ToolRefused("the connection was lost: the move may or may not have been heard; call state")
            yield "the move was sent, but is not answered; it may or may not have been heard"
        del self._judged[asked]
        # `None` is also the answer to an action that was accepted: only refusals have words.
        if (why := self._judged.pop(number, None)) is not None:
            raise ToolRefused(why)

    def wait_for_turn(self) -> Steps:
        """The tool that waits until it is the player's turn, or the match is over."""
        yield from self._connected()
        if self.match is None and self._waiting:
            yield from self._until_seated(self._sorries)
        match = self._current()
        while not match.over and not (match.screen.turn and self.ready):
            yield "it is not your turn"
        return (yield from self.state())

    def resign(self) -> Steps:
        """The tool that resigns the match, or ends the wait for opponents."""
        yield from self._connected()
        if self.match is None and self._waiting:
            self._say(m.Stop())
            while self._waiting:
                yield "the host has not confirmed it yet"
            return "You wait no longer."
        match = self._current()
        if match.over:
            raise ToolRefused(match.over)
        # One more refusal than now is the answer to `Leave`.
        sorries = self._sorries
        self._say(m.Leave())
        while not match.over:
            if self._sorries > sorries:
                raise ToolRefused(self._sorry)
            yield "the host has not confirmed it yet"
        return match.over

    def _current(self) -> AgentMatch:
        """
        Returns the current or last match.

        :raises ToolRefused: there was no match yet
        """
        if self.match is None:
            raise ToolRefused("there is no match: call seek or join")
        return self.match

    def _say(self, message: m.ClientMessage) -> None:
        """
        Sends a message to the host.

        :raises ToolRefused: it cannot be sent
        """
        try:
            self._client.say(message)
        except (ClientError, WireError) as error:
            raise ToolRefused(str(error)) from None

    def _connected(self) -> Generator[str, None, None]:
        """Waits until there is a connection."""
        while not self.ready:
            yield "the host is not there"


class Call:
    """
    One call of a tool, which limits its time.

    :param steps: the tool
    :param now: the time in seconds
    """

    def __init__(self, agent: Agent, steps: Steps, now: float) -> None:
        self._agent, self._steps = agent, steps
        # A model's call must not last longer; then the answer asks for another call.
        self.until = now + WITHIN
        #: What the tool waits for, in words.
        self.waits = ""

    def answer(self, now: float) -> str | None:
        """
        Continues the tool. It is called after each message of the host, and when the time is over.

        :param now: the time in seconds
        :return: the answer of the tool; `None`: it must wait for more messages, at most until `until`
        :raises ToolRefused: the answer is an error
        """
        agent = self._agent
        if agent.ended:
            raise ToolRefused(agent.ended)
        try:
            self.waits = next(self._steps)
        except StopIteration as done:
            return str(done.value)
        if now < self.until:
            return None
        if not agent.ready:
            # Nothing can happen without a connection, so this is an error, with its reason.
            raise ToolRefused(f"not yet, call again: {self.waits} ({agent.trouble})")
        return f"Not yet, call again: {self.waits}"
