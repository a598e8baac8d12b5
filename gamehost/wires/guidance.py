"""
What is said to whoever is lost: people who type `help`, and programs that speak another protocol to this port.

A wire asks here with what it could not understand, and adds how its own conversation begins. Pure.
"""

#: What people type who do not know the protocol. None of these is a name either: see `gamehost.accounts.names.RESERVED`.
HELP_WORDS = frozenset({"help", "?", "quit", "exit"})

_HTTP_METHODS = (b"GET ", b"POST ", b"HEAD ", b"PUT ", b"OPTIONS ", b"DELETE ", b"CONNECT ", b"PRI * HTTP/2")
_TLS = b"\x16\x03"
_SSH = b"SSH-"
_JSON = (b'{"', b"{ ", b"{}", b"[")


def asks_for_help(text: str) -> bool:
    """Whether a line is a person's call for help, in any case and with spaces around it."""
    return text.strip().casefold() in HELP_WORDS


def for_people(by_hand: str) -> str:
    """
    Where somebody plays who would rather not speak a protocol, for the end of a sentence.

    :param by_hand: what to run in a terminal; empty: there is nothing for them
    """
    return f"; to play by hand, run {by_hand} in a terminal" if by_hand else ""


def other_protocol(data: bytes) -> str | None:
    """
    What the first bytes of a connection look like, for a sentence: `an HTTP request`; `None`: like nothing known.

    :param data: what came first and was not understood; a few bytes suffice
    """
    if data.startswith(_HTTP_METHODS):
        return "an HTTP request"
    if data.startswith(_TLS):
        return "a TLS handshake"
    if data.startswith(_SSH):
        return "an SSH client"
    text = data.lstrip()
    if text.startswith((b"<message", b"<?xml", b"<authenticated", b"<!")):
        return "XML"
    if text.startswith(_JSON):
        return "JSON"
    return None


def may_become_other_protocol(data: bytes) -> bool:
    """Whether these bytes can be the beginning of something that `other_protocol` knows, XML aside."""
    return any(opening.startswith(data) for opening in (*_HTTP_METHODS, _TLS, _SSH, *_JSON))


def wrong_port(data: bytes, spoken: str, other: str = "") -> str | None:
    """
    A sentence for a client of another protocol, or `None` if it does not look like one.

    :param data: what came first and was not understood
    :param spoken: what this port speaks: `pipe-separated lines; begin with LOGIN and one field, the username`
    :param other: what `other_protocol` is allowed to find without harm on this wire: `JSON`
    """
    found = other_protocol(data)
    return None if found is None or found == other else f"this looks like {found}; this port speaks {spoken}"
