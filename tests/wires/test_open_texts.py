"""The texts that the host keeps for an account: for nobody else, for its games, and for its match until the end."""

import string
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from gamehost.lobby.account_changes import AccountChanges
from gamehost.lobby.own_account import MOST_KEPT
from gamehost.testing.cases import PropertyCase
from gamehost.testing.memory_host import Client, MemoryHost
from gamehost.wires.open.codec import LINE_LIMIT
from tests.kit.wires.open import DEAL, OpenCase, line
from tests.lobby.test_slow import SlowCase

SECRET = "12E5B"


def logged_in(case: OpenCase, host: MemoryHost, name: str) -> Client:
    client = host.connect("open")
    case.ask(client, do="log-in", name=name, password="a good one")
    return client


class TextTests(OpenCase, PropertyCase):
    def text(self, client: Client, **about: Any) -> str:
        [kept] = self.ask(client, do="keep", **about)
        self.assertEqual(kept, {"is": "kept", **about, "text": kept["text"]})
        text: str = kept["text"]
        return text

    def match(self, host: MemoryHost) -> tuple[Client, Client]:
        """Ann and Bob, with accounts, in table 1."""
        ann, bob = logged_in(self, host, "ann"), logged_in(self, host, "bob")
        for client in (ann, bob):
            self.ask(client, do="seek", game="stratego")
        return ann, bob

    def why(self, client: Client, **message: Any) -> str:
        [refused] = self.ask(client, do="keep", id=7, **message)
        self.assertEqual((refused["is"], refused["id"]), ("refused", 7))
        why: str = refused["why"]
        return why

    def test_a_text_outlives_the_connection_and_the_host(self) -> None:
        host = self.host()
        ann, _ = self.match(host)
        for about in ({"game": "stratego"}, {"table": 1}):
            self.assertEqual(self.ask(ann, do="keep", **about, text=SECRET), [{"is": "kept", **about}])
        ann.drop()
        again = logged_in(self, host, "ann")
        self.assertEqual([self.text(again, game="stratego"), self.text(again, table=1)], [SECRET, SECRET])
        host = self.host(journal=host.journal.restarted(), clock=host.clock)
        again = logged_in(self, host, "ann")
        self.assertEqual([self.text(again, game="stratego"), self.text(again, table=1)], [SECRET, SECRET])
        self.ask(again, do="keep", game="stratego", text="")
        self.assertEqual([self.text(again, game="stratego"), self.text(again, game="onitama")], ["", ""])

    def test_it_is_kept_when_it_is_durable(self) -> None:
        host = self.host()
        ann = logged_in(self, host, "ann")
        host.journal.late = True
        self.assertEqual(self.ask(ann, do="keep", game="stratego", text=SECRET), [])
        host.journal.release()
        self.assertEqual(self.told(ann), [{"is": "kept", "game": "stratego"}])

    def test_nobody_else_is_told(self) -> None:
        """Neither the opponent, nor a watcher, nor who has the name later: not a byte differs with the text."""
        told = []
        for text in (SECRET, "x" * MOST_KEPT):
            host = self.host()
            ann, bob = self.match(host)
            watcher = host.connect("open")
            self.ask(watcher, do="watch", table=1)
            for about in ({"game": "stratego"}, {"table": 1}):
                self.assertEqual(self.ask(ann, do="keep", **about, text=text)[0]["is"], "kept")
            heard = [self.ask(bob, do="keep", **about) for about in ({"game": "stratego"}, {"table": 1})]
            heard += [self.ask(watcher, do="keep", table=1), self.ask(watcher, do="history", table=1)]
            heard += [self.ask(bob, do="mine"), self.ask(bob, do="moves", table=1, view=True)]
            told.append(str(heard))
        self.assertEqual(*told)
        self.assertIn("'text': ''", told[0])

    def test_texts_of_a_match_go_with_it(self) -> None:
        """Those of its game stay."""
        host = self.host()
        ann, bob = self.match(host)
        for about in ({"game": "stratego"}, {"table": 1}):
            self.ask(ann, do="keep", **about, text=SECRET)
        self.ask(bob, do="leave")
        self.assertNotIn("#1", host.journal.kept)
        for more in ({}, {"text": SECRET}):
            self.assertEqual(self.why(ann, table=1, **more), "you have no seat at this table")
        self.assertEqual(self.text(ann, game="stratego"), SECRET)

    def test_what_is_refused(self) -> None:
        host = self.host()
        ann, _ = self.enter(host, "guest")
        for more in ({}, {"text": SECRET}):
            self.assertIn("for accounts only", self.why(ann, game="stratego", **more))
        ann = logged_in(self, host, "ann")
        wrong: list[tuple[dict[str, Any], str]] = [
            ({}, 'expected "game" or "table"'),
            ({"game": "stratego", "table": 1}, 'expected "game" or "table"'),
            ({"game": "chess"}, "no such game; expected one of"),
            ({"game": "#1", "text": SECRET}, "no such game; expected one of"),
            ({"table": 1, "text": SECRET}, "you have no seat at this table"),
            ({"game": "stratego", "text": "x" * (MOST_KEPT + 1)}, "at most 2000 bytes"),
            ({"game": "stratego", "text": "\u017d" * (MOST_KEPT // 2 + 1)}, "at most 2000 bytes"),
            *(({"game": "stratego", "text": one}, "letters, digits") for one in ("a\nb", "\0", "\x1b[2J", "\u202e")),
        ]
        for message, why in wrong:
            self.assertIn(why, self.why(ann, **message))
        outside = host.connect("open")
        self.assertEqual(self.ask(outside, do="keep", game="stratego")[0]["is"], "sorry")
        self.assertEqual(host.journal.kept, {})

    def test_an_account_that_is_deleted_or_renamed(self) -> None:
        """Who takes the name later does not find the texts, and the new name has them."""
        host = self.host()
        for name in ("ann", "bob"):
            client = logged_in(self, host, name)
            self.ask(client, do="keep", game="stratego", text=f"of {name}")
            client.drop()
        changes = AccountChanges(host.lobby, lambda key: lambda reason: 0)
        changes.delete("ann", force=True, done=lambda changed: None)
        changes.rename("bob", "ben", force=True, done=lambda changed: None)
        for name, text in (("ann", ""), ("bob", ""), ("ben", "of bob")):
            self.assertEqual(self.text(logged_in(self, host, name), game="stratego"), text)

    def test_every_text_fits_in_a_line(self) -> None:
        """The longest one has signs that JSON writes with two characters."""
        message = line(do="keep", table=2**53 - 1, text='"' * MOST_KEPT, id=2**53 - 1)
        self.assertLessEqual(len(message), LINE_LIMIT)

    texts = st.text(st.sampled_from(string.ascii_letters + " /\u017d\U0001f600"), max_size=400)
    places = st.sampled_from([{"game": "stratego"}, {"game": "onitama"}, {"table": 1}])

    @settings(max_examples=20)
    @given(st.lists(st.tuples(st.booleans(), places, st.none() | texts), max_size=12))
    def test_what_was_kept_last_is_found(self, steps: list[tuple[bool, dict[str, Any], str | None]]) -> None:
        """Whatever the other account keeps in between."""
        host = MemoryHost({**DEAL, "limits.open": "yes"})
        players, known = self.match(host), dict[tuple[bool, str], str]()
        for who, about, text in steps:
            if text is not None:
                self.ask(players[who], do="keep", **about, text=text)
                known[who, str(about)] = text
            self.assertEqual(self.text(players[who], **about), known.get((who, str(about)), ""))


class SlowTextTests(SlowCase):
    def test_a_slow_match(self) -> None:
        """Its players have seats there while they sit."""
        host = self.host()
        ann, bob = logged_in(self, host, "ann"), logged_in(self, host, "bob")
        seeking = self.seek(ann)
        table = seeking["table"]
        self.ask(bob, do="join", table=table, code=seeking["code"])
        self.ask(ann, do="keep", table=table, text=SECRET)
        ann.drop()
        ann = logged_in(self, host, "ann")
        self.assertEqual(self.ask(ann, do="keep", table=table)[0]["is"], "refused")
        self.ask(ann, do="sit", table=table)
        self.assertEqual(self.ask(ann, do="keep", table=table)[-1]["text"], SECRET)
