"""The client's codec of Paper Soccer."""

from hypothesis import strategies as st

from gamehost.extras.bots.wires.paper_soccer import XmlClientCodec
from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import ClientCodecContract
from gamehost.wires.framing import WireError
from gamehost.wires.paper_soccer import messages as m
from gamehost.wires.paper_soccer.codec import XmlCodec
from tests.kit.drawn_messages import drawn
from tests.kit.wires.paper_soccer_talk import message
from tests.wires.test_paper_soccer_codec import NUMBERS

NICK = st.text(st.characters(categories=("L", "Nd")), min_size=1, max_size=20)


ID = st.integers(1, 10**18).map(str)


SOME_POINTS = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=12).map(tuple)


SENTENCE = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff"), max_size=40)


ANY = st.text(max_size=12) | st.just("x" * 20_000)


ANY_POINTS = st.lists(st.tuples(NUMBERS | st.integers(), NUMBERS), max_size=12).map(tuple) | st.just(
    tuple((0, 0) for _ in range(317))
)


ANY_ID = st.none() | ID | ANY


class XmlClientCodecTests(ClientCodecContract, PropertyCase):
    server_messages = drawn(
        (m.GameState, m.GameOver, m.PlayerLeftGame, m.ServerShutdown, m.Error),
        {**{str: NICK, "points": st.just(()) | SOME_POINTS, "game_id": ID}, "text": SENTENCE},
    )
    server_messages[m.LoginResponse] = st.just(m.LoginResponse()) | st.builds(
        m.LoginResponse, st.sampled_from(m.LoginError), SENTENCE
    )
    client_messages = drawn(
        m.CLIENT_TYPES.values(),
        {**{str: NICK | ANY, "points": SOME_POINTS | ANY_POINTS}, "game_id": ANY_ID, "text": st.just("") | ANY},
    )

    def new_codec(self) -> XmlCodec:
        return XmlCodec()

    def new_client_codec(self) -> XmlClientCodec:
        return XmlClientCodec()

    def test_declarations_are_passed_over(self) -> None:
        data = XmlCodec(declaration=True).encode(m.ServerShutdown())
        self.assertEqual(list(XmlClientCodec().feed(data + data)), [m.ServerShutdown(), m.ServerShutdown()])

    def test_the_longest_message(self) -> None:
        longest = m.GameOver("1", "ann", "bob", tuple((0, 0) for _ in range(316)))
        self.assertEqual(list(XmlClientCodec().feed(XmlCodec().encode(longest))), [longest])

    def test_what_is_not_known_is_ignored(self) -> None:
        """A later server may say more; other servers may write it in another way."""
        content = "<new a='b'/>\n <gameId id='7' more='x'></gameId><nextPlayer nick='ann'/><gameState> </gameState>"
        self.assertEqual(list(XmlClientCodec().feed(message("gameState", content).encode())), [m.GameState("7", "ann")])

    def test_errors(self) -> None:
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
