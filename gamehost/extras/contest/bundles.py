"""
Git bundles that authors hand in: git reads one where it is isolated as a program is, and makes a zip of it.
"""

import os
import shutil
import subprocess
from collections.abc import Sequence
from tempfile import TemporaryFile

from gamehost.ops.workers import kill

#: How a bundle begins: its version, of gitformat-bundle.
_BEGINS = (b"# v2 git bundle\n", b"# v3 git bundle\n")
#: Seconds for git.
GIT_SECONDS = 60.0
#: Bytes of a file that git makes, as of its zip. A bundle is small, and its bounds are looked at when the zip is unpacked.
MOST_MADE = 64 * 2**20
#: What reads the bundle, and writes the zip. The units are seconds, KiB, and blocks of 512 bytes.
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
    """It cannot be read. The message says what was expected."""


def is_bundle(data: bytes) -> bool:
    return data.startswith(_BEGINS)


def reading() -> Sequence[str]:
    """The command that reads a bundle, and writes the files of its `HEAD` as a zip."""
    return "sh", "-c", _READ


def zip_of(data: bytes, words: Sequence[str]) -> bytes:
    """
    The files of a bundle, as a zip.

    :param words: start `reading` in isolation
    :raises NoBundle: there is no git here, or it cannot read this
    :raises OSError: it cannot be started
    """
    if shutil.which("git") is None:
        raise NoBundle("expected a zip: there is no git on this machine")
    with TemporaryFile() as given, TemporaryFile() as made:
        given.write(data)
        given.seek(0)
        environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
        process = subprocess.Popen(words, stdin=given, stdout=made, stderr=subprocess.DEVNULL, env=environment)
        try:
            status = process.wait(GIT_SECONDS)
        except subprocess.TimeoutExpired:
            status = 1
        finally:
            if process.poll() is None:
                kill(process.pid)
                process.wait()
        if status:
            raise NoBundle("expected a whole bundle with HEAD: git bundle create bot.bundle HEAD")
        made.seek(0)
        return made.read(MOST_MADE)
