"""Makes the JSON Schema of the open wire from its messages and from the messages of the games."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.json import schema_components

from gamehost.games.messages import Messages
from gamehost.wires.open.messages import ClientMessage, ServerMessage

#: Messages that contain a view, an event or an action of a game: name of the message -> (its key, the definition in the
#: schema).
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
    Returns the JSON Schema of one line: of a message of the client, or of a message of the host. It is published as
    docs/wires/open.schema.json.

    Views, events and actions are the messages of the games. Messages of different games have the same names, so the
    name of the game stands in front of each definition.

    :param games: the messages of each game, by the name of the game
    """
    clients, hosts = ClientMessage.__subclasses__(), ServerMessage.__subclasses__()
    _, definitions = schema_components([*clients, *hosts], ref_template="#/$defs/{name}")
    views: list[Any] = []
    events: list[Any] = []
    actions: list[Any] = []
    # Definitions of the messages of each game, with the game's name in front.
    for name, messages in games.items():
        prefix = "".join(word.capitalize() for word in name.split("-"))
        template = f"#/$defs/{prefix}{{name}}"
        shown = (messages.view_type, messages.event_type, messages.action_type)
        # Definitions that the three types share are made only once.
        (view, event, action), parts = schema_components(shown, ref_template=template)
        definitions |= {f"{prefix}{name}": part for name, part in parts.items()}
        views.append(view)
        events.append(event)
        actions.append(action)
    definitions["View"] = {"anyOf": views}
    definitions["GameEvent"] = {"anyOf": events}
    definitions["GameAction"] = {"anyOf": actions}
    # Let the fields that contain a game's message refer to these definitions.
    for name, (key, part) in _SHOWN.items():
        definitions[name]["properties"][key] = {"$ref": f"#/$defs/{part}"}
    # A line is a message of one of the two sides.
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
