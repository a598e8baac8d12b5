"""The messages of the final dialect of Onitama as text: without the zero byte at the end."""


class ZeroBytes:
    """A message is its text. The zero byte behind it is not written."""

    def __init__(self) -> None:
        self._unread = b""

    @property
    def unread(self) -> bytes:
        """A message without its end."""
        return self._unread

    def said(self, line: str) -> bytes:
        """A message with its end."""
        return line.encode("utf-8") + b"\0"

    def heard(self, data: bytes) -> list[str]:
        """The messages that are whole now."""
        *messages, self._unread = (self._unread + data).split(b"\0")
        return [message.decode("utf-8") for message in messages]
