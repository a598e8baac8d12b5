"""
Two members of a cluster beside a host alone, and beside two hosts that know nothing of each other: Onitama, on one database
server, in turn, by what a move costs.

    python -m benchmarks.members [--connections 100] [--pairs 5] [--seconds 1.5] [--growth [--each]]

With `--growth`, clusters of one, two and three members beside a host alone, on Onitama's wire and on the open one. A balancer
sends each player to any member, and the lobbies decide who plays whom. The connections are as many in each case; with `--each`,
as many for each member as for the host alone. Several processes on two cores cost more than one even if they have nothing to do
with each other. So on Onitama's wire there are also as many hosts alone as the largest cluster has members, each with its own
players.

Each process has a core, which it shares with the load and the database if there are only two. So look at the third line
first: two processes cost more than one even without a cluster. The players of a table come to the same member, or each to any
member. In the second case half of the tables have a player who is relayed.
"""

import argparse
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from random import Random

from attrs import define, evolve, frozen

from benchmarks.cluster_load import ClusterLoad, Shared, cluster
from benchmarks.load import Player, Table
from benchmarks.scripts import GAME, ME, Script, script_of
from benchmarks.servers import LOAD_CORE, SERVER_CORE, Server, host, on_core
from benchmarks.speed import machine, spread
from tests.kit.postgresql import PostgresServer, new_server, require_postgresql

#: Of the two processes.
CORES = (SERVER_CORE, LOAD_CORE)
#: Hosts that know nothing of each other.
ALONE = "hosts alone"
ROWS = ("two hosts alone", "two members, a table at one", "two members, players anywhere")


def first(side: int, number: int) -> int:
    """All come to one."""
    return 0


def together(side: int, number: int) -> int:
    """Both players of a table come to the same one."""
    return number % 2


def anywhere(side: int, number: int) -> int:
    """All pairs of members, one after the other."""
    return number % 2 if side else number // 2 % 2


def turns(connections: int, pairs: int, seconds: float, wire: str = "onitama") -> list[tuple[Shared, ...]]:
    """
    Each turn: one host; two hosts; two members, with the players of a table at one; and with them anywhere.

    :param connections: of each process
    """
    script = script_of(wire)
    with ExitStack() as stack:
        database = new_server()
        stack.callback(database.remove)
        hosts = [
            stack.enter_context(host(script, store=database.url(database.new_database()), core=core)) for core in CORES
        ]
        members = stack.enter_context(cluster(script, database, CORES))
        stack.enter_context(on_core(LOAD_CORE))
        loads = [
            stack.enter_context(ClusterLoad(script, servers[0], count, servers=servers, place=place, letters=letters))
            for servers, count, place, letters in (
                (hosts, connections, first, "ab"),
                (hosts, connections * 2, together, "cd"),
                (members, connections * 2, together, "ab"),
                (members, connections * 2, anywhere, "cd"),
            )
        ]
        return [tuple(load.share(seconds) for load in loads) for _ in range(pairs)]


def report(seen: Sequence[Sequence[Shared]]) -> list[str]:
    """What came of it, in lines."""
    lines = [f"one host alone                   {spread([turn[0].costs for turn in seen])} us a move"]
    for number, what in enumerate(ROWS, 1):
        costs = spread([turn[number].costs for turn in seen])
        ones = spread([2 * turn[0].costs / turn[number].costs for turn in seen])
        twos = spread([turn[1].costs / turn[number].costs for turn in seen])
        lines.append(f"{what:32} {costs} us a move: {ones} times one host, {twos} times two hosts")
    return lines


def growing(wire: str) -> Script:
    """Onitama's script on its wire or on the open one, with a lobby that decides who plays whom."""
    script = script_of("onitama")
    if wire == "onitama":
        begins = rb"START\|(?P<game>(?P<first>\w+)\|\w+)\|[^\n]*\n"
        return evolve(script, arrival=(), log_in=b"LOGIN|%b\n" % ME, begins=re.compile(begins))
    steps = []
    for step in script.play:
        action = step.said.removeprefix(b"MAKE_MOVE|").strip().replace(b"|", b" ")
        steps.append(
            evolve(step, said=b'{"do":"act","table":%b,"action":"%b"}\n' % (GAME, action), ends=(b"}\n", b"}\n"))
        )
    begins = rb'"is":"seated","table":(?P<game>\d+).*"names":\["(?P<first>\w+)".*\n.*"kind":"dealt".*\n'
    log_in = b'{"do":"enter","name":"%b"}\n{"do":"seek","game":"onitama"}\n' % ME
    return evolve(
        script, wire="open", arrival=(), play=tuple(steps), others=(), log_in=log_in, begins=re.compile(begins)
    )


@define(eq=False)
class BalancedLoad(ClusterLoad):
    """Players who come to any member, and play whoever the lobbies give them, without an end."""

    def _told_in_lobby(self, player: Player, data: bytes) -> None:
        super()._told_in_lobby(player, data)
        if player.table is not None and (begins := self.script.begins.search(player.heard)) is not None:
            table = player.table
            table.play = table.steps = [evolve(one, said=one.said.replace(GAME, begins["game"])) for one in table.play]

    def _rest(self) -> None:
        if len(self.tables) == self.connections // 2:  # they do not come one pair after the other
            super()._rest()

    def _ended(self, table: Table) -> None:
        table.at = 0


@frozen
class Grown:
    """What was seen of a cluster, or of hosts alone."""

    members: Shared
    #: Seconds of a core that the database has used.
    database: float

    @property
    def database_cost(self) -> float:
        """Microseconds a move."""
        return self.database / max(1, self.members.window.moves) * 1e6

    @property
    def unevenness(self) -> float:
        """How much more the busiest member has done than the idlest."""
        return max(self.members.cpu) / max(0.001, min(self.members.cpu))


def growth(
    wire: str, connections: int, pairs: int, seconds: float, each: bool, sizes: int = 3
) -> list[Mapping[str, Grown]]:
    """
    Each turn: a host alone, and clusters of one member and more, by words for them.

    :param connections: of the host alone; of the clusters, in all or for each member
    """
    script = growing(wire)
    with ExitStack() as stack:
        database = new_server()
        stack.callback(database.remove)
        alone = stack.enter_context(host(script, store=database.url(database.new_database())))
        servers = {"alone": [alone]}
        for size in range(1, sizes + 1):
            cores = [CORES[place % 2] for place in range(size)]
            servers[members(size)] = stack.enter_context(cluster(script, database, cores))
        if wire == "onitama":  # the numbers of tables are those of each host
            servers[f"{sizes} {ALONE}"] = [
                stack.enter_context(host(script, store=database.url(database.new_database()), core=core))
                for core in cores
            ]
        stack.enter_context(on_core(LOAD_CORE))
        loads = {
            what: stack.enter_context(_balanced(script, some, connections * (len(some) if each else 1), what))
            for what, some in servers.items()
        }
        return [{what: _grown(load, database, seconds) for what, load in loads.items()} for _ in range(pairs)]


def members(size: int) -> str:
    return f"{size} member{'s' * (size != 1)}"


def _balanced(script: Script, servers: Sequence[Server], connections: int, what: str) -> BalancedLoad:
    """A balancer that sends each player anywhere; of hosts alone, both players of a table to the same one."""
    chance, size = Random(1), len(servers)

    def place(side: int, number: int) -> int:
        return number % size if what.endswith(ALONE) else chance.randrange(size)

    return BalancedLoad(script, servers[0], connections, servers=servers, place=place, letters="ab")


def _grown(load: BalancedLoad, database: PostgresServer, seconds: float) -> Grown:
    before = database.processor_time()
    shared = load.share(seconds)
    return Grown(shared, database.processor_time() - before)


def growth_report(wire: str, seen: Sequence[Mapping[str, Grown]]) -> list[str]:
    """What came of it, in lines."""
    lines = []
    for what in seen[0]:
        costs = spread([turn[what].members.costs for turn in seen])
        ratios = spread([turn[what].members.costs / turn["alone"].members.costs for turn in seen])
        databases = spread([turn[what].database_cost / turn["alone"].database_cost for turn in seen])
        uneven = spread([turn[what].unevenness for turn in seen])
        words = f"{wire}, {what}"
        lines.append(f"{words:22} {costs} us a move: {ratios} times alone; the database {databases}; uneven {uneven}")
    return lines


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description="Two hosts of a cluster beside a host alone.")
    parser.add_argument("--connections", type=int, default=100)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--each", action="store_true")
    words = parser.parse_args(arguments)
    require_postgresql()
    print(machine())
    if words.growth:
        for wire in ("onitama", "open"):
            seen = growth(wire, words.connections, words.pairs, words.seconds, words.each)
            print("\n".join(growth_report(wire, seen)), flush=True)
        return
    print("\n".join(report(turns(words.connections, words.pairs, words.seconds))), flush=True)


if __name__ == "__main__":
    main()
