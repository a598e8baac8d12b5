"""
The JSON Schema of all messages, made from their structs and published as docs/wires/open.schema.json.

Views, events and actions are the messages of the games. Those of different games have the same names, so their definitions have
the game's name in front.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, get_args

from msgspec.json import schema_components

from gamehost.wires.open.messages import ClientMessage, ServerMessage
from gamehost.wires.seeking import PlayedGame

#: The key that has a view, an event or an action, by the name of the message, and what it has.
_SHOWN: Mapping[str, tuple[str, str]] = {
    "Shown": ("view", "View"),
    "Back": ("view", "View"),
    "Event": ("event", "GameEvent"),
    "Numbered": ("event", "GameEvent"),
    "Listed": ("parts", "GameAction"),
}


def schema(played: Iterable[PlayedGame]) -> dict[str, Any]:
    """The schema of a line: a message of the client or of the host."""
    clients, hosts = get_args(ClientMessage), get_args(ServerMessage)
    _, definitions = schema_components([*clients, *hosts], ref_template="#/$defs/{name}")
    views: list[Any] = []
    events: list[Any] = []
    actions: list[Any] = []
    for game in played:
        prefix = "".join(word.capitalize() for word in game.game.name.split("-"))
        template = f"#/$defs/{prefix}{{name}}"
        shown = (game.messages.view_type, game.messages.event_type, game.messages.action_type)
        (view, event, action), parts = schema_components(shown, ref_template=template)
        definitions |= {f"{prefix}{name}": part for name, part in parts.items()}
        views.append(view)
        events.append(event)
        actions.append(action)
    definitions["View"] = {"anyOf": views}
    definitions["GameEvent"] = {"anyOf": events}
    definitions["GameAction"] = {"anyOf": actions}
    for name, (key, part) in _SHOWN.items():
        definitions[name]["properties"][key] = {"$ref": f"#/$defs/{part}"}
    definitions["ClientMessage"] = _one_of(kind.__name__ for kind in clients)
    definitions["ServerMessage"] = _one_of(kind.__name__ for kind in hosts)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The open wire of gamehost, one JSON object a line",
        **_one_of(("ClientMessage", "ServerMessage")),
        "$defs": dict(sorted(definitions.items())),
    }


def _one_of(names: Iterable[str]) -> dict[str, Any]:
    return {"oneOf": [{"$ref": f"#/$defs/{name}"} for name in names]}


def published(played: Iterable[PlayedGame]) -> str:
    """The text of the published file."""
    return json.dumps(schema(played), indent=1) + "\n"
