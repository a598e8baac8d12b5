"""
House players: the host's own players, for people that find no opponent.

Their programs run in another process and log in on a private listener (`gamehost.wires.open.websocket`). A match with a
house player begins in one step: this module makes a session for the house player, and reserves its seat until its
program has logged in. So a house player never takes the place of a person that comes at the same moment.

If a program loses its connection, its seat is reserved for `PATIENCE` seconds, and the other players notice nothing.
After that the table treats the house player as any other absent player.

A wire calls only `HousePlayers.wanted` and `HousePlayers.play`.
"""

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any, Protocol

from attrs import define, field, frozen
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from gamehost._twisted import Timer
from gamehost.accounts.names import NameFault, NameRefused, name_of
from gamehost.games.base import Game, Seat
from gamehost.games.play import levels_of
from gamehost.journal.records import RATED
from gamehost.lobby.opened import OpenTables
from gamehost.lobby.questions import NotAnswered
from gamehost.lobby.queues import HouseRefused, NewMatches
from gamehost.lobby.seats import Seats
from gamehost.lobby.sessions import Session, SessionRegistry
from gamehost.players.base import Level
from gamehost.rates import is_loopback, rate_limit_key
from gamehost.settings import Settings
from gamehost.tables.context import Phase
from gamehost.tables.interfaces import Displaced, SeatHandle

#: The names of all levels that a client may ask for.
LEVELS = tuple(level.value for level in Level)
#: The wire on which house players play.
WIRE = "open"
#: The wires that have a message for "another player has taken this seat".
RENAMING_WIRES = frozenset({"open", "console"})
#: How many seconds the seat of a house player is reserved, without a message to the others, while its program is not
#: connected.
PATIENCE = 10.0
#: If all house players are busy, one of them may resign a match in which nothing has happened for this number of seconds.
IDLE = 60.0
#: If no house player was free for a waiting player, the host tries again after this number of seconds.
AGAIN = 1.0


_NOT_READY = "house players are not ready: try again in a moment"


def _check_level(level: str, offered: Sequence[str]) -> None:
    """
    Check that house players play at a level.

    :param offered: the levels that they have
    :raises HouseRefused: the level is another one
    """
    if level not in offered:
        raise HouseRefused(f"no such level; expected one of {', '.join(offered)}")


class Programs(Protocol):
    """The processes in which the programs of the house players run."""

    @property
    def games(self) -> Collection[str]:
        """The names of the games that the programs play; empty while the programs are not ready."""

    def sit(self, name: str, group: int) -> None:
        """
        Start the program of a house player, unless it is connected already. The program logs in and takes its seat.

        :param group: an arbitrary number; house players with the same number share their time to think
        """

    def study(self, group: int, question: str) -> Deferred[str]:
        """
        Start the study of a match in one of the processes, which must be ready. Cancelling the returned `Deferred` ends
        the study.

        :param question: a `gamehost.lobby.studies.Question` in JSON
        :returns: fires with the `gamehost.lobby.studies.Study` in JSON; fails with `NotAnswered` if the process ends before
        """

    def advise(self, group: int, question: str) -> Deferred[str]:
        """
        Ask one of the processes for advice in a match. It takes turns with the moves of the house players. Cancelling and
        failures are as for `study`.

        :param question: a `gamehost.lobby.advice.AdviceQuestion` in JSON
        :returns: fires with the `gamehost.lobby.advice.Advice` in JSON
        """


@frozen
class HouseRules:
    """When house players join, and how many matches they play. The owner of the host sets this."""

    #: By the name of a game: how many seconds a player waits without an opponent before a house player joins. Other
    #: games have no house players.
    seconds: Mapping[str, float] = field(factory=dict)
    #: The level of house players that join without a request.
    level: Level = Level.EASY
    #: The most matches with house players at once.
    tables: int = 200
    #: The most of these matches for the people at one address; `None`: any number. This machine's own address has no
    #: limit.
    tables_per_address: int | None = None


@define(eq=False)
class HouseSeat:
    """
    The seat of a house player. While its program is not connected, this object is the player at the table, and ignores all
    events.
    """

    session: Session
    #: The `rate_limit_key` of the opponent's address: of the player for whom the house player has joined.
    whom: str
    #: A number for this address: its house players share their time to think: see `Programs.sit`.
    group: int
    #: The time of the last event at the table, in seconds of the reactor.
    active_at: float
    handle: SeatHandle[Any] | None = None
    #: Ends the silent reservation of the seat.
    timer: Timer = field(factory=Timer)

    def seated(self, handle: SeatHandle[Any]) -> None:
        self.handle = handle

    def deliver(self, event: Any) -> None:
        """Drop the event: the program is not connected. It receives a view when it logs in."""


@define(eq=False)
class _Waiting:
    """A player that waits for opponents, and the timer for a house player."""

    game: Game[Any, Any]
    #: The seat that the player wants; `None`: any.
    wish: Seat | None
    #: Whether the player waits in a queue; otherwise it waits at an open table.
    in_queue: bool
    #: When it fires, a house player joins without a request.
    timer: Timer = field(factory=Timer)


@define(eq=False)
class HousePlayers:
    """
    The house players of a lobby. Begins matches of waiting players against them, and keeps a `HouseSeat` for each.

    :param begin: begins a match: of a game, with these settings, and with the players in the order of the seats. `None` as
        settings: the host's settings for the game
    :param stop_waiting: takes a player out of its queue or open table
    :param refusal: returns the reason why no match of a game can begin now, or `None`
    """

    rules: HouseRules
    _clock: IReactorTime
    _registry: SessionRegistry
    _tables: OpenTables
    _seats: Seats
    _new_matches: NewMatches
    _begin: Callable[[Game[Any, Any], Settings | None, Sequence[Session]], None]
    _stop_waiting: Callable[[Session], None]
    _refusal: Callable[[str], str | None]
    #: `None`: there are none, or they have not started yet.
    programs: Programs | None = None
    #: Whether the programs start for the first time. Matches can begin meanwhile: the programs take their seats when
    #: they are ready.
    starting: bool = False
    #: The players that wait for opponents.
    waiting: dict[Session, _Waiting] = field(factory=dict)
    #: The seats, by the sessions of the house players. The first seat is at the table that has been idle longest.
    kept: OrderedDict[Session, HouseSeat] = field(factory=OrderedDict)
    #: The next numbers for names, by level. No number is used twice, because a program with the old name may still be
    #: connected.
    _numbers: "dict[str, count[int]]" = field(factory=lambda: defaultdict(lambda: count(1)))
    _groups: "count[int]" = field(factory=lambda: count(1))

    # -- for wires

    def wanted(self, session: Session, level: str) -> None:
        """
        Begin the match of a waiting player at once. House players take all seats that are empty. The player waits in a
        queue, or at a table that it has opened itself.

        :param level: of the house players: one of `LEVELS`
        :raises HouseRefused: no match can begin with house players; the player continues to wait
        """
        waiting = self.waiting.get(session)
        if waiting is None:
            raise HouseRefused("you do not wait for opponents")
        if waiting.in_queue:
            self.play(session, waiting.game, level, waiting.game.least_seats, None, waiting.wish)
            return
        empty = self._tables.empty_seats(session)
        if empty is None:
            raise HouseRefused("only the player who has opened the table can ask for house players")
        if self._tables.somebody_is_away(session):
            raise HouseRefused("somebody who has a seat at your table is away: wait, or play the host at another table")
        # The rate of new matches was applied when the table was opened.
        house = self._new_sessions(session, waiting.game, level, empty)
        self._tables.fill(session, house)
        self._call(house)  # starts their programs

    def play(
        self,
        session: Session,
        game: Game[Any, Any],
        level: str,
        seats: int,
        settings: Settings | None,
        wish: Seat | None = None,
    ) -> None:
        """
        Begin a match of a player against house players in all other seats. If the player waits for opponents, it stops
        waiting.

        :param level: of the house players: one of `LEVELS`
        :param seats: how many players the match has
        :param settings: the complete settings of the match; `None`: the host's settings for the game
        :param wish: the seat that the player wants in a game of two; `None`: the first
        :raises HouseRefused: no match can begin with house players
        """
        house = self._new_sessions(session, game, level, seats - 1, begins=True)
        self._new_matches.begin([session.address])
        self._stop_waiting(session)
        players = [session, *house]
        # Players are listed in the order of their seats: reversed, the player gets the second one.
        self._begin(game, settings, players[:: -1 if wish == 1 else 1])
        self._call(house)

    def take_over(self, session: Session, handle: SeatHandle[Any], seat: int, level: str) -> None:
        """
        Let a house player continue the match in the seat of an absent player. The house player takes the seat when the
        absent player's grace time ends, or at once if it has ended already.

        :param session: the player that asks for this
        :param handle: the seat of the player that asks
        :param seat: the seat of the absent player
        :param level: one of the game's levels
        :raises HouseRefused: the player of this seat is not absent, no house player is available, or another player's
            wire has no message about a new player
        """
        _check_level(level, LEVELS if session.table is None else levels_of(session.table.game))
        if not 0 <= seat < len(handle.names) or seat == handle.seat:
            raise HouseRefused("expected the seat of another player")
        reason = self.why_no_take_over(session, handle, seat)
        if reason is not None:
            raise HouseRefused(reason)
        if not handle.replace(Seat(seat), partial(self._replace, session, Seat(seat), level)):
            raise HouseRefused("the player of this seat is not away, or no house player is free")

    def why_no_take_over(self, session: Session, handle: SeatHandle[Any], seat: int) -> str | None:
        """
        The reason why no house player may take the seat of an absent player; `None`: one may.

        :param session: another player of the match, with its `handle`
        :param seat: the seat of the absent player
        """
        if any(wire not in RENAMING_WIRES for number, wire in enumerate(handle.wires) if number != seat):
            return "the others' wire cannot tell them of another player"
        if session.table is not None and RATED in session.table.settings:
            return "a rated match is not played on by others"
        return self.why_not(handle.game)

    def _replace(self, session: Session, seat: Seat, level: str) -> str | None:
        """
        Give the seat of an absent player to a house player.

        :returns: the name of the house player; `None`: none is free now, so nothing was changed
        """
        table = session.table
        if table is None:
            return None
        try:
            [house] = self._new_sessions(session, table.game, level, 1)
        except HouseRefused:
            return None
        self._seats.replace(session, seat, house)
        self._sit(house)
        return house.name

    def why_not(self, game: str) -> str | None:
        """The reason why there are no house players for a game now; `None`: there are some."""
        # The owner has set no seconds of waiting, for any game or for this one.
        if not any(self.rules.seconds.values()):
            return "house players are off"
        if not self.rules.seconds.get(game):
            return f"there are no house players for {game}"
        # While the programs start, it is not known yet which games they play: let the match begin.
        games = self._games
        if not games and not self.starting:
            return _NOT_READY
        if games and game not in games:
            return f"there are no house players for {game}"
        return self._refusal(game)

    @property
    def _games(self) -> Collection[str]:
        """The games of the programs that are ready."""
        return () if self.programs is None else self.programs.games

    def study(self, address: str, game: str, question: str) -> Deferred[str]:
        """
        Start the study of a match, as `Programs.study` does.

        :param address: of the player that asks; each address has its own share of the time to think
        :raises NotAnswered: there are no house players for this game now
        """
        return self._ready(game, "study a match").study(self._group_of(rate_limit_key(address)), question)

    def advise(self, address: str, game: str, question: str) -> Deferred[str]:
        """
        Ask for advice, as `Programs.advise` does.

        :param address: of the player that asks; each address has its own share of the time to think
        :raises NotAnswered: there are no house players for this game now
        """
        return self._ready(game, "give advice").advise(self._group_of(rate_limit_key(address)), question)

    def _ready(self, game: str, task: str) -> Programs:
        """
        The programs, if they can do a task for a game now.

        :param task: words for the refusal
        :raises NotAnswered: they cannot
        """
        reason = self.why_not(game) or (None if self._games else _NOT_READY)
        if reason is not None or self.programs is None:
            raise NotAnswered(f"only house players can {task}, and {reason}")
        return self.programs

    # -- for the lobby: waiting players

    def waits(self, session: Session, game: Game[Any, Any], wish: Seat | None, in_queue: bool, unasked: bool) -> None:
        """
        Note that a player waits for opponents from now on, so that a house player may join it.

        :param wish: the seat that the player wants; `None`: any
        :param in_queue: whether the player waits in a queue; otherwise it waits at an open table
        :param unasked: whether a house player may join by itself, after the player has waited for some time; otherwise it
            joins only if the player requests it
        """
        self.waits_no_longer(session)
        waiting = self.waiting[session] = _Waiting(game, wish, in_queue)
        if unasked and (seconds := self.rules.seconds.get(game.name)):  # `None` or 0: the game has no house players
            waiting.timer.set(self._clock, seconds, self._due, session, waiting)

    def waits_no_longer(self, session: Session) -> None:
        """Note that a player does not wait for opponents any more: no house player joins it."""
        waiting = self.waiting.pop(session, None)
        if waiting is not None:
            waiting.timer.stop()

    def _due(self, session: Session, waiting: _Waiting) -> None:
        """
        Let house players join a player that has waited for some time, unless other people wait at its table. If that is not
        possible, try again later. Called by the timer.
        """
        others = 0 if waiting.in_queue else self._tables.others(session)
        if others is None:
            del self.waiting[session]  # the table was closed
            return
        again = AGAIN
        if others:
            # Other people may fill the table, so wait once more as long as at first.
            again = self.rules.seconds[waiting.game.name]
        else:
            try:
                self.wanted(session, self._usual_level(waiting.game))
            except HouseRefused:
                pass  # a house player may be free later
            else:
                return
        waiting.timer.set(self._clock, again, self._due, session, waiting)

    # -- for the lobby: seats of house players

    def resume(self, session: Session) -> None:
        """
        Put a house player back into its seat after the host has loaded a match of an earlier run. If house players are off
        now, the seat remains that of an absent player.
        """
        if session.table is None or not any(self.rules.seconds.values()):
            return
        # The house player shares its time to think with those of the address of a connected person, if there is one.
        people = [one for one in session.match if not one.house]
        # Its `HouseSeat` counts as the connected player until the program logs in.
        session.player = self._keep(session, next((one for one in people if one.player is not None), people[0]))
        self._sit(session)
        if session.table is None:
            # The match ended in an earlier run of the host, and this player has received that.
            self.forget(session)
            self._registry.forget(session)

    def _sit(self, session: Session) -> None:
        """Inform the table that the player of this seat is connected, and start its program."""
        if session.table is not None and session.seat is not None and session.player is not None:
            session.table.reconnect(session.seat, session.player)
        self._call([session])

    def forget(self, session: Session) -> None:
        """Drop the seat of a house player, because its match is over."""
        kept = self.kept.pop(session, None)
        if kept is not None:
            kept.timer.stop()

    def halt(self) -> None:
        """Stop all timers, because the host stops."""
        for session in list(self.waiting):
            self.waits_no_longer(session)
        for kept in self.kept.values():
            kept.timer.stop()

    # -- for the programs

    def started(self, programs: Programs) -> None:
        """Let the programs take their seats, because their process has started, or has started again."""
        self.programs, self.starting = programs, False
        # Only for seats without a connected program: the `HouseSeat` stands in for it, or its absence was announced.
        for session, kept in self.kept.items():
            if session.player in (kept, None):
                programs.sit(session.name, kept.group)

    def log_in(self, name: str, player: Any) -> Session:
        """
        Log in the program of a house player. It gets its seat later, by `Lobby.reconnect`.

        :param player: receives the events for the program
        :raises NameRefused: no seat is reserved for this name
        """
        session = self._registry.get(name)
        kept = None if session is None else self.kept.get(session)
        if session is None or kept is None or session.table is None or session.table.phase is Phase.CLOSING:
            raise NameRefused(NameFault.INVALID, "no seat is kept for this name")
        kept.timer.stop()
        displaced, session.player = session.player, player  # the `HouseSeat`, or an older connection of the program
        if displaced is not None:
            displaced.deliver(Displaced())
        return session

    def active(self, session: Session, handle: SeatHandle[Any] | None = None) -> None:
        """
        Note an event at the table of a house player, so that its match does not count as idle.

        :param handle: the handle of its seat, if it has just got one
        """
        kept = self.kept.get(session)
        if kept is not None:
            kept.active_at = self._clock.seconds()
            kept.handle = handle or kept.handle
            self.kept.move_to_end(session)  # the first one is at the table that has been idle longest

    def lost(self, session: Session, player: Any) -> None:
        """
        Reserve the seat of a house player, because its program has disconnected, and start the program again.

        :param player: the `Player` of the lost connection. If a newer connection has replaced it, nothing is done
        """
        kept = self.kept.get(session)
        if kept is None or session.player is not player or session.table is None or session.seat is None:
            return
        # The `HouseSeat` takes the place of the connection, so the other players notice nothing.
        session.player = kept
        session.table.reconnect(session.seat, kept)
        self._call([session])

    # -- inside

    def _usual_level(self, game: Game[Any, Any]) -> str:
        """The level that the owner has set for house players; if the game does not offer it, the game's weakest one."""
        offered = levels_of(game)
        return self.rules.level if self.rules.level in offered else offered[0]

    def _new_sessions(
        self, asker: Session, game: Game[Any, Any], level: str, number: int, begins: bool = False
    ) -> list[Session]:
        """
        Make the sessions of new house players. If there are too many matches with house players, end an idle one first.

        :param asker: the player that the house players will play against
        :param number: how many house players are needed
        :param begins: whether they are for a new match, so that the limit on the rate of new matches applies
        :raises HouseRefused: no house players are free
        """
        _check_level(level, levels_of(game))
        reason = self.why_not(game.name)
        if reason is not None:
            raise HouseRefused(reason)
        if begins and (refusal := self._new_matches.refusal(asker.address)) is not None:
            raise HouseRefused(refusal)
        # The limit for one address, and then the limit for the host. Matches are counted, not house players: one match
        # may have several of them.
        whom, share = rate_limit_key(asker.address), self.rules.tables_per_address
        if share is not None and not is_loopback(asker.address):
            mine = [kept for kept in self.kept.values() if kept.whom == whom]
            if len({kept.session.table_id for kept in mine}) >= share and not self._give_way(mine):
                raise HouseRefused("too many matches from your address have house players: end one, or try again later")
        if len({session.table_id for session in self.kept}) >= self.rules.tables and not self._give_way(
            self.kept.values()
        ):
            raise HouseRefused("all house players are busy: try again later")
        sessions = []
        for _ in range(number):
            session = self._registry.enter_house(name_of(self._free_name(level)), WIRE)
            session.player = self._keep(session, asker)
            sessions.append(session)
        return sessions

    def _free_name(self, level: str) -> str:
        """A new name for a house player of a level, such as `easy.7`, that no player has."""
        names = (f"{level}.{self._registry.membership.prefix}{number}" for number in self._numbers[level])
        return next(name for name in names if self._registry.get(name) is None)

    def _keep(self, session: Session, asker: Session) -> HouseSeat:
        """Make the `HouseSeat` of a house player."""
        whom = rate_limit_key(asker.address)
        kept = self.kept[session] = HouseSeat(session, whom, self._group_of(whom), self._clock.seconds())
        return kept

    def _group_of(self, whom: str) -> int:
        """The number of the group for an address: that of its other house players, or a new one."""
        groups = (kept.group for kept in self.kept.values() if kept.whom == whom)
        return next(groups, None) or next(self._groups)  # numbers begin with 1

    def _give_way(self, seats: Iterable[HouseSeat]) -> bool:
        """
        Free a house player: let it resign the match that has been idle longest, if this match was idle for `IDLE` seconds or
        more.

        :param seats: the seats of house players to choose from; the first one has been idle longest
        :returns: whether a match was ended
        """
        kept = next(iter(seats), None)
        # No handle: its program has not taken the seat yet, so it cannot resign.
        if kept is None or kept.handle is None or kept.active_at + IDLE > self._clock.seconds():
            return False
        kept.handle.resign()
        return True

    def _call(self, sessions: Sequence[Session]) -> None:
        """Start the programs of these house players. If a program does not log in within `PATIENCE`, it is absent."""
        for session in sessions:
            kept = self.kept.get(session)
            if kept is None:
                continue
            kept.timer.set(self._clock, PATIENCE, self._gone, kept)
            if self.programs is not None:
                self.programs.sit(session.name, kept.group)

    def _gone(self, kept: HouseSeat) -> None:
        """
        Count a house player as absent, because its program has not logged in in time. The grace time of its seat begins.
        """
        if kept.session.player is kept:  # otherwise the program has logged in
            kept.session.player = None
            kept.session.away_since = self._clock.seconds()
            self._seats.disconnect(kept.session)
