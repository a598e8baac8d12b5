"""
The test suite in other environments: `make nox`, or `nox --session lowest_dependencies`.

Pythons that are not on the PATH are skipped. Options after `--` go to trial: `nox -- tests.games`.
"""

import configparser
import re

import nox

PYTHONS = ("3.11", "3.12", "3.13", "3.14")

#: The extras that are tested too.
EXTRAS = ("metrics", "postgresql", "tls")
PACKAGES = ("--editable", f".[testing,{','.join(EXTRAS)}]", "apsw")

nox.options.envdir = ".nox"
nox.options.error_on_missing_interpreters = False


def lowest() -> list[str]:
    """The oldest release that setup.cfg allows of each dependency, as pip's exact requirements."""
    setup = configparser.ConfigParser()
    setup.read("setup.cfg", encoding="utf-8")
    extras = setup["options.extras_require"]
    lines = "\n".join([setup["options"]["install_requires"], *(extras[name] for name in EXTRAS)])
    return re.sub(r"\s*>=\s*", "==", lines).split()


def trial(session: nox.Session) -> None:
    """Run the suite."""
    session.run("python", "-m", "twisted.trial", "-j2", *(session.posargs or ["tests"]))


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """The suite with the newest dependencies."""
    session.install(*PACKAGES)
    trial(session)


@nox.session(python=PYTHONS[0])
def lowest_dependencies(session: nox.Session) -> None:
    """The suite with the oldest dependencies that are allowed."""
    session.install(*PACKAGES, *lowest())
    trial(session)
