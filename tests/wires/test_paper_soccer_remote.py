"""Remote masters and their players."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.net.context import ConnectionBounds
from gamehost.testing.cases import PropertyCase
from gamehost.testing.memory_host import BOUNDS, Client, MemoryHost
from gamehost.testing.wire_contract import WireContract
from gamehost.testing.wire_hooks import Situation, received
from gamehost.wires.framing import BLANK, WireError
from gamehost.wires.paper_soccer import WIRE
from gamehost.wires.paper_soccer.codec import XmlCodec
from gamehost.wires.paper_soccer.messages import Dialect, LoginResponse
from gamehost.wires.paper_soccer.remote import Remote
from tests.kit.memory_host import HOME
from tests.kit.pages import answers
from tests.kit.sources import ROOT
from tests.kit.wires.paper_soccer_talk import DECLARATION, login, message
from tests.kit.wires.remote_talk import (
    ACCEPTED,
    OPEN,
    RemoteHost,
    World,
    begin,
    element,
    is_error,
    leave,
    left,
    master_login,
    move,
    over,
    refused,
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
        settings = self.host_settings if settings is None else settings
        settings = {**settings, **{f"limits.{name}": text for name, text in limits.items()}}
        host = RemoteHost(settings, wires=(self.watched,))
        if settings.get("paper-soccer.types") == "nim":
            host.add_master()
        return host

    def log_in(self, name: str) -> bytes:
        return login(name, "nim").encode()

    def join_again(self, client: Client, name: str) -> None:
        client.send(thanks(1).encode())

    def legal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return first, move(1).encode()

    def illegal_action(self, first: Client, second: Client) -> tuple[Client, bytes]:
        return second, move(1).encode()

    def after_match(self) -> Situation:
        situation = self.in_match()
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
        found = dict(super().situations())
        connected = found.pop("connected")
        return {**found, "master": self.mastering, "connected": connected}

    def samples(self) -> dict[type, list[Any]]:
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
        waiting = self.waiting()
        waiting.client.send(self.log_in("carl"))
        self.assertTrue(self.is_in(waiting.host, "carl"))
        self.assertFalse(self.is_in(waiting.host, "ann"))

    def test_the_beginning_is_told_to_both(self) -> None:
        waiting = self.waiting()
        received(waiting.client)
        bob = waiting.host.connect(self.wire.name)
        self.join(bob, "bob")
        self.assertEqual(received(waiting.client), [state(1, "ann", '<heap left="7"/>')])
        self.assertEqual(received(bob)[1:], [state(1, "ann", '<heap left="7"/>')])

    def test_a_player_who_is_banned_is_closed_and_the_seat_is_kept(self) -> None:
        situation, ann, bob = self.pair()
        self.ban(situation.host, "ann")
        self.assertTrue(is_error(received(ann)[0]))
        situation.host.wait(2)
        self.assertTrue(ann.closed)
        self.assertEqual(received(bob), [over(1, {"ann": False, "bob": True})])
        self.assertFalse(self.is_in(situation.host, "ann"))

    def test_a_return_is_told(self) -> None:
        situation, ann, bob = self.pair()
        ann.drop()
        received(bob)
        again = situation.host.connect(self.wire.name)
        again.send(self.log_in("ann"))
        self.assertEqual((len(received(again)), received(bob)), (1, []))

    def test_an_absence_is_told(self) -> None:
        _, ann, bob = self.pair()
        bob.drop()
        self.assertEqual(received(ann), [over(1, {"ann": True, "bob": False})])

    def test_the_end_is_told(self) -> None:
        _, ann, bob = self.pair()
        ann.send(move(1, "").encode())
        ends = over(1, {"ann": False, "bob": True}, '<heap left="7"/>')
        self.assertEqual((received(ann), received(bob)), ([ends], [ends]))

    def test_after_the_end_another_match_can_be_played(self) -> None:
        over = self.after_match()
        self.join_again(over.client, "ann")
        carl = over.host.connect(self.wire.name)
        self.join(carl, "carl")
        self.assertEqual(received(over.client), [state(2, "ann", '<heap left="7"/>')])

    def test_a_suspended_match_is_told(self) -> None:
        situation, ann, bob = self.pair()
        [game] = situation.host.lobby.remote.types["nim"].games.values()
        table: Any = game.table
        del table._master._inside
        ann.send(move(1).encode())
        self.assertEqual(len(self.flushLoggedErrors(AttributeError)), 1)
        for client in (ann, bob):
            self.assertIn("a fault has stopped this match", received(client)[0])
            self.assertIs(client.state, Remote.OVER)
            client.send(thanks(1).encode())
        self.assertEqual(received(ann), [state(2, "ann", '<heap left="7"/>')])

    def test_other_protocols_get_at_most_one_error_and_no_echo(self) -> None:
        pass

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


class WritingTests(SynchronousTestCase):
    def test_no_line_ends(self) -> None:
        """Some programs take a line end for the beginning of the next message."""
        world = World({"paper-soccer.line_ends": "no"})
        client = world.connect()
        client.say(master_login())
        self.assertEqual(client.transport.read(), ACCEPTED.encode())
        client.say(login("ann"))
        self.assertTrue(client.transport.read().endswith(b"</message>"))

    def test_declarations(self) -> None:
        world = World({"paper-soccer.declaration": "yes"})
        client = world.connect()
        self.assertEqual(client.ask(DECLARATION + master_login()), [DECLARATION + ACCEPTED])

    def test_one_game(self) -> None:
        """A master that takes a segment for a message gets one game, and time between its messages."""
        world = World({"paper-soccer.one_game": "nim", "paper-soccer.types": "nim"})
        for name in ("a1", "b2", "c3", "d4"):
            world.player(name)
        master = world.connect()
        self.assertEqual(master.ask(master_login()), [ACCEPTED])
        world.host.wait(0.1)
        self.assertEqual(master.heard(), [begin(1, "a1", "b2")])
        master.say(over(1, {"a1": True, "b2": False}))
        world.host.wait(0.1)
        self.assertEqual(master.heard(), [begin(2, "c3", "d4")])

    def test_nothing_of_a_content_is_written_otherwise(self) -> None:
        for content in ("&#65;&amp;", "<a b='\"'/>", "\r\n\t ", "<x:a xmlns:x='u' x:b=\"1\" />", "<a></a>"):
            master, (ann, bob) = World().game("ann", "bob")
            ann.say(move(1, content))
            self.assertEqual(master.transport.read().decode(), move(1, content) + "\n")
            master.say(state(1, "bob", content))
            for client in (ann, bob):
                self.assertEqual(client.transport.read().decode(), state(1, "bob", content) + "\n")


class RateTests(SynchronousTestCase):
    def world(self, bounds: ConnectionBounds = BOUNDS, **limits: str) -> World:
        settings = {f"limits.{name}": text for name, text in limits.items()}
        return World({"limits.unlimited": "no", **settings}, bounds=bounds)

    def test_states_that_are_owed_do_not_count(self) -> None:
        """A master of many games is not too fast for the host."""
        world = self.world(messages_per_second="0.5")
        master, (ann, bob) = world.game("ann", "bob")
        for number in range(100):
            mover, other = (ann, "bob") if number % 2 == 0 else (bob, "ann")
            mover.say(move(1))
            master.say(state(1, other))
        self.assertEqual(len(ann.heard()), 100)
        self.assertFalse(master.closed)

    def test_long_states_pause_a_master(self) -> None:
        world = self.world(ConnectionBounds(bytes_at_once=40_000))
        master, (ann, bob) = world.game("ann", "bob")
        for number in range(30):
            mover, other = (ann, "bob") if number % 2 == 0 else (bob, "ann")
            mover.say(move(1))
            master.say(state(1, other, "x" * 15_000))
            world.host.wait(1)
            ann.heard(), bob.heard()
        self.assertFalse(master.transport.disconnecting or master.closed)
        self.assertGreater(master.protocol.input._bytes.missing, 0)

    def test_an_address_has_a_budget_of_the_journal(self) -> None:
        """Above it, what comes from there is read more slowly; nobody is cut off."""
        world = self.world(journal_bytes_per_second_per_address="1000", remote_bytes="100000000")
        master, (ann, bob) = world.game("ann", "bob")
        told = 0
        for number in range(200):
            mover, other = (ann, "bob") if number % 2 == 0 else (bob, "ann")
            mover.say(move(1))
            master.say(state(1, other, "y" * 5_000))
            told += sum(line.count("y") for line in ann.heard())
            bob.heard()
            world.host.wait(1)
        self.assertGreater(told, 200_000)
        self.assertLessEqual(told, 64_000 + 200 * 1_000 + 5_000)
        self.assertFalse(master.closed or ann.closed)
        limiter = world.host.context.limiter
        self.assertIs(master.protocol.input._address_journal, limiter.journal_of("192.0.2.200"))

    def test_states_unasked_count(self) -> None:
        world = self.world(messages_per_second="0.5")
        master, (ann, _) = world.game("ann", "bob")
        for _ in range(12):
            master.say(state(1, "ann"))
        world.host.wait(3)
        self.assertTrue(master.closed)
        self.assertEqual(len(ann.heard()), 9)
        self.assertEqual(world.master().heard(), [begin("1.2", "ann", "bob")])

    def test_thanks_do_not_count(self) -> None:
        """A player of many short games is not too fast."""
        world = self.world(messages_per_second="0.25")
        master, (ann, bob) = world.game("ann", "bob")
        for number in range(1, 30):
            master.say(over(number, {"ann": True, "bob": False}))
            ann.say(thanks(number))
            bob.say(thanks(number))
        self.assertFalse(ann.closed or bob.closed)
        ann.say(*[message("error")] * 6)
        world.host.wait(3)
        self.assertTrue(ann.closed)

    def test_a_master_that_does_not_read(self) -> None:
        world = self.world(ConnectionBounds(unread_bytes=1_024))
        master, players = world.game("ann", "bob")
        master.transport.reads = False
        for number in range(60):
            players[number % 2].say(move(1, element("x", "y" * 3_000)))
            master.say(state(1, ("bob", "ann")[number % 2]))
            for player in players:
                player.heard()
        world.host.wait(13)
        self.assertTrue(master.closed)
        self.assertEqual(world.master().heard(), [begin("1.2", "ann", "bob")])


PAGE = ROOT / "docs" / "games" / "remote.rst"

#: Row of the page's table -> messages that a client could send. Those with an id are for the game that it is in, or was in.
SAMPLES = {
    "playerLogin": [login("ann", "nim"), login("zoe", "nim")],
    "gameMasterLogin": [master_login("go", name="go-1")],
    "move": [move(1), message("move", "<move/>")],
    "thank you": [thanks(1), message("thank you")],
    "leaveGame": [leave(1), message("leaveGame")],
    "logout": [message("logout")],
    "error": [message("error"), message("error", "x")],
    "gameState": [state(1, "bob")],
    "playerLeftGame": [left(1, "bob")],
    "a message of the server": [begin(1, "ann"), message("serverShutdown"), message("loginResponse")],
    "anything else": ["<hello/>", message("hello"), message("move"), "<point x='0' y='1'/>\n"],
}

STATES = ("outside", "pool", "remote", "over", "master")


def arrive(where: str) -> tuple[World, Client]:
    """A connection in this state that has been in game 1, or is in it; as a player it is Ann's, and it is her turn."""
    world = World()
    if where == "master":
        return world, world.game("ann", "bob", "cid")[0]
    master, (ann, bob) = world.game("ann", "bob")
    if where != "remote":
        master.say(over(1, {"ann": True, "bob": False}))
        bob.drop()
    if where in ("pool", "outside"):
        ann.say(thanks(1))
    if where == "outside":
        ann.say(message("logout"))
    ann.heard()
    assert getattr(ann.state, "value", "") == where, ann.state
    return world, ann


class AnswersTests(SynchronousTestCase):
    def test_the_table_is_whole(self) -> None:
        self.assertEqual(set(SAMPLES), set(answers(PAGE, "remote-answers", STATES)))

    def test_every_message_in_every_state(self) -> None:
        for row, by_state in answers(PAGE, "remote-answers", STATES).items():
            for where, answer in by_state.items():
                for sample in SAMPLES[row]:
                    with self.subTest(where=where, sample=sample):
                        self.check(answer, where, sample)

    def check(self, answer: str, where: str, sample: str) -> None:
        world, client = arrive(where)
        before = len(world.outcomes)
        client.send(sample.encode())
        heard, after = client.heard(), getattr(client.state, "value", "")
        if answer == "error":
            self.assertTrue(heard and all(map(is_error, heard)), (heard, where, sample))
            self.assertEqual((after, len(world.outcomes)), (where, before))
        elif answer in ("nothing", "late"):
            self.assertEqual((heard, after), ([], where), sample)
        elif answer in ("log in", "register"):
            self.assertEqual((heard, after), ([ACCEPTED], "pool" if answer == "log in" else "master"))
        elif answer == "hang up":
            world.host.wait(2)
            self.assertTrue(client.closed)
        else:
            ends = {
                "pass": "remote",
                "pool": "pool",
                "leave": "pool",
                "free": "outside",
                "rule": where,
                "put out": where,
            }
            expected = [left(1, "bob")] if answer == "put out" else []
            self.assertEqual((heard, after), (expected, ends[answer]), sample)

    def test_late_is_for_games_that_were(self) -> None:
        for where in ("outside", "pool", "over"):
            for sample in (move(2), thanks(2), leave(2), move("1.2")):
                _, client = arrive(where)
                heard = client.ask(sample)
                if where == "over" and sample != move(2) and sample != move("1.2"):
                    self.assertEqual((heard, getattr(client.state, "value", "")), ([], "pool"))
                else:
                    self.assertTrue(is_error(heard[0]), (where, sample))


class SettingsTests(SynchronousTestCase):
    def ask(self, settings: dict[str, str], said: str, address: str = "192.0.2.9") -> str:
        world = World({"paper-soccer.strict": "yes", **settings})
        client = world.host.connect("paper-soccer", address)
        [answer] = client.ask(said)
        return answer

    def test_programs_on_this_machine_may_be_masters(self) -> None:
        for masters, address, accepted in (
            ("no", "127.0.0.1", False),
            ("local", "127.0.0.1", True),
            ("local", "::1", True),
            ("local", "192.0.2.9", False),
            ("any", "192.0.2.9", True),
        ):
            answer = self.ask({"paper-soccer.masters": masters}, master_login(), address)
            self.assertEqual(answer, ACCEPTED if accepted else refused(2), (masters, address))

    def test_a_secret_at_the_end_of_the_id_is_not_kept(self) -> None:
        for name, accepted in (
            ("m#s3cret", True),
            ("m", False),
            ("m#", False),
            ("#s3cre", False),
            ("m#s3cretx", False),
        ):
            answer = self.ask({"paper-soccer.secret": "s3cret"}, master_login(name=name))
            self.assertEqual(answer, ACCEPTED if accepted else refused(2), name)
        self.assertEqual(self.ask({"paper-soccer.secret": "s3cret"}, master_login(name="#s3cret")), refused(1))
        world = World({"paper-soccer.secret": "s3cret"})
        world.master(name="m#s3cret")
        world.player("ann"), world.player("bob")
        [opening] = world.host.journal.openings.values()
        self.assertEqual([seat.name for seat in opening.seats], ["ann", "bob", "#m"])

    def test_ids_and_numbers_of_masters(self) -> None:
        """1 to 64 printable characters; plain whole numbers."""
        for name, number in (("", 1), ("x" * 65, 1), ("x" * 64, 0), ("\u00e4 b", 0), ("a&#9;b", 1)):
            self.assertEqual(self.ask({}, master_login(name=name)), refused(number) if number else ACCEPTED, name)
        for least, most, accepted in (
            *((2, 2, True), (2, 64, True), (1, 2, False), (3, 2, False), (2, 65, False), (2, 1, False)),
            *(
                (2, "02", False),
                (2, "+2", False),
                ("", 2, False),
                (" 2", 2, False),
                ("\u0662", 2, False),
                (2, "1e1", False),
            ),
        ):
            self.assertEqual(self.ask({}, master_login("nim", least, most)), ACCEPTED if accepted else refused(5))

    def test_types(self) -> None:
        """Those of the built-in game are the host's own; others must be well-formed."""
        for game_type in ("paper soccer", "Paper_Football", "PAPER-SOCCER"):
            self.assertEqual(self.ask({}, master_login(game_type)), refused(4))
        for game_type in ("", "a/b", "x" * 65, "a&#9;b", "a,b"):
            self.assertEqual(self.ask({"paper-soccer.types": "*"}, master_login(game_type)), refused(2), game_type)
            self.assertEqual(self.ask({"paper-soccer.types": "*"}, login("ann", game_type)), refused(2), game_type)
        for game_type in ("a b", "a_b-c.d:e", "\u00c4", "7", "x" * 64):
            self.assertEqual(self.ask({}, master_login(game_type)), ACCEPTED, game_type)
            self.assertEqual(self.ask({"paper-soccer.types": "*"}, login("ann", game_type)), ACCEPTED, game_type)
        for types, number in (("nim", 0), ("NIM", 0), ("go, nim", 0), ("go", 2)):
            answer = self.ask({"paper-soccer.types": types}, login("ann", "Nim"))
            self.assertEqual(answer, refused(number) if number else ACCEPTED, types)

    def test_names_of_the_built_in_game(self) -> None:
        """Those that are freed are like any other type."""
        settings = {"paper-soccer.native": "paper soccer"}
        self.assertEqual(self.ask(settings, master_login("paper_football")), ACCEPTED)
        self.assertEqual(self.ask(settings, master_login("paper soccer")), refused(4))
        self.assertEqual(self.ask(settings, login("ann", "paper-soccer")), refused(2))
        self.assertEqual(self.ask(settings, login("ann", "paper soccer")), ACCEPTED)

    def test_a_seat_in_the_built_in_game(self) -> None:
        """Its player can come back to it, and cannot play another game under the nick meanwhile."""
        world = World({"paper-soccer.types": "nim"})
        ann, bob = world.connect(), world.connect()
        ann.say(login("ann"))
        bob.say(login("bob"))
        bob.say(message("move", "<move><point x='0' y='1'/></move>"))
        ann.drop()
        again = world.connect()
        self.assertIn('<error id="1">', again.ask(login("ann", "nim"))[0])
        self.assertIn('<nextPlayer nick="ann"/>', again.ask(login("ann"))[1])

    def test_again(self) -> None:
        world = World({"paper-soccer.again": "yes"})
        ann, bob = world.connect(), world.connect()
        ann.say(login("ann"))
        bob.say(login("bob"))
        ann.say(leave(1))
        bob.heard()
        self.assertEqual(bob.ask(thanks(1)), [])
        ann.heard()
        self.assertEqual(len(ann.ask(login("ann"))), 2)
        self.assertEqual(len(bob.heard()), 1)
