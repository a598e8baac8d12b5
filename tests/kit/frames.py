"""Frames of WebSocket as clients send them, the wrong ones too, and how tests write what a host sends."""

from wsproto.frame_protocol import FrameProtocol, Opcode

#: The mask of all frames in tests.
MASK = b"\x01\x02\x03\x04"


def frame(
    opcode: int, payload: bytes = b"", *, fin: bool = True, mask: bytes = MASK, bits: int = 0, length: int | None = None
) -> bytes:
    """
    One frame.

    :param mask: empty: the frame has none
    :param bits: the reserved bits
    :param length: what is announced, in as many bytes as it needs; by default the length of the payload
    """
    announced = len(payload) if length is None else length
    first = (0x80 if fin else 0) | bits << 4 | opcode
    masked = 0x80 if mask else 0
    if announced < 126:
        head = bytes((first, masked | announced))
    elif announced < 65_536:
        head = bytes((first, masked | 126)) + announced.to_bytes(2, "big")
    else:
        head = bytes((first, masked | 127)) + announced.to_bytes(8, "big")
    body = bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload)) if mask else payload
    return head + mask + body


def message(words: str | bytes, *, fin: bool = True) -> bytes:
    """A text, or the first fragment of one."""
    return frame(1, words.encode() if isinstance(words, str) else words, fin=fin)


def part(words: str | bytes, *, fin: bool = False) -> bytes:
    """A further fragment."""
    return frame(0, words.encode() if isinstance(words, str) else words, fin=fin)


def close(code: int | None = 1000, reason: str = "") -> bytes:
    """A closing frame."""
    return frame(8, b"" if code is None else code.to_bytes(2, "big") + reason.encode())


class FrameText:
    """What a host sends, in words: texts as they are, other frames by their names."""

    def __init__(self) -> None:
        self._frames = FrameProtocol(client=True, extensions=[])
        self._opening = b""
        self._switched = False
        self._text = ""

    @property
    def unread(self) -> bytes:
        """What has come of a message that is not whole."""
        return self._opening or self._text.encode()

    def said(self, line: str) -> bytes:
        """A text."""
        return message(line)

    def heard(self, data: bytes) -> list[str]:
        """The frames that are whole now. An answer to the handshake is its first line."""
        lines: list[str] = []
        if self._opening or data.startswith(b"H"):
            self._opening += data
            head, end, data = self._opening.partition(b"\r\n\r\n")
            if not end:
                return []
            self._opening = b""
            lines.append(head.decode().split("\r\n")[0])
        self._frames.receive_bytes(data)
        for one in self._frames.received_frames():
            match one.opcode:
                case Opcode.TEXT:
                    self._text += str(one.payload)
                    if one.message_finished:
                        lines.append(self._text)
                        self._text = ""
                case Opcode.CLOSE:
                    lines.append(f"close {int(one.payload[0])} {one.payload[1]}")
                case _:
                    lines.append(f"{one.opcode.name.lower()} {bytes(one.payload)!r}")  # type: ignore[arg-type]
        return lines
