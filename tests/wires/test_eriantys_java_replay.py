"""A recorded game of a published client, sent to the host again byte by byte as the client sent it."""

from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.eriantys import events as e
from gamehost.games.eriantys.characters import EFFECTS
from gamehost.games.eriantys.pieces import Character, Colour, plus
from gamehost.games.eriantys.position import Card, Position
from gamehost.games.eriantys.values import evolve
from gamehost.wires.eriantys_java import messages as m
from gamehost.wires.eriantys_java.codec import BoardCache, JavaCodec
from gamehost.wires.eriantys_java.messages import Message
from gamehost.wires.eriantys_java.values import Assistant
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.wires.eriantys_java_vectors import segments
from tests.kit.wires.eriantys_tables import master_of

WIRE = "eriantys-java"
SETTINGS = {f"{WIRE}.pace": "0", f"{WIRE}.ack_seconds": "0", f"{WIRE}.ping": "0", "limits.unlimited": "yes"}
ANN, BOB = 0, 1
#: What a client says in a match, but for Acks and Pongs.
ACTIONS = (m.PlayAssistant, m.ChosenStudent, m.ChosenDestination, m.ChosenSteps, m.ChosenCloud, m.UseCharacterEffect)


def pieces() -> list[tuple[bytes, list[Message]]]:
    """The recorded segments, and the messages that end in each."""
    codec, found = JavaCodec(BoardCache()), []
    for segment in segments():
        found.append((segment, list(codec.feed(segment))))
    return found


def exchanged(heap: tuple[int, ...], colour: Colour) -> tuple[int, ...]:
    """The heap with a student of this colour in the place of another one, if it has none."""
    if heap[colour]:
        return heap
    other = max(Colour, key=lambda one: heap[one])
    return plus(plus(heap, other, -1), colour)


def new_card(character: Character) -> Card:
    """A card as it lies on the table at first, without students."""
    return Card(character, 1, no_entry_tiles=EFFECTS[character].no_entry_tiles)


class ReplayTests(SynchronousTestCase):
    """
    The dice of the recorded game are not known. So before each answer the table is laid so that the answer is legal, and
    nobody has professors: then no island changes its owner, and all twelve stay.
    """

    def setUp(self) -> None:
        self.host = MemoryHost(SETTINGS)
        self.ann = self.host.connect(WIRE)
        self.ann.say("LoginMessage nickname=ann", "SetGame expertMode=true numberOfPlayers=2")
        self.bob: Client = self.host.connect(WIRE)
        self.told: list[str] = []

    def test_a_whole_game(self) -> None:
        """Every message is accepted, in the segments in which it came, and the match comes to its end."""
        recorded = pieces()
        cards = [one.assistant for _, messages in recorded for one in messages if isinstance(one, m.PlayAssistant)]
        self.cards = [list(Assistant).index(card) + 1 for card in cards if card is not None]
        accepted = 0
        for segment, messages in recorded:
            acts = [message for message in messages if isinstance(message, ACTIONS)]
            if acts:
                self.lay(acts[0])
                before = self.entries()
            self.bob.send(segment)
            self.host.wait(0.2)
            if acts:
                self.assertEqual(self.entries(), before + 1, acts)
                accepted += 1
            elif not self.bob.closed:
                self.prepare(messages)
        while self.host.lobby.tables:
            self.ann_acts()
        self.assertEqual(accepted, 97)
        self.told += self.bob.heard()
        self.assertTrue(any(line.startswith("CommunicateWinner") for line in self.told))
        self.assertEqual([line for line in self.told if line.startswith("ErrorMessage")], [])
        self.assertFalse(self.bob.closed)

    def entries(self) -> int:
        """How many entries the journal has."""
        return sum(map(len, self.host.journal.entries.values()))

    def prepare(self, messages: list[Message]) -> None:
        """Ann's part of the set-up."""
        self.told += self.bob.heard()
        if any(isinstance(message, m.JoinAvailableGame) for message in messages):
            self.ann.say("ChosenTower color=WHITE")
        if any(isinstance(message, m.ChosenTower) for message in messages):
            self.ann.say("ChosenWizard wizardID=2")

    def lay(self, message: Message) -> None:
        """Have Bob be asked, and make his answer legal."""
        master = master_of(self.host)
        while master.request.seat != BOB:
            self.ann_acts()
        state = master._state
        position = self.with_cards(evolve(state.position, professors=(None,) * 5))
        request = state.request
        if isinstance(message, m.ChosenStudent) and message.student is not None:
            position = self.with_student(position, request, Colour[message.student.name])
        if isinstance(message, m.ChosenCloud) and not any(position.clouds[message.cloud]):
            position = evolve(position, clouds=position.clouds[::-1])
        state = evolve(state, position=position)
        master._state = evolve(state, request=self.request(state, request))

    def with_cards(self, position: Position) -> Position:
        """The two characters that Bob uses, and as many coins as he needs."""
        wanted = {Character.MINSTREL, *self.others()}
        more = [one for one in (Character.KNIGHT, Character.FARMER, Character.CENTAUR) if one not in wanted]
        laid = {card.character: card for card in position.cards}
        cards = tuple(laid.get(one) or new_card(one) for one in [*sorted(wanted), *more][:3])
        school = evolve(position.schools[BOB], coins=9)
        return evolve(position, cards=cards, schools=(position.schools[ANN], school))

    def others(self) -> set[Character]:
        """The characters of the recording."""
        used = [one for _, messages in pieces() for one in messages if isinstance(one, m.UseCharacterEffect)]
        return {Character(int(one.character.name.removeprefix("Char"))) for one in used if one.character is not None}

    def with_student(self, position: Position, request: e.Ask, colour: Colour) -> Position:
        """A student of this colour where it is chosen from."""
        school = position.schools[BOB]
        from_dining = isinstance(request, e.AskCardStudent) and request.students == school.dining
        if from_dining:
            school = evolve(school, dining=exchanged(school.dining, colour))
        else:
            school = evolve(school, entrance=exchanged(school.entrance, colour))
        return evolve(position, schools=(position.schools[ANN], school))

    def request(self, state: Any, request: e.Ask) -> e.Ask:
        """The open request with what is true now."""
        school = state.position.schools[BOB]
        if isinstance(request, e.AskStudent):
            return evolve(request, students=school.entrance)
        if isinstance(request, e.AskCardStudent):
            was_dining = state.effect.picked is not None
            return evolve(request, students=school.dining if was_dining else school.entrance)
        if isinstance(request, e.AskCloud):
            full = tuple(place for place, cloud in enumerate(state.position.clouds) if any(cloud))
            return evolve(request, clouds=full)
        return request

    def ann_acts(self) -> None:
        """Ann answers what she is asked: with a card that Bob does not play in this round."""
        master = master_of(self.host)
        state = master._state
        master._state = evolve(state, position=evolve(state.position, professors=(None,) * 5))
        request = master.request
        match request:
            case e.AskAssistant(_, hand):
                bobs = self.cards[state.position.round - 1]
                card = next((one for one in hand if one != bobs), hand[0])
                self.ann.say(f"PlayAssistant assistant={list(Assistant)[card - 1].name}")
            case e.AskStudent(_, students):
                colour = next(one for one in Colour if students[one])
                self.ann.say(f"ChosenStudent student={colour.name}")
            case e.AskDestination():
                self.ann.say("ChosenDestination destination=7")
            case e.AskSteps():
                self.ann.say("ChosenSteps steps=1")
            case e.AskCloud(_, clouds):
                self.ann.say(f"ChosenCloud cloud={clouds[-1]}")
        self.ann.heard()
        self.told += self.bob.heard()
