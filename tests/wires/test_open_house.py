"""The private listener of the house players: who comes in, and what can be said there."""

from typing import Any

from msgspec import json
from twisted.trial.unittest import SynchronousTestCase

from tests.kit.house import SECRET, house_factory, house_host
from tests.kit.memory_host import Client
from tests.kit.wires.open_case import act, line
from tests.lobby.test_house import seek


class HouseTests(SynchronousTestCase):
    """Ann plays against `easy.1`, whose program the test is."""

    def setUp(self) -> None:
        self.host, _ = house_host()
        self.factory = house_factory(self.host)
        self.ann = seek(self.host, "ann", house="easy", private=True)
        self.ann.heard()
        self.client = Client(self.host, self.factory, "")

    def ask(self, **message: Any) -> list[dict[str, Any]]:
        """Say something, and what is answered."""
        self.client.send(line(**message))
        return [json.decode(text) for text in self.client.heard()]

    def test_the_seat(self) -> None:
        """The secret and the name of a seat, and the match goes on; others see nothing of it."""
        told = self.ask(do="enter", name="easy.1", key=SECRET)
        self.assertEqual([one["is"] for one in told], ["entered", "seated", "back"])
        self.assertEqual(
            (told[1]["names"], told[1]["wires"], told[1]["seat"]), (["ann", "easy.1"], ["open", "open"], 1)
        )
        self.ann.send(act("ox c1 c2"))
        self.client.heard()
        self.assertEqual(self.ask(do="act", table=1, action="crab c5 c4")[0]["is"], "event")
        self.assertEqual([json.decode(text)["is"] for text in self.ann.heard()], ["event", "event"])

    def test_who_comes_in(self) -> None:
        """Nobody without the secret, nobody under a name without a seat, and no account."""
        for more in ({}, {"key": "5ec2e8"}, {"key": "\u00e9"}):
            answer = self.ask(do="enter", name="easy.1", **more)
            self.assertEqual(answer, [{"is": "sorry", "why": "only the host's own players enter here"}])
        for name in ("easy.2", "ann", ""):
            answer = self.ask(do="enter", name=name, key=SECRET)
            self.assertEqual(answer, [{"is": "sorry", "why": "no seat is kept for this name"}])
        self.assertEqual(self.ask(do="log-in", name="easy.1", password="x" * 8)[0]["is"], "sorry")

    def test_the_public_listener(self) -> None:
        """Nobody comes in there under the name of a house player, with or without the secret."""
        for more in ({}, {"key": SECRET}, {"key": "f" * 32}):
            other = self.host.connect("open")
            other.send(line(do="enter", name="easy.1", **more))
            self.assertEqual(json.decode(other.heard()[0])["is"], "sorry")

    def test_what_can_be_said(self) -> None:
        """Nothing but what a player at a table says."""
        self.ask(do="enter", name="easy.1", key=SECRET)
        for message in (
            {"do": "seek", "game": "onitama"},
            {"do": "lobby"},
            {"do": "watch", "table": 1},
            {"do": "leave"},
        ):
            self.assertEqual(self.ask(**message)[0]["is"], "sorry")
        self.assertEqual(self.ask(do="ping"), [{"is": "pong"}])

    def test_history(self) -> None:
        """Of the own match, also if it is private."""
        self.ask(do="enter", name="easy.1", key=SECRET)
        told = self.ask(do="history", table=1)
        self.assertEqual([one["event"]["kind"] for one in told[0]["events"]], ["dealt"])
        self.ann.send(line(do="history", table=1))
        self.assertEqual(json.decode(self.ann.heard()[-1])["is"], "history")
        stranger = seek(self.host, "bob")
        stranger.heard()
        stranger.send(line(do="history", table=1))
        self.assertEqual(json.decode(stranger.heard()[0])["is"], "sorry")

    def test_a_lost_connection(self) -> None:
        """The others are not told, and the match goes on when the program is back."""
        self.ask(do="enter", name="easy.1", key=SECRET)
        self.client.drop()
        self.client = Client(self.host, self.factory, "")
        self.assertEqual([one["is"] for one in self.ask(do="enter", name="easy.1", key=SECRET)][-1], "back")
        self.assertEqual(self.ann.heard(), [])

    def test_the_end(self) -> None:
        """It is told, and then there is no such seat."""
        self.ask(do="enter", name="easy.1", key=SECRET)
        self.ann.send(line(do="leave"))
        self.assertEqual(json.decode(self.client.heard()[-1])["is"], "over")
        self.assertEqual(self.ask(do="act", table=1, action="crab c5 c4")[0]["why"], "you have no seat at this table")
        self.client.drop()
        self.assertIsNone(self.host.lobby.registry.get("easy.1"))
