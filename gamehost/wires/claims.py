"""What log-ins claim, for the methods of `BaseConversation.CLAIMS`. Names that nobody can have claim nothing."""

from gamehost.accounts.names import NameRefused, checked_name
from gamehost.lobby.queues import Queue
from gamehost.lobby.sessions import split_key
from gamehost.wires.conversation import Claim


def claim_of_guest(text: str, queue: Queue | None = None, strict: bool = False) -> Claim | None:
    """
    What the log-in of a guest claims; the arguments are those of `Lobby.enter`.

    :param text: the name, or `NAME:KEY`
    :param queue: where the player will wait for an opponent; `None`: not in a queue
    :param strict: the wire has no keys
    """
    try:
        name, _ = (text, "") if strict else split_key(text)
    except NameRefused:
        return None
    return claim_of_account(name, queue)


def claim_of_account(name: str, queue: Queue | None = None) -> Claim | None:
    """What the log-in of an account claims, or that of a guest whose key does not stand behind the name."""
    try:
        return Claim(checked_name(name), queue)
    except NameRefused:
        return None
