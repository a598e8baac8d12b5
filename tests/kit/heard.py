"""A page as somebody has it who does not see it: nothing but the accessibility tree, the focus, and the keys."""

import re
from typing import Any

from attrs import frozen
from twisted.internet import reactor as this_reactor
from twisted.internet.defer import Deferred

from tests.kit.browser import PATIENCE, Page

#: Seconds between two looks at the tree.
PAUSE = 0.02
#: The whole page: it has the focus if nothing in it has.
ROOT = "RootWebArea"


@frozen
class Node:
    role: str
    name: str
    #: As the browser numbers it, for the focus.
    number: int
    focused: bool
    polite: bool


class Heard:
    """Reads a page through its accessibility tree, and acts by the focus and the keys."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._pressed = False

    async def tree(self) -> list[Node]:
        found = await self.page.ask("Accessibility.getFullAXTree")
        return [_node(one) for one in found["nodes"] if not one["ignored"]]

    async def until(self, role: str, *words: str) -> Node:
        """
        Wait for a node whose name has one of these regular expressions in it. After the first press, something in the page
        has the focus by then.

        :raises AssertionError: it never came; the message has what the tree says
        """
        reactor: Any = this_reactor
        end = reactor.seconds() + PATIENCE
        while True:
            tree = await self.tree()
            found = [node for node in tree if node.role == role and any(re.search(one, node.name) for one in words)]
            lost = self._pressed and _focus(tree).role == ROOT
            if found and not lost:
                return found[0]
            if reactor.seconds() > end:
                said = "\n".join(f"{one.role}: {one.name}" for one in tree if one.name)
                raise AssertionError(f"{'the focus is lost' if lost else f'no {role} {words}'}:\n{said}")
            waited: Deferred[None] = Deferred()
            reactor.callLater(PAUSE, waited.callback, None)
            await waited

    async def press(self, words: str, role: str = "button") -> None:
        """Wait for a control, put the focus on it, and press Enter."""
        node = await self.until(role, words)
        await self.page.ask("DOM.focus", backendNodeId=node.number)
        await self.page.press("Enter")
        self._pressed = True


def _focus(tree: list[Node]) -> Node:
    return next(node for node in reversed(tree) if node.focused)


def _node(one: Any) -> Node:
    about = {each["name"]: each["value"].get("value") for each in one.get("properties", ())}
    return Node(
        one["role"]["value"],
        one.get("name", {}).get("value", ""),
        one.get("backendDOMNodeId", 0),
        about.get("focused", False) is True,
        about.get("live") == "polite",
    )
