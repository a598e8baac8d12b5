"""
Championships of hosts that are killed. Hosts in memory are dropped at every single step between a log-in and the last word:
after each change that is on disk, and after each callback for one. Another host goes on with the same journal.
"""

import re
from collections.abc import Iterator
from itertools import combinations

from attrs import define, field
from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import EntryKind, TableId
from tests.kit.journals import CommittedJournal
from tests.kit.memory_host import Client
from tests.kit.wires.paper_soccer_xml_talk import login, message
from tests.kit.wires.remote_talk import World, master_login, over, state, thanks

_GAME = re.compile(r'<gameId id="([0-9.]+)"/>')
_NICK = re.compile(r'<player nick="(\w+)"/>')
_RESULT = re.compile(r'<player nick="(\w+)" result="(winner|loser)"/>')
_COUNT = re.compile(r'<player nick="(\w+)" won="([0-9]+)" lost="([0-9]+)"/>')
#: In a match of Paper Soccer: a move that the rules forbid, and that loses.
_FOUL = '<move><point x="0" y="2"/></move>'

Results = dict[str, bool]


@define(eq=False)
class Told:
    """What the players were told, in all lives of the host."""

    #: By two players: the games that were told to have ended, and who won.
    ends: dict[frozenset[str], set[tuple[str, str]]] = field(factory=dict)
    #: By player: the last list.
    lists: dict[str, dict[str, tuple[int, int]]] = field(factory=dict)

    def hear(self, name: str, line: str) -> None:
        """A player has heard this."""
        if "championsList" in line:
            counts = {one: (int(won), int(lost)) for one, won, lost in _COUNT.findall(line)}
            assert self.lists.setdefault(name, counts) == counts, "two lists"
        elif "gameOver" in line:
            results = {one: result == "winner" for one, result in _RESULT.findall(line)}
            winners = [one for one, won in results.items() if won]
            if len(results) == 2 and winners:
                ended = (_GAME.findall(line)[0], *winners)
                self.ends.setdefault(frozenset(results), set()).add(ended)


@define(eq=False)
class Life:
    """
    A host, with players and a master who answer at once.

    :param game_type: `nim` of a remote master, or the built-in game
    :param first: whether the first of two wins; the life after it has other results
    """

    journal: CommittedJournal
    told: Told
    game_type: str
    names: tuple[str, ...]
    first: bool
    #: The dialect of the players and the master.
    loose: bool = False
    #: Who is lost when the first game has ended.
    lost: str = ""
    world: World = field(init=False)
    clients: dict[str, Client] = field(factory=dict)
    master: Client | None = None

    def __attrs_post_init__(self) -> None:
        settings = {"paper-soccer.championship": f"{self.game_type}:3", "paper-soccer.strict": "yes"}
        if self.loose:
            settings["paper-soccer.loose"] = self.game_type
        self.world = World(settings, journal=self.journal, rng=lambda n: 0 if self.first else n - 1)

    def begin(self) -> Iterator[None]:
        """All come, one after the other."""
        for name in self.names:
            self.clients[name] = client = self.world.connect()
            client.say(login(name, self.game_type))
            yield
        if self.game_type == "nim":
            self.master = self.world.host.connect("paper-soccer", "192.0.2.200")
            self.master.say(master_login())
            yield

    def go_on(self) -> bool:
        """The next thing happens. `False`: there is nothing."""
        return self.speak() or self.write()

    def write(self) -> bool:
        """One change gets on the disk, or one of those that are on it is called back for."""
        if self.journal.unanswered:
            self.journal.release(1)
        elif not self.journal.commit(1):
            return False
        self.world.host.settle()
        return True

    def speak(self) -> bool:
        """All answer what they have heard. `False`: nobody has heard anything."""
        spoken = False
        for line in self.master.heard() if self.master is not None else ():
            spoken = True
            self.rule(line)
        for name, client in list(self.clients.items()):
            for line in client.heard():
                spoken = True
                self.told.hear(name, line)
                self.answer(name, client, line)
        return spoken

    def rule(self, line: str) -> None:
        """A master begins, and ends the game after the first move."""
        assert self.master is not None
        if 'type="beginGame"' in line:
            number, names = _GAME.findall(line)[0], _NICK.findall(line)
            winner = names[0] if self.first else names[1]
            self.master.say(state(number, names[0]), over(number, {name: name == winner for name in names}))

    def answer(self, name: str, client: Client, line: str) -> None:
        """A player gives thanks, and fouls when it is its turn."""
        if "gameOver" in line:
            if self.lost:
                self.clients.pop(self.lost).drop()
                self.lost = ""
            if name in self.clients and not self.loose:
                client.say(thanks(_GAME.findall(line)[0]))
        elif self.game_type != "nim" and f'<nextPlayer nick="{name}"/>' in line:
            client.say(message("move", f'<gameId id="{_GAME.findall(line)[0]}"/>{_FOUL}'))

    def die(self) -> CommittedJournal:
        """The host is dead; what it said before counts. The journal of the next life."""
        for name, client in self.clients.items():
            for line in client.heard():
                self.told.hear(name, line)
        return self.journal.restarted()


class KillTests(SynchronousTestCase):
    """Every result is told once and counted once, whatever is killed when."""

    def play(self, kill_at: int, game_type: str, loose: bool = False, lost: str = "") -> bool:
        """Play a championship, with a kill at this step. `False`: it was over before."""
        told, names = Told(), ("ann", "bob", "cid")
        life = Life(CommittedJournal(), told, game_type, names, True, loose, lost)
        steps, killed = 0, False
        coming = life.begin()
        while True:
            steps += 1
            self.assertLess(steps, 1_000, "it never ends")
            if steps == kill_at:
                killed = True
                journal = life.die()
                if any(journal.openings[table].game == "championship" for table in journal.told_tables):
                    break  # another life would hold another championship
                life = Life(journal, told, game_type, names, False, loose, lost)
                coming = life.begin()
            if next(coming, self) is self and not life.go_on() and not self.wait(life):
                break
        self.check(life.journal, told, f"killed at step {kill_at} of {game_type}")
        return killed

    def wait(self, life: Life) -> bool:
        """Time passes until something is written or said. `False`: nothing ever is."""
        for _ in range(3):
            life.world.host.wait(61)
            if life.go_on():
                return True
        return False

    def check(self, journal: CommittedJournal, told: Told, when: str) -> None:
        """The record has each pair once, and what it has is what was told."""
        found = [
            table
            for table, opening in journal.openings.items()
            if opening.game == "championship" and journal.entries[table][0].kind is EntryKind.BEGAN
        ]
        self.assertEqual(len(found), 1, when)
        entries = journal.entries[found[0]][1:]
        names = [seat.name for seat in journal.openings[found[0]].seats]
        counted: dict[frozenset[str], Results] = {}
        for entry in entries:
            one, other = entry.notation.decode().split()
            results = {names[int(player[:-1])]: player[-1] == "+" for player in (one, other)}
            self.assertNotIn(frozenset(results), counted, when)
            counted[frozenset(results)] = results
        self.assertEqual(set(counted), {frozenset(pair) for pair in combinations(names, 2)}, when)
        for pair, ends in told.ends.items():
            self.assertEqual(len(ends), 1, f"{when}: told twice: {ends}")
            self.assertEqual({name for _, name in ends}, {name for name, won in counted[pair].items() if won}, when)
        standing = {
            name: (
                sum(results.get(name) is True for results in counted.values()),
                sum(results.get(name) is False for results in counted.values()),
            )
            for name in names
        }
        self.assertTrue(told.lists, when)
        for name, counts in told.lists.items():
            self.assertEqual(counts, standing, f"{when}: what {name} was told at the end")
        self.assertIn(TableId(found[0]), journal.told_tables, when)
        self.listed = set(told.lists)

    def kill_at_every_step(self, game_type: str, **more: bool | str) -> None:
        """Until the championship is over before the kill."""
        kill_at = 1
        while self.play(kill_at, game_type, **more):  # type: ignore[arg-type]
            if not more.get("lost"):
                self.assertEqual(self.listed, {"ann", "bob", "cid"}, f"killed at step {kill_at}")
            kill_at += 1
        self.assertGreater(kill_at, 25)

    def test_a_remote_game(self) -> None:
        """Of a master that keeps to the document."""
        self.kill_at_every_step("nim")

    def test_a_loose_game(self) -> None:
        """Whose players give no thanks."""
        self.kill_at_every_step("nim", loose=True)

    def test_a_built_in_game(self) -> None:
        """Players come back to it after a kill."""
        self.kill_at_every_step("paper soccer")

    def test_a_player_who_is_lost(self) -> None:
        """The games that such a player does not play are counted before anybody is told how all has ended."""
        self.kill_at_every_step("nim", lost="cid")
        self.kill_at_every_step("paper soccer", lost="cid")
