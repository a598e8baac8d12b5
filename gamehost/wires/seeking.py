"""
The wishes of players on wires that play all games: checked against the games that are played here, and then a table is
found or opened.
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

#: The part of an error message that repeats what the client sent.
_ECHO = re.compile(r"[,;] got .*", re.DOTALL)

#: The letters and digits of a private table's code: 32 of them that cannot be mistaken for each other.
CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
CODE_LENGTH = 8


class SeekRefused(Exception):
    """This cannot be sought here. The message says why, and repeats nothing of the client's."""


@frozen
class PlayedGame:
    game: Game[Any, Any]
    messages: Messages
    #: The settings of the game that a client may choose.
    choices: frozenset[str]
    #: Settings that the match always has, with their defaults, so that players of other wires find it.
    defaults: Settings = field(factory=dict)


@frozen
class Sought:
    """The wish of a player, as it was read."""

    #: The name of the game.
    game: str
    #: How many players; `None`: the game's least number.
    seats: int | None = None
    #: As the host writes them.
    settings: Settings = field(factory=dict)
    private: bool = False
    #: The seat that is wanted in a game of two; `None`: any.
    wish: Seat | None = None


class Wanted(Struct, frozen=True):
    """The checked wish of a player."""

    played: PlayedGame
    seats: int
    #: Complete: the host's own and the client's.
    settings: Settings
    private: bool
    wish: Seat | None
    #: Whether any opponent in the game's queue will do.
    in_queue: bool
    #: Whether it is a rematch: `private` is the table then, and the match if the last one was.
    rematch: bool = False
    match_private: bool = True

    @property
    def queue(self) -> Queue:
        return Queue(self.played.game)

    def fits(self, table: OpenTable) -> bool:
        """Whether a table that waits for players is what is sought."""
        return table.seats == self.seats and table.settings == self.settings and has_seat(table, self.wish)


def has_seat(table: OpenTable, wish: Seat | None) -> bool:
    """Whether a waiting table still has the seat that a player wants."""
    return table.seats > 2 or wish != (Seat(1) if table.reversed else Seat(0))


def wanted(
    sought: Sought, games: Mapping[str, PlayedGame], settings_for: Callable[[Queue, Settings], Settings]
) -> Wanted:
    """
    Check what a player asks for.

    :param settings_for: completes and checks the settings of a match; raises `BadOption`
    :raises SeekRefused: it cannot be had
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
    # The settings: only those that players may choose.
    chosen = sought.settings
    if chosen.keys() - played.choices:
        choices = ", ".join(sorted(played.choices)) or "none"
        raise SeekRefused(f"a setting that cannot be chosen; those of {game.name} are: {choices}")
    if MOVE_DAYS in chosen and (others := _QUICK & chosen.keys()):
        raise SeekRefused(f"{MOVE_DAYS} is the time for each move: leave out {min(others)}")
    try:
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
    Let a player join a fitting table, or wait at a new one. Returns the new table; `None`: the player has joined
    others.

    :param opened: called with the new table when it is stored, at once or later
    :raises TooManyTables: so many from this address wait already, or the host has no room for new tables
    :raises CannotJoin: it is to be rated, and is private, or the player is a guest
    """
    queue = sought.queue
    _check_rated(session, sought)
    fitting = () if sought.private else filter(sought.fits, lobby.waiting(queue))
    for table in fitting:
        lobby.join(session, queue, table.table)
        return None
    code = new_code(lobby.below) if sought.private else ""
    terms = Terms(code, not sought.rematch, opened)
    return lobby.open_table(session, queue, sought.seats, _settings(sought, code), sought.wish, terms).table


def _settings(sought: Wanted, code: str) -> Settings:
    """The settings of the match; the code is that of the table."""
    return {**sought.settings, "code": code} if code and sought.match_private else sought.settings


def claim_of_sought(lobby: "Lobby", sought: Wanted) -> Claim | None:
    """The table at another host of the cluster at which a player is about to wait; `None`: the player waits here."""
    if sought.in_queue or sought.private or any(map(sought.fits, lobby.waiting(sought.queue))):
        return None
    elsewhere = next(filter(sought.fits, lobby.waiting_elsewhere(sought.queue)), None)
    return None if elsewhere is None else claim_of_table(elsewhere.table)


def claim_of_slow(lobby: "Lobby", session: Session | None, table: TableId) -> Claim | None:
    """
    The claim of a player that wants to sit down at a slow match. A player that waits at a table cannot go to another
    host.
    """
    if session is None or lobby.waits_at_table(session) or not lobby.slow_matches().has(session, table):
        return None
    return claim_of_table(table, opened=False)


def _check_rated(session: Session, sought: Wanted) -> None:
    if sought.private and sought.match_private and RATED in sought.settings:
        raise CannotJoin("a private match is not rated")
    check_may_be_rated(session, sought.settings)


def play_house(lobby: "Lobby", session: Session, sought: Wanted, level: str) -> None:
    """
    Begin a match of a player against house players in all other seats.

    :param level: one of `gamehost.lobby.house.LEVELS`
    :raises HouseRefused: there are none
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
    Let a player wait at an open table of any game.

    :raises CannotJoin: no table of this number waits for players, or it has another code
    """
    refusal = CannotJoin("no table of this number waits for players")
    for played in games.values():
        try:
            lobby.join(session, Queue(played.game), table, code)
        except NoSuchTable:
            continue
        except CannotJoin as error:
            refusal = error
        else:
            return
    raise refusal


class SeekingConversation(AccountConversation[M]):
    """The conversation of a client that seeks opponents. Its wish is passed on with it to another host of a cluster."""

    _options: Any
    #: The wish in the queue of a game, or at a table that this client has opened; `None`: it does not seek, or another
    #: player has opened the table.
    _seeks: Sought | None = None

    def _wanted(self, sought: Sought) -> Wanted:
        """:raises SeekRefused: the wish cannot be met"""
        return wanted(sought, self._options.games, self.lobby.settings_for)

    def _wait(self, session: Session, sought: Wanted) -> bool:
        """Whether a match begins at once, after waiting in a queue or at a table."""
        raise NotImplementedError

    def _wait_no_longer(self, why: str) -> None:
        """Tell the client why it has stopped waiting, and is in the lobby."""
        raise NotImplementedError

    def adopt(self, session: Session) -> None:
        """Continue the search for opponents that began at another host of the cluster."""
        assert self._seeks is not None
        try:
            self._wait(session, self._wanted(self._seeks))
        except SeekRefused as refusal:
            self._wait_no_longer(str(refusal))

    def takes_seat(self, table: OpenTable) -> bool:
        """Whether the client, which waits alone at a table of this kind, would have taken a seat at this one."""
        return self._seeks is not None and has_seat(table, self._seeks.wish)

    def wanted_again(self, played: Played) -> Wanted:
        """The wish for a rematch, of the player that asks first."""
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

    #: Whether a slow match is looked for, of which the client wants a rematch.
    _finds_played = False

    def rematch_refused(self, why: str) -> None:
        """Tell the client why there is no rematch of a slow match."""
        raise NotImplementedError

    def ask_again(self, session: Session, number: TableId) -> None:
        """Ask for a rematch of a slow match, or take the seat if another player of it has asked."""
        if self._finds_played:
            self.rematch_refused("wait for the answer to the last question")
        elif not self._meets_asker(session, number):
            self._finds_played, rematches = True, self.lobby.rematches
            rematches.find(session, number, partial(self._played_found, session))

    def _played_found(self, session: Session, found: PlayedSlow | str) -> None:
        self._finds_played = False
        if self.session is not session:
            return
        if isinstance(found, str):
            self.rematch_refused(found)
        elif found.played.game not in self._options.games:
            self.rematch_refused("this game is not played here any more")
        elif not self._meets_asker(session, found.played.table):  # who has asked meanwhile
            try:
                self._open_rematch(session, found)
            except (CannotJoin, TooManyTables) as error:
                self.rematch_refused(str(error))

    def _meets_asker(self, session: Session, number: TableId) -> bool:
        """Take a seat where the rematch is waited for. `False`: nobody has asked for it."""
        rematches = self.lobby.rematches
        table = rematches.table(session, number)
        if table is not None:
            try:
                join_table(self.lobby, session, self._options.games, table.table, table.code)
            except CannotJoin as error:
                self.rematch_refused(str(error))
        return table is not None

    def _open_rematch(self, session: Session, found: PlayedSlow) -> None:
        sought = self.wanted_again(found.played)
        _check_rated(session, sought)
        code = new_code(self.lobby.below)
        terms = Terms(code, True, self.tell_gathered, found.played.table, found.others)
        settings = _settings(sought, code)
        self.lobby.open_table(session, sought.queue, sought.seats, settings, sought.wish, terms)

    def tell_gathered(self, event: OpenTable) -> None:
        """Tell the client how things stand at a table that waits for it."""
        raise NotImplementedError

    def _can_go(self, waits: bool) -> bool:
        """Whether the client can go to another host of a cluster: not if it has a match, or waits with others."""
        session = self.session
        if session is None:
            return True
        own = self._seeks is not None or not waits
        alone = self.lobby.waits_alone(session) or not self.lobby.waits_at_table(session)
        return session.table_id is None and own and alone


def new_code(below: Callable[[int], int]) -> str:
    """
    A code that cannot be guessed.

    :param below: gives a random number below another one
    """
    return "".join(CODE_LETTERS[below(len(CODE_LETTERS))] for _ in range(CODE_LENGTH))


#: Settings of every game that do not go together with days for a move.
_QUICK = frozenset({"move_time", "setup_time", *CLOCK_SETTINGS})
_OF_TABLES = frozenset({"move_time", RATED, MOVE_DAYS, *CLOCK_SETTINGS})


def played(game: Game[Any, Any]) -> PlayedGame | None:
    """A game as these wires play it; `None`: it has no messages."""
    messages = messages_of(game)
    if messages is None:
        return None
    if isinstance(game, LimitsChoices):
        return PlayedGame(game, messages, _OF_TABLES | game.choices, game.usual)
    return PlayedGame(game, messages, _OF_TABLES | game.options.keys())


PLAYED = tuple(one for game in installed().games.values() if (one := played(game)) is not None)
