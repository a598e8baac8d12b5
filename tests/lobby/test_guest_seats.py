"""Seats of guests on every wire that has no passwords: keys, lost seats without a key, and half-open connections."""

from collections.abc import Mapping
from itertools import product

from attrs import frozen
from twisted.trial.unittest import SynchronousTestCase

from tests.kit.memory_host import Client, MemoryHost

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


class GuestSeatTests(SynchronousTestCase):
    def log_in(self, host: MemoryHost, wire: str, name: str, address: str) -> Client:
        client = host.connect(wire, address)
        client.say(WIRES[wire].log_in.replace("NAME", name))
        return client

    def matched(self, wire: str, ann: str, bobs_address: str, strict: bool = False) -> tuple[MemoryHost, Client]:
        """A host at which ann, at home, plays with bob."""
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

    def test_without_a_key(self) -> None:
        """After three seconds, and not from the opponent's address."""
        for wire in WIRES:
            host, ann = self.matched(wire, "ann", AWAY)
            ann.drop()
            self.log_in(host, wire, "ann", HOME)
            self.assertIsNone(self.seat(host), wire)
            host.wait(3)
            self.log_in(host, wire, "ann", HOME)
            self.assertIsNotNone(self.seat(host), wire)
            host, ann = self.matched(wire, "ann", HOME)
            ann.drop()
            host.wait(3)
            self.log_in(host, wire, "ann", HOME)
            self.assertIsNone(self.seat(host), wire)

    def test_a_half_open_connection_is_replaced(self) -> None:
        """With the key, from the same address. The older connection is told why, and closed."""
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
        """It waits for an opponent no longer, and the newer one does."""
        host = MemoryHost(guarded=True)
        self.log_in(host, "onitama", "ann:secret", HOME)
        self.log_in(host, "onitama", "ann:secret", HOME)
        self.assertIsNone(self.seat(host))
        self.log_in(host, "onitama", "bob", AWAY)
        self.assertIsNotNone(self.seat(host))

    def test_after_a_restart(self) -> None:
        """The key is needed after a restart of the host, too."""
        host, _ = self.matched("onitama", "ann:secret", HOME)
        later = MemoryHost(guarded=True, journal=host.journal.restarted())
        self.log_in(later, "onitama", "ann", HOME)
        self.assertIsNone(self.seat(later))
        self.log_in(later, "onitama", "ann:secret", AWAY)
        self.assertIsNotNone(self.seat(later))

    def test_the_same_answer_before_and_after_a_restart(self) -> None:
        """Whoever asks for a lost seat, from wherever: what decides is in the match's record, and the three seconds."""
        for wire, bobs, ann, restarts in product(WIRES, (HOME, AWAY, LOOPBACK), ("ann", "ann:key"), (False, True)):
            anns = LOOPBACK if bobs == LOOPBACK else HOME
            for name, address, seconds in product(("ann", "ann:key", "ann:x"), (HOME, AWAY, LOOPBACK), (0.0, 2.9, 3.0)):
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

    def test_strict(self) -> None:
        """In strict mode there are no keys, and a seat is taken back at once, as the documents have it."""
        for wire in WIRES:
            host, ann = self.matched(wire, "ann", HOME, strict=True)
            ann.drop()
            self.log_in(host, wire, "ann:secret", HOME)
            self.assertIsNone(self.seat(host), wire)
            self.log_in(host, wire, "ann", HOME)
            self.assertIsNotNone(self.seat(host), wire)

    def test_the_reserve(self) -> None:
        """With all other connections taken by strangers, a player comes back, and strangers get none of the reserve."""
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
    """Refusals that tell which names are accounts, or that a key is wrong."""

    TOO_MANY = "too many names or keys were tried from your address: try again later"

    def host(self, failures: int = 2, names: int = 1000) -> MemoryHost:
        """A host with the account `ann` and the guest `bob`, who has a key. By default an address may fail twice an hour."""
        host = MemoryHost({"limits.failures_per_hour": f"{failures}", "limits.guest_names_per_hour": f"{names}"})
        account = host.connect("stratego-lines", HOME)
        account.say("ann", "canary")
        host.settle()
        host.connect("onitama", HOME).say("LOGIN|bob:right")
        self.assertIsNotNone(host.lobby.registry.get("bob"))
        self.assertIsNotNone(host.journal.find("ann"))
        return host

    def refusals(self, host: MemoryHost, address: str, *names: str) -> list[str]:
        """What the client at this address is told for each of these names."""
        return ["".join(host.connect("onitama", address).ask(f"LOGIN|{name}")) for name in names]

    def test_names_of_accounts(self) -> None:
        """The third refusal says only that there were too many, to a free name as well. Other addresses are not affected."""
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
        host.settle()
        self.assertTrue(any("auth-ok" in line for line in owner.heard()))
        for _ in range(2):
            guesser = host.connect("stratego-lines", "203.0.113.1")
            guesser.say("ann", "wrong")
            host.settle()
        self.assertIn("belongs to an account", *self.refusals(host, "203.0.113.1", "ann"))

    def test_wrong_keys(self) -> None:
        """They count, too; a name without a key does not."""
        host = self.host()
        plain = self.refusals(host, AWAY, *["bob"] * 5)
        self.assertNotIn(self.TOO_MANY, "".join(plain))
        *_, second, third = self.refusals(host, AWAY, "bob:1", "bob:2", "bob:3")
        self.assertIn("in use", second)
        self.assertIn(self.TOO_MANY, third)
        self.assertIn(self.TOO_MANY, *self.refusals(host, AWAY, "ann"))

    def test_a_free_name_and_one_of_an_account_get_the_same_answer(self) -> None:
        """On every wire with guests, when the address has used up its refusals, or its new names."""
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
