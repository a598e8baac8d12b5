"""The JSON Schema of the open wire, made from its messages and those of the games."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.json import schema_components

from gamehost.games.messages import Messages
from gamehost.wires.open.messages import ClientMessage, ServerMessage

#: The key that has a view, an event or an action, by the name of the message, and what it has.
_SHOWN: Mapping[str, tuple[str, str]] = {
    "Shown": ("view", "View"),
    "Back": ("view", "View"),
    "Moves": ("view", "View"),
    "Event": ("event", "GameEvent"),
    "Numbered": ("event", "GameEvent"),
    "Listed": ("parts", "GameAction"),
}


def schema(games: Mapping[str, Messages]) -> dict[str, Any]:
    """
    The JSON Schema of a line, a message of the client or of the host; docs/wires/open.schema.json has it.

    Views, events and actions are the messages of the games. Those of different games have the same names, so their definitions
    have the game's name in front.

    :param games: their messages, by their names
    """
    clients, hosts = ClientMessage.__subclasses__(), ServerMessage.__subclasses__()
    _, definitions = schema_components([*clients, *hosts], ref_template="#/$defs/{name}")
    views: list[Any] = []
    events: list[Any] = []
    actions: list[Any] = []
    # The messages of each game.
    for name, messages in games.items():
        prefix = "".join(word.capitalize() for word in name.split("-"))
        template = f"#/$defs/{prefix}{{name}}"
        shown = (messages.view_type, messages.event_type, messages.action_type)
        (view, event, action), parts = schema_components(shown, ref_template=template)
        definitions |= {f"{prefix}{name}": part for name, part in parts.items()}
        views.append(view)
        events.append(event)
        actions.append(action)
    definitions["View"] = {"anyOf": views}
    definitions["GameEvent"] = {"anyOf": events}
    definitions["GameAction"] = {"anyOf": actions}
    # Fields that contain messages of games.
    for name, (key, part) in _SHOWN.items():
        definitions[name]["properties"][key] = {"$ref": f"#/$defs/{part}"}
    # The two kinds of lines.
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


def published(games: Mapping[str, Messages]) -> str:
    return json.dumps(schema(games), indent=1) + "\n"
