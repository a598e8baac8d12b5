"""
What follows from what one seat knows: the actions that it may take now, and its view after an event.

What is legal is asked in the master's view, in a search that runs on the rules, and in a view that was read from messages. The
last may lack what no message tells; then an answer may be listed that the master refuses.
"""

from collections.abc import Iterator
from typing import Any

from gamehost.games.base import Seat
from gamehost.games.chance import Chance, shuffled
from gamehost.games.eriantys.actions import (
    Action,
    ChooseCloud,
    ChooseDestination,
    ChooseSteps,
    ChooseStudent,
    ChooseTower,
    ChooseWizard,
    IllegalChoice,
    PlayAssistant,
    UseCharacter,
)
from gamehost.games.eriantys.characters import EFFECTS, Effect
from gamehost.games.eriantys.events import (
    Ask,
    AskAssistant,
    AskCardStudent,
    AskCloud,
    AskColour,
    AskDestination,
    AskSteps,
    AskStudent,
    AskTower,
    AskWizard,
    Board,
    Denied,
    EndOfTurn,
    MatchStarted,
    Picked,
    PlayedAssistant,
    PlayedCharacter,
    Situation,
    StartOfTurn,
    Success,
    TowerChosen,
    WizardChosen,
    Won,
)
from gamehost.games.eriantys.phases import Choices, Play
from gamehost.games.eriantys.pieces import (
    ASSISTANTS,
    MODES,
    NO_STUDENTS,
    STUDENTS_OF_A_COLOUR,
    WIZARDS,
    Character,
    Colour,
    PlanningOrder,
    Status,
    Students,
    Tower,
    together,
)
from gamehost.games.eriantys.rules import Match, Position, School, Team, evolve, has_room

ASKS = Ask.__args__


# What is legal


def answers(request: Ask, position: Position | None, picked: Colour | None) -> Iterator[Action]:
    """
    What answers a request and would not be denied, without characters.

    :param position: for the rooms at the tables; `None`: before the deal
    :param picked: the student that the request is about; `None`: there is none, or it is not known
    """
    match request:
        case AskTower(_, left):
            yield from (ChooseTower(tower) for tower in Tower if tower < len(left) and left[tower])
        case AskWizard(_, wizards):
            yield from map(ChooseWizard, wizards)
        case AskAssistant(_, hand, played):
            taken = {card for _, card in played}
            yield from map(PlayAssistant, [card for card in hand if card not in taken] or hand)
        case AskStudent(_, students):
            yield from _colours(students)
        case AskDestination(_, islands, dining_room):
            if dining_room and (position is None or picked is None or has_room(position.school, picked)):
                yield ChooseDestination(0)
            yield from map(ChooseDestination, range(1, islands + 1))
        case AskSteps(_, most):
            yield from map(ChooseSteps, range(1, most + 1))
        case AskCloud(_, clouds):
            yield from map(ChooseCloud, clouds)
        case AskCardStudent(_, students, may_stop):
            yield from _colours(_seated_with(students, position, None if may_stop else picked))
            if may_stop:
                yield ChooseStudent(None)
        case AskColour():
            yield from map(ChooseStudent, Colour)


def _colours(students: Students) -> Iterator[Action]:
    return (ChooseStudent(colour) for colour in Colour if students[colour])


def _seated_with(students: Students, position: Position | None, picked: Colour | None) -> Students:
    """Of the students that a character offers, those that can be swapped for one at whose table there may be no seat."""
    minstrel = position is not None and position.character is Character.MINSTREL
    if position is None or picked is None or not minstrel or has_room(position.school, picked):
        return students
    return tuple(count if colour == picked else 0 for colour, count in enumerate(students))


def usable(position: Position) -> Iterator[UseCharacter]:
    """The characters that the player whose turn it is can use and pay now, in a turn of its own."""
    for card in position.cards:
        if position.character is None and card.cost <= position.school.coins:
            try:
                EFFECTS[card.character].check(position)
            except IllegalChoice:
                continue
            yield UseCharacter(card.character)


def legal(view: Situation, seat: Seat) -> Iterator[Action]:
    """The answers to the open request of this seat, then the characters."""
    request, board = view.request, view.board
    if request is None or request.seat != seat:
        return
    position = None if board is None else public_position(board, seat)
    yield from answers(request, position, view.picked)
    # While a character asks, it is the one that was used in this turn.
    if position is not None and isinstance(request, AskStudent | AskDestination | AskSteps | AskCloud):
        yield from usable(position)


def public_position(board: Board, seat: Seat) -> Position:
    """The position as far as a board shows it, with a seat on turn. Bag and hands are empty."""
    teams = []
    for tower in Tower:
        members = [Seat(number) for number, school in enumerate(board.schools) if school.tower is tower]
        members.sort(key=lambda seat: not board.schools[seat].tower_holder)
        if members:
            teams.append(Team(tower, tuple(members)))
    order = board.phase_order or tuple(sorted(map(Seat, range(len(board.schools))), key=lambda one: _card(board, one)))
    return Position(
        match=Match(MODES[len(board.schools)], board.expert),
        teams=tuple(teams),
        seating=board.order,
        schools=board.schools,
        hands=((),) * len(board.schools),
        islands=board.islands,
        clouds=board.clouds,
        bag=NO_STUDENTS,
        cards=board.cards,
        supply=board.supply,
        mother_nature=board.mother_nature - 1,
        professors=board.professors,
        round=board.round,
        order=order,
        turn=order.index(seat),
        character=board.active_character,
        banned=board.banned,
    )


def _card(board: Board, seat: Seat) -> int:
    """The assistant of this round; who has not played one comes last."""
    return board.schools[seat].played or 99


# A match that fits a view


def begun(view: Situation, match: Match, chance: Chance) -> Choices:
    """The choices before the deal, as far as a seat that is asked knows them. Who has which wizard is drawn."""
    towers = {seat: Tower(place) for place, team in enumerate(view.teams) for seat in team}
    taken = [wizard for wizard in WIZARDS if isinstance(view.request, AskWizard) and wizard not in view.request.wizards]
    return Choices(match, tuple(towers[seat] for seat in sorted(towers)), tuple(shuffled(taken, chance)))


def bag_of(board: Board) -> Students:
    """The students in the bag, by colour: all that are seen nowhere else."""
    seen = NO_STUDENTS
    for school in board.schools:
        seen = together(together(seen, school.entrance), school.dining)
    for heap in (*(island.students for island in board.islands), *board.clouds, *(c.students for c in board.cards)):
        seen = together(seen, heap)
    return tuple(max(0, STUDENTS_OF_A_COLOUR - count) for count in seen)


def playing(view: Situation, board: Board, chance: Chance) -> Play:
    """A match after the deal in which a seat is asked. The hands are drawn, but for one that is shown."""
    request = view.request
    seat = view.turn if request is None else request.seat
    assert seat is not None
    hands = []
    for school in board.schools:
        cards = shuffled([card for card in ASSISTANTS if card != school.played], chance)
        hands.append(tuple(sorted(cards[: school.assistants])))
    if isinstance(request, AskAssistant):
        hands[seat] = request.hand
    bag = bag_of(board)
    position = evolve(public_position(board, seat), hands=tuple(hands), bag=bag, last_round=not any(bag))
    stage, mode = view.statuses[seat], position.match.mode
    moved = mode.entrance - sum(position.school.entrance) if stage is Status.MOVE_1 else mode.moves
    play = Play(position, PlanningOrder.PREVIOUS, stage, request, max(0, min(moved, mode.moves)))
    asks_student = isinstance(request, AskDestination) and request.dining_room
    if asks_student or not isinstance(request, AskDestination | AskCardStudent | AskColour):
        return evolve(play, picked=view.picked)
    assert board.active_character is not None
    effect: Effect | None = EFFECTS[board.active_character]
    if effect is not None and view.picked is not None:
        effect = effect.student(position, view.picked, chance).more
    return evolve(play, effect=effect)


# A view after an event


def follow(view: Situation | None, event: Any, seat: Seat | None) -> Situation | None:
    """The view after an event that this seat, or a watcher, was told."""
    match event:
        case Situation():
            return event
        case MatchStarted(seats):
            nobody = ((),) * len(MODES[seats].places)
            return Situation(event, turn=Seat(0), statuses=(Status.WAITING,) * seats, teams=nobody)
        case _ if view is None:
            return None
        case TowerChosen(chooser, tower):
            teams = tuple((*team, chooser) if place == tower else team for place, team in enumerate(view.teams))
            return evolve(view, teams=teams, turn=Seat((chooser + 1) % view.match.seats))
        case WizardChosen(chooser):
            return evolve(view, turn=Seat((chooser + 1) % view.match.seats))
        case Picked(_, colour):
            return evolve(view, picked=colour)
        case Success() | Denied() | EndOfTurn():
            return evolve(view, request=None, picked=None)
        case Won(_, winners):
            statuses = tuple(Status.WIN if one in winners else Status.LOSE for one in range(view.match.seats))
            return evolve(view, request=None, picked=None, won=event, turn=None, statuses=statuses)
        case _ if isinstance(event, ASKS):
            about = isinstance(event, AskDestination) or (isinstance(event, AskCardStudent) and not event.may_stop)
            return evolve(view, request=event, picked=view.picked if about else None)
    return _on_board(view, event)


def _on_board(view: Situation, event: Any) -> Situation:
    board = view.board
    match event:
        case Board():
            return _at_stage(view, event)
        case _ if board is None:
            return view
        case StartOfTurn(_, seat):
            turn = board.phase_order.index(seat) if board.phase_order else board.turn
            return _waits(evolve(view, board=evolve(board, turn=turn)), seat, Status.MOVE_1)
        case PlayedAssistant(seat, assistant):
            return _assistant_played(view, board, seat, assistant)
        case PlayedCharacter(seat, character):
            return evolve(view, board=_character_paid(board, seat, character))
    return view


def _waits(view: Situation, seat: Seat, stage: Status) -> Situation:
    statuses = tuple(stage if one == seat else Status.WAITING for one in range(view.match.seats))
    return evolve(view, turn=seat, statuses=statuses)


def _at_stage(view: Situation, board: Board) -> Situation:
    """A view with a new board, which also shows that a player has moved all students, or Mother Nature."""
    before, match = view.board, view.match
    view = evolve(view, board=board, match=MatchStarted(match.seats, match.expert, board.order))
    if before is None:
        seats = tuple(map(Seat, range(match.seats)))
        teams = (
            tuple(seat for seat in seats if board.schools[seat].tower == place) for place in range(len(view.teams))
        )
        view = evolve(view, teams=tuple(teams))
    if not board.phase_order:
        return view
    seat, mode = board.phase_order[board.turn], MODES[match.seats]
    stage = view.statuses[seat]
    if all(school.played is None for school in board.schools):
        stage = Status.PLANNING
    elif before is not None and before.unresolved and not board.unresolved:
        stage = Status.MOVE_3
    elif stage is Status.MOVE_1 and sum(board.schools[seat].entrance) == mode.entrance - mode.moves:
        stage = Status.MOVE_2
    return _waits(view, seat, stage)


def _with_school(board: Board, seat: Seat, school: School) -> Board:
    return evolve(board, schools=(*board.schools[:seat], school, *board.schools[seat + 1 :]))


def _assistant_played(view: Situation, board: Board, seat: Seat, assistant: int) -> Situation:
    school = board.schools[seat]
    board = _with_school(board, seat, evolve(school, played=assistant, assistants=school.assistants - 1))
    turn = board.turn + 1
    if not board.phase_order:
        return evolve(view, board=board)
    if turn < len(board.phase_order):
        board = evolve(board, turn=turn)
        return _waits(evolve(view, board=board), board.phase_order[turn], Status.PLANNING)
    order = tuple(sorted(board.phase_order, key=lambda one: _card(board, one)))
    return evolve(view, board=evolve(board, phase_order=order, turn=0))


def _character_paid(board: Board, seat: Seat, character: Character) -> Board:
    """No new board is told until the character has done something."""
    for place, card in enumerate(board.cards):
        if card.character is character:
            # Of the first payment one coin stays on the card.
            kept = 0 if card.used else 1
            school = board.schools[seat]
            board = _with_school(board, seat, evolve(school, coins=school.coins - card.cost))
            cards = (*board.cards[:place], evolve(card, used=True, cost=card.cost + kept), *board.cards[place + 1 :])
            board = evolve(board, cards=cards, supply=board.supply + card.cost - kept, active_character=character)
    return board
