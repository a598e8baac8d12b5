"""Sessions and the seats of guests: each name has one, and who may take it back, on every wire that has no passwords."""

from collections.abc import Mapping
from itertools import islice, product
from types import SimpleNamespace
from typing import Any

from attrs import define, field, frozen
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.names import NameFault, NameRefused, checked_name, name_of
from gamehost.games.base import Seat
from gamehost.games.onitama.master import ONITAMA
from gamehost.journal.records import TableId
from gamehost.lobby.membership import Membership
from gamehost.lobby.queues import Queues
from gamehost.lobby.seats import duration
from gamehost.lobby.sessions import Queue, ResumePolicy, Session, SessionIndex, SessionRegistry, split_key
from gamehost.tables.context import PLAYING
from tests import share
from tests.kit.memory_host import Client, MemoryHost

ANN: Any = object()
OTHER: Any = object()


def enter(
    registry: SessionRegistry,
    text: str,
    wire: str,
    address: str,
    player: Any,
    strict: bool = False,
    given: bool = False,
) -> tuple[Session, Any]:
    """A guest's log-in, as of the lobby. A name that the host has given is not checked."""
    name, key_digest = (text, "") if strict else split_key(text)
    called = name_of(name) if given else checked_name(name)
    return registry.enter(called, key_digest, wire, address, player, strict, given=given)


class GuestTests(SynchronousTestCase):
    def away(self, resume: ResumePolicy, account: bool = False) -> tuple[SessionRegistry, Session]:
        registry = SessionRegistry(resume)
        session = Session(name_of("ann"), "w", "x", account, None)
        registry.sessions.add(session)
        return registry, session

    def refused(self, registry: SessionRegistry, name: str = "ann", wire: str = "w", address: str = "x") -> NameRefused:
        before = len(registry), registry.get(name), getattr(registry.get(name), "player", None)
        refusal: NameRefused = self.assertRaises(NameRefused, enter, registry, name, wire, address, OTHER)
        self.assertEqual((len(registry), registry.get(name), getattr(registry.get(name), "player", None)), before)
        return refusal

    def test_a_new_session(self) -> None:
        registry = SessionRegistry(ResumePolicy.SAME_ADDRESS)
        session, _ = enter(registry, "Ann", "w", "x", ANN)
        self.assertEqual((session.name, session.key, session.wire, session.address), ("Ann", "ann", "w", "x"))
        self.assertEqual((session.account, session.table, session.seat), (False, None, None))
        self.assertIs(session.player, ANN)
        self.assertIs(registry.get("ANN"), session)
        self.assertIs(registry.get("bob"), None)
        self.assertEqual(len(registry), 1)

    def test_a_bad_name_has_no_session(self) -> None:
        registry = SessionRegistry(ResumePolicy.ANY)
        self.assertIs(self.refused(registry, "a b").fault, NameFault.INVALID)
        self.assertEqual(len(registry), 0)

    def test_names_that_the_host_gives(self) -> None:
        """Nobody else takes one. Whoever had such a name before comes back to the seat."""
        registry, session = self.away(ResumePolicy.ANY)
        for name in ("..", "guest.7", "easy.3.1"):
            self.assertIs(self.refused(registry, name).fault, NameFault.INVALID)
            enter(registry, name, "w", "x", ANN, given=True)
        session.name, session.key = "guest.9", "guest.9"
        registry.sessions.add(session)
        self.assertIs(enter(registry, "Guest.9", "w", "x", ANN)[0], session)
        house = registry.enter_house(name_of("easy.1.1"), "w")
        self.assertIs(self.refused(registry, house.name).fault, NameFault.TAKEN)

    def test_a_present_player_keeps_the_name(self) -> None:
        for resume in ResumePolicy:
            registry = SessionRegistry(resume)
            enter(registry, "ann", "w", "x", ANN)
            self.assertIs(self.refused(registry, "Ann").fault, NameFault.TAKEN)

    def test_a_reserved_name(self) -> None:
        registry = SessionRegistry(ResumePolicy.ANY, lambda key: key == "ann")
        self.assertIs(self.refused(registry, "ＡＮＮ").fault, NameFault.TAKEN)
        self.assertIs(enter(registry, "bob", "w", "x", ANN)[0].player, ANN)

    def test_taken_back(self) -> None:
        for resume in (ResumePolicy.SAME_ADDRESS, ResumePolicy.ANY):
            registry, session = self.away(resume)
            self.assertIs(enter(registry, "ANN", "w", "x", ANN)[0], session)
            self.assertIs(session.player, ANN)
            self.assertEqual((session.name, len(registry)), ("ann", 1))

    def test_from_elsewhere(self) -> None:
        """Another address may take it back where the owner allows any, and is the session's address from then on."""
        registry, session = self.away(ResumePolicy.ANY)
        self.assertIs(enter(registry, "ann", "w", "y", ANN)[0], session)
        self.assertEqual(session.address, "y")

    def test_not_taken_back(self) -> None:
        for resume, account, wire, address in (
            (ResumePolicy.SAME_ADDRESS, False, "w", "y"),
            (ResumePolicy.ANY, False, "v", "x"),
            (ResumePolicy.NEVER, False, "w", "x"),
            (ResumePolicy.ANY, True, "w", "x"),
        ):
            registry, session = self.away(resume, account)
            self.assertIs(self.refused(registry, wire=wire, address=address).fault, NameFault.TAKEN)
            self.assertEqual(session.address, "x")

    def test_durations_are_said_in_their_largest_unit(self) -> None:
        for seconds, words in (
            (86_399, "23 h"),
            (3600, "1 h"),
            (3599, "59 min"),
            (60, "1 min"),
            (59.9, "60 s"),
            (-1, "0 s"),
        ):
            self.assertEqual(duration(seconds), words)

    def test_forgotten(self) -> None:
        registry = SessionRegistry(ResumePolicy.NEVER)
        first, _ = enter(registry, "ann", "w", "x", ANN)
        registry.forget(first)
        self.assertEqual(len(registry), 0)
        second, _ = enter(registry, "ANN", "v", "y", OTHER)
        registry.forget(first)
        self.assertIs(registry.get("ann"), second)


class GuestSeatTests(SynchronousTestCase):
    """Who may take a guest's seat back: with a key, without one, and on a wire that has none."""

    def setUp(self) -> None:
        self.now = 100.0
        self.registry = SessionRegistry(ResumePolicy.SAME_ADDRESS, seconds=lambda: self.now, keyless_wait=3.0)

    def seated(self, ann: str = "ann", bob: str = "bob", bobs_address: str = "y") -> Session:
        sessions = [enter(self.registry, ann, "w", "x", ANN)[0], enter(self.registry, bob, "w", bobs_address, OTHER)[0]]
        table: Any = SimpleNamespace(addresses=tuple(one.address for one in sessions), id=1, phase=PLAYING)
        for seat, session in enumerate(sessions):
            session.table, session.seat, session.match = table, Seat(seat), sessions
        return sessions[0]

    def lose(self, session: Session) -> None:
        session.player, session.away_since = None, self.now

    def comes_back(self, text: str, address: str = "x", strict: bool = False, wire: str = "w") -> str:
        try:
            enter(self.registry, text, wire, address, ANN, strict)
        except NameRefused as refusal:
            return str(refusal)
        return ""

    def test_addresses_of_this_machine_are_one(self) -> None:
        for first, second in (("127.0.0.1", "::1"), ("::1", "127.0.0.1"), ("127.0.0.1", "::ffff:127.0.0.1")):
            registry = SessionRegistry(ResumePolicy.SAME_ADDRESS)
            session, _ = enter(registry, "ann", "w", first, ANN)
            session.player = None
            self.assertIs(enter(registry, "ann", "w", second, OTHER)[0], session)
        for first, second in (("127.0.0.1", "192.0.2.1"), ("", "127.0.0.1"), ("192.0.2.1", "192.0.2.2")):
            registry = SessionRegistry(ResumePolicy.SAME_ADDRESS)
            enter(registry, "ann", "w", first, ANN)[0].player = None
            with self.assertRaisesRegex(NameRefused, "cannot be taken back from here"):
                enter(registry, "ann", "w", second, OTHER)

    def test_a_key_is_needed_and_never_shown(self) -> None:
        session = self.seated("Ann:canary")
        self.assertEqual(session.name, "Ann")
        self.assertNotIn("canary", repr(session) + session.key_digest)
        self.lose(session)
        for text in ("ann", "ann:Canary", "ann:canary ", "ann:x"):
            refusal = self.comes_back(text)
            self.assertIn("log in with the key", refusal)
            self.assertNotIn("anary", refusal)
        self.assertEqual(self.comes_back("ann:canary", "z"), "")
        self.assertEqual(session.address, "z")

    def test_never_means_never(self) -> None:
        """Where the owner of the host allows no resuming, a key does not help."""
        self.registry = SessionRegistry(ResumePolicy.NEVER)
        self.lose(self.seated("ann:secret"))
        self.assertIn("cannot be taken back", self.comes_back("ann:secret"))

    def test_a_half_open_connection_is_replaced(self) -> None:
        session = self.seated("ann:secret")
        for text, address, wire in (
            ("ann", "x", "w"),
            ("ann:x", "x", "w"),
            ("ann:secret", "z", "w"),
            ("ann:secret", "x", "v"),
        ):
            self.assertEqual(self.comes_back(text, address, wire=wire), "this name is in use")
        newer: Any = object()
        self.assertEqual(enter(self.registry, "ann:secret", "w", "x", newer), (session, ANN))
        self.assertIs(session.player, newer)
        self.assertEqual(self.comes_back("bob:secret", "y"), "this name is in use")

    def test_without_a_key_after_three_seconds(self) -> None:
        """Whoever shares the address cannot take the seat in the instant in which it is lost."""
        session = self.seated()
        self.lose(session)
        self.assertIn("try again in 3 s", self.comes_back("ann"))
        self.now += 2.5
        self.assertIn("try again in 1 s", self.comes_back("ann:now-with-a-key"))
        self.now += 0.5
        self.assertIn("cannot be taken back", self.comes_back("ann", "z"))
        self.assertEqual(self.comes_back("ann"), "")

    def test_another_player_of_the_match_has_the_address(self) -> None:
        """It may be that player who asks: the seat is kept, and can be taken back with a key only."""
        session = self.seated(bobs_address="x")
        self.lose(session)
        self.now += 60
        self.assertIn("another player of the match has the same address", self.comes_back("ann"))
        bob = session.match[1]
        self.lose(bob)
        self.assertIn("another player of the match has the same address", self.comes_back("ann"))

    def test_networks_of_one_customer(self) -> None:
        """Another player of the match may have any address of the same IPv6 network of 64 bits."""
        enter(self.registry, "ann", "w", "2001:db8::1", ANN)
        session = self.seated("carl", bobs_address="2001:db8::2")
        session.table = SimpleNamespace(addresses=("2001:db8::1", "2001:db8::2"), id=1, phase=PLAYING)  # type: ignore[assignment]
        self.lose(session)
        self.now += 60
        self.assertIn("another player of the match", self.comes_back("carl", "2001:db8::1"))

    def test_the_record_decides(self) -> None:
        """Where players have come back from since then counts for nothing: after a restart it is not known either."""
        session = self.seated(bobs_address="y")
        self.registry.sessions.move(session, "z")
        self.registry.sessions.move(session.match[1], "x")
        self.lose(session)
        self.now += 60
        self.assertIn("cannot be taken back", self.comes_back("ann", "z"))
        self.assertEqual(self.comes_back("ann"), "")

    def test_nobody_is_away_before_the_ports_open(self) -> None:
        """The three seconds begin then: the owner could not come earlier."""
        self.lose(self.seated())
        self.now += 60
        self.registry.ports_open()
        self.assertIn("try again in 3 s", self.comes_back("ann"))
        self.now += 3
        self.assertEqual(self.comes_back("ann"), "")

    def test_at_this_machine_itself(self) -> None:
        """Both players may be one person who tries the host out: the address says nothing, and nobody waits."""
        enter(self.registry, "ann", "w", "127.0.0.1", ANN)
        session = self.seated("carl", bobs_address="127.0.0.1")
        session.table = SimpleNamespace(addresses=("127.0.0.1",) * 2, id=1, phase=PLAYING)  # type: ignore[assignment]
        self.lose(session)
        self.assertEqual(self.comes_back("carl", "127.0.0.1"), "")

    def test_strict_wires_know_no_keys(self) -> None:
        """A colon is no letter of a name there, and a seat is taken back at once, by its address."""
        self.assertIn("a name has 1 to 20 letters", self.comes_back("ann:secret", strict=True))
        session = self.seated(bobs_address="x")
        self.lose(session)
        self.assertEqual(self.comes_back("ann", strict=True), "")

    def test_what_is_no_key(self) -> None:
        for text in ("ann:", "ann:" + "x" * 65, "ann:a\x00b", "ann:\ud800"):
            self.assertIn("has 1 to 64 characters", self.comes_back(text))
        self.assertEqual(self.comes_back("ann:" + "ž:" * 32), "")


class AccountSessionTests(SynchronousTestCase):
    def test_whoever_has_the_password_has_the_session(self) -> None:
        registry = SessionRegistry(ResumePolicy.NEVER)
        session, displaced = registry.enter_account(name_of("Ann"), "w", "x", ANN)
        self.assertEqual((session.name, session.account, session.player, displaced), ("Ann", True, ANN, None))
        self.assertIs(registry.get("ann"), session)
        self.assertEqual(registry.enter_account(name_of("Ann"), "w", "y", OTHER), (session, ANN))
        self.assertEqual((session.player, session.address), (OTHER, "y"))
        session.player = None
        self.assertEqual(registry.enter_account(name_of("Ann"), "w", "y", OTHER), (session, None))

    def test_a_guest_s_name_is_the_guest_s(self) -> None:
        registry = SessionRegistry(ResumePolicy.ANY)
        held, _ = enter(registry, "ann", "v", "x", ANN)
        self.assertTrue(registry.is_guest("ann"))
        for player in (ANN, None):
            held.player = player
            refusal = self.assertRaises(NameRefused, registry.enter_account, name_of("Ann"), "v", "x", OTHER)
            self.assertIs(refusal.fault, NameFault.TAKEN)
            self.assertIs(held.player, player)
        held.account = True
        self.assertFalse(registry.is_guest("ann"))
        self.assertRaises(NameRefused, registry.enter_account, name_of("Ann"), "w", "x", OTHER)
        self.assertFalse(registry.is_guest("bob"))


def session(name: str, address: str, seated: bool = True) -> Session:
    made = Session(name_of(name), "onitama", address, False, None)
    made.asleep = TableId(1) if seated else None
    return made


class SessionIndexTests(SynchronousTestCase):
    def test_by_name(self) -> None:
        index = SessionIndex()
        first, second = session("ann", "192.0.2.1"), session("ANN", "192.0.2.2")
        index.add(first)
        index.add(second)
        index.remove(first)
        self.assertEqual((len(index), index.by_key.get("ann")), (1, second))
        index.remove(second)
        self.assertEqual((len(index), index.by_key.get("ann")), (0, None))

    def test_seats_at_an_address(self) -> None:
        """Sessions with a seat count, where their players were last."""
        index = SessionIndex()
        ann = session("ann", "2001:db8::1")
        index.add(ann)
        index.add(session("bob", "2001:db8::2"))
        index.add(session("carl", "2001:db8::3", seated=False))
        self.assertEqual(index.seats_at("2001:db8::/64"), 2)
        index.move(ann, "192.0.2.1")
        self.assertEqual((index.seats_at("2001:db8::/64"), index.seats_at("192.0.2.1")), (1, 1))
        index.remove(ann)
        self.assertEqual(index.seats_at("192.0.2.1"), 0)


@define(eq=False)
class Told(Membership):
    calls: list[tuple[Any, ...]] = field(factory=list)
    elsewhere: set[str] = field(factory=set)

    def is_elsewhere(self, key: str) -> bool:
        return key in self.elsewhere

    def freed(self, key: str) -> None:
        self.calls.append(("freed", key))

    def waits(self, session: Session, queue: tuple[str, str]) -> None:
        self.calls.append(("waits", session.name, queue))

    def waits_no_longer(self, session: Session) -> None:
        self.calls.append(("waits no longer", session.name))


class MembershipTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.told = Told()
        self.registry = SessionRegistry(ResumePolicy.ANY, membership=self.told)

    def enter(self, name: str) -> Session:
        player: Any = object()
        return enter(self.registry, name, "onitama", "192.0.2.1", player)[0]

    def test_a_name_elsewhere(self) -> None:
        self.told.elsewhere.add("ann")
        player: Any = object()
        for enter in (
            lambda: self.enter("Ann"),
            lambda: self.registry.enter_account(name_of("Ann"), "onitama", "192.0.2.1", player),
        ):
            self.assertEqual(str(self.assertRaises(NameRefused, enter)), "this name is in use")
        self.assertEqual(len(self.registry), 0)

    def test_a_name_here(self) -> None:
        session = self.enter("ann")
        self.told.elsewhere.add("ann")
        session.player = None
        self.assertIs(self.enter("ann"), session)

    def test_a_free_name(self) -> None:
        self.registry.forget(self.enter("Ann"))
        self.assertEqual(self.told.calls, [("freed", "ann")])

    def test_queues(self) -> None:
        queues, key = Queues(Clock(), self.told, lambda session: None), Queue(ONITAMA, "a wire").key
        ann, bob = self.enter("ann"), self.enter("bob")
        queues.join(key, ann, None)
        queues.join(key, ann, None)
        queues.leave(bob)
        queues.leave(ann)
        self.assertEqual(self.told.calls, [("waits", "ann", ("onitama", "a wire")), ("waits no longer", "ann")])


HOME, AWAY, LOOPBACK = "192.0.2.1", "198.51.100.7", "127.0.0.1"


@frozen
class Words:
    """What a client says: to log in, with the name in it, and then to open and to join a table."""

    log_in: str
    opens: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()


WIRES: Mapping[str, Words] = {
    "onitama": Words("LOGIN|NAME"),
    "stratego-frames": Words('Sign On "NAME"'),
    "paper-soccer": Words('<message type="playerLogin"><playerLogin nick="NAME" gameType="paper soccer"/></message>'),
    "eriantys": Words(
        '{"type":"LoginMessage","nickname":"NAME"}',
        ('{"type":"SetGame","numberOfPlayers":2,"expertMode":false}',),
        ('{"type":"JoinAvailableGame","gameId":1}',),
    ),
}


class LostSeatTests(SynchronousTestCase):
    def log_in(self, host: MemoryHost, wire: str, name: str, address: str) -> Client:
        client = host.connect(wire, address)
        client.say(WIRES[wire].log_in.replace("NAME", name))
        return client

    def matched(self, wire: str, ann: str, bobs_address: str, strict: bool = False) -> tuple[MemoryHost, Client]:
        host = MemoryHost(guarded=True, strict=strict)
        clients = [self.log_in(host, wire, ann, HOME), self.log_in(host, wire, "bob", bobs_address)]
        for client, lines in zip(clients, (WIRES[wire].opens, WIRES[wire].joins), strict=True):
            client.say(*lines) if lines else None
        self.assertIsNotNone(self.seat(host), wire)
        return host, clients[0]

    def seat(self, host: MemoryHost) -> object:
        session = host.lobby.registry.get("ann")
        return None if session is None or session.player is None else session.table

    def test_with_a_key(self) -> None:
        """At once, from anywhere, with the opponent at the same address; without the key never. It is shown to nobody."""
        for wire in WIRES:
            host, ann = self.matched(wire, "ann:canary", HOME)
            ann.drop()
            for name in ("ann", "ann:x"):
                thief = self.log_in(host, wire, name, HOME)
                self.assertIsNone(self.seat(host), wire)
                self.assertIn("key", " ".join(thief.heard()), wire)
            again = self.log_in(host, wire, "ann:canary", AWAY)
            self.assertIsNotNone(self.seat(host), wire)
            self.assertNotIn("canary", " ".join(again.heard()), wire)
            self.assertNotIn("canary", repr(host.journal.openings))

    def test_a_half_open_connection_is_replaced(self) -> None:
        for wire in WIRES:
            host, ann = self.matched(wire, "ann:secret", AWAY)
            ann.heard()
            again = self.log_in(host, wire, "ann:secret", HOME)
            self.assertIn("you have logged in again elsewhere", " ".join(ann.heard()), wire)
            host.wait(3)
            self.assertTrue(ann.closed, wire)
            self.assertIsNotNone(self.seat(host), wire)
            self.assertFalse(again.closed, wire)

    def test_a_half_open_connection_that_waits_is_replaced(self) -> None:
        host = MemoryHost(guarded=True)
        self.log_in(host, "onitama", "ann:secret", HOME)
        self.log_in(host, "onitama", "ann:secret", HOME)
        self.assertIsNone(self.seat(host))
        self.log_in(host, "onitama", "bob", AWAY)
        self.assertIsNotNone(self.seat(host))

    def test_the_same_answer_before_and_after_a_restart(self) -> None:
        """Whoever asks for a lost seat, from wherever: what decides is in the match's record, and the three seconds."""
        everywhere, names = (HOME, AWAY, LOOPBACK), ("ann", "ann:key", "ann:x")
        cases = product(WIRES, everywhere, names[:2], (False, True), names, everywhere, (0.0, 2.9, 3.0))
        for wire, bobs, ann, restarts, name, address, seconds in islice(cases, 0, None, share(5, 1)):
            anns = LOOPBACK if bobs == LOOPBACK else HOME
            host = MemoryHost(guarded=True)
            clients = [self.log_in(host, wire, ann, anns), self.log_in(host, wire, "bob", bobs)]
            for client, lines in zip(clients, (WIRES[wire].opens, WIRES[wire].joins), strict=True):
                client.say(*lines) if lines else None
            clients[0].drop()
            if restarts:
                host = MemoryHost(guarded=True, journal=host.journal.restarted())
            host.wait(seconds)
            self.log_in(host, wire, name, address)
            keyed = ann != "ann"
            near = address == anns and (anns != bobs or anns == LOOPBACK)
            waited = seconds >= 3 or address == LOOPBACK  # on this machine nobody waits
            expected = name == ann if keyed else near and waited
            case = (wire, bobs, ann, restarts, name, address, seconds)
            self.assertEqual(self.seat(host) is not None, expected, case)

    def test_there_are_no_keys_in_strict_mode(self) -> None:
        for wire in WIRES:
            host, ann = self.matched(wire, "ann", HOME, strict=True)
            ann.drop()
            self.log_in(host, wire, "ann:secret", HOME)
            self.assertIsNone(self.seat(host), wire)
            self.log_in(host, wire, "ann", HOME)
            self.assertIsNotNone(self.seat(host), wire)

    def test_the_reserve(self) -> None:
        host = MemoryHost({"limits.connections": "20"})
        ann = self.log_in(host, "onitama", "ann", HOME)
        self.log_in(host, "onitama", "bob", AWAY)
        self.assertIsNotNone(self.seat(host))
        ann.drop()
        for number in range(18):
            host.connect("onitama", f"203.0.113.{number}")
        self.assertEqual(host.context.limiter.refused, 0)
        host.connect("onitama", "203.0.113.99")
        self.assertEqual(host.context.limiter.refused, 1)
        self.log_in(host, "onitama", "ann", HOME)
        self.assertIsNotNone(self.seat(host))


class GuessingTests(SynchronousTestCase):
    TOO_MANY = "too many names or keys were tried from your address: try again later"

    def host(self, failures: int = 2, names: int = 1000) -> MemoryHost:
        """A host with the account `ann` and the guest `bob`, who has a key. By default an address may fail twice an hour."""
        host = MemoryHost({"limits.failures_per_hour": f"{failures}", "limits.guest_names_per_hour": f"{names}"})
        account = host.connect("stratego-lines", HOME)
        account.say("ann", "canary")
        host.until_idle()
        host.connect("onitama", HOME).say("LOGIN|bob:right")
        self.assertIsNotNone(host.lobby.registry.get("bob"))
        self.assertIsNotNone(host.journal.find("ann"))
        return host

    def refusals(self, host: MemoryHost, address: str, *names: str) -> list[str]:
        return ["".join(host.connect("onitama", address).ask(f"LOGIN|{name}")) for name in names]

    def test_names_of_accounts(self) -> None:
        host = self.host()
        first, second, third = self.refusals(host, AWAY, "ann", "ANN", "ann")
        self.assertIn("belongs to an account", first)
        self.assertIn("belongs to an account", second)
        self.assertIn(self.TOO_MANY, third)
        self.assertIn("belongs to an account", *self.refusals(host, "203.0.113.1", "ann"))
        self.assertEqual(self.refusals(host, AWAY, "carl"), [third])
        self.assertIsNone(host.lobby.registry.get("carl"))
        host.wait(3600)
        self.assertNotIn("too many", *self.refusals(host, AWAY, "carl"))
        self.assertIsNotNone(host.lobby.registry.get("carl"))
        self.assertIn("belongs to an account", *self.refusals(host, AWAY, "ann"))

    def test_refused_guests_keep_no_owner_waiting(self) -> None:
        """Names and keys that guests try do not count as failed log-ins of those who have a password, nor the other way."""
        host = self.host()
        self.assertIn(self.TOO_MANY, self.refusals(host, AWAY, "ann", "ann", "ann")[-1])
        owner = host.connect("stratego-lines", AWAY)
        owner.say("ann", "canary")
        host.until_idle()
        self.assertTrue(any("auth-ok" in line for line in owner.heard()))
        for _ in range(2):
            guesser = host.connect("stratego-lines", "203.0.113.1")
            guesser.say("ann", "wrong")
            host.until_idle()
        self.assertIn("belongs to an account", *self.refusals(host, "203.0.113.1", "ann"))

    def test_wrong_keys_count_and_names_without_a_key_do_not(self) -> None:
        host = self.host()
        plain = self.refusals(host, AWAY, *["bob"] * 5)
        self.assertNotIn(self.TOO_MANY, "".join(plain))
        *_, second, third = self.refusals(host, AWAY, "bob:1", "bob:2", "bob:3")
        self.assertIn("in use", second)
        self.assertIn(self.TOO_MANY, third)
        self.assertIn(self.TOO_MANY, *self.refusals(host, AWAY, "ann"))

    def test_a_free_name_and_one_of_an_account_get_the_same_answer(self) -> None:
        says = {wire: words.log_in for wire, words in WIRES.items()}
        says |= {"open": '{"do":"enter","name":"NAME"}', "console": "name NAME"}
        for (wire, log_in), (failures, names) in product(says.items(), ((1, 1000), (1000, 2))):
            host = self.host(failures, names)

            def answer(name: str, address: str, wire: str = wire, log_in: str = log_in, host: MemoryHost = host) -> str:
                client = host.connect(wire, address)
                client.heard()
                return " ".join(client.ask(log_in.replace("NAME", name)))

            self.assertIn("account", answer("ann", AWAY), wire)
            if names == 2:
                self.assertNotIn(self.TOO_MANY, answer("carl", AWAY), wire)
            of_account, free = answer("ann", AWAY), answer("dora", AWAY)
            self.assertIn(self.TOO_MANY.partition(" ")[2], of_account, wire)
            self.assertEqual(of_account.replace("ann", "dora"), free, wire)
            self.assertIsNone(host.lobby.registry.get("dora"), wire)
            self.assertIn("account", answer("ann", "203.0.113.1"), wire)

    def test_who_is_not_affected(self) -> None:
        """A guest who comes back to a seat; this machine's own address; guests to whom the host gives their names."""
        host = self.host(failures=1, names=2)
        for name, address in (("carl:key", AWAY), ("dora", HOME)):
            host.connect("onitama", address).say(f"LOGIN|{name}")
        self.refusals(host, AWAY, "ann")
        self.assertIn(self.TOO_MANY, *self.refusals(host, AWAY, "erin"))
        self.refusals(host, AWAY, "carl:key")
        self.assertEqual(host.lobby.log_ins.counts["onitama", "guest", "replaced"], 1)
        for number in range(5):
            self.assertNotIn(self.TOO_MANY, *self.refusals(host, LOOPBACK, f"local{number}"))
        self.assertIn("You are", " ".join(host.connect("console", AWAY).ask("play onitama")))
