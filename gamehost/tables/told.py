"""
The check of a master's events, before they are recorded. A master may be the code of a plug-in. Without the check, an
event that cannot be sent would be in the record for ever and never reach a player.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from twisted.logger import Logger

from gamehost.games.base import Game, To
from gamehost.games.installed import part

log = Logger()

#: Returns the class of an event, and the seats that receive it.
told_as = attrgetter("event.__class__", "audience")

#: How many pairs of class and audience are remembered for a game. A game of two seats has about a dozen.
MOST = 4096

#: The package of the host's own games. Some of their events have no message on purpose, because a later event repeats
#: them.
_OWN = "gamehost."


def check_told(game: Game[Any, Any], told: Sequence[To[Any]], seats: int, known: set[Any]) -> None:
    """
    Check the events of a master.

    An event of a class of the game's own may have no message: then wires cannot send it, and the log names the class. An
    event of a built-in class of Python, such as `dict`, must have a message.

    :param seats: how many seats the match has
    :param known: the kinds of events that were checked. The new ones are added, so that a table does not check the same
        kind again
    :raises TypeError: an item is no `To`, its audience has a seat that the match has not, or its event is of a built-in
        class and the game has no message for it
    """
    for to in told:
        if type(to) is not To:
            raise TypeError(f"the master has told {to!r:.100}; expected To(event) or To(event, seats)")
        event, audience = to.event, to.audience
        if audience is not None and not (isinstance(audience, tuple) and set(audience) <= set(range(seats))):
            raise TypeError(
                f"the master has told an event to {audience!r:.100}; expected None, or a tuple of seats below {seats}"
            )
        if (type(event), audience) not in known:
            _check_event(game, event)
            if len(known) < MOST:  # a game may have many audiences; beyond the limit they are checked each time
                known.add((type(event), audience))


def _check_event(game: Game[Any, Any], event: object) -> None:
    """
    Check that the game has a message for an event, or that the event is at least of a class of its own. A class of a
    plug-in without a message is logged.

    :raises TypeError: the event is of a built-in class of Python, such as `dict`, and the game has no message for it
    """
    messages, kind = part(game, "messages", "MESSAGES"), type(event)
    if messages is not None and messages.event(event) is not None:
        return
    if kind.__module__ == "builtins" or kind is To:
        raise TypeError(f"the master has told {event!r:.100}, which is no event of {game.name}")
    if messages is not None and not kind.__module__.startswith(_OWN):
        log.warn(
            "the messages of {game} have none for its event {kind}: the open wire, consoles and browsers are not told it",
            game=game.name,
            kind=kind.__qualname__,
        )
