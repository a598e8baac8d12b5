"""
Hosts that are killed, stopped or frozen at random instants, under games over real sockets.

`python -m tests.kit.kills onitama|open|sigterm|restarts COUNT [SEED]` does it so often, and `standstill SECONDS` freezes a
host for so long; `make test-sigkill`, `make test-sigterm` and `make test-standstill` do that.
"""

import json
import random
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Any, ClassVar

from attrs import define, field, frozen
from msgspec.structs import replace

from gamehost.games.onitama.rules import Move, Position
from gamehost.journal.records import EntryKind
from gamehost.storage.inspect import Summary, reading
from tests.kit.model_clients.onitama import position_of
from tests.kit.model_clients.open import position_shown, text
from tests.kit.postgresql import PostgresServer, new_server, require_postgresql
from tests.kit.process import HostProcess, Socket, all_wires

# kill -9: is every acknowledged move there afterwards, and none twice?


class Lost(AssertionError):
    """An acknowledged move is not there, or another one is."""


def same(one: Position, other: Position) -> bool:
    """Whether two positions are the same; the order in a hand means nothing."""

    def plain(position: Position) -> Position:
        white, black = position.hands
        return replace(position, hands=((min(white), max(white)), (min(black), max(black))))

    return plain(one) == plain(other)


@define(eq=False)
class Pair:
    """Two players at one table, and what they were told."""

    #: The wire, and what its host is started with.
    wire: ClassVar[str] = "onitama"
    options: ClassVar[tuple[str, ...]] = ("--set", "onitama.max_plies=1000000")

    names: tuple[str, str]
    rng: random.Random
    sockets: list[Socket] = field(factory=list)
    known: Position | None = None
    #: Sent, and not acknowledged when the host died.
    sent: Move | None = None
    moves: int = 0

    def log_in(self, host: HostProcess) -> None:
        """Both log in: to a new match, or back to theirs, where everything must be as they were told."""
        self.sockets = [host.connect("onitama") for _ in self.names]
        found: list[str] = []
        for name, player in zip(self.names, self.sockets, strict=True):
            player.say(f"LOGIN|{name}")
            answer = self._hear_of(player, "START", "RECONNECT", "WAITING")
            if answer[0] == "RECONNECT" and self.known is None and self._has_moves(answer):
                # The host died when it had told the end, and before it noted that: the end is told once more.
                self._hear_of(player, "GAME_OVER")
                player.say(f"LOGIN|{name}")
                answer = self._hear_of(player, "START", "RECONNECT", "WAITING")
            if answer[0] != "WAITING":
                found = answer
        if not found:
            # At two members of a cluster both may come at the same time. They meet soon.
            found = self._hear_of(self.sockets[1], "START")
        if found[0] == "START":
            if self.known is not None:
                raise Lost(f"a match of {self.moves} moves is gone")
            self._hear_of(self.sockets[0], "START")
            if self.names[0] != found[1]:
                self.sockets.reverse()
            self.names = (found[1], found[2])
            self.known = position_of("ppkpp/...../...../...../PPKPP", found[3], 0)
            return
        self._check(position_of(found[3], found[4], self.names.index(found[5])))
        self._hear_of(self.sockets[0], "RECONNECT")

    def _hear_of(self, player: Socket, *commands: str) -> list[str]:
        while True:
            fields = player.hear().split("|")
            if fields[0] in commands:
                return fields
            if fields[0] == "ERROR" and fields[1].startswith("the host is stopping"):
                raise ConnectionError("the host is going")
            if fields[0] in ("INVALID_MOVE", "ERROR"):
                raise Lost(f"what fits all that was acknowledged is refused: {fields}")
            if fields[0] == "":
                raise ConnectionError("the host is gone")

    @staticmethod
    def _has_moves(reconnect: list[str]) -> bool:
        return reconnect[3] != "ppkpp/...../...../...../PPKPP"

    def _check(self, found: Position) -> None:
        if self.known is None:
            # The host died between the commit of the beginning and the telling of it.
            self.known = found
            return
        possible = [self.known]
        if self.sent is not None and self.known.why_not(self.sent) is None:
            possible.append(self.known.after(self.sent))
        for position in possible:
            if same(position, found):
                self.known = position
                self.sent = None
                return
        raise Lost(f"after {self.moves} acknowledged moves: expected one of {possible}, found {found}")

    def send(self, move: Move) -> None:
        """Have the player on turn send a move, and wait for nothing."""
        assert self.known is not None
        self.sent = move
        self.sockets[self.known.turn].say("MAKE_MOVE|" + str(move).replace(" ", "|"))

    def send_any(self) -> None:
        """Any move, but one that wins only if there is no other."""
        position = self.known
        assert position is not None
        quiet = [move for move in position.moves() if position.after(move).won is None]
        self.send(self.rng.choice(sorted(quiet or position.moves(), key=str)))

    def move(self) -> None:
        self.send_any()
        self.hear_answers()

    def leave_in_flight(self) -> None:
        """Send a move and do not wait for the answer; sometimes the host has a moment to begin with it."""
        position = self.known
        if position is None:
            return
        quiet = [move for move in position.moves() if position.after(move).won is None]
        if quiet:
            self.send(self.rng.choice(sorted(quiet, key=str)))
            time.sleep(self.rng.random() * 0.002)

    def hear_answers(self) -> None:
        """The acknowledgement of the move that was sent, to both."""
        for player in self.sockets:
            self._hear_of(player, "MOVE_WAS_MADE")
            if self.sent is not None:
                self._acknowledged()  # whoever is told first: the host may die before it tells the other
        if self.known is not None and self.known.won is not None:
            for player in self.sockets:
                self._hear_of(player, "GAME_OVER")
            self.known = None
            self.moves = 0

    def _acknowledged(self) -> None:
        assert self.known is not None and self.sent is not None
        self.known = self.known.after(self.sent)
        self.sent = None
        self.moves += 1

    def read_what_came(self) -> None:
        """The host is dead; what it said before counts."""
        for player in self.sockets:
            with suppress(OSError):
                while (line := player.hear()) != "":
                    if line.startswith("MOVE_WAS_MADE") and self.sent is not None:
                        self._acknowledged()

    def close(self) -> None:
        for player in self.sockets:
            player.close()


#: A host is killed after at most so many moves. The count depends on the seed, not on the speed of the machine.
MOST_MOVES = 50


def kill_at_random(
    times: int,
    seed: int,
    folder: Path,
    new_pair: Callable[..., Pair] = Pair,
    store: str = "store.sqlite",
) -> int:
    """
    Kill a host so often, and check after each time.

    :param new_pair: makes the two who play
    :returns: how many moves were acknowledged in all
    :raises Lost: an acknowledged move is missing, or is there twice
    """
    rng = random.Random(seed)
    pair = new_pair(("ann", "bob"), rng)
    acknowledged = 0
    for _ in range(times):
        with HostProcess(*pair.options, wires=[pair.wire], folder=folder, store=store) as host:
            pair.log_in(host)
            for _ in range(rng.randrange(MOST_MOVES)):
                if pair.known is None:
                    pair.close()
                    pair.log_in(host)
                pair.move()
                acknowledged += 1
            pair.leave_in_flight()
            host.kill()
            pair.read_what_came()
            pair.close()
    return acknowledged


# The open wire: guests take their seats back with their keys.


@define(eq=False)
class OpenPair(Pair):
    """Two guests at one table. Each entry of it has a number, and they must be told each number once."""

    wire: ClassVar[str] = "open"
    #: Without a key nobody takes a seat back.
    options: ClassVar[tuple[str, ...]] = ("--set", "onitama.max_plies=1000000", "--resume=never")

    keys: dict[str, str] = field(factory=dict)
    #: The number of the last entry that both know of.
    n: int = 0
    table: int = 0

    def log_in(self, host: HostProcess) -> None:
        """As on the other wire. `entered` says at once whether there is a seat."""
        self.sockets = [host.connect(self.wire) for _ in self.names]
        found = [self._enter(name, player) for name, player in zip(self.names, self.sockets, strict=True)]
        if not any(found):
            if self.known is not None:
                raise Lost(f"a match of {self.moves} moves is gone")
            self._begin()
        elif not all(found):
            raise Lost(f"one has a seat, and the other one has not: {found}")

    def _enter(self, name: str, player: Socket) -> bool:
        """Log in. Whether there is a seat, where everything is as it was told."""
        player.say(text(do="enter", name=name, **({"key": self.keys[name]} if name in self.keys else {})))
        entered = self._hear(player, "entered")
        self.keys[name] = entered["key"]
        if "table" not in entered:
            return False
        back = self._hear(player, "back", own=True)
        if self.known is None and back["n"] > 1:
            # The host died when it had told the end, and before it noted that: the end is told once more.
            self._hear(player, "over")
            return False
        self.table = back["table"]
        sent = self.sent
        self._check(position_shown(back["view"]))
        applied = sent is not None and self.sent is None and back["n"] == self.n + 1
        if self.n and back["n"] != self.n and not applied:
            raise Lost(f"the last entry is {back['n']}, and {self.n} were acknowledged")
        self.n = back["n"]
        return True

    def _begin(self) -> None:
        for player in self.sockets:
            player.say(text(do="seek", game="onitama"))
        for player in self.sockets:
            seated = self._hear(player, "seated")
            dealt = self._hear(player, "event")
            self.known, self.n, self.table = position_shown(dealt["event"]), dealt["n"], seated["table"]
        if seated["seat"] == 0:
            self.names, self.sockets = (self.names[1], self.names[0]), self.sockets[::-1]

    def _hear(self, player: Socket, kind: str, own: bool = False) -> dict[str, Any]:
        while True:
            line = player.hear()
            if not line:
                raise ConnectionError("the host is gone")
            message: dict[str, Any] = json.loads(line)
            if message["is"] == kind and (not own or "view" in message):
                return message
            if message["is"] == "bye":
                raise ConnectionError(message["why"])
            if message["is"] in ("refused", "sorry", "suspended"):
                raise Lost(f"what fits all that was acknowledged is refused: {message}")

    def send(self, move: Move) -> None:
        assert self.known is not None
        self.sent = move
        self.sockets[self.known.turn].say(text(do="act", table=self.table, action=str(move)))

    def hear_answers(self) -> None:
        for player in self.sockets:
            n = self._hear(player, "event")["n"]
            if self.sent is not None:
                self._told(n)
            elif n != self.n:
                raise Lost(f"entry {n} was told to one player, and {self.n} to the other")
        if self.known is not None and self.known.won is not None:
            for player in self.sockets:
                self._hear(player, "over")
            self.known = None
            self.moves = self.n = 0

    def _told(self, n: int) -> None:
        if n != self.n + 1:
            raise Lost(f"entry {n} was told after entry {self.n}")
        self._acknowledged()
        self.n = n

    def read_what_came(self) -> None:
        for player in self.sockets:
            with suppress(OSError):
                while (line := player.hear()) != "":
                    message = json.loads(line)
                    if message["is"] == "event" and self.sent is not None:
                        self._told(message["n"])


# SIGTERM: does the host end in time and cleanly, does nobody forfeit, and is every acknowledged move there afterwards? Seats
# are kept for no time at all here, so that whoever is taken for having left has lost.


#: Within which the host has to be gone, in seconds.
MOST_SECONDS = 5.0
PAIRS = 4
#: After an orderly stop `twistd` sends itself the signal again, so that is its status. The log's last line says more.
CLEAN = (0, -signal.SIGTERM)
SHUT_DOWN = "gamehost has stopped"
#: What no log of a clean end has in it.
BAD_WORDS = ("Traceback", "Unhandled", "Failure", "error")


class BadEnd(AssertionError):
    """The host did not end as it must."""


@define
class Stops:
    """What came of it."""

    times: int = 0
    moves: int = 0
    #: Seconds from each signal to the end of the process.
    seconds: list[float] = field(factory=list)


@define(eq=False)
class Playing:
    """A pair that plays in a thread of its own until the host is gone."""

    pair: Pair
    moves: int = 0
    _fault: BaseException | None = None
    _thread: threading.Thread = field(init=False)

    def begin(self) -> None:
        """Play on, from the log-in that has been."""
        self._thread = threading.Thread(target=self._play)
        self._thread.start()

    def _play(self) -> None:
        try:
            while self.pair.known is not None:
                self.pair.move()
                self.moves += 1
        except OSError:
            pass  # the host is gone
        except BaseException as error:
            self._fault = error

    def end(self) -> None:
        """:raises Lost: what must never be"""
        self._thread.join(30)
        if self._fault is not None:
            raise self._fault
        self.pair.read_what_came()
        self.pair.close()


def stop_at_random(times: int, seed: int, folder: Path, seconds: float = 1e9) -> Stops:
    """
    Stop a host so often, and check after each time.

    :param seconds: stop earlier if it takes longer
    :raises BadEnd: it took too long, its status was not 0, its log is not clean, or somebody forfeited
    :raises Lost: what was acknowledged is not there, or does not go on
    """
    rng = random.Random(seed)
    pairs = [Pair((f"ann{number}", f"bob{number}"), random.Random(seed + number)) for number in range(PAIRS)]
    done = Stops()
    ends = time.monotonic() + seconds
    options = ("--grace=0", "--set", "onitama.max_plies=1000000")
    while done.times < times and time.monotonic() < ends:
        expected = sum(pair.known is not None for pair in pairs)
        with HostProcess(*options, wires=all_wires(), folder=folder, store="store.sqlite") as host:
            if expected and f"resumed {expected} table" not in host.log:
                raise Lost(f"{expected} tables were to be resumed:\n{host.log}")
            bystanders = _stand_by(host)
            playing = []
            for pair in pairs:
                pair.log_in(host)
                playing.append(Playing(pair))
            for one in playing:
                one.begin()
            time.sleep(rng.random() * 0.2)
            done.seconds.append(_stop(host))
            for one in playing:
                one.end()
            _hear_the_end(bystanders)
        done.moves += sum(one.moves for one in playing)
        done.times += 1
        if found := [word for word in BAD_WORDS if word in host.log]:
            raise BadEnd(f"{found} in the log:\n{host.log}")
        if SHUT_DOWN not in host.log:
            raise BadEnd(f"the host did not come to its own end:\n{host.log}")
        nobody_left(folder / "store.sqlite")
    return done


def _stand_by(host: HostProcess) -> Sequence[socket.socket]:
    """On every wire one who says nothing, and one who is in the middle of a message."""
    connections = []
    for port in host.ports.values():
        for data in (b"", b"\0"):
            connection = socket.create_connection(("127.0.0.1", port), timeout=10)
            connection.sendall(data)
            connections.append(connection)
    return connections


def _stop(host: HostProcess) -> float:
    try:
        status, seconds = host.stop()
    except TimeoutExpired:
        raise BadEnd(f"10 seconds after SIGTERM the host was there:\n{host.log}") from None
    if status not in CLEAN:
        raise BadEnd(f"the status was {status}")
    if seconds > MOST_SECONDS:
        raise BadEnd(f"the host took {seconds:.1f} s")
    return seconds


def _hear_the_end(connections: Sequence[socket.socket]) -> None:
    """:raises OSError: a connection is left hanging"""
    for connection in connections:
        try:
            while connection.recv(4096):
                pass
        except ConnectionResetError:
            pass  # the half message was not read any more
        connection.close()


def nobody_left(store: Path) -> None:
    """
    :raises BadEnd: the last event of a table is that a player left, or was too slow
    :raises Lost: the journal has faults
    """
    with reading(store) as journal:
        if faults := journal.verify().faults:
            raise Lost(f"the journal has faults: {faults}")
        for summary in journal.tables():
            assert isinstance(summary, Summary)
            last = summary.last
            if last is not None and last.kind not in (EntryKind.BEGAN, EntryKind.ACTED):
                raise BadEnd(f"table {summary.table} ended while the host stopped: {last.outcome or last.kind.name}")


# SIGSTOP, as of a paused container or a laptop that sleeps: no deadline runs meanwhile. Every deadline is shorter than
# that: the grace time, the time for a move and the time for a log-in.


OPTIONS = (
    *("--grace=2", "--move-time=2", "--set", "limits.login_seconds=2"),
    *("--set", "onitama.deal=boar,ox/crab,eel/tiger", "--set", "onitama.max_plies=1000000"),
)
FROZEN_PAIRS = 4


class Charged(AssertionError):
    """A client paid for the standstill."""


def freeze(seconds: float, folder: Path) -> float:
    """
    Freeze a host for so many seconds, while some play and others are about to log in or to move.

    :returns: the seconds that the host logged
    :raises Charged: somebody was not heard, or the host found the disk late
    :raises BadEnd: somebody forfeited
    """
    pairs = [Pair((f"ann{number}", f"bob{number}"), random.Random(number)) for number in range(FROZEN_PAIRS)]
    with HostProcess(*OPTIONS, wires=["onitama"], folder=folder, store="store.sqlite") as host:
        playing = []
        for pair in pairs:
            pair.log_in(host)
            for player in pair.sockets:
                player.socket.settimeout(seconds + 10)
            playing.append(Playing(pair))
        eve, fay = host.connect("onitama"), host.connect("onitama")
        eve.say("LOGIN|eve")
        _hear(eve, "WAITING")
        fay.say("LOGIN|fay")
        _hear(eve, "START")
        for one in playing:
            one.begin()
        late = host.connect("onitama")
        fay.close()
        _hear(eve, "LOGOUT")
        time.sleep(0.3)
        host.process.send_signal(signal.SIGSTOP)
        # What they send lies in their sockets until the host runs again.
        again = host.connect("onitama")
        again.say("LOGIN|fay")
        late.say("LOGIN|gil")
        eve.say("MAKE_MOVE|ox|c1|c2")
        time.sleep(seconds)
        host.process.send_signal(signal.SIGCONT)
        _hear(late, "WAITING")
        _hear(again, "RECONNECT")
        _hear(eve, "MOVE_WAS_MADE")
        moves = [one.moves for one in playing]
        time.sleep(0.5)
        if not any(one.moves > before for one, before in zip(playing, moves, strict=True)):
            raise Charged("no match went on")
        host.stop()
        for one in playing:
            one.end()
    if "the disk" in host.log or SHUT_DOWN not in host.log:
        raise Charged(host.log)
    nobody_left(folder / "store.sqlite")
    _, found, rest = host.log.partition("the reactor stood still for ")
    return float(rest.split(" ", 1)[0]) if found else 0.0


def _hear(player: Socket, command: str) -> None:
    """Hear lines until one has this command. Neither the game nor the connection may end before."""
    while not (line := player.hear()).startswith(command + "|"):
        if not line or line.startswith("GAME_OVER"):
            raise Charged(f"expected {command}, got {line!r}")


# Restarts of the database under play: nothing that was acknowledged is lost, nothing is there twice, nobody is disconnected.


@frozen
class Restarts:
    """What was seen."""

    #: Moves that were acknowledged.
    moves: int
    #: Seconds that the database was away, and seconds that a move took, at most.
    away: float
    longest: float


def restart_under_play(times: int, seed: int, folder: Path, server: PostgresServer) -> Restarts:
    """
    Kill the database so often while a move is under way, start it again, and play on over the same connections.

    In the end the host is killed, and the next one must have the position that the players were told of.

    :raises Lost: a move is missing, or is there twice
    :raises ConnectionError: the host has ended, or has disconnected a player
    """
    rng, moves, away, longest = random.Random(seed), 0, 0.0, 0.0
    pair, database = Pair(("ann", "bob"), rng), server.new_database()
    store = server.url(database)
    with HostProcess(*Pair.options, wires=["onitama"], folder=folder, store=store) as host:
        pair.log_in(host)
        for _ in range(times):
            for _ in range(rng.randrange(1, 20)):
                moves += _move(pair, host)
            began = time.monotonic()
            server.stop()
            restarted = _restart_during_a_move(pair, host, server)
            moves += 1
            away = max(away, restarted - began)
            longest = max(longest, time.monotonic() - began)
        host.kill()
    pair.read_what_came()
    pair.close()
    with HostProcess(*Pair.options, wires=["onitama"], folder=folder, store=store) as host:
        pair.log_in(host)
    gaps = server.execute("SELECT game FROM event GROUP BY game HAVING count(*) != max(n) + 1", database)
    if gaps:
        raise Lost(f"tables with gaps: {gaps}")
    return Restarts(moves, away, longest)


def _move(pair: Pair, host: HostProcess) -> int:
    if pair.known is None:
        pair.close()
        pair.log_in(host)
    pair.move()
    return 1


def _restart_during_a_move(pair: Pair, host: HostProcess, server: PostgresServer) -> float:
    """Send a move to a host whose database is away, start that, and wait for the acknowledgement; when it was started."""
    if pair.known is None:
        server.start()
        restarted = time.monotonic()
        _move(pair, host)
        return restarted
    pair.send_any()
    time.sleep(pair.rng.random() * 0.1)
    for player in pair.sockets:
        player.socket.setblocking(False)
        try:
            early = player.socket.recv(4096)
        except BlockingIOError:
            early = b"\n"
        player.socket.settimeout(20)
        if early.strip():
            raise Lost(f"told before it was durable: {early!r}")
    server.start()
    restarted = time.monotonic()
    pair.hear_answers()
    return restarted


def main(what: str, count: str, seed: str = "1") -> None:
    """Do it so often, and print what came of it."""
    with tempfile.TemporaryDirectory() as temporary:
        folder, times = Path(temporary), int(count)
        if what == "sigterm":
            result = stop_at_random(times, int(seed), folder, seconds=900)
            ordered = sorted(result.seconds)
            print(
                f"{times} ends by SIGTERM under {result.moves} acknowledged moves: nothing lost, nobody forfeited, all "
                f"resumed; median {ordered[len(ordered) // 2]:.2f} s, longest {ordered[-1]:.2f} s"
            )
        elif what == "standstill":
            logged = freeze(times, folder)
            print(f"frozen for {times} s under play: nobody forfeited, all were heard; the host logged {logged:g} s")
        elif what == "restarts":
            require_postgresql()
            own = new_server()
            try:
                seen = restart_under_play(times, int(seed), folder, own)
            finally:
                own.remove()
            print(
                f"{times} restarts, {seen.moves} moves acknowledged: none lost, none twice, nobody disconnected; the "
                f"database was away for up to {seen.away:.2f} s, the longest move took {seen.longest:.2f} s"
            )
        else:
            moves = kill_at_random(times, int(seed), folder, new_pair={"onitama": Pair, "open": OpenPair}[what])
            print(f"{times} kills, {moves} moves acknowledged: none lost, none twice")


if __name__ == "__main__":
    main(*sys.argv[1:])
