"""
How tests and transcripts write what the console says: lines as they are, a prompt as `>`, telnet's options in angle brackets.
"""

import re

from gamehost.testing.message_text import Lines
from gamehost.wires.console.telnet import ASK_CHARSET, ASK_TERMINAL, HIDE, PROBE, SHOW, TERMINAL_TYPE, WINDOW_SIZE

#: What the host says of telnet's options.
OPTIONS = {PROBE.data: "<probe>", ASK_TERMINAL.data: "<terminal?>", ASK_CHARSET.data: "<charset?>"}
OPTIONS |= {HIDE.data: "<hide>", SHOW.data: "<show>"}
#: What stands without a line end.
_PROMPTS = re.compile(rb"> |Password[^\n:]*: ")
#: What a client's telnet says.
SAID = {
    "<will terminal>": bytes((255, 251, TERMINAL_TYPE)),
    "<do charset>": bytes((255, 253, 42)),
    "<window 60>": bytes((255, 250, WINDOW_SIZE, 0, 60, 0, 24, 255, 240)),
    "<terminal xterm>": bytes((255, 250, TERMINAL_TYPE, 0)) + b"XTERM" + bytes((255, 240)),
    "<charset utf-8>": bytes((255, 250, 42, 2)) + b"UTF-8" + bytes((255, 240)),
}
#: The end of the host's options: two kinds of them.
_OPTION = re.compile(rb"\xff[\xfb-\xfe].|\xff\xfa[^\xff]*\xff\xf0", re.DOTALL)


def without_options(data: bytes) -> bytes:
    """The text alone."""
    return _OPTION.sub(b"", data)


class ConsoleWords(Lines):
    """
    Lines, prompts and options. A prompt is `>`, or the question without the space behind it. An empty line that only ends a
    prompt is not told.
    """

    def __init__(self) -> None:
        super().__init__()
        self._prompted = False

    def said(self, line: str) -> bytes:
        """A line with its end, or what a telnet says."""
        if line.startswith("<"):
            return b"".join(SAID[part + ">"] for part in line.split(">")[:-1])
        self._prompted = False
        return super().said(line)

    def heard(self, data: bytes) -> list[str]:
        """What is whole now."""
        rest, words = self._unread + data, []
        while rest:
            option = next((one for one in OPTIONS if rest.startswith(one)), None)
            prompt = _PROMPTS.match(rest)
            if option is not None:
                words.append(OPTIONS[option])
                rest = rest[len(option) :]
            elif prompt is not None:
                words.append(prompt.group().decode().rstrip())
                rest, self._prompted = rest[prompt.end() :], True
            elif b"\n" in rest:
                line, rest = rest.split(b"\n", 1)
                text = line.removesuffix(b"\r").decode("utf-8")
                if text or not self._prompted:
                    words.append(text)
                self._prompted = False
            else:
                break
        self._unread = rest
        return words
