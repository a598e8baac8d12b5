"""The names that new players of a host can have now."""

from collections.abc import Callable

from attrs import define

from gamehost.accounts.bans import Bans
from gamehost.accounts.names import (
    LONGEST_NAME,
    Name,
    NameFault,
    NameRefused,
    check_new_name,
    checked_name,
    mended,
    name_of,
    suggested,
    typed_name,
)
from gamehost.lobby.sessions import TOO_MANY_TRIED, SessionRegistry

#: The longest text that is repeated to its sender, in characters. A longer text is hardly a name.
LONGEST_TYPED = 40


@define(eq=False)
class NewNames:
    """
    :param new_guest: makes a name of the host's own
    """

    _registry: SessionRegistry
    _bans: Bans
    _new_guest: Callable[[], str]

    def like(self, wanted: str) -> Name:
        """
        This text without what a name cannot have, or the same with a number; otherwise a name that the host gives.

        No session has this name, and no seat is reserved under it.
        """
        prefix = self._registry.membership.prefix
        numbered = (f"{wanted[: LONGEST_NAME - 2 - len(prefix)]}.{prefix}{number}" for number in range(2, 10))
        for like_it in (wanted, *numbered) if wanted else ():
            try:
                name = checked_name(like_it)
                check_new_name(name)
            except NameRefused:
                break
            if self._is_free(name):
                return name
        return name_of(self._new_guest())

    def _is_free(self, name: Name) -> bool:
        registry = self._registry
        taken = registry.find(name.key) is not None or registry.membership.is_elsewhere(name.key)
        return not (taken or registry.looks_taken(name))

    def why_refused(self, text: str, refusal: NameRefused) -> str:
        """The reason why a typed name is refused, and a similar name that would be accepted, if there is one."""
        other = self.instead(text, refusal)
        return f'{refusal}; "{other}" would be taken' if other else str(refusal)

    def instead(self, text: str, refusal: NameRefused) -> str:
        """
        A name that would be accepted instead of the typed one. Empty: there is none, or the person may be the owner of
        the typed name.
        """
        reason = str(refusal)
        own = (
            refusal.kept is not None or "kept under" in reason or reason == TOO_MANY_TRIED or reason.startswith("a key")
        )
        return "" if own or refusal.fault is NameFault.BUSY else self._other(text)

    def _other(self, text: str) -> str:
        """The most similar name that `enter` accepts now; empty: there is none."""
        found = suggested(text) if len(text) <= LONGEST_TYPED and text.isprintable() else ""
        if not found:
            return ""
        name = typed_name(found)
        if self._bans.of_name(name) is not None:
            return ""
        if name.key != typed_key(text) and self._is_free(name) and not self._registry.is_reserved(name.key):
            return found
        other = self.like(mended(name.text))
        given = other.key == name.key or not other.text.startswith(name.text[:1])
        return "" if given or self._registry.is_reserved(other.key) else other.text


def typed_key(text: str) -> str:
    """The key of a text that a person has typed; empty: it is no name."""
    try:
        return typed_name(text).key
    except NameRefused:
        return ""
