"""
The parts of the JSON wire's page that are made from the code: the states, a whole board, and the JSON Schema beside it.

`python -m tests.kit.wires.eriantys_page` writes them anew.
"""

import contextlib
import json
import random
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec.json import schema_components

from gamehost.wires.eriantys.conversation import JsonConversation
from gamehost.wires.eriantys.messages import CLIENT_TYPES, SERVER_TYPES
from gamehost.wires.eriantys_conversation import EriantysState
from tests.kit.memory_host import Client, Drops, MemoryHost, Passes, Says, transcripts
from tests.kit.wires.eriantys_players import OPEN, Player, play, seated

FOLDER = Path(__file__).parents[3] / "docs" / "wires"
PAGE = FOLDER / "eriantys.rst"
SCHEMA = FOLDER / "eriantys.schema.json"

BEGIN = ".. The drawing is made by tests/kit/wires/eriantys_page.py.\n"
END = "\n.. End of the drawing.\n"
BOARD = ".. The board is made by tests/kit/wires/eriantys_page.py.\n"
BOARD_END = "\n.. End of the board.\n"

#: (before, what was heard or told, after)
Step = tuple[EriantysState, str, EriantysState]


def schema() -> dict[str, Any]:
    """
    The schema of a line: a message of the client or of the server.

    A message is an object with its type, its own keys and no others. Keys that are not required are extensions; the only
    exception is the color of ChosenStudent.
    """
    kinds = [*CLIENT_TYPES.values(), *SERVER_TYPES.values()]
    _, components = schema_components(kinds, ref_template="#/$defs/{name}")
    definitions: dict[str, Any] = {name: dict(component) for name, component in components.items()}
    for name, definition in definitions.items():
        if definition.get("type") != "object":
            continue
        for key in definition["properties"].values():
            key.pop("propertyNames", None)  # msgspec writes it from 0.23 on, and the file is the same with older ones
        if name in CLIENT_TYPES or name in SERVER_TYPES:
            keys = {key: value for key, value in definition["properties"].items() if key != "type"}
            definition["properties"] = {"type": {"const": name}, **keys}
            definition["required"] = ["type", *(key for key in definition["required"] if key != "type")]
        definition["additionalProperties"] = False
    definitions["ClientMessage"] = _one_of(CLIENT_TYPES)
    definitions["ServerMessage"] = _one_of(SERVER_TYPES)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Eriantys, one JSON object a line",
        **_one_of(("ClientMessage", "ServerMessage")),
        "$defs": dict(sorted(definitions.items())),
    }


def _one_of(names: Iterable[str]) -> dict[str, Any]:
    return {"oneOf": [{"$ref": f"#/$defs/{name}"} for name in names]}


def published() -> str:
    """The text of the published file."""
    return json.dumps(schema(), indent=1) + "\n"


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
    taken = steps_taken()
    lines = [".. code-block:: text", ""]
    for state in EriantysState:
        lines.append(f"   {state.value.upper()}")
        heard = [f"-> {kind.__name__}" for one, kind in JsonConversation.HEARS if one is state]
        told = sorted({cause for before, cause, _ in taken if before is state and cause.startswith("<- ")})
        for cause in (*heard, *told):
            if where := _where(taken, state, cause):
                lines.append(f"      {cause}".ljust(36) + f"=> {where}")
        lines.append("")
    return "\n".join(lines)


def _where(taken: set[Step], before: EriantysState, cause: str) -> str:
    return " or ".join(state.value.upper() for state in EriantysState if (before, cause, state) in taken)


def in_step(page: str) -> str:
    """The page with the drawing as it should be."""
    for begin, made, end in ((BEGIN, drawing(), END), (BOARD, board(), BOARD_END)):
        head, _, rest = page.partition(begin)
        _, _, tail = rest.partition(end)
        page = head + begin + "\n" + made + end + tail
    return page


def board() -> str:
    """An UpdateBoard from the middle of an expert game, on lines that fit a screen. The host sends it on one line."""
    world = MemoryHost(OPEN, rng=random.Random(84).randrange)
    players = [Player(world, name, random.Random(f"84{name}")) for name in ("ann", "bob")]
    seated(world, players, expert=True)
    play(world, players, most=60)
    text = msgspec.json.encode(players[0].board).decode("utf-8")
    for key in ("players", "dashboard", "islands", "clouds", "motherNature", "characters", "activeCharacter", "order"):
        text = text.replace(f'"{key}":', f'\n"{key}":')
    for key in (
        '{"nickname"',
        '"entrance"',
        '"diningRoom"',
        '"professors"',
        '{"number"',
        '{"character"',
    ):
        text = text.replace(key, "\n " + key)
    text = text.replace('},{"YELLOW"', '},\n {"YELLOW"')
    text = text.replace('},"noEntryTiles":null', '},\n "noEntryTiles":null')
    text = re.sub(r'("tower":[^,]+,"towers")', r"\n \1", text)
    return ".. code-block:: text\n\n" + "".join(f"   {line}\n" for line in text.splitlines())


if __name__ == "__main__":
    PAGE.write_text(in_step(PAGE.read_text("utf-8")), "utf-8")
    SCHEMA.write_text(published(), "utf-8")
