"""
The tests that every game and its master must pass. A game's test module derives
`class MasterTests(MasterContract, PropertyCase)` and says how to play it.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from copy import copy, deepcopy
from itertools import islice
from typing import Any

from attrs import frozen
from hypothesis import currently_in_test_context, given, note
from hypothesis import strategies as st
from hypothesis.errors import ResolutionFailed
from msgspec import Struct
from msgspec.structs import replace

from gamehost.games.base import (
    AGREED,
    CLAIMED,
    Cause,
    Determinizable,
    Game,
    GameMaster,
    HasSequels,
    HasSteps,
    IllegalAction,
    Offer,
    ScriptedChance,
    Seat,
    SystemChance,
    To,
    act_carefully,
    offers_of,
)
from gamehost.games.clock import HasTurns
from gamehost.games.messages import SameMessages
from gamehost.games.play import messages_of
from gamehost.journal.records import Entry, EntryKind
from gamehost.journal.replay import fingerprint
from gamehost.settings import BadOption
from gamehost.testing.cases import Mixin, of_matches
from gamehost.testing.journals import checked_elsewhere

#: The characters that replace a letter in a damaged action.
_LETTERS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJSFB,-/ @"
#: The most legal actions of a seat that are carried out for comparison.
_ACCEPTED = 12
#: Words that must not be in the text about the end of a match, because they are true for one reader only.
FOR_ONE = r"\b([Tt]he other|[Yy]ou|[Yy]our|[Oo]pponent)\b"


@frozen
class Step:
    """One action of a random match, or the beginning of the match, and the events that the master returned."""

    seat: Seat
    #: The action in the game's notation; empty: the beginning of the match.
    notation: bytes
    #: The time of the action, in milliseconds.
    now: int
    #: The random numbers that were drawn for the action.
    drawn: tuple[int, ...]
    events: Sequence[To[Any]]


def acted(master: Any, seat: Seat, action: Any, now: int, careful: bool = True) -> Sequence[To[Any]]:
    """
    Lets a master carry out an action, and returns the events.

    :param careful: whether an action that loses by the rules is refused, as by `act_carefully`
    :raises IllegalAction: the master refuses the action
    :raises AssertionError: the master has raised another exception
    """
    try:
        return act_carefully(master, seat, action, now) if careful else master.act(seat, action, now)
    except IllegalAction:
        raise
    except Exception as error:
        words = f"`act` raises {error!r} for {action!r} of seat {seat}: expected events, or IllegalAction"
        raise AssertionError(words) from error


def with_another_turn(master: Any) -> Iterator[Any]:
    """
    Yields changed copies of a master that wait for another seat. In each copy one number was replaced: in an attribute
    of the master, in an attribute of such a value, or in a sequence.
    """
    turn = master.to_move() if isinstance(master, HasTurns) else None
    # Without `to_move`, or if several seats may act, there is no turn to change. 4: see `depth` of `_altered`.
    for other in () if turn is None else _altered(master, turn, 4):
        try:
            if other.to_move() not in (turn, None):
                yield other
        except Exception:  # not every value makes a master
            continue


def _altered(value: Any, turn: Seat, depth: int) -> Iterator[Any]:
    """
    Yields copies of a value. In each copy, one number that may be a seat is another seat.

    :param turn: the seat that has the turn
    :param depth: how deep in the value the numbers are looked for
    """
    match value:
        case _ if not depth:
            return
        case int() if type(value) is int and value in (0, 1, turn):
            # Only a number that may be a seat. `bool` is a kind of `int`, so the type is compared.
            yield 1 - value if value in (0, 1) else 0
        case tuple() | list() if type(value) in (tuple, list):
            for place, one in enumerate(value[:8]):
                # Longer sequences are boards or cards, and not a turn.
                for other in _altered(one, turn, depth - 1):
                    yield type(value)([*value[:place], other, *value[place + 1 :]])
        case Struct():
            for name in value.__struct_fields__:
                for other in _altered(getattr(value, name), turn, depth - 1):
                    yield replace(value, **{name: other})
        case _:
            # An object of attrs, or any other object with attributes.
            fields = [one.name for one in getattr(value, "__attrs_attrs__", ())]
            for name in fields or [*getattr(value, "__dict__", {})]:
                for other in _altered(getattr(value, name, None), turn, depth - 1):
                    changed = copy(value)
                    # Also for frozen classes.
                    object.__setattr__(changed, name, other)
                    yield changed


class SeededChance:
    """Random numbers from a seed: the same seed gives the same numbers. They are recorded until `take` returns them."""

    def __init__(self, seed: int) -> None:
        self._luck = random.Random(seed)
        self._drawn: list[int] = []

    def below(self, n: int) -> int:
        """Returns a random number from 0 to n - 1, and records it."""
        self._drawn.append(self._luck.randrange(n))
        return self._drawn[-1]

    def take(self) -> tuple[int, ...]:
        """Returns the numbers since the last call."""
        drawn = tuple(self._drawn)
        self._drawn.clear()
        return drawn


class MasterContract(Mixin):
    """
    The tests that every game and its master must pass.

    A subclass sets `game`, and writes `illegal`. It may also set `seat_counts`, `settings` and `most_steps`, and choose
    actions in another way in `legal`.
    """

    game: Game[Any, Any]
    seat_counts: Sequence[int] = (2,)
    settings: Mapping[str, str] = {}
    #: The most actions of a random game.
    most_steps = 200
    #: Whether the host knows the rules. If not, `Game.legal` and `Game.follow` are not tested.
    knows_rules = True
    #: The most legal actions of a seat that are compared with the master.
    most_listed = 2_000
    #: The reason if watchers receive no events. By default they receive the public ones.
    unwatched = ""

    def legal(self, master: Any, rng: random.Random) -> tuple[Seat, Any] | None:
        """
        Chooses a random seat, and an action of it that the master accepts now.

        :returns: the seat and the action; `None`: no seat has an action
        """
        choices = []
        for seat in map(Seat, range(self.game.most_seats)):
            # `None`: this seat has nothing to do now.
            action = self.game.random_action(master.view(seat), seat, rng.randrange)
            if action is not None:
                choices.append((seat, action))
        return rng.choice(choices) if choices else None

    def illegal(self, master: Any, rng: random.Random) -> Sequence[tuple[Seat, Any]]:
        """Returns actions that the master must refuse now, each with its seat."""
        raise NotImplementedError

    def rare(self, master: Any) -> Sequence[Any]:
        """
        Returns actions that are rare in random matches, such as a pass. The contract checks whether `Game.legal` lists
        them exactly when the master accepts them.
        """
        return ()

    def denied(self, events: Sequence[To[Any]]) -> bool:
        """Whether the events of an action say that it was refused, for a master that raises no error for it."""
        return False

    def twins(self, master: Any, seat: Seat, rng: random.Random) -> Sequence[Any]:
        """Returns masters that differ only in state that is hidden from a seat; empty if the game hides nothing."""
        return ()

    def new_master(self, seats: int, chance: Any, **more: str) -> GameMaster[Any, Any]:
        """Returns a new master with the settings of this test, and with more settings."""
        return self.game.new_master(seats, {**self.settings, **more}, chance)

    def known(self, master: Any) -> object:
        """
        Returns the state of a master. A game with clocks leaves them out, because a player who takes a move back gets no
        time back.
        """
        return master.state()

    def snapshot(self, master: GameMaster[Any, Any], seats: int) -> object:
        """Returns everything about a master that others can see: all views, the deadline and the result."""
        views = [master.view(Seat(seat)) for seat in range(seats)]
        return (views, master.view(None), master.deadline, master.result)

    def match(self, seats: int, rng: random.Random, steps: int, **more: str) -> Iterator[tuple[Any, Step]]:
        """
        Plays a random match of at most `steps` actions. Yields the master, and the last step, after the beginning and
        after each action. It is always the same master.

        :param more: further settings
        """
        chance = SeededChance(rng.getrandbits(32))
        master = self.new_master(seats, chance, **more)
        events = master.begin(0)
        # The beginning, which is no action of a seat.
        yield master, Step(Seat(0), b"", 0, chance.take(), events)
        for number in range(1, steps + 1):
            choice = None if master.result is not None else self.legal(master, rng)
            if choice is None:
                break
            seat, action = choice
            # Not careful: an action by which its player loses is carried out, too.
            events = acted(master, seat, action, number, careful=False)
            yield master, Step(seat, self.game.write(action), number, chance.take(), events)

    def play(self, seats: int, rng: random.Random, steps: int, **more: str) -> tuple[Any, list[Step]]:
        """
        Plays a random match of at most `steps` actions. If the test fails, its text contains the last ones of these
        actions.

        :returns: the master after the last action, and all steps
        """
        masters, played = zip(*self.match(seats, rng, steps, **more), strict=True)
        if currently_in_test_context():
            # Without the beginning of the match, which is no action.
            said = [f"{step.seat} {step.notation.decode('utf-8', 'replace')}" for step in played[1:]]
            note(f"After {len(said)} actions, each with its seat: {', '.join(said)[-1_000:] or 'none'}")
        return masters[-1], list(played)

    def somewhere(self, data: st.DataObject, rng: random.Random, **more: str) -> tuple[int, Any, list[Step]]:
        """
        Plays a random match of any length.

        :returns: the number of seats, the master after the last action, and all steps
        """
        seats, seed = data.draw(st.sampled_from(self.seat_counts)), rng.getrandbits(64)
        steps = data.draw(st.integers(0, self.most_steps))
        master, played = self.play(seats, random.Random(seed), steps, **more)
        # Most matches of a short game would be over, so half of them are stopped before the end.
        if master.result is not None and steps % 2:
            # The same seed gives the same match; it is stopped earlier.
            master, played = self.play(seats, random.Random(seed), steps % len(played), **more)
        return seats, master, played

    @of_matches
    @given(st.data(), st.randoms(use_true_random=False))
    def test_replay_equals_live(self, data: st.DataObject, rng: random.Random) -> None:
        """A new master that replays the journal's notation and outcomes gives the same events, views and result."""
        seats = data.draw(st.sampled_from(self.seat_counts))
        live, played = self.play(seats, rng, self.most_steps)
        chance = ScriptedChance(played[0].drawn)
        replayed = self.new_master(seats, chance)
        self.assertEqual(replayed.begin(0), played[0].events)
        for step in played[1:]:
            chance.feed(step.drawn)
            events = replayed.act(step.seat, self.game.read(step.notation), step.now)
            self.assertEqual(events, step.events)
            # The replayed action has drawn exactly the numbers of the live one.
            self.assertEqual(chance.unused, ())
        self.assertEqual(self.snapshot(replayed, seats), self.snapshot(live, seats))
        self.assertEqual(fingerprint(replayed), fingerprint(live))

    @of_matches
    @given(st.data(), st.randoms(use_true_random=False))
    def test_audiences_are_seats(self, data: st.DataObject, rng: random.Random) -> None:
        """The audience of an event is `None`, for everybody, or some seats of the match, each only once."""
        seats = data.draw(st.sampled_from(self.seat_counts))
        master, played = self.play(seats, rng, data.draw(st.integers(0, self.most_steps)))
        events = [to for step in played for to in step.events]
        if master.result is None:
            # Also the events after a player has left.
            events += master.forfeit(Seat(rng.randrange(seats)), self.most_steps + 1)
        for to in events:
            if to.audience is not None:
                words = f"{to.event!r} has the audience {to.audience!r}: expected None, or a tuple of different seats"
                self.assertTrue(isinstance(to.audience, tuple) and len(set(to.audience)) == len(to.audience), words)
                self.assertTrue(all(type(seat) is int and 0 <= seat < seats for seat in to.audience), words)

    def test_another_process_stands_where_this_one_does(self) -> None:
        """The fingerprint after the record is the same in a process with another hash seed and other addresses."""
        seats = self.seat_counts[-1]
        live, played = self.play(seats, random.Random(1), self.most_steps)
        record = [
            Entry(EntryKind.ACTED if number else EntryKind.BEGAN, step.now, step.seat, step.notation, step.drawn)
            for number, step in enumerate(played)
        ]
        if live.result is not None:
            # In a journal, the last entry of a match has the outcome.
            record[-1] = replace(record[-1], outcome=live.result.why)
        check = fingerprint(live).hex()
        self.assertEqual(checked_elsewhere(self.game, seats, self.settings, record, 1), check)

    @of_matches
    @given(st.data(), st.randoms(use_true_random=False))
    def test_refusal_changes_nothing(self, data: st.DataObject, rng: random.Random) -> None:
        """A refused action leaves the master as it was, and its deadline. An accepted one changes its fingerprint."""
        # Only without a deadline, the fingerprint of an accepted action says something about `state`.
        seats, master, _ = self.somewhere(data, rng, move_time=data.draw(st.sampled_from(("0", "10"))))
        before, check = self.snapshot(master, seats), fingerprint(master)
        refused = self.illegal(master, rng)
        # A game without an action that can be refused would not be tested.
        self.assertTrue(refused or master.result is not None)
        for seat, action in refused:
            error = self.assertRaises(IllegalAction, master.act, seat, action, self.most_steps + 1)
            self.assertTrue(str(error), "a refusal says why")
            self.assertEqual(self.snapshot(master, seats), before)
            # A twin differs only in state that is hidden from this seat. So its refusal must have the same text.
            for twin in self.twins(master, seat, rng) if master.result is None else ():
                again = self.assertRaises(IllegalAction, twin.act, seat, action, self.most_steps + 1)
                self.assertEqual(str(again), str(error), f"a refusal tells seat {seat} what it must not know")
        self.assertEqual(fingerprint(master), check)
        # An accepted action must change the fingerprint.
        choice = self.legal(master, rng) if master.result is None else None
        if choice is not None:
            master.act(*choice, self.most_steps + 1)
            self.assertNotEqual(fingerprint(master), check)

    @of_matches
    @given(st.data(), st.randoms(use_true_random=False))
    def test_notation_is_one_printable_line_and_reads_back(self, data: st.DataObject, rng: random.Random) -> None:
        """Every action's notation can be shown to a person and reads back as that action."""
        seats = data.draw(st.sampled_from(self.seat_counts))
        _, played = self.play(seats, rng, self.most_steps)
        for step in played[1:]:
            self.assertTrue(step.notation.decode("utf-8").isprintable())
            self.assertEqual(self.game.write(self.game.read(step.notation)), step.notation)

    @given(st.binary(max_size=30))
    def test_other_notation_is_refused(self, notation: bytes) -> None:
        """Bytes that are not the game's notation raise ValueError and nothing else."""
        try:
            action = self.game.read(notation)
        except ValueError:
            return
        self.assertEqual(self.game.read(self.game.write(action)), action)

    @of_matches
    @given(st.data(), st.randoms(use_true_random=False))
    def test_leaving_ends_or_goes_on(self, data: st.DataObject, rng: random.Random) -> None:
        """
        A seat may give up at any moment, and does not win then. In a game of two, the other seat wins. With more seats, the
        match may continue.
        """
        seats, master, _ = self.somewhere(data, rng)
        if master.result is not None:
            return
        leaver = Seat(data.draw(st.integers(0, seats - 1)))
        master.forfeit(leaver, self.most_steps + 1)
        result = master.result
        if result is None:
            # The others play on.
            self.assertGreater(seats, 2)
            return
        self.assertEqual(result.cause, Cause.LEFT)
        self.assertNotRegex(result.why, FOR_ONE, "the words are read by winners, losers and watchers")
        self.assertNotIn(leaver, result.winners)
        if seats == 2:
            self.assertEqual(result.winners, (Seat(1 - leaver),))
        self.assertIs(master.deadline, None)

    @of_matches
    @given(st.data(), st.randoms(use_true_random=False))
    def test_deadline_is_move_time_after_each_decision(self, data: st.DataObject, rng: random.Random) -> None:
        """
        The setting `move_time` is how many seconds a seat has for each decision, after the last action. If the time is over,
        the match ends, and the late seat does not win.
        """
        seats, master, played = self.somewhere(data, rng, move_time="2.5")
        if master.result is not None:
            self.assertIs(master.deadline, None)
            return
        deadline = master.deadline
        assert deadline is not None
        # Not later than 2.5 s after the last action; a half decision does not renew the time.
        self.assertLessEqual(deadline, played[-1].now + 2500)
        # The seat that lets the time pass.
        late = master.to_move() if isinstance(master, HasTurns) else None
        master.expire(deadline)
        result = master.result
        assert result is not None
        self.assertEqual(result.cause, Cause.TIME)
        self.assertNotRegex(result.why, FOR_ONE, "the words are read by winners, losers and watchers")
        # Not everybody wins.
        self.assertLess(len(result.winners), seats)
        if late is not None:
            self.assertNotIn(late, result.winners, "the seat that has not acted in time wins")
        self.assertIs(master.deadline, None)

    @of_matches
    @given(st.data(), st.randoms(use_true_random=False))
    def test_a_seat_that_gets_the_turn_has_its_whole_time(self, data: st.DataObject, rng: random.Random) -> None:
        """With `move_time`, a seat has its whole time for a move, even if the other seat has used much time."""
        _, master, _ = self.somewhere(data, rng, move_time="10")
        choice = None if master.result is not None else self.legal(master, rng)
        if choice is None or not hasattr(master, "to_move") or not self.knows_rules:
            return
        # The seat acts one millisecond before its deadline.
        before, now = master.to_move(), master.deadline - 1
        master.act(*choice, now)
        if None not in (before, master.to_move()) and before != master.to_move():
            # The turn has passed to another seat.
            self.assertGreaterEqual(master.deadline or 0, now + 10_000)

    @of_matches
    @given(st.data(), st.randoms(use_true_random=False))
    def test_no_deadline_without_move_time(self, data: st.DataObject, rng: random.Random) -> None:
        """Without the setting `move_time`, a decision may take any time."""
        seats = data.draw(st.sampled_from(self.seat_counts))
        master, _ = self.play(seats, rng, data.draw(st.integers(0, 20)))
        self.assertIs(master.deadline, None)

    @of_matches
    @given(st.data(), st.randoms(use_true_random=False))
    def test_after_the_end_nothing_is_accepted(self, data: st.DataObject, rng: random.Random) -> None:
        """After the end a match refuses every action that it accepted before."""
        seats = data.draw(st.sampled_from(self.seat_counts))
        master, played = self.play(seats, rng, self.most_steps)
        if master.result is None:
            # The match has not ended in time: end it.
            master.forfeit(Seat(0), self.most_steps + 1)
        if master.result is None:
            return
        for step in played[1:]:
            for seat in range(seats):
                action = self.game.read(step.notation)
                self.assertRaises(IllegalAction, master.act, Seat(seat), action, self.most_steps + 2)

    # -- the legal actions, and what a seat sees

    def near(self, notations: Sequence[bytes], listed: Sequence[bytes], rng: random.Random) -> Iterator[Any]:
        """
        Yields random actions whose notation is damaged, or is mixed from two other notations: `a5` and `b1` give `a1`.

        :param notations: the notations of the actions that are damaged and mixed
        :param listed: the notations of the actions that are legal now; about half of the results begin with a part of
            one of them
        """
        for number in range(len(notations) and 90):
            # There are 90 attempts; none without notations. In half of them a legal action is damaged.
            one, other = rng.choice(listed if listed and number % 4 < 2 else notations), rng.choice(notations)
            place = rng.randrange(len(one) + 1)
            old = one[place : place + 1]
            others = _LETTERS[:10] if old.isdigit() else _LETTERS
            # What replaces the byte at `place`: nothing, another letter or digit, or the same byte twice.
            letter = rng.choice((b"", rng.choice(others).encode(), rng.choice(others).encode(), old * 2))
            words, more = one.split(b" "), other.split(b" ")
            if number % 2 and len(words) == len(more) > 1:
                # Each word from one of the two actions.
                made = b" ".join(rng.choice(pair) for pair in zip(words, more, strict=True))
            elif number % 3 == 0:
                # One byte is replaced, left out or doubled.
                made = one[:place] + letter + one[place + 1 :]
            elif number % 3 == 1 and len(one) == len(other):
                # Each byte from one of the two actions.
                made = bytes(rng.choice(pair) for pair in zip(one, other, strict=True))
            else:
                # The beginning of one action, and the end of the other one.
                made = one[:place] + other[min(place, len(other)) :]
            try:
                yield self.game.read(made)
            except ValueError:
                continue  # not the game's notation

    def drawn(self, data: st.DataObject) -> Iterator[Any]:
        """
        Yields up to four random actions of any kind and with any values. Only for a game whose actions are its
        messages, because the types of messages say which values are possible.
        """
        messages = messages_of(self.game)
        for _ in range(4) if isinstance(messages, SameMessages) else ():
            try:
                yield self.game.read(self.game.write(data.draw(st.from_type(messages.action_type))))  # type: ignore[union-attr]
            except (ValueError, TypeError, ResolutionFailed):
                continue  # an action that has no notation, or a type that Hypothesis cannot make

    def tried(self, master: Any, played: Sequence[Step], data: st.DataObject, rng: random.Random) -> Sequence[Any]:
        """
        Returns actions, legal or not, that a test tries: actions of all seats at the beginning and now, actions of
        earlier moments of this match, damaged copies of them, and random ones.
        """
        seats = [Seat(seat) for seat in range(self.game.most_seats)]
        begun = self.new_master(self.game.most_seats, SeededChance(1))
        begun.begin(0)
        known, now = list[Any](), list[Any]()
        # `begun` is a new match with the most seats, if this test plays with so many. After the loop, `now` has the
        # listed actions of `master`.
        for situation in (begun, master) if len(seats) in self.seat_counts else (master,):
            now = []
            for seat in seats[: max(self.seat_counts)]:
                listed = list(islice(self.game.legal(situation.view(seat), seat) or (), self.most_listed))
                now += rng.sample(listed, min(len(listed), 12))
            known += now
        notations = [self.game.write(action) for action in known]
        # The first step is the beginning of the match, which is no action.
        notations += [step.notation for step in rng.sample(played[1:], min(len(played) - 1, 20))]
        # A few more actions that the master accepts, for games that list none.
        choices = [self.legal(master, rng) for _ in range(4)]
        notations += [self.game.write(choice[1]) for choice in choices if choice is not None]
        legal, luck = [*map(self.game.write, now)], random.Random(rng.getrandbits(64))
        made = [*self.rare(master), *self.near(notations, legal, luck), *self.drawn(data)]
        # Without repetitions.
        return [*map(self.game.read, dict.fromkeys(notations)), *made]

    @of_matches
    @given(st.data(), st.randoms(use_true_random=False))
    def test_what_is_legal_is_accepted_and_nothing_else(self, data: st.DataObject, rng: random.Random) -> None:
        """
        The master accepts each listed action, and refuses all others: actions of other moments and other seats, damaged ones,
        and actions of any other kind.
        """
        if not self.knows_rules:
            return
        seats, master, played = self.somewhere(data, rng)
        if master.result is not None:
            return
        tried = self.tried(master, played, data, rng)
        for seat in map(Seat, range(seats)):
            listed = self.game.legal(master.view(seat), seat)
            if listed is None:
                # The game lists no actions: only a random one is compared.
                action = self.game.random_action(master.view(seat), seat, rng.randrange)
                some = [] if action is None else [action]
                self._compare(master, seat, some, set(map(self.game.write, some)), False)
                continue
            # One more than the limit shows that the list is not whole.
            legal = [self.game.write(action) for action in islice(listed, self.most_listed + 1)]
            self.assertEqual(len(set(legal)), len(legal), "an action is listed twice")
            self._compare(master, seat, tried, set(legal), len(legal) <= self.most_listed)

    def _compare(self, master: Any, seat: Seat, tried: Sequence[Any], legal: set[bytes], whole: bool) -> None:
        """
        Checks that a master accepts the listed actions of a seat, and refuses all others.

        :param tried: the actions that the master gets
        :param legal: the notations of the listed actions
        :param whole: whether the list has all legal actions
        """
        listed = [action for action in tried if self.game.write(action) in legal]
        # A refusal changes nothing, so one copy takes all actions that are refused.
        scratch = deepcopy(master)
        # The master refuses what is not listed.
        for action in tried if whole else ():
            if self.game.write(action) not in legal:
                try:
                    events = acted(scratch, seat, action, self.most_steps + 1)
                except IllegalAction:
                    continue
                words = f"the master takes {action!r} of seat {seat}, and `legal` leaves it out"
                # No error was raised, so the events must say that the action was refused. They may have changed the
                # copy.
                self.assertTrue(self.denied(events), words)
                scratch = deepcopy(master)
        self.assertEqual(fingerprint(scratch), fingerprint(master), "a refused action has changed the master")
        # It accepts what is listed.
        for action in listed[:_ACCEPTED]:
            words = f"the master refuses {action!r} of seat {seat}, and `legal` lists it"
            try:
                events = acted(deepcopy(master), seat, action, self.most_steps + 1)
            except IllegalAction:
                self.fail(words)
            # The events must not say that the action was refused.
            self.assertFalse(self.denied(events), words)

    @of_matches
    @given(st.data(), st.randoms(use_true_random=False))
    def test_the_state_says_whose_turn_it_is(self, data: st.DataObject, rng: random.Random) -> None:
        """Masters that differ in the seat to move differ in `state`."""
        _, master, _ = self.somewhere(data, rng)
        # Each `other` is a changed copy that waits for another seat.
        for other in with_another_turn(master):
            self.assertNotEqual(fingerprint(other), fingerprint(master), "`state` lacks whose turn it is: add it")

    @of_matches
    @given(st.data(), st.randoms(use_true_random=False))
    def test_watchers_receive_what_is_public_and_no_secret(self, data: st.DataObject, rng: random.Random) -> None:
        """
        Some event of a match has no audience, so watchers receive it. What they see does not differ between matches that one
        of the seats cannot tell apart.
        """
        seats, master, played = self.somewhere(data, rng)
        if not self.unwatched and (master.result is not None or len(played) > self.most_steps // 2):
            # Only in a match that was played long enough, or to its end, some event must have been public.
            told = [to.event for step in played for to in step.events if to.audience is None]
            words = "all events have an audience: watchers receive the events without one, and no others"
            self.assertTrue(told, words)
        for seat in map(Seat, range(seats)):
            for twin in self.twins(master, seat, rng):
                self.assertEqual(twin.view(None), master.view(None), f"a watcher sees what seat {seat} must not know")
                if any(twin.view(Seat(one)) != master.view(Seat(one)) for one in range(seats)):
                    # Another seat sees the difference between the two masters, so `state` must contain it.
                    self.assertNotEqual(fingerprint(twin), fingerprint(master), "`state` lacks what a seat sees")

    @of_matches
    @given(st.data(), st.randoms(use_true_random=False))
    def test_somebody_can_act_until_the_end(self, data: st.DataObject, rng: random.Random) -> None:
        """In a match without a result some seat has an action. So it is in a determinization, and after it."""
        if not self.knows_rules:
            return
        seats, master, _ = self.somewhere(data, rng)
        if master.result is not None:
            return
        seat = next((one for one in map(Seat, range(seats)) if self._may_act(master, one)), None)
        self.assertIsNot(seat, None, "no seat has an action, and the match has no result")
        if seat is None or not isinstance(self.game, Determinizable):
            return
        # Then a determinization is played, to its end or for `most_steps` actions.
        drawn = self.game.determinized(master.view(seat), seat, SeededChance(rng.getrandbits(32)))
        for number in range(self.most_steps):
            choice = None if drawn.result is not None else self.legal(drawn, rng)
            if choice is None:
                self.assertIsNot(drawn.result, None, "after `determinized` comes a match without an end")
                break
            drawn.act(*choice, number)

    def _may_act(self, master: Any, seat: Seat) -> bool:
        """Whether a seat has an action now."""
        return self.game.random_action(master.view(seat), seat, random.Random(1).randrange) is not None

    @of_matches
    @given(st.data(), st.randoms(use_true_random=False))
    def test_who_has_no_turn_has_no_legal_action(self, data: st.DataObject, rng: random.Random) -> None:
        """If the match does not wait for a seat, the seat has no listed action and no random one."""
        seats, master, _ = self.somewhere(data, rng)
        turn = master.to_move() if isinstance(master, HasTurns) and self.knows_rules else None
        # `None`: the match waits for several seats, for none, or the host does not know the rules.
        for seat in map(Seat, range(seats)) if turn is not None else ():
            view, legal = master.view(seat), self.game.legal(master.view(seat), seat)
            # `legal` is `None` if there are too many actions for a list.
            self.assertEqual(legal is None or next(legal, None) is not None, seat == turn)
            self.assertEqual(self.game.random_action(view, seat, rng.randrange) is not None, seat == turn)

    @of_matches
    @given(st.data(), st.randoms(use_true_random=False))
    def test_what_is_legal_follows_from_the_view(self, data: st.DataObject, rng: random.Random) -> None:
        """Equal views give equal lists, whatever state is hidden. Listing does not change the view."""
        if not self.knows_rules:
            return
        seats, master, _ = self.somewhere(data, rng)
        for seat in map(Seat, range(seats)):
            view = master.view(seat)
            # Masters with an equal view of this seat: a copy, and those with other hidden state.
            for twin in (deepcopy(master), *self.twins(master, seat, rng)):
                other = twin.view(seat)
                self.assertEqual(other, view)
                self.assertEqual(self._listed(other, seat), self._listed(view, seat))
            self.assertEqual(master.view(seat), view)

    def _listed(self, view: Any, seat: Seat) -> tuple[list[Any] | None, Any]:
        """Returns the legal actions (`None` if the game does not list them), and an action for a fixed seed."""
        legal = self.game.legal(view, seat)
        drawn = self.game.random_action(view, seat, random.Random(1).randrange)
        return None if legal is None else list(islice(legal, self.most_listed)), drawn

    @of_matches
    @given(st.data(), st.randoms(use_true_random=False))
    def test_a_determinization_fits_what_the_seat_knows(self, data: st.DataObject, rng: random.Random) -> None:
        """
        The seat that may act has the same view in a determinization, and its actions are accepted there. The
        determinization depends only on the view and on chance, not on hidden state.
        """
        game = self.game
        if not isinstance(game, Determinizable):
            return
        seats, master, _ = self.somewhere(data, rng)
        for seat in map(Seat, range(seats)) if master.result is None else ():
            view, seed = master.view(seat), rng.getrandbits(32)
            action = game.random_action(view, seat, rng.randrange)
            if action is None:
                continue
            drawn = game.determinized(view, seat, SeededChance(seed))
            self.assertEqual((drawn.view(seat), drawn.deadline, drawn.result), (view, None, None))
            # Masters with an equal view of this seat give equal determinizations.
            for twin in (drawn, *self.twins(master, seat, rng)):
                again = game.determinized(twin.view(seat), seat, SeededChance(seed))
                self.assertEqual(fingerprint(again), fingerprint(drawn))
            for tried in (action, *islice(game.legal(view, seat) or (), 50)):
                deepcopy(drawn).act(seat, tried, 0)

    @of_matches
    @given(st.data(), st.randoms(use_true_random=False))
    def test_steps_lead_to_what_is_legal_and_to_nothing_else(self, data: st.DataObject, rng: random.Random) -> None:
        """
        Step after step, a player can choose exactly the legal actions. `steps` refuses a whole action, because no step
        can follow.
        """
        game = self.game
        if not isinstance(game, HasSteps):
            return
        seats, master, _ = self.somewhere(data, rng)
        for seat in map(Seat, range(seats)):
            view = master.view(seat)
            # The first 200 of each are compared, because there may be very many.
            legal = list(islice(game.legal(view, seat) or (), 200))
            self.assertEqual(list(islice(self._whole(game, view, seat, None), 200)), legal)
            for action in legal[:3]:
                self.assertRaises(IllegalAction, self._next_steps, game, view, seat, action)

    @of_matches
    @given(st.data(), st.randoms(use_true_random=False))
    def test_what_may_follow_an_action_is_legal_after_it(self, data: st.DataObject, rng: random.Random) -> None:
        """The sequels of an action are the first legal actions after the action, unless the game does not know them."""
        game = self.game
        if not isinstance(game, HasSequels):
            return
        seats, master, _ = self.somewhere(data, rng)
        for seat in map(Seat, range(seats)):
            for action in islice(game.legal(master.view(seat), seat) or (), 20):
                try:
                    sequels = list(game.sequels(master.view(seat), seat, action))
                except IllegalAction:
                    continue  # the game does not know the sequels of this action
                after = deepcopy(master)
                after.act(seat, action, 0)
                legal = list(islice(game.legal(after.view(seat), seat) or (), len(sequels)))
                self.assertEqual(sequels, legal)

    def _next_steps(self, game: HasSteps[Any], view: Any, seat: Seat, begun: Any) -> list[tuple[Any, bool]]:
        """Returns the results of the next step of a begun action, each with whether it is a whole action."""
        return list(game.steps(view, seat, begun))

    def _whole(self, game: HasSteps[Any], view: Any, seat: Seat, begun: Any) -> Iterator[Any]:
        """Yields all whole actions that a player can reach from a begun action, step after step."""
        for action, whole in self._next_steps(game, view, seat, begun):
            if whole:
                yield action
            else:
                yield from self._whole(game, view, seat, action)

    @of_matches
    @given(st.data(), st.randoms(use_true_random=False))
    def test_a_view_that_follows_equals_a_new_one(self, data: st.DataObject, rng: random.Random) -> None:
        """
        The view that a client has made from the events with `follow` equals the master's view. This holds for every seat
        and for a watcher: after every action, after a player has left, and after a deadline.
        """
        if not self.knows_rules:
            return
        seats = data.draw(st.sampled_from(self.seat_counts))
        # `None`: a watcher.
        eyes = (*map(Seat, range(seats)), None)
        views: dict[Seat | None, Any] = dict.fromkeys(eyes)
        steps, master = data.draw(st.integers(0, self.most_steps)), None
        for master, step in self.match(seats, rng, steps, move_time="10"):
            self._follow(master, step.events, views)
        if master is not None and master.result is None:
            if data.draw(st.booleans()):
                # The match ends because a player leaves, or because of its deadline.
                self._follow(master, master.forfeit(Seat(rng.randrange(seats)), self.most_steps + 1), views)
            elif master.deadline is not None:
                self._follow(master, master.expire(master.deadline), views)

    @of_matches
    @given(st.data(), st.randoms(use_true_random=False))
    def test_a_move_that_is_taken_back_was_never_made(self, data: st.DataObject, rng: random.Random) -> None:
        """After a move was taken back, the match and all views are as before the move, and the match continues."""
        if Offer.TAKEBACK not in offers_of(self.game):
            return
        views: dict[Seat | None, Any] = dict.fromkeys((*map(Seat, range(2)), None))
        #: The knowledge of the master before the last move of each seat.
        before: dict[Seat, object] = {}
        known, master = None, None
        for number, (master, step) in enumerate(self.match(2, rng, data.draw(st.integers(0, 30)))):
            self._follow(master, step.events, views)
            if number:
                # Number 0 is the beginning of the match, which is no move.
                before[step.seat] = known
            known = deepcopy(self.known(master))
        seat = Seat(data.draw(st.integers(0, 1)))
        if master is None or master.result is not None:
            return
        if master.objection(Offer.TAKEBACK, seat) is not None:
            # Nothing to take back: the master refuses it, and is not changed.
            self.assertRaises(IllegalAction, master.agree, Offer.TAKEBACK, seat, 100)
            self.assertEqual(self.known(master), known)
            return
        self._follow(master, master.agree(Offer.TAKEBACK, seat, 100), views)
        self.assertEqual(self.known(master), before[seat])
        # The seat that has taken its move back is to move again.
        acting, action = self.legal(master, rng) or (None, None)
        self.assertEqual(acting, seat)
        self._follow(master, master.act(seat, action, 101), views)

    @of_matches
    @given(st.data(), st.randoms(use_true_random=False))
    def test_a_draw_that_is_agreed_on_or_claimed(self, data: st.DataObject, rng: random.Random) -> None:
        """After an agreed or claimed draw no player has won, and the match has no deadline."""
        offers = [offer for offer in (Offer.DRAW, Offer.CLAIM) if offer in offers_of(self.game)]
        if not offers:
            return
        offer = data.draw(st.sampled_from(offers))
        views: dict[Seat | None, Any] = dict.fromkeys((*map(Seat, range(2)), None))
        master, seat = None, Seat(data.draw(st.integers(0, 1)))
        for master, step in self.match(2, rng, data.draw(st.integers(0, self.most_steps)), move_time="10"):
            self._follow(master, step.events, views)
        if master is None or master.result is not None:
            return
        if master.objection(offer, seat) is not None:
            # The game does not allow the offer at this moment.
            self.assertRaises(IllegalAction, master.agree, offer, seat, self.most_steps)
            return
        self._follow(master, master.agree(offer, seat, self.most_steps), views)
        self.assertEqual((master.result, master.deadline), (AGREED if offer is Offer.DRAW else CLAIMED, None))

    def _follow(self, master: Any, events: Sequence[To[Any]], views: dict[Seat | None, Any]) -> None:
        """Updates the view of each seat, and of a watcher (`None`), with events. Compares them with the master's."""
        for eye, view in views.items():
            for to in events:
                if to.audience is None or eye in to.audience:
                    view = self.game.follow(view, to.event, eye)
            self.assertEqual(view, master.view(eye), eye)
            # An existing key, so the dictionary may be changed in the loop.
            views[eye] = view

    def test_unknown_setting_is_refused(self) -> None:
        """A misspelt setting is named, by `check` and by `new_master`."""
        error = self.assertRaises(BadOption, self.game.check, {"no_such_setting": "1"})
        self.assertIn("no_such_setting", str(error))
        self.assertRaises(
            BadOption, self.game.new_master, self.game.least_seats, {"no_such_setting": "1"}, SystemChance()
        )

    def test_bad_move_time_is_refused(self) -> None:
        """`move_time` is seconds and nothing else."""
        for text in ("", "-1", "soon", "1e3", "nan", "\u0663"):
            error = self.assertRaises(BadOption, self.game.check, {"move_time": text})
            self.assertIn("move_time", str(error))

    def test_options_are_described(self) -> None:
        """Every setting has words for the help text, `move_time` among them."""
        self.assertIn("move_time", self.game.options)
        for words in self.game.options.values():
            self.assertTrue(words)
