"""What is asked, answered and acknowledged in Eriantys."""

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

from attrs import define, field
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.eriantys.events import AskAssistant, AskCloud
from gamehost.games.eriantys.rules import Character, Status, Tower, evolve
from gamehost.net.connection import WireFactory
from gamehost.testing.cases import PropertyCase
from gamehost.wires.eriantys import WIRE
from gamehost.wires.eriantys.messages import (
    EndOfRound,
    SelectColor,
    ServerMessage,
    WaitingForPlayers,
)
from gamehost.wires.eriantys_conversation import _GATES, MOST_ACKNOWLEDGEABLE, Client, Gate
from tests.kit.games.eriantys import acting, circle, new_position, rich, students, with_dining, with_islands
from tests.kit.memory_host import MemoryHost, master_of
from tests.kit.wires.eriantys_players import (
    OPEN,
    Message,
    Player,
    asked_for,
    dealt,
    laid_out,
    line,
    moves,
    never,
    pair,
    play,
    seated,
    with_effect,
)
from tests.wires.test_eriantys_wrong_input import errors, guest, types


def words(messages: list[Message]) -> list[str]:
    """The script: statuses and communications by their own words, everything else by type."""
    return [message.get("playerStatus") or message.get("message") or message["type"] for message in messages]


def four(most: int) -> tuple[MemoryHost, list[Player]]:
    world = MemoryHost(OPEN, rng=random.Random(4).randrange)
    players = [Player(world, name, random.Random(n)) for n, name in enumerate(("ann", "bob", "carl", "dora"))]
    seated(world, players, expert=False)
    play(world, players, most=most)
    for player in players:
        player.hear()
    return world, players


class BeforeTests(SynchronousTestCase):
    def test_d_m4_players_are_in_join_order_and_order_is_around_the_table(self) -> None:
        """`order` is known from the deal on: every board has it, and MatchStarted for a player who comes back."""
        orders = set()
        for seed in range(8):
            world = MemoryHost(OPEN, rng=random.Random(seed).randrange)
            players = [Player(world, name, random.Random(1)) for name in ("ann", "bob", "carl")]
            seated(world, players, expert=False)
            play(world, players, most=6)
            ann = players[0]
            ann.client.drop()
            started = next(message for message in ann.connect() if message["type"] == "MatchStarted")
            seating = master_of(world).position.seating
            self.assertEqual(started["players"], ["ann", "bob", "carl"])
            self.assertEqual(started["order"], [players[seat].name for seat in seating])
            assert ann.board is not None
            self.assertEqual(ann.board["order"], started["order"])
            self.assertEqual([player["nickname"] for player in ann.board["players"]], ["ann", "bob", "carl"])
            orders.add(tuple(started["order"]))
        self.assertGreater(len(orders), 1)

    def test_d_m5_the_played_character_is_in_the_dashboard(self) -> None:
        world, ann, bob = dealt()
        laid_out(world, ann, bob, moves(Status.MOVE_1, Character.KNIGHT))
        ann.ask("UseCharacterEffect", character=8)
        assert ann.board is not None
        self.assertEqual(set(ann.board), {"type", "players", "dashboard", "order"})
        self.assertEqual(ann.board["dashboard"]["activeCharacter"], 8)


class TurnTests(SynchronousTestCase):
    def test_d_m9_and_d_m10_every_turn_begins_with_start_of_player_round(self) -> None:
        world, players = four(most=12)
        self.assertEqual([player.heard["StartOfPlayerRound"] for player in players], [2] * 4)
        asked = master_of(world).request.seat
        self.assertEqual([player.heard["StartOfPlayerRound"] for player in players if player.is_turn], [2] * 4)
        play(world, players, most=8)
        self.assertNotEqual(master_of(world).request.seat, asked)
        for player in players:
            player.hear()
        self.assertEqual([player.heard["StartOfPlayerRound"] for player in players], [3] * 4)

    def test_d_m11_destinations_are_groups_of_the_circle(self) -> None:
        """Numbered from 1, with the islands they were made of inside."""
        world, ann, bob = dealt()
        laid_out(world, ann, bob, acting(with_islands(new_position(2), circle((4, Tower.BLACK), *[(1, None)] * 8))))
        self.assertEqual(ann.ask("ChosenStudent", color="PINK"), [{"type": "WhereToMove", "islands": 9}])
        assert ann.board is not None
        self.assertEqual([island["number"] for island in ann.board["dashboard"]["islands"]], list(range(1, 10)))
        self.assertEqual(ann.board["dashboard"]["islands"][0]["members"], [1, 2, 3, 4])

    def test_d_m12_clouds_are_numbered_from_0(self) -> None:
        _, ann, bob = asked_for("SelectCloud")
        before = ann.me["entrance"]
        assert ann.board is not None
        cloud = ann.board["dashboard"]["clouds"][1]
        ann.ask("ChosenCloud", cloud=1)
        bob.hear()
        self.assertEqual(ann.me["entrance"], {color: count + cloud[color] for color, count in before.items()})

    def test_d_m13_island_owner_is_always_told(self) -> None:
        world, ann, bob = dealt()
        laid_out(world, ann, bob, moves(Status.MOVE_2))
        [owner] = [message for message in ann.ask("ChosenSteps", steps=1) if message["type"] == "IslandOwner"]
        self.assertEqual((owner["nickname"], owner["island"]["number"], owner["island"]["tower"]), ("", 2, None))

    def test_d_m20_a_color_may_be_left_out_to_stop(self) -> None:
        for more in ({}, {"color": None}):
            world, ann, bob = dealt()
            laid_out(world, ann, bob, with_effect(Character.JESTER))
            heard = ann.ask("ChosenStudent", **more)
            self.assertEqual(types(heard), ["UpdateBoard"])
            bob.hear()
            self.assertEqual(types(ann.hear()), ["MovableStudents"])
        laid_out(world, ann, bob, with_effect(Character.JESTER))
        assert ann.request is not None
        [second] = ann.ask("ChosenStudent", color=ann.request["students"][0])
        heard = ann.ask("ChosenStudent")
        self.assertEqual((errors(heard), heard[1:]), (["INVALID_INPUT"], [second]))

    def test_d_m21_words_of_ours(self) -> None:
        """A no-entry tile is told instead of an owner."""
        world, ann, bob = dealt()
        position = rich(Character.HERBALIST)
        card = position.card(Character.HERBALIST)
        assert card is not None
        islands = (position.islands[0], evolve(position.islands[1], no_entry_tiles=1), *position.islands[2:])
        position = evolve(position.with_card(evolve(card, no_entry_tiles=3)), islands=islands)
        laid_out(world, ann, bob, acting(position, Status.MOVE_2))
        heard = words(ann.ask("ChosenSteps", steps=1))
        self.assertEqual(heard[:4], ["SUCCESS", "UpdateBoard", "NO_ENTRY_TILE_ON_ISLAND", "UpdateBoard"])

    def test_d_m22_planning_follows_the_action_order_of_the_round_before(self) -> None:
        """Whoever acted first plays an assistant first."""
        world, players = four(most=8)
        acted: list[Seat] = []
        planned: list[Seat] = []
        while len(planned) < 4:
            position, request = master_of(world).position, master_of(world).request
            planning = isinstance(request, AskAssistant)
            if position.round == 1 and not planning and request.seat not in acted:
                acted.append(request.seat)
            if position.round == 2 and planning:
                planned.append(request.seat)
            play(world, players, most=1)
            for player in [*players, *players]:
                player.hear()
        self.assertEqual(planned, acted)


class CharactersAndErrorsTests(SynchronousTestCase):
    def test_d_m28_expert_mode_false_is_the_normal_game(self) -> None:
        world, ann, bob = pair(expert=False)
        play(world, (ann, bob), most=4)
        ann.hear()
        self.assertEqual((ann.me["coins"], ann.board["dashboard"]["characters"] if ann.board else None), (None, []))
        laid_out(world, ann, bob, moves(Status.MOVE_1))
        self.assertEqual(errors(ann.ask("UseCharacterEffect", character=1)), ["NOT_EXPERT_MODE"])

    def character(self, number: int, *answers: dict[str, Any], stage: Status = Status.MOVE_1) -> list[list[str]]:
        """What the player hears at each step of a character."""
        world, ann, bob = dealt()
        character = Character(number)
        position = rich(character, *(other for other in (Character.KNIGHT, Character.FARMER) if other is not character))
        laid_out(world, ann, bob, acting(evolve(position, mother_nature=0), stage))
        script = []
        for said in ({"kind": "UseCharacterEffect", "character": number}, *answers):
            arguments = dict(said)
            kind = arguments.pop("kind")
            heard = ann.ask(kind, **arguments)
            bob.hear()
            script.append(words(heard + ann.hear()))
        return script

    def test_characters_over_the_wire(self) -> None:
        island = {"kind": "ChosenDestination", "destination": 3}
        color = {"kind": "ChosenStudent", "color": "YELLOW"}
        paid = ["SUCCESS", "PlayedCharacter"]
        done = ["SUCCESS", "UpdateBoard", "MovableStudents"]
        at_once = [[*paid, "UpdateBoard", "MovableStudents"]]
        for number in (2, 6, 8):
            self.assertEqual(self.character(number), at_once, number)
        self.assertEqual(self.character(5, island), [[*paid, "WhereToMove"], done])
        for number in (9, 12):
            self.assertEqual(self.character(number, color), [[*paid, "SelectColor"], done])
        herald = ["SUCCESS", "IslandOwner", "UpdateBoard", "MovableStudents"]
        self.assertEqual(self.character(3, island), [[*paid, "WhereToMove"], herald])
        self.assertEqual(self.character(4, stage=Status.MOVE_2), [[*paid, "UpdateBoard", "MotherNatureSteps"]])

    def test_characters_with_students(self) -> None:
        """1 and 11 end with one board; 7 and 10 show one after each swap and none at the end."""
        asked = "MovableStudentsChar"
        for number in (1, 7, 10, 11):
            world, ann, bob = dealt()
            position = rich(Character(number), Character.KNIGHT, Character.FARMER)
            if number == 10:
                position = with_dining(position, 0, students(blue=2))
            laid_out(world, ann, bob, acting(position))
            boards = ann.heard["UpdateBoard"]
            ann.ask("UseCharacterEffect", character=number)
            script: list[str] = []
            for _ in range(12):
                bob.hear()
                ann.hear()
                assert ann.request is not None
                if ann.request["type"] not in (asked, "WhereToMove"):
                    break
                script.append(ann.request["type"])
                students_ = ann.request.get("students", [])
                if ann.request["type"] == asked:
                    ann.ask("ChosenStudent", color=students_[0])
                else:
                    ann.ask("ChosenDestination", destination=2)
            expected = {1: [asked, "WhereToMove"], 7: [asked] * 6, 10: [asked] * 4, 11: [asked]}[number]
            self.assertEqual(script, expected)
            self.assertEqual(ann.heard["UpdateBoard"] - boards, {1: 1, 7: 3, 10: 2, 11: 1}[number])
            self.assertEqual(ann.request["type"] if ann.request else None, "MovableStudents")


class EndTests(SynchronousTestCase):
    def test_d_m14_four_players_have_a_tower_holder(self) -> None:
        """IslandOwner and CommunicateWinner name the holder; `nicknames` has both partners, the holder first."""
        _, players = four(most=60)
        gone = players[3]
        team = gone.me["tower"]
        gone.say("Disconnect")
        heard = players[0].hear() + players[1].hear() + players[2].hear()
        [winner] = {json.dumps(message) for message in heard if message["type"] == "CommunicateWinner"}
        told = json.loads(winner)
        winners = [player for player in players if player is not gone and player.me["tower"] != team]
        holder = next(player for player in winners if player.me["towerHolder"])
        self.assertEqual(told["nickname"], holder.name)
        self.assertEqual(told["nicknames"][0], holder.name)
        self.assertEqual(set(told["nicknames"]), {player.name for player in winners})
        self.assertEqual(told["team"], holder.me["tower"])

    def test_d_m15_a_draw_is_shared(self) -> None:
        """WIN to all who are equal, no team and no nickname, and all their nicknames."""
        world, ann, bob = dealt()
        state = moves(Status.MOVE_3)
        position = evolve(state.position, turn=1, last_round=True, professors=(None,) * 5)
        laid_out(world, bob, ann, evolve(state, position=position, request=AskCloud(Seat(1), (0, 1))))
        heard = bob.ask("ChosenCloud", cloud=0)
        self.assertEqual(words(heard)[-3:], ["WIN", "CommunicateWinner", "CLOSING_GAME"])
        told = heard[-2]
        self.assertEqual((told["team"], told["nickname"], told["nicknames"]), (None, "", ["ann", "bob"]))
        self.assertIn("tie", told["winReason"])
        self.assertIn("WIN", words(ann.hear()))

    def test_d_m16_what_may_be_acknowledged_is_never_waited_for(self) -> None:
        """SUCCESS, errors, PlayedAssistant and boards of Move 2: nobody owes anything for them."""
        _, ann, bob = asked_for("MotherNatureSteps")
        for player in (ann, bob):
            player.habit = lambda player, message: message["type"] in ("IslandOwner", "PlayerStatusMessage")
        ann.ask("ChosenSteps", steps=99)
        ann.ask("ChosenSteps", steps=1)
        bob.hear()
        self.assertEqual(types(ann.hear()), ["SelectCloud"])

    def test_d_m23_one_object_a_line(self) -> None:
        """UTF-8, ended by a line feed, with `type` first."""
        client = MemoryHost(OPEN).connect("eriantys")
        client.say('{"type":"LoginMessage","nickname":"\u0160t\u011bp\u00e1n"}')
        data = client.transport.read()
        self.assertTrue(data.endswith(b"\n"))
        for text in data.decode().splitlines():
            self.assertTrue(text.startswith('{"type":"'))

    def test_d_m29_no_time_limit_unless_it_is_asked_for(self) -> None:
        world, ann, bob = pair()
        world.wait(86_000)
        self.assertEqual(types(ann.ask("ChosenTower", tower="WHITE")), ["CommunicationMessage"])
        world, ann, bob = pair(move_time="30")
        world.wait(31)
        self.assertEqual(words(bob.hear())[-3:], ["WIN", "CommunicateWinner", "CLOSING_GAME"])
        self.assertEqual(words(ann.hear())[-3:], ["LOSE", "CommunicateWinner", "CLOSING_GAME"])


STEP = st.sampled_from(("due", "ack", "ask", "answer", "ring", "leave"))
DUE = EndOfRound(1)
REQUEST = SelectColor()


@define(eq=False)
class RecordingPeer:
    said: list[ServerMessage] = field(factory=list)
    ring: Callable[[], None] | None = None
    seconds: float = 0.0
    free: int = 0
    held: float = 0.0

    def say(self, message: ServerMessage) -> None:
        self.said.append(message)

    def say_and_hold(self, message: ServerMessage, seconds: float) -> None:
        self.said.append(message)
        self.held = seconds

    def alarm(self, seconds: float, ring: Callable[[], None]) -> None:
        self.ring, self.seconds = ring, seconds

    def no_alarm(self) -> None:
        self.ring = None

    def exempt_from_rate(self) -> None:
        self.free += 1


def table(clients: int, seconds: float = 2.0) -> tuple[Sequence[Client], Sequence[RecordingPeer]]:
    ways: Any = [RecordingPeer() for _ in range(clients)]
    gate = Gate()
    seated = [Client(way, seconds) for way in ways]
    for client in seated:
        client.enter(gate)
    return seated, ways


class GateTests(PropertyCase):
    def test_nothing_due_nothing_waits(self) -> None:
        [ann], [way] = table(1)
        ann.ask(REQUEST)
        self.assertEqual((way.said, way.ring), ([REQUEST], None))

    def test_everybody_of_the_table_is_waited_for(self) -> None:
        (ann, bob, _), (way, _, _) = table(3)
        ann.say(DUE, due=True)
        bob.say(DUE, due=True)
        bob.say(DUE, due=True)
        ann.ask(REQUEST)
        self.assertTrue(ann.is_held_up)
        self.assertEqual((way.said, way.seconds), ([DUE], 2.0))
        ann.acknowledged()
        bob.acknowledged()
        self.assertTrue(ann.is_held_up)
        bob.acknowledged()
        self.assertFalse(ann.is_held_up)
        self.assertEqual((way.said, way.ring), ([DUE, REQUEST], None))

    def test_the_limit_passes_once_for_each(self) -> None:
        (ann, bob), (way, _) = table(2)
        bob.say(DUE, due=True)
        ann.ask(REQUEST)
        assert way.ring is not None
        way.ring()
        self.assertEqual(way.said, [REQUEST])
        self.assertEqual((ann.waited_for, bob.waited_for), (True, False))
        bob.say(DUE, due=True)
        ann.ask(REQUEST)
        self.assertEqual(way.said, [REQUEST, REQUEST])
        ann.say(DUE, due=True)
        ann.ask(REQUEST)
        self.assertEqual(way.said, [REQUEST, REQUEST, DUE])

    def test_no_limit_no_wait(self) -> None:
        (ann, bob), (way, _) = table(2, seconds=0.0)
        bob.say(DUE, due=True)
        ann.ask(REQUEST)
        self.assertEqual((way.said, way.ring), ([REQUEST], None))

    def test_an_answer_counts_as_what_was_due(self) -> None:
        (ann, bob), (way, _) = table(2)
        bob.say(DUE, due=True)
        bob.say(DUE, due=True)
        ann.ask(REQUEST)
        bob.answered()
        self.assertEqual(way.said, [REQUEST])

    def test_who_leaves_is_not_waited_for(self) -> None:
        (ann, bob), (way, other) = table(2)
        bob.say(DUE, due=True)
        ann.ask(REQUEST)
        bob.leave()
        bob.leave()
        self.assertEqual((way.said, bob.due), ([REQUEST], 0))
        ann.say(DUE, due=True)
        ann.ask(REQUEST)
        ann.leave()
        ann.go_on()
        self.assertEqual((way.said, way.ring), ([REQUEST, DUE], None))
        self.assertEqual(other.said, [DUE])

    def test_a_request_that_is_withdrawn_is_never_asked(self) -> None:
        """What was answered before it could be asked."""
        (ann, bob), (way, _) = table(2)
        bob.say(DUE, due=True)
        ann.ask(REQUEST)
        ann.withdraw()
        bob.acknowledged()
        self.assertEqual((way.said, way.ring), ([], None))

    def test_acknowledgements_of_what_was_said_are_free(self) -> None:
        """Due or not; one too many is counted like any message, and only so many are kept."""
        [ann], [way] = table(1)
        ann.say(DUE, due=True)
        ann.say(WaitingForPlayers(1))
        for _ in range(3):
            ann.acknowledged()
        self.assertEqual((way.free, ann.due), (2, 0))
        for _ in range(2 * MOST_ACKNOWLEDGEABLE):
            ann.say(DUE)
        for _ in range(2 * MOST_ACKNOWLEDGEABLE):
            ann.acknowledged()
        self.assertEqual(way.free, 2 + MOST_ACKNOWLEDGEABLE)

    def test_acknowledgements_in_one_message(self) -> None:
        """They are taken off what is due, as many as there are; those that nothing was said for are ignored."""
        (ann, bob), (way, _) = table(2)
        for _ in range(3):
            bob.say(DUE, due=True)
        ann.ask(REQUEST)
        bob.acknowledged(2)
        self.assertEqual((way.said, bob.due), ([], 1))
        bob.acknowledged(2)
        self.assertEqual((way.said, bob.due), ([REQUEST], 0))
        bob.say(DUE, due=True)
        self.assertEqual(bob.due, 1)

    def test_a_message_behind_which_nothing_is_sent(self) -> None:
        """It is due as any other, and its Acknowledgement is free."""
        [ann], [way] = table(1)
        ann.say_due_and_hold(DUE, 10.5)
        self.assertEqual((way.said, way.held, ann.due), ([DUE], 10.5, 1))
        ann.acknowledged()
        self.assertEqual((way.free, ann.due), (1, 0))

    @given(st.lists(st.tuples(st.integers(0, 2), STEP), max_size=60))
    def test_whatever_happens(self, steps: list[tuple[int, str]]) -> None:
        """Nothing waits at an open gate; counts are never below none; every request is asked once at most."""
        clients, ways = table(3)
        asked = 0
        for number, step in steps:
            client, way = clients[number], ways[number]
            match step:
                case "due":
                    client.say(DUE, due=True)
                case "ack":
                    client.acknowledged()
                case "ask":
                    asked += 1
                    client.ask(REQUEST)
                case "answer":
                    client.answered()
                case "ring":
                    if way.ring is not None:
                        way.ring()
                case "leave":
                    client.leave()
            self.assertTrue(all(one.due >= 0 for one in clients))
            for one, its_way in zip(clients, ways, strict=True):
                self.assertEqual(one.is_held_up, its_way.ring is not None)
                if one.gate is not None and one.gate.is_open():
                    self.assertFalse(one.is_held_up)
        self.assertLessEqual(sum(way.said.count(REQUEST) for way in ways), asked)


def due(player: Player) -> int:
    owed: int = player.client.protocol.conversation._client.due  # type: ignore[attr-defined]
    return owed


def owing_nothing(*players: Player) -> None:
    for player in players:
        player.hear()
        player.habit = never
        assert due(player) == 0, player


class SharedTests(SynchronousTestCase):
    def test_players_of_two_listeners_share_one_gate(self) -> None:
        world = MemoryHost(OPEN)
        ann = guest(world, "ann")
        world.factories["eriantys"] = WireFactory(WIRE, {"ping": "0"}, world.context)
        bob = guest(world, "bob")
        [waiting] = ann.ask("SetGame", numberOfPlayers=2, expertMode=True)
        bob.ask("JoinAvailableGame", gameId=waiting["gameId"])
        gates = [player.client.protocol.conversation._client.gate for player in (ann, bob)]  # type: ignore[attr-defined]
        self.assertIs(*gates)
        self.assertEqual(list(_GATES[world.lobby]), [1])
        ann.client.drop()
        bob.client.drop()
        self.assertEqual(_GATES[world.lobby], {})


class DueTests(SynchronousTestCase):
    def test_before_the_match(self) -> None:
        """UpdateLobby and MatchStarted; not the answers to SetGame and JoinAvailableGame."""
        world, _, _ = pair()
        carl, dora = guest(world, "carl"), guest(world, "dora")
        owing_nothing(carl, dora)
        [waiting] = carl.ask("SetGame", numberOfPlayers=2, expertMode=True)
        self.assertEqual(due(carl), 0)
        dora.ask("JoinAvailableGame", gameId=waiting["gameId"])
        self.assertEqual((due(carl), due(dora)), (2, 1))

    def test_set_up_and_planning(self) -> None:
        world, ann, bob = pair()
        play(world, (ann, bob), most=3)
        bob.hear()
        owing_nothing(ann, bob)
        assert bob.request is not None
        bob.ask("ChosenWizard", wizardId=bob.request["availableWizards"][0])
        first = master_of(world).request.seat
        self.assertEqual((due(ann), due(bob)), (2 + (first == 0), 2 + (first == 1)))
        _, ann, bob = asked_for("AvailableAssistants")
        owing_nothing(ann, bob)
        ann.ask("PlayAssistant", assistant=3)
        self.assertEqual((due(ann), due(bob)), (1, 1), "WAITING, and PLANNING")

    def test_moves(self) -> None:
        """Boards of Move 1, not of Move 2 and 3; owners, statuses, and the ends and beginnings of turns."""
        _, ann, bob = asked_for("WhereToMove")
        owing_nothing(ann, bob)
        ann.ask("ChosenDestination", destination=1)
        self.assertEqual((due(ann), due(bob)), (1, 1))
        _, ann, bob = asked_for("MotherNatureSteps")
        owing_nothing(ann, bob)
        ann.ask("ChosenSteps", steps=1)
        self.assertEqual((due(ann), due(bob)), (3, 1))
        _, ann, bob = asked_for("SelectCloud")
        owing_nothing(ann, bob)
        ann.ask("ChosenCloud", cloud=0)
        self.assertEqual((due(ann), due(bob)), (3, 3), "the end of a turn, WAITING or MOVE_1, and the next one")

    def test_characters_at_any_move(self) -> None:
        """PlayedCharacter and the board of the effect, in Move 2 and 3 too; the boards of the moves after it are not."""
        for request in ("MotherNatureSteps", "SelectCloud"):
            _, ann, bob = asked_for(request)
            owing_nothing(ann, bob)
            ann.ask("UseCharacterEffect", character=8)
            self.assertEqual((due(ann), due(bob)), (2, 2), request)
        world, ann, bob = dealt()
        laid_out(world, ann, bob, moves(Status.MOVE_2, Character.MESSENGER))
        ann.ask("UseCharacterEffect", character=4)
        bob.hear(), ann.hear()
        owing_nothing(ann, bob)
        ann.ask("ChosenSteps", steps=6)
        self.assertEqual((due(ann), due(bob)), (3, 1))

    def test_the_end(self) -> None:
        """Status, winner and CLOSING_GAME are due, and forgotten in the lobby: the next table waits for none of them."""
        _, ann, bob = pair()
        owing_nothing(ann, bob)
        ann.say("Disconnect")
        self.assertEqual(len(bob.hear()), 4)
        self.assertEqual(due(bob), 0)
        ann.connect()
        [waiting] = bob.ask("SetGame", numberOfPlayers=2, expertMode=False)
        ann.ask("JoinAvailableGame", gameId=waiting["gameId"])
        for player in (ann, bob):
            player.client.say(line("Acknowledgement"))
        self.assertNotIn("AvailableTowers", types(bob.hear()))
        bob.client.say(line("Acknowledgement"))
        self.assertEqual(types(bob.hear()), ["AvailableTowers"])


class TogetherTests(SynchronousTestCase):
    def test_surplus_acknowledgements_that_come_together_count_as_one_message(self) -> None:
        """One at a time, each counts; at most sixteen are one message."""
        world, ann, _ = pair({"limits.unlimited": "no", "limits.messages_per_second": "1", "limits.new_burst": "100"})
        world.wait(60)
        acknowledgement = line("Acknowledgement").encode() + b"\n"
        for _ in range(12):
            ann.client.send(16 * acknowledgement)
        self.assertFalse(ann.client.closed)
        for _ in range(12):
            ann.client.send(acknowledgement)
        self.assertTrue(ann.client.closed)


class WaitingTests(SynchronousTestCase):
    def held(self) -> tuple[MemoryHost, Player, Player]:
        """Ann is to be asked for a cloud, and Bob owes something."""
        world, ann, bob = asked_for("MotherNatureSteps")
        bob.habit = never
        self.assertNotIn("SelectCloud", types(ann.ask("ChosenSteps", steps=1)))
        return world, ann, bob

    def test_two_seconds_and_not_longer(self) -> None:
        world, ann, _ = self.held()
        world.wait(1)
        self.assertEqual(types(ann.ask("ChosenCloud", cloud=7)), ["ErrorMessage"])
        world.wait(1)
        self.assertEqual(types(ann.hear()), ["SelectCloud"])
        world.wait(10)
        self.assertEqual(ann.hear(), [])

    def test_an_answer_that_comes_early_is_taken(self) -> None:
        world, ann, bob = self.held()
        self.assertEqual(types(ann.ask("ChosenCloud", cloud=0))[0], "EndOfPlayerRound")
        world.wait(10)
        self.assertNotIn("SelectCloud", types(ann.hear()))
        self.assertIn("MovableStudents", types(bob.hear()))

    def test_who_owes_something_drops(self) -> None:
        _, ann, bob = self.held()
        bob.client.drop()
        self.assertEqual(types(ann.hear()), ["SelectCloud", "PlayerDisconnected"])

    def test_an_answer_counts_as_the_acknowledgement(self) -> None:
        """Of what was said since the request: UpdateLobby, when somebody is back."""
        _, ann, bob = asked_for("WhereToMove")
        bob.client.drop()
        bob.connect()
        ann.habit = lambda player, message: message["type"] == "UpdateBoard"
        self.assertEqual(types(ann.hear()), ["PlayerDisconnected", "UpdateLobby"])
        ann.ask("ChosenDestination", destination=1)
        bob.hear()
        self.assertEqual(types(ann.hear()), ["MovableStudents"])

    def test_the_limit_is_a_setting(self) -> None:
        for seconds in ("0", "0.5"):
            world, ann, bob = pair({"eriantys.ack_seconds": seconds})
            bob.habit = never
            ann.client.drop()
            ann.connect()
            world.wait(float(seconds))
            ann.hear()
            self.assertEqual(types([ann.request or {"type": ""}]), ["AvailableTowers"])


class AfterwardsTests(SynchronousTestCase):
    def test_a_match_that_is_over(self) -> None:
        """A request that waits does not come out after the end, when those who were waited for leave the table."""
        world = MemoryHost(OPEN)
        ann, bob, carl = (Player(world, name, random.Random(1)) for name in ("ann", "bob", "carl"))
        bob.habit = never
        seated(world, (ann, bob, carl), expert=False)
        world.wait(2)
        ann.ask("ChosenTower", tower="BLACK")
        self.assertEqual(types(bob.hear())[-1], "AvailableTowers", "nobody waits for Bob's Acknowledgements any more")
        ann.habit = never
        carl.client.drop()
        carl.connect()
        self.assertEqual(types(ann.hear())[-1], "UpdateLobby")
        self.assertEqual(types(bob.ask("ChosenTower", tower="PINK"))[-1], "ErrorMessage", "Ann is waited for")
        carl.say("Disconnect")
        self.assertEqual(types(bob.hear())[-2:], ["CommunicateWinner", "CommunicationMessage"])

    def test_a_turn_that_is_over(self) -> None:
        """A malformed message that once would have been an answer is answered by its error alone."""
        _, ann, bob = asked_for("SelectCloud")
        ann.ask("ChosenCloud", cloud=0)
        bob.hear(), ann.hear()
        self.assertEqual(types(ann.ask("ChosenCloud", cloud="0")), ["ErrorMessage"])

    def test_a_malformed_log_in(self) -> None:
        client = MemoryHost().connect("eriantys")
        client.heard()
        self.assertEqual(len(client.ask('{"type":"LoginMessage","nickname":null}')), 2)
        self.assertEqual(len(client.ask('{"type":"SetGame"}')), 1)

    def test_a_fault_of_the_host(self) -> None:
        for strict in (False, True):
            world, ann, bob = pair(strict=strict)
            master_of(world)._state = None
            ann.say("ChosenTower", tower="WHITE")
            for player in (ann, bob):
                self.assertEqual(errors(player.hear()), [] if strict else ["INVALID_ACTION"])
            # The match is suspended, and both connections end.
            self.assertEqual(bob.ask("ChosenTower", tower="WHITE"), [])
            self.assertEqual(len(self.flushLoggedErrors()), 1)
            carl = guest(world, "carl")
            self.assertEqual(types(carl.ask("SetGame", numberOfPlayers=2, expertMode=True)), ["WaitingForPlayers"])
