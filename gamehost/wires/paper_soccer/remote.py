"""
The conversation of a player of any game, or of a master of remote games. A master is a program that has the rules of a
game; the host only passes its messages on. `->` from the client, `<-` from the server, each line in a `<message
type="...">`. A player of a remote game::

    -> playerLogin <playerLogin nick="ann" gameType="nim"/>
                                 <- loginResponse <response accept="yes"/>
                                 <- gameState of the master, with the next player
    -> move <move>content</move>    to the master
                                 <- gameState with gameOver
    -> thank you                    waits for the next game
    -> leaveGame                    is out of the game, and waits for the next one
    -> logout, connection lost      is out of the game

A master::

    -> gameMasterLogin <gameMasterLogin id="nim-1" gameType="nim" playersMin="2" playersMax="2"/>
                                 <- loginResponse <response accept="yes"/>
                                 <- beginGame, when there are enough players
    -> gameState                    to all players of the game
                                 <- move, of the player to move
                                 <- playerLeftGame, when a player is out of the game
    -> playerLeftGame               puts a player out
    -> logout                       the games wait for another master

The conversation of a player of the built-in game is the one in `gamehost.wires.paper_soccer.conversation`. The settings
of a port list the types of games, the clients that may be a master, and the dialects.
"""

from collections.abc import Collection, Mapping, Sequence
from enum import Enum
from functools import partial
from typing import Any, ClassVar

from msgspec.structs import replace

from gamehost.accounts.names import composed
from gamehost.games.base import Game
from gamehost.journal.records import CHAMPIONSHIP, TableId
from gamehost.lobby.championship import ChampionshipRun
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.remote_game import RemoteGame, RemoteSeat, Results
from gamehost.lobby.remote_games import GameType, Master, NeverGiven, TooManyMasters, TypeTaken, is_game_type
from gamehost.lobby.sessions import Queue, Session
from gamehost.tables.interfaces import Displaced, Over
from gamehost.wires.base import SUSPENDED, Claim, Peer, claim_of_guest
from gamehost.wires.framing import for_people
from gamehost.wires.paper_soccer import RemoteRules, players
from gamehost.wires.paper_soccer import messages as m
from gamehost.wires.paper_soccer.conversation import UNKNOWN_TYPE, XmlConversation, XmlState

#: How many past games of a connection are remembered by their ids. A client may send a message about a game that has
#: just ended, but not about much older games.
PAST = 1_000


class Remote(Enum):
    """The state of the connection of a player or a master of remote games; before a log-in it is `XmlState.OUTSIDE`."""

    #: A player waits for a game.
    POOL = "pool"
    #: A player is in a game.
    PLAYING = "remote"
    #: The game has ended. The server waits for `thank you`, as long as it would reserve a seat.
    OVER = "over"
    #: A master is logged in.
    MASTER = "master"


_AWAITED: Mapping[Enum, str] = {
    Remote.POOL: "the game has not begun: wait for the first gameState",
    Remote.PLAYING: "the game is not over: expected move or leaveGame",
    Remote.OVER: "the game is over: expected thank you or playerLogin",
    Remote.MASTER: "you are a master: expected gameState, playerLeftGame or logout",
}


def _seat_pair(game: Game[Any, Any], pair: Sequence[Any], championship: TableId) -> bool:
    """Begins a built-in game of a championship: these two players wait in a queue that only they use."""
    names = " ".join(player.session.name for player in pair)
    for player in pair:
        player.play_in(Queue(game, f"championship {names}", {CHAMPIONSHIP: str(championship)}))
    return True


#: The seconds between two messages to a master that takes each segment for one message.
APART = 0.05

_NO_SUCH_GAME = "expected the id of a game that this connection was told of"


class _NoMaster(Exception):
    """A master's log-in is refused. The message is for the client and says why."""

    def __init__(self, error: m.LoginError, reason: str) -> None:
        super().__init__(reason)
        self.error = error


class RemoteConversation(XmlConversation):
    """
    The conversation on one connection: of a player of any game, or of a master.

    :param rules: the settings of remote games
    """

    def __init__(
        self, peer: Peer[m.Message], lobby: Lobby, wire: str, queue: Queue, strict: bool, rules: RemoteRules
    ) -> None:
        super().__init__(peer, lobby, wire, queue, strict)
        self._rules = rules
        self._games = lobby.remote
        #: The type of remote games for which this client waits as a player; `None`: it does not.
        self._kind: GameType | None = None
        #: The client's seat in a remote game; `None`: it plays none.
        self._seat: RemoteSeat | None = None
        #: Whether the client's type of game uses the loose dialect of the messages.
        self._loose = False
        #: The championship of this port; `None`: the port has none.
        self._run = self._championship() if rules.championship is not None else None
        #: The ids of this connection's past games. It is used as an ordered set.
        self._past: dict[str, None] = {}
        #: The client as a master of remote games; `None`: it is no master.
        self._master: Master | None = None
        #: Whether each message to the master must be in a segment of its own.
        self._apart = False

    # -- log-ins

    def log_in(self, message: m.PlayerLogin) -> None:
        """
        Logs in for the built-in game, or logs in and waits for a remote game. On the port of a championship, only its
        players are admitted.
        """
        game_type = message.game_type.casefold()
        if self._run is not None:
            if not self._admits(message):
                return
            # In a cluster, this host stays the one where the players of this type meet.
            self._games.play_here(message.game_type)
        if game_type in self._rules.native:
            super().log_in(message)
        elif not self._knows(message.game_type):
            self._refuse_log_in(m.LoginError.GAME_TYPE, UNKNOWN_TYPE)
        elif self._wait_as(message.nick):
            self._kind = self._games.type_of(message.game_type)
            self._games.play_here(message.game_type)
            self._loose = game_type in self._rules.loose
            self.set_state(Remote.POOL)
            self.peer.say(m.LoginResponse(dialect=m.Dialect.LOOSE if self._loose else m.Dialect.EXACT))
            self._games.wait(self._kind, self)

    def claim_of_log_in(self, message: m.PlayerLogin) -> Claim | None:
        """
        Returns the claim of a log-in, which decides the host of a cluster that handles it. All players of a type of remote
        games, or of a championship, must be at the same host. The built-in game outside a championship can be played at
        any host.

        :returns: `None`: the log-in needs no claim, because it is refused for its type of game or its name
        """
        game_type, run = message.game_type.casefold(), self._run
        builtin = game_type in self._rules.native
        if run is not None:
            possible = game_type in self._championship_types()
        else:
            possible = builtin or is_game_type(message.game_type)
        if not possible:
            return None
        anywhere = run is None and builtin
        claim = claim_of_guest(message.nick, self._queue if anywhere else None, self._strict)
        # The name is not valid.
        if claim is None:
            return None
        place = "" if anywhere else self._games.place_of(game_type)
        # `by_place`: the type of game decides which host handles the message, not the name. `anew`: the client is
        # logged in and logs in again.
        return replace(claim, place=place, by_place=not anywhere, anew=self.state is not XmlState.OUTSIDE)

    def adopt(self, session: Session) -> None:
        """
        Waits for an opponent in the built-in game, for another host of the cluster. The client has received that its
        log-in is accepted.
        """
        self.logged_in(session)
        self.set_state(XmlState.WAITING)
        self.find_opponent(session)

    # -- championships

    def _championship(self) -> ChampionshipRun:
        """Returns the championship of this port, and begins it if necessary."""
        assert self._rules.championship is not None
        game_type, count = self._rules.championship
        builtin = game_type.casefold() in self._rules.native
        # Only the games that this host plays itself are begun by it; a master begins remote games.
        opener = partial(_seat_pair, self._queue.game) if builtin else None
        return self._games.hold_championship(game_type, count, opener)

    def play_in(self, queue: Queue) -> None:
        """Waits in a queue of the championship."""
        if self.session is not None:
            self.lobby.play(self.session, queue)

    def _admits(self, message: m.PlayerLogin) -> bool:
        """Whether this player may take part in the championship. If not, the player receives the reason."""
        assert self._run is not None
        if message.game_type.casefold() not in self._championship_types():
            self._refuse_log_in(m.LoginError.GAME_TYPE, f"a championship of {self._run.game_type} is played here")
            return False
        # A guest's key may stand behind the nick.
        if not self._run.admits(composed(message.nick.partition(":")[0])):
            self._refuse_log_in(m.LoginError.NO_ROOM, "the championship has all its players")
            return False
        return True

    def _championship_types(self) -> Collection[str]:
        """Returns the names of the championship's type of game."""
        assert self._run is not None
        game_type = self._run.game_type.casefold()
        return self._rules.native if game_type in self._rules.native else (game_type,)

    def find_opponent(self, session: Session) -> None:
        """
        Waits for an opponent. In a championship, the player returns to its game, or waits until the championship begins
        its next one.
        """
        if self._run is None:
            super().find_opponent(session)
        elif self.lobby.reconnect(session):
            self._run.back(session.name)
        else:
            self._run.wait(self)

    def tell_over(self, event: Over) -> None:
        """
        Sends the end of a built-in game. In a championship, the game is noted as ended, and the next one begins if
        possible.
        """
        # The call of `super` gives up the handle, so the names are read before it.
        names = () if self.handle is None else self.handle.names
        super().tell_over(event)
        if self._run is not None:
            self._run.ended(names)
            self._run.go_on()

    def champions(self, standing: Sequence[tuple[str, int, int]]) -> None:
        """Sends the final table of the championship."""
        self.peer.say(m.ChampionsList(tuple(standing)))

    def _knows(self, game_type: str) -> bool:
        """Whether players may wait for this type of game."""
        types = self._rules.types
        # `_admits` has checked the type already.
        if self._run is not None:
            return True
        if not is_game_type(game_type):
            return False
        # `*` in the settings: players may wait for any type. Otherwise for the listed types, and for those that have or
        # had a master.
        return "*" in types or game_type.casefold() in types or self._games.knows(game_type)

    def _wait_as(self, nick: str) -> bool:
        """
        Logs in under the nick, for remote games. Returns `False` if the nick is refused; then the client has received
        the reason.
        """
        session = self._enter(nick)
        if session is None:
            return False
        # The lobby has given the player a session with a seat in the built-in game.
        if session.table_id is not None:
            self.lobby.leave(session, self)
            self._refuse_log_in(m.LoginError.NICK, "a seat in Paper Soccer is kept under this nick")
            return False
        self.logged_in(session)
        return True

    # -- messages of players

    def late(self, message: m.RemoteMove | m.ThankYou | m.LeaveGame) -> None:
        """Ignores a message about a game that had ended before the message came."""
        # Without an id, the message is taken for one about the last game.
        if message.game_id is not None and message.game_id not in self._past:
            self.unexpected(message)

    def thank_late(self, message: m.ThankYou) -> None:
        """Ignores a `thank you` for a past game of this connection."""
        if not self._past or not (message.game_id is None or message.game_id in self._past):
            super().thank_late(message)

    def thank_again(self, message: m.ThankYou) -> None:
        """Handles `thank you` after a built-in game: logs out, or waits for the next game if the settings say so."""
        # The usual case: the client logs in again for its next game.
        if not self._rules.again and self._run is None:
            self.thank(message)
        elif self._means_this_game(message) and self.session is not None:
            self.peer.exempt_from_rate()
            self.peer.no_alarm()
            self.set_state(XmlState.WAITING)
            self.find_opponent(self.session)

    def pass_on(self, message: m.RemoteMove) -> None:
        """Passes a move to the master of the game."""
        assert self._seat is not None
        if self._means_this_game(message) and self._seat.move(message.content):
            # The move counts against the rate limit of moves, and its bytes against the limit of the journal.
            self.peer.move_accepted()
            self.peer.journaled(len(message.content))

    def leave_remote(self, message: m.LeaveGame) -> None:
        """Leaves the game, and waits for the next one."""
        if self._means_this_game(message):
            assert self._seat is not None
            self._seat.leave()
            self._wait()

    def thank_in_game(self, message: m.ThankYou) -> None:
        """Ignores `thank you` of a loose client, which may come when the next game has already begun."""
        if not self._loose:
            self.unexpected(message)

    def thank_for_remote(self, message: m.ThankYou | m.LeaveGame | m.Error) -> None:
        """Waits for the next game, after the client has confirmed the end."""
        self.peer.exempt_from_rate()
        self._wait()

    def _wait(self) -> None:
        """Waits for the next game of the same type."""
        assert self._kind is not None
        # The alarm would log out a client that has not confirmed the end.
        self.peer.no_alarm()
        self._seat = None
        self.set_state(Remote.POOL)
        self._games.wait(self._kind, self)

    def _leave_remote(self) -> None:
        """Leaves the remote game, or stops waiting for one."""
        seat, self._seat = self._seat, None
        if seat is not None:
            seat.leave()
        if self._kind is not None:
            self._games.stop_waiting(self._kind, self)
            self._kind = None

    def tell_displaced(self, event: Displaced) -> None:
        """
        Ends this connection, because a newer one has the nick. The player leaves the remote game, because no player can
        return to one.
        """
        self._leave_remote()
        super().tell_displaced(event)

    def end(self) -> None:
        """Gives up the master's games or the player's place, and leaves the lobby."""
        if self._master is not None:
            # A second call finds no master and does nothing.
            master, self._master = self._master, None
            self._games.lose(master)
        self._leave_remote()
        if self._run is not None and self.session is not None:
            self._run.leave(self.session.name)
        super().end()

    def unexpected(self, message: m.Message) -> None:
        """
        Refuses a message that is not accepted now. For players and masters of remote games, it says what the host
        expects.
        """
        awaited = _AWAITED.get(self.state)
        # A player of the built-in game, or a message that is wrong in any state.
        if awaited is None or isinstance(message, m.Malformed | m.NotForServer):
            super().unexpected(message)
        elif isinstance(message, m.HelpAsked):
            self._refuse(awaited + ("" if self._strict else for_people(self.by_hand)))
        else:
            self._refuse(awaited)

    # -- events for players

    def remote_taken(self, seat: RemoteSeat) -> None:
        """Notes that a game was found for this player. It begins when its master has begun it."""
        self._seat = seat

    def remote_seated(self) -> None:
        """Notes that the game has begun."""
        assert self._seat is not None
        self._game_id = self._seat.game_id
        self._past[self._game_id] = None
        # The first key is the oldest game.
        if len(self._past) > PAST:
            del self._past[next(iter(self._past))]
        self.set_state(Remote.PLAYING)

    def remote_state(self, next_player: str, content: bytes) -> None:
        self.peer.say(m.RemoteState(self._game_id, content, next_player))

    def remote_over(self, results: Results, content: bytes) -> None:
        """
        Sends the end, and waits until the client has confirmed it. Loose clients send no confirmation, so they wait for
        the next game at once.
        """
        self.peer.say(m.RemoteState(self._game_id, content, "", tuple(results)))
        if self._loose:
            self._wait()
        else:
            # The seat at the ended game must not be left once more.
            self._seat = None
            self.set_state(Remote.OVER)
            self.peer.alarm(self.lobby.grace, self._done)

    def remote_vanished(self) -> None:
        """Waits for another game, because the found game did not begin."""
        self._seat = None
        self.set_state(Remote.POOL)

    def remote_suspended(self) -> None:
        """Sends that a fault of the host has stopped the game."""
        self.say_closing(SUSPENDED)
        self._seat = None
        self.set_state(Remote.OVER)
        # A client that confirms nothing is logged out after this time.
        self.peer.alarm(self.lobby.grace, self._done)

    # -- masters

    @property
    def at_table(self) -> bool:
        """Whether the client plays a match or is a master: a master's messages belong to matches, too."""
        return self._master is not None or self._seat is not None or super().at_table

    def register(self, message: m.GameMasterLogin) -> None:
        """Logs a master in, with its type of game and its numbers of players."""
        try:
            name, numbers = self._checked_master(message)
        except _NoMaster as refusal:
            self._refuse_log_in(refusal.error, str(refusal))
            return
        game_type = message.game_type.casefold()
        self._loose = game_type in self._rules.loose
        self._apart = game_type in self._rules.one_game
        # Loose clients name no game in their messages, so a loose master can have only one at a time.
        games = 1 if self._loose or self._apart else self._games.limits.games
        quiet = self._rules.quiet
        least, most = numbers
        master = Master(
            name, self.peer.address, self, least, most, games=games, quiet=quiet, hang_up=self._give_up_master
        )
        self._register(message.game_type, master)

    def _checked_master(self, message: m.GameMasterLogin) -> tuple[str, tuple[int, int]]:
        """
        Checks the log-in of a master. Returns its id without the secret, and the least and the most players.

        :raises _NoMaster: the log-in is refused, for a reason that does not depend on other masters
        """
        name = self._rules.master_id(message.id, self.peer.address)
        # `None`: the numbers are not valid. This is refused last.
        numbers = players(message.players_min, message.players_max)
        game_type = message.game_type.casefold()
        run = self._run
        # In a championship only its own type of game, for two players. Wrong numbers are refused below.
        if run is not None and (game_type != run.game_type.casefold() or not (numbers is None or numbers[0] == 2)):
            error = m.LoginError.GAME_TYPE if game_type != run.game_type.casefold() else m.LoginError.PLAYERS
            raise _NoMaster(error, f"a championship of {run.game_type} for two is played here")
        if name is None:
            raise _NoMaster(m.LoginError.GAME_TYPE, "masters may not register from here, or not with this id")
        if not is_game_type(message.game_type):
            raise _NoMaster(
                m.LoginError.GAME_TYPE, "expected a gameType of 1 to 64 letters, digits, spaces, _ - . or :"
            )
        if not (1 <= len(name) <= 64 and name.isprintable()):
            raise _NoMaster(m.LoginError.NICK, "expected an id of 1 to 64 printable characters")
        if game_type in self._rules.native:
            raise _NoMaster(m.LoginError.MASTER, "the host itself is the master of this type of game")
        if numbers is None:
            reason = "expected playersMin and playersMax in plain whole numbers, 2 <= playersMin <= playersMax <= 64"
            raise _NoMaster(m.LoginError.PLAYERS, reason)
        return name, numbers

    def claim_of_master(self, message: m.GameMasterLogin) -> Claim | None:
        """Returns the claim of a master: to its type of game."""
        try:
            self._checked_master(message)
        except _NoMaster:
            return None
        return Claim(place=self._games.place_of(message.game_type))

    def _register(self, game_type: str, master: Master) -> None:
        """Registers a master, or refuses it because of other masters."""
        try:
            self._games.register(game_type, master)
        except TypeTaken:
            self._refuse_log_in(m.LoginError.MASTER, "this type of game has a master")
        except TooManyMasters:
            self._refuse_log_in(m.LoginError.NO_ROOM, "the host has no room for another master")
        else:
            self._master = master
            self._games.play_here(game_type)
            self.peer.logged_in()
            self.set_state(Remote.MASTER)
            self._tell(m.LoginResponse(dialect=m.Dialect.LOOSE if self._loose else m.Dialect.EXACT))
            # Only after the client has received that it is accepted, the games follow.
            self._games.meet(master)

    # -- messages of masters

    def rule(self, message: m.RemoteState) -> None:
        """Passes a state of the master to the players, if it is valid now."""
        game = self._meant(message.game_id)
        if game is not None:
            # The host waits for this message, so it does not count against the rate limit.
            if game.owed:
                self.peer.exempt_from_rate()
            if game.say_state(message.next_player, message.results, message.content):
                self.peer.journaled(len(message.content))

    def put_out(self, message: m.PlayerLeftGame) -> None:
        """Removes a player from a game, because the master wants this."""
        # An empty id means that the message has none.
        game = self._meant(message.game_id or None)
        if game is not None:
            game.put_out(message.nick)

    def _meant(self, game_id: str | None) -> RemoteGame | None:
        """
        Returns the game that a master names; `None`: it is over, or there is no such game and the master was refused.
        """
        assert self._master is not None
        # Only loose masters may leave out the id: they have one game.
        if game_id is None and not self._loose:
            self._refuse(_NO_SUCH_GAME)
            return None
        try:
            return self._master.game(game_id)
        except NeverGiven:
            self._refuse(_NO_SUCH_GAME)
            return None

    def hang_up_master(self, message: m.Logout) -> None:
        """Logs a master out. Its games wait for another master."""
        self._give_up_master("")

    def thank_as_master(self, message: m.ThankYou) -> None:
        """Ignores `thank you` of a loose master."""
        if not self._loose:
            self.unexpected(message)

    def _give_up_master(self, reason: str) -> None:
        """Gives up the master's games, and closes the connection."""
        # Before the connection is closed, so that the games can wait for another master now.
        self.end()
        if reason:
            self.say_closing(reason)
        self.peer.hang_up(reason)

    # -- events for masters

    def _tell(self, message: m.Message) -> None:
        """Sends a message to the master, in a segment of its own if necessary."""
        if self._apart:
            self.peer.say_and_hold(message, APART)
        else:
            self.peer.say(message)

    def begin_game(self, game_id: str, names: Sequence[str]) -> None:
        self._tell(m.BeginGame(game_id, tuple(names)))

    def pass_move(self, game_id: str, content: bytes) -> None:
        self._tell(m.RemoteMove(content, game_id))

    def player_left(self, game_id: str, name: str) -> None:
        self._tell(m.PlayerLeftGame(name, game_id))

    def own_state(self, game_id: str, next_player: str, content: bytes) -> None:
        """Sends a master its own state back, in the loose dialect."""
        if self._loose:
            self._tell(m.RemoteState(game_id, content, next_player))

    def own_end(self, game_id: str, results: Results, content: bytes) -> None:
        """Sends a master its own end of a game back, in the loose dialect."""
        if self._loose:
            self._tell(m.RemoteState(game_id, content, "", tuple(results)))

    refused = remote_refused = XmlConversation._refuse

    HEARS: ClassVar[Any] = {
        **XmlConversation.HEARS,
        (XmlState.OUTSIDE, m.PlayerLogin): log_in,
        (XmlState.OUTSIDE, m.ThankYou): thank_late,
        (XmlState.OVER, m.ThankYou): thank_again,
        (Remote.POOL, m.PlayerLogin): XmlConversation.log_in_again,
        (Remote.POOL, m.RemoteMove): late,
        (Remote.POOL, m.ThankYou): late,
        (Remote.POOL, m.LeaveGame): late,
        (Remote.POOL, m.Logout): XmlConversation.log_out,
        (Remote.POOL, m.Error): XmlConversation.ignore,
        (Remote.PLAYING, m.RemoteMove): pass_on,
        (Remote.PLAYING, m.ThankYou): thank_in_game,
        (Remote.PLAYING, m.LeaveGame): leave_remote,
        (Remote.PLAYING, m.Logout): XmlConversation.log_out,
        (Remote.PLAYING, m.Error): XmlConversation.ignore,
        (Remote.OVER, m.PlayerLogin): XmlConversation.log_in_again,
        (Remote.OVER, m.RemoteMove): late,
        (Remote.OVER, m.ThankYou): thank_for_remote,
        (Remote.OVER, m.LeaveGame): thank_for_remote,
        (Remote.OVER, m.Logout): XmlConversation.log_out_at_the_end,
        (Remote.OVER, m.Error): thank_for_remote,
        (XmlState.OUTSIDE, m.GameMasterLogin): register,
        (Remote.MASTER, m.RemoteState): rule,
        (Remote.MASTER, m.PlayerLeftGame): put_out,
        (Remote.MASTER, m.ThankYou): thank_as_master,
        (Remote.MASTER, m.Logout): hang_up_master,
        (Remote.MASTER, m.Error): XmlConversation.ignore,
    }

    CLAIMS: ClassVar[Any] = {
        **dict.fromkeys(
            ((state, m.PlayerLogin) for state in (XmlState.OUTSIDE, XmlState.OVER, Remote.POOL, Remote.OVER)),
            claim_of_log_in,
        ),
        (XmlState.OUTSIDE, m.GameMasterLogin): claim_of_master,
    }
    TELLS: ClassVar[Any] = {**XmlConversation.TELLS, Over: tell_over}
