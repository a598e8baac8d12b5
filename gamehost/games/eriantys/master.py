"""
The referee of an Eriantys match, and the token that represents the game for tables and journals.

There is exactly one open request at any time: a request that a player has not answered yet. It is a value, so it can be sent
again: after a refusal, after a character, and to a player that comes back. An action either answers the request, or is refused
and changes nothing.

Legal actions can be listed from three kinds of views: a view of the master, a view for a search on the rules, and a view that
was read from messages. Messages do not contain all values of a view. So the list for the third kind may contain an answer that
the master refuses.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from attrs import define, field, frozen

from gamehost.games.base import Cause, Chance, IllegalAction, Result, Seat, To, any_of, shuffled
from gamehost.games.eriantys import events, phases, rules
from gamehost.games.eriantys.characters import EFFECTS, Effect
from gamehost.games.eriantys.phases import members
from gamehost.settings import BadOption, Settings, milliseconds, one_of, refuse_unknown, setting, yes_or_no


@frozen
class Rules:
    """The settings of a match, converted from their texts."""

    expert: bool = False
    planning_order: rules.PlanningOrder = rules.PlanningOrder.PREVIOUS
    #: The time for a decision, in milliseconds; 0: no limit.
    move_time: int = 0


@define(eq=False)
class EriantysMaster:
    """The referee of one match."""

    _match: rules.Match
    _rules: Rules
    _chance: Chance
    #: Before the deal: the choices of teams and wizards so far. After it: the match itself.
    _state: phases.Choices | phases.Play = field(init=False)
    deadline: int | None = field(init=False, default=None)
    result: Result | None = field(init=False, default=None)
    _won: events.Won | None = field(init=False, default=None)

    def __attrs_post_init__(self) -> None:
        self._state = phases.Choices(self._match)

    @property
    def request(self) -> events.Ask | None:
        """The open request; `None`: the match is over."""
        return None if self.result is not None else self._state.request

    @property
    def position(self) -> rules.Position | None:
        """The whole position, with its hidden values; `None` before the deal."""
        return self._state.position if isinstance(self._state, phases.Play) else None

    def begin(self, now: int) -> Sequence[To[events.Event]]:
        """Begins the match with the choices of teams and wizards. Nothing is dealt before these."""
        self._renew(now)
        # Everybody learns that the match has begun; only the asked player receives the request.
        request = self._state.request
        return [To(self._started), *([] if request is None else [To(request, (request.seat,))])]

    def act(self, seat: Seat, action: events.Action, now: int) -> Sequence[To[events.Event]]:
        """
        Performs an action of a seat: an answer to the request, or the use of a character.

        :raises IllegalChoice: the rules forbid the action; nothing has changed
        """
        request = self.request
        if request is None:
            raise events.IllegalChoice(events.RuleFault.INVALID_ACTION, "the match is over", ask_again=False)
        if seat != request.seat:
            raise events.IllegalChoice(events.RuleFault.WRONG_TURN, "another player is asked now", ask_again=False)
        say: events.Told = []
        self._state = self._after(action, say)
        if self.result is None and not self._half_done(say):
            # A whole decision: the time for the next one starts.
            self._renew(now)
        return say

    def _after(self, action: events.Action, say: events.Told) -> phases.Choices | phases.Play:
        """
        Returns the state of the match after an action. When the last choice is made, the match is dealt.

        :param say: the events are appended to this list
        """
        state = self._state
        if isinstance(state, phases.Choices):
            state = phases.chosen(state, action, say)
            if not state.complete:
                return state
            # All have chosen: the match is dealt, and its first turn begins.
            play = phases.opened(phases.dealt(state, self._chance), self._rules.planning_order, self._chance, say)
        elif isinstance(action, events.UseCharacter):
            play = phases.character_used(state, action, say)
        else:
            play = phases.answered(state, action, self._chance, say)
        if play.verdict is not None:
            self._end(play.verdict, say)
        return play

    def _half_done(self, say: events.Told) -> bool:
        """
        Whether a student was chosen without a destination, or the destination was refused. Such half decisions do not renew the
        time, because a player could repeat them for ever.
        """
        # `picked`: the student without a destination. `Denied` is always the first event of a refused destination.
        picked = isinstance(self._state, phases.Play) and self._state.picked is not None
        return picked or isinstance(say[0].event, events.Denied)

    def _renew(self, now: int) -> None:
        """Starts the time for the next decision."""
        if self._rules.move_time:
            self.deadline = now + self._rules.move_time

    def _end(self, verdict: rules.Verdict, say: events.Told) -> None:
        """Ends the match, and appends its last events to `say`."""
        self.deadline = None
        self.result = Result(verdict.winners, verdict.cause, verdict.why)
        for number in range(self._match.mode.seats):
            seat = Seat(number)
            status = rules.Status.WIN if seat in verdict.winners else rules.Status.LOSE
            say.append(To(events.PlayerStatus(seat, status), (seat,)))
        # A team is named by its first winner, the player with the towers. A shared victory has no such player.
        alone = verdict.team is not None or len(verdict.winners) == 1
        self._won = events.Won(verdict.team, verdict.winners, verdict.why, verdict.winners[0] if alone else None)
        say.append(To(self._won))
        say.append(To(events.Closing()))

    def forfeit(self, seat: Seat, now: int) -> Sequence[To[events.Event]]:
        return self._left(seat, Cause.LEFT)

    def expire(self, now: int) -> Sequence[To[events.Event]]:
        request = self.request
        return [] if request is None else self._left(request.seat, Cause.TIME)

    def to_move(self) -> Seat | None:
        return None if self.request is None else self.request.seat

    def view(self, seat: Seat | None) -> events.Event:
        """
        Returns the view of a seat, or of a watcher (`None`). Only the view of the asked seat contains the request,
        and the student that was chosen before.
        """
        request, position, state = self.request, self.position, self._state
        return events.Situation(
            match=self._started,
            board=None if position is None else events.board_of(position),
            request=None if request is None or request.seat != seat else request,
            won=self._won,
            turn=None if request is None else request.seat,
            statuses=self._statuses(),
            teams=self._teams(),
            picked=state.about
            if isinstance(state, phases.Play) and request is not None and request.seat == seat
            else None,
        )

    def _statuses(self) -> tuple[rules.Status, ...]:
        """Returns the present phase of each seat; after the end, whether it has won."""
        seats, request, state = map(Seat, range(self._match.mode.seats)), self.request, self._state
        if self.result is not None:
            return tuple(rules.Status.WIN if seat in self.result.winners else rules.Status.LOSE for seat in seats)
        # Before the deal, all seats count as waiting.
        asked = request.seat if request is not None and isinstance(state, phases.Play) else None
        stage = state.stage if isinstance(state, phases.Play) else rules.Status.WAITING
        return tuple(stage if seat == asked else rules.Status.WAITING for seat in seats)

    def _teams(self) -> tuple[tuple[Seat, ...], ...]:
        """Returns the seats of each team."""
        state = self._state
        towers = [school.tower for school in state.position.schools] if isinstance(state, phases.Play) else state.towers
        return members(self._match, towers)

    def state(self) -> object:
        """Returns the whole position with the bag, and the choices of an unfinished decision."""
        return self._state

    @property
    def _started(self) -> events.MatchStarted:
        """The event of the beginning. Before the deal, the order around the table is not known."""
        position = self.position
        return events.MatchStarted(
            self._match.mode.seats, self._match.expert, None if position is None else position.seating
        )

    def _left(self, seat: Seat, cause: Cause) -> Sequence[To[events.Event]]:
        """Ends the match because a player has left."""
        state, say = self._state, list[To[events.Event]]()
        if isinstance(state, phases.Play):
            # After the deal, towers and professors decide.
            self._end(rules.left(state.position, seat, cause), say)
        else:
            self._end(rules.left_before_deal(self._match.mode.seats, state.towers, seat, cause), say)
        return say


@frozen
class Eriantys:
    """The token of Eriantys: the game as tables and journals use it."""

    name: ClassVar[str] = "eriantys"
    version: ClassVar[int] = 1
    least_seats: ClassVar[int] = min(rules.MODES)
    most_seats: ClassVar[int] = max(rules.MODES)
    choices: ClassVar[frozenset[str]] = frozenset({"expert", "planning_order"})
    usual: ClassVar[Settings] = {"expert": "no"}
    options: ClassVar[Mapping[str, str]] = {
        "expert": "whether the twelve characters and coins are in the game: yes or no (no)",
        "planning_order": (
            "who plays an assistant first from the second round on: previous, the order of the round before, or "
            "clockwise, around the table from the player who acted first in it (previous)"
        ),
        "move_time": "seconds for one decision, 0 for no limit (0); a player that runs out of time has left the match",
    }

    def check(self, settings: Settings) -> None:
        self._rules(settings)

    def new_master(self, seats: int, settings: Settings, chance: Chance) -> EriantysMaster:
        """Makes a master for one match. A match has two, three or four seats."""
        agreed = self._rules(settings)
        if seats not in rules.MODES:
            raise BadOption(f"seats: expected from {self.least_seats} to {self.most_seats}, got {seats}")
        return EriantysMaster(rules.Match(rules.MODES[seats], agreed.expert), agreed, chance)

    write = staticmethod(events.write)
    read = staticmethod(events.read)

    def legal(self, view: events.Situation, seat: Seat) -> Iterator[events.Action]:
        """Yields the possible answers to this seat's open request, and then the characters that the seat can use."""
        request, board = view.request, view.board
        if request is None or request.seat != seat:
            # This seat is not asked now.
            return
        position = None if board is None else public_position(board, seat)
        yield from phases.answers(request, position, view.picked)
        if position is not None and events.allows_character(request):
            yield from phases.usable(position)

    def sequels(self, view: events.Situation, seat: Seat, action: events.Action) -> Iterator[events.Action]:
        """Yields the possible destinations of a student of the entrance, after the choice of this student."""
        if (
            view.board is None
            or not isinstance(view.request, events.AskStudent)
            or not isinstance(action, events.ChooseStudent)
        ):
            raise IllegalAction("only what follows a student of the entrance is known beforehand")
        if action not in self.legal(view, seat):
            raise IllegalAction("there is no such student in the entrance")
        # The request that would follow, also with the dining room.
        where = events.AskDestination(seat, len(view.board.islands), dining_room=True)
        return phases.answers(where, public_position(view.board, seat), action.colour)

    def random_action(self, view: events.Situation, seat: Seat, below: Callable[[int], int]) -> events.Action | None:
        return any_of(self.legal(view, seat), below)

    def follow(self, view: events.Situation | None, event: Any, seat: Seat | None) -> events.Situation | None:
        """Returns the view of a seat after an event: the board, the seat to move, and the request to this seat."""
        match event:
            case events.Situation():
                return event
            case events.MatchStarted(seats):
                # No team has a member yet. The first seat chooses first.
                nobody = ((),) * len(rules.MODES[seats].places)
                return events.Situation(event, turn=Seat(0), statuses=(rules.Status.WAITING,) * seats, teams=nobody)
            # All other events need a view that they change.
            case _ if view is None:
                return None
            # The colour of the towers is the place of the team in `teams`. The next seat chooses next; after the last
            # one, the first.
            case events.TowerChosen(chooser, tower):
                teams = tuple((*team, chooser) if place == tower else team for place, team in enumerate(view.teams))
                return rules.evolve(view, teams=teams, turn=Seat((chooser + 1) % view.match.seats))
            case events.WizardChosen(chooser):
                return rules.evolve(view, turn=Seat((chooser + 1) % view.match.seats))
            case events.Picked(_, colour):
                return rules.evolve(view, picked=colour)
            # The open request was answered.
            case events.Success() | events.Denied() | events.EndOfTurn():
                return rules.evolve(view, request=None, picked=None)
            case events.Won(_, winners):
                statuses = tuple(
                    rules.Status.WIN if one in winners else rules.Status.LOSE for one in range(view.match.seats)
                )
                return rules.evolve(view, request=None, picked=None, won=event, turn=None, statuses=statuses)
            case _ if isinstance(event, events.ASKS):
                # Only these two requests are about the student that was chosen before.
                about = isinstance(event, events.AskDestination) or (
                    isinstance(event, events.AskCardStudent) and not event.may_stop
                )
                return rules.evolve(view, request=event, picked=view.picked if about else None)
        return _on_board(view, event)

    def determinized(self, view: events.Situation, seat: Seat, chance: Chance) -> EriantysMaster:
        """
        Returns a master of a match with random hidden hands: those of the other seats, and this seat's hand too unless the seat
        is asked for an assistant. The contents of the bag follow from the board. If a character's effect is not finished, the
        effect begins again, because its progress is not known.
        """
        match = rules.Match(rules.MODES[view.match.seats], view.match.expert)
        master = EriantysMaster(match, Rules(match.expert), chance)
        # Before the deal there is no board.
        master._state = begun(view, match, chance) if view.board is None else playing(view, view.board, chance)
        return master

    def _rules(self, settings: Settings) -> Rules:
        """
        Reads the settings of a match.

        :raises BadOption: a setting is unknown, or its value is not valid
        """
        refuse_unknown(settings, self.options)
        return Rules(
            expert=setting(settings, "expert", False, yes_or_no),
            planning_order=rules.PlanningOrder(
                setting(settings, "planning_order", rules.PlanningOrder.PREVIOUS.value, one_of(*_PLANNING_ORDERS))
            ),
            move_time=setting(settings, "move_time", 0, milliseconds),
        )


_PLANNING_ORDERS = tuple(order.value for order in rules.PlanningOrder)
ERIANTYS = Eriantys()


# Functions that compute from the knowledge of one seat


def public_position(board: events.Board, seat: Seat) -> rules.Position:
    """Returns the position as far as a board shows it, with `seat` to move. The bag and the hands are empty."""
    teams = []
    for tower in rules.Tower:
        # In a team, the seat with the towers is the first one.
        members = [Seat(number) for number, school in enumerate(board.schools) if school.tower is tower]
        members.sort(key=lambda seat: not board.schools[seat].tower_holder)
        if members:
            teams.append(rules.Team(tower, tuple(members)))
    # If the board has no order of turns, the played assistants decide.
    order = board.phase_order or tuple(sorted(map(Seat, range(len(board.schools))), key=lambda one: _card(board, one)))
    return rules.Position(
        match=rules.Match(rules.MODES[len(board.schools)], board.expert),
        teams=tuple(teams),
        seating=board.order,
        schools=board.schools,
        hands=((),) * len(board.schools),
        islands=board.islands,
        clouds=board.clouds,
        bag=rules.NO_STUDENTS,
        cards=board.cards,
        supply=board.supply,
        # A board counts islands from 1, a position from 0.
        mother_nature=board.mother_nature - 1,
        professors=board.professors,
        round=board.round,
        order=order,
        turn=order.index(seat),
        character=board.active_character,
        banned=board.banned,
    )


def _card(board: events.Board, seat: Seat) -> int:
    """Returns the assistant that a player has played in this round. Players without one come last."""
    return board.schools[seat].played or 99


# Making a match that fits a view


def begun(view: events.Situation, match: rules.Match, chance: Chance) -> phases.Choices:
    """
    Returns the choices before the deal, from the view of the seat that must choose. The owners of the wizards are drawn at
    random.
    """
    towers = {seat: rules.Tower(place) for place, team in enumerate(view.teams) for seat in team}
    # The wizards that were chosen: those that the request does not offer. While teams are chosen, there are none.
    taken = [
        wizard
        for wizard in rules.WIZARDS
        if isinstance(view.request, events.AskWizard) and wizard not in view.request.wizards
    ]
    return phases.Choices(match, tuple(towers[seat] for seat in sorted(towers)), tuple(shuffled(taken, chance)))


def bag_of(board: events.Board) -> rules.Students:
    """Returns the number of students of each colour in the bag: all students that are not visible."""
    seen = rules.NO_STUDENTS
    for school in board.schools:
        seen = rules.together(rules.together(seen, school.entrance), school.dining)
    for heap in (*(island.students for island in board.islands), *board.clouds, *(c.students for c in board.cards)):
        seen = rules.together(seen, heap)
    # Never negative, even if a board shows too many students.
    return tuple(max(0, rules.STUDENTS_OF_A_COLOUR - count) for count in seen)


def playing(view: events.Situation, board: events.Board, chance: Chance) -> phases.Play:
    """Returns a match after the deal that fits a view. Hands are drawn at random, except one that the view shows."""
    request = view.request
    # The view of a seat that is not asked contains no request.
    seat = view.turn if request is None else request.seat
    assert seat is not None
    hands = []
    for school in board.schools:
        cards = shuffled([card for card in rules.ASSISTANTS if card != school.played], chance)
        # As many random assistants as the player still has, without the one that lies on the table.
        hands.append(tuple(sorted(cards[: school.assistants])))
    if isinstance(request, events.AskAssistant):
        # The request shows the hand.
        hands[seat] = request.hand
    # The position, with everything that the board shows. A bag without students means that this is the last round.
    bag = bag_of(board)
    position = rules.evolve(public_position(board, seat), hands=tuple(hands), bag=bag, last_round=not any(bag))
    stage, mode = view.statuses[seat], position.match.mode
    # How many students were moved in this turn: as many as are missing in the entrance.
    moved = mode.entrance - sum(position.school.entrance) if stage is rules.Status.MOVE_1 else mode.moves
    play = phases.Play(position, rules.PlanningOrder.PREVIOUS, stage, request, max(0, min(moved, mode.moves)))
    # If a character asks, continue its effect. A destination with the dining room is that of a normal move.
    asks_student = isinstance(request, events.AskDestination) and request.dining_room
    if asks_student or not isinstance(request, events.AskDestination | events.AskCardStudent | events.AskColour):
        return rules.evolve(play, picked=view.picked)
    assert board.active_character is not None
    effect: Effect | None = EFFECTS[board.active_character]
    if effect is not None and view.picked is not None:
        # Its first request was answered already: repeat this answer.
        effect = effect.student(position, view.picked, chance).more
    return rules.evolve(play, effect=effect)


# Changing a view after an event


def _on_board(view: events.Situation, event: Any) -> events.Situation:
    """Returns a view after an event that changes its board."""
    board = view.board
    match event:
        case events.Board():
            return _at_stage(view, event)
        case _ if board is None:
            return view
        case events.StartOfTurn(_, seat):
            # A board that was read from messages has no order of turns.
            turn = board.phase_order.index(seat) if board.phase_order else board.turn
            return _waits(rules.evolve(view, board=rules.evolve(board, turn=turn)), seat, rules.Status.MOVE_1)
        case events.PlayedAssistant(seat, assistant):
            return _assistant_played(view, board, seat, assistant)
        case events.PlayedCharacter(seat, character):
            return rules.evolve(view, board=_character_paid(board, seat, character))
    return view


def _waits(view: events.Situation, seat: Seat, stage: rules.Status) -> events.Situation:
    """Returns a view in which this seat is to act, in this phase."""
    statuses = tuple(stage if one == seat else rules.Status.WAITING for one in range(view.match.seats))
    return rules.evolve(view, turn=seat, statuses=statuses)


def _at_stage(view: events.Situation, board: events.Board) -> events.Situation:
    """
    Returns a view with a new board. The board may show that a player has moved all students, or Mother Nature; then the next
    phase has begun.
    """
    before, match = view.board, view.match
    view = rules.evolve(view, board=board, match=events.MatchStarted(match.seats, match.expert, board.order))
    if before is None:
        # The first board is the deal: from now on, the school boards show the teams.
        seats = tuple(map(Seat, range(match.seats)))
        teams = (
            tuple(seat for seat in seats if board.schools[seat].tower == place) for place in range(len(view.teams))
        )
        view = rules.evolve(view, teams=tuple(teams))
    if not board.phase_order:
        # A board that was read from messages has no order of turns, so the phase stays as it is.
        return view
    seat, mode = board.phase_order[board.turn], rules.MODES[match.seats]
    stage = view.statuses[seat]
    if all(school.played is None for school in board.schools):
        # Nobody has played an assistant in this round.
        stage = rules.Status.PLANNING
    elif before is not None and before.unresolved and not board.unresolved:
        # The influence on Mother Nature's island was counted, so she has moved.
        stage = rules.Status.MOVE_3
    elif stage is rules.Status.MOVE_1 and sum(board.schools[seat].entrance) == mode.entrance - mode.moves:
        # All students of this turn have left the entrance.
        stage = rules.Status.MOVE_2
    return _waits(view, seat, stage)


def _with_school(board: events.Board, seat: Seat, school: rules.School) -> events.Board:
    """Returns a board with another school board for a seat."""
    return rules.evolve(board, schools=(*board.schools[:seat], school, *board.schools[seat + 1 :]))


def _assistant_played(view: events.Situation, board: events.Board, seat: Seat, assistant: int) -> events.Situation:
    """Returns a view after a seat has played an assistant. After the last one, the assistants decide the order of turns."""
    school = board.schools[seat]
    board = _with_school(board, seat, rules.evolve(school, played=assistant, assistants=school.assistants - 1))
    turn = board.turn + 1
    if not board.phase_order:
        # Not known: the board was read from messages.
        return rules.evolve(view, board=board)
    if turn < len(board.phase_order):
        board = rules.evolve(board, turn=turn)
        return _waits(rules.evolve(view, board=board), board.phase_order[turn], rules.Status.PLANNING)
    # Players with equal assistants keep their order, because `sorted` is stable.
    order = tuple(sorted(board.phase_order, key=lambda one: _card(board, one)))
    return rules.evolve(view, board=rules.evolve(board, phase_order=order, turn=0))


def _character_paid(board: events.Board, seat: Seat, character: rules.Character) -> events.Board:
    """Pays for a character on the old board, because the next board comes only after the effect of the character."""
    for place, card in enumerate(board.cards):
        if card.character is character:
            # One coin of the first payment remains on the card, so the card costs one more from then on.
            kept = 0 if card.used else 1
            school = board.schools[seat]
            board = _with_school(board, seat, rules.evolve(school, coins=school.coins - card.cost))
            cards = (
                *board.cards[:place],
                rules.evolve(card, used=True, cost=card.cost + kept),
                *board.cards[place + 1 :],
            )
            board = rules.evolve(board, cards=cards, supply=board.supply + card.cost - kept, active_character=character)
    return board
