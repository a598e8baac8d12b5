"""
What an owner asks: one JSON object a line. It names a command, and has the command's arguments.

Each answer is some lines, one JSON object each: any number of `{"item": {...}}`, and then one `{"end": {...}}` or
`{"error": "...", "status": 1}`.
"""

import json
from collections.abc import Callable, Generator, Mapping
from typing import Any, TypeAlias

from attrs import field, frozen
from twisted.internet.defer import Deferred

from gamehost.service import GameHostService

#: The longest line of a request, in bytes.
LONGEST_REQUEST = 65_536

#: What is told of one thing: names and values that JSON has.
Facts: TypeAlias = Mapping[str, Any]
#: A long answer: each fact is an item, and the return value is the end. A `Deferred` is waited for, and its result is sent
#: into the generator.
Items: TypeAlias = Generator["Facts | Deferred[Any]", Any, Facts]
Answer: TypeAlias = "Facts | Items | Deferred[Facts]"


class NotDone(Exception):
    """The host does not do what was asked, and nothing has changed. The message says why."""


@frozen
class Request:
    """One request."""

    command: str
    arguments: Facts = field(factory=dict)

    def text(self, name: str, default: str | None = None) -> str:
        """
        An argument that is a text.

        :raises NotDone: it is missing, or is no text
        """
        value = self.arguments.get(name, default)
        if not isinstance(value, str):
            raise NotDone(f"{name}: expected a text")
        return value

    def number(self, name: str) -> int:
        """
        An argument that is a whole number.

        :raises NotDone: it is missing, or is no whole number
        """
        value = self.arguments.get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise NotDone(f"{name}: expected a whole number")
        return value

    def flag(self, name: str) -> bool:
        """
        An argument that is yes or no; no if it is missing.

        :raises NotDone: it is neither
        """
        value = self.arguments.get(name, False)
        if not isinstance(value, bool):
            raise NotDone(f"{name}: expected true or false")
        return value


#: Carries a request out. It may raise `NotDone`.
Run: TypeAlias = Callable[[GameHostService, Request], Answer]


def read_request(line: bytes) -> Request:
    """
    :raises NotDone: this is no request
    """
    try:
        content = json.loads(line)
    except (ValueError, RecursionError):
        raise NotDone("expected a JSON object on one line") from None
    if not isinstance(content, dict) or not isinstance(content.get("command"), str):
        raise NotDone('expected a JSON object with a "command", and with "arguments" if there are any')
    arguments = content.get("arguments", {})
    if not isinstance(arguments, dict) or content.keys() - {"command", "arguments"}:
        raise NotDone('expected "command" and "arguments" alone, and an object in "arguments"')
    return Request(content["command"], arguments)
