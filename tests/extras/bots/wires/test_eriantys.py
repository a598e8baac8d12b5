"""The client's codec of Eriantys."""

from hypothesis import strategies as st

from gamehost.extras.bots.wires.eriantys import SERVER_LINE_LIMIT, JsonClientCodec
from gamehost.testing.cases import PropertyCase
from gamehost.testing.codec_contract import ClientCodecContract
from gamehost.wires.eriantys import messages as m
from gamehost.wires.eriantys.codec import BoardCache, JsonCodec
from gamehost.wires.framing import WireError
from tests.kit.drawn_messages import drawn
from tests.kit.wires.eriantys_words import BOARD

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


INT = st.integers(-(2**31), 2**31)


ANY_INT = INT | st.integers() | st.sampled_from((True, 1.0, "1", None))


LONG_NAME = st.text(max_size=12) | st.just("x" * 20_000)


class JsonClientCodecTests(ClientCodecContract, PropertyCase):
    server_messages = drawn(m.SERVER_TYPES.values(), {str: TEXT, int: INT})
    server_messages[m.UpdateBoard] |= st.just(BOARD)
    client_messages = drawn(
        m.CLIENT_TYPES.values(),
        {
            **{int: ANY_INT, "nickname": LONG_NAME, "expertMode": st.booleans() | st.just(1)},
            **{"tower": st.sampled_from(m.Tower) | TEXT, "color": st.none() | st.sampled_from(m.Color) | TEXT},
        },
    )

    def new_codec(self) -> JsonCodec:
        return JsonCodec(BoardCache())

    def new_client_codec(self) -> JsonClientCodec:
        return JsonClientCodec()

    def test_keys_that_are_not_known_are_ignored(self) -> None:
        line = b'{"more":[],"type":"EndOfRound","roundNumber":3,"why":null}\n'
        self.assertEqual(list(JsonClientCodec().feed(line)), [m.EndOfRound(3)])

    def test_errors(self) -> None:
        kind = 'expected a JSON object with "type" and the name of a message of the server'
        for line, words in (
            (b"hello\n", "a line that is not JSON"),
            (b'"\xff"\n', "a line that is not JSON"),
            (b"[" * 100_000 + b"\n", "a line that is not JSON"),
            (b"[]\n", kind),
            (b'{"type":"Pong"}\n', kind),
            (b'{"type":7}\n', kind),
            (b'{"type":[]}\n', kind),
            (b'{"type":"EndOfRound"}\n', "EndOfRound has a missing key or a wrong value"),
            (b'{"type":"EndOfRound","roundNumber":"3"}\n', "EndOfRound has a missing key or a wrong value"),
            (b"x" * (SERVER_LINE_LIMIT + 1), f"a line longer than {SERVER_LINE_LIMIT} bytes"),
        ):
            error = self.assertRaises(WireError, list, JsonClientCodec().feed(line))
            self.assertEqual(str(error), words, line[:40])
