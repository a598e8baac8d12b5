"""The client's side of the final dialect."""

from hypothesis import strategies as st

from gamehost.testing.cases import PropertyCase
from gamehost.testing.client_codec_contract import ClientCodecContract
from gamehost.wires.framing import WireError
from gamehost.wires.onitama_final import messages as m
from gamehost.wires.onitama_final.client import FinalClientCodec, read_server
from gamehost.wires.onitama_final.codec import FinalCodec

#: What stands between two pipes, and a sentence.
FIELD = st.text(st.characters(exclude_characters="|", exclude_categories=("Cs", "Cc")), max_size=5)
SENTENCE = st.text(st.characters(exclude_characters="|", exclude_categories=("Cs", "Cc")), max_size=40)
CARD = st.sampled_from(("ox", "elephant", "tiger"))
CARDS = st.tuples(CARD, CARD, CARD, CARD, CARD)
SQUARES = st.lists(st.sampled_from(("bP", "bK", "wP", "wK", "--")), min_size=25, max_size=25).map(tuple)
ANY = FIELD | st.text(max_size=10) | st.just("x" * 300)


class FinalClientCodecTests(ClientCodecContract, PropertyCase):
    """What one side writes, the other side reads."""

    server_messages = {
        m.Waiting: st.builds(m.Waiting, FIELD),
        m.Failed: st.builds(m.Failed, SENTENCE),
        m.Start: st.builds(m.Start, FIELD, FIELD, CARDS),
        m.MoveWasMade: st.builds(m.MoveWasMade, CARD, FIELD, FIELD, FIELD, FIELD),
        m.PassWasMade: st.builds(m.PassWasMade, CARD),
        m.InvalidMove: st.builds(m.InvalidMove, SENTENCE),
        m.Disconnect: st.builds(m.Disconnect, FIELD),
        m.Reconnect: st.builds(m.Reconnect, FIELD),
        m.Restore: st.builds(m.Restore, FIELD, FIELD, CARDS, st.booleans(), st.booleans(), SQUARES),
        m.GameOver: st.builds(m.GameOver, FIELD),
        m.Ping: st.just(m.Ping()),
    }
    client_messages = {
        m.Login: st.builds(m.Login, ANY),
        m.MakeMove: st.builds(m.MakeMove, ANY, ANY, ANY, ANY, ANY),
        m.MakePass: st.builds(m.MakePass, ANY),
        m.Ping: st.just(m.Ping()),
    }

    def new_codec(self) -> FinalCodec:
        return FinalCodec()

    def new_client_codec(self) -> FinalClientCodec:
        return FinalClientCodec()

    def test_the_types_are_all(self) -> None:
        """Every message of the wire is drawn."""
        self.assertEqual(self.server_messages.keys(), m.SERVER_COMMANDS.keys())
        self.assertEqual(self.client_messages.keys(), {m.Ping, *(kind for kind, _, _ in m.CLIENT_COMMANDS.values())})

    def test_what_is_no_message_of_the_server(self) -> None:
        """A client's command, a wrong number of fields, a flag that is none, and bytes that are not UTF-8."""
        restore = "RECONNECT|bob|ann" + "|ox" * 5 + "|{}|1" + "|--" * 25
        self.assertIsInstance(read_server(restore.format("1")), m.Restore)
        for text in ("LOGIN|a", "START|a|b", "WAITING", "PING|pong", "RECONNECT|a|b", restore.format("2"), ""):
            self.assertRaises(WireError, read_server, text)
        self.assertRaises(WireError, list, FinalClientCodec().feed(b"WAITING|\xc3(\0"))

    def test_what_cannot_be_written(self) -> None:
        """A pipe, a zero byte, text that is not Unicode, and a server's message."""
        for message in (m.Login("a|b"), m.Login("a\0"), m.Login("\ud800"), m.MakePass("o x"), m.Waiting("a")):
            self.assertRaises(WireError, FinalClientCodec().encode, message)
