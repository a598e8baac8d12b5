"""Views that follow the events, held against the views of the masters."""

import random
from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from gamehost.client.tables import MESSAGES, followed, read_event, read_view
from gamehost.games.base import Seat
from gamehost.games.onitama.messages import MovedEvent
from gamehost.testing.cases import PropertyCase
from gamehost.testing.master_contract import MasterContract
from tests.games.test_eriantys_messages import MessagesTests as EriantysTests
from tests.games.test_onitama_master import MessagesTests as OnitamaTests
from tests.games.test_paper_soccer_master import MessagesTests as PaperSoccerTests
from tests.games.test_stratego_master import MessagesTests as StrategoTests

PLAYERS: dict[str, MasterContract] = {
    "eriantys": EriantysTests.player,
    "onitama": OnitamaTests.player,
    "paper-soccer": PaperSoccerTests.player,
    "stratego": StrategoTests.player,
}
#: What the events of Eriantys do not tell, or not at once.
NOT_TOLD = ("turn", "statuses")
#: The tests of the messages would be collected here, too.
del EriantysTests, OnitamaTests, PaperSoccerTests, StrategoTests


def plain(struct: Any) -> Any:
    """A struct as a client reads it."""
    return msgspec.json.decode(msgspec.json.encode(struct))


class FollowingTests(PropertyCase):
    """What a client that hears the events knows is what the host would show it."""

    def test_all_games_are_played(self) -> None:
        """Each game that has messages."""
        self.assertEqual(PLAYERS.keys(), MESSAGES.keys())

    @given(st.sampled_from(sorted(PLAYERS)), st.integers(0, 10_000))
    def test_the_view_after_any_events_is_the_host_s(self, game: str, seed: int) -> None:
        """After any number of moves, for each seat and for a watcher, from the first event on."""
        rng = random.Random(seed)
        messages = MESSAGES[game]
        master, steps = PLAYERS[game].play(2, rng, rng.randrange(150))
        for seat in (Seat(0), Seat(1), None):
            view = None
            for step in steps:
                for to in step.events:
                    message = messages.event(to.event)
                    if message is not None and (to.audience is None or seat in to.audience):
                        view = followed(view, read_event(game, plain(message)), seat)
            expected = plain(messages.view(master.view(seat)))
            if master.result is not None and "phase" in expected:
                # The end is told by `over`, and is no event of the game.
                expected |= {"phase": "play", "turn": None}
            followed_view = plain(view)
            for key in NOT_TOLD if game == "eriantys" else ():
                del expected[key], followed_view[key]
            if game == "eriantys" and expected["board"] is None:
                # Teams are known when the table is laid.
                del expected["teams"], followed_view["teams"]
            self.assertEqual(followed_view, expected)
            self.assertEqual(plain(read_view(game, plain(view))), plain(view))

    def test_onitama_s_exchange_for_the_spare(self) -> None:
        """A card that was given for the spare is the spare then."""
        begun = read_event("onitama", {"kind": "dealt", "hands": [["boar", "ox"], ["crab", "eel"]], "spare": "tiger"})
        given = read_event("onitama", {"kind": "exchanged", "seat": 0, "old": "ox", "new": "tiger"})
        view = followed(followed(None, begun, 0), given, 0)
        self.assertEqual((view.hands, view.spare), ((["boar", "tiger"], ["crab", "eel"]), "ox"))

    def test_rules_that_are_not_known(self) -> None:
        """A card, a colour or a step of a later host: the view stays as it is."""
        begun = read_event("onitama", {"kind": "dealt", "hands": [["boar", "ox"], ["crab", "eel"]], "spare": "tiger"})
        view = followed(None, begun, 0)
        event = {"kind": "exchanged", "seat": 0, "old": "ox", "new": "dodo"}
        self.assertEqual(followed(view, read_event("onitama", event), 0), view)
        kickoff = read_event("paper-soccer", {"kind": "kickoff", "first": 0})
        view = followed(None, kickoff, 0)
        event = {"kind": "moved", "seat": 0, "points": [[9, 9]], "next": 1}
        self.assertEqual(followed(view, read_event("paper-soccer", event), 0), view)


class ReadingTests(PropertyCase):
    """Values that are read from JSON."""

    def test_events(self) -> None:
        """As the structs of the game."""
        event = {"kind": "moved", "seat": 0, "card": "ox", "from": "a1", "to": "a2"}
        self.assertEqual(read_event("onitama", event), MovedEvent(0, "ox", "a1", "a2"))

    def test_what_is_not_known_stays_as_it_is(self) -> None:
        """Events of a game or of a kind that a later host has."""
        for game, value in (("chess", {"kind": "moved"}), ("onitama", {"kind": "danced"}), ("onitama", None)):
            self.assertEqual(read_event(game, value), value)
            self.assertEqual(read_view(game, value), value)

    def test_nothing_is_followed_without_a_beginning(self) -> None:
        """An event before any view, and an event that is not known."""
        self.assertIsNone(followed(None, MovedEvent(0, "ox", "a1", "a2"), 0))
        self.assertIsNone(followed(None, {"kind": "danced"}, 0))
