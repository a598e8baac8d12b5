"""
The JSON Schema of all messages, made from their classes and published as docs/wires/eriantys.schema.json.

A message is an object with its type, its own keys and no others. Keys that are not required are extensions; the only exception
is the color of ChosenStudent.
"""

import json
from collections.abc import Iterable
from typing import Any

from msgspec.json import schema_components

from gamehost.wires.eriantys.messages import CLIENT_TYPES, SERVER_TYPES


def schema() -> dict[str, Any]:
    """The schema of a line: a message of the client or of the server."""
    kinds = [*CLIENT_TYPES.values(), *SERVER_TYPES.values()]
    _, components = schema_components(kinds, ref_template="#/$defs/{name}")
    definitions: dict[str, Any] = {name: dict(component) for name, component in components.items()}
    for name, definition in definitions.items():
        if definition.get("type") != "object":
            continue
        if name in CLIENT_TYPES or name in SERVER_TYPES:
            definition["properties"] = {"type": {"const": name}, **definition["properties"]}
            definition["required"] = ["type", *definition["required"]]
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
