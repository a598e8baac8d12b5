"""
Two members of a cluster beside a host alone, and beside two hosts that know nothing of each other: Onitama, on one database
server, in turn, by what a move costs.

    python -m benchmarks.members [--connections 100] [--pairs 5] [--seconds 1.5] [--growth]

With `--growth`, clusters of one, two and three members beside a host alone, on Onitama's wire and on the open one. A balancer
sends each player to any member, and the lobbies decide who plays whom. The connections are as many in each case.

Each process has a core, which it shares with the load and the database if there are only two. So look at the third line
first: two processes cost more than one even without a cluster. The players of a table come to the same member, or each to any
member. In the second case half of the tables have a player who is relayed.
"""

import argparse
import re
from collections.abc import Sequence
from contextlib import ExitStack
from random import Random

from attrs import define, evolve, frozen

from benchmarks.cluster_load import ClusterLoad, Shared, cluster
from benchmarks.load import Player, Table
from benchmarks.scripts import GAME, ME, Script, script_of
from benchmarks.servers import LOAD_CORE, SERVER_CORE, host, on_core
from benchmarks.speed import machine, spread
from tests.kit.postgresql import PostgresServer, new_server, require_postgresql

#: Of the two processes.
CORES = (SERVER_CORE, LOAD_CORE)
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
    """What was seen of one size of a cluster; 0: of a host alone."""

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


def growth(wire: str, connections: int, pairs: int, seconds: float, sizes: int = 3) -> list[tuple[Grown, ...]]:
    """
    Each turn: a host alone, and clusters of one member and more.

    :param connections: in each case
    """
    script = growing(wire)
    with ExitStack() as stack:
        database = new_server()
        stack.callback(database.remove)
        alone = stack.enter_context(host(script, store=database.url(database.new_database())))
        servers = [[alone]] + [
            stack.enter_context(cluster(script, database, [CORES[place % 2] for place in range(size)]))
            for size in range(1, sizes + 1)
        ]
        stack.enter_context(on_core(LOAD_CORE))
        loads = []
        for of_size in servers:
            chance = Random(1)

            def anywhere(side: int, number: int, count: int = len(of_size), chance: Random = chance) -> int:
                return chance.randrange(count)

            load = BalancedLoad(script, of_size[0], connections, servers=of_size, place=anywhere, letters="ab")
            loads.append(stack.enter_context(load))
        return [tuple(_grown(load, database, seconds) for load in loads) for _ in range(pairs)]


def _grown(load: BalancedLoad, database: PostgresServer, seconds: float) -> Grown:
    before = database.processor_time()
    shared = load.share(seconds)
    return Grown(shared, database.processor_time() - before)


def growth_report(wire: str, seen: Sequence[Sequence[Grown]]) -> list[str]:
    """What came of it, in lines."""
    lines = []
    for size in range(len(seen[0])):
        what = f"{wire}, {size} member{'s' * (size != 1)}" if size else f"{wire}, alone"
        costs = spread([turn[size].members.costs for turn in seen])
        ratios = spread([turn[size].members.costs / turn[0].members.costs for turn in seen])
        databases = spread([turn[size].database_cost / turn[0].database_cost for turn in seen])
        uneven = spread([turn[size].unevenness for turn in seen])
        lines.append(f"{what:20} {costs} us a move: {ratios} times alone; the database {databases}; uneven {uneven}")
    return lines


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description="Two hosts of a cluster beside a host alone.")
    parser.add_argument("--connections", type=int, default=100)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--growth", action="store_true")
    words = parser.parse_args(arguments)
    require_postgresql()
    print(machine())
    if words.growth:
        for wire in ("onitama", "open"):
            print(
                "\n".join(growth_report(wire, growth(wire, words.connections, words.pairs, words.seconds))), flush=True
            )
        return
    print("\n".join(report(turns(words.connections, words.pairs, words.seconds))), flush=True)


if __name__ == "__main__":
    main()
