"""
One seat of one match: what its player is to hear, and when it may answer. Pure.

Thinking may take a second, so it can be done in a thread: `work` gives what is to be done, and `done` takes the result. What is
told meanwhile waits. An answer is followed by another one only when it was judged, so nothing is said twice.
"""

from collections.abc import Callable
from typing import Any

from attrs import define, field

from gamehost.players.base import Player


@define(eq=False)
class Match:
    """
    One match.

    :param player: of the seat
    """

    player: Player
    #: Whether the match is over, or cannot go on.
    over: bool = False
    _unheard: list[Any] = field(factory=list)
    _refused: list[bytes] = field(factory=list)
    #: The answer that is not judged yet.
    _said: bytes | None = None
    _working: bool = False

    def hear(self, event: Any, judged: bool = True) -> None:
        """
        Take an event of the game's master.

        :param judged: whether it can be what came of the own answer
        """
        self._unheard.append(event)
        if judged:
            self._said = None

    def refuse(self) -> None:
        """The answer had no effect."""
        if self._said is not None:
            self._refused.append(self._said)
            self._said = None

    def work(self) -> Callable[[], bytes | None] | None:
        """What is to be done now, at any place: it touches the player alone. `None`: nothing."""
        if self._working or self.over or not (self._unheard or self._refused):
            return None
        self._working = True
        events, refused = self._unheard, self._refused
        self._unheard, self._refused = [], []
        player, silent = self.player, self._said is not None

        def think() -> bytes | None:
            for event in events:
                player.hear(event)
            for notation in refused:
                player.refused(notation)
            return None if silent else player.answer()

        return think

    def done(self, answer: bytes | None) -> bytes | None:
        """What was done has given this. Returns what is to be said now; `None`: nothing."""
        self._working = False
        if answer is None or self.over:
            return None
        self._said = answer
        return answer
