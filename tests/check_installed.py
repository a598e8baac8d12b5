"""
Uses an installed `gamehost` as its owner and its players would, in an empty folder: each verb once. It needs Python alone.

usage: python check_installed.py COMMAND
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

#: Seconds for one command, on a slow machine.
PATIENCE = 120


def output(command: str, *words: str) -> str:
    """What a command prints; it must end with status 0."""
    done = subprocess.run([command, *words], capture_output=True, text=True, timeout=PATIENCE, stdin=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"check-installed: gamehost {' '.join(words)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def expect(words: str, text: str, what: str) -> None:
    if words not in text:
        sys.exit(f"check-installed: {what} says nothing of {words!r}:\n{text}")


def listening_options(command: str) -> list[str]:
    options = re.split(r"\n\s+(?:-\w, )?--", output(command, "run", "--help"))
    named = [(re.match(r"([a-z-]+)=", option), " ".join(option.split())) for option in options]
    return [name[1] for name, text in named if name is not None and "endpoint to listen on" in text]


@contextmanager
def host(command: str) -> Iterator[str]:
    silent = [f"--{name}=" for name in listening_options(command) if name not in ("onitama", "metrics")]
    if len(silent) < 5:
        sys.exit(f"check-installed: the help text names few wires: {silent}")
    options = ["--onitama=tcp:0:interface=127.0.0.1", "--store=store.sqlite", "--house=0", *silent]
    with subprocess.Popen(
        [command, "run", *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        log, port = "", None
        for line in process.stdout:
            log += line
            port = port or re.search(r"onitama listening on 127\.0\.0\.1:([0-9]+)", line)
            if "gamehost ready" in line:
                break
        if port is None:
            process.kill()
            sys.exit(f"check-installed: the host does not start:\n{log}")
        try:
            yield port[1]
        finally:
            process.send_signal(signal.SIGTERM)
            log += process.stdout.read()
            if process.wait(PATIENCE) != -signal.SIGTERM or "gamehost has stopped" not in log:
                sys.exit(f"check-installed: the host did not stop in order: {process.returncode}\n{log}")


def main(command: str) -> None:
    expect("gamehost ", output(command, "--version"), "--version")
    for verb in ("run", "journal", "admin", "player", "check", "contest", "trace"):
        output(command, verb, "--help")
    with host(command) as port:
        players = [
            subprocess.Popen(
                [command, "player", "onitama", f"--to=127.0.0.1:{port}", f"--name={name}", "--level=random"],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            for name in ("ann", "bob")
        ]
        for player in players:
            text = player.communicate(timeout=PATIENCE)[0]
            if player.returncode:
                sys.exit(f"check-installed: gamehost player ends with status {player.returncode}:\n{text}")
        expect("gamehost ", output(command, "admin", "status", "--store=store.sqlite"), "admin status")
        expect(
            "copied and checked", output(command, "admin", "backup", "copy.sqlite", "--store=store.sqlite"), "backup"
        )
        expect("finished", output(command, "journal", "list", "--store=store.sqlite"), "journal list")
        expect("</svg>", output(command, "journal", "draw", "1", "--store=store.sqlite"), "journal draw")
    expect("no faults", output(command, "journal", "verify", "--store=copy.sqlite"), "journal verify")
    client = [command, "player", "onitama", "--to={host}:{port}", "--name={name}"]
    output(command, "check", "onitama", "--scenario=first-mover", "--", *client)
    entrants = [f"--player={name}=house:random" for name in "abcd"]
    output(command, "contest", "--wire=onitama", "--no-check", "--out=contest", *entrants)
    with open("contest/results.json", encoding="utf-8") as file:
        expect('"rank"', file.read(), "the results of a contest")
    print(f"check-installed: {command}: every verb works")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.abspath(sys.argv[1])
        os.chdir(folder)
        main(program)
