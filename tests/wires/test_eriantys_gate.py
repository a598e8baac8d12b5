"""Acknowledgements on the JSON wire itself: what is due and what is not, when a request waits, and what ends its waiting."""

import random

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.eriantys.pieces import Character, Status
from gamehost.net.connection import WireFactory
from gamehost.wires.eriantys.conversation import WIRE
from gamehost.wires.eriantys_acks import _GATES
from tests.kit.memory_host import MemoryHost
from tests.kit.wires.eriantys_players import Player, line, never, play, seated
from tests.kit.wires.eriantys_tables import OPEN, asked_for, dealt, laid_out, master_of, moves, pair
from tests.wires.test_eriantys_catalogue import errors, guest, types


def due(player: Player) -> int:
    """How many Acknowledgements a player's client owes."""
    owed: int = player.client.protocol._conversation._client.due  # type: ignore[attr-defined]
    return owed


def owing_nothing(*players: Player) -> None:
    """From here on nobody acknowledges anything; so far everybody has."""
    for player in players:
        player.hear()
        player.habit = never
        assert due(player) == 0, player


class SharedTests(SynchronousTestCase):
    """What the clients at one table share."""

    def test_players_of_two_listeners_share_one_gate(self) -> None:
        """It is the table's and not the listener's, and it is gone with the last player."""
        world = MemoryHost(OPEN)
        ann = guest(world, "ann")
        world.factories["eriantys"] = WireFactory(WIRE, {"ping": "0"}, world.context)
        bob = guest(world, "bob")
        [waiting] = ann.ask("SetGame", numberOfPlayers=2, expertMode=True)
        bob.ask("JoinAvailableGame", gameId=waiting["gameId"])
        gates = [player.client.protocol._conversation._client.gate for player in (ann, bob)]  # type: ignore[attr-defined]
        self.assertIs(*gates)
        self.assertEqual(list(_GATES[world.lobby]), [1])
        ann.client.drop()
        bob.client.drop()
        self.assertEqual(_GATES[world.lobby], {})


class DueTests(SynchronousTestCase):
    """Each message that is due, and none that may be acknowledged only."""

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
        """The board of the set-up and the turn; not the board of the planning phase, SUCCESS or PlayedAssistant."""
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


class WaitingTests(SynchronousTestCase):
    """A request that waits at the gate."""

    def held(self) -> tuple[MemoryHost, Player, Player]:
        """Ann is to be asked for a cloud, and Bob owes something."""
        world, ann, bob = asked_for("MotherNatureSteps")
        bob.habit = never
        self.assertNotIn("SelectCloud", types(ann.ask("ChosenSteps", steps=1)))
        return world, ann, bob

    def test_two_seconds_and_not_longer(self) -> None:
        """A refused answer that comes too early does not make it longer, and the request comes once."""
        world, ann, _ = self.held()
        world.wait(1)
        self.assertEqual(types(ann.ask("ChosenCloud", cloud=7)), ["ErrorMessage"])
        world.wait(1)
        self.assertEqual(types(ann.hear()), ["SelectCloud"])
        world.wait(10)
        self.assertEqual(ann.hear(), [])

    def test_an_answer_that_comes_early_is_taken(self) -> None:
        """Both sides pipeline: the request is not made any more."""
        world, ann, bob = self.held()
        self.assertEqual(types(ann.ask("ChosenCloud", cloud=0))[0], "EndOfPlayerRound")
        world.wait(10)
        self.assertNotIn("SelectCloud", types(ann.hear()))
        self.assertIn("MovableStudents", types(bob.hear()))

    def test_who_owes_something_drops(self) -> None:
        """Nobody waits for who is not there."""
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
        """`eriantys.ack_seconds`; 0: nobody is waited for."""
        for seconds in ("0", "0.5"):
            world, ann, bob = pair({"eriantys.ack_seconds": seconds})
            bob.habit = never
            ann.client.drop()
            ann.connect()
            world.wait(float(seconds))
            ann.hear()
            self.assertEqual(types([ann.request or {"type": ""}]), ["AvailableTowers"])


class AfterwardsTests(SynchronousTestCase):
    """What is not asked any more is not asked again."""

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
        """Is a refused one: a name is asked for again; any other malformed message changes nothing."""
        client = MemoryHost().connect("eriantys")
        client.heard()
        self.assertEqual(len(client.ask('{"type":"LoginMessage","nickname":null}')), 2)
        self.assertEqual(len(client.ask('{"type":"SetGame"}')), 1)

    def test_a_fault_of_the_host(self) -> None:
        """Both are told, in words of ours alone; nothing more is accepted, and the others play on."""
        for strict in (False, True):
            world, ann, bob = pair(strict=strict)
            master_of(world)._state = None
            ann.say("ChosenTower", tower="WHITE")
            for player in (ann, bob):
                self.assertEqual(errors(player.hear()), [] if strict else ["INVALID_ACTION"])
            self.assertEqual(errors(bob.ask("ChosenTower", tower="WHITE")), ["INVALID_ACTION"])
            self.assertEqual(len(self.flushLoggedErrors()), 1)
            carl = guest(world, "carl")
            self.assertEqual(types(carl.ask("SetGame", numberOfPlayers=2, expertMode=True)), ["WaitingForPlayers"])
