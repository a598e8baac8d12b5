"""
The keys with which guests show that a seat is theirs: chosen by themselves, or made by the host.
"""

from hashlib import sha256

from attrs import field, frozen

from gamehost.accounts.names import NameFault, NameRefused

#: In characters.
LONGEST_KEY = 64
#: Before the digest of a key that the host has made.
ISSUED = "~"


@frozen
class IssuedKey:
    """
    A guest's key that the host has made, at random and too long to be guessed. Unlike a key that a guest has chosen, it is
    an offer: who does not show it may still take the seat back as `ResumePolicy` says.
    """

    text: str = field(repr=False)
    #: Whether the client has shown it, or gets it with this log-in.
    shown: bool

    @property
    def digest(self) -> str:
        return ISSUED + sha256(self.text.encode("utf-8")).hexdigest()


def split_key(text: str) -> tuple[str, str]:
    """
    A name, and the digest of the key behind its colon; the digest is empty if there is no colon.

    :raises NameRefused: there is a colon and no key
    """
    name, colon, key = text.partition(":")
    if not colon:
        return name, ""
    if not 1 <= len(key) <= LONGEST_KEY or not key.isprintable():
        raise NameRefused(NameFault.INVALID, f"a key, behind the colon of NAME:KEY, has 1 to {LONGEST_KEY} characters")
    return name, sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
