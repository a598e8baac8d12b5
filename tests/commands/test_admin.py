"""`gamehost admin`: what it asks of a host, and how it shows the answer; what bash completes of every command."""

import argparse
import io
import json
import os
import shlex
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from gamehost import __main__
from gamehost.__main__ import completion_words
from gamehost.commands.admin import VERBS, duration, main, parser
from gamehost.commands.command_line import bash, exit_with_usage_error, print_text, socket_beside, while_read, words_of
from gamehost.storage.names import Member
from tests.admin.test_host import MEMBERS, State
from tests.kit.admin import AdminHost


class AdminCase(SynchronousTestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.store = str(Path(folder.name) / "store")
        self.requests: list[Any] = []

    def ask(self, *argv: str, answers: Sequence[object] = ({"end": {}},)) -> tuple[int, str, str]:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(self.store + ".admin")
            server.listen()
            thread = threading.Thread(target=self.serve, args=(server, answers))
            thread.start()
            try:
                return self.run_command(f"--store={self.store}", *argv)
            finally:
                thread.join(10)
                Path(self.store + ".admin").unlink()

    def serve(self, server: socket.socket, answers: Sequence[object]) -> None:
        one, _ = server.accept()
        with one:
            self.requests.append(json.loads(one.makefile("rb").readline()))
            one.sendall(b"".join(json.dumps(answer).encode() + b"\n" for answer in answers))

    def run_command(self, *argv: str) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        status = main(argv, out, err)
        return status, out.getvalue(), err.getvalue()


WHO = {"name": "an\x1bn", "account": False, "house": False, "wire": "onitama", "address": "192.0.2.1"}


class AnswerTests(AdminCase):
    def test_items(self) -> None:
        answers = [{"item": {**WHO, "table": 3, "game": "onitama"}}, {"item": {**WHO, "table": None, "game": None}}]
        status, out, err = self.ask("who", answers=[*answers, {"end": {}}])
        self.assertEqual(self.requests, [{"command": "who", "arguments": {}}])
        self.assertEqual(
            out.splitlines(),
            ["an\\x1bn  guest  onitama  from 192.0.2.1  table 3 (onitama)", "an\\x1bn  guest  onitama  from 192.0.2.1"],
        )
        self.assertEqual((status, err), (0, ""))

    def test_json(self) -> None:
        for argv in (("--json", "who"), ("who", "--json")):
            _, out, _ = self.ask(*argv, answers=[{"item": {"a": 1}}, {"item": {}}, {"end": {}}])
            self.assertEqual(out, '{"a": 1}\n{}\n')

    def test_refusal(self) -> None:
        status, out, err = self.ask("who", answers=[{"error": "planted", "status": 1}])
        self.assertEqual((status, out, err), (1, "", "gamehost admin: planted\n"))

    def test_an_answer_is_not_complete_when_the_host_ends(self) -> None:
        status, _, err = self.ask("who", answers=[{"item": {**WHO, "table": None, "game": None}}])
        self.assertEqual(status, 3)
        self.assertIn("has ended before", err)


class SocketTests(AdminCase):
    def test_no_host(self) -> None:
        status, out, err = self.run_command(f"--store={self.store}", "who")
        self.assertEqual((status, out), (3, ""))
        self.assertIn(f"no host runs with the socket {self.store}.admin", err)

    def test_no_socket_by_default(self) -> None:
        self.assertIsNone(socket_beside("memory"))
        self.assertIsNone(socket_beside("postgresql://localhost/games"))
        status, _, err = self.run_command("--store=memory", "who")
        self.assertEqual(status, 3)
        self.assertIn("--admin", err)

    def test_words_to_all_need_no_quotation_marks(self) -> None:
        for words in (["We stop at 8."], ["We", "stop", "at", "8."]):
            self.assertEqual(parser().parse_args(["say", *words]).text, "We stop at 8.")

    def test_times(self) -> None:
        for words, seconds in (("for 90s", 90), ("for 30min", 1800), ("for 2 h", 7200), ("for 7d", 604_800)):
            parsed = parser().parse_args(["ban", "ann", *words.split()])
            self.assertEqual(parsed.seconds, seconds)
        self.assertIsNone(parser().parse_args(["ban", "ann"]).seconds)
        self.patch(sys, "stderr", io.StringIO())
        for words in ("2h", "for", "for ever", "for 2", "for 2h 3"):
            error = self.assertRaises(SystemExit, parser().parse_args, ["ban", "ann", *words.split()])
            self.assertEqual(error.code, 2)

    def test_wrong_words(self) -> None:
        self.patch(sys, "stderr", io.StringIO())
        for argv in (["dance"], [], ["who", "--store=a", "--admin=b"]):
            error = self.assertRaises(SystemExit, self.run_command, *argv)
            self.assertEqual(error.code, 2)


class BackupTests(AdminCase):
    def test_backup(self) -> None:
        facts = {"file": "/a\x1b", "rows": 3, "accounts": 2, "bytes": 1_250_000, "faults": ["one"]}
        status, out, _ = self.ask("backup", "a", "--force", "--accept-faults", answers=[{"end": facts}])
        arguments = {"file": os.path.join(os.getcwd(), "a"), "force": True, "accept_faults": True}
        self.assertEqual(self.requests, [{"command": "backup", "arguments": arguments}])
        self.assertEqual((status, out), (0, "fault: one\n/a\\x1b: 3 rows and 2 accounts copied and checked, 1.2 MB\n"))


class LostTests(AdminCase):
    def test_lost(self) -> None:
        tables = [{"table": 7, "told": 3, "held": 2}, {"table": 8, "told": 0, "held": None}]
        _, out, _ = self.ask("lost", "list", answers=[*({"item": one} for one in tables), {"end": {"lost": 2}}])
        lines = [
            "7  players received row 3; the database has rows up to 2",
            "8  players received row 0; the database has no row of it",
        ]
        self.assertEqual(out.splitlines(), lines)
        _, out, _ = self.ask("lost", "list", answers=[{"end": {"lost": 0}}])
        self.assertEqual(
            out, "no match is suspended: the store has all rows that players received, and no game has had a fault\n"
        )
        fault = {"table": 9, "game": "gomoku", "players": ["ann", None], "fault": "KeyError: \x1b"}
        _, out, _ = self.ask("lost", "list", answers=[{"item": fault}, {"end": {"lost": 1}}])
        self.assertEqual(out, "9  gomoku of ann, (nobody): stopped by a fault of the game: KeyError: \\x1b\n")
        _, out, _ = self.ask("game", "open", "gomoku", answers=[{"end": {"game": "gomoku"}}])
        self.assertEqual(out, "matches of gomoku begin again\n")
        _, out, _ = self.ask("lost", "resume", "7", answers=[{"end": {"table": 7}}])
        self.assertEqual(out, "table 7 continues; its players get their seats when they log in\n")
        _, out, _ = self.ask("lost", "end", "8", answers=[{"end": {"table": 8}}])
        self.assertEqual(out, "table 8 was given up; its players are free\n")
        self.assertEqual([one["arguments"] for one in self.requests[4:]], [{"table": 7}, {"table": 8}])


class AccountTests(AdminCase):
    def test_list(self) -> None:
        ann = {"name": "ann", "present": True, "table": 3, "last_log_in": "2026-01-31"}
        bob = {"name": "bob", "present": False, "table": None, "last_log_in": None}
        _, out, _ = self.ask("account", "list", "a*", answers=[{"item": ann}, {"item": bob}, {"end": {}}])
        self.assertEqual(self.requests, [{"command": "account list", "arguments": {"pattern": "a*"}}])
        lines = [
            "ann  here  last log-in: 2026-01-31  seat at table 3",
            "bob  away  last log-in: unknown",
        ]
        self.assertEqual(out.splitlines(), lines)

    def test_reset(self) -> None:
        facts = {"name": "ann", "connections": 1, "table": 3}
        _, out, _ = self.ask("account", "reset", "ann", answers=[{"end": {**facts, "password": "made"}}])
        words = "ann has a new password; connections closed: 1; the seat at table 3 is kept"
        self.assertEqual(out.splitlines(), [words, "password: made"])
        self.patch(sys, "stdin", io.StringIO("canary\n"))
        _, out, _ = self.ask("account", "reset", "ann", "--stdin", answers=[{"end": facts}])
        self.assertEqual(out.splitlines(), [words])
        self.assertEqual(
            [one["arguments"] for one in self.requests], [{"name": "ann"}, {"name": "ann", "password": "canary"}]
        )

    def test_changes(self) -> None:
        facts = {"name": "Zoe", "connections": 0, "table": None}
        _, out, _ = self.ask("account", "rename", "ann", "Zoe", answers=[{"end": facts}])
        self.assertEqual(out, "the account has the name Zoe now\n")
        _, out, _ = self.ask("account", "delete", "zoe", "--force", answers=[{"end": {**facts, "table": 4}}])
        self.assertEqual(out, "Zoe is deleted; the seat at table 4 is given up\n")
        renaming = {"name": "ann", "new_name": "Zoe", "force": False}
        self.assertEqual([one["arguments"] for one in self.requests], [renaming, {"name": "zoe", "force": True}])


class ShownTests(SynchronousTestCase):
    def test_status(self) -> None:
        world = AdminHost()
        world.host.context.lobby.no_room = "planted"
        status = world.ask("status")
        lines = list(VERBS["status"].end(status))
        measured = {"changes": 9, "commits": 3, "mean_commit_ms": 1.25, "waiting_changes": 1, "waiting_seconds": 0.5}
        *_, line, _ = VERBS["status"].end({**status, "journal": {**status["journal"], **measured}})
        self.assertEqual(line, "journal: 9 changes in 3 commits, 1.25 ms each; 1 changes wait, the oldest for 0.5 s")
        self.assertTrue(lines[0].startswith("gamehost "))
        for line in ("closed: planted", "connections: 0 (0 refused), HTTP 0", "people: 0, 0 of them wait"):
            self.assertIn(line, lines)

    def test_who(self) -> None:
        world = AdminHost()
        world.match()
        lines = [line for item in world.items("who") for line in VERBS["who"].item(item)]
        self.assertEqual(lines[0], "ann  guest  onitama  from 192.0.2.1  table 1 (onitama)")

    def test_duration(self) -> None:
        for seconds, words in ((0, "0 s"), (67, "1 min 7 s"), (90_061, "1 d 1 h")):
            self.assertEqual(duration(seconds), words)


class MatchVerbsShownTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.world = AdminHost("--set=onitama.deal=boar,ox/crab,eel/tiger")
        _, bob = self.world.match()
        bob.transport.hang_up()
        self.world.until_idle()

    def test_tables(self) -> None:
        [line] = [line for item in self.world.items("tables") for line in VERBS["tables"].item(item)]
        self.assertEqual(line, "1  onitama  ann (onitama), bob (onitama, away)  1 entry")
        [item] = self.world.items("tables")
        [line] = VERBS["tables"].item({**item, "private": True, "phase": "suspended", "entries": 2, "watchers": 3})
        self.assertTrue(line.endswith("2 entries  3 watch  (private, suspended)"))
        for played, asleep, said in (
            (1, 0, []),
            (0, 0, ["no match is played"]),
            (0, 2, ["asleep, with no player at the table: 2"]),
        ):
            self.assertEqual(list(VERBS["tables"].end({"played": played, "asleep": asleep})), said)

    def test_show(self) -> None:
        shown = self.world.ask("show", table=1)
        lines = list(VERBS["show"].end(shown))
        self.assertEqual(lines[0], "table 1: onitama, playing, after entry 1")
        self.assertEqual(lines[1], "seat 0: ann (onitama)")
        self.assertIn("seat 1: bob (onitama, away), the seat is kept for 60 s", lines)
        self.assertIn("boar", "".join(lines))
        [first, _] = shown["seats"]
        timed = list(VERBS["show"].end({**shown, "seats": [{**first, "clock_seconds": 59.5, "house": True}]}))
        self.assertEqual(timed[1], "seat 0: ann (onitama), a house player, 59.5 s on the clock")
        without = VERBS["show"].end({**shown, "board": None, "awaited": None, "private": True})
        self.assertIn("this game has no picture in text", list(without))


class PeopleVerbsShownTests(SynchronousTestCase):
    def test_say_and_drain(self) -> None:
        world = AdminHost()
        world.match()
        world.connect("console")
        for command, arguments, words in (
            ("say", {"text": "hello"}, "told: 1; not sent, because their wire has no words for it: 2"),
            ("drain", {}, "no new matches begin; the host ends after the last of 1"),
            ("drain", {"cancel": True}, "the host continues, and new matches begin"),
        ):
            self.assertEqual(list(VERBS[command].end(world.ask(command, **arguments))), [words])
        self.assertEqual(list(VERBS["drain"].end(AdminHost().ask("drain"))), ["no match is played; the host ends now"])
        facts = {"draining": True, "tables": 1, "remote_games": 2}
        lines = list(VERBS["drain"].end(facts))
        self.assertEqual(lines, ["no new matches begin; the host ends after the last of 3"])

    def test_reload(self) -> None:
        lines = VERBS["reload"].end({"changed": ["grace"], "need_a_restart": ["onitama"]})
        self.assertEqual(list(lines), ["changed: grace", "needs a restart: onitama"])
        self.assertEqual(list(VERBS["reload"].end(AdminHost().ask("reload"))), ["nothing is different"])

    def test_bans(self) -> None:
        world = AdminHost()
        world.match()
        for command, arguments, words in (
            ("kick", {"name": "bob"}, "bob: the connection is closed; the seat at table 1 is kept"),
            ("ban", {"target": "ann"}, "ann is banned for ever; connections closed: 1"),
            ("ban", {"target": "192.0.2.9", "seconds": 60}, "192.0.2.9 is banned until 20"),
            ("unban", {"target": "ann"}, "ann is not banned any more"),
        ):
            [line] = VERBS[command].end(world.ask(command, **arguments))
            self.assertTrue(line.startswith(words), line)
        [line] = [line for item in world.items("bans") for line in VERBS["bans"].item(item)]
        self.assertRegex(line, r"192.0.2.9  address  since 20\S+Z  until 20\S+Z")
        [line] = VERBS["bans"].item({"target": "ann", "kind": "name", "since": 0, "until": None})
        self.assertEqual(line, "ann  name  since 1970-01-01T00:00:00Z  for ever")


class ClusterVerbsShownTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.world = AdminHost()

    def lines(self) -> list[str]:
        *items, end = self.world.owner().ask("cluster")
        verb = VERBS["cluster"]
        return [*(line for one in items for line in verb.item(one["item"])), *verb.end(end["end"])]

    def test_cluster(self) -> None:
        self.world.host.cluster = State()
        self.assertEqual(
            self.lines(),
            [
                "3  a.example  tcp:10.0.0.1:8990",
                "5  b.example  tcp:10.0.0.2:8990  (this member)",
                "6  c.example  tcp:10.0.0.3:8990",
                "this member: people: 0; tables: 0, and 0 asleep",
                "this member: relayed connections: 7 to other members, 2 from them",
            ],
        )

    def test_names(self) -> None:
        """Names from the database cannot control the terminal."""
        self.world.host.cluster = State(3, [Member(3, "a\x1b", "tcp:10.0.0.1:8990", "")])
        self.assertEqual(self.lines()[0], "3  a\\x1b  tcp:10.0.0.1:8990  (this member)")

    def test_status(self) -> None:
        status = self.world.ask("status")
        self.assertNotIn("cluster", "".join(VERBS["status"].end(status)))
        relays = "relayed connections: 7 to other members, 2 from them"
        for state, words in (
            (State(), f"cluster: 3 members; this one is number 5; {relays}"),
            (State(members=MEMBERS[1:]), f"cluster: 2 members; this one is number 5; {relays}"),
        ):
            self.world.host.cluster = state
            self.assertIn(words, [*VERBS["status"].end(self.world.ask("status"))])


class PrintingTests(SynchronousTestCase):
    def test_text(self) -> None:
        with redirect_stdout(StringIO()) as output:
            print_text("one\ntwo\n")
        self.assertEqual(output.getvalue(), "one\ntwo\n")

    def test_who_has_read_enough(self) -> None:
        """A reader that goes away, as `head` does, is no error, not even when the output is closed."""
        reader, writer = os.pipe()
        os.close(reader)
        after = []
        with open(writer, "w", encoding="utf-8") as output:
            with while_read(output):
                print("one", file=output, flush=True)
                after.append("two")
            print("three", file=output)
        self.assertEqual(after, [])

    def test_usage_error(self) -> None:
        with redirect_stderr(StringIO()) as output:
            error = self.assertRaises(SystemExit, exit_with_usage_error, "no such thing", "try another")
        self.assertEqual((error.code, output.getvalue()), (2, "gamehost: no such thing (try another)\n"))


class BashTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.script = bash(completion_words())

    def offers(self, *lines: str) -> list[list[str]]:
        """What is offered for the last word of each line."""
        program = [self.script]
        for line in lines:
            words = ["gamehost", *line.split(" ")]
            program.append(f"COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}; COMPREPLY=()")
            program.append('_gamehost; echo "${COMPREPLY[*]}"')
        ended = subprocess.run(["bash", "-c", "\n".join(program)], capture_output=True, text=True, check=True)
        self.assertEqual(ended.stderr, "")
        return [line.split() for line in ended.stdout.splitlines()]

    def test_words(self) -> None:
        verbs, admin, ban, account, journal, run, check = self.offers(
            "", "admin ", "admin --json ba", "admin account ", "journal li", "run --on", "check oni"
        )
        self.assertLessEqual({"run", "admin", "journal", "completion"}, set(verbs))
        self.assertLessEqual({name.split()[0] for name in VERBS}, set(admin))
        self.assertEqual(sorted(ban), ["backup", "ban", "bans"])
        self.assertIn("list", account)
        self.assertEqual(journal, ["list"])
        self.assertIn("--onitama", run)
        self.assertIn("onitama", check)

    def test_bash_offers_files_where_nothing_is_offered(self) -> None:
        self.assertEqual(self.offers("journal list --store=gamehost.sq"), [[]])
        self.assertIn("complete -o default", self.script)

    def test_command(self) -> None:
        with redirect_stdout(StringIO()) as output:
            __main__.main(["completion", "bash"])
        self.assertEqual(output.getvalue(), self.script)
        error = self.assertRaises(SystemExit, __main__.main, ["completion", "fish"])
        self.assertEqual(error.code, 2)

    def test_parsers_below(self) -> None:
        top = argparse.ArgumentParser(prog="x", add_help=False)
        below = top.add_subparsers().add_parser("one", add_help=False)
        below.add_argument("-s", "--two")
        self.assertEqual(dict(words_of("x", top)), {"x": ["one"], "x/one": ["--two"]})
