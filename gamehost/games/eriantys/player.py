"""
The house player of Eriantys. For its own turn it uses a beam search. For the choice of an assistant, it samples the hands of
the other players.

A seat sees nearly everything: only the order of the bag and the others' next assistants are unknown. The player answers every
request, even in the middle of a decision after it has come back.

The contents of the bag can be computed, because all other students are visible. The other players' hands can be computed too,
if the seat was present when their assistants were played.

The search for a turn uses the rules themselves. A decision is a student with its destination, the steps of Mother Nature, a
cloud, or a character with all its choices. After each decision, only the best positions remain in the search.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import exp
from typing import Any

from attrs import define, field, frozen
from msgspec import Struct

from gamehost.games.base import Chance, Seat
from gamehost.games.eriantys import events, rules
from gamehost.games.eriantys.master import ERIANTYS, bag_of, public_position
from gamehost.games.eriantys.phases import Play, answered, answers, character_used, usable
from gamehost.players.base import Budget, Level, Thinking, Weighed, best_on_average, expected

# The knowledge of a seat


@define(eq=False)
class Seen:
    """The knowledge of one seat, from the events that it has received."""

    seat: Seat
    #: The view of this seat; `None`: the match has not begun.
    view: events.Situation | None = None
    #: The own hand; and the assistants that each seat has played.
    hand: tuple[int, ...] = rules.ASSISTANTS
    played: dict[Seat, set[int]] = field(factory=dict)
    last_round: bool = False
    #: The colour that this seat has chosen for the harvester in this turn.
    banned: rules.Colour | None = None
    #: The number of students in the own entrance at the beginning of the turn.
    _entrance: int = field(init=False, default=0)

    @property
    def board(self) -> events.Board | None:
        return None if self.view is None else self.view.board

    @property
    def request(self) -> events.Ask | None:
        return None if self.view is None else self.view.request

    def hear(self, event: Any) -> None:
        """Updates the view of this seat after an event, and remembers what no view contains."""
        self.view = ERIANTYS.follow(self.view, event, self.seat)
        match event:
            case events.Situation():
                self._come_in(event)
            case events.PlayedAssistant(seat, assistant):
                self.played.setdefault(seat, set()).add(assistant)
            case events.StartOfTurn(_, seat) if seat == self.seat and self.board is not None:
                self._entrance = sum(self.board.schools[seat].entrance)
            case events.LastRound():
                self.last_round = True
            case events.AskAssistant(_, hand):
                # A new round has begun, so the effect of the harvester has ended.
                self.hand, self.banned = hand, None

    def _come_in(self, situation: events.Situation) -> None:
        """Takes over a view, after the player has come back."""
        self._entrance = rules.MODES[situation.match.seats].entrance
        if isinstance(situation.request, events.AskAssistant):
            self.hand = situation.request.hand
        # Round 0 is the time before the first planning phase. An empty bag means that no further round is possible.
        if situation.board is not None and situation.board.round and not situation.board.bag:
            self.last_round = True

    def _hands(self, board: events.Board) -> tuple[tuple[int, ...], ...]:
        """Returns the hands of all seats. Unknown hands have the right number of assistants."""
        hands = []
        for number, school in enumerate(board.schools):
            gone = self.played.get(Seat(number), set())
            hand = tuple(card for card in (self.hand if number == self.seat else rules.ASSISTANTS) if card not in gone)
            if len(hand) != school.assistants:
                # The player was away when assistants were played. The number is right, the assistants may be wrong.
                hand = hand[: school.assistants] or rules.ASSISTANTS[: school.assistants]
            hands.append(hand)
        return tuple(hands)

    def position(self) -> rules.Position | None:
        """Returns the position with this seat to move; `None` before the deal."""
        board = self.board
        if board is None:
            return None
        order = self._order(board)
        return rules.evolve(
            public_position(board, self.seat),
            hands=self._hands(board),
            bag=bag_of(board),
            order=order,
            turn=order.index(self.seat),
            banned=self.banned,
            last_round=self.last_round,
        )

    def _order(self, board: events.Board) -> tuple[Seat, ...]:
        """Returns the order of turns in this round, by the played assistants."""
        seats = [Seat(number) for number in range(len(board.schools))]
        # A seat without an assistant comes last: 99 is more than any assistant.
        return tuple(sorted(seats, key=lambda seat: board.schools[seat].played or 99))

    def play(self) -> Play | None:
        """
        Returns the own turn as a match of the rules, while a student, steps or a cloud is requested.

        :returns: `None`: there is no position yet, or no request
        """
        position, request = self.position(), self.request
        if position is None or request is None:
            return None
        # All other requests come while students are moved.
        stage = {events.AskSteps: rules.Status.MOVE_2, events.AskCloud: rules.Status.MOVE_3}.get(
            type(request), rules.Status.MOVE_1
        )
        # How many students were moved in this turn: as many as are missing in the entrance.
        moves = position.match.mode.moves
        moved = self._entrance - sum(position.school.entrance) if stage is rules.Status.MOVE_1 else moves
        return Play(position, rules.PlanningOrder.PREVIOUS, stage, request, moved=max(0, min(moved, moves)))


# The own turn


WON = 100_000


def options(play: Play, *, characters: bool, once: bool = True) -> Iterator[events.Action]:
    """
    Yields the possible answers to the open request.

    :param characters: whether characters may be used before Mother Nature moves
    :param once: whether exchanges of students end after the first one
    """
    request = play.request
    if request is None:
        return
    stop = events.ChooseStudent(None)
    # `stop`: the answer that no more students are exchanged. It is added below if it is useful.
    found = [action for action in answers(request, play.position, play.about) if action != stop]
    swapped = getattr(play.effect, "swaps", 0)
    if isinstance(request, events.AskCardStudent) and request.may_stop:
        # Before the first exchange, `stop` would only waste the coins. With `once`, it is the only answer after the
        # first exchange.
        if swapped or not once:
            yield stop
        if swapped and once:
            return
    elif isinstance(request, events.AskDestination) and play.about is None:
        # A player that has just come back does not know the chosen student, so the dining room may not be possible.
        found = [action for action in found if action != events.ChooseDestination(0)]
    yield from found
    # Characters are considered only before Mother Nature moves, so that the search stays small.
    if characters and isinstance(request, events.AskSteps):
        yield from usable(play.position)


def after(play: Play, action: events.Action, chance: Chance) -> Play:
    """
    Returns the match after an answer.

    :raises IllegalChoice: the rules refuse it
    """
    if isinstance(action, events.UseCharacter):
        # The events of the action are not needed, so they go into a list that is dropped.
        return character_used(play, action, [])
    return answered(play, action, chance, [])


def worth(position: rules.Position, seat: Seat) -> float:
    """
    Returns the value of a position for a seat's team, compared with the best other team.

    Towers count most. Professors, islands that would get a new owner, and students in the dining room count less. Coins count
    least.
    """
    if position.character is not None or position.banned is not None:
        # The effect of a character ends with the turn.
        position = rules.evolve(position, character=None, banned=None)
    scores = [_assets(position, team.seats) for team in position.teams]
    # Add the islands that would change their owner. Islands that Mother Nature can reach soon count more.
    walk = {(position.mother_nature + steps) % len(position.islands) for steps in range(1, 6)}
    for place, island in enumerate(position.islands):
        counts = rules.influences(position, island)
        most = max(counts)
        near = 1.6 if place in walk else 1.0
        leader = counts.index(most)
        if counts.count(most) == 1 and position.teams[leader].tower is not island.tower:
            scores[leader] += 14 * near * len(island.members)
        # Influence counts a little, also without the island.
        for number, count in enumerate(counts):
            scores[number] += 1.5 * near * count
    own = next(number for number, team in enumerate(position.teams) if seat in team.seats)
    return scores[own] - max(score for number, score in enumerate(scores) if number != own)


def _assets(position: rules.Position, seats: Sequence[Seat]) -> float:
    """Returns the value of the towers, coins, students and professors of a team."""
    score = 0.0
    for seat in seats:
        school = position.schools[seat]
        # Towers on the own board are not built yet.
        score -= 100 * school.towers
        score += 2.5 * min(school.coins, 6)
        for colour, students in enumerate(school.dining):
            # The more students a table has, the less each of them is worth.
            score += (4.0, 3.5, 3.0, 2.5)[min(students, 3)] * students
            if position.professors[colour] == seat:
                # A larger lead over the other players makes the professor safer.
                others = max(other.dining[colour] for other in position.schools if other is not school)
                score += 32 + 4 * min(3, students - others) + 0.8 * school.entrance[colour]
        # Different colours in the entrance leave more choices.
        score += 1.2 * sum(map(bool, school.entrance))
    return score


class Line(Struct, frozen=True, gc=False):
    """One sequence of answers in the search for a turn, and the match after them."""

    play: Play
    actions: tuple[events.Action, ...]
    value: float


def value_of(play: Play, seat: Seat) -> float:
    """Returns the value of a match for a seat, before its end or after it."""
    if play.verdict is None:
        return worth(play.position, seat)
    if seat not in play.verdict.winners:
        return -WON
    return WON / len(play.verdict.winners)


@frozen
class Beam:
    """The bounds of the search for a turn."""

    #: The number of positions that remain after each decision.
    width: int
    #: Whether the search also uses characters.
    characters: bool
    #: A random number between minus and plus this is added to the value of each decision, so that weaker levels make mistakes.
    noise: int = 0


def turn_lines(play: Play, beam: Beam, chance: Chance, budget: Budget) -> list[Line]:
    """
    Returns sequences of answers for the rest of the turn of the seat that must answer, the best first; at least one.

    When the budget is used up, the search continues with only one position.
    """
    seat = play.position.seat
    lines, ended = [Line(play, (), 0.0)], list[Line]()
    while lines:
        found: dict[tuple[rules.Position, int], Line] = {}
        for line in lines:
            for one in _decisions(line, seat, beam, chance):
                budget.nodes -= 1
                if is_own(one.play, seat):
                    # Two sequences may lead to the same position: the first one is kept.
                    found.setdefault((one.play.position, one.play.moved), one)
                else:
                    # The turn or the match is over.
                    ended.append(one)
        width = beam.width if budget.nodes > 0 else 1
        lines = sorted(found.values(), key=lambda line: -line.value)[:width]
        # Only the best are of interest. This limits the memory.
        if len(ended) > 12:
            ended = sorted(ended, key=lambda line: -line.value)[:12]
    return sorted(ended, key=lambda line: -line.value)


def is_own(play: Play, seat: Seat) -> bool:
    """Whether the turn of this seat is still running."""
    return play.verdict is None and play.stage is not rules.Status.PLANNING and play.position.seat == seat


def _decisions(line: Line, seat: Seat, beam: Beam, chance: Chance) -> Iterator[Line]:
    """Yields the sequence with each possible next decision. The use of a character is part of the decision after it."""
    open_ends = [(line.play, line.actions)]
    while open_ends:
        play, actions = open_ends.pop()
        for action in options(play, characters=beam.characters):
            try:
                following = after(play, action, chance)
            except events.IllegalChoice:
                continue  # `options` also yields a few answers that the effect of a character refuses
            way = (*actions, action)
            # Continue until the decision is complete: a student has its destination, and no effect has another request.
            unfinished = following.picked is not None or following.effect is not None
            # A character alone is no decision: the answer after it belongs to it.
            of_character = play.effect is not None or isinstance(action, events.UseCharacter)
            if following.verdict is None and (unfinished or of_character):
                open_ends.append((following, way))
            else:
                noise = chance.below(2 * beam.noise + 1) - beam.noise if beam.noise else 0
                yield Line(following, way, value_of(following, seat) + noise)


# The player


@frozen
class Style:
    """How a player of one level searches."""

    beam: Beam
    #: How many hands of the other players are sampled for the choice of an assistant; 0: the choice is random.
    worlds: int
    nodes: int


STYLE: Mapping[Level, Style] = {
    Level.EASY: Style(Beam(1, characters=False, noise=25), worlds=0, nodes=2_000),
    Level.MEDIUM: Style(Beam(1, characters=True, noise=6), worlds=2, nodes=3_000),
    Level.HARD: Style(Beam(12, characters=True), worlds=8, nodes=12_000),
}
_SECONDS = 1.0
#: For studies: the bounds of the search, the number of sampled hands, and the value of a clear lead.
STUDIED, HANDS, LEAD = Beam(3, characters=False), 4, 90


@define(eq=False)
class EriantysPlayer:
    """The house player of one seat."""

    seat: Seat
    level: Level
    thinking: Thinking
    seen: Seen = field(init=False)
    #: The answers that the search has found for this turn, for requests that have not come yet.
    _plan: tuple[events.Action, ...] = field(init=False, default=())
    #: The last answered request, and the answer.
    _answered: tuple[events.Ask, events.Action] | None = field(init=False, default=None)
    _refused: set[bytes] = field(init=False, factory=set)
    #: For studies: the match in the middle of a decision, after the last action that was compared.
    _begun: Play | None = field(init=False, default=None)

    def __attrs_post_init__(self) -> None:
        self.seen = Seen(self.seat)

    def hear(self, event: Any) -> None:
        """Learns from an event. A new request means that the last answer was accepted."""
        before = self.seen.request
        self.seen.hear(event)
        if isinstance(event, events.Denied):
            # The destination was refused: the plan is of no use.
            self._plan, self._answered = (), None
        elif self.seen.request is not before:
            self._refused.clear()
            if self._answered is not None:
                # Remove the accepted answer from the plan. If it was not the planned one, the plan is dropped.
                _, action = self._answered
                self._plan = self._plan[1:] if self._plan[:1] == (action,) else ()
                self._answered = None

    def refused(self, notation: bytes) -> None:
        """Notes an answer that the host has refused, in the middle of a decision. The next answer is another one."""
        self._refused.add(notation)
        self._plan, self._answered = (), None

    def answer(self) -> bytes | None:
        """The answer to the open request, in the game's notation; `None`: there is no request."""
        request = self.seen.request
        if request is None:
            return None
        # The same request gets the same answer.
        if self._answered is None or self._answered[0] is not request:
            self._answered = (request, self._action(request))
        action = self._answered[1]
        if isinstance(request, events.AskColour) and isinstance(action, events.ChooseStudent):
            board = self.seen.board
            if board is not None and board.active_character is rules.Character.HARVESTER:
                # No event contains the colour, but the player needs it for the rest of its turn.
                self.seen.banned = action.colour
        return events.write(action)

    def continuation(self) -> bytes | None:
        """Returns the destination of the student that was the last answer; `None`: there is none."""
        if not isinstance(self.seen.request, events.AskStudent) or len(self._plan) < 2:
            return None
        # The plan begins with the student that was the last answer, and its destination follows.
        student, destination = self._plan[:2]
        return events.write(destination) if isinstance(student, events.ChooseStudent) else None

    def _action(self, request: events.Ask) -> events.Action:
        """Chooses the answer to a request at this level."""
        match request:
            case events.AskTower(_, left, _):
                # The team with the most free places; of equal ones the first.
                return events.ChooseTower(rules.Tower(max(range(len(left)), key=lambda tower: (left[tower], -tower))))
            case events.AskWizard(_, wizards):
                return events.ChooseWizard(wizards[self.thinking.chance.below(len(wizards))])
        play = self.seen.play()
        if play is None or self.level is Level.RANDOM or (self._refused and not self._plan):
            # After a refusal in the middle of a decision, any other answer is taken.
            return self._any(request, play)
        if isinstance(request, events.AskAssistant):
            return self._assistant(play, request)
        allowed = set(options(play, characters=True, once=False))
        if not self._plan or (self._plan[0] not in allowed and not isinstance(request, events.AskDestination)):
            if isinstance(request, events.AskDestination) or not events.allows_character(request):
                # In the middle of a decision, which the search cannot begin with: the player has just come back.
                return self._any(request, play)
            self._plan = self._turn(play)
        return self._plan[0] if self._plan else self._any(request, play)

    def _any(self, request: events.Ask, play: Play | None) -> events.Action:
        """Returns a random answer to a request, or sometimes a character."""
        chance = self.thinking.chance
        if play is None:
            # Without a board the possible answers are not known.
            return events.ChooseDestination(1)
        if isinstance(request, events.AskDestination) and request.dining_room and not chance.below(2):
            # Half of the students go to the dining room.
            found: list[events.Action] = [events.ChooseDestination(0)]
        else:
            found = list(options(play, characters=False, once=False))
        if isinstance(request, events.AskSteps) and not chance.below(3):
            # In one of three turns, characters are among the answers.
            found += usable(play.position)
        # If all answers were refused, they are all tried again.
        found = [action for action in found if events.write(action) not in self._refused] or found
        return chance.one_of(found)

    def _turn(self, play: Play) -> tuple[events.Action, ...]:
        """Searches for the best answers for the rest of the turn."""
        style, chance = STYLE[self.level], self.thinking.chance
        budget = self.thinking.budget(style.nodes, _SECONDS)
        lines = turn_lines(play, style.beam, chance, budget)
        return lines[0].actions if lines else ()

    def _assistant(self, play: Play, request: events.AskAssistant) -> events.PlayAssistant:
        """Returns the assistant with the highest average value, over samples of the other players' assistants."""
        style, chance = STYLE[self.level], self.thinking.chance
        cards = [
            action.assistant for action in options(play, characters=False) if isinstance(action, events.PlayAssistant)
        ]
        if not style.worlds:
            # A weak level plays a random assistant.
            return events.PlayAssistant(chance.one_of(cards))

        def value(others: Mapping[Seat, int], card: int) -> float:
            return round_value(play.position, self.seat, {**others, self.seat: card})

        sample = partial(self._others, play.position, dict(request.played))
        return events.PlayAssistant(best_on_average(cards, sample, value, style.worlds, least=3))

    def _others(self, position: rules.Position, known: Mapping[Seat, int]) -> Mapping[Seat, int]:
        """Returns an assistant for each other player: the one that was played, or a random one of the hand."""
        chance = self.thinking.chance
        return {
            # An empty hand counts as the assistant 10.
            seat: known.get(seat) or chance.one_of(position.hands[seat] or (10,))
            for seat in position.order
            if seat != self.seat
        }

    # -- a study

    def weigh(self, action: bytes) -> Weighed | None:
        """
        Compares an assistant or a decision of a turn with the best one, for a study. Choices of team, wizard and character
        targets are not compared.
        """
        request, choice = self.seen.request, events.read(action)
        # In the middle of a decision, the match after its first part is used: no view contains it.
        play, self._begun = self._begun or self.seen.play(), None
        if play is None or request is None:
            return None
        if isinstance(request, events.AskAssistant) and isinstance(choice, events.PlayAssistant):
            best, lost = self._weighed_assistant(play, request, choice)
        else:
            found = self._weighed_turn(play, choice)
            if found is None:
                return None
            best, lost = found
        values = [worth(play.position, Seat(seat)) for seat in range(len(play.position.schools))]
        # Turn the values of all players into shares of a victory.
        # The odds of each player to win, such as 3 for three of four matches.
        odds = [expected(value, 2 * LEAD) / expected(-value, 2 * LEAD) for value in values]
        own = odds[self.seat] / sum(odds)
        # The same after the mistake.
        less = odds[self.seat] * exp(-lost / LEAD)
        after_it = less / (sum(odds) - odds[self.seat] + less)
        return Weighed(tuple(one / sum(odds) for one in odds), events.write(best), own - after_it)

    def _weighed_assistant(
        self, play: Play, request: events.AskAssistant, choice: events.PlayAssistant
    ) -> tuple[events.Action, float]:
        """Returns the best assistant, and how much lower the value of the played one is."""
        hands = [self._others(play.position, dict(request.played)) for _ in range(HANDS)]
        values = {
            action: sum(round_value(play.position, self.seat, {**hand, self.seat: action.assistant}) for hand in hands)
            for action in options(play, characters=False)
            if isinstance(action, events.PlayAssistant)
        }
        best = max(values, key=values.__getitem__)
        # An assistant that was not compared counts as the best one. The values are sums over all sampled hands.
        return best, (values[best] - values.get(choice, values[best])) / HANDS

    def _weighed_turn(self, play: Play, choice: events.Action) -> tuple[events.Action, float] | None:
        """Returns the best action, and how much lower the value of the turn is after the chosen action."""
        try:
            following = after(play, choice, self.thinking.chance)
        except events.IllegalChoice:
            return None
        if following.picked is not None or following.effect is not None:
            # The decision continues: the next action is compared from here.
            self._begun = following
        lines = turn_lines(play, STUDIED, self.thinking.chance, Budget(1_000_000))
        if not lines or not lines[0].actions:
            return None
        best = lines[0]
        value = value_of(following, self.seat)
        if is_own(following, self.seat):
            # The turn continues, so its end is found by a search, too.
            value = turn_lines(following, STUDIED, self.thinking.chance, Budget(1_000_000))[0].value
        return best.actions[0], max(0.0, best.value - value)


def round_value(position: rules.Position, seat: Seat, cards: Mapping[Seat, int]) -> float:
    """
    Returns the value of a round in which each player only moves Mother Nature to the best island in reach.

    :param cards: the assistant of each seat
    """
    # By the assistants. Of equal ones, this seat is first.
    order: Sequence[Seat] = sorted(cards, key=lambda one: (cards[one], one != seat))
    for number, mover in enumerate(order):
        reached = []
        for steps in range(1, rules.steps_of(cards[mover]) + 1):
            place = (position.mother_nature + steps) % len(position.islands)
            there = rules.evolve(position, mother_nature=place, order=tuple(order), turn=number)
            reached.append(rules.resolved(there, place).position)
        position = max(reached, key=lambda one: worth(one, mover))
    # A low assistant is useful later, too. So playing a high one now counts more.
    return worth(position, seat) + 0.8 * cards[seat]


def recalled(known: events.Situation, told: Sequence[Any], seat: Seat) -> Sequence[Any]:
    """
    Returns the earlier events for a player that comes back. The player needs them before its view, because no board shows the
    assistants of earlier rounds.
    """
    return [event for event in told if isinstance(event, events.PlayedAssistant)]


PLAYER = EriantysPlayer
#: Whether the strength of the levels was measured. The table in docs/house-players has the results.
MEASURED = True
