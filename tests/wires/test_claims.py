"""What log-ins claim."""

from collections.abc import Mapping
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.games.onitama.master import ONITAMA
from gamehost.lobby.queue import Queue
from gamehost.testing.wire_claims import claims_of
from gamehost.wires.claims import claim_of_account, claim_of_guest
from gamehost.wires.conversation import Claim
from gamehost.wires.open.house import HouseConversation
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.wires.open_case import line
from tests.kit.wires.paper_soccer_talk import leave, login, message, thanks
from tests.kit.wires.remote_talk import OPEN, master_login

LEADER = "for the leader"

Claimed = tuple[str, str | None]


class ClaimTests(SynchronousTestCase):
    """Names with and without keys."""

    def test_guests(self) -> None:
        """A key is not part of the name. In strict mode there are no keys."""
        queue = Queue(ONITAMA)
        self.assertEqual(claim_of_guest("Ann", queue), Claim("Ann", queue))
        self.assertEqual(claim_of_guest("Ann:secret", queue), Claim("Ann", queue))
        for text in ("ann:", "no/such name", "", "a:b\x07"):
            self.assertIsNone(claim_of_guest(text, queue), text)
        self.assertEqual(claim_of_guest("ann", strict=True), Claim("ann"))
        self.assertIsNone(claim_of_guest("ann:secret", strict=True))

    def test_accounts(self) -> None:
        """A name with a colon is none."""
        self.assertEqual(claim_of_account("Ann"), Claim("Ann"))
        self.assertIsNone(claim_of_account("ann:secret"))
        self.assertIsNone(claim_of_account("tie"))

    def test_normal_form(self) -> None:
        """The name is in the form that sessions have."""
        self.assertEqual(claim_of_account("e\u0301a"), Claim("\u00e9a"))


class WireTests(SynchronousTestCase):
    """What the wires claim, besides the names of first log-ins, which the contract tests."""

    def connect(self, wire: str, settings: Mapping[str, str] = {}, strict: bool = False) -> Client:
        host = MemoryHost({"limits.unlimited": "yes", **settings}, strict=strict)
        return self.watched(host.connect(wire))

    def watched(self, client: Client) -> Client:
        """Ask what is claimed on this connection, from now on."""
        self.claims = claims_of(client.protocol._conversation)
        return client

    def claimed(self, client: Client, *said: str | bytes) -> list[Claimed]:
        """What is claimed by these messages: each name, and the pool of its queue, or that it is for the leader."""
        self.claims.clear()
        for one in said:
            if isinstance(one, bytes):
                client.send(one)
            else:
                client.say(one)
        return [(claim.name, self.where(claim)) for claim in self.claims]

    def where(self, claim: Claim) -> str | None:
        """The pool of a claim's queue; `None`: it has no queue."""
        if claim.for_leader:
            self.assertIsNone(claim.queue)
            return LEADER
        return None if claim.queue is None else f"{claim.queue.game.name} {claim.queue.pool}".rstrip()

    def test_onitama(self) -> None:
        """Keys, strict mode and separate tables; and a move that crossed the end, which is not heard, claims nothing."""
        self.assertEqual(self.claimed(self.connect("onitama"), "LOGIN|Ann:key"), [("Ann", "onitama")])
        self.assertEqual(self.claimed(self.connect("onitama", strict=True), "LOGIN|Ann:key"), [])
        separate = self.connect("onitama", {"onitama.separate": "yes"})
        self.assertEqual(self.claimed(separate, "LOGIN|ann"), [("ann", "onitama onitama")])
        bob = separate.world.connect("onitama")
        bob.say("LOGIN|bob", "RESIGN")
        self.assertEqual(self.claimed(separate, "MAKE_MOVE|ox|c1|c2", "LOGIN|carl"), [("carl", "onitama onitama")])

    def test_onitama_final(self) -> None:
        """A name that the clients cannot show claims nothing."""
        client = self.connect("onitama-final")
        for name in ("a" * 11, "ann:key", " ann", "e\u0301"):
            self.assertEqual(self.claimed(client, f"LOGIN|{name}"), [], name)
        self.assertEqual(self.claimed(client, "LOGIN|" + "a" * 10), [("a" * 10, "onitama")])

    def test_stratego_frames(self) -> None:
        """After a match it is claimed again."""
        client = self.connect("stratego-frames")
        self.assertEqual(self.claimed(client, b"*\x01\0\0\0\x03\0\x05\xff"), [])
        self.assertEqual(self.claimed(client, 'Sign On "ann"'), [("ann", "stratego")])
        client.world.connect("stratego-frames").say('Sign On "bob"', "Resign")
        self.assertEqual(self.claimed(client, "Move (0,3) (0,4)", 'Sign On "Ann"'), [("Ann", "stratego")])

    def test_stratego_lines(self) -> None:
        """The line with the name claims, and not the one with the password; nor a call for help, or another protocol."""
        client = self.connect("stratego-lines")
        self.assertEqual(self.claimed(client, "help", "", "ann"), [("ann", "stratego")])
        self.assertEqual(self.claimed(client, "", "bob", "secret"), [("bob", "stratego")])
        self.assertEqual(self.claimed(self.connect("stratego-lines"), "SSH-x"), [])
        self.assertEqual(len(self.claimed(self.connect("stratego-lines", strict=True), "SSH-x")), 1)

    def test_paper_soccer(self) -> None:
        """After a match it is claimed again. What is no type of game is refused by every host."""
        client = self.connect("paper-soccer")
        self.assertEqual(self.claimed(client, login("ann", "no/type")), [])
        self.assertEqual(self.claimed(client, login("ann:key")), [("ann", "paper-soccer")])
        client.world.connect("paper-soccer").say(login("bob"), leave())
        self.assertEqual(self.claimed(client, login("carl")), [("carl", "paper-soccer")])
        self.assertEqual(self.claimed(client, thanks(), message("logout"), login("ann")), [("ann", "paper-soccer")])

    def test_remote_games(self) -> None:
        """They are at the leader, with their masters, who have no names."""
        client = self.connect("paper-soccer", {**OPEN, "paper-soccer.types": "nim"})
        self.assertEqual(self.claimed(client, login("ann", "chess")), [("ann", LEADER)], "the leader may know the type")
        self.assertEqual(self.claimed(client, login("ann", "Nim")), [("ann", LEADER)])
        self.assertEqual(self.claimed(client, login("bob", "nim")), [("bob", LEADER)])
        self.assertEqual(self.claimed(client, login("bob")), [("bob", "paper-soccer")])
        master = self.watched(client.world.connect("paper-soccer"))
        self.assertEqual(self.claimed(master, master_login("paper soccer"), master_login(least=1)), [])
        self.assertEqual(self.claimed(master, master_login()), [("", LEADER)])
        local = self.connect("paper-soccer")
        self.assertEqual(self.claimed(local, master_login()), [], "masters may not register from there")

    def test_championships(self) -> None:
        """They are at the leader, those in the built-in game too."""
        for game_type, other in (("paper soccer", "nim"), ("nim", "paper soccer")):
            client = self.connect("paper-soccer", {"paper-soccer.championship": f"{game_type}:2"})
            self.assertEqual(self.claimed(client, login("ann", other)), [])
            self.assertEqual(self.claimed(client, login("ann", game_type)), [("ann", LEADER)])

    def test_console(self) -> None:
        """A name is claimed when it is typed, and an account with its password. Names that the host gives are not."""
        client = self.connect("console")
        self.assertEqual(self.claimed(client, "play onitama", "cancel", "p", "name", "name a b", "name help"), [])
        self.assertEqual(self.claimed(client, "nam Ann:key", "NAME bob"), [("Ann", None), ("bob", None)])
        self.assertEqual(self.claimed(client, "login carl", "", "login carl"), [])
        self.assertEqual(self.claimed(client, "secret", "play onitama", "name dave"), [("carl", None)])

    def test_open(self) -> None:
        """Guests and accounts. A key that cannot be claims nothing, and neither does the host's own player."""
        client = self.connect("open")
        self.assertEqual(self.claimed(client, line(do="enter", name="ann", key="x")), [])
        self.assertEqual(self.claimed(client, line(do="log-in", name="ann", password="secret secret")), [("ann", None)])
        self.assertEqual(
            self.claimed(self.connect("open"), line(do="enter", name="bob", key="0" * 32)), [("bob", None)]
        )
        no_claims: Mapping[Any, Any] = HouseConversation.CLAIMS
        self.assertEqual(no_claims, {})

    def test_eriantys(self) -> None:
        """Keys and strict mode; the other wire knows no keys."""
        for strict, expected in ((False, [("ann", None)]), (True, [])):
            client = self.connect("eriantys", strict=strict)
            said = '{"type":"LoginMessage","nickname":"ann:key"}'
            self.assertEqual(self.claimed(client, said), expected)
