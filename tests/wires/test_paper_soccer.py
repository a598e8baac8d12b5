"""The XML wire as a whole, from bytes to bytes."""

import random
from collections.abc import Sequence
from typing import Any

from gamehost.testing.cases import PropertyCase
from gamehost.testing.memory_host import Client
from gamehost.testing.wire_contract import WireContract
from gamehost.wires.paper_soccer.messages import GameMasterLogin, PlayerLeftGame, Point, RemoteMove, RemoteState
from gamehost.wires.paper_soccer.remote_conversation import WIRE
from tests.kit.games.paper_soccer_walks import as_move, recorded
from tests.kit.transcript import HOME
from tests.kit.wires.paper_soccer_talk import login, move, thanks

ATTACKS = (
    b'<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;&lol;">]><lolz>&lol2;</lolz>',
    b"<message type='move'><![CDATA[<point/>]]></message>",
    b"<message><!-- -->",
    b'<?xml version="1.0" encoding="UTF-16"?><message type="logout"/>',
    b"\xef\xbb\xbf<message type='logout'/>",
    b"<a><a><a><a><a><a><a><a><a>",
    b"<message type='error'>&amp;&#65;&foo;</message>",
    b"<x:point x='0' y='1'/>\n<message y='1' xmlns='u'/>",
)


class WireTests(WireContract, PropertyCase):
    """What all wires do."""

    wire = WIRE
    transcripts = HOME
    begun = b'<message type="aaaaa'
    too_long = b'<message type="' + b"a" * 16_367 + b'"/>'

    log_out = b'<message type="logout"/>'
    silent = {
        "back": "the document has no words for it; the game goes on with the next gameState",
        "late": "it crossed with the end of the match on its way: the player is told the end and nothing else",
    }
    nonsense = (
        b'<message type="canary"/>\n',
        b'<message type="move"><canary/></message>\n',
        b'<message type="gameState">canary</message>\n',
        b"<message type='move'><move><point x='canary' y='\t'/></move></message>\n",
        b"<message type='thank you'><gameId id='canary\x7f'/></message>\n",
        b"\x1b[2Jcanary\n",
    )

    def log_in(self, name: str) -> bytes:
        return login(name).encode()

    def legal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        """Chance says who moves first: in these tests always the second player."""
        return second, move((0, 1), game=None).encode()

    def illegal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        """Out of turn. A move that the rules forbid is no refusal here: it loses."""
        return first, move((0, 1), game=None).encode()

    def samples(self) -> dict[type, list[Any]]:
        """With the messages of remote games, which are out of place in this one."""
        remote = [GameMasterLogin("nim-1", "nim", "2", "2"), RemoteMove(b"<a/>", "1"), PlayerLeftGame("bob", "1")]
        more: list[Any] = [*remote, RemoteState("1", b"<a/>", "bob")]
        return {**super().samples(), **{type(message): [message] for message in more}}

    def corpus(self) -> Sequence[bytes]:
        """Short streams, for each is sent byte by byte, too: games begun, endings, odd spellings, attacks."""
        rng = random.Random(1)
        ann = login("ann") + "\n"
        streams = [ann + move(*self._first_moves(rng)) + thanks() + login("ann") for _ in range(5)]
        streams += [ann + "<point x='0' y='1'/>\r\n<point x=\"1\" y='1' /> <point x='0' y='0'></point>\n"]
        streams += [ann + '<message type="leaveGame"><gameId id="1"/></message>' + ann]
        streams += ['<?xml version="1.0" encoding="utf-8"?>\n' + ann + '\n\n<message type="logout"/>']
        streams += [ann + '<message type="error">x &lt; y</message><message type="move"><move/></message>']
        return [stream.encode() for stream in streams] + [ann.encode() + attack for attack in ATTACKS]

    def _first_moves(self, rng: random.Random) -> tuple[Point, ...]:
        return as_move(rng.choice(recorded("paper_soccer_games.jsonl"))["moves"][0])

    def test_line_ends_on_the_way_to_another_host(self) -> None:
        """A line end that belongs to an earlier message is a blank line for the host that goes on."""
        wrong, ann = self.log_in("no/such name"), self.log_in("ann")
        for pieces in ([wrong, b"\n" + wrong + ann], [wrong, b"\n\n" + wrong, b"\n" + ann], [b"\n\n" + wrong, ann]):
            self.assertTrue(self.assert_unnoticed(self.connected_only, pieces))

    def test_the_limit_itself_is_allowed(self) -> None:
        """A message of exactly the limit is read; the one of the contract is one byte longer."""
        _, client = self.connected()
        client.send(self.too_long.replace(b"aa", b"a", 1))
        self.assertEqual(len(self.too_long), 16_385)
        self.assertIn("unknown type", client.heard()[0])
        self.assertFalse(client.transport.disconnecting)
