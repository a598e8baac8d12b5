"""
The kinds of notifiers that installed packages offer. Most hosts use none, so this module has only their options;
`gamehost.lobby.notices` has the rest.
"""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from gamehost.settings import Setting

#: The group of the entry points.
NOTIFIERS = "gamehost.notifiers"


class NotifierKind(Struct, frozen=True):
    """
    A kind of notifier that a package offers: the object behind an entry point of the group `NOTIFIERS`. A host uses this
    notifier if its owner has set the option with the notifier's name.
    """

    name: str
    #: The host's options for this notifier, by name. One of them has the name of the notifier, and is `None` by default.
    options: Mapping[str, Setting]
    #: `start(values, surroundings)` gets the value of each option, and returns the `Notifier`. It raises `PartUnusable` with
    #: the reason if the notifier cannot work.
    start: Callable[..., Any]
