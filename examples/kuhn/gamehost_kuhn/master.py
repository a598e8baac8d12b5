"""
Kuhn's poker. Each round both players put a chip into the pot and get one of three cards: J, Q or K.

Say check or bet. After a bet the other player says call, and adds a chip too,
or fold, and loses the round. After two checks or a call the higher card wins.
A player without chips has lost; after the last round the one with more chips wins.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, get_args

from attrs import define, field, frozen
from msgspec.structs import replace

from gamehost.games.base import Cause, Chance, IllegalAction, Result, Seat, To, any_of, shuffled
from gamehost.settings import Settings, from_to, milliseconds, refuse_unknown, setting
from gamehost_kuhn.messages import Dealt, Ended, Round, Said, Say, View, Word

CARDS = "JQK"
Events = Sequence[To[Any]]


def words(said: tuple[Word, ...], chips: tuple[int, int]) -> tuple[Word, ...]:
    """What can be said after this."""
    if said[-1:] == ("bet",):
        return ("call", "fold")
    return ("check", "bet") if min(chips) else ("check",)


@define(eq=False)
class KuhnMaster:
    """One match. The chips of a view are those beside the pot."""

    rounds: int
    move_time: int
    chance: Chance
    #: What everybody knows.
    view_of_all: View
    #: The secret: the card of each seat.
    cards: str = ""
    result: Result | None = field(init=False, default=None)
    deadline: int | None = field(init=False, default=None)

    def begin(self, now: int) -> Events:
        return self._round(now)

    def _round(self, now: int) -> Events:
        last = self.view_of_all
        number, first = last.round + 1, last.round % 2
        chips = (last.chips[0] - 1, last.chips[1] - 1)
        self.view_of_all = View(number, first, chips, "", (), first, self.rounds)
        self.cards = "".join(shuffled(CARDS, self.chance)[:2])
        self.deadline = now + self.move_time if self.move_time else None
        # First what everybody may know, then each card to its own seat.
        dealt = [To(Dealt(card), (Seat(seat),)) for seat, card in enumerate(self.cards)]
        return [To(Round(number, first, chips, self.rounds)), *dealt]

    def act(self, seat: Seat, action: Say, now: int) -> Events:
        view = self.view_of_all
        if self.result is not None:
            raise IllegalAction("the match is over")
        if seat != view.turn:
            raise IllegalAction("it is the other player's turn")
        able = words(view.said, view.chips)
        if action.word not in able:
            raise IllegalAction(f"expected {' or '.join(able)}")
        # From here on the action is legal, and the master changes.
        said, chips = (*view.said, action.word), list(view.chips)
        if action.word in ("bet", "call"):
            chips[seat] -= 1
        self.view_of_all = replace(view, said=said, chips=(chips[0], chips[1]), turn=1 - seat)
        self.deadline = now + self.move_time if self.move_time else None
        events: list[To[Any]] = [To(Said(seat, action.word))]
        if action.word == "fold":
            events += self._won(1 - seat, "", now)
        elif action.word == "call" or said == ("check", "check"):
            events += self._won(max((0, 1), key=lambda one: CARDS.index(self.cards[one])), self.cards, now)
        return events

    def _won(self, seat: int, cards: str, now: int) -> Events:
        view = self.view_of_all
        chips = list(view.chips)
        chips[seat] += 2 + view.said.count("bet") + view.said.count("call")
        after = (chips[0], chips[1])
        self.view_of_all = replace(view, chips=after, turn=None)
        events = [To(Ended(seat, cards, after))]
        if 0 not in after and view.round < self.rounds:
            return [*events, *self._round(now)]
        winners = () if after[0] == after[1] else (Seat(after.index(max(after))),)
        self.result, self.deadline = Result(winners, Cause.RULES, f"{after[0]} to {after[1]} chips"), None
        return events

    def forfeit(self, seat: Seat, now: int) -> Events:
        return self._lost(seat, Cause.LEFT, "a player left")

    def expire(self, now: int) -> Events:
        return self._lost(Seat(self.view_of_all.turn or 0), Cause.TIME, "the time ran out")

    def _lost(self, seat: Seat, cause: Cause, why: str) -> Events:
        self.result, self.deadline = Result((Seat(1 - seat),), cause, why), None
        return ()

    def to_move(self) -> Seat | None:
        turn = self.view_of_all.turn
        return None if self.result is not None or turn is None else Seat(turn)

    def view(self, seat: Seat | None) -> View:
        return self.view_of_all if seat is None else replace(self.view_of_all, card=self.cards[seat])

    def state(self) -> object:
        view = self.view_of_all
        return (view.round, view.first, view.chips, view.said, view.turn, self.cards)


@frozen
class Kuhn:
    """The game, as tables and the journal know it."""

    name: str = "kuhn"
    #: Another number whenever the same record would give another match.
    version: int = 1
    least_seats: int = 2
    most_seats: int = 2
    options: Mapping[str, str] = field(
        factory=lambda: {
            "chips": "of each player at the beginning, from 1 to 100; default 5",
            "rounds": "after which the match ends, from 1 to 100; default 20",
            "move_time": "seconds for one decision; default 0, no limit",
        }
    )

    def check(self, settings: Settings) -> None:
        self._numbers(settings)

    def _numbers(self, settings: Settings) -> tuple[int, int, int]:
        refuse_unknown(settings, self.options)
        chips = setting(settings, "chips", 5, from_to(1, 100))
        rounds = setting(settings, "rounds", 20, from_to(1, 100))
        return chips, rounds, setting(settings, "move_time", 0, milliseconds)

    def new_master(self, seats: int, settings: Settings, chance: Chance) -> KuhnMaster:
        chips, rounds, move_time = self._numbers(settings)
        return KuhnMaster(rounds, move_time, chance, View(0, 0, (chips, chips), "", (), None, rounds))

    def write(self, action: Say) -> bytes:
        return action.word.encode()

    def read(self, notation: bytes) -> Say:
        for word in get_args(Word):
            if word.encode() == notation:
                return Say(word)
        raise ValueError("expected check, bet, call or fold")

    def legal(self, view: View, seat: Seat) -> Iterator[Say]:
        return map(Say, words(view.said, view.chips) if view.turn == seat else ())

    def random_action(self, view: View, seat: Seat, below: Callable[[int], int]) -> Say | None:
        return any_of(self.legal(view, seat), below)

    def follow(self, view: View | None, event: Any, seat: Seat | None) -> View | None:
        match event:
            case View():
                return event
            case Round(number, first, chips, rounds):
                return View(number, first, chips, "", (), first, rounds)
            case Dealt(card) if view is not None:
                return replace(view, card=card)
            case Said(speaker, word) if view is not None:
                paid = [count - (one == speaker and word in ("bet", "call")) for one, count in enumerate(view.chips)]
                return replace(view, said=(*view.said, word), chips=(paid[0], paid[1]), turn=1 - speaker)
            case Ended(_, _, chips) if view is not None:
                return replace(view, chips=chips, turn=None)
        return view

    def determinized(self, view: View, seat: Seat, chance: Chance) -> KuhnMaster:
        """A match in which the other player has one of the two other cards."""
        other = shuffled(CARDS.replace(view.card, ""), chance)[0]
        cards = view.card + other if seat == 0 else other + view.card
        return KuhnMaster(view.rounds, 0, chance, replace(view, card=""), cards)


KUHN = Kuhn()
