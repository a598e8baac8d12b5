"""What one client of the wire of Java objects hears when: pace, errors, characters, ends, and those who come back."""

from collections.abc import Mapping

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.base import Seat
from gamehost.games.eriantys.phases import Play
from gamehost.games.eriantys.pieces import Character, Colour, Status, Tower
from gamehost.games.eriantys.values import evolve
from tests.kit.games.eriantys_table import acting, at, circle, new_position, rich, with_islands
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.wires.eriantys_tables import master_of, with_effect

WIRE = "eriantys-java"
#: Nothing is held back, and nobody is disconnected for silence.
QUICK = {f"{WIRE}.pace": "0", f"{WIRE}.ack_seconds": "0", f"{WIRE}.ping": "0", "eriantys.ping": "0"}


def kinds(lines: list[str]) -> list[str]:
    """What was heard, by its names: `MOVE_1` for a status, `FULL_GAME` for an error."""
    words = [line.split(" ") for line in lines if not line.startswith("winReason")]
    return [one[-1].split("=")[-1] if one[0] in ("PlayerStatusMessage", "ErrorMessage") else one[0] for one in words]


class ConversationCase(SynchronousTestCase):
    """Tables of two."""

    def at_table(self, settings: Mapping[str, str] = QUICK, other: str = WIRE) -> tuple[MemoryHost, Client, Client]:
        """Ann and Bob at a table of the expert game; Ann is asked for a team."""
        host = MemoryHost({"limits.unlimited": "yes", **settings})
        ann, bob = host.connect(WIRE), host.connect(other)
        ann.say("LoginMessage nickname=ann", "SetGame expertMode=true numberOfPlayers=2")
        if other == WIRE:
            bob.say("LoginMessage nickname=bob", "JoinAvailableGame gameID=1")
        else:
            bob.say('{"type":"LoginMessage","nickname":"bob"}', '{"type":"JoinAvailableGame","gameId":1}')
        host.wait(0.1)
        ann.heard(), bob.heard()
        return host, ann, bob

    def dealt(self, settings: Mapping[str, str] = QUICK) -> tuple[MemoryHost, Client, Client]:
        """The same after the deal."""
        host, ann, bob = self.at_table(settings)
        for client, words in ((ann, "ChosenTower color=BLACK"), (bob, "ChosenTower color=WHITE")):
            client.say(words)
        for client, number in ((ann, 1), (bob, 2)):
            client.say(f"ChosenWizard wizardID={number}")
        ann.heard(), bob.heard()
        return host, ann, bob

    def laid(self, state: Play, settings: Mapping[str, str] = QUICK) -> tuple[MemoryHost, Client, Client, list[str]]:
        """The match goes on from a position in which Ann is asked; she has come back. And what she was told then."""
        host, ann, bob = self.dealt(settings)
        master_of(host)._state = state
        ann.drop()
        bob.heard()
        ann = host.connect(WIRE)
        ann.say("LoginMessage nickname=ann", "JoinAvailableGame gameID=1")
        host.wait(0)
        return host, ann, bob, kinds(ann.heard())[2:]


class PaceTests(ConversationCase):
    """What is held back."""

    settings: Mapping[str, str] = {f"{WIRE}.ping": "0", "eriantys.ping": "0"}

    def test_an_ack_releases_what_is_held_back(self) -> None:
        """Behind a board nothing comes until the Ack, and then after 30 ms; without an Ack after 10.5 s."""
        host, ann, bob = self.dealt(self.settings)
        host.wait(0.03)
        self.assertEqual(kinds(ann.heard())[-1], "UpdateBoard")
        ann.say("Ack")
        self.assertEqual(ann.heard(), [])
        host.wait(0.03)
        self.assertEqual(kinds(ann.heard()), ["StartOfPlayerRound", "UpdateBoard"])
        self.assertEqual(kinds(bob.heard()), ["SUCCESS", "SUCCESS", "UpdateBoard"])
        host.wait(10.46)
        self.assertEqual(bob.heard(), [])
        host.wait(0.02)
        self.assertEqual(kinds(bob.heard()), ["StartOfPlayerRound", "UpdateBoard"])

    def test_other_messages_do_not_release_it(self) -> None:
        """Nor do they make it longer."""
        host, ann, _ = self.dealt(self.settings)
        host.wait(0.03)
        ann.heard()
        for words in ("Pong", "RequestGames", "ChosenSteps steps=1"):
            ann.say(words)
        host.wait(1)
        self.assertEqual(ann.heard(), [])
        ann.say("Ack")
        host.wait(0.03)
        self.assertEqual(kinds(ann.heard()), ["StartOfPlayerRound", "UpdateBoard"])

    def test_a_request_that_was_answered_is_not_sent(self) -> None:
        """Bob answers before the host could ask him: he is not asked behind that."""
        state = at(new_position(2), Status.MOVE_3)
        _, ann, _, told = self.laid(state, {**QUICK, f"{WIRE}.ack_seconds": "10.5"})
        self.assertEqual(told, ["JoinAlreadyExistingGame", "UpdateBoard"])
        ann.say("ChosenCloud cloud=0")
        ann.say("Ack")
        # SelectCloud is dropped. MOVE_3 is no request.
        self.assertEqual(kinds(ann.heard()), ["StartOfPlayerRound", "MOVE_3"])

    def test_the_json_wire_waits_for_acks(self) -> None:
        """A request to its player waits until Ann has acknowledged, and for two seconds at most."""
        _, ann, bob = self.at_table(other="eriantys")
        for client, words in ((ann, "ChosenTower color=BLACK"), (bob, '{"type":"ChosenTower","tower":"WHITE"}')):
            client.say(words)
        ann.say("ChosenWizard wizardID=1")
        bob.say('{"type":"ChosenWizard","wizardId":2}')
        ack = '{"type":"Acknowledgement"}'
        # Ann is asked first. Her Acks for two boards and PLANNING are due, and those for what she is told then.
        ann.say("PlayAssistant assistant=FOX")
        bob.say(*[ack] * 12)
        self.assertNotIn("AvailableAssistants", " ".join(bob.heard()))
        ann.say(*["Ack"] * 4)
        self.assertNotIn("AvailableAssistants", " ".join(bob.heard()))
        ann.say("Ack")
        self.assertIn("AvailableAssistants", " ".join(bob.heard()))


class ConnectionTests(ConversationCase):
    """Pings, silence and limits."""

    def test_pings_and_silence(self) -> None:
        """The first Ping comes within a second, the others every two; after 15 s without a byte the client is lost."""
        host = MemoryHost()
        client = host.connect(WIRE)
        client.heard()
        told = []
        for _ in range(14):
            host.wait(1)
            told += [len(client.heard())]
        self.assertEqual(told, [1, 0] * 7)
        self.assertFalse(client.closed)
        client.say("Pong")
        for _ in range(14):
            host.wait(1)
        self.assertFalse(client.closed)
        host.wait(1)
        host.wait(2)
        self.assertTrue(client.closed)

    def test_twenty_refusals_end_the_connection(self) -> None:
        """Within twenty seconds, as on all wires."""
        host = MemoryHost(QUICK)
        client = host.connect(WIRE)
        for _ in range(19):
            client.say("ChosenSteps steps=1")
        self.assertFalse(client.closed)
        client.say("ChosenSteps steps=1")
        host.wait(2)
        self.assertTrue(client.closed)

    def test_bytes_that_are_no_message_end_it(self) -> None:
        """Nothing is said, and a seat is kept."""
        host, ann, bob = self.at_table()
        ann.say("bytes 73 75")
        host.wait(2)
        self.assertTrue(ann.closed)
        self.assertEqual((ann.heard(), bob.heard()), ([], ["PlayerDisconnected nickname=ann"]))

    def test_a_table_that_nobody_joins_is_closed(self) -> None:
        """The client is told so, and can create another game."""
        host = MemoryHost({**QUICK, "limits.open_table_seconds": "60"})
        ann = host.connect(WIRE)
        ann.say("LoginMessage nickname=ann", "SetGame expertMode=true numberOfPlayers=2")
        ann.heard()
        host.wait(60)
        self.assertEqual(ann.heard(), ["CLOSING_GAME"])
        self.assertEqual(ann.ask("SetGame expertMode=true numberOfPlayers=2"), ["WaitingForPlayers gameID=2"])


class CharacterTests(ConversationCase):
    """Characters, as the published client uses them."""

    def test_one_without_questions(self) -> None:
        """PlayedCharacter stands for SUCCESS; then the board, and the request again. The card says who has used it."""
        _, ann, bob, _ = self.laid(acting(rich(Character.KNIGHT), Status.MOVE_1))
        self.assertEqual(
            kinds(ann.ask("UseCharacterEffect character=Char8")), ["PlayedCharacter", "UpdateBoard", "MovableStudents"]
        )
        self.assertEqual(kinds(bob.heard()), ["PlayedCharacter", "UpdateBoard"])

    def test_a_refused_one(self) -> None:
        """The error alone; the request is still open. In the second turn of a match it may be too expensive."""
        _, ann, _, _ = self.laid(acting(rich(Character.KNIGHT, coins=0), Status.MOVE_1))
        self.assertEqual(kinds(ann.ask("UseCharacterEffect character=Char8")), ["NOT_ENOUGH_COINS"])
        self.assertEqual(kinds(ann.ask("UseCharacterEffect character=Char9")), ["INVALID_INPUT"])
        self.assertEqual(kinds(ann.ask("UseCharacterEffect character=null")), ["INVALID_INPUT"])
        self.assertEqual(kinds(ann.ask("ChosenStudent student=PINK")), ["WhereToMove"])

    def test_the_fault_of_the_published_client(self) -> None:
        """An island for character 1 before a student: the first student of the card goes there."""
        _, ann, _, _ = self.laid(acting(rich(Character.MONK), Status.MOVE_1))
        ann.ask("UseCharacterEffect character=Char1")
        self.assertEqual(
            kinds(ann.ask("ChosenDestination destination=1")), ["SUCCESS", "UpdateBoard", "MovableStudents"]
        )

    def test_the_fault_with_an_island_that_is_none(self) -> None:
        """The student is chosen, and the client asks for another island by itself."""
        _, ann, _, _ = self.laid(acting(rich(Character.MONK), Status.MOVE_1))
        ann.ask("UseCharacterEffect character=Char1")
        self.assertEqual(kinds(ann.ask("ChosenDestination destination=13")), ["INVALID_INPUT"])
        self.assertEqual(kinds(ann.ask("ChosenDestination destination=1"))[0], "SUCCESS")

    def test_swaps_that_stop(self) -> None:
        """SUCCESS and a board come behind the stop, after one swap as after none."""
        for swaps in (0, 1):
            host, ann, bob, _ = self.laid(acting(rich(Character.JESTER), Status.MOVE_2))
            ann.ask("UseCharacterEffect character=Char7")
            card = next(card for card in master_of(host)._state.position.cards)
            colour = next(one for one in Colour if card.students[one])
            for _ in range(swaps):
                ann.say(f"ChosenStudent student={colour.name}")
                self.assertEqual(
                    kinds(ann.ask("ChosenStudent student=PINK"))[-2:], ["UpdateBoard", "MovableStudentsChar"]
                )
            told = kinds(ann.ask("ChosenStudent student=null"))
            self.assertEqual(told[-3:], ["SUCCESS", "UpdateBoard", "MotherNatureSteps"])
            bob.heard()


class RefusalTests(ConversationCase):
    """What comes behind a refused answer: nothing, unless the published clients have put away what they were asked."""

    def test_the_set_up(self) -> None:
        """Their windows have no buttons left until they are asked again."""
        _, ann, bob = self.at_table()
        for words in ("color=GREY", "color=null"):
            self.assertEqual(kinds(ann.ask(f"ChosenTower {words}"))[1:], ["AvailableTowers"])
        ann.say("ChosenTower color=BLACK")
        bob.say("ChosenTower color=WHITE")
        ann.heard()
        self.assertEqual(kinds(ann.ask("ChosenWizard wizardID=5")), ["INVALID_INPUT", "AvailableWizards"])

    def test_assistants(self) -> None:
        """The error alone, whatever was wrong."""
        _, ann, bob = self.dealt()
        ann.say("PlayAssistant assistant=FOX")
        self.assertEqual(kinds(bob.heard())[-1], "AvailableAssistants")
        for assistant, error in (("null", "INVALID_INPUT"), ("FOX", "INVALID_ASSISTANT")):
            self.assertEqual(kinds(bob.ask(f"PlayAssistant assistant={assistant}")), [error])

    def test_in_a_turn(self) -> None:
        """The error alone; only a destination in Move 1 leads back to the student, which is another question."""
        for stage, words, told in (
            (Status.MOVE_1, "ChosenStudent student=null", ["INVALID_INPUT"]),
            (Status.MOVE_2, "ChosenSteps steps=0", ["INVALID_INPUT"]),
            (Status.MOVE_3, "ChosenCloud cloud=9", ["INVALID_INPUT"]),
            (Status.MOVE_3, "ChosenSteps steps=1", ["INVALID_ACTION"]),
        ):
            _, ann, _, _ = self.laid(at(new_position(2), stage))
            self.assertEqual(kinds(ann.ask(words)), told, words)
        _, ann, _, _ = self.laid(at(new_position(2), Status.MOVE_1))
        ann.ask("ChosenStudent student=PINK")
        self.assertEqual(kinds(ann.ask("ChosenDestination destination=13")), ["INVALID_INPUT", "MovableStudents"])

    def test_characters(self) -> None:
        """Swaps are asked for again: the text client has put its list away. The others know what they were asked."""
        for character, words, told in (
            (Character.MONK, "ChosenStudent student=null", ["INVALID_INPUT"]),
            (Character.HERALD, "ChosenDestination destination=0", ["INVALID_INPUT"]),
            (Character.HERBALIST, "ChosenDestination destination=13", ["INVALID_INPUT"]),
            (Character.HARVESTER, "ChosenStudent student=null", ["INVALID_INPUT"]),
            (Character.PRINCESS, "ChosenStudent student=null", ["INVALID_INPUT"]),
            (Character.THIEF, "ChosenStudent student=null", ["INVALID_INPUT"]),
        ):
            _, ann, _, _ = self.laid(acting(rich(character), Status.MOVE_1))
            ann.ask(f"UseCharacterEffect character=Char{character.value}")
            self.assertEqual(kinds(ann.ask(words)), told, character)
        _, ann, _, _ = self.laid(acting(rich(Character.JESTER), Status.MOVE_1))
        asked = ann.ask("UseCharacterEffect character=Char7")
        first = asked[-1].split("[")[1].split(" ")[0].rstrip("]")
        ann.ask(f"ChosenStudent student={first}")
        self.assertEqual(kinds(ann.ask("ChosenStudent student=null")), ["INVALID_INPUT", "MovableStudentsChar"])

    def test_a_request_that_was_not_told_yet(self) -> None:
        """It is told in front of the refusal: nothing follows that, and the client knows what it is asked."""
        _, ann, _, told = self.laid(
            at(new_position(2), Status.MOVE_2), {**QUICK, f"{WIRE}.ack_seconds": "10.5", "eriantys.ping": "0"}
        )
        self.assertEqual(told, ["JoinAlreadyExistingGame", "UpdateBoard"])
        ann.say("ChosenSteps steps=99", "Ack", "Ack")
        self.assertEqual(kinds(ann.heard()), ["StartOfPlayerRound", "MOVE_2", "MotherNatureSteps", "INVALID_INPUT"])


class SecretsTests(ConversationCase):
    """What a player may not know."""

    def test_bag_and_hands_change_no_byte(self) -> None:
        """With another bag of the same size, and another hand of the other player, Ann is sent the same bytes."""
        sent = []
        for bag, hand in (((10, 0, 0, 0, 96), (1, 2, 3)), ((0, 50, 50, 6, 0), (4, 9, 10))):
            position = evolve(rich(Character.KNIGHT, Character.THIEF), bag=bag)
            position = evolve(position, hands=(position.hands[0], hand))
            _, ann, _, told = self.laid(acting(position, Status.MOVE_1))
            said = bytearray()
            for words in (
                *("UseCharacterEffect character=Char8", "ChosenStudent student=RED", "ChosenDestination destination=0"),
                *("ChosenStudent student=PINK", "ChosenDestination destination=2", "ChosenStudent student=BLUE"),
                *("ChosenDestination destination=13", "ChosenStudent student=BLUE", "ChosenDestination destination=3"),
                *("ChosenSteps steps=2", "ChosenCloud cloud=0"),
            ):
                ann.say(words)
                said += ann.transport.read()
            sent.append((told, bytes(said)))
        self.assertGreater(len(sent[0][1]), 20_000)
        self.assertEqual(sent[0], sent[1])


class EndTests(ConversationCase):
    """How a match ends."""

    def walked(self, *groups: tuple[int, Tower | None], towers: int) -> list[str]:
        """What Ann is told behind her steps to the second island, which is hers then."""
        position = with_islands(new_position(2), circle(*groups))
        island = evolve(position.islands[1], students=(3, 0, 0, 0, 0))
        position = evolve(position.with_island(1, island), professors=(Seat(0), None, None, None, None))
        schools = [evolve(school, towers=towers) for school in position.schools]
        position = evolve(position, schools=(schools[0], evolve(schools[1], towers=8)))
        _, ann, bob, _ = self.laid(at(position, Status.MOVE_2))
        told = ann.ask("ChosenSteps steps=1")
        self.assertIn("CommunicateWinner", kinds(bob.heard()))
        return told

    def test_the_last_tower(self) -> None:
        """END_MOVE_2 comes before the winner: the client waits for it. Nothing comes behind it."""
        told = self.walked((1, None), (1, None), *[(1, None)] * 10, towers=1)
        self.assertEqual(kinds(told), ["IslandOwner", "UpdateBoard", "END_MOVE_2", "CommunicateWinner"])
        self.assertEqual(told[-1], "winReason LAST_TOWER_BUILD")

    def test_three_groups(self) -> None:
        """The reason says what decided."""
        told = self.walked((4, Tower.BLACK), (1, None), (3, Tower.WHITE), (4, None), towers=4)
        self.assertEqual(
            kinds(told), ["IslandOwner", "UNIFIED_ISLANDS", "UpdateBoard", "END_MOVE_2", "CommunicateWinner"]
        )
        self.assertEqual(told[-1], "winReason THREE_ISLANDS_REMAINING_TOWER")

    def test_an_action_that_crosses_with_the_end(self) -> None:
        """It is not answered: an error would wake a client that is about to close."""
        _, ann, bob, _ = self.laid(at(new_position(2), Status.MOVE_2))
        bob.say("Disconnect")
        self.assertEqual(kinds(ann.heard()), ["PlayerDisconnected", "CommunicateWinner"])
        self.assertEqual(ann.ask("ChosenSteps steps=1"), [])
        self.assertEqual(kinds(ann.ask("ChosenSteps steps=1")), ["INVALID_ACTION"])


class ComingBackTests(ConversationCase):
    """In the middle of whatever."""

    def test_at_plain_requests(self) -> None:
        """The status of the open request, and the request; SelectCloud before MOVE_3."""
        begun = ["JoinAlreadyExistingGame", "UpdateBoard", "StartOfPlayerRound"]
        for stage, told in (
            (Status.MOVE_1, ["MOVE_1", "MovableStudents"]),
            (Status.MOVE_2, ["MOVE_2", "MotherNatureSteps"]),
            (Status.MOVE_3, ["SelectCloud", "MOVE_3"]),
        ):
            self.assertEqual(self.laid(at(new_position(2), stage))[3], begun + told)

    def test_in_the_middle_of_a_character(self) -> None:
        """The host finishes it, and the client is told nothing of that."""
        for character in (
            *(Character.MONK, Character.HERALD, Character.HERBALIST, Character.JESTER, Character.HARVESTER),
            *(Character.MINSTREL, Character.PRINCESS, Character.THIEF),
        ):
            host, ann, _, told = self.laid(with_effect(character))
            self.assertEqual(
                told,
                ["JoinAlreadyExistingGame", "UpdateBoard", "StartOfPlayerRound", "MOVE_1", "MovableStudents"],
                character,
            )
            self.assertIsNone(master_of(host)._state.effect)
            self.assertEqual(kinds(ann.ask("ChosenStudent student=PINK")), ["WhereToMove"])

    def test_who_is_not_asked(self) -> None:
        """WAITING, and the words of the other's turn from then on."""
        host, ann, bob, _ = self.laid(at(new_position(2), Status.MOVE_2))
        bob.drop()
        bob = host.connect(WIRE)
        bob.say("LoginMessage nickname=bob", "RequestGames", "JoinAvailableGame gameID=1")
        self.assertEqual(
            kinds(bob.heard())[2:],
            ["AvailableGames", "JoinAlreadyExistingGame", "UpdateBoard", "StartOfPlayerRound", "WAITING"],
        )
        self.assertEqual(kinds(ann.heard()), ["PlayerDisconnected"])

    def test_the_seat_counts_as_away_until_the_game_is_joined(self) -> None:
        """A client that logs in and does not join loses the match with the grace time, and is free then."""
        host, ann, bob, _ = self.laid(at(new_position(2), Status.MOVE_2))
        ann.drop()
        host.wait(30)
        ann = host.connect(WIRE)
        ann.say("LoginMessage nickname=ann")
        host.wait(31)
        self.assertEqual(kinds(bob.heard()), ["PlayerDisconnected", "CommunicateWinner"])
        ann.heard()
        self.assertEqual(ann.ask("RequestGames"), ["AvailableGames availableGames=[]"])

    def test_the_end_was_missed(self) -> None:
        """Both had gone, and time ran out for one of them after the other came back: the one who joins late hears the end."""
        host, ann, bob, _ = self.laid(at(new_position(2), Status.MOVE_2))
        ann.drop()
        host.wait(61)
        again = host.connect(WIRE)
        again.say("LoginMessage nickname=ann", "RequestGames")
        self.assertEqual(again.heard()[-1], "AvailableGames availableGames=[]")
        self.assertEqual(kinds(bob.heard())[-1], "CommunicateWinner")
