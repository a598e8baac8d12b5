"""A person at the console who types nothing but what the console suggests."""

import re

from gamehost.testing.memory_host import Client, MemoryHost

#: Lines without words: the prompt, and what is drawn.
_DRAWN = re.compile(r">|\s.*|")
#: What stands behind the last colon of a line, to be copied.
_EXAMPLE = re.compile(r"(?:.*: )(?P<example>[^:]+?)\.?")


class Person:
    """Somebody who reads the last line of words, and copies the example in it."""

    def __init__(self, host: MemoryHost, address: str = "192.0.2.1") -> None:
        self.client: Client = host.connect("console", address)
        #: All that was seen, without prompts.
        self.seen: list[str] = []
        self._words: list[str] = []

    @property
    def over(self) -> bool:
        """Whether the end of a match was seen last."""
        return any(line.startswith("For another match") for line in self._words[-1:])

    def look(self) -> None:
        """Read what has come."""
        lines = self.client.heard()
        self.seen += [line for line in lines if line != ">"]
        self._words += [line for line in lines if not _DRAWN.fullmatch(line)]

    def suggested(self) -> str | None:
        """What the last line tells to type; `None`: nothing, somebody else is to move."""
        self.look()
        if not self._words:
            return None
        last = self._words[-1]
        if len(self._words) > 1 and self._words[-2].endswith(":"):
            last = f"{self._words[-2]} {last}"
        found = _EXAMPLE.fullmatch(last)
        return None if found is None else found["example"]

    def type(self, text: str) -> None:
        """Type a line."""
        self.seen.append(f"> {text}")
        self.client.say(text)
        self.look()

    def follow(self) -> bool:
        """Type what is suggested. Whether anything was."""
        self.look()
        text = None if self.over else self.suggested()
        if text is None:
            return False
        self.type(text)
        return True
