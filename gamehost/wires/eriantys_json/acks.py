"""
Who owes an Acknowledgement, and what waits for it.

Acknowledgements carry no reference, so they are counted: a due message adds one, an Acknowledgement takes one off, never
below none. Before a player of a table is asked anything, all its players are to owe nothing; who owes something for
longer than the limit is not waited for again, on that connection. So one silent client costs the others one limit.
"""

from collections.abc import Callable
from typing import Protocol

from attrs import define, field

from gamehost.wires.eriantys_json.messages import ServerMessage

#: What a client may have left unacknowledged and still acknowledge at once, without being taken for a flood.
MOST_ACKNOWLEDGEABLE = 100


class Way(Protocol):
    """What there must be to a line for acknowledgements on it."""

    def say(self, message: ServerMessage) -> None: ...

    def alarm(self, seconds: float, ring: Callable[[], None]) -> None: ...

    def no_alarm(self) -> None: ...

    def exempt_from_rate(self) -> None: ...


@define(eq=False)
class Gate:
    """What the clients of one table keep in common: who they are, and whether boards are due."""

    clients: list["Client"] = field(factory=list)
    #: Boards are to be acknowledged while students move, and while a character works.
    boards_due: bool = False

    def is_open(self) -> bool:
        """Whether nobody who is waited for owes anything."""
        return not any(client.is_late for client in self.clients)

    def pass_on(self) -> None:
        """Have asked what could not be asked before, if it can be now."""
        if self.is_open():
            for client in self.clients:
                client.go_on()

    def give_up(self) -> None:
        """The limit has passed: wait no more for those who owe something, and go on."""
        for client in self.clients:
            if client.due:
                client.waited_for = False
        self.pass_on()


@define(eq=False)
class Client:
    """
    One client, as far as acknowledgements go.

    :param seconds: how long it is waited for; 0: nobody waits
    """

    _peer: Way
    _seconds: float
    #: Acknowledgements that it owes.
    due: int = 0
    waited_for: bool = True
    gate: Gate | None = None
    #: Messages for which an Acknowledgement is no surprise: those do not count towards the rate of messages.
    _acknowledgeable: int = 0
    #: A request that waits at the gate.
    _held: ServerMessage | None = None

    @property
    def is_late(self) -> bool:
        return self.due > 0 and self.waited_for

    @property
    def is_held_up(self) -> bool:
        """Whether a request to this client waits at the gate."""
        return self._held is not None

    def enter(self, gate: Gate) -> None:
        """Sit down at a table."""
        self.gate = gate
        gate.clients.append(self)

    def leave(self) -> None:
        """Be gone from the table: nobody waits for this client, and it is asked nothing. It owes nothing then."""
        self.withdraw()
        self.due = 0
        if self.gate is not None:
            gate, self.gate = self.gate, None
            gate.clients.remove(self)
            gate.pass_on()

    def say(self, message: ServerMessage) -> None:
        """Say something that may be acknowledged."""
        self._acknowledgeable = min(self._acknowledgeable + 1, MOST_ACKNOWLEDGEABLE)
        self._peer.say(message)

    def say_due(self, message: ServerMessage) -> None:
        """Say something that is to be acknowledged."""
        self.due += 1
        self.say(message)

    def ask(self, request: ServerMessage) -> None:
        """Ask for something, once the gate lets it through."""
        self._held = request
        if self.gate is None or self._seconds == 0 or self.gate.is_open():
            self.go_on()
        else:
            self._peer.alarm(self._seconds, self.gate.give_up)

    def withdraw(self) -> None:
        """What was to be asked is not, if it has not been yet."""
        if self._held is not None:
            self._held = None
            self._peer.no_alarm()

    def go_on(self) -> None:
        """Ask what was to be asked, if there is anything."""
        if self._held is not None:
            request = self._held
            self.withdraw()
            self._peer.say(request)

    def acknowledged(self) -> None:
        """An Acknowledgement came; one too many is nothing."""
        if self._acknowledgeable:
            self._acknowledgeable -= 1
            self._peer.exempt_from_rate()
        if self.due:
            self.due -= 1
            if self.due == 0 and self.gate is not None:
                self.gate.pass_on()

    def answered(self) -> None:
        """An answer came: whoever answers has heard what was said before."""
        if self.due:
            self.due = 0
            if self.gate is not None:
                self.gate.pass_on()
