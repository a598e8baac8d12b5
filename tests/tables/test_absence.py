"""A player who does not come back: the others decide, on wires that have words for it."""

from typing import Any

from gamehost.games.base import Seat
from gamehost.journal.records import EntryKind
from gamehost.journal.replay import replayed
from gamehost.plugins import GAMES
from gamehost.testing.memory_host import Client, MemoryHost
from tests.kit.players import house_host
from tests.kit.wires.open import OpenCase, act, line

GRACE, CLAIM = 60, 600
MOVES = ("ox c1 c2", "crab a5 a4")


class AbsenceCase(OpenCase):
    def left_alone(self, host: MemoryHost, moves: int = 2, **more: Any) -> tuple[Client, Client]:
        """Ann, whose opponent Bob has been away for the whole grace time, and Bob."""
        ann, bob = (self.enter(host, name)[0] for name in ("ann", "bob"))
        for client in (ann, bob):
            client.send(line(do="seek", game="onitama", **more))
        for number, move in enumerate(MOVES[:moves]):
            (ann, bob)[number % 2].send(act(move))
        bob.drop()
        self.assertEqual(
            self.told(ann)[-1], {"is": "away", "table": 1, "n": moves + 1, "seat": 1, "kept": GRACE * 1000}
        )
        host.wait(GRACE - 0.001)
        self.assertEqual(self.told(ann), [])
        host.wait(0.001)
        return ann, bob

    def claim(self, client: Client, what: str, **more: Any) -> list[dict[str, Any]]:
        return self.ask(client, do="claim", table=1, **{"as": what}, **more)

    def offered(self, *what: str, seconds: float = CLAIM, n: int = 3, seat: int = 1) -> dict[str, Any]:
        return {"is": "claim", "table": 1, "n": n, "seat": seat, "as": [*what], "ends": seconds * 1000}


class ClaimTests(AbsenceCase):
    def test_a_player_that_is_there_decides(self) -> None:
        for what, kind, seat, winners, why in (
            ("win", EntryKind.FORFEITED, 1, [0], "a player left"),
            ("draw", EntryKind.CLAIMED, 0, [], "a player did not come back, and the other one took a draw"),
        ):
            host = self.host()
            ann, _ = self.left_alone(host)
            self.assertEqual(self.told(ann), [self.offered("win", "draw")])
            host.wait(CLAIM - 1)
            self.assertEqual(
                self.claim(ann, what),
                [{"is": "over", "table": 1, "n": 4, "winners": winners, "cause": "left", "why": why}],
            )
            record = host.journal.record(1)  # type: ignore[arg-type]
            last = record.entries[-1]
            self.assertEqual((last.kind, last.seat), (kind, seat))
            result = replayed(GAMES["onitama"], record.opening, record.entries).result
            assert result is not None
            self.assertEqual((result.words(("ann", "bob")), list(result.winners)), (last.outcome, winners))
            _, entered = self.enter(host, "bob")
            self.assertNotIn("table", entered)

    def test_without_a_claim_the_match_ends_later(self) -> None:
        host = self.host()
        ann, _ = self.left_alone(host)
        host.wait(CLAIM - 0.001)
        self.assertEqual(self.told(ann), [self.offered("win", "draw")])
        host.wait(0.001)
        self.assertEqual([(one["winners"], one["cause"]) for one in self.told(ann)], [([0], "left")])

    def test_the_own_clock_ends_it_sooner(self) -> None:
        host = self.host()
        ann, _ = self.left_alone(host, settings={"move_time": 90})
        self.assertEqual([one["is"] for one in self.told(ann)], ["claim"])
        ann.send(act("tiger c2 c4"))
        host.wait(89)
        self.assertEqual([one["is"] for one in self.told(ann)], ["event"])
        host.wait(1)
        self.assertEqual([(one["winners"], one["cause"]) for one in self.told(ann)], [([0], "time")])

    def test_a_player_that_comes_back_withdraws_it(self) -> None:
        host = self.host()
        ann, _ = self.left_alone(host)
        ann.heard()
        bob, _ = self.enter(host, "bob")
        withdrawn = {"is": "claim", "table": 1, "n": 3, "seat": 1, "as": []}
        self.assertEqual(self.told(ann), [{"is": "back", "table": 1, "n": 3, "seat": 1}, withdrawn])
        refused = {"is": "refused", "why": "nobody has been away for so long that you can claim the match", "id": 7}
        for what in ("win", "draw", "house"):
            self.assertEqual(self.claim(ann, what, id=7), [refused])
        host.wait(CLAIM)
        self.assertEqual((self.told(ann), self.told(bob)), ([], []))

    def test_the_player_that_comes_back_is_told(self) -> None:
        host = self.host()
        self.left_alone(host)
        bob = host.connect("open")
        bob.send(line(do="enter", name="bob"))
        told = self.told(bob)
        self.assertEqual([one["is"] for one in told], ["entered", "seated", "back", "claim"])
        self.assertEqual(told[-1]["as"], [])

    def test_a_player_knows_for_how_long_the_own_seat_would_be_kept(self) -> None:
        """A page counts it down while its connection is lost."""
        for grace, told in ((60.0, None), (2.5, 2500), (0.0, 0)):
            host = self.host(grace=grace)
            ann = [self.enter(host, name)[0] for name in ("ann", "bob")]
            for one in ann:
                one.send(line(do="seek", game="onitama"))
            self.assertEqual(self.told(ann[0])[-2].get("grace"), told)

    def test_a_new_connection_is_told_again(self) -> None:
        host = self.host()
        ann, bob, key = self.matched(host)
        bob.drop()
        host.wait(GRACE)
        host.wait(100)
        ann = host.connect("open")
        ann.send(line(do="enter", name="ann", key=key))  # the first connection is still there
        self.assertEqual(self.told(ann)[-2:], [
            {"is": "away", "table": 1, "n": 1, "seat": 1},
            self.offered("win", "draw", seconds=CLAIM - 100, n=1),
        ])  # fmt: skip

    def test_nothing_ends_while_nobody_is_there(self) -> None:
        """The table sleeps, also over a kill of the host. Then the whole grace time begins anew."""
        for killed in (False, True):
            host = self.host()
            ann, _ = self.left_alone(host)
            ann.drop()
            host.wait(10_000)
            if killed:
                host = self.host(journal=host.journal.restarted())
            ann, _ = self.enter(host, "ann")
            grace = 120 if killed else GRACE
            host.wait(grace - 1)
            self.assertNotIn("claim", [one["is"] for one in self.told(ann)])
            host.wait(1)
            self.assertEqual([one["is"] for one in self.told(ann)], ["claim"])
            self.assertEqual(self.claim(ann, "win")[-1]["winners"], [0])

    def test_a_kill_with_an_open_claim(self) -> None:
        host = self.host()
        self.left_alone(host)
        again = self.host(journal=host.journal.restarted())
        bob, entered = self.enter(again, "bob")
        self.assertEqual(entered["table"], 1)
        again.wait(120)
        self.assertEqual(self.told(bob)[-1], self.offered("win", "draw", seat=0))

    def test_nothing_to_claim(self) -> None:
        host = self.host()
        ann, bob, _ = self.matched(host)
        self.assertEqual(self.claim(ann, "win")[0]["is"], "refused")
        bob.drop()
        host.wait(GRACE - 1)
        self.assertEqual(self.claim(ann, "draw")[-1]["is"], "refused")
        (stranger, _) = self.enter(host, "carl")
        self.assertEqual(self.claim(stranger, "win")[0]["why"], "you have no seat at this table")
        self.assertEqual(self.claim(ann, "all")[0]["is"], "sorry")
        self.assertEqual(self.ask(ann, do="claim", table=2, **{"as": "win"})[0]["is"], "refused")


class OtherWireTests(AbsenceCase):
    def paired(self) -> tuple[MemoryHost, Client, Client]:
        """Ann on the wire of a document, and Bob on the open wire."""
        host = MemoryHost({"onitama.deal": "boar,ox/crab,eel/tiger"})
        ann = host.connect("onitama")
        ann.say("LOGIN|ann")
        bob, _ = self.enter(host, "bob")
        bob.send(line(do="seek", game="onitama"))
        ann.heard(), bob.heard()
        return host, ann, bob

    def test_a_player_without_words_for_a_claim_has_the_end_with_the_grace_time(self) -> None:
        host, _, bob = self.paired()
        bob.drop()
        host.wait(GRACE)
        last = host.journal.record(1).entries[-1]  # type: ignore[arg-type]
        self.assertEqual((last.kind, last.seat), (EntryKind.FORFEITED, 1))

    def test_the_other_one_decides(self) -> None:
        host, ann, bob = self.paired()
        ann.drop()
        host.wait(GRACE)
        self.assertEqual(self.told(bob)[-1]["is"], "claim")
        self.assertEqual(self.claim(bob, "win")[-1]["winners"], [1])


class SeveralPlayersTests(AbsenceCase):
    def table(self, seats: int) -> tuple[MemoryHost, list[Client]]:
        host = self.host()
        players = [self.enter(host, name)[0] for name in ("ann", "bob", "carl", "dora")[:seats]]
        for player in players:
            player.send(line(do="seek", game="eriantys", seats=seats))
        return host, players

    def test_it_ends_as_when_the_absent_player_leaves(self) -> None:
        host, (ann, bob, carl) = self.table(3)
        carl.drop()
        host.wait(GRACE)
        for one in (ann, bob):
            self.assertEqual(self.told(one)[-1]["as"], ["win"])
        over = self.claim(bob, "win")[-1]
        self.assertEqual((over["winners"], over["cause"]), ([0, 1], "left"))
        self.assertEqual(self.told(ann)[-1]["is"], "over")

    def test_a_player_that_comes_later_may_claim_too(self) -> None:
        host, (ann, bob, carl) = self.table(3)
        carl.drop()
        host.wait(GRACE - 10)
        bob.drop()
        host.wait(10)
        self.assertEqual(self.told(ann)[-1]["seat"], 2)
        bob, _ = self.enter(host, "bob")
        ann.heard()
        self.assertEqual(self.claim(bob, "draw")[-1]["why"], "in this game no draw can be claimed")
        self.assertEqual(self.claim(bob, "win")[-1]["is"], "over")
        self.assertEqual(self.told(ann)[-1]["is"], "over")


class HousePlayerTests(AbsenceCase):
    def test_a_house_player_goes_on_at_once(self) -> None:
        host, programs = house_host()
        ann, _ = self.left_alone(host)
        self.assertEqual(self.told(ann), [self.offered("win", "draw", "house")])
        told = self.claim(ann, "house", level="hard")
        self.assertEqual([one["is"] for one in told], ["back", "claim", "replaced"])
        self.assertEqual((told[1]["as"], told[2]["name"]), ([], "hard.1"))
        self.assertEqual(programs.called, ["hard.1"])
        self.assertIn(Seat(1), host.lobby.tables[1].house)  # type: ignore[index]
        ann.send(act("tiger c2 c4"))
        self.assertEqual(self.told(ann)[-1]["is"], "event")

    def test_there_is_none(self) -> None:
        host, programs = house_host()
        ann, _ = self.left_alone(host)
        ann.heard()
        self.assertIn("no such level", self.claim(ann, "house", level="best")[-1]["why"])
        programs.games = ()
        self.assertIn("not ready", self.claim(ann, "house")[-1]["why"])
        self.assertEqual(self.claim(ann, "draw")[-1]["winners"], [])

    def test_house_players_claim_nothing(self) -> None:
        """They are nobody: the match sleeps until its person comes back."""
        host, _ = house_host()
        ann, _ = self.enter(host, "ann")
        ann.send(line(do="seek", game="onitama", house="easy"))
        ann.send(act(MOVES[0]))
        ann.drop()
        host.wait(10 * CLAIM)
        _, entered = self.enter(host, "ann")
        self.assertEqual(entered["table"], 1)
