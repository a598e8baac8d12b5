"""A clock whose time a test can advance turn by turn, as a reactor does: what is set in a turn is due in the next one."""

from twisted.internet.task import Clock


class TurnClock(Clock):
    """`Clock.advance` calls what is due, and also what those calls set for now. `turn` does not do that."""

    def turn(self) -> int:
        """Call what is due now; how many calls there were."""
        due = [call for call in self.calls if call.getTime() <= self.seconds()]
        for call in due:
            if call in self.calls:  # not cancelled meanwhile
                self.calls.remove(call)
                call.called = 1
                call.func(*call.args, **call.kw)
        return len(due)
