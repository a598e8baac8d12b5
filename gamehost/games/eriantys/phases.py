"""
The course of a match after the deal: planning phases, turns, rounds and the end. Each function takes a `Play` (a match between
two decisions) and returns the next one. It appends events to the list `say`, in the order of the document's scenarios.

This module also has the time before the deal, in which players choose teams and wizards in the order in which they joined, and
the deal itself (A.2). Finally, it lists the legal answers to each request.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from gamehost.games.base import Chance, Seat, To, shuffled
from gamehost.games.eriantys import events, rules
from gamehost.games.eriantys.characters import EFFECTS, Effect, Step, laid_out, paid
from gamehost.games.eriantys.events import IllegalChoice, RuleFault

# Before the deal


class Choices(Struct, frozen=True, gc=False):
    """The teams and wizards that were chosen before the deal, in the order of the seats."""

    match: rules.Match
    towers: tuple[rules.Tower, ...] = ()
    wizards: tuple[int, ...] = ()

    @property
    def complete(self) -> bool:
        """Whether all players have chosen both, so that the deal can begin."""
        return len(self.wizards) == self.match.mode.seats

    @property
    def request(self) -> events.Ask:
        """The next request; there is one until all have chosen."""
        if len(self.towers) < self.match.mode.seats:
            return events.AskTower(Seat(len(self.towers)), self._places_left(), members(self.match, self.towers))
        return events.AskWizard(
            Seat(len(self.wizards)), tuple(wizard for wizard in rules.WIZARDS if wizard not in self.wizards)
        )

    def with_tower(self, action: events.ChooseTower) -> "Choices":
        """
        Returns the choices with one more team.

        :raises IllegalChoice: there is no free place in this team
        """
        left = self._places_left()
        # A match of two or four has only two teams.
        if action.tower >= len(left) or not left[action.tower]:
            free = ", ".join(tower.name for tower in rules.Tower if tower < len(left) and left[tower])
            raise IllegalChoice(
                RuleFault.TOWER_NOT_AVAILABLE, f"there is no place in this team; expected one of {free}"
            )
        return rules.evolve(self, towers=(*self.towers, action.tower))

    def with_wizard(self, action: events.ChooseWizard) -> "Choices":
        """
        Returns the choices with one more wizard.

        :raises IllegalChoice: there is no such wizard, or another player has it
        """
        if action.wizard not in rules.WIZARDS:
            raise IllegalChoice(RuleFault.INVALID_INPUT, "there is no such wizard; expected a number from 1 to 4")
        if action.wizard in self.wizards:
            free = ", ".join(str(wizard) for wizard in rules.WIZARDS if wizard not in self.wizards)
            raise IllegalChoice(
                RuleFault.WIZARD_NOT_AVAILABLE, f"another player has this wizard; expected one of {free}"
            )
        return rules.evolve(self, wizards=(*self.wizards, action.wizard))

    def _places_left(self) -> tuple[int, ...]:
        """Returns the number of free places in each team, by tower colour."""
        places = self.match.mode.places
        return tuple(places[tower] - self.towers.count(rules.Tower(tower)) for tower in range(len(places)))


def members(match: rules.Match, towers: Sequence[rules.Tower]) -> tuple[tuple[Seat, ...], ...]:
    """Returns the seats of each team, by tower colour, if the seats have chosen these towers."""
    return tuple(
        tuple(Seat(seat) for seat, chosen in enumerate(towers) if chosen == tower)
        for tower in range(len(match.mode.places))
    )


def chosen(choices: Choices, action: events.Action, say: events.Told) -> Choices:
    """
    Adds the choice of the next player, and appends the next request, if there is one.

    :raises IllegalChoice: the action does not answer this request, or the choice is not available
    """
    asked = choices.request
    made: events.TowerChosen | events.WizardChosen
    match asked, action:
        case events.AskTower(), events.ChooseTower(tower):
            choices, made = choices.with_tower(action), events.TowerChosen(asked.seat, tower)
        case events.AskWizard(), events.ChooseWizard():
            choices, made = choices.with_wizard(action), events.WizardChosen(asked.seat)
        case _:
            raise IllegalChoice(RuleFault.INVALID_ACTION, "this does not answer what was asked", ask_again=False)
    # Only the player learns that the answer was accepted. Everybody learns the choice.
    say += (To(events.Success(asked.seat), (asked.seat,)), To(made))
    if not choices.complete:
        say.append(To(choices.request, (choices.request.seat,)))
    return choices


def dealt(choices: Choices, chance: Chance) -> rules.Position:
    """
    Deals, and returns the position at the beginning of play. Called when all players have chosen their teams and wizards.

    Random numbers are drawn in this order: the students on the islands; the students in the entrance of each seat; in the
    expert game, the characters and the students on them; and finally the seating, which is the order of the seats around
    the table. The first seat of the seating is also the first to play.
    """
    match = choices.match
    islands = _islands(chance)
    # The students for the islands were taken from the bag before.
    bag: rules.Students = (rules.STUDENTS_OF_A_COLOUR - rules.STUDENTS_FOR_ISLANDS,) * len(rules.NO_STUDENTS)
    teams = tuple(
        rules.Team(rules.Tower(tower), members)
        for tower, members in enumerate(members(match, choices.towers))
        if members
    )
    # A school board for each seat. The first seat of a team gets the team's towers.
    holders = {team.seats[0] for team in teams}
    schools = []
    for number, (tower, wizard) in enumerate(zip(choices.towers, choices.wizards, strict=True)):
        entrance, bag = rules.drawn(bag, match.mode.entrance, chance)
        holds = Seat(number) in holders
        # The partner in a team has no towers.
        towers = match.mode.towers if holds else 0
        schools.append(rules.School(tower, wizard, towers, holds, entrance, coins=int(match.expert)))
    # The characters take their students from the bag after the entrances.
    cards: list[rules.Card] = []
    if match.expert:
        # The first three characters of a random order.
        for character in shuffled(rules.Character, chance)[: rules.CHARACTERS_IN_PLAY]:
            card, bag = laid_out(character, bag, chance)
            cards.append(card)
    seating = tuple(shuffled((Seat(number) for number in range(match.mode.seats)), chance))
    return rules.Position(
        match=match,
        teams=teams,
        seating=seating,
        schools=tuple(schools),
        hands=(tuple(range(1, 11)),) * match.mode.seats,
        islands=islands,
        clouds=(rules.NO_STUDENTS,) * match.mode.seats,
        bag=bag,
        cards=tuple(cards),
        supply=rules.COINS - match.mode.seats if match.expert else 0,
        order=seating,
    )


def _islands(chance: Chance) -> tuple[rules.Island, ...]:
    """
    Returns twelve islands, with a student on each except Mother Nature's and the one opposite.

    Mother Nature's island is always the first one. All places of a circle are equal, so it need not be drawn at random.
    """
    bag: rules.Students = (rules.STUDENTS_FOR_ISLANDS,) * len(rules.NO_STUDENTS)
    islands = []
    for place in range(rules.ISLANDS):
        students = rules.NO_STUDENTS
        # Not on the first island, where Mother Nature is, and not on the one opposite.
        if place % (rules.ISLANDS // 2):
            students, bag = rules.drawn(bag, 1, chance)
        islands.append(rules.Island((place + 1,), students))
    return tuple(islands)


# Legal actions


def answers(
    request: events.Ask, position: rules.Position | None, picked: rules.Colour | None
) -> Iterator[events.Action]:
    """
    Yields the possible answers to a request, without characters.

    :param position: shows which tables of the dining room have free seats; `None`: before the deal
    :param picked: the student that the request is about; `None`: there is none, or it is not known
    """
    match request:
        case events.AskTower(_, left):
            yield from (events.ChooseTower(tower) for tower in rules.Tower if tower < len(left) and left[tower])
        case events.AskWizard(_, wizards):
            yield from map(events.ChooseWizard, wizards)
        case events.AskAssistant(_, hand, played):
            yield from map(events.PlayAssistant, _playable(hand, played))
        case events.AskStudent(_, students):
            yield from _colours(students)
        case events.AskDestination(_, islands, dining_room):
            if dining_room and (position is None or picked is None or rules.has_room(position.school, picked)):
                yield events.ChooseDestination(0)
            # The number of islands is limited, because a program may have received any number from a faulty server.
            yield from map(events.ChooseDestination, range(1, min(islands, rules.ISLANDS) + 1))
        case events.AskSteps(_, most):
            yield from map(events.ChooseSteps, range(1, min(most, rules.ISLANDS) + 1))
        case events.AskCloud(_, clouds):
            yield from map(events.ChooseCloud, clouds)
        case events.AskCardStudent(_, students, may_stop):
            # `may_stop` marks the first student of an exchange. For the second one, its table must have a free seat.
            yield from _colours(_seated_with(students, position, None if may_stop else picked))
            if may_stop:
                yield events.ChooseStudent(None)
        case events.AskColour():
            yield from map(events.ChooseStudent, rules.Colour)


def _playable(hand: Sequence[int], played: Sequence[tuple[Seat, int]]) -> Sequence[int]:
    """Returns the assistants of the hand that nobody has played in this round. If there are none, returns the whole hand."""
    taken = {card for _, card in played}
    return [card for card in hand if card not in taken] or hand


def _colours(students: rules.Students) -> Iterator[events.Action]:
    """Yields the choice of each colour that has students."""
    return (events.ChooseStudent(colour) for colour in rules.Colour if students[colour])


def _seated_with(
    students: rules.Students, position: rules.Position | None, picked: rules.Colour | None
) -> rules.Students:
    """
    Returns the students of a character that can be chosen. With the minstrel, some choices are not possible, because the
    student of the first choice would find no free seat at its table.
    """
    minstrel = position is not None and position.character is rules.Character.MINSTREL
    if position is None or picked is None or not minstrel or rules.has_room(position.school, picked):
        return students
    # The table of the chosen student is full. Only an exchange for a student of the same colour leaves a seat.
    return tuple(count if colour == picked else 0 for colour, count in enumerate(students))


def usable(position: rules.Position) -> Iterator[events.UseCharacter]:
    """Yields the characters that the player to move can use and pay for now, in its own turn."""
    for card in position.cards:
        # At most one character can be used in a turn.
        if position.character is None and card.cost <= position.school.coins:
            try:
                EFFECTS[card.character].check(position)
            except IllegalChoice:
                continue
            yield events.UseCharacter(card.character)


# The match


#: How many steps the messenger adds to the steps of an assistant.
MESSENGER = 2


class Play(Struct, frozen=True, gc=False):
    """The whole state of a match after the deal, at a moment when it waits for a decision or is over."""

    position: rules.Position
    planning_order: rules.PlanningOrder
    #: PLANNING, MOVE_1, MOVE_2 or MOVE_3.
    stage: rules.Status = rules.Status.PLANNING
    #: The open request; `None`: the match is over.
    request: events.Ask | None = None
    #: The number of students that were moved in this turn.
    moved: int = 0
    #: The student that was chosen and has no destination yet; `None`: there is none.
    picked: rules.Colour | None = None
    #: The effect of a character that is not finished; `None`: there is none.
    effect: Effect | None = None
    verdict: rules.Verdict | None = None

    @property
    def about(self) -> rules.Colour | None:
        """The student that was chosen before, and that the open request is about; `None`: there is none."""
        return self.picked if self.effect is None else self.effect.about


def _to(seat: Seat, event: events.Event) -> To[events.Event]:
    """Makes an event that only this seat receives."""
    return To(event, (seat,))


def _status(seat: Seat, status: rules.Status) -> To[events.Event]:
    """Makes the event that informs a seat of its phase."""
    return _to(seat, events.PlayerStatus(seat, status))


def opened(position: rules.Position, planning_order: rules.PlanningOrder, chance: Chance, say: events.Told) -> Play:
    """Begins the match after the deal, until the first request."""
    say.append(To(events.board_of(position)))
    # This event names the player that begins round 1, although assistants are played first.
    say.append(To(events.StartOfTurn(1, position.order[0])))
    return _planning(Play(position, planning_order), chance, say)


def answered(play: Play, action: events.Action, chance: Chance, say: events.Told) -> Play:
    """
    Returns the match after the asked player has answered the open request.

    :raises IllegalChoice: the action does not answer this request, or the rules forbid it
    """
    match play.request, action:
        case events.AskStudent() as request, events.ChooseStudent():
            return _student_chosen(play, request, action, say)
        case events.AskDestination() as request, events.ChooseDestination():
            # Without an effect, a student of the entrance was chosen. Otherwise, the effect of a character has asked.
            if play.effect is None:
                return _destination_chosen(play, request, action, say)
            return _effect_island(play, request, action, chance, say)
        case events.AskSteps() as request, events.ChooseSteps():
            return _steps_chosen(play, request, action, chance, say)
        case events.AskCloud() as request, events.ChooseCloud():
            return _cloud_chosen(play, request, action, chance, say)
        case events.AskAssistant() as request, events.PlayAssistant():
            return _assistant_played(play, request, action, say)
        case (events.AskCardStudent() | events.AskColour()) as request, events.ChooseStudent():
            return _effect_student(play, request, action, chance, say)
    raise IllegalChoice(RuleFault.INVALID_ACTION, "this does not answer what was asked", ask_again=False)


# Planning


def _planning(play: Play, chance: Chance, say: events.Told) -> Play:
    """Begins a round: fills the clouds, and asks the first player for an assistant."""
    position = play.position
    position = rules.evolve(
        position,
        round=position.round + 1,
        turn=0,
        order=_planned(position, play.planning_order),
        schools=tuple(rules.evolve(school, played=None) for school in position.schools),
    )
    position = rules.refilled(position, chance)
    say.append(To(events.board_of(position)))
    if position.last_round:
        say.append(To(events.LastRound()))
    return _ask_assistant(rules.evolve(play, position=position, stage=rules.Status.PLANNING), say)


def _planned(position: rules.Position, planning_order: rules.PlanningOrder) -> tuple[Seat, ...]:
    """Returns the order in which the players play assistants (D-R1, D-R2)."""
    if planning_order is rules.PlanningOrder.PREVIOUS:
        return position.order
    # Around the table, beginning with the player that acted first.
    first = position.seating.index(position.order[0])
    return position.seating[first:] + position.seating[:first]


def _ask_assistant(play: Play, say: events.Told) -> Play:
    """Asks the next player for an assistant."""
    position = play.position
    say.append(_status(position.seat, rules.Status.PLANNING))
    played = tuple((seat, number) for seat in position.order if (number := position.schools[seat].played) is not None)
    return _asked(play, events.AskAssistant(position.seat, position.hands[position.seat], played), say)


def _asked(play: Play, request: events.Ask, say: events.Told) -> Play:
    """
    Sends a request, and stores it as the open one. If it is about a student that was chosen before, its player first
    receives this student.
    """
    if (colour := play.about) is not None:
        say.append(_to(request.seat, events.Picked(request.seat, colour)))
    say.append(_to(request.seat, request))
    return rules.evolve(play, request=request)


def _assistant_played(play: Play, request: events.AskAssistant, action: events.PlayAssistant, say: events.Told) -> Play:
    """
    Plays an assistant. After the last one, the turns begin.

    :raises IllegalChoice: it is not in the hand; or another player has played it, and the hand has another choice
    """
    number = action.assistant
    if number not in rules.ASSISTANTS:
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
    school = rules.evolve(position.schools[seat], played=number, assistants=len(hands[seat]))
    position = rules.evolve(position.with_school(seat, school), hands=tuple(hands), turn=position.turn + 1)
    say += (
        _to(seat, events.Success(seat)),
        To(events.PlayedAssistant(seat, number)),
        _status(seat, rules.Status.WAITING),
    )
    if position.turn < len(position.order):
        # Other players have not played an assistant yet.
        return _ask_assistant(rules.evolve(play, position=position), say)
    return _turn(rules.evolve(play, position=rules.evolve(position, turn=0, order=_by_assistant(position))), say)


def _by_assistant(position: rules.Position) -> tuple[Seat, ...]:
    """Returns the order of turns: by ascending assistants. Of two equal ones, the one that was played earlier is first."""
    return tuple(sorted(position.order, key=lambda seat: position.schools[seat].played or 0))


# A turn: move 1


def _turn(play: Play, say: events.Told) -> Play:
    """Begins the turn of a player."""
    position = play.position
    say.append(To(events.StartOfTurn(position.round, position.seat)))
    say.append(_status(position.seat, rules.Status.MOVE_1))
    return _ask(rules.evolve(play, stage=rules.Status.MOVE_1, moved=0), say)


def _ask(play: Play, say: events.Told) -> Play:
    """
    Sends the request of this phase, made from the present position. If a student was chosen without a destination, the choice
    is dropped.
    """
    request = request_of(play)
    say.append(_to(request.seat, request))
    return rules.evolve(play, picked=None, effect=None, request=request)


def request_of(play: Play) -> events.Ask:
    """Returns the request of this phase, made from the present position."""
    position = play.position
    if play.stage is rules.Status.MOVE_1:
        return events.AskStudent(position.seat, position.school.entrance)
    if play.stage is rules.Status.MOVE_2:
        more = MESSENGER if position.character is rules.Character.MESSENGER else 0
        # `or 0`: in a match that was made from a view, the played assistant may be unknown.
        return events.AskSteps(position.seat, rules.steps_of(position.school.played or 0) + more)
    return events.AskCloud(position.seat, tuple(place for place, cloud in enumerate(position.clouds) if any(cloud)))


def _student_chosen(play: Play, request: events.AskStudent, action: events.ChooseStudent, say: events.Told) -> Play:
    """
    Notes the chosen student, and asks for its destination.

    :raises IllegalChoice: the entrance has no such student
    """
    colour = action.colour
    if colour is None:
        raise IllegalChoice(RuleFault.INVALID_INPUT, "a student has to be chosen; expected a colour")
    if not request.students[colour]:
        raise IllegalChoice(RuleFault.STUDENT_NOT_AVAILABLE, "there is no student of this colour in the entrance")
    where = events.AskDestination(request.seat, len(play.position.islands), dining_room=True)
    return _asked(rules.evolve(play, picked=colour), where, say)


def _destination_chosen(
    play: Play, request: events.AskDestination, action: events.ChooseDestination, say: events.Told
) -> Play:
    """
    Moves a student of the entrance to its destination. If the destination is not possible, the choice of the student is
    dropped.
    """
    position, place, colour = play.position, action.destination, play.picked
    if colour is None:
        raise ValueError("a destination was asked for without a student")
    if not 0 <= place <= request.islands:
        detail = f"there is no such destination; expected 0 (dining room) to {request.islands}"
        return _denied(play, RuleFault.INVALID_INPUT, detail, say)
    if place == 0 and not rules.has_room(position.school, colour):
        return _denied(play, RuleFault.FULL_DINING_ROOM, "the table of this colour is full; expected an island", say)
    # 0 is the dining room; islands count from 1.
    position = (
        rules.moved_to_table(position, colour) if place == 0 else rules.moved_to_island(position, colour, place - 1)
    )
    say += (_to(request.seat, events.Success(request.seat)), To(events.board_of(position)))
    play = rules.evolve(play, position=position, moved=play.moved + 1)
    if play.moved == position.match.mode.moves:
        # The last student of this turn: Mother Nature moves next.
        say.append(_status(request.seat, rules.Status.END_MOVE_1))
        say.append(_status(request.seat, rules.Status.MOVE_2))
        play = rules.evolve(play, stage=rules.Status.MOVE_2)
    return _ask(play, say)


def _denied(play: Play, fault: RuleFault, detail: str, say: events.Told) -> Play:
    """Refuses a destination, and asks for a student again."""
    say.append(_to(play.position.seat, events.Denied(play.position.seat, fault, detail)))
    return _ask(play, say)


# Moves 2 and 3


def _steps_chosen(
    play: Play, request: events.AskSteps, action: events.ChooseSteps, chance: Chance, say: events.Told
) -> Play:
    """Moves Mother Nature, and counts the influence on her island."""
    if not 1 <= action.steps <= request.most:
        raise IllegalChoice(RuleFault.INVALID_INPUT, f"expected from 1 to {request.most} steps")
    position = play.position
    place = (position.mother_nature + action.steps) % len(position.islands)
    position = rules.evolve(position, mother_nature=place)
    say += (_to(request.seat, events.Success(request.seat)), To(events.board_of(position, unresolved=True)))
    # The players first receive the board before the count, then the count, then the board after it.
    resolution = rules.resolved(position, place)
    say += events.resolution_told(resolution)
    position = resolution.position
    say.append(To(events.board_of(position)))
    verdict = rules.ended_at_once(position)
    if verdict is not None:
        # A team has won at once.
        return over(rules.evolve(play, position=position), verdict)
    say.append(_status(request.seat, rules.Status.END_MOVE_2))
    say.append(_status(request.seat, rules.Status.MOVE_3))
    play = rules.evolve(play, position=position, stage=rules.Status.MOVE_3)
    # If no cloud has students, the turn has no third move.
    return _ask(play, say) if any(map(any, position.clouds)) else _turn_ended(play, chance, say)


def _cloud_chosen(
    play: Play, request: events.AskCloud, action: events.ChooseCloud, chance: Chance, say: events.Told
) -> Play:
    """Moves the students of a cloud to the entrance, and ends the turn."""
    position, place = play.position, action.cloud
    if not 0 <= place < len(position.clouds):
        raise IllegalChoice(
            RuleFault.INVALID_INPUT, f"there is no such cloud; expected 0 to {len(position.clouds) - 1}"
        )
    if place not in request.clouds:
        raise IllegalChoice(RuleFault.EMPTY_CLOUD, "there is no student on this cloud; expected another")
    clouds = list(position.clouds)
    school = rules.evolve(position.school, entrance=rules.together(position.school.entrance, clouds[place]))
    clouds[place] = rules.NO_STUDENTS
    position = rules.evolve(position.with_school(position.seat, school), clouds=tuple(clouds))
    return _turn_ended(rules.evolve(play, position=position), chance, say)


def _turn_ended(play: Play, chance: Chance, say: events.Told) -> Play:
    """Ends a turn: begins the next turn or the next round, or ends the match."""
    # The effect of a character ends with the turn.
    position = rules.evolve(play.position, character=None, banned=None)
    seat = position.seat
    say += (To(events.EndOfTurn(position.round, seat)), To(events.board_of(position)))
    if position.turn + 1 < len(position.order):
        # Other players have not had their turn in this round.
        say.append(_status(seat, rules.Status.WAITING))
        return _turn(rules.evolve(play, position=rules.evolve(position, turn=position.turn + 1)), say)
    say += (To(events.EndOfRound(position.round)), _status(seat, rules.Status.WAITING))
    play = rules.evolve(play, position=position)
    verdict = rules.ended_with_round(position)
    return _planning(play, chance, say) if verdict is None else over(play, verdict)


def over(play: Play, verdict: rules.Verdict) -> Play:
    """Ends the match with this verdict."""
    return rules.evolve(play, request=None, picked=None, effect=None, verdict=verdict)


# Characters


def character_used(play: Play, action: events.UseCharacter, say: events.Told) -> Play:
    """
    Returns the match after the player that must answer has paid for a character, and the character's effect has begun.

    :raises IllegalChoice: for the first of these reasons: no character may be used now; this one is not in the match; its
        effect is not possible; the player has too few coins
    """
    # May the player use a character now, and is it one of this match?
    if play.stage is rules.Status.PLANNING:
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
    if not 1 <= action.character <= len(rules.Character):
        raise IllegalChoice(RuleFault.INVALID_INPUT, "there is no such character; expected a number from 1 to 12")
    character = rules.Character(action.character)
    card = position.card(character)
    if card is None:
        here = ", ".join(str(card.character.value) for card in position.cards)
        raise IllegalChoice(
            RuleFault.CHARACTER_NOT_IN_GAME, f"this character is not in this match; expected one of {here}"
        )
    if position.character is not None:
        raise IllegalChoice(RuleFault.ALREADY_PLAYED_CHARACTER, "a character was played in this turn already")
    # Is its effect possible, and has the player enough coins?
    effect = EFFECTS[character]
    effect.check(position)
    if position.school.coins < card.cost:
        raise IllegalChoice(
            RuleFault.NOT_ENOUGH_COINS, f"this character costs {card.cost}, there are {position.school.coins}"
        )
    # Pay for the character, and begin its effect.
    position = paid(position, card)
    say += (_to(position.seat, events.Success(position.seat)), To(events.PlayedCharacter(position.seat, character)))
    # The choice of a student without a destination is dropped.
    return _went_on(rules.evolve(play, position=position, picked=None), effect.started(position), say)


def _effect_student(
    play: Play, request: events.Ask, action: events.ChooseStudent, chance: Chance, say: events.Told
) -> Play:
    """
    Passes a student or a colour to the effect that has asked for it.

    :raises IllegalChoice: the request did not offer it
    """
    if play.effect is None:
        raise ValueError("an effect was answered and none is at work")
    if action.colour is None:
        if not (isinstance(request, events.AskCardStudent) and request.may_stop):
            # No student was chosen. This is an answer only if the request allows it.
            raise IllegalChoice(RuleFault.INVALID_INPUT, "something has to be chosen; expected a colour")
    elif isinstance(request, events.AskCardStudent) and not request.students[action.colour]:
        raise IllegalChoice(RuleFault.STUDENT_NOT_AVAILABLE, "no student of this colour is offered")
    return _went_on(play, play.effect.student(play.position, action.colour, chance), say)


def _effect_island(
    play: Play, request: events.AskDestination, action: events.ChooseDestination, chance: Chance, say: events.Told
) -> Play:
    """
    Passes an island to the effect that has asked for it.

    :raises IllegalChoice: there is no such island
    """
    if play.effect is None:
        raise ValueError("an effect was answered and none is at work")
    if not 1 <= action.destination <= request.islands:
        raise IllegalChoice(RuleFault.INVALID_INPUT, f"expected an island from 1 to {request.islands}")
    # The request counts islands from 1, an effect from 0.
    return _went_on(play, play.effect.island(play.position, action.destination - 1, chance), say)


def _went_on(play: Play, step: Step, say: events.Told) -> Play:
    """
    Continues after a part of an effect: sends its next request, or returns to the request of the phase when the effect is
    finished.
    """
    say += step.said
    # The effect has drawn the last student of the bag.
    newly_last = step.position.last_round and not play.position.last_round
    play = rules.evolve(play, position=step.position, effect=step.more)
    if newly_last:
        say.append(To(events.LastRound()))
    if step.more is not None:
        return _asked(play, step.more.ask(step.position), say)
    verdict = rules.ended_at_once(step.position)
    return _ask(play, say) if verdict is None else over(play, verdict)
