"""Base64url: writes bytes in an alphabet that is safe in URLs (RFC 4648, section 5), without `=` at the end."""

import base64
import re

_ALPHABET = re.compile(r"[A-Za-z0-9_-]*", re.ASCII)


def to_text(data: bytes) -> str:
    """Returns bytes in base64url."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def from_text(text: str) -> bytes:
    """
    Reads base64url, with or without `=` at the end.

    :raises ValueError: the text has other characters
    """
    text = text.rstrip("=")
    if not _ALPHABET.fullmatch(text):
        raise ValueError("expected base64url")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
