"""Programs against servers that lie: any value of any message, on every wire that a program plays on."""

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from gamehost.games.base import Seat
from gamehost.games.play import new_player
from gamehost.players.base import Level, Player
from gamehost.programs.clients import client_of
from gamehost.programs.wire_player import ProgramError, WirePlayer
from gamehost.testing.cases import PropertyCase
from gamehost.wires.framing import WireError
from tests.kit.drawn_messages import ANY_JSON
from tests.kit.memory_host import MemoryHost
from tests.kit.players import GAMES, RULES, WIRES, HouseProcess, client_codec_of

#: So many pieces of what a host has said are kept of a match; a program loses its connection after half of them.
MOST = 24
#: The wires of JSON on lines.
JSON = ("eriantys", "litama", "open")


def easy(game: str, seat: Seat) -> Player:
    if game not in GAMES:
        raise ProgramError(f"nobody plays {game} here")
    return new_player(game, seat, Level.EASY, 1, effort=0.05)


def program(wire: str, game: str) -> WirePlayer:
    client = client_of(wire)
    assert client is not None and client.player is not None
    player: WirePlayer = client.player("ann", "secret secret", easy, game)
    return player


@cache
def told(wire: str, game: str, comes_back: bool) -> Sequence[bytes]:
    """What a host says to a program, in pieces: of a match from its beginning, or once the program has come back."""
    host = MemoryHost(house_rules=RULES)
    process = HouseProcess(host)
    pieces: list[bytes] = []
    while True:
        playing, codec, link = program(wire, game), client_codec_of(wire), host.connect(wire)
        said = list(playing.begin())
        pieces.clear()
        while len(pieces) < MOST and playing.result is None:
            link.send(b"".join(map(codec.encode, said)))
            if piece := link.transport.read():
                pieces.append(piece)
            elif not said and not process.until_idle():
                host.wait(1)
            said = [one for message in codec.feed(piece) for one in playing.hear(message)]
            said += playing.think()
            if comes_back and len(pieces) > MOST // 2:
                break
        if not comes_back:
            return pieces
        comes_back = False
        link.drop()


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to all values of a message."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inside:
        yield from places(one, (*path, key))


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


def spoiled_json(line: bytes, data: st.DataObject) -> bytes:
    """A message with another value at one place: any, or one of another place."""
    message = json.loads(line)
    ways = list(places(message))
    path = data.draw(st.sampled_from(ways))
    other = data.draw(ANY_JSON | st.sampled_from(ways).map(lambda way: at(message, way)))
    if not path:
        return json.dumps(other).encode()
    at(message, path[:-1])[path[-1]] = json.loads(json.dumps(other))
    return json.dumps(message).encode()


def spoiled_words(piece: bytes, data: st.DataObject) -> bytes:
    """The same for messages that are no JSON: one of their words is another one."""
    words = list(re.finditer(rb"[A-Za-z0-9_.-]+", piece)) or list(re.finditer(rb".", piece, re.DOTALL))
    word, other = data.draw(st.sampled_from(words)), data.draw(st.sampled_from(words))
    drawn = data.draw(st.just(other.group()) | st.text(max_size=30).map(str.encode) | st.just(b"9" * 30))
    return piece[: word.start()] + drawn + piece[word.end() :]


class LiesTests(PropertyCase):
    def check(self, wire: str, game: str, data: st.DataObject) -> None:
        """The program goes on, or ends with the sentence that it has for what cannot be."""
        pieces = list(told(wire, game, data.draw(st.booleans())))
        place = data.draw(st.integers(0, len(pieces) - 1))
        if wire in JSON:
            lines = [line for line in pieces[place].split(b"\n") if line.strip()]
            number = data.draw(st.integers(0, len(lines) - 1))
            lines[number] = spoiled_json(lines[number], data)
            pieces[place] = b"".join(line + b"\n" for line in lines)
        else:
            pieces[place] = spoiled_words(pieces[place], data)
        self.follow(wire, game, pieces[: place + 4])

    def follow(self, wire: str, game: str, pieces: Sequence[bytes]) -> None:
        playing, codec = program(wire, game), client_codec_of(wire)
        playing.begin()
        try:
            for piece in pieces:
                for message in codec.feed(piece):
                    said = playing.hear(message)
                    if playing.result is not None:
                        said = playing.again()
                    b"".join(map(codec.encode, said))
                b"".join(map(codec.encode, playing.think()))
        except (ProgramError, WireError) as error:
            self.assertTrue(str(error))

    @given(st.sampled_from(sorted(WIRES)), st.booleans(), st.data())
    def test_messages_in_another_order(self, wire: str, comes_back: bool, data: st.DataObject) -> None:
        """Some are missing, too."""
        pieces = data.draw(st.permutations(told(wire, "onitama", comes_back)))
        self.follow(wire, "onitama", pieces[: data.draw(st.integers(1, len(pieces)))])

    @given(st.sampled_from(GAMES), st.data())
    def test_the_open_wire(self, game: str, data: st.DataObject) -> None:
        self.check("open", game, data)

    @given(st.sampled_from(sorted(WIRES)), st.data())
    def test_every_wire(self, wire: str, data: st.DataObject) -> None:
        self.check(wire, "onitama", data)
