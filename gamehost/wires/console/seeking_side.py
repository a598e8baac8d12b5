"""How a person finds opponents: the queue of a game, tables that wait, private tables, and house players."""

from gamehost.accounts.names import NameRefused, key_of
from gamehost.lobby.house import HouseRefused
from gamehost.lobby.lobby import Lobby
from gamehost.lobby.queues import CannotJoin, TooManyTables
from gamehost.lobby.sessions import Session
from gamehost.tables.interfaces import OpenTable
from gamehost.wires.console.asking import Asked, asked, table_and_code
from gamehost.wires.console.commands import NotUnderstood
from gamehost.wires.console.listings import settings_words, waiting_line
from gamehost.wires.console.match_side import State
from gamehost.wires.console.messages import Message
from gamehost.wires.console.options import ConsoleOptions
from gamehost.wires.console.settings_side import SettingsSide
from gamehost.wires.console.words import sentence, title
from gamehost.wires.conversation import Peer
from gamehost.wires.seeking import Opened, SeekRefused, Wanted, find_table, join_table, play_house, wanted

#: So many numbers are tried for a guest, if one is taken in the same moment or looks like another name.
_TRIES = 20


class SeekingSide(SettingsSide):
    """How a person finds opponents."""

    def __init__(self, peer: Peer[Message], lobby: Lobby, options: ConsoleOptions) -> None:
        super().__init__(peer, lobby, options)
        self._house = lobby.house

    # -- a name

    def _entered(self, session: Session) -> None:
        """The person has a name from now on, and perhaps another one no longer."""
        before = self.session
        self.session = None
        if before is not None and before is not session:
            self.lobby.leave(before, self)
        self.logged_in(session)
        table = session.table_id
        if table is None:
            # An earlier connection of the same person may have left a place in a queue.
            self.lobby.stop_waiting(session)
            self.set_state(State.LOBBY)
            self._printer.print(f"You are {session.name}. To play, type: play onitama")
        else:
            self._printer.print(f"You are {session.name}, and your seat in match {table} is yours again.")
            self.set_state(State.PLAYING)
            self._awaiting = True
            self.lobby.reconnect(session)

    def _need_name(self) -> Session:
        """
        The person's session. A person without a name becomes a guest with a number.

        :raises NotUnderstood: the host lets nobody in now
        """
        if self.session is not None:
            return self.session
        reason = ""
        for _ in range(_TRIES):
            try:
                name = self._directory.new_guest()
                session = self.lobby.enter(name, self._options.wire, self.peer.address, self, given=True)
            except NameRefused as refusal:
                reason = str(refusal)
                continue
            self.logged_in(session)
            self.set_state(State.LOBBY)
            self._printer.print(f"You are {session.name}. For another name, type name and the name before you play.")
            return session
        raise NotUnderstood(sentence(reason))

    # -- opponents

    def play(self, words: list[str]) -> None:
        """
        Look for opponents, or play against house players.

        :raises NotUnderstood: the words say no match that can be had
        """
        want = asked(words, self._options.games)
        if self.handle is not None or self.state is State.PLAYING:
            self._refuse("You are in a match. Type board to see it, or resign to give it up.")
            return
        try:
            sought = wanted(want.sought, self._options.games, self.lobby.settings_for)
        except SeekRefused as refusal:
            game = want.sought.game
            raise NotUnderstood(f"{sentence(str(refusal))} For example: play {game}") from None
        if want.level and (reason := self._house.why_not(want.sought.game)) is not None:
            self._refuse_house(reason, want.sought.game)
            return
        if self.lobby.no_tables is not None:
            self._refuse(sentence(self.lobby.no_tables))
            return
        session = self._need_name()
        if self.state is State.WAITING:
            self.lobby.stop_waiting(session)
        self._replay = None
        self.stop_watching()
        self.set_state(State.WAITING)
        if want.level:
            self._play_house(session, sought, want.level)
        elif want.against and not self._waits(want.against, sought):
            self._invite(session, want, sought)
        elif not sought.in_queue:
            self._open(session, sought)
        elif not self.lobby.play(session, sought.queue):
            self._printer.print(*self._waiting_words(sought))
        self._awaiting = session.table_id is not None  # the match is about to be told

    def _play_house(self, session: Session, sought: Wanted, level: str) -> None:
        try:
            play_house(self.lobby, session, sought, level)
        except HouseRefused as refusal:
            self.set_state(State.LOBBY)
            self._refuse_house(str(refusal), sought.played.game.name)

    def _refuse_house(self, reason: str, game: str) -> None:
        self._refuse(f"{sentence(reason)} To play with somebody who comes, type: play {game}")

    def _waiting_words(self, sought: Wanted) -> list[str]:
        """What somebody who waits in a queue can do."""
        game = sought.played.game.name
        lines = [f"You wait for an opponent in {title(game)}. To stop, type: cancel"]
        seconds = self._house.rules.seconds.get(game, 0)
        if self._house.why_not(game) is None:
            lines.append(f"If nobody comes in {seconds:g} s, the host plays. To begin at once, type: play {game} easy")
        return lines

    def _waits(self, name: str, sought: Wanted) -> bool:
        """Whether somebody of this name waits for this game, for anybody or at a table that fits."""
        here = self._directory.waiting().get(sought.played.game.name)
        if here is None:
            return False
        names = [*here.names, *(one for table in here.tables if sought.fits(table) for one in table.names)]
        return key_of(name) in map(key_of, names)

    def _invite(self, session: Session, want: Asked, sought: Wanted) -> None:
        """Open a private table for somebody who does not wait yet."""
        there = any(key_of(one.name) == key_of(want.against) for one in self._directory.people())
        where = "does not wait for this game now" if there else "is not here now"
        self._printer.print(f"Your opponent {where}. You get a private table.")
        self._open(session, Wanted(sought.played, sought.seats, sought.settings, True, sought.wish, False))

    def _open(self, session: Session, sought: Wanted) -> None:
        try:
            opened = find_table(self.lobby, session, sought)
        except TooManyTables as error:
            self.set_state(State.LOBBY)
            self._refuse(sentence(str(error)))
            return
        if opened is not None:
            self._printer.print(*self._opened_words(opened, sought))

    def _opened_words(self, opened: Opened, sought: Wanted) -> list[str]:
        """What somebody who waits at a table of their own can do."""
        table, game = opened.table, sought.played.game.name
        lines = [waiting_line(table)]
        if opened.code:
            lines.append(f"Others come with: join {table.table}-{opened.code}")
        else:
            lines.append(f"Others come with: join {table.table}")
        if self._house.why_not(game) is None:
            lines.append(f"To play against the host instead, type: play {game} easy{_as_typed(table)}")
        return [*lines, "To stop, type: cancel"]

    def join(self, words: list[str]) -> None:
        """
        Sit down at a table that waits.

        :raises NotUnderstood: there is no number
        """
        table, code = table_and_code(words, "join 12")
        if self.handle is not None or self.state is State.PLAYING:
            self._refuse("You are in a match. Type board to see it, or resign to give it up.")
            return
        if self.state is State.WAITING:
            self._refuse("You wait for opponents already. To stop, type: cancel")
            return
        session = self._need_name()
        self.set_state(State.WAITING)
        try:
            join_table(self.lobby, session, self._options.games, table, code, lambda game: None)
        except CannotJoin as error:
            self.set_state(State.LOBBY)
            self._refuse(f"{sentence(str(error))} Type waiting to see those that do.")
        self._awaiting = session.table_id is not None

    def cancel(self, words: list[str]) -> None:
        """Wait no longer."""
        if self.state is not State.WAITING or self.session is None:
            self._refuse("You do not wait for anybody.")
            return
        if self.session.table_id is not None:
            self._refuse("The match begins just now.")
            return
        self.lobby.stop_waiting(self.session)
        self.set_state(State.LOBBY)
        self._printer.print("You do not wait any more.")


def _as_typed(table: OpenTable) -> str:
    """What is typed behind `play GAME LEVEL` for a match like this one."""
    seats = f" players={table.seats}" if table.seats > 2 else ""
    return seats + settings_words(table.settings).replace(", ", " ")
