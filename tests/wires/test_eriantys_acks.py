"""Who owes an Acknowledgement, and what waits for it: the count, the gate and the limit."""

from collections.abc import Callable, Sequence

from attrs import define, field
from hypothesis import given
from hypothesis import strategies as st

from gamehost.testing.cases import PropertyCase
from gamehost.wires.eriantys.messages import EndOfRound, SelectColor, ServerMessage, WaitingForPlayers
from gamehost.wires.eriantys_acks import MOST_ACKNOWLEDGEABLE, Client, Gate

STEP = st.sampled_from(("due", "ack", "ask", "answer", "ring", "leave"))
DUE = EndOfRound(1)
REQUEST = SelectColor()


@define(eq=False)
class RecordingPeer:
    """A peer that records the calls."""

    said: list[ServerMessage] = field(factory=list)
    ring: Callable[[], None] | None = None
    seconds: float = 0.0
    free: int = 0
    held: float = 0.0

    def say(self, message: ServerMessage) -> None:
        self.said.append(message)

    def say_and_hold(self, message: ServerMessage, seconds: float) -> None:
        self.said.append(message)
        self.held = seconds

    def alarm(self, seconds: float, ring: Callable[[], None]) -> None:
        self.ring, self.seconds = ring, seconds

    def no_alarm(self) -> None:
        self.ring = None

    def exempt_from_rate(self) -> None:
        self.free += 1


def table(clients: int, seconds: float = 2.0) -> tuple[Sequence[Client], Sequence[RecordingPeer]]:
    """Clients of one table, and their peers."""
    ways = [RecordingPeer() for _ in range(clients)]
    gate = Gate()
    seated = [Client(way, seconds) for way in ways]
    for client in seated:
        client.enter(gate)
    return seated, ways


class GateTests(PropertyCase):
    """Requests at a gate."""

    def test_nothing_due_nothing_waits(self) -> None:
        """A request is asked at once, without an alarm."""
        [ann], [way] = table(1)
        ann.ask(REQUEST)
        self.assertEqual((way.said, way.ring), ([REQUEST], None))

    def test_everybody_of_the_table_is_waited_for(self) -> None:
        """Until the last one owes nothing; then the alarm is off."""
        (ann, bob, _), (way, _, _) = table(3)
        ann.say_due(DUE)
        bob.say_due(DUE)
        bob.say_due(DUE)
        ann.ask(REQUEST)
        self.assertTrue(ann.is_held_up)
        self.assertEqual((way.said, way.seconds), ([DUE], 2.0))
        ann.acknowledged()
        bob.acknowledged()
        self.assertTrue(ann.is_held_up)
        bob.acknowledged()
        self.assertFalse(ann.is_held_up)
        self.assertEqual((way.said, way.ring), ([DUE, REQUEST], None))

    def test_the_limit_passes_once_for_each(self) -> None:
        """Who owes something then is not waited for again, others are, and it still counts for nothing worse."""
        (ann, bob), (way, _) = table(2)
        bob.say_due(DUE)
        ann.ask(REQUEST)
        assert way.ring is not None
        way.ring()
        self.assertEqual(way.said, [REQUEST])
        self.assertEqual((ann.waited_for, bob.waited_for), (True, False))
        bob.say_due(DUE)
        ann.ask(REQUEST)
        self.assertEqual(way.said, [REQUEST, REQUEST])
        ann.say_due(DUE)
        ann.ask(REQUEST)
        self.assertEqual(way.said, [REQUEST, REQUEST, DUE])

    def test_no_limit_no_wait(self) -> None:
        """`ack_seconds=0`."""
        (ann, bob), (way, _) = table(2, seconds=0.0)
        bob.say_due(DUE)
        ann.ask(REQUEST)
        self.assertEqual((way.said, way.ring), ([REQUEST], None))

    def test_an_answer_counts_as_what_was_due(self) -> None:
        """Whoever answers has heard it."""
        (ann, bob), (way, _) = table(2)
        bob.say_due(DUE)
        bob.say_due(DUE)
        ann.ask(REQUEST)
        bob.answered()
        self.assertEqual(way.said, [REQUEST])

    def test_who_leaves_is_not_waited_for(self) -> None:
        """And asked nothing any more, and owes nothing at the next table."""
        (ann, bob), (way, other) = table(2)
        bob.say_due(DUE)
        ann.ask(REQUEST)
        bob.leave()
        bob.leave()
        self.assertEqual((way.said, bob.due), ([REQUEST], 0))
        ann.say_due(DUE)
        ann.ask(REQUEST)
        ann.leave()
        ann.go_on()
        self.assertEqual((way.said, way.ring), ([REQUEST, DUE], None))
        self.assertEqual(other.said, [DUE])

    def test_a_request_that_is_withdrawn_is_never_asked(self) -> None:
        """What was answered before it could be asked."""
        (ann, bob), (way, _) = table(2)
        bob.say_due(DUE)
        ann.ask(REQUEST)
        ann.withdraw()
        bob.acknowledged()
        self.assertEqual((way.said, way.ring), ([], None))

    def test_acknowledgements_of_what_was_said_are_free(self) -> None:
        """Due or not; one too many is counted like any message, and only so many are kept."""
        [ann], [way] = table(1)
        ann.say_due(DUE)
        ann.say(WaitingForPlayers(1))
        for _ in range(3):
            ann.acknowledged()
        self.assertEqual((way.free, ann.due), (2, 0))
        for _ in range(2 * MOST_ACKNOWLEDGEABLE):
            ann.say(DUE)
        for _ in range(2 * MOST_ACKNOWLEDGEABLE):
            ann.acknowledged()
        self.assertEqual(way.free, 2 + MOST_ACKNOWLEDGEABLE)

    def test_a_message_behind_which_nothing_is_sent(self) -> None:
        """It is due as any other, and its Acknowledgement is free."""
        [ann], [way] = table(1)
        ann.say_due_and_hold(DUE, 10.5)
        self.assertEqual((way.said, way.held, ann.due), ([DUE], 10.5, 1))
        ann.acknowledged()
        self.assertEqual((way.free, ann.due), (1, 0))

    @given(st.lists(st.tuples(st.integers(0, 2), STEP), max_size=60))
    def test_whatever_happens(self, steps: list[tuple[int, str]]) -> None:
        """Nothing waits at an open gate; counts are never below none; every request is asked once at most."""
        clients, ways = table(3)
        asked = 0
        for number, step in steps:
            client, way = clients[number], ways[number]
            match step:
                case "due":
                    client.say_due(DUE)
                case "ack":
                    client.acknowledged()
                case "ask":
                    asked += 1
                    client.ask(REQUEST)
                case "answer":
                    client.answered()
                case "ring":
                    if way.ring is not None:
                        way.ring()
                case "leave":
                    client.leave()
            self.assertTrue(all(one.due >= 0 for one in clients))
            for one, its_way in zip(clients, ways, strict=True):
                self.assertEqual(one.is_held_up, its_way.ring is not None)
                if one.gate is not None and one.gate.is_open():
                    self.assertFalse(one.is_held_up)
        self.assertLessEqual(sum(way.said.count(REQUEST) for way in ways), asked)
