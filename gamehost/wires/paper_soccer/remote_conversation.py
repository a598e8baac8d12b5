"""
Masters of remote games, and all that a connection can be. The script of a master::

    -> gameMasterLogin <gameMasterLogin id="nim-1" gameType="nim" playersMin="2" playersMax="2"/>
                                 <- loginResponse <response accept="yes"/>
                                 <- beginGame, when there are enough players
    -> gameState                    to all players of the game
                                 <- move, of the player whose turn it is
                                 <- playerLeftGame, when a player is out of the game
    -> playerLeftGame               puts a player out
    -> logout                       the games wait for another master
"""

from collections.abc import Sequence
from typing import Any, ClassVar

from msgspec import Struct

from gamehost.games.paper_soccer.master import PAPER_SOCCER
from gamehost.games.remote.master import REMOTE
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.queues import Queue
from gamehost.lobby.remote_game import RemoteGame, Results
from gamehost.lobby.remote_games import Master, NeverGiven, TooManyMasters, TypeTaken, is_game_type
from gamehost.settings import Settings, refuse_unknown, setting, yes_or_no
from gamehost.wires.base import COMMON_OPTIONS, Wire, common_settings, imported
from gamehost.wires.conversation import Claim, Peer
from gamehost.wires.paper_soccer.codec import XmlCodec
from gamehost.wires.paper_soccer.conversation import State
from gamehost.wires.paper_soccer.messages import (
    BeginGame,
    Dialect,
    Error,
    GameMasterLogin,
    LoginError,
    LoginResponse,
    Logout,
    Message,
    PlayerLeftGame,
    RemoteMove,
    RemoteState,
    ThankYou,
)
from gamehost.wires.paper_soccer.remote_player import PlayerConversation, Remote
from gamehost.wires.paper_soccer.remote_rules import OPTIONS as REMOTE_OPTIONS
from gamehost.wires.paper_soccer.remote_rules import RemoteRules, players, remote_rules

#: Seconds between two messages to a master that takes a segment for a message.
APART = 0.05

_NO_SUCH_GAME = "expected the id of a game that this connection was told of"


class _NoMaster(Exception):
    """A master's log-in is refused. The message is for the client and says why."""

    def __init__(self, error: LoginError, reason: str) -> None:
        super().__init__(reason)
        self.error = error


class RemoteConversation(PlayerConversation):
    """The conversation on one connection, of a player or a master."""

    def __init__(
        self, peer: Peer[Message], lobby: Lobby, wire: str, queue: Queue, strict: bool, rules: RemoteRules
    ) -> None:
        super().__init__(peer, lobby, wire, queue, strict, rules)
        self._master: Master | None = None
        self._apart = False

    def register(self, message: GameMasterLogin) -> None:
        """Become the master of a type of game."""
        try:
            name, numbers = self._checked_master(message)
        except _NoMaster as refusal:
            self._refuse_log_in(refusal.error, str(refusal))
            return
        game_type = message.game_type.casefold()
        self._loose = game_type in self._rules.loose
        self._apart = game_type in self._rules.one_game
        games = 1 if self._loose or self._apart else self._games.limits.games
        quiet = self._rules.quiet
        master = Master(name, self.peer.address, self, *numbers, games, quiet, self._give_up_master)
        self._register(message.game_type, master)

    def _checked_master(self, message: GameMasterLogin) -> tuple[str, tuple[int, int]]:
        """
        The master's id without the secret, and the least and the most players.

        :raises _NoMaster: the log-in is refused, whichever masters there are
        """
        name = self._rules.master_id(message.id, self.peer.address)
        numbers = players(message.players_min, message.players_max)
        game_type = message.game_type.casefold()
        run = self._run
        if run is not None and (game_type != run.game_type.casefold() or not (numbers is None or numbers[0] == 2)):
            error = LoginError.GAME_TYPE if game_type != run.game_type.casefold() else LoginError.PLAYERS
            raise _NoMaster(error, f"a championship of {run.game_type} for two is played here")
        if name is None:
            raise _NoMaster(LoginError.GAME_TYPE, "masters may not register from here, or not with this id")
        if not is_game_type(message.game_type):
            raise _NoMaster(LoginError.GAME_TYPE, "expected a gameType of 1 to 64 letters, digits, spaces, _ - . or :")
        if not (1 <= len(name) <= 64 and name.isprintable()):
            raise _NoMaster(LoginError.NICK, "expected an id of 1 to 64 printable characters")
        if game_type in self._rules.native:
            raise _NoMaster(LoginError.MASTER, "the host itself is the master of this type of game")
        if numbers is None:
            reason = "expected playersMin and playersMax in plain whole numbers, 2 <= playersMin <= playersMax <= 64"
            raise _NoMaster(LoginError.PLAYERS, reason)
        return name, numbers

    def claim_of_master(self, message: GameMasterLogin) -> Claim | None:
        """What a master claims: no name, and a place at the leader of a cluster."""
        try:
            self._checked_master(message)
        except _NoMaster:
            return None
        return Claim("", for_leader=True)

    def _register(self, game_type: str, master: Master) -> None:
        try:
            self._games.register(game_type, master)
        except TypeTaken:
            self._refuse_log_in(LoginError.MASTER, "this type of game has a master")
        except TooManyMasters:
            self._refuse_log_in(LoginError.NO_ROOM, "the host has no room for another master")
        else:
            self._master = master
            self.peer.logged_in()
            self.set_state(Remote.MASTER)
            self._tell(LoginResponse(dialect=Dialect.LOOSE if self._loose else Dialect.EXACT))
            self._games.meet(master)

    def end(self) -> None:
        """The connection is gone, or the client has logged out."""
        if self._master is not None:
            master, self._master = self._master, None
            self._games.lose(master)
        super().end()

    # -- heard from masters

    def rule(self, message: RemoteState) -> None:
        """Tell the players a state, if it fits."""
        game = self._meant(message.game_id)
        if game is not None:
            if game.owed:
                self.peer.exempt_from_rate()
            if game.say_state(message.next_player, message.results, message.content):
                self.peer.journaled(len(message.content))

    def put_out(self, message: PlayerLeftGame) -> None:
        """Put a player out of a game."""
        game = self._meant(message.game_id or None)
        if game is not None:
            game.put_out(message.nick)

    def _meant(self, game_id: str | None) -> RemoteGame | None:
        """The game that a master means; `None`: it is over, or the master was told that there is none."""
        assert self._master is not None
        if game_id is None and not self._loose:
            self._refuse(_NO_SUCH_GAME)
            return None
        try:
            return self._master.game(game_id)
        except NeverGiven:
            self._refuse(_NO_SUCH_GAME)
            return None

    def hang_up_master(self, message: Logout) -> None:
        """The master goes. Its games wait for another one."""
        self._give_up_master("")

    def thank_as_master(self, message: ThankYou) -> None:
        """Loose masters may give thanks, too. Nobody waits for them."""
        if not self._loose:
            self.unexpected(message)

    def _give_up_master(self, reason: str) -> None:
        self.end()
        if reason:
            self.say_closing(reason)
        self.peer.hang_up(reason)

    HEARS: ClassVar[Any] = {
        **PlayerConversation.HEARS,
        (State.OUTSIDE, GameMasterLogin): register,
        (Remote.MASTER, RemoteState): rule,
        (Remote.MASTER, PlayerLeftGame): put_out,
        (Remote.MASTER, ThankYou): thank_as_master,
        (Remote.MASTER, Logout): hang_up_master,
        (Remote.MASTER, Error): PlayerConversation.ignore,
    }
    CLAIMS: ClassVar[Any] = {**PlayerConversation.CLAIMS, (State.OUTSIDE, GameMasterLogin): claim_of_master}

    # -- told to masters

    def _tell(self, message: Message) -> None:
        if self._apart:
            self.peer.say_and_hold(message, APART)
        else:
            self.peer.say(message)

    def begin_game(self, game_id: str, names: Sequence[str]) -> None:
        """Tell that a game begins."""
        self._tell(BeginGame(game_id, tuple(names)))

    def pass_move(self, game_id: str, content: bytes) -> None:
        """Tell a move."""
        self._tell(RemoteMove(content, game_id))

    def player_left(self, game_id: str, name: str) -> None:
        """Tell that a player is out of the game."""
        self._tell(PlayerLeftGame(name, game_id))

    def own_state(self, game_id: str, next_player: str, content: bytes) -> None:
        """Loose masters hear their own states."""
        if self._loose:
            self._tell(RemoteState(game_id, content, next_player))

    def own_end(self, game_id: str, results: Results, content: bytes) -> None:
        """Loose masters hear the end."""
        if self._loose:
            self._tell(RemoteState(game_id, content, "", tuple(results)))

    def refused(self, reason: str) -> None:
        """Refuse what a master has said."""
        self._refuse(reason)


NAME = "paper-soccer"

OPTIONS = {
    **COMMON_OPTIONS,
    **REMOTE_OPTIONS,
    "declaration": "yes: an XML declaration in front of each message; default no",
}


class XmlWireConfig(Struct, frozen=True):
    """How connections of this wire are set up."""

    strict: bool
    declaration: bool
    queue: Queue
    rules: RemoteRules

    def new_codec(self) -> XmlCodec:
        """A codec for one connection."""
        return XmlCodec(self.declaration, self.strict, self.rules.loose, self.rules.line_ends)

    def new_conversation(self, peer: Peer[Message], lobby: Lobby) -> RemoteConversation:
        """A conversation for one connection."""
        return RemoteConversation(peer, lobby, NAME, self.queue, self.strict, self.rules)


def configure(settings: Settings) -> XmlWireConfig:
    """
    :raises BadOption: a setting is unknown or cannot be used
    """
    refuse_unknown(settings, OPTIONS)
    strict, queue = common_settings(settings, NAME, PAPER_SOCCER)
    declaration = setting(settings, "declaration", False, yes_or_no)
    return XmlWireConfig(strict, declaration, queue, remote_rules(settings))


WIRE: Wire[Message] = Wire(
    name=NAME,
    title="Paper Soccer, XML messages",
    endpoint="tcp:8894:interface=127.0.0.1",
    games=(PAPER_SOCCER, REMOTE),
    configure=configure,
    options=OPTIONS,
    flags=("declaration",),
    values=("championship",),
    client_codec=imported("gamehost.wires.paper_soccer.client:XmlClientCodec"),
    player=imported("gamehost.wires.paper_soccer.client:PaperSoccerPlayer"),
    checks=imported("gamehost.wires.paper_soccer.checks:CHECKS"),
    server_checks=imported("gamehost.wires.paper_soccer.checks:SERVER_CHECKS"),
    spreads=True,
)
