"""Eriantys in a terminal: the contract, the drawing, what is told, and a person's mistakes."""

from typing import Any

from msgspec.structs import replace

from gamehost.games.base import Seat
from gamehost.games.eriantys import messages
from gamehost.games.eriantys.master import ERIANTYS
from gamehost.games.eriantys.messages import MESSAGES
from gamehost.games.eriantys.rules import Character
from gamehost.games.eriantys.text import FORMS, SCREEN
from gamehost.games.screen import MoveRefused, Screen, Style
from gamehost.testing.cases import PropertyCase
from tests.kit.wires.console import ASCII, NAMES, ScreenContract, ScreenMatch, hear, refused, show

_COLOURS = ("yellow", "blue", "green", "red", "pink")

_DRAWING = """\
island       Y B G R P                        cloud          Y B G R P
   1  M      . . . . .                           1           1 2 . . .
   2         . . 1 . .                           2           . . . . .
   3         1 . 1 2 .  2 white  no entry: 1
                                              round 2, 40 students in the bag
                                              8 coins in the supply

                                              character cost Y B G R P
                                              monk      * 2  1 1 2 . .
                                              herbalist   2  tiles: 3
                                              farmer      2

                                              M is Mother Nature.

player               team  towers plays coins entrance  hall (* professor)
                                              Y B G R P  Y  B  G  R  P
you                  black    8     4     5   1 1 2 . 3  10 .  2* .  .
bob                  white    6           1   . . . . .  .  3  .  .  ."""


def heap(*counts: int) -> dict[str, int]:
    return dict(zip(_COLOURS, counts, strict=True))


def board(active: int | None = None, **changes: Any) -> messages.BoardMessage:
    nobody = heap(0, 0, 0, 0, 0)
    players = [
        messages.PlayerMessage("black", 1, 8, True, heap(1, 1, 2, 0, 3), heap(10, 0, 2, 0, 0), ["green"], 5, 8, 4),
        messages.PlayerMessage("white", 2, 6, True, nobody, heap(0, 3, 0, 0, 0), [], 1, 9, None),
    ]
    islands = [
        messages.IslandMessage(1, [1], nobody, None, 0, 0),
        messages.IslandMessage(2, [2], heap(0, 0, 1, 0, 0), None, 0, 0),
        messages.IslandMessage(3, [3, 4], heap(1, 0, 1, 2, 0), "white", 2, 1),
    ]
    cards = [
        messages.CharacterMessage(1, 2, True, heap(1, 1, 2, 0, 0), None),
        messages.CharacterMessage(5, 2, False, None, 3),
        messages.CharacterMessage(2, 2, False, None, None),
    ]
    made = messages.BoardMessage(
        2, players, islands, [heap(1, 2, 0, 0, 0), nobody], 1, dict.fromkeys(_COLOURS), 40, cards, active, 8, [0, 1]
    )
    return replace(made, **changes)


def with_card(character: Character, students: dict[str, int] | None = None, tiles: int | None = None) -> Any:
    return board(characters=[messages.CharacterMessage(character.value, 1, False, students, tiles)])


def asked(request: Any, there: messages.BoardMessage | None = None) -> Screen[Any]:
    screen = SCREEN(0, NAMES[:2])
    statuses = ["MOVE_1", "WAITING"]
    show(screen, messages.View(2, True, there or board(), 0, statuses, {"black": [0], "white": [1]}, request))
    return screen


STUDENT = messages.AskStudentEvent(0, ["yellow", "blue", "green", "green", "pink", "pink", "pink"])


class ScreenTests(ScreenContract, PropertyCase):
    game = ERIANTYS
    messages = MESSAGES
    kind, example = SCREEN, "green to 3"
    seat_counts = (2, 3, 4)
    chosen = ({"expert": "yes"}, {"expert": "no"})
    most_steps = 110


class DrawingTests(PropertyCase):
    def test_the_table(self) -> None:
        there = board(active=1, professors={**dict.fromkeys(_COLOURS), "green": 0})
        self.assertEqual("\n".join(asked(STUDENT, there).draw(ASCII)), _DRAWING)

    def test_in_words(self) -> None:
        lines = asked(STUDENT).draw(Style(words=True))
        for line in (
            "Round 2. There are 40 students in the bag. There are 8 coins in the supply.",
            "Island 1: none; Mother Nature is here.",
            "Island 3: 1 yellow, 1 green, 2 red; towers: 2 white; no-entry tiles: 1.",
            "Cloud 1: 1 yellow, 2 blue.",
            "You (black, 8 towers left). Entrance: 1 yellow, 1 blue, 2 green, 3 pink. Hall:",
            "Character monk (costs 2): 1 yellow, 1 blue, 2 green. Type it as monk green 3.",
        ):
            self.assertIn(line, lines)

    def test_what_is_told(self) -> None:
        screen = asked(STUDENT)
        mine = board().players[0]
        hall = replace(mine, entrance=heap(1, 1, 1, 0, 3), diningRoom=heap(10, 0, 3, 0, 0))
        after = board(players=[hall, board().players[1]], motherNature=3, professors={**board().professors, "green": 0})
        self.assertEqual(
            hear(screen, messages.BoardEvent(after)),
            [
                "You moved a green student to the hall.",
                "You moved Mother Nature 2 steps to island 3.",
                "You now have the green professor.",
            ],
        )
        taken = replace(after, clouds=[heap(0, 0, 0, 0, 0)] * 2)
        self.assertEqual(hear(screen, messages.BoardEvent(taken)), ["You took cloud 1: 1 yellow, 2 blue."])

    def test_events(self) -> None:
        screen = asked(STUDENT)
        island = replace(board().islands[0], tower="black", towers=1)
        for event, told in (
            (messages.StartOfTurnEvent(2, 1), ["It is bob's turn."]),
            (messages.StartOfTurnEvent(2, 0), ["It is your turn."]),
            (messages.PlayedAssistantEvent(1, 7), ["bob played assistant 7."]),
            (messages.PlayedCharacterEvent(0, 5), ["You used the herbalist."]),
            (messages.IslandOwnerEvent(island, 0), ["Island 1 now belongs to black, with 1 tower."]),
            (messages.IslandOwnerEvent(board().islands[2], 1), []),
            (
                messages.NoEntryUsedEvent(3),
                ["A no-entry tile on island 3 was used up, so nobody's influence was counted."],
            ),
            (messages.UnifiedEvent(), ["Islands have merged, and their numbers have changed."]),
            (messages.LastRoundEvent(), ["This is the last round."]),
            (messages.DeniedEvent(0, "FULL_DINING_ROOM", "the table is full"), ["The table is full."]),
            (messages.EndOfRoundEvent(2), ["Round 2 is over."]),
            (messages.StatusEvent(0, "WAITING"), []),
        ):
            self.assertEqual(hear(screen, event), told)
        hear(screen, STUDENT)
        self.assertEqual(screen.prompt_line(), "Move a student of your entrance: blue to hall.")
        hear(screen, messages.SuccessEvent(0))
        self.assertEqual(screen.prompt_line(), "The others play assistants.")
        hear(screen, messages.WonEvent("black", [0], "all towers"))
        self.assertEqual(screen.prompt_line(), "The match is over.")


class TypingTests(PropertyCase):
    def test_ways_to_type(self) -> None:
        where = messages.AskDestinationEvent(0, 3, True)
        for request, texts, notations in (
            (
                messages.AskTowerEvent(0, {"black": 1, "white": 1}, {}),
                ("team white", "tower white", "White"),
                ["tower white"],
            ),
            (messages.AskWizardEvent(0, [1, 3]), ("wizard 3", "3"), ["wizard 3"]),
            (messages.AskAssistantEvent(0, [2, 4], []), ("assistant 4", "4", "play 4"), ["assistant 4"]),
            (STUDENT, ("green to 3", "green 3", "g to island 3", "GREEN 3"), ["student green", "destination 3"]),
            (STUDENT, ("green to hall", "g hall", "green to dining"), ["student green", "destination 0"]),
            (STUDENT, ("green",), ["student green"]),
            (where, ("to 3", "3", "island 3"), ["destination 3"]),
            (where, ("to hall", "hall"), ["destination 0"]),
            (messages.AskStepsEvent(0, 2), ("mother 2", "2", "mother nature 2 steps", "move 2"), ["steps 2"]),
            (messages.AskCloudEvent(0, [0]), ("cloud 1", "1", "take cloud 1"[5:]), ["cloud 0"]),
            (messages.AskCardStudentEvent(0, ["red"], True), ("red", "r"), ["student red"]),
            (messages.AskCardStudentEvent(0, ["red"], True), ("none", "stop"), ["student none"]),
            (messages.AskColourEvent(0), ("pink",), ["student pink"]),
        ):
            for text in texts:
                self.assertEqual(asked(request).read(text), [one.encode() for one in notations], text)

    def test_mistakes(self) -> None:
        for request, text, part in (
            (
                messages.AskTowerEvent(0, {"black": 0, "white": 1}, {}),
                "team black",
                "no place in this team. Choose white.",
            ),
            (messages.AskTowerEvent(0, {"black": 0, "white": 1}, {}), "team pink", "Choose a team: team white."),
            (messages.AskWizardEvent(0, [1, 3]), "wizard 2", "Choose a wizard that nobody has: 1 or 3."),
            (messages.AskAssistantEvent(0, [2, 4, 5], [(1, 4)]), "4", "in this round. You can play 2 or 5."),
            (
                messages.AskAssistantEvent(0, [2, 4], []),
                "assistant 9",
                "You do not have this assistant. You can play 2 or 4.",
            ),
            (messages.AskAssistantEvent(0, [2], []), "green to 3", "You have the assistants 2. Play one: assistant 2."),
            (STUDENT, "red to 3", "There is no red student in your entrance. It has yellow, blue, green and pink."),
            (STUDENT, "green to 4", "There is no such place. Choose hall, or an island from 1 to 3."),
            (STUDENT, "yellow to hall", "Your yellow table is full. Choose an island: yellow to 1."),
            (STUDENT, "hello", "Move a student of your entrance: blue to hall."),
            (messages.AskDestinationEvent(0, 3, False), "hall", "Choose an island from 1 to 3."),
            (messages.AskDestinationEvent(0, 3, True), "green to 3", "Type only where to. Where to? Type: to hall."),
            (messages.AskStepsEvent(0, 2), "mother 3", "Mother Nature walks from 1 to 2 steps now: mother 1."),
            (messages.AskCloudEvent(0, [0]), "cloud 2", "There are no students on that cloud. Take cloud 1."),
            (messages.AskCardStudentEvent(0, ["red", "red"], False), "none", "Choose one of red: red."),
            (
                messages.AskCardStudentEvent(0, ["red"], True),
                "pink",
                "no pink student to choose. Choose one of red, or none",
            ),
            (messages.AskColourEvent(0), "brown", "Choose a colour: yellow."),
        ):
            self.assertIn(part, refused(self, asked(request), text), text)
        other = SCREEN(1, NAMES[:2])
        show(other, messages.View(2, True, board(), 0, ["MOVE_1", "WAITING"], {}))
        self.assertEqual(refused(self, other, "green to 3"), "It is not your turn. ann is to move.")


class CharacterTests(PropertyCase):
    def test_whole_lines(self) -> None:
        heaped = heap(1, 1, 2, 0, 0)
        for character, students, tiles, text, notations in (
            (Character.MONK, heaped, None, "monk green 3", ["student green", "destination 3"]),
            (Character.MONK, heaped, None, "character 1", []),
            (Character.FARMER, None, None, "farmer", []),
            (Character.HERALD, None, None, "herald 3", ["destination 3"]),
            (Character.HERBALIST, None, 1, "herbalist to island 2", ["destination 2"]),
            (
                Character.JESTER,
                heaped,
                None,
                "jester green for pink",
                ["student green", "student pink", "student none"],
            ),
            (
                Character.JESTER,
                heaped,
                None,
                "jester g p g p p y",
                [f"student {colour}" for colour in ("green", "pink", "green", "pink", "pink", "yellow")],
            ),
            (
                Character.MINSTREL,
                None,
                None,
                "minstrel pink for green",
                ["student pink", "student green", "student none"],
            ),
            (Character.PRINCESS, heaped, None, "princess blue", ["student blue"]),
            (Character.HARVESTER, None, None, "harvester red", ["student red"]),
            (Character.THIEF, None, None, "thief red", ["student red"]),
        ):
            screen = asked(STUDENT, with_card(character, students, tiles))
            expected = [f"character {character.value}", *notations]
            self.assertEqual(screen.read(text), [one.encode() for one in expected], text)
            self.assertIn(character.name.lower(), screen.moves(200))

    def test_mistakes(self) -> None:
        """What is seen to be wrong is refused before anything is paid."""
        heaped = heap(1, 1, 2, 0, 0)
        for there, text, part in (
            (board(), "knight", "This character is not in this match. There are monk, herbalist and farmer."),
            (board(active=2), "monk", "You have already used a character in this turn."),
            (with_card(Character.MONK, heaped), "monk red 3", "There is no red student to choose."),
            (with_card(Character.MONK, heaped), "monk green 9", "Choose an island from 1 to 3"),
            (with_card(Character.MONK, heaped), "monk 3", "Type it as monk green 3."),
            (with_card(Character.MONK, heap(0, 0, 0, 0, 0)), "monk", "No student is left on this card."),
            (with_card(Character.HERBALIST, None, 0), "herbalist", "All no-entry tiles are on islands."),
            (with_card(Character.PRINCESS, heap(4, 0, 0, 0, 0)), "princess", "has a seat in the dining room."),
            (with_card(Character.MINSTREL), "minstrel yellow for green", "Your yellow table is full."),
            (with_card(Character.MINSTREL), "minstrel g g g y y g", "from 1 to 2 pairs of colours"),
            (with_card(Character.JESTER, heaped), "jester green for red", "There is no red student to choose."),
        ):
            self.assertIn(part, refused(self, asked(STUDENT, there), text), text)
        poor = [replace(board().players[0], coins=1), board().players[1]]
        self.assertIn(
            "The farmer costs 2, and you have 1.", refused(self, asked(STUDENT, board(players=poor)), "farmer")
        )
        assistant = asked(messages.AskAssistantEvent(0, [2], []))
        self.assertIn("A character is used only while", refused(self, assistant, "farmer"))

    def test_whole_lines_are_legal(self) -> None:
        used: set[str] = set()
        for seed in range(9):
            match = ScreenMatch(ERIANTYS, MESSAGES, SCREEN, 2, {"expert": "yes"}, seed)
            while match.now < 200 and match.master.result is None:
                [seat] = match.asked()
                listed = match.screens[seat].moves(200)
                for text in listed[::-1]:
                    if text.upper() in Character.__members__ and self.typed(
                        match, seat, FORMS[Character[text.upper()]]
                    ):
                        used.add(text)
                        break
                else:
                    # Students in the hall earn coins.
                    match.type(seat, match.rng.choice([text for text in listed if "hall" in text] or listed))
        self.assertGreaterEqual(len(used), 10, used)

    def typed(self, match: ScreenMatch, seat: Seat, text: str) -> bool:
        """Whether the screen takes this; then the host must take it, too."""
        try:
            match.screens[seat].read(text)
        except MoveRefused:
            return False
        match.type(seat, text)
        return True


del ScreenContract
