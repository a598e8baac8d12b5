"""What is told to players who are away, and when."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from msgspec.structs import replace
from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from gamehost.journal.records import OwnedMatch, TableId
from gamehost.lobby import notices as under_test
from gamehost.lobby.notices import TURN_AFTER, Asker, ListedMatches, News, Notices, NoticesPart, Reason
from gamehost.lobby.notifiers import NotifierKind
from gamehost.settings import Setting
from gamehost.testing.memory_host import Client, MemoryHost
from tests.kit.wires.open import line
from tests.lobby.test_slow import DAY, SlowCase


class Recording:
    """A notifier that notes what it gets."""

    def __init__(self) -> None:
        self.delivered: list[tuple[str, int, Reason]] = []
        self.news: list[News] = []
        self.looked: list[tuple[str, int]] = []
        self.waiting: list[Callable[[], None]] = []
        self.changes: list[tuple[Asker | None, Mapping[str, str]]] = []

    def deliver(self, account: str, news: News) -> None:
        self.delivered.append((account, news.table, news.reason))
        self.news.append(news)

    def seen(self, account: str, table: TableId) -> None:
        self.looked.append((account, table))

    def state(self, asker: Asker, told: Callable[[Mapping[str, Any]], None]) -> None:
        self.waiting.append(lambda: told({"login": asker.id}))

    def change(self, asker: Asker | None, values: Mapping[str, str], done: Callable[[str | None], None]) -> None:
        self.changes.append((asker, values))
        done(None)

    def stop(self) -> Deferred[Any]:
        return succeed(None)


def news(table: int, reason: Reason = Reason.TURN) -> News:
    return News(TableId(table), "onitama", reason)


class NoticesTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock, self.way, self.other = Clock(), Recording(), Recording()
        self.notices = Notices(self.clock, {"way": self.way, "other": self.other})

    def delivered(self) -> list[tuple[str, int, Reason]]:
        found, self.way.delivered = self.way.delivered, []
        self.assertEqual(found, self.other.delivered)
        self.other.delivered = []
        return found

    def test_a_turn_waits_a_minute(self) -> None:
        """Each its own, and a newer one of the same table takes the place of the older one."""
        self.notices.tell("ann", news(1))
        self.clock.advance(20)
        self.notices.tell("ann", news(2))
        self.notices.tell("bob", news(1))
        self.clock.advance(TURN_AFTER - 21)
        self.assertEqual(self.delivered(), [])
        self.clock.advance(1)
        self.assertEqual(self.delivered(), [("ann", 1, Reason.TURN)])
        self.notices.tell("ann", news(2))
        self.clock.advance(20)
        self.assertEqual(self.delivered(), [("bob", 1, Reason.TURN)])
        self.clock.advance(TURN_AFTER)
        self.assertEqual(self.delivered(), [("ann", 2, Reason.TURN)])
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_what_was_seen_is_not_told(self) -> None:
        self.notices.tell("ann", news(1))
        self.notices.seen("ann", TableId(2))
        self.notices.seen("ann", TableId(1))
        self.clock.advance(TURN_AFTER)
        self.assertEqual(self.delivered(), [])
        self.assertEqual(self.way.looked, [("ann", 2), ("ann", 1)])

    def test_other_news_are_told_at_once(self) -> None:
        """In place of the turn of the same table."""
        self.notices.tell("ann", news(1))
        for reason in (Reason.OFFER, Reason.TIME, Reason.JOINED, Reason.OVER):
            self.notices.tell("ann", news(1, reason))
            self.assertEqual(self.delivered(), [("ann", 1, reason)])
        self.clock.advance(TURN_AFTER)
        self.assertEqual(self.delivered(), [])

    def test_who_is_connected_may_see_it(self) -> None:
        """All news wait a minute then. Who sits at the table has seen it."""
        here, looks = {"ann"}, set[tuple[str, int]]()
        ways = {"way": self.way, "other": self.other}
        self.notices = Notices(self.clock, ways, here.__contains__, lambda *place: place in looks)
        for table in (1, 2, 3):
            self.notices.tell("ann", news(table, Reason.OFFER))
        self.assertEqual(self.delivered(), [])
        looks.add(("ann", 1))
        self.notices.seen("ann", TableId(2))
        self.clock.advance(TURN_AFTER)
        self.assertEqual(self.delivered(), [("ann", 3, Reason.OFFER)])

    def test_too_many_turns(self) -> None:
        """The oldest is told early, and none is lost."""
        self.patch(under_test, "MOST_WAITING", 2)
        for table in range(4):
            self.notices.tell("ann", news(table))
        self.assertEqual([table for _, table, _ in self.delivered()], [0, 1])
        self.clock.advance(TURN_AFTER)
        self.assertEqual([table for _, table, _ in self.delivered()], [2, 3])

    def test_all_ways_are_shown_in_one_order(self) -> None:
        shown: list[Mapping[str, Any]] = []
        self.notices.state("ann", "a1", shown.append)
        for way in (self.other, self.way):
            self.assertEqual(shown, [])
            way.waiting.pop()()
        self.assertEqual(
            [list(ways.items()) for ways in shown], [[("way", {"login": "a1"}), ("other", {"login": "a1"})]]
        )

    def test_a_change_is_one_way_s(self) -> None:
        answers: list[str | None] = []
        self.notices.change("way", "ann", "a1", {"on": "yes"}, answers.append)
        self.notices.change("way", None, "", {"stop": "x"}, answers.append)
        self.assertEqual((answers, self.other.changes), ([None, None], []))
        self.assertEqual(self.way.changes, [(Asker("ann", "a1"), {"on": "yes"}), (None, {"stop": "x"})])

    def test_a_host_that_stops(self) -> None:
        self.notices.tell("ann", news(1))
        self.successResultOf(self.notices.stop())
        self.assertEqual(self.clock.getDelayedCalls(), [])


class ListedMatchesTests(SynchronousTestCase):
    """A player's list of matches says what there is to tell."""

    def setUp(self) -> None:
        self.clock, self.way = Clock(), Recording()
        self.clock.advance(1_700_000_000)
        self.notices = Notices(self.clock, {"way": self.way})
        self.lists = ListedMatches(self.clock, self.notices, self.now)

    def now(self) -> int:
        return round(self.clock.seconds() * 1000)

    def match(self, state: Any, days: float | None = None, table: int = 3, **more: Any) -> OwnedMatch:
        by = None if days is None else self.now() + round(days * 86_400_000)
        return OwnedMatch(TableId(table), "onitama", more.pop("names", ("Ann", "Bob")), 0, state, by, **more)

    def change(self, *states: Any, owner: str = "ann") -> None:
        for state in states:
            self.lists.changed(owner, state if isinstance(state, OwnedMatch) else self.match(state))

    def told(self, minutes: float = 1) -> list[tuple[Reason, str]]:
        for _ in range(round(minutes)):
            self.clock.advance(60)
        found, self.way.news = self.way.news, []
        for one in found:
            self.assertEqual((one.table, one.game, one.others), (3, "onitama", ("Bob",)))
        return [(one.reason, one.words) for one in found]

    def test_turns(self) -> None:
        """Once each; who has moved within the minute is told nothing."""
        self.change("wait", "turn")
        self.assertEqual(self.told(), [(Reason.TURN, "")])
        self.change("turn")
        self.assertEqual(self.told(), [])
        self.change("wait", "turn", "wait")
        self.assertEqual(self.told(), [])

    def test_a_friend_takes_the_seat(self) -> None:
        for state, words in (("turn", "the match has begun, and it is your turn"), ("wait", "the match has begun")):
            self.change(self.match("open", names=("Ann",)), state)
            self.assertEqual(self.told(), [(Reason.JOINED, words)])

    def test_a_friend_waits_at_the_table(self) -> None:
        """Who has opened it is told, also if that was before the host; who has come last, and who knows it, is not."""
        self.change(self.match("open"), "open")
        self.change(self.match("open", table=4, names=("Ann",)), self.match("open", table=4, names=("Ann",)))
        self.change("open", owner="bob")
        self.assertEqual(self.told(), [(Reason.JOINED, "Bob has taken a seat")])

    def test_names_are_as_people_see_them(self) -> None:
        self.change(
            self.match("wait"), self.match("offer", offer="draw", names=("Ann", "B_b"), shown_as={"B_b": "Bob"})
        )
        self.assertEqual(self.told(), [(Reason.OFFER, "Bob offers a draw")])

    def test_an_answered_offer_is_no_new_turn(self) -> None:
        self.change(self.match("turn", days=1))
        self.assertEqual(self.told(), [(Reason.TURN, "")])
        turn = self.match("turn", days=1)
        self.change(turn, replace(turn, state="offer", offer="draw", turn=True), turn)
        self.assertEqual(self.told(), [(Reason.OFFER, "Bob offers a draw")])

    def test_offers_and_ends(self) -> None:
        self.change("wait", "offer")
        self.assertEqual(self.told(), [(Reason.OFFER, "")])
        for winners, cause, words in (
            ((0,), "rules", "you have won (so it is)"),
            ((1,), "rules", "you have lost (so it is)"),
            ((), "rules", "a draw (so it is)"),
            ((), "", "so it is"),
        ):
            self.change("turn", self.match("over", winners=winners, cause=cause, why="so it is"))
            self.assertEqual(self.told(), [(Reason.OVER, words)])

    def test_little_time_left(self) -> None:
        """A fifth of the time, once, and not if there was a move meanwhile."""
        self.change(self.match("turn", days=1))
        turn = self.match("turn", days=1)
        self.assertEqual(self.told(), [(Reason.TURN, "")])
        self.change(OwnedMatch(turn.table, turn.game, turn.names, 0, "turn", turn.by))
        self.assertEqual(self.told(0.8 * 24 * 60 - 3), [])
        self.assertEqual(self.told(4), [(Reason.TIME, "")])
        self.assertEqual(self.told(24 * 60), [])
        self.change(self.match("turn", days=1), "wait")
        self.assertEqual(self.told(24 * 60), [])

    def test_a_turn_from_before_the_host(self) -> None:
        """The player was told; the warning comes at a fifth of what was left."""
        self.lists.known((owner, self.match("turn", days=1)) for owner in ("ann", "bob:0123"))
        self.change("turn")
        self.assertEqual(self.told(0.8 * 24 * 60 - 2), [])
        self.change(self.match("wait", table=9))
        self.lists.known([("ann", self.match("turn", days=1, table=9))])
        self.assertEqual(self.told(0.8 * 24 * 60 + 2), [])

    def test_guests_are_told_nothing(self) -> None:
        self.change("wait", "turn", "over", owner="ann:0123")
        self.assertEqual(self.told(), [])

    def test_bounds(self) -> None:
        """Of thousands of moves only the last turns are kept; the match that was changed longest ago is forgotten."""
        for _ in range(3_000):
            self.change(self.match("turn", days=1), "wait")
        self.assertLess(len(self.lists._warnings), 1_100)
        self.patch(under_test, "MOST_KNOWN", 2)
        for table in range(5):
            self.change(self.match("wait", table=table))
        self.assertEqual(len(self.lists._standings), 2)
        self.lists.stop()
        self.successResultOf(self.notices.stop())
        self.assertEqual(self.clock.getDelayedCalls(), [])


class SlowMatchTests(SlowCase):
    """Two friends play a move a day. One of them has an account, and a way to be told."""

    def start(self, host: MemoryHost) -> Recording:
        way = Recording()
        kind = NotifierKind("way", {"way": Setting(None, "")}, lambda values, given: way)
        options = {"way": "", "web-origin": (), "cluster": None}
        part = NoticesPart(host.clock, [kind], options, Path())
        host.lobby.own._wall = host.lobby.context.wall
        lobby: Any = SimpleNamespace(lobby=host.lobby)
        part.start(SimpleNamespace(context=lobby, store=host.journal))
        return way

    def ann(self, host: MemoryHost) -> Client:
        client = host.connect("open")
        client.send(line(do="log-in", name="ann", password="a good one"))
        self.assertEqual(self.told(client)[0]["is"], "entered")
        return client

    def told_after(self, host: MemoryHost, way: Recording) -> list[tuple[Reason, str]]:
        host.wait(TURN_AFTER + 1)
        found, way.news = way.news, []
        return [(one.reason, one.words) for one in found]

    def test_a_move_a_day(self) -> None:
        host = self.host()
        way = self.start(host)
        ann = self.ann(host)
        seeking = self.seek(ann)
        table = seeking["table"]
        ann.drop()
        ben = self.player(host, "ben")
        self.ask(ben, do="join", table=table, code=seeking["code"])
        self.assertEqual(self.told_after(host, way), [(Reason.JOINED, "the match has begun, and it is your turn")])
        # Ann has seen it, and moves. Then it is her turn again, and she sits there until she goes.
        ann = self.ann(host)
        for action, client in (("ox c1 c2", ann), ("crab c5 c4", ben)):
            self.ask(client, do="sit", table=table)
            self.ask(client, do="act", table=table, action=action)
        self.assertEqual(self.told_after(host, way), [])
        self.ask(ann, do="act", table=table, action="boar c2 c3")
        self.ask(ann, do="rise", table=table)
        self.ask(ben, do="act", table=table, action="ox a5 a4")
        self.assertEqual(self.told_after(host, way), [(Reason.TURN, "")])
        ann.drop()
        # Of three days a fifth is left, and then she has lost.
        host.wait(0.8 * 3 * DAY - 180)
        self.assertEqual(way.news, [])
        self.assertEqual(self.told_after(host, way), [])
        self.assertEqual(self.told_after(host, way), [(Reason.TIME, "")])
        host.wait(3 * DAY)
        [(reason, words)] = self.told_after(host, way)
        self.assertEqual((reason, words[:13]), (Reason.OVER, "you have lost"))
        self.assertEqual(way.looked[-1], ("ann", table))
        # Ben wants a rematch, and then he does not.
        (again,) = self.ask(ben, do="rematch", table=table)
        self.assertEqual(self.told_after(host, way), [(Reason.OFFER, "ben wants a rematch")])
        self.ask(ben, do="stop", table=again["table"])
        self.assertEqual(way.looked[-1], ("ann", again["table"]))
