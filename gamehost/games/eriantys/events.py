"""
What players are told, one class for each thing a wire has to say, in the order in which it is to be said.

An event for all players holds nothing that is hidden. A hand is told only to its player, in `AskAssistant`. Of the
bag only the number of students is told. A request (`Ask...`) goes to one seat and stays open until it is answered.
Islands are numbered from 1 around the current circle, clouds from 0.
"""

from attrs import field, frozen

from gamehost.games.base import Seat, To
from gamehost.games.eriantys.actions import RuleFault
from gamehost.games.eriantys.pieces import Character, Colour, Status, Students, Tower
from gamehost.games.eriantys.rules import Card, Island, Position, Resolution, School


@frozen
class MatchStarted:
    """The match has begun; nothing is dealt yet."""

    seats: int
    expert: bool
    #: The seats around the table, clockwise. Unknown (`None`) until the deal.
    order: tuple[Seat, ...] | None = None


@frozen
class AskTower:
    """Which team? By tower colour: places left, and who is in it already."""

    seat: Seat
    left: tuple[int, ...]
    teams: tuple[tuple[Seat, ...], ...]


@frozen
class TowerChosen:
    """A player has chosen a team. To all; a wire need not tell it, because a later question and a view say the same."""

    seat: Seat
    tower: Tower


@frozen
class AskWizard:
    """Which wizard of those left?"""

    seat: Seat
    wizards: tuple[int, ...]


@frozen
class WizardChosen:
    """A player has chosen a wizard. To all; a wire need not tell it."""

    seat: Seat


@frozen
class AskAssistant:
    """Which assistant? The hand, and what was played in this round, in order of play. Only this player may know it."""

    seat: Seat
    hand: tuple[int, ...]
    played: tuple[tuple[Seat, int], ...]


@frozen
class AskStudent:
    """Which student of the entrance?"""

    seat: Seat
    students: Students


@frozen
class Picked:
    """
    A student was chosen, and the next question is about it. To this player, before the question; a wire need not tell it.
    """

    seat: Seat
    colour: Colour


@frozen
class AskDestination:
    """Where to? Number 1 to `islands`, or 0 for the dining room where that is a choice."""

    seat: Seat
    islands: int
    dining_room: bool


@frozen
class AskSteps:
    """How far, from 1 to `most`?"""

    seat: Seat
    most: int


@frozen
class AskCloud:
    """Which cloud? The places of those with students, from 0."""

    seat: Seat
    clouds: tuple[int, ...]


@frozen
class AskCardStudent:
    """Which of these students, for a character's effect?"""

    seat: Seat
    students: Students
    #: Whether "none" is an answer.
    may_stop: bool = False


@frozen
class AskColour:
    """Which colour, for a character's effect?"""

    seat: Seat


Ask = (
    AskTower | AskWizard | AskAssistant | AskStudent | AskDestination | AskSteps | AskCloud | AskCardStudent | AskColour
)


@frozen
class Success:
    """The answer was accepted."""

    seat: Seat


@frozen
class Denied:
    """
    The destination is not possible, and the choice of the student before it is dropped. The request for a student
    follows. (All other wrong answers are refused, and the open request stays open.)
    """

    seat: Seat
    fault: RuleFault
    detail: str


@frozen
class PlayerStatus:
    """What this player does now, or how the match ended for them."""

    seat: Seat
    status: Status


@frozen
class Board:
    """Everything visible."""

    expert: bool
    round: int
    #: By seat.
    schools: tuple[School, ...]
    islands: tuple[Island, ...]
    clouds: tuple[Students, ...]
    #: The number of Mother Nature's island, from 1.
    mother_nature: int
    #: The holder of each colour's professor.
    professors: tuple[Seat | None, ...]
    #: How many students are in the bag.
    bag: int
    #: None in the normal game.
    cards: tuple[Card, ...]
    #: The character played in this turn.
    active_character: Character | None
    #: Coins in the supply.
    supply: int
    #: The seats around the table, clockwise.
    order: tuple[Seat, ...]
    #: The colour that gives nobody influence in this turn.
    banned: Colour | None = field(default=None, repr=False)
    #: Whether Mother Nature has just walked, and her island is about to be resolved. Another board follows.
    unresolved: bool = field(default=False, repr=False)
    #: The seats in the order of this phase, and the place in it of the player whose turn it is. Empty: not known.
    phase_order: tuple[Seat, ...] = field(default=(), repr=False)
    turn: int = field(default=0, repr=False)


@frozen
class StartOfTurn:
    """A player's turn begins; at the end of the set-up: who will be first in round 1."""

    round: int
    seat: Seat


@frozen
class PlayedAssistant:
    """A player played an assistant."""

    seat: Seat
    assistant: int


@frozen
class PlayedCharacter:
    """A player used and paid a character."""

    seat: Seat
    character: Character


@frozen
class IslandOwner:
    """Influence was counted. The island after the count and before any merge, and the owner of its towers."""

    number: int
    island: Island
    owner: Seat | None


@frozen
class NoEntryUsed:
    """A no-entry tile stopped the count on this island, and is back on its card."""

    number: int


@frozen
class Unified:
    """Islands have merged."""


@frozen
class LastRound:
    """There are not enough students for another round: the match ends with this one."""


@frozen
class EndOfTurn:
    """A player's turn is over."""

    round: int
    seat: Seat


@frozen
class EndOfRound:
    """The round is over."""

    round: int


@frozen
class Won:
    """Who has won, and why."""

    #: `None`: a shared victory, or the match ended before there were teams.
    team: Tower | None
    #: All winners. A tower-holder comes before the partner.
    seats: tuple[Seat, ...]
    why: str
    #: The tower-holder of the team that won; `None`: a shared victory.
    seat: Seat | None = None


@frozen
class Closing:
    """The end has been told. No event follows."""


@frozen
class Situation:
    """What a player who comes back, or a watcher, needs to know."""

    match: MatchStarted
    #: `None` before the deal.
    board: Board | None = None
    #: The open request, if it is to this player.
    request: Ask | None = field(default=None)
    #: The end of the match, for a player who was away when it was told.
    won: Won | None = None
    #: The seat that is asked; `None`: the match is over.
    turn: Seat | None = None
    #: What each player does now, or how the match ended for them, by seat.
    statuses: tuple[Status, ...] = ()
    #: The seats of each team, by tower colour. Before the deal: of those who have chosen.
    teams: tuple[tuple[Seat, ...], ...] = ()
    #: The student that was chosen and that the open request is about, if it is to this player.
    picked: Colour | None = field(default=None, repr=False)


Event = (
    MatchStarted
    | Ask
    | TowerChosen
    | WizardChosen
    | Picked
    | Success
    | Denied
    | PlayerStatus
    | Board
    | StartOfTurn
    | PlayedAssistant
    | PlayedCharacter
    | IslandOwner
    | NoEntryUsed
    | Unified
    | LastRound
    | EndOfTurn
    | EndOfRound
    | Won
    | Closing
    | Situation
)

#: Events that no wire tells, because the documented messages say the same at another time.
UNTOLD = (TowerChosen, WizardChosen, Picked)

#: Events and their audiences, in order.
Told = list[To[Event]]


def board_of(position: Position, unresolved: bool = False) -> Board:
    """Everything visible in a position."""
    return Board(
        expert=position.match.expert,
        round=position.round,
        schools=position.schools,
        islands=position.islands,
        clouds=position.clouds,
        mother_nature=position.mother_nature + 1,
        professors=position.professors,
        bag=sum(position.bag),
        cards=position.cards,
        active_character=position.character,
        supply=position.supply,
        order=position.seating,
        banned=position.banned,
        unresolved=unresolved,
        phase_order=position.order,
        turn=position.turn,
    )


def resolution_told(resolution: Resolution) -> Told:
    """What all players are told about a resolved island, before the board."""
    told: Told = []
    if resolution.island is None:
        told.append(To(NoEntryUsed(resolution.number)))
    else:
        told.append(To(IslandOwner(resolution.number, resolution.island, resolution.owner)))
    if resolution.merged:
        told.append(To(Unified()))
    return told
