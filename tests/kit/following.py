"""Two hosts on one store: one plays, and the other one follows its tables."""

from typing import Any

from attrs import define, field

from gamehost.games.base import Game
from gamehost.journal.records import TableId
from gamehost.lobby.following import READ_EVERY, FollowedTables
from gamehost.tables.followed import FollowedTable
from gamehost.tables.slices import Slices
from tests.kit.example_game import TOY, TOY_WIRE
from tests.kit.memory_host import MemoryHost
from tests.kit.watching import FaceEncoder, Stream, WatchedTable


def follow(world: MemoryHost, *games: Game[Any, Any]) -> FollowedTables:
    """Follow the tables of a host, without a host of one's own."""
    played = {game.name: game for game in games or (TOY,)}
    return FollowedTables(world.clock, world.journal.beside(), Slices(world.clock), played, {})


@define(eq=False)
class FollowedWorld(WatchedTable):
    """As `WatchedTable`, but those who watch are at another host."""

    followed: FollowedTables = field(init=False)

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        games = {self.game.name: self.game}
        self.followed = FollowedTables(self.clock, self.journal.beside(), Slices(self.clock), games, {})

    @property
    def watched(self) -> FollowedTable | None:
        """The table, if it is known and not over."""
        return self.followed.get(self.table.id)

    def watch(self) -> Stream:
        stream = Stream()
        if (table := self.watched) is not None:
            self.galleries.watch(table, stream, FaceEncoder(self.face))
        return stream

    def turn(self) -> None:
        self.clock.advance(READ_EVERY)
        self.clock.advance(0)


class Pair:
    """
    Two hosts of the toy game on one store. `first` plays, and `leader` shows its matches.

    :param settings: of both hosts
    """

    def __init__(self, settings: dict[str, str] | None = None) -> None:
        settings = {"toy.goal": "1000"} | (settings or {})
        self.first = MemoryHost(settings, wires=(TOY_WIRE,))
        self.leader = MemoryHost(settings, journal=self.first.journal.beside(), wires=(TOY_WIRE,))
        self.leader.lobby.spectators.follow({TOY.name: TOY})

    def wait(self, seconds: float = READ_EVERY) -> None:
        """Let time pass at both hosts."""
        self.first.wait(seconds)
        self.leader.wait(seconds)

    def inherit(self) -> list[TableId]:
        """The first host ends, and the leader has its tables."""
        ours, theirs = self.leader.journal, self.first.journal
        found = [one for one in ours.unfinished() if one.table in theirs.own]
        ours.own |= theirs.own
        self.leader.lobby.restore({TOY.name: TOY}, found)
        return [one.table for one in found]
