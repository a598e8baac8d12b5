"""The client's side of the XML messages."""

from hypothesis import strategies as st

from gamehost.testing.cases import PropertyCase
from gamehost.testing.client_codec_contract import ClientCodecContract
from gamehost.wires.framing import WireError
from gamehost.wires.paper_soccer import messages as m
from gamehost.wires.paper_soccer.client import XmlClientCodec
from gamehost.wires.paper_soccer.codec import XmlCodec
from tests.kit.wires.paper_soccer_talk import message

COORDINATE = st.integers(-999, 999)
POINTS = st.lists(st.tuples(COORDINATE, COORDINATE), min_size=1, max_size=12).map(tuple)
NICK = st.text(st.characters(categories=("L", "Nd")), min_size=1, max_size=20)
ID = st.integers(1, 10**18).map(str)
SENTENCE = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff"), max_size=40)
ANY = st.text(max_size=12) | st.just("x" * 20_000)
ANY_POINTS = st.lists(st.tuples(COORDINATE | st.integers(), COORDINATE), max_size=12).map(tuple) | st.just(
    tuple((0, 0) for _ in range(317))
)
ANY_ID = st.none() | ID | ANY


class XmlClientCodecTests(ClientCodecContract, PropertyCase):
    """What one side writes, the other side reads."""

    server_messages = {
        m.LoginResponse: st.just(m.LoginResponse())
        | st.builds(m.LoginResponse, st.sampled_from(m.LoginError), SENTENCE),
        m.GameState: st.builds(m.GameState, ID, NICK, st.just(()) | POINTS),
        m.GameOver: st.builds(m.GameOver, ID, NICK, NICK, st.just(()) | POINTS),
        m.PlayerLeftGame: st.builds(m.PlayerLeftGame, NICK, ID),
        m.ServerShutdown: st.builds(m.ServerShutdown),
        m.Error: st.builds(m.Error, SENTENCE),
    }
    client_messages = {
        m.PlayerLogin: st.builds(m.PlayerLogin, NICK | ANY, ANY),
        m.Move: st.builds(m.Move, POINTS | ANY_POINTS, ANY_ID),
        m.ThankYou: st.builds(m.ThankYou, ANY_ID),
        m.LeaveGame: st.builds(m.LeaveGame, ANY_ID),
        m.Logout: st.builds(m.Logout),
        m.Error: st.builds(m.Error, st.just("") | ANY),
    }

    def new_codec(self) -> XmlCodec:
        return XmlCodec()

    def new_client_codec(self) -> XmlClientCodec:
        return XmlClientCodec()

    def test_declarations_are_passed_over(self) -> None:
        """A server may send one in front of each message."""
        data = XmlCodec(declaration=True).encode(m.ServerShutdown())
        self.assertEqual(list(XmlClientCodec().feed(data + data)), [m.ServerShutdown(), m.ServerShutdown()])

    def test_the_longest_message(self) -> None:
        """A last move over all segments of the pitch is read."""
        longest = m.GameOver("1", "ann", "bob", tuple((0, 0) for _ in range(316)))
        self.assertEqual(list(XmlClientCodec().feed(XmlCodec().encode(longest))), [longest])

    def test_what_is_not_known_is_ignored(self) -> None:
        """A later server may say more; other servers may write it in another way."""
        content = "<new a='b'/>\n <gameId id='7' more='x'></gameId><nextPlayer nick='ann'/><gameState> </gameState>"
        self.assertEqual(list(XmlClientCodec().feed(message("gameState", content).encode())), [m.GameState("7", "ann")])

    def test_errors(self) -> None:
        """What was wrong is said."""
        state = '<gameId id="1"/><gameState/>'
        for data, words in (
            ("hello", "expected XML messages in UTF-8"),
            ("<hello/>", 'expected <message type="..."> with one of the types loginResponse, gameState'),
            (message("move"), 'expected <message type="..."> with one of the types loginResponse, gameState'),
            ("<point x='0' y='0'/>\n", 'expected <message type="...">'),
            ("<message type='error' type='error'/>", "an attribute is given twice"),
            (message("loginResponse", "<response accept='no'/>"), "expected one <error> in <message>"),
            (
                message("loginResponse", "<response accept='no'/><error id='6'/>"),
                "expected an error with an id from 1 to 5",
            ),
            (message("gameState", state), "expected one <nextPlayer> in <message>"),
            (message("gameState", state + "<gameOver/>"), "expected a winner and a loser in <gameOver>"),
            (message("gameState", '<gameId id="1"/><gameState><x/></gameState>'), "expected points such as"),
            (message("playerLeftGame", "<player/>"), "expected <player> with nick"),
        ):
            error = self.assertRaises(WireError, list, XmlClientCodec().feed(data.encode()))
            self.assertTrue(str(error).startswith(words), (data, str(error)))
