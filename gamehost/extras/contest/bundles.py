"""
Makes a zip of a git bundle that an author has uploaded. git reads the bundle, isolated as the author's program would be.
"""

import os
import shutil
import subprocess
from collections.abc import Sequence
from tempfile import TemporaryFile

from gamehost.ops.workers import kill

#: The first line of a bundle, with its version, as of gitformat-bundle.
_BEGINS = (b"# v2 git bundle\n", b"# v3 git bundle\n")
#: The most seconds that git may take.
GIT_SECONDS = 60.0
#: The most bytes of each file that git writes, such as the zip. The other limits apply when the zip is unpacked.
MOST_MADE = 64 * 2**20
#: The shell script that reads the bundle and writes the zip. The units are seconds, KiB, and blocks of 512 bytes.
_READ = f"""set -e
ulimit -t {int(GIT_SECONDS)}
ulimit -v {2**20}
ulimit -f {MOST_MADE // 512}
where=$(mktemp -d)
trap 'rm -rf "$where"' EXIT
cd "$where"
cat > bundle
export HOME="$where" GIT_CONFIG_NOSYSTEM=1
git clone --quiet --bare bundle code
git --git-dir=code archive --format=zip HEAD
"""


class NoBundle(Exception):
    """A git bundle cannot be read. The message says what was expected."""


def is_bundle(data: bytes) -> bool:
    """Returns whether data begins as a git bundle."""
    return data.startswith(_BEGINS)


def reading() -> Sequence[str]:
    """
    Returns the command that reads a bundle from its standard input, and writes the files of its `HEAD` as a zip to its
    standard output.
    """
    return "sh", "-c", _READ


def zip_of(data: bytes, words: Sequence[str]) -> bytes:
    """
    Returns the files of a git bundle as a zip.

    :param words: the command of `reading`, with the words in front that isolate it
    :raises NoBundle: there is no git on this machine, or it cannot read the bundle
    :raises OSError: the command cannot be started
    """
    if shutil.which("git") is None:
        raise NoBundle("expected a zip: there is no git on this machine")
    with TemporaryFile() as given, TemporaryFile() as made:
        given.write(data)
        given.seek(0)
        # No variables of the organizer, which may contain secrets.
        environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
        process = subprocess.Popen(words, stdin=given, stdout=made, stderr=subprocess.DEVNULL, env=environment)
        try:
            status = process.wait(GIT_SECONDS)
        # The process is ended below, and the bundle is refused.
        except subprocess.TimeoutExpired:
            status = 1
        finally:
            if process.poll() is None:
                kill(process.pid)
                process.wait()
        if status:
            raise NoBundle("expected a whole bundle with HEAD: git bundle create bot.bundle HEAD")
        # A larger zip is cut off here, and refused when it is unpacked.
        made.seek(0)
        return made.read(MOST_MADE)
