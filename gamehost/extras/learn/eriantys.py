"""
The encoder of Eriantys.

The number of an action: teams are 0 to 2, wizards 3 to 6, assistants 7 to 16, students by colour 17 to 21, no student 22,
destinations 23 to 35 (23 is the dining room), steps 36 to 42, clouds 43 to 46, characters 47 to 58.

An observation has 387 values, in this order:

- 24 for the open request: its kind (9), the student that it is about (5), and the own assistants if it asks for one (10)
- 6 more for the request: the students that a character offers (5), and the most steps
- 5 for the match: round, bag, coins in the supply, expert rules, seats
- 23 for each of four schools, the own one first: team (3), towers left, tower-holder, entrance (5), dining room (5),
  professors (5), coins, assistants left, the played assistant
- 11 for each of twelve islands: students (5), owner (3), towers, no-entry tiles, Mother Nature
- 5 for each of four clouds
- 9 for each character, by number: cost, used, in use, no-entry tiles, students (5)

Before the deal, all values but those of the request and the match are 0. No value depends on the stage of a turn,
because a view that is read from messages does not contain it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np
from msgspec.structs import replace

from gamehost.extras.learn.encoding import Array, SeatEncoder
from gamehost.games.eriantys import events
from gamehost.games.eriantys import messages as m
from gamehost.games.eriantys.rules import Character, Colour, Tower

_COLOURS = [colour.name.lower() for colour in Colour]
_TOWERS = [tower.name.lower() for tower in Tower]
_REQUESTS = m.Request.__args__
_SEATS, _ISLANDS, _CLOUDS, _ASSISTANTS = 4, 12, 4, 10
#: The number of the first action of each kind, and the value of this action.
_FIRST: Mapping[type, tuple[int, int]] = {
    events.ChooseTower: (0, 0),
    events.ChooseWizard: (3, 1),
    events.PlayAssistant: (7, 1),
    events.ChooseStudent: (17, 0),
    events.ChooseDestination: (23, 0),
    events.ChooseSteps: (36, 1),
    events.ChooseCloud: (43, 0),
    events.UseCharacter: (47, 1),
}
#: How many values each school, island and character has.
_SCHOOL, _ISLAND, _CARD = 23, 11, 9
#: The largest value. Larger counts are cut to it.
_MOST = 127


def _one_of(things: Iterable[Any], chosen: Any) -> list[int]:
    """Returns a value for each thing: 1 for the chosen one, 0 for the others."""
    return [int(thing == chosen) for thing in things]


_students = itemgetter(*_COLOURS)


def _heap(students: Mapping[str, int] | None) -> Sequence[int]:
    """Returns the numbers of students of each colour."""
    return _students(students) if students else (0,) * len(_COLOURS)


def _school(player: Any) -> list[int]:
    """Returns the values for the school of a player. Missing coins and a missing assistant are 0."""
    return [
        *_one_of(_TOWERS, player.tower),
        player.towersLeft,
        player.towerHolder,
        *_heap(player.entrance),
        *_heap(player.diningRoom),
        *[colour in player.professors for colour in _COLOURS],
        player.coins or 0,
        player.assistantsLeft,
        player.playedAssistant or 0,
    ]


def _island(island: Any, mother_nature: int) -> list[int]:
    here = island.number == mother_nature
    return [*_heap(island.students), *_one_of(_TOWERS, island.tower), island.towers, island.noEntryTiles, here]


def _card(card: Any, active: int | None) -> list[int]:
    return [card.cost, card.used, card.character == active, card.noEntryTiles or 0, *_heap(card.students)]


class EriantysEncoder(SeatEncoder):
    """Turns the views of a seat in Eriantys into arrays of numbers, and its actions into numbers and back."""

    actions, shape, high = 59, (387,), _MOST

    def __init__(self, *match: Any) -> None:
        super().__init__(*match)
        #: The student that this seat has chosen last. It is stored because no message contains it.
        self._picked: Colour | None = None

    def see(self, view: Any) -> Array:
        counts = [*self._request(view.request), *self._match(view), *self._board(view.board)]
        return np.minimum(counts, _MOST).astype(np.int8)

    def _request(self, request: Any) -> list[int]:
        """Returns the values for the open request."""
        hand = getattr(request, "availableAssistants", ())
        offered = request.students if isinstance(request, m.AskCardStudentEvent) else []
        return [
            *_one_of(_REQUESTS, type(request)),
            *_one_of(Colour, self._picked if self._is_about(request) else None),
            *[assistant in hand for assistant in range(1, _ASSISTANTS + 1)],
            *map(offered.count, _COLOURS),
            getattr(request, "maxStepsAllowed", 0),
        ]

    @staticmethod
    def _is_about(request: Any) -> bool:
        """Returns whether a request is about the student that was chosen before it."""
        return isinstance(request, m.AskDestinationEvent) or (
            isinstance(request, m.AskCardStudentEvent) and not request.mayStop
        )

    @staticmethod
    def _match(view: Any) -> Iterator[int]:
        """Yields the numbers about the whole match: the round, the bag, the coins, the variant and the seats."""
        board = view.board
        yield from (0, 0, 0) if board is None else (board.round, board.bag, board.coinsSupply or 0)
        yield from (int(view.expert), view.seats)

    def _board(self, board: Any) -> list[int]:
        """Returns the values for the board. Missing schools, islands, clouds and characters have zeros."""
        if board is None:
            return [0] * (_SEATS * _SCHOOL + _ISLANDS * _ISLAND + _CLOUDS * len(_COLOURS) + len(Character) * _CARD)
        counts: list[int] = []
        # The own school comes first, then those of the other seats in order.
        for place in range(self.seats):
            counts += _school(board.players[(self.seat + place) % self.seats])
        counts += [0] * ((_SEATS - self.seats) * _SCHOOL)
        for island in board.islands:
            counts += _island(island, board.motherNature)
        counts += [0] * ((_ISLANDS - len(board.islands)) * _ISLAND)
        for cloud in board.clouds:
            counts += _heap(cloud)
        counts += [0] * ((_CLOUDS - len(board.clouds)) * len(_COLOURS))
        cards = {card.character: card for card in board.characters}
        for number in range(1, len(Character) + 1):
            counts += _card(cards[number], board.activeCharacter) if number in cards else [0] * _CARD
        return counts

    def _find(self, view: Any) -> Mapping[int, Any]:
        """Returns the legal actions by their numbers. If a colour is picked already, only the actions with it."""
        situation = self._situation(view)
        # The number of an action does not name the colour, which was chosen by the action before.
        if self._is_about(view.request):
            situation = replace(situation, picked=self._picked)
        return {self._number(action): action for action in self.game.legal(situation, self.seat) or ()}

    @staticmethod
    def _number(action: Any) -> int:
        """Returns the number of an action."""
        first, least = _FIRST[type(action)]
        value = events.value_of(action)
        # Actions without a value have the number after those of the colours.
        return first + (len(Colour) if value is None else int(value) - least)

    def _act(self, option: Any) -> Any:
        if isinstance(option, events.ChooseStudent):
            self._picked = option.colour
        return option
