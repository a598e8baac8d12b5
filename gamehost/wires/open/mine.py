"""
The list of a player's matches on the open wire: the messages `mine` and `row`, and the ended matches in `entered`.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, TypeVar

from msgspec import UNSET
from msgspec.structs import replace

from gamehost.journal.records import OwnedMatch, OwnState, TableId
from gamehost.lobby.own_list import OwnList
from gamehost.lobby.queues import OnLeave
from gamehost.wires.base import BaseConversation
from gamehost.wires.open import messages as m
from gamehost.wires.open.rows import OwnOffer
from gamehost.wires.open.values import told_shown

if TYPE_CHECKING:
    from gamehost.lobby.own_matches import OwnMatches

R = TypeVar("R", bound=m.OwnRow)
RowState: TypeAlias = OwnState | Literal["gone"]


#: The offers in rows, by their names in `OwnedMatch`.
_OFFERS: Mapping[str, OwnOffer] = {"draw": "draw", "takeback": "takeback", "rematch": "rematch"}


def _row(kind: type[R], match: OwnedMatch, state: RowState) -> R:
    """Returns a match of a player's list as a row of a message. `UNSET` leaves a field out of the message."""
    # Only an ended match has a result.
    over = match.ended is not None
    return kind(
        match.table,
        match.game,
        list(match.names),
        match.seat,
        state,
        bool(match.code),
        by=UNSET if match.by is None else match.by,
        code=match.code or UNSET,
        ended=UNSET if match.ended is None else match.ended,
        winners=list(match.winners) if over else UNSET,
        cause=match.cause or UNSET,
        why=match.why if over else UNSET,
        offer=_OFFERS.get(match.offer, UNSET),
        turn=True if match.turn else UNSET,
        slow=True if match.slow else UNSET,
    )


def _changed(match: OwnedMatch, state: RowState) -> m.OwnChanged:
    """Returns the message that a match of the list has changed."""
    row = _row(m.OwnChanged, match, state)
    return replace(row, shown_as=told_shown(match.shown_as)) if match.shown_as else row


def rows(matches: Sequence[OwnedMatch]) -> list[m.OwnRow]:
    """Returns a player's matches as the rows of a message."""
    return [_row(m.OwnRow, match, match.state) for match in matches]


def shown_of(matches: Sequence[OwnedMatch]) -> dict[str, str]:
    """Returns the display names of all players of these matches."""
    return {name: words for match in matches for name, words in match.shown_as.items()}


class KnowsOwn(BaseConversation[m.Message]):
    """The part of a conversation about the list of the client's own matches."""

    #: The list that the client receives with all its changes; `None`: it has not asked for the list.
    _list: OwnList | None = None

    @property
    def _own(self) -> "OwnMatches":
        return self.lobby.own

    def ask_mine(self, message: m.AskMine) -> None:
        """Sends the list, and then its changes; or stops sending changes."""
        assert self.session is not None
        if message.on:
            self._list = self._own.look(self.session, self)
        else:
            self._look_away()

    def mark_seen(self, message: m.MarkSeen) -> None:
        assert self.session is not None
        self._own.seen(self.session, None if message.table is UNSET else TableId(message.table))

    def take_holiday(self, message: m.TakeHoliday) -> None:
        """Begins or ends a holiday, or sends how many days are left. The answer is `holiday`, or a refusal."""
        assert self.session is not None
        # `None`: the client only asks how many days are left. 0 ends a holiday.
        days = None if message.days is UNSET else message.days
        why = self.lobby.slow_matches().leave(self.session, days)
        if why is not None:
            self.peer.refuse(m.Sorry(why))

    def tell_leave(self, event: OnLeave) -> None:
        """Sends the state of the player's holiday."""
        self.peer.say(m.Holiday(event.left, UNSET if event.until is None else event.until))

    def _look_away(self) -> None:
        """Stops sending the changes of the list."""
        if self._list is not None:
            # The second argument: not if another client of this player receives the list now.
            self._own.look_away(self._list.session.key, self._list)
            self._list = None

    def look_at_match_soon(self) -> None:
        """Updates the client's own match in the list. Called when the offers at its table have changed."""
        if self._list is not None:
            self._list.look_soon()

    # -- the methods of `ListViewer`

    def tell_list(self, matches: Sequence[OwnedMatch]) -> None:
        self.peer.say(m.Mine(rows(matches), told_shown(shown_of(matches))))

    def tell_listed(self, match: OwnedMatch) -> None:
        self.peer.say(_changed(match, match.state))

    def tell_unlisted(self, match: OwnedMatch) -> None:
        self.peer.say(_changed(match, "gone"))

    def end(self) -> None:
        self._look_away()
        super().end()

    #: Message -> the method that handles it. These messages need a log-in.
    MINE: ClassVar[Any] = {m.AskMine: ask_mine, m.MarkSeen: mark_seen, m.TakeHoliday: take_holiday}
