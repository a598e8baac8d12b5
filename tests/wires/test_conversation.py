"""What all conversations share, and the transcript of each wire, whole and byte by byte."""

from collections.abc import Callable, Mapping
from typing import Any

from twisted.logger import LogLevel
from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.names import RESERVED
from gamehost.extras.dialects.litama.codec import LitamaCodec
from gamehost.games.base import Seat
from gamehost.games.onitama.master import ONITAMA
from gamehost.journal.records import TableId
from gamehost.lobby.sessions import Queue
from gamehost.net.streams import BUSY_BYTES
from gamehost.plugins import WIRES
from gamehost.settings import Settings
from gamehost.tables.interfaces import OpenTable
from gamehost.testing.transcript import play
from gamehost.testing.wire_contract import claims_of
from gamehost.wires.base import Claim, claim_of_account, claim_of_guest
from gamehost.wires.framing import (
    BYTE_ORDER_MARK,
    HELP_WORDS,
    asks_for_help,
    may_become_other_protocol,
    other_protocol,
    wrong_port,
)
from gamehost.wires.open.websocket import HouseConversation, SocketCodec
from gamehost.wires.seeking import CODE_LENGTH, CODE_LETTERS, PLAYED, SeekRefused, Sought, Wanted, new_code, wanted
from gamehost.wires.websocket import LineOrTextCodec, handshake_with
from tests.kit import web_host
from tests.kit.litama import tokens_differ
from tests.kit.memory_host import WORDED, Client, Hears, MemoryHost, Says, Step, Transcript, transcripts
from tests.kit.reactors import logged
from tests.kit.wires.open import line
from tests.kit.wires.paper_soccer_talk import SHUTDOWN, leave, login, message, thanks
from tests.kit.wires.remote_talk import OPEN, master_login

#: A whole game with the deal `boar,ox/crab,eel/tiger`; White begins and Black wins.
GAME = ("ox|c1|c2", "crab|a5|a4", "tiger|c2|c4", "ox|c5|c4")

INSTALLED = {wire.name for wire in WIRES}


class RateTests(SynchronousTestCase):
    def test_300_games_in_a_row(self) -> None:
        world = MemoryHost({"onitama.deal": "boar,ox/crab,eel/tiger"})
        bots = [world.connect(), world.connect()]
        for _ in range(300):
            for bot, name in zip(bots, ("ann", "bob"), strict=True):
                bot.say(f"LOGIN|{name}")
            for number, move in enumerate(GAME):
                bots[number % 2].say(f"MAKE_MOVE|{move}")
            for bot in bots:
                self.assertEqual(bot.heard()[-1], "GAME_OVER|bob")

    def test_other_log_ins_count(self) -> None:
        world = MemoryHost({"onitama.deal": "boar,ox/crab,eel/tiger", "limits.messages_per_second": "0.25"})
        bots = [world.connect(), world.connect()]
        for bot, name in zip(bots, ("ann", "bob"), strict=True):
            bot.say(f"LOGIN|{name}")
        for number, move in enumerate(GAME):
            bots[number % 2].say(f"MAKE_MOVE|{move}")
        bots[0].heard()
        for _ in range(4):
            bots[0].say("LOGIN|ann")
            self.assertNotIn("ERROR|too many messages", bots[0].heard())
        for _ in range(2):
            bots[0].say("LOGIN|ann")
        self.assertEqual(bots[0].heard()[-1], "ERROR|too many messages")

    def test_lines_of_a_set_up(self) -> None:
        world = MemoryHost({"limits.messages_per_second": "0.15"})
        players = [world.connect("stratego-lines") for _ in range(2)]
        for player, name in zip(players, ("ann", "bob"), strict=True):
            player.say(name, "secret")
        for player in players:
            player.say("VMGKKJJJPP", "PPLLLLSSSS", "IIIIIRRRRR", "RRROBBBBBB")
        # Name and password leave one message of three: that is enough for any number of lines that are exempt.
        self.assertEqual([player.closed for player in players], [False, False])
        self.assertEqual([player.heard()[-1] for player in players], ["get-move", "endsetup"])


Claimed = tuple[str, str | None]


class ClaimTests(SynchronousTestCase):
    def test_guests(self) -> None:
        queue = Queue(ONITAMA)
        self.assertEqual(claim_of_guest("Ann", queue), Claim("Ann", queue))
        self.assertEqual(claim_of_guest("Ann:secret", queue), Claim("Ann", queue))
        for text in ("ann:", "no/such name", "", "a:b\x07"):
            self.assertIsNone(claim_of_guest(text, queue), text)
        self.assertEqual(claim_of_guest("ann", strict=True), Claim("ann"))
        self.assertIsNone(claim_of_guest("ann:secret", strict=True))

    def test_accounts(self) -> None:
        self.assertEqual(claim_of_account("Ann"), Claim("Ann"))
        self.assertIsNone(claim_of_account("ann:secret"))
        self.assertIsNone(claim_of_account("tie"))

    def test_normal_form(self) -> None:
        self.assertEqual(claim_of_account("e\u0301a"), Claim("\u00e9a"))


class WireTests(SynchronousTestCase):
    def connect(self, wire: str, settings: Mapping[str, str] = {}, strict: bool = False) -> Client:
        host = MemoryHost({"limits.unlimited": "yes", **settings}, strict=strict)
        return self.watched(host.connect(wire))

    def watched(self, client: Client) -> Client:
        """Ask what is claimed on this connection, from now on."""
        self.claims = claims_of(client.protocol.conversation)
        return client

    def claimed(self, client: Client, *said: str | bytes) -> list[Claimed]:
        """What is claimed by these messages: each name, and the pool of its queue, or the place."""
        self.claims.clear()
        for one in said:
            if isinstance(one, bytes):
                client.send(one)
            else:
                client.say(one)
        return [(claim.name, self.where(claim)) for claim in self.claims]

    def where(self, claim: Claim) -> str | None:
        """The pool of a claim's queue, or its place; `None`: it has neither."""
        if claim.place:
            self.assertIsNone(claim.queue)
            return claim.place
        return None if claim.queue is None else f"{claim.queue.game.name} {claim.queue.pool}".rstrip()

    def test_onitama(self) -> None:
        """Keys, strict mode and separate tables; and a move that crossed the end, which is not heard, claims nothing."""
        self.assertEqual(self.claimed(self.connect("onitama"), "LOGIN|Ann:key"), [("Ann", "onitama")])
        self.assertEqual(self.claimed(self.connect("onitama", strict=True), "LOGIN|Ann:key"), [])
        separate = self.connect("onitama", {"onitama.separate": "yes"})
        self.assertEqual(self.claimed(separate, "LOGIN|ann"), [("ann", "onitama onitama")])
        bob = separate.world.connect("onitama")
        bob.say("LOGIN|bob", "RESIGN")
        self.assertEqual(self.claimed(separate, "MAKE_MOVE|ox|c1|c2", "LOGIN|carl"), [("carl", "onitama onitama")])

    def test_onitama_final(self) -> None:
        """A name that the clients cannot show claims nothing."""
        client = self.connect("onitama-final")
        for name in ("a" * 11, "ann:key", " ann", "e\u0301"):
            self.assertEqual(self.claimed(client, f"LOGIN|{name}"), [], name)
        self.assertEqual(self.claimed(client, "LOGIN|" + "a" * 10), [("a" * 10, "onitama")])

    def test_stratego_frames(self) -> None:
        client = self.connect("stratego-frames")
        self.assertEqual(self.claimed(client, b"*\x01\0\0\0\x03\0\x05\xff"), [])
        self.assertEqual(self.claimed(client, 'Sign On "ann"'), [("ann", "stratego")])
        client.world.connect("stratego-frames").say('Sign On "bob"', "Resign")
        self.assertEqual(self.claimed(client, "Move (0,3) (0,4)", 'Sign On "Ann"'), [("Ann", "stratego")])

    def test_stratego_lines(self) -> None:
        """The line with the name claims, and not the one with the password; nor a call for help, or another protocol."""
        client = self.connect("stratego-lines")
        self.assertEqual(self.claimed(client, "help", "", "ann"), [("ann", "stratego")])
        self.assertEqual(self.claimed(client, "", "bob", "secret"), [("bob", "stratego")])
        self.assertEqual(self.claimed(self.connect("stratego-lines"), "SSH-x"), [])
        self.assertEqual(len(self.claimed(self.connect("stratego-lines", strict=True), "SSH-x")), 1)

    def test_paper_soccer(self) -> None:
        client = self.connect("paper-soccer")
        self.assertEqual(self.claimed(client, login("ann", "no/type")), [])
        self.assertEqual(self.claimed(client, login("ann:key")), [("ann", "paper-soccer")])
        client.world.connect("paper-soccer").say(login("bob"), leave())
        self.assertEqual(self.claimed(client, login("carl")), [("carl", "paper-soccer")])
        self.assertEqual(self.claimed(client, thanks(), message("logout"), login("ann")), [("ann", "paper-soccer")])

    def test_remote_games(self) -> None:
        """A type is at one host, with its masters."""
        client = self.connect("paper-soccer", {**OPEN, "paper-soccer.types": "nim"})
        self.assertEqual(
            self.claimed(client, login("ann", "chess")), [("ann", "#remote chess")], "another host may know the type"
        )
        self.assertEqual(self.claimed(client, login("ann", "Nim")), [("ann", "#remote nim")])
        self.assertEqual(self.claimed(client, login("bob", "nim")), [("bob", "#remote nim")])
        self.assertEqual(self.claimed(client, login("bob")), [("bob", "paper-soccer")])
        master = self.watched(client.world.connect("paper-soccer"))
        self.assertEqual(self.claimed(master, master_login("paper soccer"), master_login(least=1)), [])
        self.assertEqual(self.claimed(master, master_login()), [("", "#remote nim")])
        local = self.connect("paper-soccer")
        self.assertEqual(self.claimed(local, master_login()), [], "masters may not register from there")

    def test_championships(self) -> None:
        """They are at one host, those in the built-in game too."""
        for game_type, other in (("paper soccer", "nim"), ("nim", "paper soccer")):
            client = self.connect("paper-soccer", {"paper-soccer.championship": f"{game_type}:2"})
            self.assertEqual(self.claimed(client, login("ann", other)), [])
            self.assertEqual(self.claimed(client, login("ann", game_type)), [("ann", f"#championship {game_type}")])

    def test_console(self) -> None:
        """A name is claimed when it is typed, and an account with its password. Names that the host gives are not."""
        client = self.connect("console")
        self.assertEqual(self.claimed(client, "play onitama", "cancel", "p", "name", "name a 1", "name help"), [])
        self.assertEqual(self.claimed(client, "nam Ann:key", "NAME bob"), [("Ann", None), ("bob", None)])
        self.assertEqual(self.claimed(client, "login carl", "", "login carl"), [])
        self.assertEqual(self.claimed(client, "secret", "play onitama", "name dave"), [("carl", None)])

    def test_open(self) -> None:
        """Guests and accounts. A key that cannot be claims nothing, and neither does the host's own player."""
        client = self.connect("open")
        self.assertEqual(self.claimed(client, line(do="enter", name="ann", key="x")), [])
        self.assertEqual(self.claimed(client, line(do="log-in", name="ann", password="secret secret")), [("ann", None)])
        self.assertEqual(
            self.claimed(self.connect("open"), line(do="enter", name="bob", key="0" * 32)), [("bob", None)]
        )
        no_claims: Mapping[Any, Any] = HouseConversation.CLAIMS
        self.assertEqual(no_claims, {})

    def test_eriantys(self) -> None:
        for strict, expected in ((False, [("ann", None)]), (True, [])):
            client = self.connect("eriantys", strict=strict)
            said = '{"type":"LoginMessage","nickname":"ann:key"}'
            self.assertEqual(self.claimed(client, said), expected)


class GuidanceTests(SynchronousTestCase):
    def test_calls_for_help(self) -> None:
        for text in ("help", "HELP", " ? ", "Quit", "exit"):
            self.assertTrue(asks_for_help(text), text)
        for text in ("", "helper", "ann", "help me"):
            self.assertFalse(asks_for_help(text), text)

    def test_such_words_are_no_names(self) -> None:
        self.assertLessEqual(HELP_WORDS - {"?"}, RESERVED)

    def test_other_protocols(self) -> None:
        for data, name in (
            (b"GET / HTTP/1.1", "an HTTP request"),
            (b"\x16\x03\x01\x02\x00", "a TLS handshake"),
            (b"SSH-2.0-OpenSSH_9", "an SSH client"),
            (b'<?xml version="1.0"?>', "XML"),
            (b' <message type="x">', "XML"),
            (b'{"type": 1}', "JSON"),
            (b"LOGIN|ann", None),
            (b"ann", None),
            (b"", None),
        ):
            self.assertEqual(other_protocol(data), name, data)

    def test_sentence(self) -> None:
        """It says what came and what this port speaks, unless that is the wire's own form."""
        self.assertEqual(wrong_port(b"GET / ", "lines"), "this looks like an HTTP request; this port speaks lines")
        self.assertIsNone(wrong_port(b'{"a"', "JSON", other="JSON"))
        self.assertIsNone(wrong_port(b"ann", "lines"))

    def test_beginnings_of_other_protocols(self) -> None:
        """Every beginning of an opening may become it; anything else may not."""
        for opening in (b"GET /", b"\x16\x03", b"SSH-", b'{"'):
            for length in range(3):
                self.assertTrue(may_become_other_protocol(opening[:length]), opening[:length])
        for other in (b"hello", b"\x16\x02", b"get", b"{x"):
            self.assertFalse(may_become_other_protocol(other), other)


class WiresTests(SynchronousTestCase):
    def test_clients_of_other_protocols_are_told_what_a_port_speaks(self) -> None:
        for wire, speaks, own in (
            ("onitama", "Onitama", ""),
            ("paper-soccer", "Paper Soccer", "XML"),
            ("stratego-lines", "Stratego in lines", ""),
            ("eriantys", "Eriantys", "JSON"),
        ):
            for opening, name in (
                (b"GET / HTTP/1.1\r\n\r\n", "an HTTP request"),
                (b"\x16\x03\x01\x02\x00", "a TLS handshake"),
                (b"SSH-2.0-OpenSSH_9.6\r\n", "an SSH client"),
                (b'<message type="logout"/>\n', "XML"),
                (b'{"type": "LoginMessage"}\n', "JSON"),
            ):
                client = MemoryHost().connect(wire)
                client.send(opening)
                if name != own:
                    told = client.transport.read().decode()
                    self.assertIn(f"this looks like {name}; this port speaks {speaks}", told)
                    ended = client.transport.disconnecting or client.closed
                    self.assertEqual(ended, wire != "onitama" or name not in ("XML", "JSON"), (wire, name))

    def test_a_strict_host_that_stops_has_no_words_but_those_of_the_document(self) -> None:
        for wire in WIRES:
            if "strict" in wire.options:
                host = MemoryHost(strict=True)
                client = host.connect(wire.name)
                client.transport.read()
                host.factories[wire.name].close("the host is stopping")
                host.wait(0)
                words = SHUTDOWN if wire.name == "paper-soccer" else ""
                self.assertEqual((client.transport.read().decode().strip(), client.closed), (words, True), wire.name)


class ForPeopleTests(SynchronousTestCase):
    """Who asks for help on a port for programs is told where people play."""

    PLACE = "nc 127.0.0.1 8888"

    def asked(self, wire: str, place: str, strict: bool = False) -> bytes:
        host = MemoryHost(strict=strict)
        host.lobby.directory.by_hand = place
        client = host.connect(wire)
        client.send(b"help\n")
        return client.transport.read()

    def test_every_wire_of_lines_points_there(self) -> None:
        """If there is such a port, and only then."""
        without_lines = ("stratego-frames", "eriantys-java", "litama")  # the last one has its own words for all errors
        wires = [wire.name for wire in WIRES if not wire.for_people and wire.name not in without_lines]
        self.assertEqual(len(wires), 6)
        for wire in wires:
            self.assertIn(
                f"to play by hand, run {self.PLACE} in a terminal".encode(), self.asked(wire, self.PLACE), wire
            )
            self.assertNotIn(b"by hand", self.asked(wire, ""), wire)

    def test_strict_mode_stays_as_it_is(self) -> None:
        for wire in WIRES:
            if "strict" in wire.options:
                self.assertEqual(self.asked(wire.name, self.PLACE, True), self.asked(wire.name, "", True), wire.name)


GAMES = {played.game.name: played for played in PLAYED}


def settings_for(queue: Queue, settings: Settings) -> Settings:
    return MemoryHost().lobby.settings_for(queue, settings)


def checked(sought: Sought) -> Wanted:
    return wanted(sought, GAMES, settings_for)


class WantedTests(SynchronousTestCase):
    def test_any_opponent_will_do(self) -> None:
        """Without own wishes for the match, players of two meet in the game's queue; those of Eriantys at tables."""
        self.assertTrue(checked(Sought("onitama")).in_queue)
        self.assertTrue(checked(Sought("onitama", wish=Seat(1))).in_queue)
        for sought in (
            Sought("onitama", private=True),
            Sought("onitama", settings={"move_time": "60"}),
            Sought("eriantys"),
        ):
            self.assertFalse(checked(sought).in_queue)

    def test_what_cannot_be_had(self) -> None:
        for sought, words in (
            (Sought("canary"), "onitama, eriantys, paper-soccer, stratego"),
            (Sought("onitama", seats=3), "2 players"),
            (Sought("eriantys", seats=5), "2 to 4 players"),
            (Sought("eriantys", seats=3, wish=Seat(0)), "tables of two"),
            (Sought("onitama", settings={"canary": "1"}), "deal"),
            (Sought("onitama", settings={"move_time": "canary"}), "move_time"),
        ):
            error = self.assertRaises(SeekRefused, checked, sought)
            self.assertIn(words, str(error))
            self.assertNotIn("canary", str(error))

    def test_a_table_that_fits(self) -> None:
        mine = checked(Sought("stratego", settings={"move_time": "60"}, wish=Seat(0)))
        for fits, table in (
            (False, OpenTable(TableId(1), 2, mine.settings, ("ann",))),
            (True, OpenTable(TableId(1), 2, mine.settings, ("ann",), reversed=True)),
            (False, OpenTable(TableId(1), 2, {**mine.settings, "move_time": "61"}, ("ann",), reversed=True)),
            (False, OpenTable(TableId(1), 3, mine.settings, ("ann",), reversed=True)),
        ):
            self.assertIs(mine.fits(table), fits)


class CodeTests(SynchronousTestCase):
    def test_codes(self) -> None:
        """Of letters that nobody takes for each other, as the random numbers say."""
        numbers = iter(range(CODE_LENGTH))
        self.assertEqual(new_code(lambda n: next(numbers) % n), CODE_LETTERS[:CODE_LENGTH])
        self.assertFalse(set("IO01") & set(CODE_LETTERS))


def whole(client: Client, data: bytes) -> None:
    client.send(data)


def byte_by_byte(client: Client, data: bytes) -> None:
    for number in range(len(data)):
        client.protocol.input._bytes.give_back(BUSY_BYTES)  # keys are pressed in more time than a test has
        client.send(data[number : number + 1])


def telnet(client: Client, data: bytes) -> None:
    client.send(data[:-1] + b"\r\n")


class TelnetTests(SynchronousTestCase):
    #: The wires of lines of text.
    LINES = ("onitama", "stratego-lines", "eriantys", "open", "litama")

    def test_ctrl_c(self) -> None:
        """Telnet shows nothing until its timing mark is answered: it is answered each time, and the line is as it was."""
        interrupt, answer = b"\xff\xf4\xff\xfd\x06", b"\xff\xfc\x06"
        for wire in INSTALLED.intersection(self.LINES):
            host = MemoryHost()
            plain, mute = host.connect(wire), host.connect(wire)
            self.assertEqual(plain.transport.read(), mute.transport.read())
            for _ in range(3):
                plain.send(b"help\n")
                said = plain.transport.read()
                for byte in interrupt:
                    mute.send(bytes((byte,)))
                self.assertEqual(mute.transport.read(), answer, wire)
                mute.send(b"\xff\xf1he" + interrupt + b"lp\r\n")
                self.assertEqual(mute.transport.read(), answer + said, wire)


class ByteOrderMarkTests(SynchronousTestCase):
    #: How a client may begin on each wire.
    BEGINNINGS = (
        *(("onitama", b"LOGIN|ann\n"), ("onitama-final", b"LOGIN|ann\0"), ("litama", b"create ann\n")),
        *(("stratego-lines", b"ann\n"), ("stratego-frames", b"\x2a\x01\0\0\0\x05\0\x03ann"), ("console", b"who\n")),
        *(("paper-soccer", b'<message type="playerLogin"/>'), ("eriantys", b'{"type":"RequestGames"}\n')),
        *(("open", b'{"do":"enter","name":"ann"}\n'), ("eriantys-java", b"\xac\xed\0\x05")),
    )

    def test_it_is_named(self) -> None:
        """Nobody sees it, so it is named where it stands in front of a message: on every wire, however it is cut."""
        self.assertLessEqual({wire.name for wire in WIRES}, {name for name, _ in self.BEGINNINGS})
        log = logged(self)
        for wire, beginning in ((wire, text) for wire, text in self.BEGINNINGS if wire in INSTALLED):
            for cut in range(4):
                client = MemoryHost().connect(wire)
                client.transport.read()
                data = b"\xef\xbb\xbf" + beginning
                for piece in (data[:cut], data[cut:]):
                    client.send(piece)
                said = client.transport.read()
                if wire == "eriantys-java":  # it has no message for this; the log of the host has the reason
                    said = log.of(LogLevel.info)[-1].encode()
                self.assertIn(b"U+FEFF", said, wire)

    def test_over_websocket(self) -> None:
        self.assertEqual(SocketCodec().read(b"\xef\xbb\xbf{}"), BYTE_ORDER_MARK)
        codec = LineOrTextCodec(LitamaCodec())
        heard = codec.feed(handshake_with("dGhlIHNhbXBsZSBub25jZQ==") + web_host.message("\ufeffcreate ann"))
        self.assertEqual(list(heard)[1:], [BYTE_ORDER_MARK])


class TranscriptTests(SynchronousTestCase):
    def play(self, wire: str, transcript: Transcript, send: Callable[[Client, bytes], None]) -> None:
        play(transcript, MemoryHost(transcript.settings, **tokens_differ(wire)), send)

    def test_whole_lines(self) -> None:
        """As netcat sends it: a line a segment."""
        for wire in WIRES:
            for transcript in transcripts(wire.name):
                self.play(wire.name, transcript, whole)

    def test_byte_by_byte(self) -> None:
        """As a telnet in character mode sends it."""
        for wire in WIRES:
            for transcript in transcripts(wire.name):
                self.play(wire.name, transcript, byte_by_byte)

    def test_telnet_line_ends(self) -> None:
        for wire in WIRES:
            for transcript in transcripts(wire.name) if wire.name not in WORDED else ():
                self.play(wire.name, transcript, telnet)

    def test_every_wire_has_one(self) -> None:
        """A wire that nobody can read a conversation of is not finished."""
        for wire in WIRES:
            self.assertTrue(list(transcripts(wire.name)), f"no transcript of {wire.name}")

    def test_a_line_that_is_cut_short_fits_what_begins_so(self) -> None:
        """Long lines need not stand there in full."""
        hears = Hears(1, "WAIT…")
        self.assertTrue(hears.fits("WAITING|ann"))
        self.assertTrue(hears.fits("WAIT…"))
        self.assertFalse(hears.fits("WAI"))
        self.assertFalse(Hears(1, "WAIT").fits("WAITING"))

    def test_a_wrong_transcript_fails(self) -> None:
        said = Says(1, "LOGIN|ann")
        wrong: list[tuple[Step, ...]] = [(said, Hears(1, "WAITING|bob")), (said,)]
        wrong.append((said, Hears(1, "WAITING|ann"), Hears(1, "more")))
        for steps in wrong:
            transcript = Transcript("planted", "onitama", steps)
            self.assertRaises(AssertionError, self.play, "onitama", transcript, whole)
