"""The schema of the messages of remote games: the file is what the code says, and fits what is said."""

from lxml import etree
from twisted.trial.unittest import SynchronousTestCase

from gamehost.wires.paper_soccer.schema import schema
from tests.kit.sources import ROOT
from tests.kit.transcript import Hears, Says, transcripts
from tests.kit.wires.paper_soccer_talk import login, message
from tests.kit.wires.remote_talk import begin, left, master_login, move, over, state, thanks


class SchemaTests(SynchronousTestCase):
    """`remote.xsd`."""

    def setUp(self) -> None:
        self.schema = etree.XMLSchema(etree.fromstring(schema().encode()))

    def fits(self, text: str) -> bool:
        """Whether a message is as the schema says."""
        return bool(self.schema.validate(etree.fromstring(text.encode())))

    def test_the_file_is_what_the_code_says(self) -> None:
        """It is made with `python -m gamehost.wires.paper_soccer.schema`."""
        self.assertEqual((ROOT / "docs" / "games" / "remote.xsd").read_text("utf-8"), schema())

    def test_transcripts(self) -> None:
        """All that the host says in the transcripts of remote games fits, and all that it takes. The loose dialect does not."""
        told = 0
        for transcript in transcripts("paper-soccer"):
            if not transcript.name.startswith("remote-"):
                continue
            lines = [step.line for step in transcript.steps if isinstance(step, Hears)]
            if transcript.name not in ("remote-mistakes", "remote-loose"):
                lines += [step.line for step in transcript.steps if isinstance(step, Says)]
            told += len(lines)
            for line in lines if transcript.name != "remote-loose" else ():
                self.assertTrue(self.fits(line), f"{line}: {self.schema.error_log.last_error}")
        self.assertGreater(told, 100)

    def test_each_type(self) -> None:
        """One of each, with contents of all kinds."""
        for line in (
            *(
                login("ann", "nim"),
                master_login("n\u00eem 2", 2, 64),
                begin("7.2", "ann", "bob"),
                left(1, "ann"),
                thanks(1),
            ),
            *(state(1, "ann"), state(1, "ann", "text <a xmlns='u'><b/></a>"), move(1, ""), move(1, "<move/>")),
            *(over(1, {"ann": True, "bob": False}), message("logout"), message("error"), message("error", "words")),
            message("championsList", '<player nick="ann" won="3" lost="0"/>'),
            message("serverShutdown"),
        ):
            self.assertTrue(self.fits(line), f"{line}: {self.schema.error_log.last_error}")

    def test_what_does_not_fit(self) -> None:
        """Unknown types, elements, attributes and values."""
        for line in (
            *(message("hello"), "<hello/>", "<message/>", message("move", "<fly/>"), move(0), move("1.01"), move("x")),
            *(master_login("nim", 1, 2), master_login("nim", 2, 65), master_login("nim", 2, "02"), master_login("n/m")),
            *(message("move", '<gameId id="1"/><move a="1"/>'), state(1, "ann").replace("<gameState/>", "")),
            over(1, {"ann": True}).replace("winner", "looser"),
            message("loginResponse", '<response accept="no"/><error id="6"/>'),
        ):
            self.assertFalse(self.fits(line), line)
