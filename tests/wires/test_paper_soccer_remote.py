"""Remote games on the XML wire as a whole, from bytes to bytes, with a master of Nim that answers at once."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import evolve

from gamehost.testing.cases import PropertyCase
from gamehost.testing.memory_host import Client, MemoryHost
from gamehost.testing.wire_contract import WireContract
from gamehost.testing.wire_hooks import Situation, received
from gamehost.wires.framing import BLANK, WireError
from gamehost.wires.paper_soccer.codec import XmlCodec
from gamehost.wires.paper_soccer.messages import Dialect, LoginResponse
from gamehost.wires.paper_soccer.remote_conversation import WIRE
from gamehost.wires.paper_soccer.remote_player import Remote
from tests.kit.transcript import HOME
from tests.kit.wires.paper_soccer_talk import login
from tests.kit.wires.remote_talk import (
    OPEN,
    RemoteHost,
    begin,
    is_error,
    leave,
    left,
    master_login,
    move,
    over,
    state,
    thanks,
)
from tests.wires.test_paper_soccer import ATTACKS


class WireTests(WireContract, PropertyCase):
    """What all wires do. The client under test is a player, or a master of another game."""

    wire = WIRE
    transcripts = HOME
    host_settings = {**OPEN, "paper-soccer.types": "nim"}
    begun = b'<message type="aaaaa'
    too_long = b'<message type="' + b"a" * 16_367 + b'"/>'
    log_out = b'<message type="logout"/>'
    streams_in_suite = 80
    silent = {
        "away": "nobody comes back to a remote game: it is over, or goes on without the player",
        "back": "the same",
        "late": "it crossed with the end of the game on its way: the player is told the end and nothing else",
    }
    nonsense = (
        b'<message type="canary"/>\n',
        b'<message type="move"><canary/></message>\n',
        b'<message type="gameState">canary</message>\n',
        b"<message type='gameState'><gameId id='canary'/><nextPlayer nick='canary'/><gameState/></message>\n",
        b"<message type='thank you'><gameId id='canary\x7f'>x</gameId></message>\n",
        b"<message type='gameMasterLogin'><gameMasterLogin id='canary' gameType='canary' playersMin='canary'/></message>\n",
        b"\x1b[2Jcanary\n",
    )

    def new_host(self, settings: Mapping[str, str] | None = None, limits: Mapping[str, str] = {}) -> MemoryHost:
        """A host with a master of Nim."""
        settings = self.host_settings if settings is None else settings
        settings = {**settings, **{f"limits.{name}": text for name, text in limits.items()}}
        wire = self.wire if self.watch is None else evolve(self.wire, configure=self.watch)
        host = RemoteHost(settings, wires=(wire,))
        if settings.get("paper-soccer.types") == "nim":
            host.add_master()
        return host

    def log_in(self, name: str) -> bytes:
        return login(name, "nim").encode()

    def join_again(self, client: Client, name: str) -> None:
        """Without another log-in."""
        client.send(thanks(1).encode())

    def legal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        """The one who came first moves first."""
        return first, move(1).encode()

    def illegal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        """Out of turn."""
        return second, move(1).encode()

    def after_match(self) -> Situation:
        """A player whose opponent was lost."""
        situation = self.in_match()
        assert situation.other is not None
        situation.other.drop()
        received(situation.client)
        return Situation(situation.host, situation.client)

    def mastering(self) -> Situation:
        """A master of a game of three, of whom one is lost."""
        host = self.new_host(limits={"unlimited": "yes"})
        client = host.connect(self.wire.name)
        client.say(master_login("go", 3, 3))
        for name in ("ann", "bob", "cid"):
            host.connect(self.wire.name).say(login(name, "go"))
        client.say(state(1, "bob"))
        received(client)
        return Situation(host, client)

    def situations(self) -> Mapping[str, Callable[[], Situation]]:
        """All of a player's, and of a master's."""
        found = dict(super().situations())
        connected = found.pop("connected")
        return {**found, "master": self.mastering, "connected": connected}

    def samples(self) -> dict[type, list[Any]]:
        """Read by a codec that has logged in."""
        found: dict[type, list[Any]] = {}
        for stream in (*self.corpus(), *self.nonsense, *super().corpus()):
            for dialect in (Dialect.EXACT, Dialect.BUILT_IN):
                codec = XmlCodec()
                codec.encode(LoginResponse(dialect=dialect))
                try:
                    for message in codec.feed(stream):
                        kept = found.setdefault(type(message), [])
                        if message is not BLANK and message not in kept and len(kept) < 3:
                            kept.append(message)
                except WireError:
                    continue
        return found

    def corpus(self) -> Sequence[bytes]:
        """Players, masters, and attacks."""
        ann = login("ann", "nim")
        streams = [
            ann + move(1) + move(1, '<take n="3"/> &lt; <x:y xmlns:x="z"/>') + thanks(1),
            ann + move(1, '<take n="9"/>') + thanks(1) + leave(1) + ann,
            '<?xml version="1.0" encoding="utf-8"?>\n'
            + ann
            + "\n\n"
            + leave(1)
            + move(1)
            + '<message type="logout"/>'
            + ann,
            master_login("go") + state(1, "ann", "<a/>") + left(1, "ann") + over(1, {"ann": True, "bob": False}),
            master_login() + state(1, "opponent", "<a>\u00e4</a>") + left(1, "other") + state(2, "other"),
            master_login() + over(1, {"other": True, "opponent": False}) + state(1, "other", " "),
            master_login("go") + '<message type="error">x &lt; y</message>' + '<message type="logout"/>',
            ann + login("ann") + begin(1, "ann", "bob") + master_login() + "<message type='move'><move/></message>",
        ]
        return [stream.encode() for stream in streams] + [ann.encode() + attack for attack in ATTACKS]

    def _answers(self, pieces: Sequence[bytes], waiting: bool = False) -> tuple[bytes, bytes]:
        """
        What a client, and two players who wait, receive when these pieces are sent. There is no other master, because one
        that answers in between would answer sooner or later.
        """
        world = RemoteHost({**self.host_settings, "limits.unlimited": "yes"}, wires=(self.wire,))
        others = [world.connect(self.wire.name) for _ in range(2)]
        for name, other in zip(("opponent", "other"), others, strict=True):
            self.join(other, name)
        client = world.connect(self.wire.name)
        if waiting:
            client.say(master_login())
        for piece in pieces:
            if client.transport.disconnecting or client.closed:
                break
            client.send(piece)
        return client.transport.read(), others[0].transport.read() + others[1].transport.read()

    # -- what is otherwise in remote games

    def test_a_second_log_in_is_refused(self) -> None:
        """In a game. Who waits for one may log in anew."""
        for acting in (0, 1):
            situation = self.in_match(acting)
            situation.client.send(self.log_in("carl"))
            self.assertFalse(self.is_in(situation.host, "carl"))
            self.assertTrue(is_error(received(situation.client)[0]))
        situation = self.waiting()
        situation.client.send(self.log_in("carl"))
        self.assertTrue(self.is_in(situation.host, "carl"))
        self.assertFalse(self.is_in(situation.host, "ann"))

    def test_the_beginning_is_told_to_both(self) -> None:
        """With the first state of the master."""
        waiting = self.waiting()
        received(waiting.client)
        bob = waiting.host.connect(self.wire.name)
        self.join(bob, "bob")
        self.assertEqual(received(waiting.client), [state(1, "ann", '<heap left="7"/>')])
        self.assertEqual(received(bob)[1:], [state(1, "ann", '<heap left="7"/>')])

    def test_a_player_who_is_banned_is_closed_and_the_seat_is_kept(self) -> None:
        """The player is told so, and is out of the game."""
        situation, ann, bob = self.pair()
        self.ban(situation.host, "ann")
        self.assertTrue(is_error(received(ann)[0]))
        situation.host.wait(2)
        self.assertTrue(ann.closed)
        self.assertEqual(received(bob), [over(1, {"ann": False, "bob": True})])
        self.assertFalse(self.is_in(situation.host, "ann"))

    def test_a_return_is_told(self) -> None:
        """Nobody comes back: a log-in under the same nick is one for the next game."""
        situation, ann, bob = self.pair()
        ann.drop()
        received(bob)
        again = situation.host.connect(self.wire.name)
        again.send(self.log_in("ann"))
        self.assertEqual((len(received(again)), received(bob)), (1, []))

    def test_an_absence_is_told(self) -> None:
        """The game of two is over at once."""
        _, ann, bob = self.pair()
        bob.drop()
        self.assertEqual(received(ann), [over(1, {"ann": True, "bob": False})])

    def test_the_end_is_told(self) -> None:
        """By the master, too."""
        _, ann, bob = self.pair()
        ann.send(move(1, "").encode())
        ends = over(1, {"ann": False, "bob": True}, '<heap left="7"/>')
        self.assertEqual((received(ann), received(bob)), ([ends], [ends]))

    def test_after_the_end_another_match_can_be_played(self) -> None:
        """With the next one who comes."""
        over = self.after_match()
        self.join_again(over.client, "ann")
        carl = over.host.connect(self.wire.name)
        self.join(carl, "carl")
        self.assertEqual(received(over.client), [state(2, "ann", '<heap left="7"/>')])

    def test_a_suspended_match_is_told(self) -> None:
        """When the referee fails, the players are told so, and can play again."""
        situation, ann, bob = self.pair()
        [game] = situation.host.lobby.remote.types["nim"].games.values()
        table: Any = game.table
        del table._master._inside
        ann.send(move(1).encode())
        self.assertEqual(len(self.flushLoggedErrors(AttributeError)), 1)
        for client in (ann, bob):
            self.assertIn("suspended", received(client)[0])
            self.assertIs(client.state, Remote.OVER)
            client.send(thanks(1).encode())
        self.assertEqual(received(ann), [state(2, "ann", '<heap left="7"/>')])

    def test_other_protocols_get_at_most_one_error_and_no_echo(self) -> None:
        """As in the built-in game."""

    def test_a_table_and_its_players_gone_leave_no_timers(self) -> None:
        """As the contract has it, without the master."""
        world, client = self.connected()
        other = world.connect(self.wire.name)
        self.join(client, "ann")
        self.join(other, "bob")
        other.drop()
        world.wait(61)
        client.drop()
        world.wait(3)
        self.assertEqual(world.clock.getDelayedCalls(), [])
