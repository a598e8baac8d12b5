"""Eriantys as other programs see it."""

import random
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from gamehost.games.base import Seat
from gamehost.games.eriantys import events
from gamehost.games.eriantys.events import ChooseTower, RuleFault, read
from gamehost.games.eriantys.master import Eriantys
from gamehost.games.eriantys.messages import MESSAGES
from gamehost.games.eriantys.rules import Character, Island, Status, Tower
from gamehost.testing.cases import PropertyCase
from tests.games.test_eriantys_master import ExpertMasterTests, NormalMasterTests
from tests.kit.drawn_matches import MessagesContract
from tests.kit.games.eriantys import Dice, any_action

ONE = Seat(1)


def text(event: Any) -> str:
    """An event as JSON."""
    return msgspec.json.encode(MESSAGES.event(event)).decode()


class NormalMessagesTests(MessagesContract, PropertyCase):
    """The contract, without characters."""

    messages = MESSAGES
    player = NormalMasterTests()


class MessagesTests(MessagesContract, PropertyCase):
    """The contract with characters, and each message to the letter."""

    messages = MESSAGES
    player = ExpertMasterTests()

    def test_requests(self) -> None:
        """Their keys are the documented ones; the values can be sent back."""
        heap = (0, 1, 0, 2, 0)
        for ask, expected in (
            (
                events.AskTower(ONE, (1, 0), ((), (Seat(0),))),
                '{"kind":"ask-tower","seat":1,"availableTowers":{"black":1,"white":0},'
                '"currentTeams":{"black":[],"white":[0]}}',
            ),
            (events.AskWizard(ONE, (2, 4)), '{"kind":"ask-wizard","seat":1,"availableWizards":[2,4]}'),
            (
                events.AskAssistant(ONE, (3, 9), ((Seat(0), 5),)),
                '{"kind":"ask-assistant","seat":1,"availableAssistants":[3,9],"playedAssistants":[[0,5]]}',
            ),
            (events.AskStudent(ONE, heap), '{"kind":"ask-student","seat":1,"students":["blue","red","red"]}'),
            (
                events.AskDestination(ONE, 12, True),
                '{"kind":"ask-destination","seat":1,"islands":12,"diningRoom":true}',
            ),
            (events.AskSteps(ONE, 3), '{"kind":"ask-steps","seat":1,"maxStepsAllowed":3}'),
            (events.AskCloud(ONE, (0, 1)), '{"kind":"ask-cloud","seat":1,"clouds":[0,1]}'),
            (
                events.AskCardStudent(ONE, heap, True),
                '{"kind":"ask-card-student","seat":1,"students":["blue","red","red"],"mayStop":true}',
            ),
            (events.AskColour(ONE), '{"kind":"ask-colour","seat":1}'),
        ):
            self.assertEqual(text(ask), expected)
        for answer in ("tower black", "wizard 2", "assistant 3", "student red", "student none", "steps 1", "cloud 0"):
            self.assertTrue(read(answer.encode()))

    def test_events(self) -> None:
        """Numbers as the game counts them; seats for players."""
        island = Island((3, 4), (0, 0, 0, 1, 0), Tower.GREY, 2)
        students = '{"yellow":0,"blue":0,"green":0,"red":1,"pink":0}'
        shown = f'"number":3,"members":[3,4],"students":{students},"tower":"grey","towers":2,"noEntryTiles":0'
        for event, expected in (
            (events.MatchStarted(3, True), '{"kind":"started","seats":3,"expert":true}'),
            (events.Success(ONE), '{"kind":"success","seat":1}'),
            (
                events.Denied(ONE, RuleFault.FULL_DINING_ROOM, "full"),
                '{"kind":"denied","seat":1,"error":"FULL_DINING_ROOM","detail":"full"}',
            ),
            (events.PlayerStatus(ONE, Status.MOVE_2), '{"kind":"status","seat":1,"playerStatus":"MOVE_2"}'),
            (events.StartOfTurn(4, ONE), '{"kind":"start-of-turn","round":4,"seat":1}'),
            (events.PlayedAssistant(ONE, 9), '{"kind":"played-assistant","seat":1,"assistant":9}'),
            (events.PlayedCharacter(ONE, Character.MONK), '{"kind":"played-character","seat":1,"character":1}'),
            (events.IslandOwner(3, island, None), f'{{"kind":"island-owner","island":{{{shown}}},"owner":null}}'),
            (events.NoEntryUsed(7), '{"kind":"no-entry-used","island":7}'),
            (events.Unified(), '{"kind":"unified"}'),
            (events.LastRound(), '{"kind":"last-round"}'),
            (events.EndOfTurn(4, ONE), '{"kind":"end-of-turn","round":4,"seat":1}'),
            (events.EndOfRound(4), '{"kind":"end-of-round","round":4}'),
            (
                events.Won(Tower.WHITE, (ONE,), "towers", ONE),
                '{"kind":"won","team":"white","seats":[1],"why":"towers"}',
            ),
        ):
            self.assertEqual(text(event), expected)
        self.assertIs(MESSAGES.event(events.Closing()), None)
        self.assertIs(MESSAGES.event(events.Situation(events.MatchStarted(2, False))), None)

    def test_before_the_deal(self) -> None:
        """There is no board; who has chosen which team is seen, and whose turn it is."""
        master = Eriantys().new_master(3, {}, Dice(1))
        master.begin(0)
        master.act(Seat(0), ChooseTower(Tower.WHITE), 0)
        self.assertEqual(
            self.shown(master),
            {
                **{"seats": 3, "expert": False, "board": None, "turn": 1, "statuses": ["WAITING"] * 3},
                **{"teams": {"black": [], "white": [0], "grey": []}, "request": None, "won": None},
            },
        )
        situation: Any = master.view(ONE)
        self.assertEqual(
            getattr(MESSAGES.view(situation).request, "availableTowers", None), {"black": 1, "white": 0, "grey": 1}
        )

    def test_after_the_deal(self) -> None:
        """The board has everything visible."""
        shown = self.shown(self.player.play(2, random.Random(1), 8)[0])
        board = shown["board"]
        self.assertEqual((len(board["players"]), len(board["islands"]), len(board["clouds"])), (2, 12, 2))
        self.assertEqual([len(card) for card in board["characters"]], [5, 5, 5])
        self.assertEqual((sorted(board["order"]), board["coinsSupply"]), ([0, 1], 18))
        self.assertEqual(shown["statuses"].count("WAITING"), 1)

    def test_the_end(self) -> None:
        """Nobody's turn; who won is seen."""
        master = Eriantys().new_master(3, {}, Dice(1))
        master.begin(0)
        master.forfeit(ONE, 0)
        shown = self.shown(master)
        self.assertEqual((shown["turn"], shown["statuses"]), (None, ["WIN", "LOSE", "WIN"]))
        self.assertEqual((shown["won"]["kind"], shown["won"]["seats"]), ("won", [0, 2]))

    @given(st.integers(0, 10_000), st.sampled_from((2, 3, 4)))
    def test_a_watcher_sees_what_all_players_were_told_of_their_turns(self, seed: int, seats: int) -> None:
        """`statuses` are those last told to each player, and `turn` is who has the open request."""
        rng = random.Random(seed)
        master = Eriantys().new_master(seats, {"expert": "yes"}, Dice(seed))
        statuses = ["WAITING"] * seats
        said = list(master.begin(0))
        for _ in range(60):
            for to in said:
                if isinstance(to.event, events.PlayerStatus):
                    statuses[to.event.seat] = to.event.status.value
            situation: Any = master.view(None)
            view = MESSAGES.view(situation)
            request = master.request
            self.assertEqual((view.statuses, view.turn), (statuses, None if request is None else request.seat))
            choice = any_action(master, rng)
            if choice is None:
                break
            said = list(master.act(*choice, now=0))


del MessagesContract, ExpertMasterTests, NormalMasterTests
