"""The wire's page says what the tables of classes say."""

import re

from twisted.trial.unittest import SynchronousTestCase

from gamehost.wires.eriantys_java.classes import CLASSES, ENUM_CLASSES, ENUMERATION, ENUMERATIONS, full_name
from gamehost.wires.eriantys_java.conversation import LOGIN_SECONDS, OPTIONS, SILENT_SECONDS
from tests.kit.sources import ROOT

PAGE = ROOT / "docs" / "wires" / "eriantys-java.rst"
_ROW = re.compile(r"   \* - ``(\S+)``\n     - ``([0-9a-f]{16})``\n     -(?: ``([^`]+)``)?(?: \(over ``(\S+)``\))?\n")


class PageTests(SynchronousTestCase):
    """What can be checked of the page."""

    def setUp(self) -> None:
        self.page = PAGE.read_text("utf-8")

    def test_every_class_stands_there(self) -> None:
        """With its UID, the names of its fields and its superclass."""
        found = {full_name(row[1]): row for row in _ROW.finditer(self.page)}
        plain = {name for name, java in CLASSES.items() if java.flags != ENUMERATION and not name.startswith("[")}
        self.assertEqual(set(found), plain)
        for name, row in found.items():
            java = CLASSES[name]
            self.assertEqual(row[2], java.uid.hex(), name)
            self.assertEqual([one.split(":")[0] for one in (row[3] or "").split()], [one.name for one in java.fields])
            self.assertEqual(row[4] is not None, java.parent is not None, name)

    def test_every_constant_stands_there(self) -> None:
        """In the order of the enumeration."""
        for kind, java in ENUM_CLASSES.items():
            row = " ".join(f"``{one.name}``" for one in kind)
            self.assertIn(f"     - {row}\n", self.page, java.name)
        self.assertEqual(len(ENUMERATIONS), 8)

    def test_settings_and_times(self) -> None:
        """Those of the wire."""
        for name in OPTIONS:
            self.assertIn(f"``eriantys-java.{name}``", self.page)
        self.assertEqual((SILENT_SECONDS, LOGIN_SECONDS), (15, 120))
