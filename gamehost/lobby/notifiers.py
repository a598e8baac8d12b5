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
    """The object that an entry point names. A host uses the notifier if the option with its name has a value."""

    name: str
    #: The options of the host that belong to it, by name. One of them has the name of the notifier, and is `None` by
    #: default.
    options: Mapping[str, Setting]
    #: `start(values, surroundings)`, with the value of each option: returns the `Notifier`, or raises `PartUnusable` with the
    #: reason why there can be none.
    start: Callable[..., Any]
