"""Display names of players on the wires that have them; and what is said instead of a refused name."""

from typing import Any

from gamehost.plugins import WIRES
from gamehost.testing.memory_host import Client, MemoryHost
from tests.kit.wires.open import KEYS, OpenCase, act, line

JAN = {"Jan_van_der_Meer": "Jan van der Meer"}


class ShownTests(OpenCase):
    def both(self, host: MemoryHost | None = None) -> tuple[MemoryHost, Client, Client, dict[str, Any]]:
        host = host or self.host()
        jan, entered = self.enter(host, "Jan van der Meer")
        bob, _ = self.enter(host, "bob")
        for client in (jan, bob):
            client.send(line(do="seek", game="onitama"))
        return host, jan, bob, entered

    def test_all_are_told_beside_the_name(self) -> None:
        host, jan, bob, entered = self.both()
        self.assertEqual((entered["name"], entered["shown_as"]), ("Jan_van_der_Meer", JAN))
        told = [*self.told(jan), *self.told(bob)]
        for kind in ("seeking", "seated", "seated"):
            found = next(one for one in told if one["is"] == kind)
            told.remove(found)
            self.assertEqual((found["names"][0], found["shown_as"]), ("Jan_van_der_Meer", JAN))
        watcher = host.connect("open")
        watcher.send(line(do="watch", table=1) + line(do="lobby", on=True))
        host.wait(1)
        for one in self.told(watcher):
            self.assertEqual(one["shown_as"], JAN)

    def test_a_name_alone_has_no_other_words(self) -> None:
        host = self.host()
        self.matched(host)
        self.assertNotIn("shown_as", self.enter(host, "carl")[1])

    def test_it_outlives_the_host(self) -> None:
        host, jan, _, entered = self.both()
        jan.send(act("ox c1 c2"))
        again = self.host(journal=host.journal.restarted())
        ben = again.connect("open")
        ben.send(line(do="enter", name="bob"))
        self.assertEqual(next(one for one in self.told(ben) if one["is"] == "seated")["shown_as"], JAN)
        _, back = self.enter(again, "jan_van_der_meer", key=entered["key"])
        self.assertEqual((back["table"], back["shown_as"]), (1, JAN))

    def test_an_account_has_it(self) -> None:
        host = self.host()
        for name in ("Jan van der Meer", "jan_van_der_meer", "Jan van der Meer"):
            client = host.connect("open")
            client.send(line(do="log-in", name=name, password="correct horse"))
            host.wait(1)
            entered = self.told(client)[-1]
            self.assertEqual((entered.get("name"), entered.get("shown_as")), ("Jan_van_der_Meer", JAN), entered)
            client.drop()
        account = host.journal.find("jan_van_der_meer")
        assert account is not None
        self.assertEqual(account.shown, "Jan van der Meer")

    def test_other_wires_have_the_name(self) -> None:
        host = MemoryHost({"onitama.deal": "boar,ox/crab,eel/tiger"}, wires=tuple(WIRES), rng=lambda n: next(KEYS) % n)
        jan, _ = self.enter(host, "Jan van der Meer")
        jan.send(line(do="seek", game="onitama"))
        bob = host.connect("onitama")
        self.assertEqual(
            bob.ask("LOGIN|Ann Bob"), ["ERROR|a name has 1 to 20 letters, digits, _ - or . and nothing else"]
        )
        self.assertIn("Jan_van_der_Meer", "".join(bob.ask("LOGIN|bob")))

    def test_the_console_shows_it(self) -> None:
        host = MemoryHost({"onitama.deal": "boar,ox/crab,eel/tiger"}, rng=lambda n: next(KEYS) % n)
        jan, bob = host.connect("console"), host.connect("console")
        self.assertIn("You are Jan van der Meer.", "".join(jan.ask("name Jan van der Meer")))
        jan.say("play onitama")
        self.assertIn("Jan van der Meer: type play onitama", "".join(bob.ask("waiting")))
        self.assertIn("against Jan van der Meer", " ".join(bob.ask("name bob", "play onitama")))
        for command in ("who", "tables"):
            self.assertIn("Jan van der Meer", "".join(bob.ask(command)))
        jan.drop()
        self.assertIn("Jan van der Meer is away.", "".join(bob.heard()))


class RefusalTests(OpenCase):
    def refused(self, host: MemoryHost, name: str, **more: Any) -> str:
        told = self.enter(host, name, **more)[1]
        self.assertEqual(told["is"], "sorry")
        why: str = told["why"]
        return why

    def test_what_would_be_taken(self) -> None:
        for name, other in (
            ("Jan van der Meer", "Jan_van_der_Meer.2"),
            ("jan_van_der_meer", "Jan_van_der_Meer.2"),
            ("J@n", "J n"),
            ("Jan  Meer", "Jan Meer"),
            ("Jan 2", "Jan_2"),
            ("w" * 31, "w" * 30),
        ):
            host = self.host()
            self.enter(host, "Jan van der Meer", address="192.0.2.9")
            why = self.refused(host, name)
            self.assertEqual(why.rpartition("; ")[2].casefold(), f'"{other}" would be taken'.casefold(), why)
            _, entered = self.enter(host, other)
            self.assertEqual(entered["is"], "entered")

    def test_nothing_is_said_back_of_what_does_not_print(self) -> None:
        for name in ("\x1b[2Jann", "a" * 41, "\u0430nn"):
            self.assertNotIn("would be taken", self.refused(self.host(), name))

    def test_look_alikes(self) -> None:
        host = self.host()
        self.enter(host, "Mallory Smith")
        self.assertIn("looks like another one", self.refused(host, "MaIlory Smith"))
