"""Plays matches of a policy on a host, with the client library and the same encoders as in an environment."""

from collections.abc import Callable
from typing import Any

from msgspec import UNSET

from gamehost.client.asyncio_client import Client, Connect
from gamehost.client.core import ClientCore
from gamehost.extras.learn.encoding import SeatEncoder
from gamehost.extras.learn.environment import encoder
from gamehost.wires.open import messages as m

#: A function that chooses the number of an action, from an observation as an environment returns it.
Policy = Callable[[Any], int]

#: The messages with the number of an entry of the table's journal.
_ENTRIES = (m.Seated, m.Event, m.Away, m.Left, m.Replaced, m.Back, m.Over)


async def play(connect: Connect, name: str, game: str, policy: Policy, house: str | None = "easy") -> int | None:
    """
    Plays one match to its end. After a lost connection it connects again, and takes the seat back.

    :param connect: connects to the host, such as `tcp("127.0.0.1", 8889)` of `gamehost.client.asyncio_client`
    :param name: the name of the player
    :param game: the name of the game
    :param policy: chooses the actions
    :param house: the level of the house players at the other seats; `None`: the opponents are other players
    :return: the reward, as in an environment: 1 for a victory, -1 for a defeat, 0 for a draw; `None`: the host has stopped
        the match, or it ended while the connection was lost
    """
    async with Client(connect, m.Enter(name)) as client:
        client.say(m.Seek(game, house=house or UNSET))
        seat = PolicySeat(client, policy)
        async for message in client:
            match message:
                case m.Over(table) if table == seat.table:
                    return seat.reward(message)
                case m.Suspended(table) if table == seat.table:
                    return None
                case m.Entered(table=table) if seat.table is not None and table != seat.table:
                    # After a lost connection, the player has another table or none: its match has ended.
                    return None
                case m.Sorry(why):
                    raise ValueError(f"the host refuses: {why}")
            seat.hear(message)
    return None


class PolicySeat:
    """The own seat of a match. `hear` takes each message of the host, and sends the action of the policy if it is asked for."""

    def __init__(self, client: ClientCore, policy: Policy) -> None:
        """
        Begins without a seat.

        :param policy: chooses the actions
        """
        self._client, self._policy = client, policy
        self.table: int | None = None
        self._encoder: SeatEncoder | None = None
        self._seated: m.Seated | None = None
        #: From the return on: the events that came while those before it are missing; `None`: none are missing.
        self._later: list[m.Event] | None = None
        #: The last entry that was told here. The client's table may be ahead, after a piece with several messages.
        self._told = 0
        #: The action that is not judged yet: its id, and the entry after which it was sent.
        self._sent: tuple[int, int] | None = None
        self._number = 0
        #: Numbers that the host has refused in this place.
        self._refused: set[int] = set()

    def hear(self, message: Any) -> None:
        """
        Follows a message of the host, and acts if it is the player's turn. Messages about other tables are ignored.
        """
        if isinstance(message, _ENTRIES):
            self._told = message.n
        match message:
            case m.Entered(table=table):
                # A player that comes back to a table misses events, until it has asked for them.
                self._later = None if table is UNSET else []
            case m.Seated(table):
                self.table = table
                self._seated = message
                self._begin()
            case _ if getattr(message, "table", self.table) != self.table:
                return
            case m.Back(table, n, view=view) if view is not UNSET:
                self._later = []
                self._client.say(m.AskHistory(table, n))
            case m.History(_, _, events):
                # The history begins with the match, so a new encoder receives all of it, and then what has come
                # meanwhile.
                later = self._later or []
                self._later = None
                self._begin()
                for event in (*(one.event for one in events), *(one.event for one in later)):
                    self._tell(event)
            case m.Event() if self._later is not None:
                self._later.append(message)
            case m.Event(_, n, event):
                self._judge(n, event)
                self._tell(event)
            case m.Refused(_, number) if self._sent is not None and number == self._sent[0]:
                self._refused.add(self._number)
                self._sent = None
        self._act()

    def reward(self, over: m.Over) -> int:
        assert self._seated is not None
        if not over.winners:
            return 0
        return 1 if self._seated.seat in over.winners else -1

    def _begin(self) -> None:
        """Prepares for a new match: makes its encoder, and forgets earlier actions."""
        assert self._seated is not None
        self._encoder = encoder(self._seated.game, self._seated.seat, len(self._seated.names))
        self._sent = None
        self._refused.clear()

    def _tell(self, event: Any) -> None:
        if self._encoder is not None:
            self._encoder.hear(event)

    def _judge(self, n: int, event: Any) -> None:
        """The own action has had an effect, if this event of a later entry is not of another seat."""
        assert self._seated is not None
        # An event without a seat may be the effect of the action, too.
        if self._sent is None or (n > self._sent[1] and getattr(event, "seat", self._seated.seat) == self._seated.seat):
            self._sent = None
            self._refused.clear()

    def _act(self) -> None:
        """
        Lets the policy choose an action, and sends it. Does nothing while an action is not judged, events are missing,
        or the player cannot act.
        """
        client, one = self._client, self._encoder
        table = client.own
        if one is None or self._sent or self._later is not None or table is None or table.view is None:
            return
        # The connection is lost, or not all messages about this position have come.
        if not client.ready or self._told != table.n:
            return
        notation = None
        # A number may be only a step of an action: choose until the action is complete.
        while notation is None:
            mask = one.legal(table.view)
            mask[list(self._refused)] = 0
            if not mask.any():
                # It is not this player's turn.
                return
            self._number = int(self._policy({"observation": one.see(table.view), "action_mask": mask}))
            notation = one.took(self._number, table.view)
        self._sent = client.act(notation), table.n
        one.done()
