"""A house player finishes the match of somebody who does not come back."""

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.plugins import WIRES
from tests.kit.house import house_host
from tests.kit.wires.open_case import act, line
from tests.lobby.test_house import come, enter, seek, told


class TakeOverTests(SynchronousTestCase):
    """A seat whose player does not come back."""

    def setUp(self) -> None:
        self.host, self.programs = house_host(wires=tuple(wire for wire in WIRES if wire.name in ("open", "onitama")))
        self.ann, self.bob = seek(self.host, "ann"), seek(self.host, "bob")
        self.ann.send(act("ox c1 c2"))

    def ask(self, **more: Any) -> list[dict[str, Any]]:
        """Ann asks for a house player."""
        self.ann.heard()
        self.ann.send(line(do="house", **{"level": "hard", "seat": 1, **more}))
        return told(self.ann)

    def test_a_player_who_does_not_come_back(self) -> None:
        """A house player has the seat at the end of the grace time, and is told of the match as it stands."""
        self.bob.drop()
        self.assertEqual(self.ask(), [])
        self.host.wait(59)
        self.assertEqual(self.programs.called, [])
        self.host.wait(1)
        self.assertEqual(self.programs.called, ["hard.1"])
        heard = [one for one in told(self.ann) if one["is"] in ("back", "replaced", "over")]
        self.assertEqual([one["is"] for one in heard], ["back", "replaced"])
        self.assertEqual((heard[1]["seat"], heard[1]["name"]), (1, "hard.1"))
        program = come(self.host, "hard.1")
        self.assertEqual((program.handle.n, list(program.handle.names)), (2, ["ann", "hard.1"]))
        bob = enter(self.host, "bob")
        bob.send(line(do="seek", game="onitama"))
        self.assertEqual(told(bob)[0]["is"], "seeking")
        self.ann.send(line(do="leave"))
        self.assertEqual(self.host.journal.records(), [])
        self.assertIsNone(self.host.lobby.registry.get("hard.1"))

    def test_a_player_who_comes_back(self) -> None:
        """The seat is theirs, and the next time it is asked anew."""
        self.bob.drop()
        self.ask()
        enter(self.host, "bob").drop()
        self.host.wait(60)
        self.assertEqual((self.programs.called, told(self.ann)[-1]["is"]), ([], "over"))

    def test_no_house_player_then(self) -> None:
        """The seat is lost, as without the wish."""
        self.bob.drop()
        self.ask()
        self.programs.games = ()
        self.host.wait(60)
        self.assertEqual(told(self.ann)[-1]["winners"], [0])

    def test_refusals(self) -> None:
        """Players who are there, seats that are not, levels that are not."""
        for more, words in (
            ({}, "the player of this seat is not away"),
            ({"seat": 0}, "expected the seat of another player"),
            ({"seat": 2}, "expected the seat of another player"),
            ({"level": "best"}, "no such level; expected one of random, easy, medium, hard"),
        ):
            self.assertEqual(self.ask(**more), [{"is": "sorry", "why": words}])
        self.ann.send(line(do="house", level="easy"))
        self.assertIn("expected", told(self.ann)[0]["why"])
        self.bob.drop()
        self.programs.games = ()
        self.assertEqual(self.ask()[0]["why"], "house players are not ready: try again in a moment")

    def test_a_third_player_on_another_wire(self) -> None:
        """Clients of documents have no message for another player, so there is none."""
        host, _ = house_host()
        others = [seek(host, name, game="eriantys", seats=3) for name in ("ann", "bob")]
        carl = host.connect("eriantys", "192.0.2.9")
        for text in ('{"type":"LoginMessage","nickname":"carl"}', '{"type":"JoinAvailableGame","gameId":1}'):
            carl.say(text)
        others[1].drop()
        others[0].heard()
        others[0].send(line(do="house", level="easy", seat=1))
        self.assertEqual(told(others[0])[-1]["why"], "the others' wire cannot tell them of another player")
