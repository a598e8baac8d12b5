"""The XML Schema of Paper Soccer's wire: what it lets through, what it finds, and in which words."""

from importlib.resources import files

from lxml import etree
from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.check.base import Grade
from gamehost.extras.check.transcript import Transcript
from gamehost.extras.check.wires.paper_soccer import CHECKS
from gamehost.extras.check.wires.paper_soccer_schema import NAME, schema_fault
from gamehost.wires.paper_soccer import MOST_PLAYERS
from gamehost.wires.paper_soccer import messages as m
from gamehost.wires.paper_soccer.codec import REMOTE_CLIENT_TYPES, RESULTS, XmlCodec
from gamehost.wires.paper_soccer.elements import MessageBuffer, PieceKind
from tests.kit.games.paper_soccer import as_move, recorded
from tests.kit.memory_host import Hears, Says, transcripts
from tests.kit.wires.paper_soccer_talk import leave, login, message, move, points, thanks
from tests.kit.wires.remote_talk import begin, left, master_login, over, state
from tests.kit.wires.remote_talk import move as a_move
from tests.kit.wires.remote_talk import thanks as all_thanks
from tests.wires.test_paper_soccer_codec import MALFORMED

_XS = {"xs": "http://www.w3.org/2001/XMLSchema"}

#: Transcripts with wrong messages of clients, and the one of the loose dialect, which differs on purpose.
WRONG = ("mistakes", "strict", "remote-mistakes")
LOOSE = "remote-loose"

#: Refused messages that the schema lets through, and why it cannot say it.
BEYOND = {
    message("move"): "the content depends on the type",
    message("playerLogin"): "the content depends on the type",
    message("move", "<move/>"): "the first state of a game is as empty",
    message("move", "<move>0 1</move>"): "a content of another game may be text",
    message("move", f"<move>{points((0, 1))}secret</move>"): "a content of another game may be text",
    message("move", f"<move>secret{points((0, 1))}</move>"): "a content of another game may be text",
    message("move", f"<move>{points((0, 1))}</move>secret"): "an error has text in the same place",
    message("logout", "now"): "an error has text in the same place",
}


def fault(text: str) -> str:
    return schema_fault(text.encode())


def elements(line: str) -> list[bytes]:
    """What stands in a line, points without a message in one."""
    found = []
    for piece in MessageBuffer().feed(line.encode() + b"\n"):
        if piece.kind is PieceKind.ELEMENT:
            found.append(piece.data)
        elif piece.kind in (PieceKind.POINTS, PieceKind.STRAY_POINTS):
            found.append(b"<message type='move'><move>%b</move></message>" % piece.data)
    return found


class SchemaTests(SynchronousTestCase):
    def test_it_lists_what_the_code_knows(self) -> None:
        """A schema cannot say that the content of a message depends on its type: what may stand in any, stands in each."""
        xsd = etree.fromstring((files("gamehost.wires.paper_soccer") / NAME).read_bytes())
        for where, values in (
            ("element[@name='message']", {*REMOTE_CLIENT_TYPES, *m.REMOTE_SERVER_TYPES}),
            ("complexType[@name='error']", {str(error.value) for error in m.LoginError}),
            ("complexType[@name='player']", set(RESULTS)),
        ):
            listed = xsd.xpath(f"/xs:schema/xs:{where}//xs:enumeration/@value", namespaces=_XS)
            self.assertEqual(set(listed), values)
        self.assertEqual(xsd.xpath("//xs:maxInclusive/@value", namespaces=_XS), [str(MOST_PLAYERS)])

    def test_transcripts(self) -> None:
        """All that the host says fits, and all that it takes."""
        looked = 0
        for transcript in transcripts("paper-soccer"):
            hears = [step.line for step in transcript.steps if isinstance(step, Hears)]
            says = [step.line for step in transcript.steps if isinstance(step, Says)]
            lines = [] if transcript.name == LOOSE else hears + ([] if transcript.name in WRONG else says)
            for data in [data for line in lines for data in elements(line)]:
                looked += 1
                self.assertEqual(schema_fault(data), "", (transcript.name, data))
        self.assertGreater(looked, 200)

    def test_recorded_games(self) -> None:
        codec = XmlCodec()
        for game in recorded("paper_soccer_games.jsonl")[:20]:
            for made in game["moves"]:
                played = as_move(made)
                self.assertEqual(fault(move(*played)), "")
                for told in (m.GameState("1", "ann", played), m.GameOver("1", "ann", "bob", played)):
                    self.assertEqual(schema_fault(codec.encode(told)), "")

    def test_each_type(self) -> None:
        for line in (
            *(login("ann"), thanks(), thanks(None), leave(), leave(None), move((0, 1), game=None), points((0, -1))),
            *(login("ann", "nim"), master_login("n\u00eem 2", 2, 64), begin("7.2", "ann", "bob"), left(1, "ann")),
            *(all_thanks(1), state(1, "ann"), state(1, "ann", "text <a xmlns='u'><b/></a>")),
            *(a_move(1, ""), a_move(1, "<move/>"), a_move(1, "<player/><gameId id='x'/>")),
            *(over(1, {"ann": True, "bob": False}), message("logout"), message("error"), message("error", "words")),
            message("championsList", '<player nick="ann" won="3" lost="0"/>'),
            message("serverShutdown"),
            *('<?xml version="1.0" encoding="UTF-8"?>' + message("logout"), "\n " + message("logout") + "\n"),
        ):
            self.assertEqual(fault(line), "", line)

    def test_what_the_host_refuses(self) -> None:
        """It does not fit, or is listed with what a schema cannot say. No value is repeated."""
        for line in MALFORMED:
            if line.startswith("<point"):
                continue  # two elements
            found = fault(line)
            self.assertEqual(found == "", line in BEYOND, (line, found))

    def test_words(self) -> None:
        """Which element, which line, and what was expected, without any value."""
        for line, words in (
            (message("move", "<move><point x='1'/></move>"), "element point: attribute y is missing"),
            (
                message("move", "<move>\n<point x='secret' y='1'/></move>"),
                "line 2, element point: attribute x has a value of another form",
            ),
            (message("move", '<gameId id="1"/><move a="secret"/>'), "element move: attribute a is not known"),
            (message("hello"), "element message: attribute type has a value of another form"),
            ("<hello/>", "element hello: expected message or point"),
            ("<message/>", "element message: attribute type is missing"),
            (
                message("move", "<fly/>"),
                "element fly: expected gameId or gameMasterLogin or move or player or playerLogin or response instead",
            ),
            (state(1, "ann").replace("<gameState/>", ""), "element message: expected gameState in it"),
            (message("move", "<move/><move/>"), "element move: it is not expected here"),
            (message("leaveGame", "<gameId id='1'>secret</gameId>"), "element gameId: expected nothing in it"),
            (master_login("nim", 1, 2), "element gameMasterLogin: attribute playersMin has a value of another form"),
            (master_login("nim", 2, "02"), "element gameMasterLogin: attribute playersMax has a value of another form"),
            (a_move("1.01"), "element gameId: attribute id has a value of another form"),
            (
                over(1, {"ann": True}).replace("winner", "looser"),
                "element player: attribute result has a value of another form",
            ),
            ("<message><secret></message>", ""),
            ("<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><message type='error'>&b;</message>", ""),
        ):
            self.assertEqual(fault(line), words, line)

    def test_the_check_of_clients_says_it(self) -> None:
        """Beside what breaks the document; what does not break it is not looked at."""
        transcript = Transcript(CHECKS, lambda: 0.0, None, lambda message: b"")
        broken = "<message type='move'><move><point x='1'/></move></message>"
        [refused] = XmlCodec().feed(broken.encode())
        said = transcript.said(refused, broken.encode())
        self.assertIs(said.grade, Grade.BREACH)
        self.assertTrue(said.meaning.endswith("(element point: attribute y is missing)"), said.meaning)
        self.assertEqual(transcript.lines[-1].meaning, said.meaning)
        self.assertEqual(transcript.said(m.Logout(), b"<message type='logout' a='b'/>").meaning, "leaves")
