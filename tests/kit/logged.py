"""What was logged, as text, for tests that read it."""

from twisted.logger import ILogObserver, LogEvent, LogLevel, formatEvent
from zope.interface import implementer


@implementer(ILogObserver)
class Lines:
    """An observer that keeps every event; of Twisted's own tests' log nothing is taken away."""

    def __init__(self) -> None:
        self.events: list[LogEvent] = []

    def __call__(self, event: LogEvent) -> None:
        self.events.append(event)

    def of(self, level: LogLevel) -> list[str]:
        """The texts of one level."""
        return [formatEvent(event) for event in self.events if event.get("log_level") is level]
