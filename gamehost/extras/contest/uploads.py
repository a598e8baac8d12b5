"""
Uploads of programs by their authors during a contest: the codes, the bounds of a zip, and the steps before it is used.

A zip is unpacked into a folder that nobody uses. If the program passes the check before a contest, the folder gets its number,
and the journal one line. A contest that is killed before that line continues with the earlier program.
"""

import json
import os
import stat
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from hmac import compare_digest
from io import BytesIO
from pathlib import Path
from secrets import token_hex
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from attrs import define, evolve, field
from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamehost.extras.contest.bundles import NoBundle, is_bundle, reading, zip_of
from gamehost.extras.contest.contest import ContestError
from gamehost.extras.contest.entry import EntryCheck
from gamehost.extras.contest.files import replace_file
from gamehost.extras.contest.isolation import FIRST_USER, Isolation
from gamehost.extras.contest.plan import Entrant, Plan
from gamehost.extras.contest.run import ContestRun
from gamehost.rates import KeyedBuckets

#: The file of the codes, in the folder of the contest: a code for each player for whom something can be handed in.
CODES = "codes.json"
#: Bytes of a zip.
MOST_BYTES = 8 * 2**20
#: Entries of a zip, and bytes of all its files.
MOST_ENTRIES, MOST_UNPACKED = 2_000, 64 * 2**20
#: Bytes of a path in a zip, and of one part of it.
LONGEST_PATH, LONGEST_PART = 1_000, 255
#: What is handed in at the same time, and what is taken of one author: all of it is kept.
MOST_AT_ONCE, MOST_TAKEN = 2, 20
#: How often the zips of one author are looked at: a second, and at once.
LOOKS_RATE, LOOKS_AT_ONCE = 1 / 20, 5
#: The begin of a folder that is not taken.
NEW = ".new-"

_CHUNK = 65_536
#: The begin of each entry of the list in a zip. The list is not read if it is far too long: that takes much memory.
_LISTED = b"PK\x01\x02"
#: What a Mac adds to each zip.
_OF_A_MAC = "__MACOSX/"
_NO_ZIP = "expected a whole zip, with stored and deflated files and without a password"

_log = Logger()


class UploadRefused(Exception):
    """The upload is refused. The message is for its author."""


@define
class HandedIn:
    """
    The outcome of an upload.

    :param words: for its author
    """

    taken: bool
    words: str


def uploads_of(folder: Path) -> Path:
    """
    The folder of the uploaded programs of a contest: beside the contest's own folder, which the programs cannot read.

    :param folder: of the contest
    """
    folder = folder.absolute()
    return folder.with_name(f"{folder.name}.uploads")


def first_folder(folder: Path, name: str) -> Path:
    """The folder of a player's program before its first upload. An organizer can put a program there."""
    return uploads_of(folder) / _own(name) / "0"


def _own(name: str) -> str:
    """The name of a player's folder: `..` is the name of a player, too."""
    return f"%{name}" if name.startswith(".") else name


def codes_of(folder: Path, names: Sequence[str]) -> Mapping[str, str]:
    """
    The codes of players by their names: those of before, and new ones.

    :param folder: of the contest, where they are written for its owner alone
    :raises OSError: they cannot be read or written
    :raises ValueError: their file is damaged
    """
    path = folder / CODES
    known = json.loads(path.read_text("utf-8")) if path.exists() else {}
    codes = {str(name): str(code) for name, code in known.items()}
    new = {name: token_hex(10) for name in names if name not in codes}
    if new:
        codes |= new
        replace_file(path, json.dumps(codes, indent=1) + "\n", 0o600)
    return {name: codes[name] for name in names}


def unpack(data: bytes, folder: Path) -> None:
    """
    Unpack a zip under bounds. Bytes are counted as they are unpacked: what a zip says of itself is not believed.

    :param folder: an empty one
    :raises UploadRefused: it is no zip, or out of the bounds; some of it may be in the folder
    :raises OSError: it cannot be stored
    """
    if data.count(_LISTED) > 10 * MOST_ENTRIES:
        raise UploadRefused(f"expected {MOST_ENTRIES} entries at most")
    try:
        with ZipFile(BytesIO(data)) as archive:
            entries = [one for one in archive.infolist() if not one.filename.startswith(_OF_A_MAC)]
            if not 0 < len(entries) <= MOST_ENTRIES:
                raise UploadRefused(f"expected 1 to {MOST_ENTRIES} entries, not {len(entries)}")
            left = MOST_UNPACKED
            for one in entries:
                left = _unpack_one(archive, one, folder, left)
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        raise UploadRefused("expected each name once") from None
    except (BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError, zlib.error, struct.error) as error:
        raise UploadRefused(_NO_ZIP) from error


def _unpack_one(archive: ZipFile, one: ZipInfo, folder: Path, left: int) -> int:
    """
    Unpack one entry.

    :returns: how many bytes may still follow
    """
    path = folder / _checked_path(one.orig_filename)
    mode = one.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise UploadRefused(f"expected files and folders only, no links: {ascii(one.filename)[:80]}")
    if one.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise UploadRefused(_NO_ZIP)
    _make_folder(path if one.is_dir() else path.parent)
    if one.is_dir():
        return left
    with archive.open(one) as packed, path.open("xb") as file:
        while chunk := packed.read(_CHUNK):
            left -= len(chunk)
            if left < 0:
                raise UploadRefused(f"expected {MOST_UNPACKED >> 20} MiB at most when it is unpacked")
            file.write(chunk)
    path.chmod(0o755 if mode & 0o111 else 0o644)
    return left


def _checked_path(name: str) -> str:
    """
    The path of an entry in its folder.

    :raises UploadRefused: it could lead elsewhere, or no system has it
    """
    parts = name.removesuffix("/").split("/")
    good = name.isprintable() and "\\" not in name and not any(part in ("", ".", "..") for part in parts)
    if good:
        sizes = [len(part.encode()) for part in parts]  # printable: it has no surrogates
        good = max(sizes) <= LONGEST_PART and sum(sizes) + len(sizes) <= LONGEST_PATH
    if not good:
        raise UploadRefused(f"expected paths inside the zip, without .. and not too long: {ascii(name)[:80]}")
    return "/".join(parts)


def _make_folder(path: Path) -> None:
    """Make a folder that programs may read, with its parents."""
    if not path.is_dir():
        _make_folder(path.parent)
        path.mkdir()
        path.chmod(0o755)


def content_of(folder: Path) -> Path:
    """The folder of a program that was unpacked: the only one in its zip, or the zip itself."""
    found = [*folder.iterdir()]
    return found[0] if len(found) == 1 and found[0].is_dir() else folder


def folder_of(uploads: Path, plan: Plan, name: str) -> Path:
    """
    The folder of a player's programs, which no other player can read.

    :raises OSError: it cannot be made
    """
    uploads.mkdir(exist_ok=True)
    uploads.chmod(0o711)
    folder = uploads / _own(name)
    folder.mkdir(exist_ok=True)
    if plan.isolate == "user":
        os.chown(folder, -1, FIRST_USER + plan.names.index(name))
    folder.chmod(0o750)
    return folder


@define(eq=False)
class Uploads:
    """
    The uploads for the players of a contest.

    :param later: as `deferToThreadPool` with the reactor's pool
    :raises ContestError: the files for it cannot be used
    """

    _reactor: Any
    _run: ContestRun
    _folder: Path
    _later: Callable[..., Deferred[Any]] | None = None
    codes: Mapping[str, str] = field(init=False)
    #: The digests of the codes, by the names.
    _digests: Mapping[str, bytes] = field(init=False)
    #: The players for whom something is being handed in or checked.
    _busy: set[str] = field(factory=set)
    _looks: KeyedBuckets[str] = field(factory=lambda: KeyedBuckets(LOOKS_RATE, LOOKS_AT_ONCE))
    _checks: set[EntryCheck] = field(factory=set)
    _stopped: bool = False

    def __attrs_post_init__(self) -> None:
        plan = self._run.contest.plan
        names = [one.name for one in plan.entrants if one.folder]
        try:
            self.codes = codes_of(self._folder, names)
            for name in names:
                for left in folder_of(uploads_of(self._folder), plan, name).glob(f"{NEW}*"):
                    rmtree(left)  # this process was killed while it was checked
        except (OSError, ValueError, AttributeError) as error:
            raise ContestError(f"nothing can be handed in: {error}") from error
        self._digests = {name: sha256(code.encode()).digest() for name, code in self.codes.items()}

    def player_with(self, code: str) -> str | None:
        """The player with a code. It takes as long for each one."""
        given, found = sha256(code.encode("utf-8", "replace")).digest(), None
        for name, digest in self._digests.items():
            if compare_digest(given, digest):
                found = name
        return found

    def enter(self, name: str) -> str | None:
        """Something is about to be handed in: why that cannot be now, or `None`. Then it is taken, or `leave` is called."""
        if name in self._busy:
            return "what was handed in with this code before is still being checked"
        if len(self._busy) >= MOST_AT_ONCE:
            return "others hand something in at this moment: try again in a minute"
        if not self._looks.of(name, self._reactor.seconds()).take(self._reactor.seconds()):
            return "you hand in too often: try again in a minute"
        self._busy.add(name)
        return None

    def leave(self, name: str) -> None:
        self._busy.discard(name)

    def take(self, name: str, data: bytes) -> Deferred[HandedIn]:
        """Unpack and check what was handed in for a player, and play with it if it is good."""
        later = self._later
        if later is None:
            pool = self._reactor.getThreadPool()
            found = deferToThreadPool(self._reactor, pool, self._checked, self._run.contest.plan, name, data)
        else:
            found = later(self._checked, self._run.contest.plan, name, data)

        def done(result: Any) -> Any:
            self.leave(name)
            return result

        return found.addCallback(self._play, name).addErrback(self._not_taken).addBoth(done)

    def _checked(self, plan: Plan, name: str, data: bytes) -> Path:
        """
        Unpack and check a program that was handed in. Returns its folder. Runs in a thread of its own.

        :raises UploadRefused: it has not
        :raises NoBundle: likewise
        """
        mine = folder_of(uploads_of(self._folder), plan, name)
        number = 1 + max((int(one.name) for one in mine.iterdir() if one.name.isdecimal()), default=0)
        if number > MOST_TAKEN:
            raise UploadRefused(f"{MOST_TAKEN} programs were handed in with this code, and that is all")
        if is_bundle(data):
            isolation = Isolation(plan.isolate, plan.readable)
            data = zip_of(data, isolation.words(reading(), plan.names.index(name), None))
        new = Path(mkdtemp(prefix=NEW, dir=mine))
        try:
            new.chmod(0o755)
            unpack(data, new)
            content = content_of(new)
            self._judge(plan, evolve(plan.entrants[plan.names.index(name)], folder=str(content)))
            return content.rename(mine / str(number))
        finally:
            rmtree(new, ignore_errors=True)

    def _judge(self, plan: Plan, entrant: Entrant) -> None:
        check = EntryCheck(plan)
        self._checks.add(check)
        try:
            if self._stopped:
                raise UploadRefused("the contest has ended")
            wrong = check.judge(entrant)
        finally:
            self._checks.discard(check)
        if wrong:
            raise UploadRefused("the check found:\n" + "".join(f"- {one}\n" for one in wrong).rstrip())

    def _play(self, folder: Path, name: str) -> HandedIn:
        self._run.hand_in(name, str(folder))
        return HandedIn(True, f"taken as number {folder.name}: {name} plays with it from its next game on")

    def _not_taken(self, failure: Failure) -> HandedIn:
        if failure.check(UploadRefused, NoBundle, ContestError):
            return HandedIn(False, f"not taken: {failure.value}")
        _log.failure("what was handed in could not be looked at", failure)
        return HandedIn(False, "not taken: a fault of the contest. Its organizer can find it in the log")

    def stop(self) -> None:
        """The contest ends: nothing more is checked."""
        self._stopped = True
        for check in [*self._checks]:
            check.stop()
