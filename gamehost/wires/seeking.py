"""
Seeking opponents on wires that play all games. The wish of a player is checked against the games of this host. Then the
player joins a fitting table, or opens a new one.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import field, frozen
from msgspec import Struct

from gamehost.games.base import CLOCK_SETTINGS, MOVE_DAYS, Game, LimitsChoices, Seat
from gamehost.games.installed import installed
from gamehost.games.messages import Messages
from gamehost.games.play import messages_of
from gamehost.journal.records import RATED, TableId
from gamehost.lobby.opened import Terms
from gamehost.lobby.queues import CannotJoin, HouseRefused, NoSuchTable, Played, TooManyTables, check_may_be_rated
from gamehost.lobby.rematches import PlayedSlow
from gamehost.lobby.sessions import Queue, Session
from gamehost.settings import BadOption, Settings, yes_or_no
from gamehost.tables.interfaces import OpenTable
from gamehost.wires.base import AccountConversation, Claim, claim_of_table

if TYPE_CHECKING:
    from gamehost.lobby.lobby import Lobby


M = TypeVar("M")

#: The part of an error message that repeats the client's text. It is removed.
_ECHO = re.compile(r"[,;] got .*", re.DOTALL)

#: The letters and digits of a private table's code: the 32 that people do not confuse with each other.
CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
CODE_LENGTH = 8


class SeekRefused(Exception):
    """
    The wish of a player cannot be met at this host. The message says why, and repeats nothing of the client's text.
    """


@frozen
class PlayedGame:
    """A game that players can seek on these wires."""

    game: Game[Any, Any]
    messages: Messages
    #: The settings of the game that a client may choose.
    choices: frozenset[str]
    #: Settings that every match of this game gets here, with their usual values, so that players of other wires can
    #: join it.
    defaults: Settings = field(factory=dict)


@frozen
class Sought:
    """What a player wants to play, as its message says it. `wanted` has not checked it yet."""

    #: The name of the game.
    game: str
    #: The number of players; `None`: the smallest number of the game.
    seats: int | None = None
    #: Names and values of settings, as texts.
    settings: Settings = field(factory=dict)
    private: bool = False
    #: The seat that the player wants, in a game for two; `None`: any seat.
    wish: Seat | None = None


class Wanted(Struct, frozen=True):
    """
    What a player wants to play, after `wanted` has checked the message: this host has the game, and the number of
    players and the settings are allowed. Settings that the message left out have their usual values.
    """

    played: PlayedGame
    seats: int
    #: All settings: those of the host and those that the client has chosen.
    settings: Settings
    private: bool
    wish: Seat | None
    #: Whether the player waits in the queue of the game, for any opponent there, instead of at a table.
    in_queue: bool
    #: Whether this is a rematch. Then the table is always private, and `match_private` says whether the match is
    #: private, as the last one was.
    rematch: bool = False
    match_private: bool = True

    @property
    def queue(self) -> Queue:
        return Queue(self.played.game)

    def fits(self, table: OpenTable) -> bool:
        """Whether a table that waits for players fits this wish."""
        return table.seats == self.seats and table.settings == self.settings and has_seat(table, self.wish)


def has_seat(table: OpenTable, wish: Seat | None) -> bool:
    """
    Whether a waiting table still has the seat that a player wants; `None`: any seat. Only at tables of two can a seat
    be chosen.
    """
    # The first player at a table has seat 0; if the table is `reversed`, it has seat 1.
    return table.seats > 2 or wish != (Seat(1) if table.reversed else Seat(0))


def wanted(
    sought: Sought, games: Mapping[str, PlayedGame], settings_for: Callable[[Queue, Settings], Settings]
) -> Wanted:
    """
    Checks what a player wants to play, and completes its settings.

    :param sought: what the player wants, as read from its message
    :param games: the games that players can seek on this wire, by name
    :param settings_for: completes and checks the settings of a match; raises `BadOption`
    :raises SeekRefused: the wish cannot be met
    """
    # The game, the number of players and the seat.
    played = games.get(sought.game)
    if played is None:
        raise SeekRefused(f"no such game; expected one of {', '.join(games)}")
    game = played.game
    seats = game.least_seats if sought.seats is None else sought.seats
    if not game.least_seats <= seats <= game.most_seats:
        words = (
            f"{game.least_seats}" if game.least_seats == game.most_seats else f"{game.least_seats} to {game.most_seats}"
        )
        raise SeekRefused(f"{game.name} is a game for {words} players")
    if sought.wish is not None and seats != 2:
        raise SeekRefused('"seat" can be chosen at tables of two alone; leave it out')
    # The settings: players may choose only some of them.
    chosen = sought.settings
    if chosen.keys() - played.choices:
        choices = ", ".join(sorted(played.choices)) or "none"
        raise SeekRefused(f"a setting that cannot be chosen; those of {game.name} are: {choices}")
    # A slow match has days for each move, so it cannot have other times, too.
    if MOVE_DAYS in chosen and (others := _QUICK & chosen.keys()):
        raise SeekRefused(f"{MOVE_DAYS} is the time for each move: leave out {min(others)}")
    try:
        # `rated` is left out unless it is on, so that a wish with `rated` off equals a wish without it.
        if RATED in chosen:
            rated = yes_or_no(RATED, chosen[RATED])
            chosen = {name: text for name, text in chosen.items() if name != RATED} | ({RATED: "yes"} if rated else {})
        settings = settings_for(Queue(game), {**played.defaults, **chosen})
    except BadOption as error:
        raise SeekRefused(_ECHO.sub("", str(error))) from None
    # Wishes without settings wait in the queue of the game.
    in_queue = not sought.private and not chosen and game.most_seats == 2
    return Wanted(played, seats, settings, sought.private, sought.wish, in_queue)


def find_table(lobby: "Lobby", session: Session, sought: Wanted, opened: Callable[[OpenTable], None]) -> TableId | None:
    """
    Lets a player join a fitting table, or opens a new one for the player. Returns the number of the new table; `None`:
    the player has joined a table of others.

    :param opened: called with the new table when it is stored, at once or later
    :raises TooManyTables: too many tables of this player's address wait already, or the host has no room for new tables
    :raises CannotJoin: the match would be rated, but it is private, or the player is a guest
    """
    queue = sought.queue
    _check_rated(session, sought)
    fitting = () if sought.private else filter(sought.fits, lobby.waiting(queue))
    # Join the first fitting table, if there is one.
    for table in fitting:
        lobby.join(session, queue, table.table)
        return None
    code = new_code(lobby.below) if sought.private else ""
    # The table of an ordinary match lasts while its players are away; a table for a rematch does not.
    terms = Terms(code, not sought.rematch, opened)
    return lobby.open_table(session, queue, sought.seats, _settings(sought, code), sought.wish, terms).table


def _settings(sought: Wanted, code: str) -> Settings:
    """Returns the settings of the match, with the code of its table if the match is private."""
    return {**sought.settings, "code": code} if code and sought.match_private else sought.settings


def claim_of_sought(lobby: "Lobby", sought: Wanted) -> Claim | None:
    """Returns the claim to a fitting table at another host of the cluster; `None`: the player waits at this host."""
    # The queue needs no table, a private table is always new, and a fitting table of this host comes first.
    if sought.in_queue or sought.private or any(map(sought.fits, lobby.waiting(sought.queue))):
        return None
    # No table fits here: look for a fitting one of another host.
    elsewhere = next(filter(sought.fits, lobby.waiting_elsewhere(sought.queue)), None)
    return None if elsewhere is None else claim_of_table(elsewhere.table)


def claim_of_slow(lobby: "Lobby", session: Session | None, table: TableId) -> Claim | None:
    """
    Returns the claim of a player that wants to open a slow match, which may be at another host; `None`: the match is
    here, or the player cannot move. A player that waits at a table cannot move to another host.
    """
    if session is None or lobby.waits_at_table(session) or not lobby.slow_matches().has(session, table):
        return None
    # `opened`: the host of the match need not have opened it yet.
    return claim_of_table(table, opened=False)


def _check_rated(session: Session, sought: Wanted) -> None:
    """
    :raises CannotJoin: the match would be rated, but it is private, or this player may not play rated matches
    """
    if sought.private and sought.match_private and RATED in sought.settings:
        raise CannotJoin("a private match is not rated")
    check_may_be_rated(session, sought.settings)


def play_house(lobby: "Lobby", session: Session, sought: Wanted, level: str) -> None:
    """
    Begins a match of a player against house players in all other seats.

    :param level: one of `gamehost.lobby.house.LEVELS`
    :raises HouseRefused: the host has no house players for this match
    """
    settings = _settings(sought, new_code(lobby.below) if sought.private else "")
    if MOVE_DAYS in sought.settings:
        raise HouseRefused("house players need no days for a move")
    try:
        _check_rated(session, sought)
    except CannotJoin as error:
        raise HouseRefused(str(error)) from None
    house = lobby.house
    house.play(session, sought.played.game, level, sought.seats, settings, sought.wish)


def join_table(
    lobby: "Lobby",
    session: Session,
    games: Mapping[str, PlayedGame],
    table: TableId,
    code: str,
) -> None:
    """
    Lets a player wait at an open table of any game.

    :raises CannotJoin: no table with this number waits for players, or the table has another code
    """
    refusal = CannotJoin("no table of this number waits for players")
    for played in games.values():
        try:
            lobby.join(session, Queue(played.game), table, code)
        # The number belongs to no table of this game: look at the next game.
        except NoSuchTable:
            continue
        # The table is one of this game, but cannot be joined.
        except CannotJoin as error:
            refusal = error
        else:
            return
    raise refusal


class SeekingConversation(AccountConversation[M]):
    """
    The conversation of a client that seeks opponents, on a wire for all games. If the client moves to another host of a
    cluster, its wish moves with it.
    """

    _options: Any
    #: The wish of a client that waits in a queue, or at a table that it has opened itself; `None`: the client does not
    #: wait, or another player has opened the table.
    _seeks: Sought | None = None

    def _wanted(self, sought: Sought) -> Wanted:
        """
        Checks a wish.

        :raises SeekRefused: the wish cannot be met
        """
        return wanted(sought, self._options.games, self.lobby.settings_for)

    def _wait(self, session: Session, sought: Wanted) -> bool:
        """Begins to wait in a queue or at a table. Returns whether a match has begun at once."""
        raise NotImplementedError

    def _wait_no_longer(self, why: str) -> None:
        """Informs the client that it waits no longer and is in the lobby, and why."""
        raise NotImplementedError

    def adopt(self, session: Session) -> None:
        """Continues the search for opponents that began at another host of the cluster."""
        assert self._seeks is not None
        try:
            self._wait(session, self._wanted(self._seeks))
        except SeekRefused as refusal:
            self._wait_no_longer(str(refusal))

    def takes_seat(self, table: OpenTable) -> bool:
        """
        Whether this client, which waits alone at a table like this one, would accept the free seat of this table
        instead.
        """
        return self._seeks is not None and has_seat(table, self._seeks.wish)

    def wanted_again(self, played: Played) -> Wanted:
        """Returns the wish for a rematch, for the first player that asks for it."""
        game, seats = self._options.games[played.game], len(played.names)
        return Wanted(
            game,
            seats,
            played.settings,
            private=True,
            wish=played.wish,
            in_queue=False,
            rematch=True,
            match_private=played.private,
        )

    #: Whether the host is reading the slow match of which the client wants a rematch.
    _finds_played = False

    def rematch_refused(self, why: str) -> None:
        """Informs the client why there is no rematch of a slow match."""
        raise NotImplementedError

    def ask_again(self, session: Session, number: TableId) -> None:
        """
        Asks for a rematch of a slow match. The first player that asks opens a table; another player of the match gets
        the free seat at that table.
        """
        if self._finds_played:
            # The match of an earlier request is still being read.
            self.rematch_refused("wait for the answer to the last question")
        elif not self._meets_asker(session, number):
            self._finds_played, rematches = True, self.lobby.rematches
            rematches.find(session, number, partial(self._played_found, session))

    def _played_found(self, session: Session, found: PlayedSlow | str) -> None:
        """
        Opens the table for a rematch, after the slow match was read. A text is the reason why the match was not found.
        """
        self._finds_played = False
        # The client has logged out meanwhile, or has another name now.
        if self.session is not session:
            return
        if isinstance(found, str):
            self.rematch_refused(found)
        elif found.played.game not in self._options.games:
            self.rematch_refused("this game is not played here any more")
        elif not self._meets_asker(session, found.played.table):  # no other player of the match has asked meanwhile
            try:
                self._open_rematch(session, found)
            except (CannotJoin, TooManyTables) as error:
                self.rematch_refused(str(error))

    def _meets_asker(self, session: Session, number: TableId) -> bool:
        """
        Takes a seat at the table for this rematch, if another player has opened it. Returns whether there is such a
        table, even if the client cannot join it; then it receives the reason.
        """
        rematches = self.lobby.rematches
        table = rematches.table(session, number)
        if table is not None:
            try:
                join_table(self.lobby, session, self._options.games, table.table, table.code)
            except CannotJoin as error:
                self.rematch_refused(str(error))
        return table is not None

    def _open_rematch(self, session: Session, found: PlayedSlow) -> None:
        """Opens a private table that waits for the other players of the last match."""
        sought = self.wanted_again(found.played)
        _check_rated(session, sought)
        code = new_code(self.lobby.below)
        # The table lasts while its players are away, and the other players of the match are asked to come.
        terms = Terms(code, True, self.tell_gathered, found.played.table, found.others)
        settings = _settings(sought, code)
        self.lobby.open_table(session, sought.queue, sought.seats, settings, sought.wish, terms)

    def tell_gathered(self, event: OpenTable) -> None:
        """Sends the present players at the table where the client waits."""
        raise NotImplementedError

    def _can_go(self, waits: bool) -> bool:
        """
        Whether the client can move to another host of a cluster. It cannot if it has a match, or waits together with
        others.

        :param waits: whether the client waits for opponents
        """
        session = self.session
        if session is None:
            return True
        # A client that waits must take its own wish along; it has none at a table that another player has opened.
        own = self._seeks is not None or not waits
        alone = self.lobby.waits_alone(session) or not self.lobby.waits_at_table(session)
        return session.table_id is None and own and alone


def new_code(below: Callable[[int], int]) -> str:
    """
    Returns a random code that nobody can guess.

    :param below: returns a random number below its argument
    """
    return "".join(CODE_LETTERS[below(len(CODE_LETTERS))] for _ in range(CODE_LENGTH))


#: Settings that a slow match (with days for each move) cannot have.
_QUICK = frozenset({"move_time", "setup_time", *CLOCK_SETTINGS})
_OF_TABLES = frozenset({"move_time", RATED, MOVE_DAYS, *CLOCK_SETTINGS})


def played(game: Game[Any, Any]) -> PlayedGame | None:
    """Returns a game as players can seek it on these wires; `None`: the game has no messages for programs."""
    messages = messages_of(game)
    if messages is None:
        return None
    # Such a game lets players choose only some of its settings, and has usual values for the others.
    if isinstance(game, LimitsChoices):
        return PlayedGame(game, messages, _OF_TABLES | game.choices, game.usual)
    return PlayedGame(game, messages, _OF_TABLES | game.options.keys())


PLAYED = tuple(one for game in installed().games.values() if (one := played(game)) is not None)
