"""
What of the JSON wire's page is made from the code: the drawing of the states, and the JSON Schema beside it.

`python -m tests.kit.wires.eriantys_json_page` writes them anew.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gamehost.wires.eriantys_json.conversation import JsonConversation
from gamehost.wires.eriantys_json.events import State
from gamehost.wires.eriantys_json.schema import published
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.transcript import Drops, Passes, Says, transcripts

FOLDER = Path(__file__).parents[3] / "docs" / "wires"
PAGE = FOLDER / "eriantys.rst"
SCHEMA = FOLDER / "eriantys.schema.json"

BEGIN = ".. The drawing is made by tests/kit/wires/eriantys_json_page.py.\n"
END = "\n.. End of the drawing.\n"

#: (before, what was heard or told, after)
Step = tuple[State, str, State]


@contextlib.contextmanager
def recorded(steps: set[Step]) -> Iterator[None]:
    """Write down, as long as this lasts, every change of any conversation's state and what it came of."""
    hear, deliver = JsonConversation.hear, JsonConversation.deliver
    hearing: list[object] = []

    def heard(self: Any, message: Any) -> None:
        before = self.state
        hearing.append(self)
        hear(self, message)
        hearing.pop()
        if self.state is not before:
            steps.add((before, f"-> {type(message).__name__}", self.state))

    def told(self: Any, event: Any) -> None:
        before = self.state
        deliver(self, event)
        if self.state is not before and self not in hearing:
            steps.add((before, f"<- {_SAID[type(event).__name__]}", self.state))

    JsonConversation.hear = heard  # type: ignore[method-assign]
    JsonConversation.deliver = told  # type: ignore[method-assign]
    try:
        yield
    finally:
        JsonConversation.hear, JsonConversation.deliver = hear, deliver  # type: ignore[method-assign]


#: What is said of each event that changes a state.
_SAID = {"MatchStarted": "MatchStarted", "Over": "CLOSING_GAME", "TableClosed": "CLOSING_GAME"}


#: Two at a table for three, which is closed.
_LONELY = (
    Says(1, '{"type":"LoginMessage","nickname":"ann"}'),
    Says(1, '{"type":"SetGame","numberOfPlayers":3,"expertMode":false}'),
    Says(2, '{"type":"LoginMessage","nickname":"bob"}'),
    Says(2, '{"type":"JoinAvailableGame","gameId":1}'),
    Passes(600),
)


def steps_taken() -> set[Step]:
    """All changes of state in all transcripts, and at a table where nobody came."""
    steps: set[Step] = set()
    with recorded(steps):
        for transcript in transcripts("eriantys"):
            _play(MemoryHost(transcript.settings), transcript.steps)
        _play(MemoryHost({"eriantys.ping": "0"}), _LONELY)
    return steps


def _play(world: MemoryHost, steps: Any) -> None:
    clients: dict[int, Client] = {}
    for step in steps:
        match step:
            case Says(number, line):
                if number not in clients:
                    clients[number] = world.connect("eriantys")
                clients[number].say(line)
            case Drops(number):
                clients[number].drop()
            case Passes(seconds):
                world.wait(seconds)


def drawing() -> str:
    """The states, what is heard in each, and where it leads."""
    taken = steps_taken()
    lines = [".. code-block:: text", ""]
    everywhere = set.intersection(*({kind for state, kind in JsonConversation.HEARS if state is one} for one in State))
    for state in State:
        lines.append(f"   {state.value.upper()}")
        heard = [kind.__name__ for one, kind in JsonConversation.HEARS if one is state and kind not in everywhere]
        for name in heard:
            lines.append(f"      -> {name}".ljust(36) + _where(taken, state, f"-> {name}"))
        told = sorted({cause for before, cause, _ in taken if before is state and cause.startswith("<- ")})
        for cause in told:
            lines.append(f"      {cause}".ljust(36) + _where(taken, state, cause))
        lines.append("")
    names = sorted(kind.__name__ for kind in everywhere if kind.__name__ != "Malformed")
    lines.append(f"   in every state: -> {', '.join(names)}")
    return "\n".join(lines) + "\n"


def _where(taken: set[Step], before: State, cause: str) -> str:
    after = [state.value.upper() for state in State if (before, cause, state) in taken]
    return "=> " + " or ".join(after) if after else "stays"


def in_step(page: str) -> str:
    """The page with the drawing as it should be."""
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return head + BEGIN + "\n" + drawing() + END + tail


if __name__ == "__main__":
    PAGE.write_text(in_step(PAGE.read_text("utf-8")), "utf-8")
    SCHEMA.write_text(published(), "utf-8")
