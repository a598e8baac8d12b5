"""The published schema and the page of the open wire."""

import json
import re
from typing import Any, get_args

from twisted.trial.unittest import SynchronousTestCase

from gamehost.wires.open import messages as m
from gamehost.wires.open.codec import EXAMPLES
from gamehost.wires.open.factory import PLAYED
from gamehost.wires.open.schema import published, schema
from tests.kit.sources import ROOT

PAGE = ROOT / "docs" / "wires" / "open.rst"


class SchemaTests(SynchronousTestCase):
    """docs/wires/open.schema.json."""

    def test_the_schema_is_current(self) -> None:
        """The published one is that of the structs."""
        text = (ROOT / "docs" / "wires" / "open.schema.json").read_text("utf-8")
        self.assertEqual(text, published(PLAYED))

    def test_every_reference_leads_somewhere(self) -> None:
        """And every definition is used, so nothing is left of messages that are gone."""
        whole = schema(PLAYED)
        found = set(re.findall(r'"#/\$defs/(\w+)"', json.dumps(whole)))
        self.assertEqual(found, set(whole["$defs"]))

    def test_clients_messages_are_closed(self) -> None:
        """Unknown keys of a client are refused; those of the host may come in a later version."""
        definitions: dict[str, Any] = schema(PLAYED)["$defs"]
        for kind in get_args(m.ClientMessage):
            self.assertIs(definitions[kind.__name__]["additionalProperties"], False)
        for kind in get_args(m.ServerMessage):
            self.assertNotIn("additionalProperties", definitions[kind.__name__])


class PageTests(SynchronousTestCase):
    """docs/wires/open.rst."""

    def test_every_message_is_described(self) -> None:
        """Each one by its name, in the tables."""
        page = PAGE.read_text("utf-8")
        for name, example in EXAMPLES.items():
            self.assertIn(f'"do":"{name}"', page)
            if name not in ("act", "watch", "lobby"):
                self.assertIn(f"``{example}``", page)
        for kind in get_args(m.ServerMessage):
            self.assertIn(f"``{kind.__struct_config__.tag}``", page)

    def test_the_settings_are_listed(self) -> None:
        """Those that a client can choose, of every game."""
        page = PAGE.read_text("utf-8")
        for played in PLAYED:
            for name in played.choices:
                self.assertIn(f"``{name}``", page)
            self.assertIn(f"   * - ``{played.game.name}``\n", page)
