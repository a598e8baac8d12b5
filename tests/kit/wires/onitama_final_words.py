"""The messages of the final dialect of Onitama as text: without the zero byte at the end."""

from gamehost.testing.message_text import Lines


class ZeroBytes(Lines):
    """A message is its text. The zero byte behind it is not written."""

    END = b"\0"
