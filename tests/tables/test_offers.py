"""What players offer each other: a draw, or to take a move back."""

from typing import Any

from gamehost.journal.records import EntryKind
from gamehost.journal.replay import replayed
from gamehost.plugins import GAMES, WIRES
from gamehost.testing import memory_host
from gamehost.wires.open.conversation import WIRE
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.players import HouseProcess, house_host
from tests.kit.wires.open import DEAL, OpenCase, act, line
from tests.lobby.test_house import seek

MOVES = ("ox c1 c2", "crab a5 a4", "tiger c2 c4", "eel b5 a5")


class OfferCase(OpenCase):
    def play(self, players: tuple[Client, Client], count: int) -> None:
        for number, move in enumerate(MOVES[:count]):
            players[number % 2].send(act(move))
        for player in players:
            player.heard()

    def match(self, moves: int = 0, **more: Any) -> tuple[memory_host.MemoryHost, Client, Client]:
        host = self.host(**more)
        ann, bob, _ = self.matched(host)
        self.play((ann, bob), moves)
        return host, ann, bob

    def offer(self, client: Client, what: str = "draw", step: str = "offer") -> dict[str, Any]:
        return self.ask(client, do=what, table=1, step=step)[-1]

    def agree(self, one: Client, other: Client, what: str) -> None:
        self.assertEqual(self.offer(one, what)["is"], "offered")
        self.assertIn(self.offer(other, what, "accept")["is"], ("event", "over"))


class AgreementTests(OfferCase):
    def test_nothing_is_told_before_it_is_durable(self) -> None:
        for what, told, kind in (
            ("draw", "over", EntryKind.DRAWN),
            ("takeback", "event", EntryKind.TAKEN_BACK),
        ):
            journal = RecordingJournal(late=True)
            host = MemoryHost(DEAL, wires=(WIRE,), journal=journal)
            ann, bob = (self.enter(host, name)[0] for name in ("ann", "bob"))
            for client in (ann, bob):
                client.send(line(do="seek", game="onitama"))
            journal.release()
            ann.send(act(MOVES[0]))
            ann.send(line(do=what, table=1, step="offer"))
            self.assertNotIn("offered", [one["is"] for one in self.told(bob)])  # it rests on the move
            journal.release()
            self.assertEqual(self.told(bob)[-1]["is"], "offered")
            ann.heard()
            bob.send(line(do=what, table=1, step="accept"))
            self.assertEqual((self.told(ann), self.told(bob)), ([], []))
            journal.release()
            for one in (ann, bob):
                self.assertEqual(self.told(one)[-1]["is"], told)
            entry = journal.entries[1][-1]  # type: ignore[index]
            self.assertEqual((entry.kind, entry.seat), (kind, 0))

    def test_after_a_restart_the_match_is_where_it_was(self) -> None:
        host, ann, bob = self.match(4)
        self.agree(bob, ann, "takeback")
        self.agree(ann, bob, "takeback")
        bob.send(line(do="act", table=1, action="crab a5 a4", id=1))
        self.assertEqual(self.told(bob)[-1]["why"], "it is the other player's turn")
        ann.send(act("tiger c2 c4"))
        view = self.told(ann)[-1]
        again = self.host(journal=host.journal.restarted())
        ann, entered = self.enter(again, "ann")
        self.assertEqual(entered["table"], 1)
        bob, _ = self.enter(again, "bob")
        shown = self.ask(bob, do="moves", table=1)[-1]
        self.assertEqual(view["event"]["to"], "c4")
        self.assertIn("eel b5 a5", [one["action"] for one in shown["moves"]])
        self.assertEqual(shown["n"], view["n"])
        bob.send(act("eel b5 a5"))
        self.assertEqual(self.told(bob)[-1]["event"]["kind"], "moved")

    def test_the_record_replays_and_history_says_the_same(self) -> None:
        host, ann, bob = self.match(3)
        self.agree(bob, ann, "takeback")
        self.agree(ann, bob, "draw")
        watcher = host.connect("open")
        watcher.send(line(do="history", table=1))
        host.wait(1)
        events = self.told(watcher)[-1]["events"]
        kinds = ["dealt", "moved", "moved", "moved", "taken-back"]
        self.assertEqual([one["event"]["kind"] for one in events], kinds)
        record = host.journal.record(1)  # type: ignore[arg-type]
        master = replayed(GAMES["onitama"], record.opening, record.entries)
        self.assertEqual(master.result.winners, ())  # type: ignore[union-attr]
        self.assertEqual(record.entries[-1].outcome, "nobody won (rules): the players agreed on a draw")

    def test_clocks(self) -> None:
        """Time that was used is gone, and a move that was taken back earns no more."""
        host = MemoryHost(DEAL, wires=(WIRE,))
        ann, bob = (self.enter(host, name)[0] for name in ("ann", "bob"))
        for client in (ann, bob):
            client.send(line(do="seek", game="onitama", settings={"game_time": 60, "increment": 5}))
        host.wait(10)
        ann.send(act(MOVES[0]))
        host.wait(3)
        self.assertEqual(self.told(ann)[-1]["clocks"], [55_000, 60_000])
        self.agree(ann, bob, "takeback")
        self.assertEqual(self.told(ann)[-1]["clocks"], [55_000, 57_000])
        host.wait(55.1)
        self.assertEqual((last := self.told(bob)[-1])["cause"], "time")
        self.assertEqual(last["winners"], [1])

    def test_an_answer_after_the_time(self) -> None:
        host = MemoryHost(DEAL, wires=(WIRE,))
        ann, bob = (self.enter(host, name)[0] for name in ("ann", "bob"))
        for client in (ann, bob):
            client.send(line(do="seek", game="onitama", settings={"move_time": 10}))
        self.offer(ann)
        host.clock.rightNow += 11  # the alarm has not rung yet
        bob.send(line(do="draw", table=1, step="accept"))
        self.assertEqual([one.get("cause") for one in self.told(bob) if one["is"] == "over"], ["time"])


class RefusalTests(OfferCase):
    def refused(self, told: dict[str, Any]) -> str:
        self.assertEqual(told["is"], "refused")
        why: str = told["why"]
        return why

    def test_one_offer_before_the_next_move(self) -> None:
        _, ann, bob = self.match(2)
        self.offer(ann)
        self.assertIn("since your last move", self.refused(self.offer(ann)))
        self.assertEqual(self.refused(self.offer(bob, "takeback")), "ann has asked first: accept or decline")
        self.assertEqual(self.offer(bob, step="decline")["is"], "declined")
        self.assertIn("since your last move", self.refused(self.offer(ann, "takeback")))
        self.assertEqual(self.refused(self.offer(bob, step="accept")), "no draw is offered to you now")
        ann.send(act(MOVES[2]))
        self.assertEqual(self.offer(ann)["is"], "offered")

    def test_who_offers_cannot_answer(self) -> None:
        _, ann, _ = self.match(1)
        self.offer(ann)
        for step in ("accept", "decline"):
            self.assertEqual(self.refused(self.offer(ann, step=step)), "no draw is offered to you now")

    def test_a_draw_stands_until_the_other_one_moves(self) -> None:
        _, ann, bob = self.match(2)
        self.offer(ann)
        ann.send(act(MOVES[2]))
        self.assertEqual([one["is"] for one in self.told(ann)], ["event"])
        bob.send(act(MOVES[3]))
        self.assertEqual([one["is"] for one in self.told(ann)], ["event", "declined"])

    def test_a_takeback_stands_until_anybody_moves(self) -> None:
        _, ann, bob = self.match(2)
        self.offer(ann, "takeback")
        ann.send(act(MOVES[2]))
        self.assertEqual([one["is"] for one in self.told(ann)], ["event", "declined"])
        self.assertEqual(self.refused(self.offer(bob, "takeback", "accept")), "no takeback is offered to you now")

    def test_who_is_gone(self) -> None:
        for leaver in (0, 1):
            _, *players = self.match(1)
            self.offer(players[0])
            players[1 - leaver].heard()
            players[leaver].drop()
            self.assertEqual([one["is"] for one in self.told(players[1 - leaver])], ["away", "declined"])
        _, ann, bob = self.match(1)
        bob.drop()
        self.assertEqual(self.refused(self.offer(ann)), "bob is away")

    def test_who_has_come_in_elsewhere(self) -> None:
        host = self.host()
        _, bob, key = self.matched(host)
        self.offer(bob)
        again, _ = self.enter(host, "ann", key=key)
        self.assertEqual(self.told(bob)[-1]["is"], "declined")
        self.assertEqual(self.refused(self.offer(again, step="accept")), "no draw is offered to you now")

    def test_no_move_of_ones_own(self) -> None:
        _, ann, bob = self.match(1)
        self.assertEqual(self.refused(self.offer(bob, "takeback")), "you have no move that can be taken back")
        self.assertEqual(self.offer(ann, "takeback")["is"], "offered")

    def test_each_game_says_which_offers_it_allows(self) -> None:
        allowed = {"onitama": "draw takeback", "paper-soccer": "draw takeback", "stratego": "draw", "eriantys": ""}
        for game, offers in allowed.items():
            host = MemoryHost(wires=(WIRE,))
            ann, _, _ = self.matched(host, game)
            for what in ("draw", "takeback"):
                why = self.refused(told) if (told := self.offer(ann, what))["is"] == "refused" else ""
                self.assertEqual("this game has no" in why, what not in offers.split(), (game, why))

    def test_a_set_up_of_stratego(self) -> None:
        ann, _, _ = self.matched(MemoryHost(wires=(WIRE,)), "stratego")
        self.assertEqual(self.refused(self.offer(ann)), "play has not begun")

    def test_wires_without_words(self) -> None:
        """Nobody is offered anything who could not be told."""
        host = MemoryHost(DEAL, wires=tuple(WIRES))
        bob = host.connect("onitama")
        bob.say("LOGIN|bob")
        ann, _ = self.enter(host, "ann")
        ann.send(line(do="seek", game="onitama"))
        before = bob.heard()
        self.assertTrue(before)
        for what in ("draw", "takeback"):
            self.assertEqual(self.refused(self.offer(ann, what)), "bob cannot be asked on that wire")
        self.assertEqual(bob.heard(), [])

    def test_a_rated_match(self) -> None:
        host = self.host()
        players = [host.connect("open") for _ in range(2)]
        for client, name in zip(players, ("ann", "bob"), strict=True):
            client.send(line(**{"do": "log-in", "name": name, "password": "secret secret"}))
            client.send(line(do="seek", game="onitama", settings={"rated": True}))
        self.play((players[0], players[1]), 1)
        self.assertEqual(self.refused(self.offer(players[0], "takeback")), "a rated match has no takebacks")
        self.agree(players[0], players[1], "draw")


class HouseTests(OfferCase):
    def test_it_declines_and_plays_on(self) -> None:
        host, _ = house_host()
        process = HouseProcess(host)
        ann = seek(host, "ann", house="easy", seat="first")
        process.until_idle()
        ann.send(act(MOVES[0]))
        told = self.ask(ann, do="draw", table=1, step="offer")
        self.assertEqual([(one["is"], one["seat"]) for one in told], [("offered", 0), ("declined", 0)])
        process.until_idle()
        self.assertEqual(self.told(ann)[-1]["event"]["seat"], 1)
