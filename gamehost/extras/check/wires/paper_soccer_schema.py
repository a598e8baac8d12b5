"""
Finds the fault of a message by the XML Schema of the wire `paper-soccer`. Only tools use it.

The host itself does not import this module, because lxml never forgets a name that it has read: strangers could fill
the memory.
"""

import re
from functools import cache
from importlib.resources import files
from typing import Any

from lxml import etree

#: The name of the schema's file, in the package of the wire, and in its URL after `/schema/`.
NAME = "ugs.xsd"

# These read messages of libxml2. Only names are taken from them, because the messages repeat values of strangers.
_WHERE = re.compile(r"Element '([^']{1,60})'(?:, attribute '([^']{1,60})')?: (.*)", re.DOTALL)
_MISSING = re.compile(r"The attribute '([^']{1,60})' is required but missing")
_NOT_ALLOWED = re.compile(r"The attribute '([^']{1,60})' is not allowed")
_EXPECTED = re.compile(r"Expected is (?:one of )?\( ([^)]{1,300}) \)")


@cache
def schema() -> Any:
    """Returns the schema, which is loaded once."""
    return etree.XMLSchema(etree.fromstring((files("gamehost.wires.paper_soccer") / NAME).read_bytes()))


def schema_fault(data: bytes) -> str:
    """
    Returns the place at which a message differs from the schema, and what was expected; empty: it does not differ, or is not
    well-formed XML.

    :param data: the bytes of one message, with or without an XML declaration
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(data.strip(), parser)
    except etree.XMLSyntaxError:
        return ""
    # A document type may define entities, which lxml cannot validate. The codec refuses such messages anyway.
    if root.getroottree().docinfo.doctype or schema().validate(root):
        return ""
    error = schema().error_log[0]
    # Most messages are one line, so its number says nothing.
    place = f"line {error.line}, " if error.line > 1 else ""
    return place + _in_words(error.message)


def _in_words(message: str) -> str:
    """
    Converts a message of libxml2 about the schema into words for the client's author. Values of the message are left
    out, since they may be secrets.
    """
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
    # The outermost element is not one of the two that are messages.
    if rest.startswith("No matching global"):
        return f"element {element}: expected message or point"
    expected = _EXPECTED.search(rest)
    if expected is None:
        return f"element {element}: " + (
            "expected nothing in it" if "not allowed" in rest else "it is not expected here"
        )
    inside = " in it" if rest.startswith("Missing child") else " instead"
    return f"element {element}: expected {' or '.join(sorted({*expected[1].split(', ')}))}{inside}"
