"""
The course of a match after the deal: planning phases, turns, rounds and the end, as functions from one `Play` to the
next. Events are appended to `say`, in the order of the document's scenarios.

Before it, teams and wizards are chosen in the order in which the players came, and the table is laid (A.2). What answers a
request is listed here too, beside what is refused.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from gamehost.games.base import Chance, Seat, To, shuffled
from gamehost.games.eriantys.characters import EFFECTS, Effect, Step, laid_out, paid
from gamehost.games.eriantys.events import (
    Action,
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
    ChooseCloud,
    ChooseDestination,
    ChooseSteps,
    ChooseStudent,
    ChooseTower,
    ChooseWizard,
    Denied,
    EndOfRound,
    EndOfTurn,
    Event,
    IllegalChoice,
    LastRound,
    Picked,
    PlayAssistant,
    PlayedAssistant,
    PlayedCharacter,
    PlayerStatus,
    RuleFault,
    StartOfTurn,
    Success,
    Told,
    TowerChosen,
    UseCharacter,
    WizardChosen,
    board_of,
    resolution_told,
)
from gamehost.games.eriantys.rules import (
    ASSISTANTS,
    CHARACTERS_IN_PLAY,
    COINS,
    ISLANDS,
    NO_STUDENTS,
    STUDENTS_FOR_ISLANDS,
    STUDENTS_OF_A_COLOUR,
    WIZARDS,
    Card,
    Character,
    Colour,
    Island,
    Match,
    PlanningOrder,
    Position,
    School,
    Status,
    Students,
    Team,
    Tower,
    Verdict,
    drawn,
    ended_at_once,
    ended_with_round,
    evolve,
    has_room,
    moved_to_island,
    moved_to_table,
    refilled,
    resolved,
    steps_of,
    together,
)

# Before the deal


class Choices(Struct, frozen=True, gc=False):
    """What has been chosen before the deal, in the order of the seats."""

    match: Match
    towers: tuple[Tower, ...] = ()
    wizards: tuple[int, ...] = ()

    @property
    def complete(self) -> bool:
        return len(self.wizards) == self.match.mode.seats

    @property
    def request(self) -> Ask:
        """The next question, while there is one."""
        if len(self.towers) < self.match.mode.seats:
            return AskTower(Seat(len(self.towers)), self._places_left(), members(self.match, self.towers))
        return AskWizard(Seat(len(self.wizards)), tuple(wizard for wizard in WIZARDS if wizard not in self.wizards))

    def with_tower(self, action: ChooseTower) -> "Choices":
        """
        :raises IllegalChoice: there is no place in this team
        """
        left = self._places_left()
        if action.tower >= len(left) or not left[action.tower]:
            free = ", ".join(tower.name for tower in Tower if tower < len(left) and left[tower])
            raise IllegalChoice(
                RuleFault.TOWER_NOT_AVAILABLE, f"there is no place in this team; expected one of {free}"
            )
        return evolve(self, towers=(*self.towers, action.tower))

    def with_wizard(self, action: ChooseWizard) -> "Choices":
        """
        :raises IllegalChoice: there is no such wizard, or another player has it
        """
        if action.wizard not in WIZARDS:
            raise IllegalChoice(RuleFault.INVALID_INPUT, "there is no such wizard; expected a number from 1 to 4")
        if action.wizard in self.wizards:
            free = ", ".join(str(wizard) for wizard in WIZARDS if wizard not in self.wizards)
            raise IllegalChoice(
                RuleFault.WIZARD_NOT_AVAILABLE, f"another player has this wizard; expected one of {free}"
            )
        return evolve(self, wizards=(*self.wizards, action.wizard))

    def _places_left(self) -> tuple[int, ...]:
        places = self.match.mode.places
        return tuple(places[tower] - self.towers.count(Tower(tower)) for tower in range(len(places)))


def members(match: Match, towers: Sequence[Tower]) -> tuple[tuple[Seat, ...], ...]:
    """The seats of each team, by tower colour, if the seats chose these towers."""
    return tuple(
        tuple(Seat(seat) for seat, chosen in enumerate(towers) if chosen == tower)
        for tower in range(len(match.mode.places))
    )


def chosen(choices: Choices, action: Action, say: Told) -> Choices:
    """
    The choices after the next player's, and the next question if there is one.

    :raises IllegalChoice: the action does not answer this question, or the choice is not available
    """
    asked = choices.request
    made: TowerChosen | WizardChosen
    match asked, action:
        case AskTower(), ChooseTower(tower):
            choices, made = choices.with_tower(action), TowerChosen(asked.seat, tower)
        case AskWizard(), ChooseWizard():
            choices, made = choices.with_wizard(action), WizardChosen(asked.seat)
        case _:
            raise IllegalChoice(RuleFault.INVALID_ACTION, "this does not answer what was asked", ask_again=False)
    say += (To(Success(asked.seat), (asked.seat,)), To(made))
    if not choices.complete:
        say.append(To(choices.request, (choices.request.seat,)))
    return choices


def dealt(choices: Choices, chance: Chance) -> Position:
    """
    The table laid for complete choices.

    Chance decides, in this order: the islands' students, the entrances by seat, in the expert game the characters and
    their students, and last how the players sit around the table, the first player first.
    """
    match = choices.match
    islands = _islands(chance)
    bag: Students = (STUDENTS_OF_A_COLOUR - STUDENTS_FOR_ISLANDS,) * len(NO_STUDENTS)
    teams = tuple(
        Team(Tower(tower), members) for tower, members in enumerate(members(match, choices.towers)) if members
    )
    holders = {team.seats[0] for team in teams}
    schools = []
    for number, (tower, wizard) in enumerate(zip(choices.towers, choices.wizards, strict=True)):
        entrance, bag = drawn(bag, match.mode.entrance, chance)
        holds = Seat(number) in holders
        towers = match.mode.towers if holds else 0
        schools.append(School(tower, wizard, towers, holds, entrance, coins=int(match.expert)))
    cards: list[Card] = []
    if match.expert:
        for character in shuffled(Character, chance)[:CHARACTERS_IN_PLAY]:
            card, bag = laid_out(character, bag, chance)
            cards.append(card)
    seating = tuple(shuffled((Seat(number) for number in range(match.mode.seats)), chance))
    return Position(
        match=match,
        teams=teams,
        seating=seating,
        schools=tuple(schools),
        hands=(tuple(range(1, 11)),) * match.mode.seats,
        islands=islands,
        clouds=(NO_STUDENTS,) * match.mode.seats,
        bag=bag,
        cards=tuple(cards),
        supply=COINS - match.mode.seats if match.expert else 0,
        order=seating,
    )


def _islands(chance: Chance) -> tuple[Island, ...]:
    """
    Twelve islands, with a student on each except Mother Nature's and the one opposite.

    Mother Nature's island is always the first: the places of a circle are equal, so it need not be drawn.
    """
    bag: Students = (STUDENTS_FOR_ISLANDS,) * len(NO_STUDENTS)
    islands = []
    for place in range(ISLANDS):
        students = NO_STUDENTS
        if place % (ISLANDS // 2):
            students, bag = drawn(bag, 1, chance)
        islands.append(Island((place + 1,), students))
    return tuple(islands)


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
            yield from map(PlayAssistant, _playable(hand, played))
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


def _playable(hand: Sequence[int], played: Sequence[tuple[Seat, int]]) -> Sequence[int]:
    """The assistants that nobody has played in this round; if all were, any of the hand."""
    taken = {card for _, card in played}
    return [card for card in hand if card not in taken] or hand


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


# The match


#: How many steps the messenger adds to an assistant's.
MESSENGER = 2


class Play(Struct, frozen=True, gc=False):
    """A match between two decisions."""

    position: Position
    planning_order: PlanningOrder
    #: PLANNING, MOVE_1, MOVE_2 or MOVE_3.
    stage: Status = Status.PLANNING
    #: The open request; `None`: the match is over.
    request: Ask | None = None
    #: Students moved in this turn.
    moved: int = 0
    #: A student that was chosen and has no destination yet.
    picked: Colour | None = None
    #: The effect that is not done yet.
    effect: Effect | None = None
    verdict: Verdict | None = None

    @property
    def about(self) -> Colour | None:
        """The student that was chosen before, and that the open request is about."""
        return self.picked if self.effect is None else self.effect.about


def _to(seat: Seat, event: Event) -> To[Event]:
    return To(event, (seat,))


def _status(seat: Seat, status: Status) -> To[Event]:
    return _to(seat, PlayerStatus(seat, status))


def opened(position: Position, planning_order: PlanningOrder, chance: Chance, say: Told) -> Play:
    """The match from the deal to the first request."""
    say.append(To(board_of(position)))
    say.append(To(StartOfTurn(1, position.order[0])))
    return _planning(Play(position, planning_order), chance, say)


def answered(play: Play, action: Action, chance: Chance, say: Told) -> Play:
    """
    The match after the open request was answered by the player who was asked.

    :raises IllegalChoice: the action does not answer this request, or the rules are against it
    """
    match play.request, action:
        case AskStudent() as request, ChooseStudent():
            return _student_chosen(play, request, action, say)
        case AskDestination() as request, ChooseDestination():
            if play.effect is None:
                return _destination_chosen(play, request, action, say)
            return _effect_island(play, request, action, chance, say)
        case AskSteps() as request, ChooseSteps():
            return _steps_chosen(play, request, action, chance, say)
        case AskCloud() as request, ChooseCloud():
            return _cloud_chosen(play, request, action, chance, say)
        case AskAssistant() as request, PlayAssistant():
            return _assistant_played(play, request, action, say)
        case (AskCardStudent() | AskColour()) as request, ChooseStudent():
            return _effect_student(play, request, action, chance, say)
    raise IllegalChoice(RuleFault.INVALID_ACTION, "this does not answer what was asked", ask_again=False)


# Planning


def _planning(play: Play, chance: Chance, say: Told) -> Play:
    position = play.position
    position = evolve(
        position,
        round=position.round + 1,
        turn=0,
        order=_planned(position, play.planning_order),
        schools=tuple(evolve(school, played=None) for school in position.schools),
    )
    position = refilled(position, chance)
    say.append(To(board_of(position)))
    if position.last_round:
        say.append(To(LastRound()))
    return _ask_assistant(evolve(play, position=position, stage=Status.PLANNING), say)


def _planned(position: Position, planning_order: PlanningOrder) -> tuple[Seat, ...]:
    """Who plays assistants after whom (D-R1, D-R2)."""
    if planning_order is PlanningOrder.PREVIOUS:
        return position.order
    first = position.seating.index(position.order[0])
    return position.seating[first:] + position.seating[:first]


def _ask_assistant(play: Play, say: Told) -> Play:
    position = play.position
    say.append(_status(position.seat, Status.PLANNING))
    played = tuple((seat, number) for seat in position.order if (number := position.schools[seat].played) is not None)
    return _asked(play, AskAssistant(position.seat, position.hands[position.seat], played), say)


def _asked(play: Play, request: Ask, say: Told) -> Play:
    if (colour := play.about) is not None:
        say.append(_to(request.seat, Picked(request.seat, colour)))
    say.append(_to(request.seat, request))
    return evolve(play, request=request)


def _assistant_played(play: Play, request: AskAssistant, action: PlayAssistant, say: Told) -> Play:
    """
    :raises IllegalChoice: not in the hand, or played by another while something else could be played
    """
    number = action.assistant
    if number not in ASSISTANTS:
        raise IllegalChoice(RuleFault.INVALID_INPUT, "there is no such assistant; expected a number from 1 to 10")
    if number not in request.hand:
        raise IllegalChoice(RuleFault.UNAVAILABLE_ASSISTANT, "this assistant is not in the hand any more")
    if number not in _playable(request.hand, request.played):
        raise IllegalChoice(
            RuleFault.INVALID_ASSISTANT, "another player played this assistant in this round; expected another"
        )
    position, seat = play.position, request.seat
    hands = list(position.hands)
    hands[seat] = tuple(card for card in request.hand if card != number)
    school = evolve(position.schools[seat], played=number, assistants=len(hands[seat]))
    position = evolve(position.with_school(seat, school), hands=tuple(hands), turn=position.turn + 1)
    say += (_to(seat, Success(seat)), To(PlayedAssistant(seat, number)), _status(seat, Status.WAITING))
    if position.turn < len(position.order):
        return _ask_assistant(evolve(play, position=position), say)
    return _turn(evolve(play, position=evolve(position, turn=0, order=_by_assistant(position))), say)


def _by_assistant(position: Position) -> tuple[Seat, ...]:
    """The action order: ascending assistants. Of two equal ones, the one that was played earlier comes first."""
    return tuple(sorted(position.order, key=lambda seat: position.schools[seat].played or 0))


# A turn: move 1


def _turn(play: Play, say: Told) -> Play:
    position = play.position
    say.append(To(StartOfTurn(position.round, position.seat)))
    say.append(_status(position.seat, Status.MOVE_1))
    return _ask(evolve(play, stage=Status.MOVE_1, moved=0), say)


def _ask(play: Play, say: Told) -> Play:
    """Ask the request of the stage, with what is true now. A student without a destination is dropped."""
    request = request_of(play)
    say.append(_to(request.seat, request))
    return evolve(play, picked=None, effect=None, request=request)


def request_of(play: Play) -> Ask:
    position = play.position
    if play.stage is Status.MOVE_1:
        return AskStudent(position.seat, position.school.entrance)
    if play.stage is Status.MOVE_2:
        more = MESSENGER if position.character is Character.MESSENGER else 0
        return AskSteps(position.seat, steps_of(position.school.played or 0) + more)
    return AskCloud(position.seat, tuple(place for place, cloud in enumerate(position.clouds) if any(cloud)))


def _student_chosen(play: Play, request: AskStudent, action: ChooseStudent, say: Told) -> Play:
    """
    :raises IllegalChoice: no such student in the entrance
    """
    colour = action.colour
    if colour is None:
        raise IllegalChoice(RuleFault.INVALID_INPUT, "a student has to be chosen; expected a colour")
    if not request.students[colour]:
        raise IllegalChoice(RuleFault.STUDENT_NOT_AVAILABLE, "there is no student of this colour in the entrance")
    where = AskDestination(request.seat, len(play.position.islands), dining_room=True)
    return _asked(evolve(play, picked=colour), where, say)


def _destination_chosen(play: Play, request: AskDestination, action: ChooseDestination, say: Told) -> Play:
    """Where to with a student of the entrance; what cannot be had drops the choice of the student."""
    position, place, colour = play.position, action.destination, play.picked
    if colour is None:
        raise ValueError("a destination was asked for without a student")
    if not 0 <= place <= request.islands:
        detail = f"there is no such destination; expected 0 (dining room) to {request.islands}"
        return _denied(play, RuleFault.INVALID_INPUT, detail, say)
    if place == 0 and not has_room(position.school, colour):
        return _denied(play, RuleFault.FULL_DINING_ROOM, "the table of this colour is full; expected an island", say)
    position = moved_to_table(position, colour) if place == 0 else moved_to_island(position, colour, place - 1)
    say += (_to(request.seat, Success(request.seat)), To(board_of(position)))
    play = evolve(play, position=position, moved=play.moved + 1)
    if play.moved == position.match.mode.moves:
        say.append(_status(request.seat, Status.END_MOVE_1))
        say.append(_status(request.seat, Status.MOVE_2))
        play = evolve(play, stage=Status.MOVE_2)
    return _ask(play, say)


def _denied(play: Play, fault: RuleFault, detail: str, say: Told) -> Play:
    say.append(_to(play.position.seat, Denied(play.position.seat, fault, detail)))
    return _ask(play, say)


# Moves 2 and 3


def _steps_chosen(play: Play, request: AskSteps, action: ChooseSteps, chance: Chance, say: Told) -> Play:
    """
    :raises IllegalChoice: not so many steps
    """
    if not 1 <= action.steps <= request.most:
        raise IllegalChoice(RuleFault.INVALID_INPUT, f"expected from 1 to {request.most} steps")
    position = play.position
    place = (position.mother_nature + action.steps) % len(position.islands)
    position = evolve(position, mother_nature=place)
    say += (_to(request.seat, Success(request.seat)), To(board_of(position, unresolved=True)))
    resolution = resolved(position, place)
    say += resolution_told(resolution)
    position = resolution.position
    say.append(To(board_of(position)))
    verdict = ended_at_once(position)
    if verdict is not None:
        return over(evolve(play, position=position), verdict)
    say.append(_status(request.seat, Status.END_MOVE_2))
    say.append(_status(request.seat, Status.MOVE_3))
    play = evolve(play, position=position, stage=Status.MOVE_3)
    # Without students on the clouds, the turn has no third move.
    return _ask(play, say) if any(map(any, position.clouds)) else _turn_ended(play, chance, say)


def _cloud_chosen(play: Play, request: AskCloud, action: ChooseCloud, chance: Chance, say: Told) -> Play:
    """
    :raises IllegalChoice: no such cloud, or nothing on it
    """
    position, place = play.position, action.cloud
    if not 0 <= place < len(position.clouds):
        raise IllegalChoice(
            RuleFault.INVALID_INPUT, f"there is no such cloud; expected 0 to {len(position.clouds) - 1}"
        )
    if place not in request.clouds:
        raise IllegalChoice(RuleFault.EMPTY_CLOUD, "there is no student on this cloud; expected another")
    clouds = list(position.clouds)
    school = evolve(position.school, entrance=together(position.school.entrance, clouds[place]))
    clouds[place] = NO_STUDENTS
    position = evolve(position.with_school(position.seat, school), clouds=tuple(clouds))
    return _turn_ended(evolve(play, position=position), chance, say)


def _turn_ended(play: Play, chance: Chance, say: Told) -> Play:
    position = evolve(play.position, character=None, banned=None)
    seat = position.seat
    say += (To(EndOfTurn(position.round, seat)), To(board_of(position)))
    if position.turn + 1 < len(position.order):
        say.append(_status(seat, Status.WAITING))
        return _turn(evolve(play, position=evolve(position, turn=position.turn + 1)), say)
    say += (To(EndOfRound(position.round)), _status(seat, Status.WAITING))
    play = evolve(play, position=position)
    verdict = ended_with_round(position)
    return _planning(play, chance, say) if verdict is None else over(play, verdict)


def over(play: Play, verdict: Verdict) -> Play:
    """The match decided: nothing is asked any more."""
    return evolve(play, request=None, picked=None, effect=None, verdict=verdict)


# Characters


def character_used(play: Play, action: UseCharacter, say: Told) -> Play:
    """
    A character paid and begun by the player who is asked.

    :raises IllegalChoice: not now, not in this match, not possible or too expensive, checked in this order
    """
    if play.stage is Status.PLANNING:
        raise IllegalChoice(
            RuleFault.INVALID_ACTION, "a character is used during the moves of the own turn only", False
        )
    if play.effect is not None:
        raise IllegalChoice(
            RuleFault.INVALID_ACTION, "the character that was used asks first; expected an answer to it", False
        )
    position = play.position
    if not position.match.expert:
        raise IllegalChoice(RuleFault.NOT_EXPERT_MODE, "there are no characters in the normal game")
    if not 1 <= action.character <= len(Character):
        raise IllegalChoice(RuleFault.INVALID_INPUT, "there is no such character; expected a number from 1 to 12")
    character = Character(action.character)
    card = position.card(character)
    if card is None:
        here = ", ".join(str(card.character.value) for card in position.cards)
        raise IllegalChoice(
            RuleFault.CHARACTER_NOT_IN_GAME, f"this character is not in this match; expected one of {here}"
        )
    if position.character is not None:
        raise IllegalChoice(RuleFault.ALREADY_PLAYED_CHARACTER, "a character was played in this turn already")
    effect = EFFECTS[character]
    effect.check(position)
    if position.school.coins < card.cost:
        raise IllegalChoice(
            RuleFault.NOT_ENOUGH_COINS, f"this character costs {card.cost}, there are {position.school.coins}"
        )
    position = paid(position, card)
    say += (_to(position.seat, Success(position.seat)), To(PlayedCharacter(position.seat, character)))
    return _went_on(evolve(play, position=position, picked=None), effect.started(position), say)


def _effect_student(play: Play, request: Ask, action: ChooseStudent, chance: Chance, say: Told) -> Play:
    """
    A student or a colour for the character at work.

    :raises IllegalChoice: not one that was offered
    """
    if play.effect is None:
        raise ValueError("an effect was answered and none is at work")
    if action.colour is None:
        if not (isinstance(request, AskCardStudent) and request.may_stop):
            raise IllegalChoice(RuleFault.INVALID_INPUT, "something has to be chosen; expected a colour")
    elif isinstance(request, AskCardStudent) and not request.students[action.colour]:
        raise IllegalChoice(RuleFault.STUDENT_NOT_AVAILABLE, "no student of this colour is offered")
    return _went_on(play, play.effect.student(play.position, action.colour, chance), say)


def _effect_island(play: Play, request: AskDestination, action: ChooseDestination, chance: Chance, say: Told) -> Play:
    """
    An island for the character at work.

    :raises IllegalChoice: not an island
    """
    if play.effect is None:
        raise ValueError("an effect was answered and none is at work")
    if not 1 <= action.destination <= request.islands:
        raise IllegalChoice(RuleFault.INVALID_INPUT, f"expected an island from 1 to {request.islands}")
    return _went_on(play, play.effect.island(play.position, action.destination - 1, chance), say)


def _went_on(play: Play, step: Step, say: Told) -> Play:
    say += step.said
    newly_last = step.position.last_round and not play.position.last_round
    play = evolve(play, position=step.position, effect=step.more)
    if newly_last:
        say.append(To(LastRound()))
    if step.more is not None:
        return _asked(play, step.more.ask(step.position), say)
    verdict = ended_at_once(step.position)
    return _ask(play, say) if verdict is None else over(play, verdict)
