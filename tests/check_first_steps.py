"""
From nothing to the first game and to a contest of four bots, by the words of the pages alone, in a bare Debian.

`python -m tests.check_first_steps [ROOT]`; ROOT is a bare Debian, which is kept. It needs root, `debootstrap` and the ports
of the README.

The commands are read from README.rst and docs/extras/contest/contests.rst. What they say to install is all that is added.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.kit.pages import blocks
from tests.kit.sources import ROOT

#: The reader of the pages, who is not root.
USER = "1000"
#: Where the project is in the bare Debian.
PLACE = "/home/reader/gamehost"
#: Seconds for a command, on a slow machine with a slow network.
PATIENCE = 600

#: How this machine reaches the network; the reader's machine has its own.
_NETWORK = ("/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf", "/etc/ssl/certs/ca-certificates.crt")


def shell(root: Path, command: str, user: str = USER) -> list[str]:
    """The words that run a command in the project's folder of the bare Debian."""
    inside = f"cd {PLACE if user == USER else '/'} && {command}"
    rights = f"--reuid={user}", f"--regid={user}", "--clear-groups"
    return ["chroot", str(root), "setpriv", *rights, "env", "-i", *environment(), "sh", "-c", inside]


def environment() -> Iterator[str]:
    """That of a new terminal, and how pip reaches an index from here."""
    yield from (
        "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME=/home/reader",
        "LANG=C.UTF-8",
        "DEBIAN_FRONTEND=noninteractive",
    )
    yield from (
        f"{name}={value}" for name, value in os.environ.items() if name.lower().endswith("_proxy") or name[:4] == "PIP_"
    )


def made(root: Path) -> None:
    """Make the bare Debian, with the project of the reader's download and nothing else."""
    if not (root / "etc/debian_version").exists():
        subprocess.run(
            ["debootstrap", "--variant=minbase", "bookworm", str(root)], check=True, stdout=subprocess.DEVNULL
        )
    place = root / PLACE.lstrip("/")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", str(place)], input=archive, check=True)
    subprocess.run(["chown", "-R", f"{USER}:{USER}", str(place.parent)], check=True)


def connect(root: Path) -> None:
    for name in _NETWORK:
        if Path(name).exists():
            (root / name.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(name, root / name.lstrip("/"))


@contextmanager
def mounted(root: Path) -> Iterator[None]:
    """What a Debian that runs has, and the folders that this machine's pip looks in."""
    config = Path("/etc/pip.conf")
    folders = set(re.findall(r"(?:file://)?(/opt/[\w.-]+)", config.read_text("utf-8"))) if config.exists() else set()
    done = []
    try:
        subprocess.run(["mount", "-t", "proc", "proc", str(root / "proc")], check=True)
        done.append(root / "proc")
        for folder in sorted(one for one in folders if Path(one).is_dir()):
            target = root / folder.lstrip("/")
            target.mkdir(parents=True, exist_ok=True)
            subprocess.run(["mount", "--bind", "-o", "ro", folder, str(target)], check=True)
            done.append(target)
        yield
    finally:
        for target in reversed(done):
            subprocess.run(["umount", "-l", str(target)], check=False)


def first_game(root: Path, commands: Sequence[str]) -> None:
    """The host in one terminal, the session of the README in another one."""
    make, *_ = commands
    [session] = [block for block in blocks("README.rst") if block.first.startswith("$ nc")]
    with (root.parent / "host.log").open("w+", encoding="utf-8") as log:
        began = time.monotonic()
        host = subprocess.Popen(shell(root, make), stdout=log, stderr=log, start_new_session=True)
        try:
            wait_for(Path(log.name), "house players ready", host)
            print(f"check-first-steps: {make}: ready after {time.monotonic() - began:.0f} s", flush=True)
            typed = [line.removeprefix("> ") for line in session.lines if line.startswith("> ")]
            play(root, session.first.removeprefix("$ "), typed[0])
        finally:
            if host.poll() is None:
                os.killpg(host.pid, signal.SIGTERM)
            host.wait(30)


def wait_for(log: Path, words: str, process: "subprocess.Popen[bytes]") -> None:
    for _ in range(PATIENCE * 10):
        if words in log.read_text("utf-8"):
            return
        if process.poll() is not None:
            break
        time.sleep(0.1)
    sys.exit(f"check-first-steps: no {words!r}:\n{log.read_text('utf-8')}")


def play(root: Path, connect: str, begin: str) -> None:
    """Type the first command, the move that the host says can be copied, and give the match up."""
    with subprocess.Popen(shell(root, connect), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as person:
        assert person.stdin is not None and person.stdout is not None
        person.stdin.write(f"{begin}\n")
        person.stdin.flush()
        said = ""
        for line in person.stdout:
            said += line
            if copied := re.search(r"Type a move as [A-Z ]+: (.*)\.$", line.strip()):
                person.stdin.write(f"{copied[1]}\nresign\nyes\n")
                person.stdin.flush()
            if " wins: " in line:
                break
        else:
            sys.exit(f"check-first-steps: no first game:\n{said}")
        person.kill()
    print("check-first-steps: the first game is played", flush=True)


def contest(root: Path) -> None:
    """The first command of the page about contests; four players are in the results."""
    [words] = blocks("docs/extras/contest/contests.rst")[0].lines
    began = time.monotonic()
    done = subprocess.run(shell(root, words), capture_output=True, text=True, timeout=PATIENCE)
    results = root / PLACE.lstrip("/") / "contest" / "results.json"
    if done.returncode or len(json.loads(results.read_text("utf-8"))["players"]) != 4:
        sys.exit(f"check-first-steps: {words}: status {done.returncode}\n{done.stdout}{done.stderr}")
    print(f"check-first-steps: {words}: {time.monotonic() - began:.0f} s", flush=True)


def main(given: str | None) -> None:
    if os.geteuid() != 0 or shutil.which("debootstrap") is None:
        sys.exit("check-first-steps: this needs root, and debootstrap: apt-get install debootstrap")
    with socket.socket() as port:
        port.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        port.bind(("127.0.0.1", 8888))  # the port of the page must be free
    page = (ROOT / "README.rst").read_text("utf-8")
    [install] = re.findall(r"``(apt install [^`]+)``", page)
    commands = [
        line.split("  ")[0] for block in blocks("README.rst") for line in block.lines if line.startswith("make ")
    ]
    with tempfile.TemporaryDirectory() as folder:
        root = Path(given or f"{folder}/root").absolute()
        root.mkdir(exist_ok=True)
        made(root)
        with mounted(root):
            for command in (
                "apt-get update",
                f"{install} --yes --no-install-recommends".replace("apt ", "apt-get ", 1),
            ):
                connect(root)
                subprocess.run(shell(root, command, "0"), check=True, stdout=subprocess.DEVNULL, timeout=PATIENCE)
            connect(root)  # a package may have written its own list of authorities
            first_game(root, commands)
            contest(root)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
