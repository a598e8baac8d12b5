"""The client's side of the JSON lines."""

from typing import Any

from hypothesis import strategies as st
from msgspec import UNSET

from gamehost.testing.cases import PropertyCase
from gamehost.testing.client_codec_contract import ClientCodecContract
from gamehost.wires.eriantys import messages as m
from gamehost.wires.eriantys import values as v
from gamehost.wires.eriantys.client import SERVER_LINE_LIMIT, JsonClientCodec
from gamehost.wires.eriantys.codec import BoardCache, JsonCodec
from gamehost.wires.framing import WireError
from tests.kit.wires.eriantys_words import BOARD

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
INT = st.integers(-(2**31), 2**31)
ANY_INT = INT | st.integers() | st.sampled_from((True, 1.0, "1", None))
COLORS = st.lists(st.sampled_from(v.Color), max_size=4).map(tuple)
NAMES = st.lists(TEXT, max_size=3).map(tuple)
TOWER = st.sampled_from(v.Tower)
HEAP = st.builds(v.Students, INT, INT, INT, INT, INT)
INFO = st.builds(v.GameInfo, INT, INT, INT, st.booleans())
INTS = st.lists(INT, max_size=4).map(tuple)
MAYBE = st.none() | INT
ISLAND = st.builds(v.Island, INT, INTS, HEAP, st.none() | TOWER, INT, INT)
PLAYER = st.builds(v.Player, TEXT, st.none() | TOWER, MAYBE, INT, st.booleans(), HEAP, HEAP, COLORS, MAYBE, INT, MAYBE)
CHARACTER = st.builds(v.Character, INT, INT, st.booleans(), st.none() | HEAP, MAYBE)
DASHBOARD = st.builds(
    v.Dashboard,
    INT,
    st.lists(ISLAND, max_size=2).map(tuple),
    st.lists(HEAP, max_size=2).map(tuple),
    INT,
    st.dictionaries(st.sampled_from(v.Color), st.none() | TEXT),
    INT,
    st.lists(CHARACTER, max_size=2).map(tuple),
    MAYBE,
    MAYBE,
)


def unset(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """The same, or left out."""
    return st.just(UNSET) | strategy


class JsonClientCodecTests(ClientCodecContract, PropertyCase):
    """What one side writes, the other side reads."""

    server_messages = {
        m.Ping: st.builds(m.Ping),
        m.CommunicationMessage: st.builds(m.CommunicationMessage, st.sampled_from(v.Communication)),
        m.PlayerStatusMessage: st.builds(m.PlayerStatusMessage, st.sampled_from(v.PlayerStatus)),
        m.ErrorMessage: st.builds(m.ErrorMessage, st.sampled_from(v.Error), unset(TEXT), unset(TEXT)),
        m.AvailableGames: st.builds(m.AvailableGames, st.lists(INFO, max_size=3).map(tuple)),
        m.JoinAlreadyExistingGame: st.builds(m.JoinAlreadyExistingGame, INFO),
        m.WaitingForPlayers: st.builds(m.WaitingForPlayers, INT),
        m.PlayerDisconnected: st.builds(m.PlayerDisconnected, TEXT),
        m.MatchStarted: st.builds(m.MatchStarted, NAMES, unset(INT), unset(st.booleans()), unset(NAMES)),
        m.AvailableTowers: st.builds(m.AvailableTowers, st.dictionaries(TOWER, INT), st.dictionaries(TOWER, NAMES)),
        m.AvailableWizards: st.builds(m.AvailableWizards, INTS),
        m.UpdateBoard: st.just(BOARD)
        | st.builds(m.UpdateBoard, st.lists(PLAYER, max_size=2).map(tuple), DASHBOARD, unset(NAMES)),
        m.UpdateLobby: st.builds(m.UpdateLobby, INFO),
        m.StartOfPlayerRound: st.builds(m.StartOfPlayerRound, INT, TEXT),
        m.AvailableAssistants: st.builds(m.AvailableAssistants, INTS, st.dictionaries(TEXT, INT, max_size=3)),
        m.PlayedAssistant: st.builds(m.PlayedAssistant, INT, TEXT),
        m.MovableStudents: st.builds(m.MovableStudents, COLORS),
        m.MovableStudentsChar: st.builds(m.MovableStudentsChar, COLORS),
        m.WhereToMove: st.builds(m.WhereToMove, unset(INT)),
        m.MotherNatureSteps: st.builds(m.MotherNatureSteps, INT),
        m.IslandOwner: st.builds(m.IslandOwner, ISLAND, TEXT),
        m.SelectCloud: st.builds(m.SelectCloud, unset(INTS)),
        m.EndOfPlayerRound: st.builds(m.EndOfPlayerRound, INT, TEXT),
        m.EndOfRound: st.builds(m.EndOfRound, INT),
        m.CommunicateWinner: st.builds(m.CommunicateWinner, st.none() | TOWER, TEXT, TEXT, unset(NAMES)),
        m.SelectColor: st.builds(m.SelectColor),
        m.PlayedCharacter: st.builds(m.PlayedCharacter, INT, TEXT),
    }
    client_messages = {
        m.Acknowledgement: st.builds(m.Acknowledgement),
        m.Pong: st.builds(m.Pong),
        m.Disconnect: st.builds(m.Disconnect),
        m.LoginMessage: st.builds(m.LoginMessage, st.text(max_size=12) | st.just("x" * 20_000), unset(st.booleans())),
        m.RequestGames: st.builds(m.RequestGames),
        m.SetGame: st.builds(m.SetGame, ANY_INT, st.booleans() | st.just(1)),
        m.JoinAvailableGame: st.builds(m.JoinAvailableGame, ANY_INT),
        m.ChosenTower: st.builds(m.ChosenTower, TOWER | TEXT),
        m.ChosenWizard: st.builds(m.ChosenWizard, ANY_INT),
        m.PlayAssistant: st.builds(m.PlayAssistant, ANY_INT),
        m.ChosenStudent: st.builds(m.ChosenStudent, st.none() | st.sampled_from(v.Color) | TEXT),
        m.ChosenDestination: st.builds(m.ChosenDestination, ANY_INT),
        m.ChosenSteps: st.builds(m.ChosenSteps, ANY_INT),
        m.ChosenCloud: st.builds(m.ChosenCloud, ANY_INT),
        m.UseCharacterEffect: st.builds(m.UseCharacterEffect, ANY_INT),
    }

    def new_codec(self) -> JsonCodec:
        return JsonCodec(BoardCache())

    def new_client_codec(self) -> JsonClientCodec:
        return JsonClientCodec()

    def test_the_types_are_all(self) -> None:
        """Every message of the wire is drawn."""
        self.assertEqual(self.server_messages.keys(), set(m.SERVER_TYPES.values()))
        self.assertEqual(self.client_messages.keys(), set(m.CLIENT_TYPES.values()))

    def test_keys_that_are_not_known_are_ignored(self) -> None:
        """A later server may say more."""
        line = b'{"more":[],"type":"EndOfRound","roundNumber":3,"why":null}\n'
        self.assertEqual(list(JsonClientCodec().feed(line)), [m.EndOfRound(3)])

    def test_errors(self) -> None:
        """What was wrong is said."""
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
