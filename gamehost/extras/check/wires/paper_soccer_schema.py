"""
The fault of a message by the XML Schema of the wire, for tools that read other programs' messages.

The host itself does not import this module: lxml stores every name that it has ever read.
"""

import re
from functools import cache
from importlib.resources import files
from typing import Any

from lxml import etree

#: The name of the schema, in the package of the wire and behind `/schema/`.
NAME = "ugs.xsd"

# The words of libxml2, which repeat values. Names are all that is taken from them.
_WHERE = re.compile(r"Element '([^']{1,60})'(?:, attribute '([^']{1,60})')?: (.*)", re.DOTALL)
_MISSING = re.compile(r"The attribute '([^']{1,60})' is required but missing")
_NOT_ALLOWED = re.compile(r"The attribute '([^']{1,60})' is not allowed")
_EXPECTED = re.compile(r"Expected is (?:one of )?\( ([^)]{1,300}) \)")


@cache
def schema() -> Any:
    """The schema, ready to validate."""
    return etree.XMLSchema(etree.fromstring((files("gamehost.wires.paper_soccer") / NAME).read_bytes()))


def schema_fault(data: bytes) -> str:
    """
    Where a message differs from the schema, and what was expected; empty: nowhere, or it is not well-formed.

    :param data: the bytes of one message, with or without a declaration
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(data.strip(), parser)
    except etree.XMLSyntaxError:
        return ""
    # The codec has refused a document type. The library cannot validate what has entities of its own.
    if root.getroottree().docinfo.doctype or schema().validate(root):
        return ""
    error = schema().error_log[0]
    place = f"line {error.line}, " if error.line > 1 else ""
    return place + _in_words(error.message)


def _in_words(message: str) -> str:
    found = _WHERE.match(message)
    if found is None:
        return "not as the schema says"
    element, attribute, rest = found.groups()
    if (missing := _MISSING.match(rest)) is not None:
        return f"element {element}: attribute {missing[1]} is missing"
    if (other := _NOT_ALLOWED.match(rest)) is not None:
        return f"element {element}: attribute {other[1]} is not known"
    if attribute is not None:
        return f"element {element}: attribute {attribute} has a value of another form"
    if rest.startswith("No matching global"):
        return f"element {element}: expected message or point"
    expected = _EXPECTED.search(rest)
    if expected is None:
        return f"element {element}: " + (
            "expected nothing in it" if "not allowed" in rest else "it is not expected here"
        )
    inside = " in it" if rest.startswith("Missing child") else " instead"
    return f"element {element}: expected {' or '.join(sorted({*expected[1].split(', ')}))}{inside}"
