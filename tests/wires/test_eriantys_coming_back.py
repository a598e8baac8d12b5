"""Players of the JSON wire who are lost, come back, or do not; restarts of the host, and a slow journal."""

import json
import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gamehost.lobby.sessions import ResumePolicy
from gamehost.testing.cases import PropertyCase
from gamehost.wires.eriantys_conversation import State
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.wires.eriantys_players import Habit, Player, everything, line, never, play, seated
from tests.kit.wires.eriantys_tables import ANSWERED_BY, OPEN, asked_for, master_of, pair
from tests.wires.test_eriantys_catalogue import errors, types

NAMES = ("ann", "bob", "carl", "dora")


def company(world: MemoryHost, seed: int, seats: int, habit: Habit = everything) -> list[Player]:
    """Players, seated."""
    players = [Player(world, name, random.Random(f"{seed} {name}"), habit) for name in NAMES[:seats]]
    return players


class ComingBackTests(PropertyCase):
    """Back in the seat, with everything that is needed to go on."""

    def test_at_every_request(self) -> None:
        """SUCCESS, MatchStarted, the board (not before the deal), and the same request; UpdateLobby to the others."""
        for request in ANSWERED_BY:
            _, ann, bob = asked_for(request)
            asked, board = ann.request, ann.board
            ann.client.drop()
            self.assertEqual(bob.hear(), [{"type": "PlayerDisconnected", "nickname": "ann"}])
            told = ann.connect()
            self.assertEqual(told[1], {"type": "CommunicationMessage", "message": "SUCCESS"})
            self.assertEqual(told[2]["players"], ["ann", "bob"])
            self.assertEqual(
                types(told)[3:4], [] if request in ("AvailableTowers", "AvailableWizards") else ["UpdateBoard"]
            )
            self.assertEqual(ann.board, board)
            [lobby] = bob.hear()
            self.assertEqual((lobby["type"], lobby["gameInfo"]["waitingPlayers"]), ("UpdateLobby", 2))
            self.assertEqual(ann.hear(), [asked], request)

    def test_who_is_not_asked_is_asked_nothing(self) -> None:
        """And the one who is goes on at once."""
        _, ann, bob = asked_for("MotherNatureSteps")
        bob.client.drop()
        ann.hear()
        self.assertEqual(types(bob.connect())[1:], ["CommunicationMessage", "MatchStarted", "UpdateBoard"])
        self.assertIs(bob.request, None)
        self.assertEqual(types(ann.ask("ChosenSteps", steps=1))[:2], ["CommunicationMessage", "UpdateBoard"])

    @given(
        st.sampled_from((2, 3, 4)),
        st.booleans(),
        st.integers(0, 300),
        st.integers(0, 3),
        st.booleans(),
        st.integers(0, 999),
    )
    def test_at_any_moment_of_any_match(
        self, seats: int, expert: bool, answers: int, who: int, restarted: bool, seed: int
    ) -> None:
        """On the old host or on a new one: the board and the request are those of the match, and it goes on to its end."""
        rng = random.Random(seed)
        world = MemoryHost(OPEN, rng=rng.randrange)
        players = company(world, seed, seats)
        seated(world, players, expert)
        play(world, players, most=answers)
        if all(player.over for player in players):
            return
        asked = master_of(world).request
        leavers = players if restarted else [players[who % seats]]
        if restarted:
            world = MemoryHost(OPEN, rng=rng.randrange, journal=world.journal.restarted())
        else:
            leavers[0].client.drop()
        for player in leavers:
            player.world = world
            player.looks = True
            player.board = None
            player.connect()
        for player in [*players, *players]:
            player.hear()
        self.assertEqual(master_of(world).request, asked)
        for number, player in enumerate(players):
            self.assertIs(player.client.state, State.IN_GAME)
            if player in leavers:
                self.assertEqual(player.request is not None, asked.seat == number)
        play(world, players)
        self.assertEqual([player.flaws for player in players], [[]] * seats)

    def test_a_student_that_was_chosen_is_remembered(self) -> None:
        """By the host that was restarted too: where to is asked."""
        world, ann, bob = pair()
        play(world, (ann, bob), most=7)
        first = (ann, bob)[master_of(world).request.seat]
        world = MemoryHost(OPEN, journal=world.journal.restarted())
        first.world = world
        first.connect()
        first.hear()
        self.assertEqual(first.request, {"type": "WhereToMove", "islands": 12})

    def test_who_is_away_is_told_to_who_comes_back(self) -> None:
        """After a restart everybody is; each one who comes is announced to those who are there."""
        world, ann, bob = pair()
        world = MemoryHost(OPEN, journal=world.journal.restarted())
        ann.world = bob.world = world
        self.assertEqual(ann.connect()[-1], {"type": "PlayerDisconnected", "nickname": "bob"})
        bob.connect()
        self.assertEqual(types(ann.hear())[-1:], ["UpdateLobby"])

    def test_a_request_that_waits_is_overtaken(self) -> None:
        """UpdateLobby and PlayerDisconnected do not wait for acknowledgements, so they come before the request."""
        world = MemoryHost(OPEN)
        ann, bob, carl = company(world, 1, 3)
        bob.habit = never
        seated(world, (ann, bob, carl), expert=False)
        self.assertIs(ann.request, None, "Bob owes acknowledgements, so Ann is not asked yet")
        carl.client.drop()
        carl.connect()
        self.assertEqual(types(ann.hear()), ["PlayerDisconnected", "UpdateLobby"])
        world.wait(2)
        self.assertEqual(types(ann.hear()), ["AvailableTowers"])

    def test_strangers_do_not_get_the_seat(self) -> None:
        """Row 95's policy holds on this wire too."""
        for policy, address, back in (
            (ResumePolicy.SAME_ADDRESS, "198.51.100.7", False),
            (ResumePolicy.ANY, "198.51.100.7", True),
            (ResumePolicy.NEVER, "192.0.2.1", False),
        ):
            world, ann, _ = pair(resume=policy)
            ann.client.drop()
            client = world.connect("eriantys", address)
            heard = client.ask(line("LoginMessage", nickname="ann"))
            self.assertEqual("MatchStarted" in "".join(heard), back, policy)
            self.assertEqual("TAKEN_NICKNAME" in "".join(heard), not back, policy)


class KeptElsewhereTests(PropertyCase):
    """A seat that is kept under the same name on another wire."""

    def elsewhere(self, strict: bool = False) -> tuple[MemoryHost, Client, Client]:
        """Ann's seat is kept at an Onitama table, where Bob waits for her; her new connection here, and Bob's."""
        world = MemoryHost(OPEN, strict=strict)
        ann, bob = world.connect("onitama"), world.connect("onitama")
        ann.say("LOGIN|ann")
        bob.say("LOGIN|bob")
        ann.drop()
        bob.heard()
        client = world.connect("eriantys")
        client.heard()
        return world, client, bob

    def test_it_can_be_given_up(self) -> None:
        """The refusal says where it is kept and how to give it up; then Bob has won, and Ann is in the lobby."""
        _, client, bob = self.elsewhere()
        refused = json.loads(client.ask(line("LoginMessage", nickname="ann"))[0])
        self.assertEqual(refused["error"], "TAKEN_NICKNAME")
        self.assertIn("your seat at Onitama table 1", refused["detail"])
        self.assertIn('"giveUp":true', refused["detail"])
        self.assertIn("TAKEN_NICKNAME", client.ask(line("LoginMessage", nickname="ann", giveUp=False))[0])
        self.assertIn("SUCCESS", client.ask(line("LoginMessage", nickname="ann", giveUp=True))[0])
        self.assertIs(client.state, State.LOBBY)
        self.assertTrue(any(text.startswith("GAME_OVER|bob") for text in bob.heard()))

    def test_strict_mode_does_not_know_the_key(self) -> None:
        """It is malformed there, and nothing is given up."""
        _, client, bob = self.elsewhere(strict=True)
        self.assertIn("INVALID_INPUT", client.ask(line("LoginMessage", nickname="ann", giveUp=True))[0])
        self.assertEqual(bob.heard(), [])


class LeavingTests(PropertyCase):
    """For good: on purpose, or for too long."""

    def endings(self, seats: int, way: str, most: int, who: int = 0) -> tuple[Player, list[Player]]:
        """A match that a player leaves; who did, and the others with what they heard of the end."""
        world = MemoryHost(OPEN, grace=30, move_time="1000" if way == "time" else "0")
        players = company(world, 5, seats)
        seated(world, players, expert=False)
        play(world, players, most=most)
        asked = master_of(world).request.seat
        gone = players[asked if way == "time" else who]
        for player in players:
            player.hear()
            player.heard.clear()
        match way:
            case "disconnect":
                gone.say("Disconnect")
            case "grace":
                gone.client.drop()
                world.wait(31)
            case "time":
                world.wait(1001)
        others = [player for player in players if player is not gone]
        for player in others:
            player.hear()
        return gone, others

    def test_two_teams(self) -> None:
        """The other team wins, at any moment after the teams are chosen."""
        for seats in (2, 4):
            for way in ("disconnect", "grace", "time"):
                for most in (10, 50):
                    gone, others = self.endings(seats, way, most)
                    for other in others:
                        self.assertEqual(other.heard["PlayerDisconnected"], int(way != "time"), (seats, way))
                        self.assertEqual(bool(other.heard["won"]), other.me["tower"] != gone.me["tower"])
                        self.assertEqual(other.heard["CLOSING_GAME"], 1)
                        self.assertIs(other.client.state, State.LOBBY)

    def test_three_players(self) -> None:
        """The two who remain are counted: one of them wins, or both."""
        for way in ("disconnect", "grace"):
            gone, others = self.endings(3, way, 70, who=1)
            winners = [other for other in others if other.heard["won"]]
            left = {other.name: other.me["towersLeft"] for other in others}
            fewest = [other for other in others if left[other.name] == min(left.values())]
            self.assertTrue(winners)
            self.assertTrue(set(winners) <= set(fewest), (gone.name, left))

    def test_before_the_deal(self) -> None:
        """Everybody wins but who left and who chose the same team; there is no board."""
        gone, others = self.endings(3, "disconnect", 1)
        self.assertEqual([other.heard["won"] for other in others], [1, 1])
        self.assertEqual([other.heard["UpdateBoard"] for other in others], [0, 0])
        self.assertIs(gone.client.world.lobby.registry.get(gone.name), None)

    def test_the_name_of_who_left_is_free(self) -> None:
        """And leads into the lobby."""
        gone, _ = self.endings(2, "disconnect", 10)
        self.assertEqual([message.get("message") for message in gone.connect()], ["ENTER_NICKNAME", "SUCCESS"])
        self.assertIs(gone.client.state, State.LOBBY)

    def test_leaving_a_game_that_waits(self) -> None:
        """The others are told; the one who set it up is not special; the last one takes it along."""
        world = MemoryHost(OPEN)
        ann, bob, carl = company(world, 1, 3)
        for player in (ann, bob, carl):
            player.connect()
        ann.ask("SetGame", numberOfPlayers=4, expertMode=True)
        for player in (bob, carl):
            player.ask("JoinAvailableGame", gameId=1)
        ann.hear(), bob.hear()
        ann.say("Disconnect")
        for player in (bob, carl):
            [lobby] = player.hear()
            self.assertEqual(
                lobby["gameInfo"], {"gameId": 1, "waitingPlayers": 2, "totalPlayers": 4, "expertMode": True}
            )
        bob.client.drop()
        self.assertEqual(carl.hear()[0]["gameInfo"]["waitingPlayers"], 1)
        carl.client.drop()
        self.assertEqual(len(world.lobby.registry), 0)
        self.assertEqual(world.clock.getDelayedCalls(), [])

    def test_everybody_gone_is_nobody_s_loss(self) -> None:
        """The match sleeps, and goes on when somebody is back."""
        world, ann, bob = pair(grace=30)
        play(world, (ann, bob), most=1)
        ann.client.drop()
        bob.client.drop()
        world.wait(5_000)
        ann.connect()
        bob.connect()
        ann.hear()
        bob.hear()
        self.assertEqual([player.request is not None for player in (ann, bob)], [False, True])

    def test_after_the_end_a_match_can_be_set_up_on_the_same_connections(self) -> None:
        """Under the same names, with another number."""
        gone, (bob,) = self.endings(2, "disconnect", 10)
        gone.connect()
        bob.over = False
        [waiting] = bob.ask("SetGame", numberOfPlayers=2, expertMode=True)
        gone.say("JoinAvailableGame", gameId=waiting["gameId"])
        gone.hear(), bob.hear()
        self.assertEqual(waiting["gameId"], 2)
        play(bob.world, (gone, bob))
        self.assertEqual(bob.client.state, State.LOBBY)


class JournalTests(PropertyCase):
    """Nothing is said before the journal has it."""

    def late(self) -> tuple[MemoryHost, Player, Player, RecordingJournal]:
        journal = RecordingJournal(late=True)
        world = MemoryHost(OPEN, journal=journal)
        ann, bob = company(world, 1, 2, never)
        for player in (ann, bob):
            player.connect()
        return world, ann, bob, journal

    def test_the_match_and_every_choice(self) -> None:
        """MatchStarted, SUCCESS and the next request wait; errors keep their place behind what they came after."""
        world, ann, bob, journal = self.late()
        ann.ask("SetGame", numberOfPlayers=2, expertMode=False)
        self.assertEqual(types(bob.ask("JoinAvailableGame", gameId=1)), ["JoinAlreadyExistingGame"])
        self.assertEqual(types(ann.hear()), ["UpdateLobby"])
        self.assertIs(ann.client.state, State.WAITING)
        self.assertEqual(errors(ann.ask("ChosenTower", tower="WHITE")), ["INVALID_ACTION"])
        journal.release()
        self.assertEqual((types(ann.hear()), types(bob.hear())), (["MatchStarted"], ["MatchStarted"]))
        ann.client.say(line("ChosenTower", tower="WHITE"), line("ChosenTower", tower="WHITE"))
        self.assertEqual((ann.hear(), bob.hear()), ([], []))
        journal.release()
        heard: list[dict[str, Any]] = ann.hear()
        self.assertEqual([message.get("message") or message["error"] for message in heard], ["SUCCESS", "WRONG_TURN"])
        world.wait(2)
        self.assertEqual(types(bob.hear()), ["AvailableTowers"])

    def test_dropping_before_the_match_is_told(self) -> None:
        """The seat is kept: who comes back is told of the match like anybody."""
        _, ann, bob, journal = self.late()
        ann.ask("SetGame", numberOfPlayers=2, expertMode=False)
        bob.ask("JoinAvailableGame", gameId=1)
        ann.client.drop()
        ann.connect()
        journal.release()
        self.assertIn("MatchStarted", types(ann.hear()))
        self.assertIn("MatchStarted", types(bob.hear()))

    def test_an_end_that_a_crash_left_untold(self) -> None:
        """Killed before the end was told: each player hears it once after the log-in, and then the lobby."""
        world, ann, bob = pair()
        world.journal.late = True
        ann.say("Disconnect")
        self.assertEqual(bob.hear()[1:], [], "nothing but that Ann is gone")
        journal = world.journal.restarted()
        journal.late = False
        world = MemoryHost(OPEN, journal=journal)
        for player, status in ((bob, "WIN"), (ann, "LOSE")):
            player.world = world
            heard = player.connect()[1:]
            said = [message.get("playerStatus") or message.get("message") or message["type"] for message in heard]
            self.assertEqual(said, ["SUCCESS", status, "CommunicateWinner", "CLOSING_GAME"])
            self.assertEqual(heard[2]["winReason"], "A player left.")
            self.assertIs(player.client.state, State.LOBBY)
            player.client.drop()
            self.assertEqual([message.get("message") for message in player.connect()], ["ENTER_NICKNAME", "SUCCESS"])

    def test_back_right_after_disconnect(self) -> None:
        """A log-in before the end is durable: the end in its order, nothing else of the match, and then the lobby."""
        for strict in (False, True):
            world, ann, bob = pair(strict=strict)
            world.journal.late = True
            ann.say("Disconnect")
            ann.connect()
            self.assertEqual(ann.hear(), [])
            world.journal.release()
            said = [message.get("playerStatus") or message.get("message") or message["type"] for message in ann.hear()]
            self.assertEqual(said, ["SUCCESS", "LOSE", "CommunicateWinner", "CLOSING_GAME"])
            self.assertIs(ann.client.state, State.LOBBY)
            self.assertEqual(types(ann.ask("SetGame", numberOfPlayers=2, expertMode=False)), ["WaitingForPlayers"])
            self.assertEqual(bob.heard["CLOSING_GAME"] + len(bob.hear()), 4, "Bob hears the whole end too")

    def test_back_after_the_last_word(self) -> None:
        """A match whose end is not durable yet takes players back, and tells them its end and nothing else of it."""
        world, ann, bob = pair()
        world.journal.late = True
        ann.say("Disconnect")
        bob.client.drop()
        bob.connect()
        world.journal.release()
        said = [message.get("message") or message["type"] for message in bob.hear()]
        self.assertEqual(said, ["SUCCESS", "PlayerStatusMessage", "CommunicateWinner", "CLOSING_GAME"])
        self.assertIs(bob.client.state, State.LOBBY)
