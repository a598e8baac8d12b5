"""The log: one event a line, floods counted, and a place that takes nothing costs lines and never the game."""

import json
import os
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from twisted.logger import FilteringLogObserver, Logger, LogLevel, LogPublisher
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from gamehost.net.connection import WireFactory
from gamehost.ops import escaped
from gamehost.ops.logging import (
    FORMATS,
    LINES_AT_ONCE,
    Log,
    admin_act,
    failure_words,
    file_at,
    json_line,
    log_for,
    process_log,
    shortened,
    standard_output,
    text_line,
)
from gamehost.testing.cases import PropertyCase


def event(log_format: str = "{words}", at: float = 0.0, **given: Any) -> dict[str, Any]:
    return {"log_format": log_format, "log_namespace": "test", "log_level": LogLevel.info, "log_time": at, **given}


class LineTests(PropertyCase):
    """What is in an event can neither begin a line nor change how one looks."""

    @given(st.text())
    def test_one_event_is_one_line(self, words: str) -> None:
        """Whatever the words are: in text all of it is printable, and in JSON all of it is there again."""
        line = text_line(event(words=words), 0)
        self.assertEqual(len((line + "\n").splitlines()), 1)
        self.assertFalse(any(ord(one) < 32 or 127 <= ord(one) < 160 for one in line))
        line = json_line(event(words=words), 0)
        self.assertEqual(len(line.splitlines()), 1)
        self.assertTrue(line.isascii())
        self.assertEqual(json.loads(line)["fields"]["words"], words)

    def test_escapes(self) -> None:
        forged = "x\n2026-01-01T00:00:00Z [gamehost#info] bob won"
        self.assertIn(r"x\n2026", text_line(event(words=forged), 0))

    def test_format(self) -> None:
        self.assertEqual(text_line(event(words="hm", at=1.5), 0), "1970-01-01T00:00:01.500Z [test#info] hm")
        self.assertIn("hm (and 7 like this before)", text_line(event(words="hm"), 7))
        self.assertEqual(shortened("x" * 12, 10), "x" * 10 + "... (2 more)")
        self.assertLess(len(text_line(event(words="x" * 1_000_000), 0)), 4_000)
        self.assertLess(len(json_line(event(words="\x00" * 1_000_000), 0)), 25_000)

    def test_json(self) -> None:
        said = json.loads(json_line(event("{wire} has {ports}", wire="onitama", ports=2, secret=object()), 3))
        self.assertEqual(said["text"], "onitama has 2")
        self.assertEqual(said["fields"], {"wire": "onitama", "ports": 2})
        self.assertEqual((said["level"], said["namespace"], said["unwritten"]), ("info", "test", 3))

    def test_error(self) -> None:
        """An error is one line: what, where, innermost first, and what it came from; no variable's value."""

        def inner(canary: str) -> None:
            raise KeyError("first")

        try:
            try:
                inner("hunter2")
            except KeyError as error:
                raise RuntimeError("second\nline") from error
        except RuntimeError:
            failure = Failure()
        words = failure_words(failure)
        self.assertRegex(
            words, r"^RuntimeError: second\nline at ops/test_logging.py:\d+ test_error; from KeyError: 'first'"
        )
        self.assertRegex(words, r"at ops/test_logging.py:\d+ inner < ops/test_logging.py:\d+ test_error$")
        for line in (text_line(event(log_failure=failure, words=""), 0), json_line(event(log_failure=failure), 0)):
            self.assertNotIn("hunter2", line)
            self.assertNotIn("\n", line)
            self.assertIn("RuntimeError", line)

    def test_deep_error(self) -> None:
        def dive(depth: int) -> None:
            if depth == 0:
                raise ValueError("deep")
            dive(depth - 1)

        try:
            dive(500)
        except ValueError:
            words = failure_words(Failure())
        self.assertLess(len(words), 1_000)
        self.assertRegex(words, r"< \d+ more$")
        self.assertIsInstance(traceback.StackSummary(), list)


class LogCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.path = Path(self.mktemp())
        self.log = Log(file_at(str(self.path)), FORMATS["text"])
        self.addCleanup(self.close, self.log)

    def close(self, log: Log) -> None:
        if log._file is not None:
            os.close(log._file)

    def lines(self) -> list[str]:
        return self.path.read_text("utf-8").splitlines()

    def pipe(self) -> tuple[int, int]:
        ends = os.pipe()
        self.log = Log(lambda: ends[1], FORMATS["text"])
        return ends


class FloodTests(LogCase):
    """A kind of line is written so many times, and counted after that."""

    def test_flood_is_counted(self) -> None:
        for number in range(1000):
            self.log(event("hung up on {words}", words=number))
        self.assertEqual(len(self.lines()), LINES_AT_ONCE)
        self.log(event("hung up on {words}", at=1.0, words="last"))
        self.assertTrue(self.lines()[-1].endswith("hung up on last (and 900 like this before)"))

    def test_other_kinds_are_written_meanwhile(self) -> None:
        """A flood of one kind hides no other, and nothing that is critical is ever counted only."""
        for _ in range(1000):
            self.log(event("hung up"))
        self.log(event("the disk is behind"))
        self.assertIn("the disk is behind", self.lines()[-1])
        for _ in range(200):
            self.log(event("the host ends", log_level=LogLevel.critical))
        self.assertEqual(len(self.lines()), LINES_AT_ONCE + 1 + 200)

    def test_kinds_are_bounded(self) -> None:
        """Somebody who logs texts instead of formats costs neither memory nor the disk."""
        for number in range(5_000):
            self.log(event(f"number {number}"))
        self.assertLessEqual(len(self.log._kinds), 501)
        self.assertLessEqual(len(self.lines()), 500 + LINES_AT_ONCE)

    def test_acts_of_the_administrator(self) -> None:
        log = Logger(namespace="test", observer=LogPublisher(FilteringLogObserver(self.log, [])))
        for number in range(1000):
            admin_act(log, "ban", name="ann\nbob", seconds=number)
        self.assertEqual(len(self.lines()), 1000)
        self.assertTrue(self.lines()[7].endswith(r" [test#info] admin: ban name='ann\nbob' seconds=7"), self.lines()[7])
        self.log.words = FORMATS["json"]
        admin_act(log, "end", table=17)
        self.assertEqual(json.loads(self.lines()[-1])["fields"], {"verb": "end", "table": 17})

    def test_hang_ups_of_a_wire(self) -> None:
        """What the connections of a wire log is one kind, whoever it was and why."""
        publisher = LogPublisher(FilteringLogObserver(self.log, []))
        factory = WireFactory.__new__(WireFactory)
        factory.log = Logger(namespace="test", observer=publisher)
        factory.wire = type("Named", (), {"name": "toy"})()
        factory.hang_ups = Counter()
        for number in range(1000):
            factory.hung_up(f"192.0.2.{number % 250}", f"reason {number}")
        self.assertLess(len(self.lines()), LINES_AT_ONCE + 50)
        self.assertIn("toy: hung up on '192.0.2.0': reason 0", self.lines()[0])
        factory.turned_away("192.0.2.1", "planted")
        self.assertIn("toy: refused '192.0.2.1': planted", self.lines()[-1])


class ChatterTests(LogCase):
    """What Twisted says of itself is left out, as long as nothing is wrong."""

    def test_chatter(self) -> None:
        for namespace in ("log_legacy", "twisted.scripts._twistd_unix.UnixAppLogger", "twisted.internet.base"):
            self.log(event(log_namespace=namespace, words="WireFactory starting on 8893"))
            self.log(event(log_namespace=namespace, words="planted", log_level=LogLevel.warn))
        self.assertEqual(len(self.lines()), 3)
        self.assertTrue(all(line.endswith("#warn] planted") for line in self.lines()))


class PlaceTests(LogCase):
    """Where nothing can be written nothing is, and nothing else happens."""

    def test_full_disk(self) -> None:
        if not os.path.exists("/dev/full"):
            raise self.skipTest("no /dev/full here")
        log = self.log
        log.open_file = lambda: os.open("/dev/full", os.O_WRONLY)
        for _ in range(3):
            log(event(words="lost"))
        self.assertEqual(log.lost, 3)
        log.open_file = file_at(str(self.path))
        log.reopen()
        log(event(words="found"))
        log(event(words="again"))
        found, said, again = self.lines()
        self.assertIn("found", found)
        self.assertIn("3 lines were lost before", said)
        self.assertIn("again", again)

    def test_json_log_has_json_lines_alone(self) -> None:
        """The report of lost lines, and of an event that cannot be formatted, are objects too."""

        class Unwilling(Exception):
            def __str__(self) -> str:
                raise RuntimeError("planted")

        log = Log(lambda: os.open("/dev/full", os.O_WRONLY), FORMATS["json"])
        log(event(words="lost"))
        log.open_file = file_at(str(self.path))
        log.reopen()
        log(event(log_failure=Failure(Unwilling()), words="hm"))
        self.close(log)
        said = [json.loads(line)["text"] for line in self.lines()]
        self.assertEqual(said, ["an event cannot be formatted: RuntimeError", "1 lines were lost before this one"])

    def test_reader_that_is_gone(self) -> None:
        """A closed pipe is no signal and no error."""
        reads, writes = self.pipe()
        os.close(reads)
        self.log(event(words="into the void"))
        self.assertEqual(self.log.lost, 1)
        os.close(writes)
        self.log(event(words="not even open"))
        self.assertEqual(self.log.lost, 2)

    def test_reader_that_does_not_read(self) -> None:
        """A full pipe is not waited for; the line that it cut is ended before the next one."""
        reads, writes = self.pipe()
        for number in range(LINES_AT_ONCE - 1):
            self.log(event(words=f"{number} " + "€" * 2_900))  # three pieces, between which the pipe is full
        self.assertGreater(self.log.lost, 50)
        data = os.read(reads, 1 << 20)
        self.assertFalse(data.endswith(b"\n"))
        self.log(event(words="and on"))
        data += os.read(reads, 1 << 20)
        lines = data.decode("utf-8", "replace").splitlines()
        self.assertRegex(lines[-2], r"^1970-\S+ \[test#info\] and on$")
        self.assertRegex(lines[-1], r"^1970-.* lines were lost before this one$")
        for end in (reads, writes):
            os.close(end)

    def test_event_that_cannot_be_told(self) -> None:
        class Breaking:
            def __format__(self, spec: str) -> str:
                raise RuntimeError("planted")

            __str__ = __repr__ = __format__  # type: ignore[assignment]

        self.log(event(words=Breaking()))
        self.assertEqual(len(self.lines()), 1)

    def test_log_that_is_called_while_it_writes(self) -> None:
        """A collected Deferred may log at any moment, also in the middle of a line."""
        log = self.log

        class Talking:
            def __format__(self, spec: str) -> str:
                log(event("from within"))
                return "from without"

            def __str__(self) -> str:
                return self.__format__("")

        log(event(words=Talking()))
        self.assertEqual([line.split("] ")[1] for line in self.lines()], ["from within", "from without"])

    def test_put_away(self) -> None:
        self.log(event(words="old"))
        old = self.path.rename(self.path.with_suffix(".1"))
        self.log(event(words="still old"))
        self.log.reopen()
        self.log(event(words="new"))
        self.assertEqual(len(old.read_text("utf-8").splitlines()), 2)
        self.assertEqual(len(self.lines()), 1)
        self.assertEqual(self.path.stat().st_mode & 0o777, 0o600)

    def test_put_away_and_not_opened(self) -> None:
        """If there can be no new file, the lines go on in the old one."""
        self.log(event(words="old"))
        self.log.open_file = file_at("/nowhere/games.log")
        self.assertRaises(FileNotFoundError, self.log.reopen)
        self.log(event(words="still old"))
        self.assertEqual(len(self.lines()), 2)
        self.assertEqual(self.log.lost, 0)


class TwistdTests(SynchronousTestCase):
    def options(self, **given: Any) -> dict[str, Any]:
        return {"nodaemon": 1, "logfile": None, "logger": None, "syslog": 0, **given}

    def test_twistd_is_told(self) -> None:
        """It finds the log under a name, as it would another one's."""
        twistd = self.options()
        log = log_for(twistd, "json")
        assert log is not None
        self.assertEqual(twistd["logger"], "gamehost.ops.logging.process_log")
        self.assertIs(process_log(), log)
        self.assertIs(log.words, json_line)
        self.assertIs(log.open_file, standard_output)

    def test_files(self) -> None:
        """`--logfile`, and without a terminal `twistd.log`, wherever the process goes afterwards."""
        path = Path(self.mktemp()).absolute()
        for twistd in (self.options(logfile=str(path)), self.options(logfile=str(path), nodaemon=0)):
            log = log_for(twistd, "text")
            assert log is not None
            file = log.open_file()
            assert file is not None
            os.close(file)
        self.assertTrue(path.exists())
        self.assertIsNot(log_for(self.options(nodaemon=0), "text").open_file, standard_output)  # type: ignore[union-attr]

    def test_a_file_that_cannot_be_written(self) -> None:
        """It is refused at once: a host without its log would be found out much later."""
        path = Path(self.mktemp()).absolute() / "no" / "log"
        self.assertRaises(OSError, log_for, self.options(logfile=str(path)), "text")

    def test_others_are_left_alone(self) -> None:
        """`--logger` and `--syslog` win, and `twist` has its own."""
        for twistd in (self.options(logger="a.b"), self.options(syslog=1), {}, None):
            before = dict(twistd or {})
            self.assertIsNone(log_for(twistd, "text"))
            self.assertEqual(twistd or {}, before)


class EscapingTests(SynchronousTestCase):
    def test_escapes(self) -> None:
        self.assertEqual(escaped("\x1b[2J\x07\u202e\u2028\x85\ud800é"), r"\x1b[2J\x07\u202e\u2028\x85\ud800é")
        self.assertEqual(escaped("\xa0\u200b\U000e0041"), r"\xa0\u200b\U000e0041")
