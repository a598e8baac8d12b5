"""What the owner of a host does to accounts, with their players here, away, in a match, or logging in at that moment."""

import contextlib
import random
from collections.abc import Callable
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost.accounts.login import LoginOutcome, LoginRefused
from gamehost.accounts.names import key_of, name_of
from gamehost.accounts.passwords import CHEAP, Account, Digest
from gamehost.lobby.account_changes import DELETED, GONE, RENAMED, RESET, AccountChanges, Changed, ChangeRefused
from gamehost.lobby.lobby import Lobby
from tests.kit.journal_contract import ours
from tests.kit.journals import RecordingJournal
from tests.kit.memory_host import Client, MemoryHost
from tests.kit.reactors import HeldWorker
from tests.kit.wires.stratego_lines import WIRE, connected, playing, quiet


class AccountsCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.begin(MemoryHost())

    def begin(self, world: MemoryHost) -> None:
        self.world = world
        self.changes = AccountChanges(world.lobby, self.stop)
        self.done: list[Changed] = []
        self.refused: list[str] = []

    def stop(self, key: str) -> Callable[[str], int]:
        found = [
            one
            for one in self.world.factories[WIRE].connections
            if one.conversation.session is not None  # type: ignore[attr-defined]
        ]
        mine = [one for one in found if one.conversation.session.key == key]  # type: ignore[attr-defined]
        for one in mine:
            one.stop_input()

        def close(reason: str) -> int:
            for one in mine:
                one.close_with(reason)
            return len(mine)

        return close

    def account(self, *names: str) -> None:
        for name in names:
            self.world.lobby.login_service.log_in(name_of(name), "secret", "192.0.2.1", lambda outcome: None)

    def player(self, name: str, password: str = "secret") -> Client:
        return connected(self.world, name, password)

    def reset(self, name: str, password: str | None = None) -> None:
        self.changes.reset(name, password, self.done.append, lambda refusal: self.refused.append(str(refusal)))

    def refusal(self, change: Callable[..., None], *arguments: Any) -> str:
        before = dict(self.world.journal.people)
        words = str(self.assertRaises(ChangeRefused, change, *arguments))
        self.assertEqual(self.world.journal.people, before)
        return words


class ListTests(AccountsCase):
    def test_accounts(self) -> None:
        playing(self.world)
        self.player("Carl").drop()
        states = [state for state in self.changes.accounts() if state is not None]
        seen = [(state.name, state.present, state.table, state.last_day is not None) for state in states]
        self.assertEqual(seen, [("ann", True, 1, True), ("bob", True, 1, True), ("Carl", False, None, True)])

    def test_pattern(self) -> None:
        self.account("ann", "bob", "Carl")
        found = [state and state.name for state in self.changes.accounts("C*")]
        self.assertEqual(found, [None, None, "Carl"])


class ResetTests(AccountsCase):
    def test_a_new_password(self) -> None:
        ann = self.player("ann")
        ann.heard()
        self.reset("ANN")
        [changed] = self.done
        self.assertEqual((changed.name, changed.connections, changed.table), ("ann", 1, None))
        assert changed.password is not None
        self.assertRegex(changed.password, "^[a-z2-9]{16}$")
        self.assertNotIn(changed.password, repr(changed))
        self.assertIn(f"err {RESET}", ann.heard())
        self.world.wait(3)
        self.assertTrue(ann.closed)
        self.assertIn("wrong password", " ".join(self.player("ann").heard()))
        self.assertIn("auth-ok", self.player("ann", changed.password).heard())

    def test_a_password_that_the_owner_gives(self) -> None:
        """It is not told again. One that cannot be used is refused."""
        self.account("ann")
        self.reset("ann", "other words")
        self.assertIsNone(self.done[0].password)
        self.assertIn("auth-ok", self.player("ann", "other words").heard())
        self.assertIn("the password cannot be used", self.refusal(self.reset, "ann", "ä"))
        self.assertIn("the password cannot be used", self.refusal(self.reset, "ann", ""))

    def test_a_seat_is_kept(self) -> None:
        playing(self.world)
        self.reset("ann", "new")
        self.assertEqual(self.done[0].table, 1)
        self.world.wait(1)
        self.assertIn("resume", self.player("ann", "new").heard())

    def test_a_log_in_at_the_same_time(self) -> None:
        worker = HeldWorker()
        self.begin(MemoryHost(worker=worker))
        self.account("ann")
        worker.release()
        self.world.lobby.login_service.proven.forget("ann")
        self.reset("ann", "new")
        old, new = self.player("ann"), self.player("ann", "new")
        worker.release()
        self.assertIn("wrong password", " ".join(old.heard()))
        self.assertIn("auth-ok", new.heard())

    def test_two_changes_at_the_same_time(self) -> None:
        worker = HeldWorker()
        self.begin(MemoryHost(worker=worker))
        self.account("ann")
        worker.release()
        self.reset("ann", "one")
        self.changes.delete("ann", False, self.done.append)
        worker.release()
        self.assertEqual(self.refused, ["the account ann was changed meanwhile; nothing was done"])
        self.assertEqual(self.world.journal.people, {})

    def test_nobody(self) -> None:
        self.assertIn("there is no account 'carl'", self.refusal(self.reset, "carl"))
        self.player("ann")
        self.world.lobby.close()
        self.assertIn("the host is stopping", self.refusal(self.reset, "ann"))


class RenameTests(AccountsCase):
    def rename(self, name: str, new_name: str, force: bool = False) -> None:
        self.changes.rename(name, new_name, force, self.done.append)

    def test_the_old_name_is_free_and_the_password_stays(self) -> None:
        ann = self.player("ann")
        ann.heard()
        self.rename("ann", "Zoe")
        self.assertEqual((self.done[0].name, self.done[0].connections), ("Zoe", 1))
        self.assertIn("has renamed your account", ann.heard()[-1])
        self.assertIn("auth-ok", self.player("zoe").heard())
        self.assertIn("auth-ok", self.player("ann", "somebody else").heard())

    def test_the_list_of_own_matches_follows(self) -> None:
        self.account("ann")
        self.world.lobby.own.put([("ann", ours("over", ended=5))])
        self.rename("ann", "Ann")
        self.rename("ann", "Zoe")
        self.assertEqual(self.world.journal.own_matches, {"zoe": {3: ours("over", ended=5)}})
        self.changes.delete("zoe", False, self.done.append)
        self.assertEqual(self.world.journal.own_matches, {})

    def test_another_spelling(self) -> None:
        self.account("ann")
        self.rename("ann", "Ann")
        self.assertEqual([account.name for account in self.world.journal.people.values()], ["Ann"])

    def test_names_that_cannot_be(self) -> None:
        self.account("ann", "bob", "РАУС")
        self.world.connect("onitama").say("LOGIN|guest")
        for name, words in (
            ("BOB", "another account has the name BOB"),
            ("guest", "a guest has the name guest now"),
            ("payc", "looks like another one"),
            ("help", "a name is not a word"),
            ("easy.1", "the host's own players"),
            ("a b", "1 to 20 letters"),
            ("ann", "has the name ann already"),
        ):
            self.assertIn(words, self.refusal(self.rename, "ann", name))

    def test_look_alikes_follow(self) -> None:
        self.account("РАУС")
        self.rename("РАУС", "ВОВ")
        self.assertIn("auth-ok", self.player("payc").heard())
        self.assertNotIn("auth-ok", self.player("bob").heard())


class ToldTests(AccountsCase):
    def test_when_it_is_durable(self) -> None:
        for change, words, later in (
            (lambda: self.reset("ann", "new words"), RESET, ("ann", "new words")),
            (lambda: self.changes.rename("ann", "cleo", False, self.done.append), RENAMED, ("cleo",)),
            (lambda: self.changes.delete("ann", False, self.done.append), DELETED, ()),
        ):
            self.begin(MemoryHost(journal=RecordingJournal(late=True)))
            ann = self.player("ann")
            self.assertIn("is being made or changed just now", self.refusal(change))
            quiet(self.world)
            ann.heard()
            change()
            if words is not RESET:
                ann.say("history")  # it is not heard any more
            again = self.player(*later) if later else None
            self.assertEqual((ann.heard(), ann.closed, self.done), ([], False, []))
            self.assertNotIn("auth-ok", [] if again is None else again.heard())
            quiet(self.world)
            self.assertIn(words, " ".join(ann.heard()))
            self.assertEqual(len(self.done), 1)
            if again is not None:
                self.assertIn("auth-ok", again.heard())


class DeleteTests(AccountsCase):
    def delete(self, name: str, force: bool = False) -> None:
        self.changes.delete(name, force, self.done.append)

    def test_delete(self) -> None:
        ann = self.player("ann")
        ann.heard()
        self.delete("ann")
        self.assertEqual(self.done, [Changed("ann", 1, None)])
        self.assertIn(f"err {DELETED}", ann.heard())
        self.world.wait(3)
        self.assertTrue(ann.closed)
        self.assertEqual(self.world.journal.people, {})
        self.assertIn("auth-ok", self.player("ann", "somebody else").heard())

    def test_a_player_in_a_match(self) -> None:
        _, bob = playing(self.world)
        self.assertIn("ann has a seat at table 1; wait until the match is over", self.refusal(self.delete, "ann"))
        self.delete("ann", force=True)
        self.assertEqual(self.done[0].table, 1)
        self.world.until_idle()
        self.assertIn("winner blue", bob.heard())
        self.assertEqual(self.world.unfinished, [])

    def test_a_player_who_is_away(self) -> None:
        """The seat is kept, so it is the same; also if the table sleeps."""
        for resting in (0, 1):
            self.begin(MemoryHost(resting=resting))
            for player in playing(self.world):
                player.drop()
            self.assertIn("a seat at table 1", self.refusal(self.delete, "ann"))
            self.delete("ann", force=True)
            self.world.until_idle()
            self.assertEqual(self.world.unfinished, [])
            self.assertIn("bob won", self.world.journal.entries[1][-1].outcome)  # type: ignore[index]

    def test_who_has_the_name_later(self) -> None:
        """Gets no seat of before, also if the host was killed before the seat was given up."""
        for player in playing(self.world):
            player.drop()
        kept = self.world.journal
        self.patch(Lobby, "give_up", lambda *_: None)
        self.delete("ann", force=True)
        self.begin(MemoryHost(journal=kept))
        self.assertEqual(self.world.unfinished, [1])
        ann = self.player("ann", "somebody else")
        self.assertEqual(ann.heard()[-1], "auth-ok")
        self.assertIn("resume", self.player("bob").heard())

    def test_a_log_in_at_the_same_time(self) -> None:
        worker = HeldWorker()
        self.begin(MemoryHost(worker=worker))
        self.account("ann")
        worker.release()
        self.world.lobby.login_service.proven.forget("ann")
        ann = self.player("ann")
        self.delete("ann")
        worker.release()
        self.assertIn("was deleted or renamed just now", " ".join(ann.heard()))
        self.assertEqual(self.world.journal.people, {})


class LearnTests(AccountsCase):
    def learn(self, name: str, after: Account | None) -> None:
        before = self.world.journal.people.pop(name.lower(), None)
        if after is not None:
            self.world.journal.people[name.lower()] = after
        self.changes.learn(before, after)
        self.world.until_idle()

    def test_another_password_or_spelling(self) -> None:
        digest = Digest.of(b"other", CHEAP)
        for name, password, reason in (("ann", "secret", RESET), ("ANN", "other", RENAMED)):
            ann = self.player("ann", password)
            ann.heard()
            self.learn("ann", Account(name, digest))
            self.assertEqual(ann.heard()[-1], f"err {reason}")
        self.assertIn("auth-err", self.player("ann").heard())
        self.assertIn("auth-ok", self.player("ann", "other").heard())

    def test_a_new_account(self) -> None:
        cyrillic = "\u0441o\u0441"
        self.learn(cyrillic, Account(cyrillic, Digest.of(b"secret", CHEAP)))
        self.assertTrue(self.world.lobby.registry.looks_taken(name_of("coc")))
        self.learn(cyrillic, None)
        self.assertFalse(self.world.lobby.registry.looks_taken(name_of("coc")))

    def test_an_account_that_has_gone(self) -> None:
        """The player is told, and loses the seat in a match: somebody else may have the name soon."""
        ann, bob = playing(self.world)
        ann.heard()
        self.learn("ann", None)
        self.assertIn(f"err {GONE}", ann.heard())
        self.assertIn("winner blue", bob.heard())
        self.assertEqual(self.world.unfinished, [])
        self.assertIn("auth-ok", self.player("ann", "somebody else").heard())


class AnyOrderTests(AccountsCase):
    """Log-ins and changes in any order, on a host whose worker and whose disk take their time."""

    welcomes = 0

    def test_a_welcome_is_always_right(self) -> None:
        """At the moment of the answer the account is there, and has this password."""
        for seed in range(150):
            rng, worker = random.Random(seed), HeldWorker()
            journal = RecordingJournal(late=True)
            self.begin(MemoryHost(journal=journal, worker=worker))
            for _ in range(60):
                name, password = rng.choice(("ann", "bob", "carl")), rng.choice((b"one", b"two"))
                match rng.randrange(8):
                    case 0:
                        with contextlib.suppress(ChangeRefused):
                            self.reset(name, password.decode())
                    case 1:
                        with contextlib.suppress(ChangeRefused):
                            self.changes.delete(name, rng.random() < 0.5, self.done.append)
                    case 2:
                        with contextlib.suppress(ChangeRefused):
                            self.changes.rename(name, rng.choice(("ann", "bob", "carl")), True, self.done.append)
                    case 3 | 4:
                        self.attempt(name, password)
                    case 5 | 6:
                        worker.release(1)
                    case _:
                        journal.release(1)
            while worker.release() or journal.release():
                pass
            self.assertEqual(self.world.lobby.login_service.waiting_for_worker, 0)
        self.assertGreater(self.welcomes, 500)

    def attempt(self, name: str, password: bytes) -> None:
        """A log-in; its answer is compared with the accounts as they are then."""
        accounts = self.world.journal

        def answered(outcome: LoginOutcome) -> None:
            if not isinstance(outcome, LoginRefused):
                account = accounts.find(key_of(name))
                self.assertTrue(account is not None and account.digest.fits(password), outcome)
                self.welcomes += 1

        self.world.lobby.login_service.log_in(name_of(name), password.decode(), "192.0.2.1", answered)
