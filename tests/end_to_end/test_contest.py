"""Contests between real programs: good ones, bad ones, and a kill in the middle."""

import contextlib
import json
import os
import signal
import socket
import sys
import time
from collections import Counter
from io import BytesIO
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from urllib.request import Request, urlopen
from zipfile import ZipFile

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from gamehost.extras.contest import owners
from gamehost.extras.contest.isolation import why_not
from gamehost.extras.contest.owners import Owners, owners_here
from gamehost.extras.contest.run import MOST_WAITING
from tests import long
from tests.kit.fork_server import ROOT, run, start
from tests.kit.process import PATIENCE, HostProcess, Socket

#: Plays at random, to the end.
BOT = f"{sys.executable} {ROOT}/docs/bots/onitama_bot.py {{name}} --port {{port}}"
#: Programs of a few lines: each connects and logs in, and then does something wrong.
_IN = (
    "import os,socket,sys,time\ns=socket.create_connection((os.environ['GAMEHOST_HOST'],int(os.environ['GAMEHOST_PORT'])))\n"
    "s.sendall(('LOGIN|'+os.environ['GAMEHOST_NAME']+'\\n').encode())\nf=s.makefile('rb')\n"
    "while not f.readline().startswith(b'START'): pass\n"
)
#: Asks for the seat of somebody else, to give it up.
_AS = (
    "import os,socket,sys,time\nothers={'ann','bob'}-{os.environ['GAMEHOST_NAME']}\n"
    "def enter(name):\n"
    " try:\n"
    "  s=socket.create_connection((os.environ['GAMEHOST_HOST'],int(os.environ['GAMEHOST_PORT'])))\n"
    "  s.sendall(('LOGIN|'+name+'\\n').encode()); s.settimeout(30); s.recv(99); s.close()\n"
    " except OSError: pass\n"
)
BAD = {
    "gone": _IN + "sys.exit(3)",
    "hangs": _IN + "time.sleep(1000)",
    "floods": _IN + "while True: s.sendall(b'MAKE_MOVE|ox|a1|a9\\n'*1000)",
    "nonsense": _IN + "s.sendall(b'\\xff\\xfe'*5000)\ntime.sleep(1000)",
    "greedy": "import time\nx=b'x'*400_000_000\ntime.sleep(1000)",
    "helped": "import subprocess\nsubprocess.Popen(['setsid','tail','-f',__file__])\n" + _IN + "time.sleep(1000)",
    "unkept": "import subprocess,time\nsubprocess.Popen(['setsid','tail','-f',__file__])\ntime.sleep(0.3)\n"
    "import os\nos.kill(os.getppid(),9)\ntime.sleep(1000)",
    # Cheats.
    "early": _AS + "for name in others: enter(name)\n" + _IN + "time.sleep(1000)",
    "double": _AS + _IN + "for name in others: enter(name)\ntime.sleep(1000)",
    "daemon": "import subprocess,sys\nif len(sys.argv)<2: subprocess.Popen(['setsid',sys.executable,__file__,'again'])\n"
    + _AS
    + "while len(sys.argv)>1:\n for name in others: enter(name)\n time.sleep(0.05)\n"
    + _IN
    + "sys.exit(3)",
    "forks": _IN + "for _ in range(100): os.fork() or time.sleep(1000)\ntime.sleep(1000)",
    "prints": _IN + "while True: os.write(1,b'x'*60000)",
    "crashes": "raise ValueError('no such opening')",
    "never": "import time\ntime.sleep(1000)",
    # Waits in its game until a test makes a file beside it; and only the first time that it is started.
    "waits": _IN + "while not os.path.exists(__file__+'.go'): time.sleep(0.05)",
    "once": _IN
    + "again=os.path.exists(__file__+'.went')\nopen(__file__+'.went','w').close()\nagain or time.sleep(1000)",
}


CHEATS = ("early", "double", "daemon", "forks", "prints")
#: Those of which a class of programs is afraid.
CARELESS = ("gone", "hangs", "floods", "nonsense", "greedy", "helped", "unkept", "crashes")


class ContestCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def begin(self, players: dict[str, str], *more: str) -> Any:
        words = [
            f"--out={self.folder.absolute() / 'out'}",
            "--wire=onitama",
            "--seed=1",
            "--no-check",
            # More than a sound program needs on a slow machine: no test waits for it.
            "--move-time=60",
            *more,
        ]
        for name, command in players.items():
            program = self.folder / f"{name}.py"
            if command in BAD:
                program.write_text(BAD[command], "utf-8")
                command = f"{sys.executable} {program.absolute()}"
            words.append(f"--player={name}={command}")
        return start("gamehost", ["contest", *words], ROOT, {**os.environ, "PYTHONPATH": str(ROOT)})

    def results(self) -> Any:
        return json.loads((self.folder / "out" / "results.json").read_text("utf-8"))

    def points(self) -> dict[str, float]:
        return {one["name"]: one["points"] for one in self.results()["players"]}

    def finish(self, contest: Any) -> None:
        """A contest waits for the times of its programs, one after the other."""
        self.assertEqual(contest.wait(timeout=5 * PATIENCE), 0, contest.stdout.read())


class ProgramsTests(ContestCase):
    @long
    def test_a_bad_program_costs_its_own_games_only(self) -> None:
        bad = CARELESS
        options = ("--format=gauntlet", "--memory=300", f"--concurrency={len(bad)}", "--move-time=8")
        self.finish(self.begin({"ann": BOT, **{name: name for name in bad}}, *options))
        self.assertEqual(self.points(), {"ann": float(len(bad)), **dict.fromkeys(bad, 0.0)})
        causes = {one["players"][1 - one["players"].index("ann")]: one["cause"] for one in self.results()["games"]}
        self.assertEqual(causes["crashes"], "crash")
        self.assertEqual(causes["greedy"], "memory")
        self.assertEqual(causes["hangs"], "time")
        self.assertEqual([one for one in Path("/proc").glob("[0-9]*/cmdline") if self.helps(one)], [])
        words = {one["words"] for one in self.results()["games"] if one["cause"] == "crash"}
        self.assertTrue(any("ValueError: no such opening" in one for one in words), words)

    @long
    def test_a_cheat_costs_its_own_games_only(self) -> None:
        """
        It asks for the seats of others before their programs are started, beside its own seat, and from a process that it has
        left behind; it starts many processes, and prints without an end.
        """
        cheats = {name: name for name in CHEATS}
        self.finish(
            # With more memory than all the processes of a game can take before they are counted.
            self.begin(
                {"ann": BOT, "bob": BOT, **cheats},
                "--processes=60",
                "--memory=8000",
                "--concurrency=2",
                "--move-time=8",
            )
        )
        lines = [json.loads(line) for line in (self.folder / "out" / "contest.jsonl").read_text("utf-8").splitlines()]
        names = [one["name"] for one in lines[0]["plan"]["entrants"]]
        games = [one["played"] for one in lines if "played" in one]
        between = [one for one in games if {*one["players"]} == {0, 1}]
        self.assertEqual([(one["cause"], one["ruling"]) for one in between], [("rules", None)])
        for one in games:
            honest = [seat for seat, player in enumerate(one["players"]) if player < 2]
            if len(honest) == 1:
                self.assertEqual(one["shares"][honest[0]], 1.0, one)
        # A process that was ended meanwhile has no connection any more, and no owner is found.
        found = [one["refused"] for one in lines if "refused" in one and one["refused"]["owner"] is not None]
        refused = [(names[one["owner"]], one["name"]) for one in found]
        self.assertEqual(
            {*refused}, {(cheat, name) for cheat in ("early", "double", "daemon") for name in ("ann", "bob")}
        )
        causes = {
            names[one["players"][seat]]: one["cause"]
            for one in games
            for seat in (0, 1)
            if one["players"][1 - seat] < 2
        }
        self.assertEqual(causes["early"], "seat")
        self.assertEqual(causes["double"], "seat")
        self.assertEqual(causes["forks"], "processes")
        self.assertEqual(causes["prints"], "time")

    def helps(self, command: Path) -> bool:
        """Whether this is a process that a program has left behind."""
        with contextlib.suppress(OSError):
            return b"tail" in (words := command.read_bytes()) and bytes(self.folder) in words
        return False

    def audit(self) -> tuple[int, str]:
        audit = run("gamehost", "contest", "--audit", f"--out={self.folder / 'out'}")
        return audit.returncode, audit.stdout

    @long
    def test_an_audit(self) -> None:
        """A long game is drawn. All follows from plan and seed, and what somebody has changed does not."""
        # In two moves nobody can win; in three a player at random does, now and then.
        self.finish(self.begin({"ann": BOT, "bob": BOT}, "--pairs", "--most-moves=2"))
        self.assertEqual(self.points(), {"ann": 1.0, "bob": 1.0})
        self.assertEqual({game["cause"] for game in self.results()["games"]}, {"moves"})
        good = "2 games: players, deals, moves and points follow from the plan and the seed\n"
        self.assertEqual(self.audit(), (0, good))
        journal = self.folder / "out" / "contest.jsonl"
        whole = journal.read_text("utf-8")
        journal.write_text(whole.replace('"seed": 1', '"seed": 2'), "utf-8")
        status, said = self.audit()
        self.assertEqual(status, 1)
        self.assertIn("game 1.1a: entry 1: the seed of the game gives another deal", said)

    @long
    def test_house_players(self) -> None:
        """On a wire where the second player joins by the id of the match. Those of all wires play in memory."""
        self.finish(self.begin({"ann": "house:random", "bob": "house:random"}, "--wire=litama"))
        self.assertEqual([one["cause"] for one in self.results()["games"]], ["rules"])

    @long
    def test_two_that_are_gone_at_once(self) -> None:
        """The host puts away a match at which nobody is. That decides nothing, and the deadline is not waited for."""
        contest = self.begin({"gone": "gone", "floods": "floods"}, "--pairs", "--deadline=90")
        self.finish(contest)
        self.assertLessEqual({one["cause"] for one in self.results()["games"]}, {"gone", "crash", "left"})

    def test_in_the_middle(self) -> None:
        """A program that hangs is taken out while its game is played. A change that is none is refused with its reason."""
        contest = self.begin({"ann": BOT, "bob": BOT, "hangs": "hangs"}, "--concurrency=3")
        journal, words = (
            self.folder / "out" / "contest.jsonl",
            ("contest", "drop", "hangs", f"--out={self.folder / 'out'}"),
        )
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and not (journal.exists() and b"played" in journal.read_bytes()):
            time.sleep(0.02)
        changed = run("gamehost", *words)
        self.assertEqual((changed.returncode, changed.stdout), (0, "hangs is out: taken out by the organizer\n"))
        self.finish(contest)
        self.assertEqual(len(self.results()["games"]), 1)
        again = run("gamehost", *words)
        self.assertEqual(again.returncode, 2)
        self.assertIn("hangs is out", again.stderr)

    def test_killed_at_any_moment(self) -> None:
        """The contest is killed again and again, and has the table that it has without."""
        players = {"ann": BOT, "gone": "gone"}
        for number in range(4):
            contest = self.begin(players, "--pairs", "--rounds=3", "--concurrency=2")
            journal = self.folder / "out" / "contest.jsonl"
            until = time.monotonic() + PATIENCE
            while time.monotonic() < until and contest.poll() is None:
                if journal.exists() and journal.read_bytes().count(b"\n") > number + 1:
                    break
                time.sleep(0.02)
            contest.send_signal(signal.SIGKILL)
            contest.wait(timeout=PATIENCE)
        self.finish(self.begin(players, "--pairs", "--rounds=3", "--concurrency=2"))
        self.assertEqual(self.points(), {"ann": 6.0, "gone": 0.0})
        lines = journal.read_text("utf-8").splitlines()[1:]
        counted = Counter(json.loads(line)["played"]["id"] for line in lines)
        self.assertEqual((len(counted), set(counted.values())), (6, {1}))


#: Says what it can reach. `PORT` is the page of the contest, and `OUT` its folder.
SPY = """
import os,socket,sys,tempfile
found=[]
def tries(what, act):
    try:
        act()
        found.append(what)
    except Exception:
        pass
contest=os.path.dirname(os.path.abspath(__file__))+'/../out'
tries('read', lambda: open(contest+'/contest.jsonl').read())
tries('write', lambda: open(contest+'/results.json','a').write('x'))
tries('link', lambda: os.symlink('/etc/passwd', contest+'/games/9.9.txt'))
tries('own', lambda: open(__file__).read())
tries('temporary', tempfile.TemporaryFile)
tries('host', lambda: socket.create_connection(('127.0.0.1', int(os.environ['GAMEHOST_PORT'])), 3))
tries('page', lambda: socket.create_connection(('127.0.0.1', PAGE), 3))
tries('signal', lambda: os.kill(RUNNER, 15))
sys.exit('it can: ' + ' '.join(found))
# whole
"""


class IsolationTests(ContestCase):
    """Cheats that only isolation can prevent."""

    def found(self, kind: str) -> set[str]:
        """What a program can reach."""
        if (why := why_not(kind)) is not None:
            raise SkipTest(why)
        self.folder = Path(mkdtemp())  # other users may not enter the folders of tests
        self.addCleanup(rmtree, self.folder)
        self.folder.chmod(0o755)
        spy = self.folder / "spy" / "spy.py"
        spy.parent.mkdir(mode=0o755)
        spy.write_text(SPY)  # the contest has its numbers when it runs
        python = "/usr/bin/python3" if kind == "user" else os.path.realpath(sys.executable)
        words = ("--web=0", f"--isolate={kind}")
        filled = f"while grep -q PAGE {spy} || ! grep -q whole {spy}; do sleep 0.05; done"
        contest = self.begin({"spy": f"sh -c '{filled}; {python} {spy}' {spy}", "ann": BOT}, *words)
        page = int(contest.stdout.readline().decode().split(":")[-1].split("/")[0])
        spy.write_text(SPY.replace("PAGE", str(page)).replace("RUNNER", str(contest.pid)), "utf-8")
        self.finish(contest)
        [one] = self.results()["games"]
        self.assertIn("it can: ", one["words"])
        return {*one["words"].rpartition("it can: ")[2].rstrip(")").split()}

    def test_a_sandbox(self) -> None:
        self.assertEqual(self.found("bubblewrap"), {"own", "temporary", "host"})

    def test_a_user(self) -> None:
        if not os.path.exists("/usr/bin/python3"):
            raise SkipTest("expected a Python that other users may run")
        self.assertEqual(self.found("user"), {"own", "temporary", "host", "page"})

    @long
    def test_a_program_in_a_sandbox_plays(self) -> None:
        """It is known by its door: a log-in under another name costs the game."""
        if (why := why_not("bubblewrap")) is not None:
            raise SkipTest(why)
        players = {"ann": BOT, "bob": BOT, "early": "early"}
        self.finish(self.begin(players, "--isolate=bubblewrap", f"--isolate-read={ROOT / '.venv'}"))
        games = {tuple(sorted(one["players"])): one["cause"] for one in self.results()["games"]}
        self.assertEqual(games["ann", "bob"], "rules")
        self.assertEqual((games["ann", "early"], games["bob", "early"]), ("seat", "seat"))


class UploadTests(ContestCase):
    @long
    def test_a_program_that_is_handed_in_plays(self) -> None:
        """From its next game on: the one of before loses the game that is being played."""
        if (why := why_not("bubblewrap")) is not None:
            raise SkipTest(why)
        before = self.folder / "out.uploads" / "ann" / "0"
        before.mkdir(parents=True)
        (before / "bot.py").write_text(BAD["waits"])
        players = {"ann": BOT.replace(f"{ROOT}/docs/bots/onitama_bot.py", "{folder}/bot.py"), "bob": BOT}
        # Other games begin beside one that only waits: so many may have the program of before.
        games = 2 + MOST_WAITING
        words = (
            "--isolate=bubblewrap",
            f"--isolate-read={ROOT / '.venv'}",
            "--web=0",
            "--uploads",
            f"--rounds={games}",
        )
        contest = self.begin(players, *words, "--concurrency=1", "--format=gauntlet")
        where = next(line for line in iter(contest.stdout.readline, b"") if line.startswith(b"uploads: ")).decode()
        url = where.removeprefix("uploads: ").partition(",")[0]
        code = json.loads((self.folder / "out" / "codes.json").read_text("utf-8"))["ann"]
        zipped = BytesIO()
        with ZipFile(zipped, "w") as archive:
            archive.write(ROOT / "docs" / "bots" / "onitama_bot.py", "ann/bot.py")
        headers = {"X-Contest-Code": code, "Content-Type": "application/zip"}
        with urlopen(Request(url, zipped.getvalue(), headers), timeout=PATIENCE) as answer:
            self.assertEqual(answer.read().partition(b":")[0], b"taken as number 1")
        (before / "bot.py.go").touch()
        self.finish(contest)
        causes = [one["cause"] for one in self.results()["games"]]
        self.assertEqual((len(causes), causes[0] != "rules", causes[-1]), (games, True, "rules"))
        lines = (self.folder / "out" / "contest.jsonl").read_text("utf-8").splitlines()
        self.assertEqual([*map(next, map(iter, map(json.loads, lines)))], ["plan", "replaced", *["played"] * games])


class OwnersTests(SynchronousTestCase):
    def test_whose_a_connection_is(self) -> None:
        """From the kernel or from the list of sockets, of IPv4 and of IPv6; and of nobody once it is closed."""

        def refuses(*ends: object) -> int:
            raise OSError

        if owners_here() is None:
            raise SkipTest("this system does not show it")
        for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::ffff:127.0.0.1")):
            with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(family) as client:
                there = server.getsockname()
                client.connect((address, there[1]))
                here, number = ("127.0.0.1", client.getsockname()[1]), os.fstat(client.fileno()).st_ino
                self.assertEqual(owners.socket_number(here, there), number)
                self.assertEqual(Owners().among(os.getpid(), number), os.getpid())
                asked = self.patch(owners, "_asked", refuses)
                self.assertEqual(owners.socket_number(here, there), number)
                asked.restore()
                client.close()
                self.assertEqual((owners.socket_number(here, there), Owners().anywhere(number)), (0, None))

    def test_a_process_that_has_ended(self) -> None:
        """It costs no look at all the processes of this machine."""

        def looks() -> object:
            raise AssertionError

        self.patch(owners, "running", looks)
        self.assertEqual([*owners.family(2**30)], [2**30])


class HostedTests(ContestCase):
    """On a running host, by places that it keeps."""

    @long
    def test_everybody_sees_it(self) -> None:
        host = HostProcess("--house=0", wires=("onitama", "open"), folder=self.folder, store="gamehost.sqlite")
        with host:
            words = (f"--host={host.ports['onitama']}", f"--admin={self.folder.absolute() / 'gamehost.sqlite.admin'}")
            # Somebody waits who has no place in the contest, and meets nobody of it.
            waiting = host.connect("onitama")
            waiting.say("LOGIN|eve")
            # Ann has a key for each game.
            players = {"ann": BOT.replace("{name}", "{name}:{key}"), "bob": BOT, "gone": "gone"}
            self.finish(self.begin(players, *words, "--rounds=2", "--concurrency=3"))
            self.assertEqual(sum(self.points().values()), 6.0)
            self.assertEqual(self.points()["gone"], 0.0)
            between = [one["cause"] for one in self.results()["games"] if "gone" not in one["players"]]
            self.assertEqual(between, ["rules", "rules"])
            looking = host.connect("open")
            # A match at which nobody has come in time is put away, and its game is played at another table.
            for number in range(1, 13):
                looking.say(f'{{"do":"history","table":{number}}}')
            self.assertIn('"is":"history"', "".join(looking.hear() for _ in range(1, 13)))
            self.assertTrue((self.folder / "out" / "games" / "1.1.svg").exists())

    def test_a_person(self) -> None:
        """Somebody at the console has a place, comes before the program or after it, and plays each game."""
        with HostProcess(
            "--house=0", wires=("onitama", "console"), folder=self.folder, store="gamehost.sqlite"
        ) as host:
            words = (f"--host={host.ports['onitama']}", f"--admin={self.folder / 'gamehost.sqlite.admin'}")
            contest = self.begin({"pat": "person", "bob": BOT}, *words, "--rounds=2")
            person = host.connect("console")
            person.say("name pat")
            for _ in range(2):
                person.say("play onitama")
                while "You play against bob." not in person.hear():
                    pass
                person.say("resign yes")
                while "wins" not in person.hear():
                    pass
            self.finish(contest)
        self.assertEqual(self.points(), {"pat": 0.0, "bob": 2.0})
        self.assertEqual([game["cause"] for game in self.results()["games"]], ["left", "left"])

    def test_a_host_that_ends_stops_the_contest(self) -> None:
        """The game that was played does not count, and the same command goes on with it on the next host."""
        store, admin = "gamehost.sqlite", self.folder.absolute() / "gamehost.sqlite.admin"
        with HostProcess("--house=0", wires=("onitama", "open"), folder=self.folder, store=store) as host:
            players = {"ann": BOT, "once": "once"}
            contest = self.begin(players, f"--host={host.ports['onitama']}", f"--admin={admin}")
            until = time.monotonic() + PATIENCE
            looking, told = host.connect("open"), ""
            while '"is":"shown"' not in told and time.monotonic() < until:
                looking.say('{"do":"watch","table":1}')
                told = looking.hear()
            host.process.kill()
            host.process.wait(PATIENCE)
            self.assertEqual(contest.wait(timeout=PATIENCE), 2)
        self.assertEqual((self.folder / "out" / "contest.jsonl").read_text("utf-8").count("\n"), 1)
        with HostProcess("--house=0", wires=("onitama",), folder=self.folder, store=store) as host:
            self.finish(self.begin(players, f"--host={host.ports['onitama']}", f"--admin={admin}"))
        self.assertEqual(len(self.results()["games"]), 1)


class PageTests(ContestCase):
    def test_sigterm_beside_long_bodies(self) -> None:
        """A contest ends when it is asked to, whatever is sent to its page; the same command goes on."""
        contest = self.begin({"ann": BOT, "hangs": "hangs"}, "--web=0")
        port = int(contest.stdout.readline().decode().split(":")[-1].split("/")[0])
        clients = [Socket(port) for _ in range(4)]
        for client in clients:
            head = f"POST /contest HTTP/1.1\r\nHost: localhost\r\nContent-Length: {1 << 26}\r\n\r\n"
            client.socket.sendall(head.encode() + b"x=1&" * 60_000)
            self.assertEqual(client.hear(), "HTTP/1.1 413 Request Entity Too Large\r")
        for client in clients:
            client.socket.settimeout(0.2)
            with contextlib.suppress(OSError):
                client.socket.sendall(b"x=1&" * (1 << 20))
        contest.send_signal(signal.SIGTERM)
        self.assertEqual(contest.wait(timeout=PATIENCE), 1)
        for client in clients:
            client.close()

    def test_the_page(self) -> None:
        contest = self.begin({"ann": BOT, "waits": "waits"}, "--web=0")
        line = contest.stdout.readline().decode()
        self.assertIn("page: http://127.0.0.1:", line)
        where = line.split()[1].removesuffix("contest")
        until, page = time.monotonic() + PATIENCE, ""
        while 'src="live/1.1.svg"' not in page and time.monotonic() < until:
            with urlopen(f"{where}contest", timeout=PATIENCE) as answer:
                page = answer.read().decode()
        self.assertIn('src="live/1.1.svg"', page)
        (self.folder / "waits.py.go").touch()
        self.finish(contest)
        self.assertIn(">waits</a>", (self.folder / "out" / "results.html").read_text("utf-8"))
        self.assertTrue((self.folder / "out" / "games" / "1.1.svg").exists())
