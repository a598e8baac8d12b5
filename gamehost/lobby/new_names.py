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

#: The longest text for which a similar name is suggested, in characters. A longer text is hardly meant as a name.
LONGEST_TYPED = 40


@define(eq=False)
class NewNames:
    """
    Finds names for new players: a free name that is similar to the wanted one.

    :param new_guest: makes a name such as `guest.7`
    """

    _registry: SessionRegistry
    _bans: Bans
    _new_guest: Callable[[], str]

    def like(self, wanted: str) -> Name:
        """
        Find a free name: the wanted one, or the wanted one with a number, or otherwise a name such as `guest.7`.

        :param wanted: a text from `mended`; it may be empty
        :returns: a name that no session has, and that has no reserved seat
        """
        prefix = self._registry.membership.prefix  # makes the numbers of this host unique in a cluster
        # The 2 characters that are cut off make room for a dot and one digit.
        numbered = (f"{wanted[: LONGEST_NAME - 2 - len(prefix)]}.{prefix}{number}" for number in range(2, 10))
        for like_it in (wanted, *numbered) if wanted else ():
            try:
                name = checked_name(like_it)
                check_new_name(name)
            except NameRefused:
                break  # a number would not make it better
            if self._is_free(name):
                return name
        return name_of(self._new_guest())

    def _is_free(self, name: Name) -> bool:
        """Whether a new player can have this name: no player has it, and it looks like no other name."""
        registry = self._registry
        taken = registry.find(name.key) is not None or registry.membership.is_elsewhere(name.key)
        return not (taken or registry.looks_taken(name))

    def why_refused(self, text: str, refusal: NameRefused) -> str:
        """The message for a refused name: the reason, and a similar name that would be accepted, if there is one."""
        other = self.instead(text, refusal)
        return f'{refusal}; "{other}" would be taken' if other else str(refusal)

    def instead(self, text: str, refusal: NameRefused) -> str:
        """
        A similar name that would be accepted instead of the typed one.

        :returns: empty: there is none; or the typed name may be the person's own, so it should try again with that name
        """
        # Some refusals are for people that try to use their own name. They are recognised by their words.
        reason = str(refusal)
        own = (
            refusal.kept is not None or "kept under" in reason or reason == TOO_MANY_TRIED or reason.startswith("a key")
        )
        return "" if own or refusal.fault is NameFault.BUSY else self._other(text)

    def _other(self, text: str) -> str:
        """The most similar name that a new player can have now; empty: there is none."""
        found = suggested(text) if len(text) <= LONGEST_TYPED and text.isprintable() else ""
        if not found:
            return ""
        name = typed_name(found)
        if self._bans.of_name(name) is not None:
            return ""
        # Take the corrected text itself, unless it is the name that was just refused.
        if name.key != typed_key(text) and self._is_free(name) and not self._registry.is_reserved(name.key):
            return found
        other = self.like(mended(name.text))
        # A name with another first letter, such as `guest.7`, is not similar: it is one that the host gives.
        given = other.key == name.key or not other.text.startswith(name.text[:1])
        return "" if given or self._registry.is_reserved(other.key) else other.text


def typed_key(text: str) -> str:
    """The key of the name that a person has typed; empty: the text cannot be a name."""
    try:
        return typed_name(text).key
    except NameRefused:
        return ""
