"""Bytes in the alphabet of addresses (RFC 4648, section 5), without `=` at the end."""

import base64
import re

_ALPHABET = re.compile(r"[A-Za-z0-9_-]*", re.ASCII)


def to_text(data: bytes) -> str:
    """Write bytes."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")


def from_text(text: str) -> bytes:
    """
    The bytes that `to_text` has written, with or without `=` at the end.

    :raises ValueError: there are other characters in it
    """
    text = text.rstrip("=")
    if not _ALPHABET.fullmatch(text):
        raise ValueError("expected base64url")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
