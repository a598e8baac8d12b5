"""Wrong input and lost connections of Eriantys."""

import json
import random
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.eriantys.rules import Character, Status, Tower, evolve
from gamehost.lobby.sessions import ResumePolicy, SessionRegistry
from gamehost.testing.cases import PropertyCase
from gamehost.wires.eriantys_conversation import EriantysState
from tests.kit.games.eriantys import (
    acting,
    circle,
    new_position,
    rich,
    students,
    with_dining,
    with_islands,
    with_school,
)
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import Client, MemoryHost, master_of
from tests.kit.wires.eriantys_players import (
    ANSWERED_BY,
    OPEN,
    Habit,
    Player,
    asked_for,
    dealt,
    everything,
    laid_out,
    line,
    moves,
    never,
    pair,
    play,
    seated,
    with_effect,
)


def guest(world: MemoryHost, name: str, address: str = "192.0.2.1") -> Player:
    player = Player(world, name, random.Random(1), everything)
    player.connect()
    return player


def errors(messages: list[dict[str, Any]]) -> list[str]:
    return [message["error"] for message in messages if message["type"] == "ErrorMessage"]


def types(messages: list[dict[str, Any]]) -> list[str]:
    return [message["type"] for message in messages]


class LinesTests(SynchronousTestCase):
    def test_a_second_line_that_is_not_json_ends_the_connection(self) -> None:
        _, ann, bob = pair()
        ann.client.say("hello")
        self.assertEqual(errors(ann.hear()), ["INVALID_INPUT"])
        ann.client.say('{"type":"Pong",}', line("ChosenTower", tower="WHITE"))
        self.assertEqual(errors(ann.hear()), ["INVALID_INPUT"])
        self.assertTrue(ann.client.closed)
        self.assertEqual(types(bob.hear()), ["PlayerDisconnected"])
        ann.connect()
        bob.hear()
        self.assertEqual(types(ann.hear()), ["AvailableTowers"])

    def test_a_line_of_brackets_ends_the_connection(self) -> None:
        client = MemoryHost(OPEN).connect("eriantys")
        client.heard()
        client.say("[" * 5_000, line("LoginMessage", nickname="ann"))
        [answer] = client.heard()
        self.assertIn('"INVALID_INPUT"', answer)
        self.assertTrue(client.closed)

    def test_carriage_returns_are_line_ends(self) -> None:
        client = MemoryHost(OPEN).connect("eriantys")
        client.send(b'{"type":"LoginMessage","nickname":"ann"}\r\n')
        self.assertIn("SUCCESS", client.heard()[-1])


class LobbyTests(SynchronousTestCase):
    def named(self, world: MemoryHost, text: str) -> list[str]:
        client = world.connect("eriantys")
        heard = client.ask(text)
        assert "ENTER_NICKNAME" in heard[-1], heard
        return heard[:-1]

    def test_names(self) -> None:
        """Text that cannot be a name: refused by its own error, never echoed, and asked for again."""
        for text in (
            r"\u0000",
            r"a\u001b[2J",
            r"a b",
            r"\u202eann",
            r"an\u200bn",
            "",
            "tie",
            r"\ud83d\ude00",
            r"\u3164",
        ):
            [answer] = self.named(MemoryHost(OPEN), f'{{"type":"LoginMessage","nickname":"{text}"}}')
            self.assertIn('"INVALID_NICKNAME"', answer)
            self.assertTrue(answer.isprintable())
        [answer] = self.named(MemoryHost(OPEN), line("LoginMessage", nickname="a" * 21))
        self.assertIn('"NICKNAME_TOO_LONG"', answer)

    def test_a_name_is_one_player_s(self) -> None:
        """Taken, in whatever case; reserved by an account; a second log-in; and while the host lets nobody in."""
        world = MemoryHost(OPEN)
        ann = guest(world, "ann")
        self.assertIn('"TAKEN_NICKNAME"', self.named(world, line("LoginMessage", nickname="ANN"))[0])
        self.assertEqual(errors(ann.ask("LoginMessage", nickname="ann2")), ["INVALID_ACTION"])
        world.lobby.registry = SessionRegistry(ResumePolicy.ANY, lambda key: key == "carl")
        self.assertIn('"TAKEN_NICKNAME"', self.named(world, line("LoginMessage", nickname="Carl"))[0])
        world.lobby.closed = "the host is busy"
        self.assertIn('"INVALID_ACTION"', self.named(world, line("LoginMessage", nickname="dora"))[0])

    def test_settings(self) -> None:
        ann = guest(MemoryHost(OPEN), "ann")
        for players in (0, 1, 5, -1, 2**63):
            self.assertEqual(errors(ann.ask("SetGame", numberOfPlayers=players, expertMode=True)), ["INVALID_SETTINGS"])
        for wrong in ("2", 2.0, True, None):
            self.assertEqual(errors(ann.ask("SetGame", numberOfPlayers=wrong, expertMode=True)), ["INVALID_INPUT"])
        self.assertEqual(errors(ann.ask("SetGame", numberOfPlayers=2, expertMode="false")), ["INVALID_INPUT"])
        self.assertEqual(types(ann.ask("SetGame", numberOfPlayers=4, expertMode=False)), ["WaitingForPlayers"])

    def test_games_that_cannot_be_joined(self) -> None:
        world, _, _ = pair()
        carl = guest(world, "carl")
        for number in (0, -1, 99, 2**63, 1):
            self.assertEqual(errors(carl.ask("JoinAvailableGame", gameId=number)), ["GAME_NOT_FOUND"], number)
        [waiting] = carl.ask("SetGame", numberOfPlayers=2, expertMode=False)
        self.assertEqual(errors(carl.ask("JoinAvailableGame", gameId=waiting["gameId"])), ["INVALID_ACTION"])

    def test_the_last_seat(self) -> None:
        journal = RecordingJournal(late=True)
        world = MemoryHost(OPEN, journal=journal)
        ann, bob, carl = (guest(world, name) for name in ("ann", "bob", "carl"))
        ann.ask("SetGame", numberOfPlayers=2, expertMode=False)
        self.assertEqual(types(bob.ask("JoinAvailableGame", gameId=1)), ["JoinAlreadyExistingGame"])
        self.assertEqual(errors(carl.ask("JoinAvailableGame", gameId=1)), ["FULL_GAME"])
        journal.release()
        self.assertEqual(types(ann.hear()), ["UpdateLobby", "MatchStarted"])
        self.assertEqual(errors(carl.ask("JoinAvailableGame", gameId=1)), ["GAME_NOT_FOUND"])

    def test_three_games_of_one_address_wait(self) -> None:
        """The fourth is not now; it has nothing to do with its settings."""
        world = MemoryHost({"eriantys.ping": "0", "limits.open_tables": "3"})
        players = [guest(world, name) for name in ("ann", "bob", "carl", "dora")]
        answers = [player.ask("SetGame", numberOfPlayers=2, expertMode=False) for player in players]
        self.assertEqual([types(heard) for heard in answers[:3]], [["WaitingForPlayers"]] * 3)
        self.assertEqual(errors(answers[3]), ["INVALID_ACTION"])
        self.assertEqual(len(players[3].ask("RequestGames")[0]["availableGames"]), 3)

    def test_a_game_waits_for_ten_minutes(self) -> None:
        world = MemoryHost(OPEN)
        ann, bob = guest(world, "ann"), guest(world, "bob")
        ann.ask("SetGame", numberOfPlayers=3, expertMode=False)
        bob.ask("JoinAvailableGame", gameId=1)
        ann.hear()
        world.wait(600)
        self.assertEqual([message["message"] for message in ann.hear() + bob.hear()], ["CLOSING_GAME"] * 2)
        self.assertEqual(ann.ask("RequestGames"), [{"type": "AvailableGames", "availableGames": []}])


class MatchTests(SynchronousTestCase):
    def assert_refused(self, player: Player, error: str, kind: str, **arguments: Any) -> None:
        request, before = player.request, master_of(player.world)._state
        heard = player.ask(kind, **arguments)
        self.assertEqual((errors(heard), heard[1:]), ([error], [request]), (kind, arguments))
        self.assertEqual(master_of(player.world)._state, before)

    def test_towers_and_wizards(self) -> None:
        _, ann, bob = asked_for("AvailableTowers")
        self.assert_refused(ann, "TOWER_NOT_AVAILABLE", "ChosenTower", tower="GREY")
        ann.ask("ChosenTower", tower="WHITE")
        bob.hear()
        self.assert_refused(bob, "TOWER_NOT_AVAILABLE", "ChosenTower", tower="WHITE")
        bob.ask("ChosenTower", tower="BLACK")
        ann.hear()
        for wizard in (0, 5, -1, 2**63):
            self.assert_refused(ann, "INVALID_INPUT", "ChosenWizard", wizardId=wizard)
        ann.ask("ChosenWizard", wizardId=2)
        bob.hear()
        self.assert_refused(bob, "WIZARD_NOT_AVAILABLE", "ChosenWizard", wizardId=2)

    def test_students_and_destinations(self) -> None:
        world, ann, bob = asked_for("MovableStudents")
        laid_out(world, ann, bob, acting(with_school(rich(Character.KNIGHT), 0, entrance=students(yellow=7))))
        self.assert_refused(ann, "STUDENT_NOT_AVAILABLE", "ChosenStudent", color="PINK")
        self.assert_refused(ann, "INVALID_INPUT", "ChosenStudent", color=None)
        movable = ann.request
        for destination in (-1, 13, 2**63):
            ann.ask("ChosenStudent", color="YELLOW")
            heard = ann.ask("ChosenDestination", destination=destination)
            self.assertEqual((errors(heard), heard[1:]), (["INVALID_INPUT"], [movable]))

    def test_a_full_dining_room(self) -> None:
        world, ann, bob = dealt()
        laid_out(world, ann, bob, acting(with_dining(new_position(2), 0, students(pink=10))))
        ann.ask("ChosenStudent", color="PINK")
        heard = ann.ask("ChosenDestination", destination=0)
        self.assertEqual((errors(heard), types(heard)[1:]), (["FULL_DINING_ROOM"], ["MovableStudents"]))

    def test_steps_and_clouds(self) -> None:
        _, ann, _ = asked_for("MotherNatureSteps")
        for steps in (0, -1, 5, 2**63):
            self.assert_refused(ann, "INVALID_INPUT", "ChosenSteps", steps=steps)
        world, ann, bob = asked_for("SelectCloud")
        for cloud in (-1, 2, 2**63):
            self.assert_refused(ann, "INVALID_INPUT", "ChosenCloud", cloud=cloud)
        state = moves(Status.MOVE_3)
        clouds = (students(), state.position.clouds[1])
        bag = tuple(map(sum, zip(state.position.bag, state.position.clouds[0], strict=True)))
        laid_out(world, ann, bob, acting(new_position(2), Status.MOVE_3))
        state = master_of(world)._state
        position = evolve(state.position, clouds=clouds, bag=bag)
        laid_out(world, ann, bob, evolve(state, position=position, request=evolve(state.request, clouds=(1,))))
        self.assert_refused(ann, "EMPTY_CLOUD", "ChosenCloud", cloud=0)

    def test_other_phases_and_other_players(self) -> None:
        """An answer to something else is answered by its error alone, and so is whoever is not asked."""
        _, ann, bob = asked_for("MotherNatureSteps")
        self.assertEqual(types(ann.ask("ChosenCloud", cloud=0)), ["ErrorMessage"])
        self.assertEqual(errors(bob.ask("ChosenSteps", steps=1)), ["WRONG_TURN"])
        self.assertEqual(errors(bob.ask("UseCharacterEffect", character=8)), ["WRONG_TURN"])

    def test_assistants(self) -> None:
        _, ann, bob = asked_for("AvailableAssistants")
        self.assert_refused(ann, "INVALID_INPUT", "PlayAssistant", assistant=0)
        self.assert_refused(ann, "INVALID_INPUT", "PlayAssistant", assistant=11)
        ann.ask("PlayAssistant", assistant=4)
        bob.hear(), ann.hear(), bob.hear()
        self.assert_refused(bob, "INVALID_ASSISTANT", "PlayAssistant", assistant=4)
        world, ann, bob = asked_for("AvailableAssistants")
        state = master_of(world)._state
        hands = ((1, 2), *state.position.hands[1:])
        position = evolve(state.position, hands=hands)
        laid_out(world, ann, bob, evolve(state, position=position, request=evolve(state.request, hand=(1, 2))))
        self.assert_refused(ann, "UNAVAILABLE_ASSISTANT", "PlayAssistant", assistant=4)

    def test_islands_are_those_of_the_present_circle(self) -> None:
        world, ann, bob = dealt()
        islands = circle((3, Tower.WHITE), *[(1, None)] * 9)
        laid_out(world, ann, bob, acting(with_islands(new_position(2), islands)))
        self.assertEqual(ann.ask("ChosenStudent", color="YELLOW"), [{"type": "WhereToMove", "islands": 10}])
        self.assertEqual(errors(ann.ask("ChosenDestination", destination=11)), ["INVALID_INPUT"])
        ann.ask("ChosenStudent", color="YELLOW")
        self.assertEqual(types(ann.ask("ChosenDestination", destination=10))[0], "CommunicationMessage")
        assert ann.board is not None
        self.assertEqual(ann.board["dashboard"]["islands"][9]["members"], [12])

    def test_characters_that_cannot_be_used(self) -> None:
        world, ann, bob = dealt()
        position = rich(Character.HERBALIST, Character.MINSTREL, Character.THIEF, coins=0)
        laid_out(world, ann, bob, acting(position))
        for number, error in ((0, "INVALID_INPUT"), (13, "INVALID_INPUT"), (8, "CHARACTER_NOT_IN_GAME"),
                              (10, "CHARACTER_NOT_USABLE"), (12, "NOT_ENOUGH_COINS")):  # fmt: skip
            self.assert_refused(ann, error, "UseCharacterEffect", character=number)
        card = position.card(Character.HERBALIST)
        assert card is not None
        without = evolve(position.with_card(evolve(card, no_entry_tiles=0)), character=None)
        laid_out(world, ann, bob, acting(without))
        self.assert_refused(ann, "ZERO_NO_ENTRY_TILES_LEFT", "UseCharacterEffect", character=5)
        laid_out(world, ann, bob, acting(evolve(rich(Character.KNIGHT), character=Character.KNIGHT)))
        self.assert_refused(ann, "ALREADY_PLAYED_CHARACTER", "UseCharacterEffect", character=8)
        laid_out(world, ann, bob, moves(Status.MOVE_1))
        self.assert_refused(ann, "NOT_EXPERT_MODE", "UseCharacterEffect", character=8)

    def test_the_last_student(self) -> None:
        """Drawn for a character: the round is said to be the last one, and the match ends with it."""
        world, ann, bob = dealt()
        state = with_effect(Character.PRINCESS, Status.MOVE_3)
        laid_out(world, ann, bob, evolve(state, position=evolve(state.position, bag=students(red=1))))
        assert ann.request is not None
        heard = ann.ask("ChosenStudent", color=ann.request["students"][0])
        self.assertIn("LAST_ROUND", [message.get("message") for message in heard])


class ConnectionTests(SynchronousTestCase):
    def test_pings(self) -> None:
        world, ann, bob = pair({"eriantys.ping": "15"})
        for _ in range(12):
            world.wait(5)
            bob.client.send(b"\n")
        self.assertTrue(ann.client.closed)
        self.assertEqual(types(bob.hear()).count("Ping"), 4)
        self.assertEqual(bob.heard["PlayerDisconnected"], 1)
        self.assertFalse(bob.client.closed)
        self.assertEqual(bob.ask("Pong"), [])

    def test_floods(self) -> None:
        """A thousand Pongs, or Acknowledgements of nothing, in a second end the connection."""
        for kind in ("Pong", "Acknowledgement"):
            world = MemoryHost({"eriantys.ping": "0"})
            client = world.connect("eriantys")
            client.send((line(kind) + "\n").encode() * 1_000)
            world.wait(2)
            self.assertTrue(client.closed)

    def test_acknowledgements_of_what_was_said_are_free(self) -> None:
        """Two clients who acknowledge everything play a whole match at full speed, within the rate of their answers."""
        world = MemoryHost({"eriantys.ping": "0", "limits.messages_per_second": "6"})
        players = [Player(world, name, random.Random(number)) for number, name in enumerate(("ann", "bob"))]
        seated(world, players, expert=False)
        play(world, players)
        self.assertGreater(players[0].heard["UpdateBoard"], 100)

    def test_never_acknowledged(self) -> None:
        """A table waits for two seconds once, and then never again for that client."""
        world = MemoryHost(OPEN)
        ann, bob = (
            Player(world, name, random.Random(1), habit) for name, habit in (("ann", everything), ("bob", never))
        )
        seated(world, (ann, bob), expert=False)
        self.assertIs(ann.request, None)
        world.wait(1.9)
        self.assertEqual(ann.hear(), [])
        world.wait(0.2)
        self.assertEqual(types(ann.hear()), ["AvailableTowers"])
        play(world, (ann, bob), most=40)

    def test_nothing_is_heard_after_disconnect(self) -> None:
        world, ann, bob = pair()
        ann.client.say(line("Disconnect"), line("LoginMessage", nickname="carl"))
        self.assertTrue(ann.client.closed)
        self.assertIs(world.lobby.registry.get("carl"), None)
        self.assertIs(world.lobby.registry.get("ann"), None)
        self.assertEqual(bob.hear()[-1]["message"], "CLOSING_GAME")

    def test_one_of_four_is_gone(self) -> None:
        world = MemoryHost(OPEN, grace=30)
        players = [
            Player(world, name, random.Random(number)) for number, name in enumerate(("ann", "bob", "carl", "dora"))
        ]
        seated(world, players, expert=False)
        play(world, players, most=60)
        gone, *others = sorted(players, key=lambda player: player.request is not None)
        gone.client.drop()
        for other in others:
            self.assertIn("PlayerDisconnected", types(other.hear()))
        world.wait(31)
        for other in others:
            self.assertEqual(types(other.hear()).count("PlayerDisconnected"), 0)
            self.assertTrue(other.over)
        assert gone.board is not None
        team = gone.me["tower"]
        winners = [other for other in others if other.me["tower"] != team]
        self.assertEqual(
            sorted(players.index(one) for one in others if one.heard["won"]), sorted(map(players.index, winners))
        )


NAMES = ("ann", "bob", "carl", "dora")


def company(world: MemoryHost, seed: int, seats: int, habit: Habit = everything) -> list[Player]:
    players = [Player(world, name, random.Random(f"{seed} {name}"), habit) for name in NAMES[:seats]]
    return players


class ComingBackTests(PropertyCase):
    def test_at_every_request(self) -> None:
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
        _, ann, bob = asked_for("MotherNatureSteps")
        bob.client.drop()
        ann.hear()
        self.assertEqual(types(bob.connect())[1:], ["CommunicationMessage", "MatchStarted", "UpdateBoard"])
        self.assertIs(bob.request, None)
        self.assertEqual(types(ann.ask("ChosenSteps", steps=1))[:2], ["CommunicationMessage", "UpdateBoard"])

    def test_a_student_that_was_chosen_is_remembered(self) -> None:
        world, ann, bob = pair()
        play(world, (ann, bob), most=7)
        first = (ann, bob)[master_of(world).request.seat]
        world = MemoryHost(OPEN, journal=world.journal.restarted())
        first.world = world
        first.connect()
        first.hear()
        self.assertEqual(first.request, {"type": "WhereToMove", "islands": 12})

    def test_who_is_away_is_told_to_who_comes_back(self) -> None:
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


class KeptElsewhereTests(PropertyCase):
    def elsewhere(self, strict: bool = False) -> tuple[MemoryHost, Client, Client]:
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
        self.assertIs(client.state, EriantysState.LOBBY)
        self.assertTrue(any(text.startswith("GAME_OVER|bob") for text in bob.heard()))

    def test_strict_mode_does_not_know_the_key(self) -> None:
        _, client, bob = self.elsewhere(strict=True)
        self.assertIn("INVALID_INPUT", client.ask(line("LoginMessage", nickname="ann", giveUp=True))[0])
        self.assertEqual(bob.heard(), [])


class LeavingTests(PropertyCase):
    def endings(self, seats: int, way: str, most: int, who: int = 0) -> tuple[Player, list[Player]]:
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
        for seats in (2, 4):
            for way in ("disconnect", "grace", "time"):
                for most in (10, 50):
                    gone, others = self.endings(seats, way, most)
                    for other in others:
                        self.assertEqual(other.heard["PlayerDisconnected"], int(way != "time"), (seats, way))
                        self.assertEqual(bool(other.heard["won"]), other.me["tower"] != gone.me["tower"])
                        self.assertEqual(other.heard["CLOSING_GAME"], 1)
                        self.assertIs(other.client.state, EriantysState.LOBBY)

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
        gone, others = self.endings(3, "disconnect", 1)
        self.assertEqual([other.heard["won"] for other in others], [1, 1])
        self.assertEqual([other.heard["UpdateBoard"] for other in others], [0, 0])
        self.assertIs(gone.client.world.lobby.registry.get(gone.name), None)

    def test_leaving_a_game_that_waits(self) -> None:
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


class JournalTests(PropertyCase):
    def late(self) -> tuple[MemoryHost, Player, Player, RecordingJournal]:
        journal = RecordingJournal(late=True)
        world = MemoryHost(OPEN, journal=journal)
        ann, bob = company(world, 1, 2, never)
        for player in (ann, bob):
            player.connect()
        return world, ann, bob, journal

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
            self.assertIs(player.client.state, EriantysState.LOBBY)
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
            self.assertIs(ann.client.state, EriantysState.LOBBY)
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
        self.assertIs(bob.client.state, EriantysState.LOBBY)
