"""
The kinds of reasons for which the host ends a connection. There are few of them, so that they can be counted.
"""

from gamehost.wires.conversation import DISPLACED, SUSPENDED, UNMATCHED

#: Told to a player whose connection the owner of the host ends.
KICKED = "the owner of this host has ended your connection"

#: How a reason begins -> its kind. The first that fits counts.
_BEGINNINGS = {
    "too many refusals": "refusals",
    "too many messages": "rate",
    "too many bytes": "rate",
    "not logged in within": "login_deadline",
    "a message not finished within": "message_deadline",
    "the client reads too slowly": "slow_reader",
    "the client does not read": "slow_reader",
    "not a byte in": "silent",
    "no byte received": "silent",
    "silent": "silent",
    "the host is stopping": "stopping",
    "a fault of the host": "fault",
    SUSPENDED: "fault",
    "displaced by another connection": "replaced",
    DISPLACED: "replaced",
    UNMATCHED: "unmatched",
    "malformed log-ins": "protocol",
    "this name is banned": "banned",
    "your address is banned": "banned",
    KICKED: "kicked",
    "the host is about to stop": "stopping",
}

#: The kind of all other reasons.
OTHER = "other"

#: All kinds. `protocol` is also the kind of everything that a wire cannot understand.
KINDS = (*dict.fromkeys(_BEGINNINGS.values()), OTHER)


def kind_of(reason: str, default: str = OTHER) -> str:
    """
    The kind of a reason.

    :param default: the kind, if the reason is not known here
    """
    return next((kind for beginning, kind in _BEGINNINGS.items() if reason.startswith(beginning)), default)
