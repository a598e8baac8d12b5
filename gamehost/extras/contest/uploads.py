"""
Uploads of programs by their authors during a contest: the authors' codes, the limits of a zip, and its check.

A zip is unpacked into a new folder. If the program in it passes the entry check, the folder is renamed to the number of the
upload, and a line of the journal names the folder. A contest that is killed before that line is on disk continues with the
earlier program.
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

#: The name of the file with the codes, in the folder of the contest. Each player with uploads has a code.
CODES = "codes.json"
#: The most bytes of a zip.
MOST_BYTES = 8 * 2**20
#: The most entries of a zip, and the most bytes of all its files when they are unpacked.
MOST_ENTRIES, MOST_UNPACKED = 2_000, 64 * 2**20
#: The most bytes of a path in a zip, and of one part of a path.
LONGEST_PATH, LONGEST_PART = 1_000, 255
#: How many uploads may be in progress at the same time, and how many programs of one author are accepted in all. All accepted
#: programs remain on disk.
MOST_AT_ONCE, MOST_TAKEN = 2, 20
#: How often the uploads of one author are checked: how many a second on average, and how many at once.
LOOKS_RATE, LOOKS_AT_ONCE = 1 / 20, 5
#: How the name of the folder of an upload begins while the upload is not accepted.
NEW = ".new-"

_CHUNK = 65_536
#: The first bytes of each entry of a zip's directory. A far too long directory is not read, because that takes much memory.
_LISTED = b"PK\x01\x02"
#: A folder that macOS adds to each zip. It is not unpacked.
_OF_A_MAC = "__MACOSX/"
_NO_ZIP = "expected a whole zip, with stored and deflated files and without a password"

_log = Logger()


class UploadRefused(Exception):
    """The upload is refused. The message tells its author the reason."""


@define
class HandedIn:
    """
    The outcome of an upload.

    :param taken: whether the player plays with the uploaded program from now on
    :param words: the outcome in words, for its author
    """

    taken: bool
    words: str


def uploads_of(folder: Path) -> Path:
    """
    Returns the path of the folder for the uploaded programs of a contest. It is next to the contest's own folder, not in
    it, because programs cannot read the contest's folder.

    :param folder: the folder of the contest
    """
    folder = folder.absolute()
    return folder.with_name(f"{folder.name}.uploads")


def first_folder(folder: Path, name: str) -> Path:
    """
    Returns the path of the folder that a player's program has before the first upload. An organizer can put a program
    there.

    :param folder: the folder of the contest
    """
    return uploads_of(folder) / _own(name) / "0"


def _own(name: str) -> str:
    """Returns the name of a player's folder. A `%` comes before a dot at the beginning: a player may be called `..`."""
    return f"%{name}" if name.startswith(".") else name


def codes_of(folder: Path, names: Sequence[str]) -> Mapping[str, str]:
    """
    Returns the code of each player, by name. An author shows the code to upload a program for the player. Codes are
    read from a file in the folder of the contest. A player without a code gets a new one, which is written to the file.

    :param folder: the folder of the contest. Only its owner can read the file of the codes.
    :raises OSError: the file cannot be read or written
    :raises ValueError: the file is damaged
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
    Unpacks a zip into a folder, within the limits of this module. The bytes are counted while they are unpacked, because
    the sizes that a zip names may be false.

    :param folder: an empty folder
    :raises UploadRefused: the data is not a zip, or exceeds a limit. Some files may be in the folder then.
    :raises OSError: a file cannot be stored
    """
    # Each entry has this mark in the zip's list of entries. Reading the list takes time and memory, so a zip with far
    # too many marks is refused before. The bytes of the mark may also occur by chance inside a packed file: therefore
    # the factor 10.
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
    # The path of an entry already exists: as a file, or a file where a folder is needed.
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        raise UploadRefused("expected each name once") from None
    # The errors that `zipfile` raises for damaged, encrypted and unknown zips.
    except (BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError, zlib.error, struct.error) as error:
        raise UploadRefused(_NO_ZIP) from error


def _unpack_one(archive: ZipFile, one: ZipInfo, folder: Path, left: int) -> int:
    """
    Unpacks one entry of a zip: a file or a folder.

    :param left: how many bytes may still be unpacked
    :returns: how many bytes may be unpacked after this entry
    :raises UploadRefused: the entry is a link or something else that is not accepted, or too large
    """
    path = folder / _checked_path(one.orig_filename)
    # The upper 16 bits are the mode of the file on Unix. 0: the zip was made on another system.
    mode = one.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise UploadRefused(f"expected files and folders only, no links: {ascii(one.filename)[:80]}")
    if one.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise UploadRefused(_NO_ZIP)
    _make_folder(path if one.is_dir() else path.parent)
    if one.is_dir():
        return left
    with archive.open(one) as packed, path.open("xb") as file:
        # Counts the bytes that really come, because the zip may name a smaller size.
        while chunk := packed.read(_CHUNK):
            left -= len(chunk)
            if left < 0:
                raise UploadRefused(f"expected {MOST_UNPACKED >> 20} MiB at most when it is unpacked")
            file.write(chunk)
    # A file that its owner could execute can be executed by all. The program runs as another user.
    path.chmod(0o755 if mode & 0o111 else 0o644)
    return left


def _checked_path(name: str) -> str:
    """
    Returns the path of a zip's entry, relative to its folder, after a check.

    :param name: the path as the zip has it
    :raises UploadRefused: the path could lead out of the folder, or is not possible on some systems
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
    """Makes a folder, and the folders above it, so that all users may read them."""
    if not path.is_dir():
        _make_folder(path.parent)
        path.mkdir()
        path.chmod(0o755)


def content_of(folder: Path) -> Path:
    """
    Returns the folder of an unpacked program. If a zip contains a single folder and nothing else, that folder is the
    program's.

    :param folder: the folder into which the zip was unpacked
    """
    found = [*folder.iterdir()]
    return found[0] if len(found) == 1 and found[0].is_dir() else folder


def folder_of(uploads: Path, plan: Plan, name: str) -> Path:
    """
    Makes the folder for a player's uploaded programs, if it is missing, and returns its path. The programs of other players
    cannot read it.

    :param uploads: the folder of all uploads
    :raises OSError: the folder cannot be made
    """
    uploads.mkdir(exist_ok=True)
    # Other users may pass through this folder, but not list it.
    uploads.chmod(0o711)
    folder = uploads / _own(name)
    folder.mkdir(exist_ok=True)
    # The group of the folder becomes that of the user under which the player's program runs.
    if plan.isolate == "user":
        os.chown(folder, -1, FIRST_USER + plan.names.index(name))
    folder.chmod(0o750)
    return folder


@define(eq=False)
class Uploads:
    """
    Accepts and checks the programs that authors upload during a contest, and puts good ones into the contest.

    :param later: calls a function with arguments in a thread, and returns a Deferred with its result; `None`: the reactor's
        threads are used
    :raises ContestError: the file of the codes or the folders cannot be used
    """

    _reactor: Any
    _run: ContestRun
    _folder: Path
    _later: Callable[..., Deferred[Any]] | None = None
    #: The code of each player with uploads, by the player's name.
    codes: Mapping[str, str] = field(init=False)
    #: The digests of the codes, by the names.
    _digests: Mapping[str, bytes] = field(init=False)
    #: The names of the players with an upload that is being received or checked.
    _busy: set[str] = field(factory=set)
    #: Limits how often each player may upload.
    _looks: KeyedBuckets[str] = field(factory=lambda: KeyedBuckets(LOOKS_RATE, LOOKS_AT_ONCE))
    #: The checks that are running.
    _checks: set[EntryCheck] = field(factory=set)
    _stopped: bool = False

    def __attrs_post_init__(self) -> None:
        """
        Reads or makes the codes of the players that may upload, and makes their folders.

        :raises ContestError: the codes cannot be read, or a folder cannot be made
        """
        plan = self._run.contest.plan
        names = [one.name for one in plan.entrants if one.folder]
        try:
            self.codes = codes_of(self._folder, names)
            for name in names:
                for left in folder_of(uploads_of(self._folder), plan, name).glob(f"{NEW}*"):
                    rmtree(left)  # a contest was killed while it checked this upload
        except (OSError, ValueError, AttributeError) as error:
            raise ContestError(f"nothing can be handed in: {error}") from error
        # `player_with` compares digests, which have equal lengths.
        self._digests = {name: sha256(code.encode()).digest() for name, code in self.codes.items()}

    def player_with(self, code: str) -> str | None:
        """
        Returns the name of the player that has this code; `None`: no player has it. The code is compared with the codes
        of all players, even after one was equal, so the time of this call does not depend on the code.
        """
        given, found = sha256(code.encode("utf-8", "replace")).digest(), None
        for name, digest in self._digests.items():
            if compare_digest(given, digest):
                found = name
        return found

    def enter(self, name: str) -> str | None:
        """
        Begins an upload for a player, if one may begin now. If it has begun, the caller must call `take` when the data
        has come, or `leave` if it does not come.

        :returns: the reason why the player cannot upload now; `None`: the upload has begun
        """
        if name in self._busy:
            return "what was handed in with this code before is still being checked"
        if len(self._busy) >= MOST_AT_ONCE:
            return "others hand something in at this moment: try again in a minute"
        # Limits how often a player may upload: each upload is checked, which takes a processor.
        if not self._looks.of(name, self._reactor.seconds()).take(self._reactor.seconds()):
            return "you hand in too often: try again in a minute"
        self._busy.add(name)
        return None

    def leave(self, name: str) -> None:
        """Ends the upload of a player that `enter` has begun."""
        self._busy.discard(name)

    def take(self, name: str, data: bytes) -> Deferred[HandedIn]:
        """
        Unpacks and checks an uploaded program in a thread. If it is good, the player plays with it from its next game on.

        :param data: a zip or a git bundle
        :returns: fires with the outcome, and never with a failure
        """
        later = self._later
        # Tests give another function than the thread pool.
        if later is None:
            pool = self._reactor.getThreadPool()
            found = deferToThreadPool(self._reactor, pool, self._checked, self._run.contest.plan, name, data)
        else:
            found = later(self._checked, self._run.contest.plan, name, data)

        def done(result: Any) -> Any:
            """Ends the upload, whatever its outcome is, so that the player can begin another one."""
            self.leave(name)
            return result

        return found.addCallback(self._play, name).addErrback(self._not_taken).addBoth(done)

    def _checked(self, plan: Plan, name: str, data: bytes) -> Path:
        """
        Unpacks and checks an uploaded program, and returns its final folder. Runs in a thread, not in the reactor.

        :raises UploadRefused: the upload is damaged or too large, or its program has not passed the check
        :raises NoBundle: the upload is a git bundle that git cannot read
        """
        mine = folder_of(uploads_of(self._folder), plan, name)
        # The accepted programs of a player are numbered from 1.
        number = 1 + max((int(one.name) for one in mine.iterdir() if one.name.isdecimal()), default=0)
        if number > MOST_TAKEN:
            raise UploadRefused(f"{MOST_TAKEN} programs were handed in with this code, and that is all")
        # Git reads a stranger's file here, so it runs as isolated as the player's program.
        if is_bundle(data):
            isolation = Isolation(plan.isolate, plan.readable)
            data = zip_of(data, isolation.words(reading(), plan.names.index(name), None))
        # Unpack and check in a folder with a temporary name. Only a good program gets its number.
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
        """
        Runs the entry check on an uploaded program.

        :raises UploadRefused: the check has found faults, or the contest has ended
        """
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
        """Puts a checked program into the contest, for the player's next games."""
        self._run.hand_in(name, str(folder))
        return HandedIn(True, f"taken as number {folder.name}: {name} plays with it from its next game on")

    def _not_taken(self, failure: Failure) -> HandedIn:
        """Returns the outcome for an upload that was not accepted. Unexpected errors are logged."""
        if failure.check(UploadRefused, NoBundle, ContestError):
            return HandedIn(False, f"not taken: {failure.value}")
        _log.failure("what was handed in could not be looked at", failure)
        return HandedIn(False, "not taken: a fault of the contest. Its organizer can find it in the log")

    def stop(self) -> None:
        """Ends all running checks, because the contest ends. Later uploads are refused."""
        self._stopped = True
        for check in [*self._checks]:
            check.stop()
