"""
JSON Schemas of all messages, made from their classes; published as docs/wires/eriantys.schema.json.

Every message is an object with its type and its keys and no others; keys that are not required are extensions, or a color
that may be left out.
"""

import json
from collections.abc import Iterable
from typing import Any

from msgspec.json import schema_components

from gamehost.wires.eriantys_json.messages import CLIENT_TYPES, SERVER_TYPES


def schema() -> dict[str, Any]:
    """One schema: a line is one of a client's messages, or one of the server's."""
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
    """The schema as it stands in the documentation."""
    return json.dumps(schema(), indent=1) + "\n"
