"""The characters of Eriantys, used by a player who speaks Java objects: the requests of each, and what must follow."""

import random
from collections.abc import Callable
from typing import Any

from gamehost.wires.eriantys_java import messages as m
from gamehost.wires.eriantys_java import values as v
from gamehost.wires.eriantys_java.messages import CommunicationMessage as C
from gamehost.wires.eriantys_java.messages import Message

Script = Any


class CharactersMixin:
    """What a player does with characters. The rest of the player is in `eriantys_java_players`."""

    name: str
    board: m.UpdateBoard | None
    uses_characters: bool
    _rng: random.Random
    say: Callable[[Message], None]
    _expect: Callable[..., Script]
    _answer: Callable[..., Script]
    _resolved: Callable[[], Script]

    @property
    def _dashboard(self) -> v.Dashboard:
        assert self.board is not None
        return self.board.dashboard

    def _character(self) -> Script:
        """Use a character, or not (`None`). Whether the match is over then."""
        assert self.board is not None
        mine = next(player for player in self.board.players if player.nickname == self.name)
        cards = [card for card in self._dashboard.characters if card is not None]
        usable = [card for card in cards if card.cost <= mine.schoolBoard.coins]
        if not self.uses_characters or not usable or any(card.isActive for card in cards) or self._rng.random() < 0.3:
            return None
        card = self._rng.choice(usable)
        self.say(m.UseCharacterEffect(card.value))
        message = yield from self._expect(m.PlayedCharacter, m.ErrorMessage)
        if isinstance(message, m.ErrorMessage):
            # The request is still open: a client answers it, or tries another card.
            return (yield from self._refused_character())
        assert (message.characterEnum, message.player) == (card.value, self.name)
        yield from _EFFECTS.get(card.value, CharactersMixin._no_effect)(self)
        return (yield from self._effect_done(card.value))

    def _refused_character(self) -> Script:
        self.uses_characters = False
        return (yield from self._character())

    def _effect_done(self, character: v.CharacterEnum) -> Script:
        if character is v.CharacterEnum.Char3:
            yield from self._expect(m.IslandOwner, C.NO_CHANGES)
            yield from self._resolved()
            islands, players = self._dashboard.islands, self.board.players if self.board is not None else ()
            towers = [one.schoolBoard.numTower for one in players if one.schoolBoard.towerColor is not None]
            if len(islands) <= 3 or (0 in towers and len(players) < 4) or self.expects_the_end():
                yield from self._expect(m.CommunicateWinner)
                return True
        else:
            yield from self._expect(m.UpdateBoard)
        return False

    def expects_the_end(self) -> bool:
        """Whether a team of four players has built its last tower."""
        assert self.board is not None
        left: dict[Any, int] = {}
        for player in self.board.players:
            color = player.schoolBoard.towerColor
            left[color] = left.get(color, 0) + player.schoolBoard.numTower
        return 0 in left.values()

    def _no_effect(self) -> Script:
        return
        yield

    def _island(self) -> Script:
        yield from self._expect(m.WhereToMove)
        place = self._rng.randint(1, len(self._dashboard.islands))
        yield from self._answer(m.WhereToMove(), m.ChosenDestination(place), C.SUCCESS)

    def _student_to_island(self) -> Script:
        request = yield from self._expect(m.MovableStudentsChar)
        place = m.ChosenDestination(self._rng.randint(1, len(self._dashboard.islands)))
        if self._rng.random() < 0.5:
            # The fault of the published client: it sends the island at once.
            yield from self._answer(request, place, C.SUCCESS)
            return
        yield from self._answer(request, m.ChosenStudent(self._rng.choice(request.students)), m.WhereToMove)
        yield from self._answer(m.WhereToMove(), place, C.SUCCESS)

    def _student(self) -> Script:
        request = yield from self._expect(m.MovableStudentsChar)
        yield from self._answer(request, m.ChosenStudent(self._rng.choice(request.students)), C.SUCCESS)

    def _color(self) -> Script:
        request = yield from self._expect(m.SelectColor)
        yield from self._answer(request, m.ChosenStudent(self._rng.choice(list(v.Color))), C.SUCCESS)

    def _swaps(self, most: int) -> Script:
        for swap in range(most):
            request = yield from self._expect(m.MovableStudentsChar)
            if self._rng.random() < 0.3:
                yield from self._answer(request, m.ChosenStudent(None), C.SUCCESS)
                return
            chosen = self._rng.choice(request.students)
            request = yield from self._answer(request, m.ChosenStudent(chosen), m.MovableStudentsChar)
            last = swap + 1 == most
            while True:
                # The table of the student from the entrance may be full: then only its own colour can be taken.
                wish = chosen if chosen in request.students and self._rng.random() < 0.5 else None
                taken = wish or self._rng.choice(request.students)
                done = C.SUCCESS if last else m.UpdateBoard
                told = yield from self._answer(request, m.ChosenStudent(taken), done, m.ErrorMessage)
                if not isinstance(told, m.ErrorMessage):
                    break
                request = yield from self._expect(m.MovableStudentsChar)


_EFFECTS: dict[v.CharacterEnum, Callable[[CharactersMixin], Script]] = {
    v.CharacterEnum.Char1: CharactersMixin._student_to_island,
    v.CharacterEnum.Char3: CharactersMixin._island,
    v.CharacterEnum.Char5: CharactersMixin._island,
    v.CharacterEnum.Char7: lambda player: player._swaps(3),
    v.CharacterEnum.Char9: CharactersMixin._color,
    v.CharacterEnum.Char10: lambda player: player._swaps(2),
    v.CharacterEnum.Char11: CharactersMixin._student,
    v.CharacterEnum.Char12: CharactersMixin._color,
}
