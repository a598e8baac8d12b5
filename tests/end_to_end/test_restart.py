"""A host that is killed, stopped, or must not start: over real sockets, with a real store."""

import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

from twisted.trial.unittest import SkipTest, SynchronousTestCase

from tests import long
from tests.kit import opened_kills, release_store
from tests.kit.journals import by_rows
from tests.kit.kills import Pair, kill_at_random
from tests.kit.offer_kills import OfferPair
from tests.kit.process import PATIENCE, ROOT, HostProcess, Socket

DEAL = ("--set", "onitama.deal=boar,ox/crab,eel/tiger")
POSITION = "ppkpp/...../...../..K../PP.PP|white=boar,tiger;black=crab,eel;spare=ox|bob"


class RestartCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def host(self, *options: str) -> HostProcess:
        return HostProcess(*DEAL, *options, wires=["onitama"], folder=self.folder, store="store.sqlite")

    def refusal(self, *options: str) -> str:
        host = self.host(*options)
        error = self.assertRaises(AssertionError, host.__enter__)
        host.__exit__(None, None, None)
        self.assertNotEqual(host.process.returncode, 0)
        self.assertNotIn("listening", str(error))
        return str(error)

    def begin(self, host: HostProcess, first: str = "ann", second: str = "bob") -> list[Socket]:
        """Ann and Bob, or others, play a move. Who lets go of their sockets has lost the connections."""
        ann, bob = host.connect("onitama"), host.connect("onitama")
        ann.say(f"LOGIN|{first}")
        self.assertEqual(ann.hear(), f"WAITING|{first}")
        bob.say(f"LOGIN|{second}")
        self.assertTrue(ann.hear().startswith("START|"))
        ann.say("MAKE_MOVE|ox|c1|c2")
        self.assertEqual(ann.hear(), "MOVE_WAS_MADE|ox|c1|c2")
        self.assertTrue(bob.hear().startswith("START|"))
        self.assertEqual(bob.hear(), "MOVE_WAS_MADE|ox|c1|c2")
        return [ann, bob]

    def go_on(self, host: HostProcess) -> None:
        ann, bob = host.connect("onitama"), host.connect("onitama")
        bob.say("LOGIN|bob")
        self.assertEqual(bob.hear(), f"RECONNECT|bob|black|{POSITION}")
        self.assertEqual(bob.hear(), "LOGOUT|ann")
        ann.say("LOGIN|ann")
        self.assertEqual(ann.hear(), f"RECONNECT|ann|white|{POSITION}")
        self.assertEqual(bob.hear(), f"RECONNECT|ann|white|{POSITION}")
        bob.say("MAKE_MOVE|crab|a5|a4")
        self.assertEqual(ann.hear(), "MOVE_WAS_MADE|crab|a5|a4")


class ReleaseTests(SynchronousTestCase):
    def test_their_matches_go_on(self) -> None:
        """In a store of each release from 1.0 on: the quick match, the slow one, and what an account has kept."""
        for release in sorted(release_store.HOME.glob("*.sql")):
            folder = Path(self.mktemp()).absolute()
            folder.mkdir()
            release_store.restored(release, folder)
            with release_store.host(folder) as running:
                self.go_on(running)

    def go_on(self, running: HostProcess) -> None:
        ann, bob, ben, olga = (release_store.come(running, name) for name in ("ann", "bob", "ben", "olga"))
        for player in (ann, bob):
            release_store.hear(player, "back")
        table = release_store.matches(ben)[0]
        release_store.say(ben, do="sit", table=table["table"])
        self.assertEqual((table["state"], table["names"]), ("turn", ["olga", "ben"]))
        release_store.hear(ben, "back")
        release_store.say(bob, do="act", table=release_store.matches(bob)[0]["table"], action="crab c5 c4")
        release_store.say(ben, do="act", table=table["table"], action="crab c5 c4")
        for player in (ann, ben):
            self.assertEqual(release_store.hear(player, "event")["event"]["card"], "crab")
        release_store.say(olga, do="keep", game="onitama")
        self.assertEqual(release_store.hear(olga, "kept")["text"], "a note")
        for player in (ann, bob, ben, olga):
            player.close()


class RestartTests(RestartCase):
    def test_stopped_in_mid_game_and_on(self) -> None:
        """SIGTERM: within five seconds, and nobody forfeits, even with no grace at all."""
        with self.host("--grace=0") as host:
            sockets = self.begin(host)
            _, seconds = host.stop()
            self.assertLess(seconds, 5)
            for player in sockets:
                player.close()
        with self.host() as host:
            self.go_on(host)

    def test_kills_lose_nothing(self) -> None:
        """At random instants under play: no acknowledged move is lost, none is there twice."""
        moves = kill_at_random(12, seed=1, folder=self.folder)
        self.assertGreater(moves, 12)

    def test_kills_lose_nothing_that_was_agreed(self) -> None:
        """On the open wire, while something is offered, and when it was accepted just now. Keys alone give seats back."""
        moves = kill_at_random(5, seed=1, folder=self.folder, new_pair=OfferPair)
        self.assertGreater(moves, 5)

    def test_kills_lose_no_table_that_waits(self) -> None:
        """Nor a seat at one, nor a match that has begun there, while players come and go."""
        self.assertGreater(opened_kills.kill_at_random(5, seed=2, folder=self.folder), 50)


class LateCheckTests(RestartCase):
    """With very many tables the ports open before all records are checked. This host has checked one table by then."""

    def late_host(self) -> HostProcess:
        module = "tests.kit.altered_hosts:checks_late"
        return HostProcess(*DEAL, wires=["onitama"], folder=self.folder, store="store.sqlite", module=module)

    @long
    def test_a_table_that_is_damaged_is_left_out(self) -> None:
        """Its players are told so. The others play on; the owner finds it in the log, and `journal verify` names it."""
        with self.host() as host:
            there = [self.begin(host), self.begin(host, "cid", "dan")]
            host.stop()
        by_rows(self.folder / "store.sqlite")
        with closing(sqlite3.connect(self.folder / "store.sqlite")) as connection, connection:
            connection.execute("UPDATE event SET at_ms = at_ms + 1 WHERE game = 2 AND n = 2")
        with self.late_host() as host:
            self.assertIn("2 tables to resume", host.log)
            cid = host.connect("onitama")
            cid.say("LOGIN|cid")
            self.assertIn("a fault has stopped this match; nobody has won", cid.hear())
            self.go_on(host)
            host.until("resumed 1 table in ")
            self.assertIn("not resumed: table 2: row 2 does not match its hash", host.log)
            host.stop()
        self.assertEqual(len(there), 2)
        command = [sys.executable, "-m", "gamehost", "journal", "verify", "--store", str(self.folder / "store.sqlite")]
        verified = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        self.assertEqual(verified.returncode, 1)
        self.assertIn("table 2: row 2 does not match its hash", verified.stdout)
        self.assertIn("table 2: row 2 does not match its hash", self.refusal())


class FullDiskTests(RestartCase):
    def test_full_disk_ends_the_host_and_no_acknowledged_move_is_lost(self) -> None:
        """Nothing false is said, the process ends with a message and a status, and the next one goes on."""
        pair = Pair(("ann", "bob"), random.Random(1))
        cramped = HostProcess(
            wires=["onitama"], folder=self.folder, store="store.sqlite", module="tests.kit.altered_hosts:full_disk"
        )
        with cramped as host:
            pair.log_in(host)
            with self.assertRaises(OSError):
                for _ in range(10_000):
                    pair.move()
            pair.read_what_came()
            pair.close()
            self.assertEqual(host.process.wait(PATIENCE), 70)
        self.assertIn("the host ends", cramped.log)
        self.assertIn("store.sqlite", cramped.log)
        self.assertGreater(pair.moves, 5)
        with self.host() as host:
            pair.log_in(host)
            pair.move()
            pair.close()


class ReadOnlyTests(RestartCase):
    """A file system that the kernel makes read-only under play, after an error. This needs root and a loop device."""

    def setUp(self) -> None:
        super().setUp()
        image, self.mounted = self.folder / "image", self.folder / "mounted"
        self.mounted.mkdir()
        with image.open("wb") as file:
            file.truncate(32 * 1024 * 1024)
        self.image = str(image)
        if shutil.which("mkfs.ext4") is None or not self.run_program("mkfs.ext4", "-qF", self.image):
            raise SkipTest("there is no mkfs.ext4")
        self.mount()
        self.addCleanup(self.run_program, "umount", "--lazy", str(self.mounted))

    def run_program(self, *words: str) -> bool:
        return subprocess.run(words, capture_output=True, timeout=PATIENCE).returncode == 0

    def mount(self) -> None:
        if not self.run_program("mount", "-o", "loop,errors=remount-ro", self.image, str(self.mounted)):
            raise SkipTest("this process may not mount a file system")

    def spoil(self) -> None:
        """Report an error to the kernel, which it takes for the disk's."""
        mounts = [line.split() for line in Path("/proc/mounts").read_text().splitlines()]
        device = next(Path(words[0]).name for words in mounts if words[1] == str(self.mounted))
        try:
            Path(f"/sys/fs/ext4/{device}/trigger_fs_error").write_text("planted")
        except OSError:
            raise SkipTest("this process may not report an error to the kernel") from None

    def mend(self) -> None:
        """
        Mount the image anew, after a check. If another test has begun a view of its own of all mounts meanwhile, the disk is in
        use until that ends.
        """
        self.assertTrue(self.run_program("umount", str(self.mounted)))
        for _ in range(600):
            if not subprocess.run(["losetup", "-j", self.image], capture_output=True, timeout=PATIENCE).stdout:
                break
            time.sleep(0.1)
        else:
            self.fail("the disk is still in use")
        subprocess.run(["e2fsck", "-fy", self.image], capture_output=True, timeout=PATIENCE)
        self.mount()

    def host(self, *options: str) -> HostProcess:
        return HostProcess(
            *("--set", "onitama.max_plies=1000000"), wires=["onitama"], folder=self.mounted, store="store.sqlite"
        )

    def test_read_only_in_mid_game(self) -> None:
        """The host ends at the next move and says why; nothing false is confirmed. On a mended disk the match goes on."""
        pair = Pair(("ann", "bob"), random.Random(1))
        with self.host() as host:
            pair.log_in(host)
            for _ in range(5):
                pair.move()
            self.spoil()
            with self.assertRaises(OSError):
                for _ in range(10_000):
                    pair.move()
            pair.close()
            self.assertEqual(host.process.wait(PATIENCE), 70)
        self.assertRegex(host.log, "the host ends: store.sqlite: .*(Read-only file system|Input/output error)")
        self.assertIn("store.sqlite: Read-only file system", self.refusal())
        self.mend()
        with self.host() as host:
            pair.log_in(host)
            pair.move()
            pair.close()


class DeletedTests(RestartCase):
    def lose(self, name: str) -> None:
        """Delete a file between two moves, and play on until the host has noticed."""
        pair = Pair(("ann", "bob"), random.Random(1))
        with HostProcess(
            "--set", "onitama.max_plies=1000000", wires=["onitama"], folder=self.folder, store="store.sqlite"
        ) as host:
            pair.log_in(host)
            pair.move()
            (self.folder / name).unlink()
            with self.assertRaises(OSError):
                for _ in range(100_000):
                    if pair.known is None:
                        pair.log_in(host)  # a match may end before the host notices
                    pair.move()
            pair.close()
            self.assertEqual(host.process.wait(PATIENCE), 70)
        self.assertIn(f"{name} was deleted while the host had it open", host.log)

    def test_a_deleted_log(self) -> None:
        """The host ends with a message; it does not confirm moves that are nowhere."""
        self.lose("store.sqlite-wal")

    def test_a_deleted_store(self) -> None:
        self.lose("store.sqlite")


class RefusedTests(RestartCase):
    """What must not start says why, opens nothing, and ends with a status that is not 0."""

    def test_second_host_on_the_same_store(self) -> None:
        """The message names the first host's process; that host goes on unharmed."""
        with self.host() as host:
            self.begin(host)
            refusal = self.refusal()
            self.assertRegex(refusal, rf"another host( \(process {host.process.pid}\))? has this journal open")
            self.assertIn("--store=", refusal)
            host.kill()
        with self.host() as host:
            self.assertIn("resumed 1 table", host.log)
            self.go_on(host)

    def test_locks_that_do_nothing(self) -> None:
        """As on some network file systems. A second host would overwrite moves that the first one has confirmed."""
        compiler = shutil.which("cc")
        if compiler is None:
            raise SkipTest("there is no C compiler")
        library = self.folder / "no_locks.so"
        source = ROOT / "tests" / "kit" / "no_locks.c"
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        host = HostProcess(
            wires=["onitama"], folder=self.folder, store="store.sqlite", environment={"LD_PRELOAD": str(library)}
        )
        error = self.assertRaises(AssertionError, host.__enter__)
        host.__exit__(None, None, None)
        self.assertIn("locks do nothing on this file system", str(error))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["no_locks.so"])

    def test_older_copy_put_back(self) -> None:
        """A store that is shorter than recorded is refused, and taken only when its owner says so."""
        store = self.folder / "store.sqlite"
        with self.host() as host:
            host.stop()
        copy = store.read_bytes()
        with self.host() as host:
            self.begin(host)
            host.stop()
        store.write_bytes(copy)
        refusal = self.refusal()
        self.assertIn("run gamehost journal verify", refusal)
        self.assertNotIn("--accept-loss", refusal)
        with self.host("--accept-loss") as host:
            self.assertNotIn("resumed", host.log)
        with self.host():
            pass

    @long
    def test_a_log_file_that_cannot_be_written(self) -> None:
        """The start is refused: a host without its log would be noticed much later."""
        twistd = "import sys; from twisted.scripts.twistd import run; sys.argv[0] = 'twistd'; run()"
        words = ["--nodaemon", "--pidfile=", "--logfile=nowhere/log", "gamehost", "--store=store.sqlite"]
        found = subprocess.run(
            [sys.executable, "-c", twistd, *words],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            timeout=PATIENCE,
        )
        self.assertEqual(found.returncode, 2)
        self.assertIn("--logfile: ", found.stderr)
        self.assertIn("No such file or directory", found.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])


class MountedTests(RestartCase):
    """A store that is mounted alone, elsewhere: its log would be there, and not beside the file itself."""

    def test_a_mounted_file(self) -> None:
        """A host is refused at the mount, and nothing is written. Where the whole folder is mounted, it starts."""
        with self.host() as host:
            self.begin(host)
        (self.folder / "mounted").mkdir()
        (self.folder / "mounted" / "store.sqlite").touch()
        open_it = (
            "import sys; from pathlib import Path; from gamehost.storage.sqlite import open_journal\n"
            "from gamehost.journal.records import StoreUnusable\n"
            "try: open_journal(Path(sys.argv[1]), lambda call: None, print).close()\n"
            "except StoreUnusable as error: print(error)"
        )
        for what, where in (("store.sqlite", "mounted/store.sqlite"), (".", "mounted")):
            command = ["unshare", "--mount", "sh", "-c", 'mount --bind "$1" "$2" && shift 2 && exec "$@"', "sh"]
            start = [sys.executable, "-c", open_it, "mounted/store.sqlite"]
            try:
                found = subprocess.run(
                    [*command, what, where, *start],
                    cwd=self.folder,
                    env={**os.environ, "PYTHONPATH": str(ROOT)},
                    capture_output=True,
                    text=True,
                )
            except FileNotFoundError:
                raise SkipTest("this system has no unshare") from None
            if (found.returncode and "mount" in found.stderr + found.stdout) or "unshare" in found.stderr:
                raise SkipTest("nothing can be mounted here")
            self.assertEqual(found.stderr, "")
            if what == ".":
                self.assertEqual(found.stdout, "")
            else:
                self.assertIn("mounted/store.sqlite: this file is mounted alone", found.stdout)
                self.assertEqual(os.listdir(self.folder / "mounted"), ["store.sqlite"])
