"""
The command `gamehost`, also `python -m gamehost`: it runs the host, or another verb such as `journal` or `admin`.

Each verb imports only what it needs, because importing the whole host takes most of a second.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.util import LazyLoader, find_spec, module_from_spec
from io import TextIOWrapper
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gamehost import __version__
from gamehost.commands.command_line import exit_with_usage_error, print_text
from gamehost.entries import VERBS, PartUnusable, Verb, loaded, offered
from gamehost.ops import escaped, shortened

if TYPE_CHECKING:
    from gamehost.games.base import Game

USAGE = """\
gamehost [run] [options]    run the host in the foreground (gamehost run --help lists the options)
gamehost journal VERB       read the journal, also of a running host: list, show TABLE, draw TABLE, backup FILE, prune, verify
                            (gamehost journal --help lists the verbs, gamehost journal VERB --help their options)
gamehost admin VERB         look at a running host, and tell it what to do (gamehost admin --help lists the verbs)
gamehost completion bash    a script with which bash completes these words
"""


def _game_of(name: str) -> "Game[Any, Any] | None":
    """The installed game of this name; `None`: no such game is installed."""
    from gamehost.plugins import REGISTRY  # most verbs of `gamehost journal` need no game

    return REGISTRY.games.get(name)


def main(arguments: Sequence[str] | None = None) -> None:
    """
    Run the command.

    :param arguments: the words of the command line after `gamehost`; `None`: those of this process
    :raises SystemExit: when most commands end; the status is 2 for an unknown verb
    """
    show_everything()
    verb, *rest = list(sys.argv[1:] if arguments is None else arguments) or ["run"]
    if verb == "--version":
        print_text(f"gamehost {__version__}\n")
    elif verb == "run" or (verb.startswith("-") and verb not in ("-h", "--help")):
        # Without a verb, the options are those of `run`.
        run(rest if verb == "run" else [verb, *rest])
    elif verb == "journal":
        from gamehost.commands import journal as journal_command

        sys.exit(journal_command.main(rest, _game_of))
    elif verb == "admin":
        from gamehost.commands import admin as admin_command

        sys.exit(admin_command.main(rest))
    elif verb in offered(VERBS):
        sys.exit(_do_verb(verb, rest))
    elif verb == "completion":
        if rest != ["bash"]:
            exit_with_usage_error("expected the name of a shell that is known", "gamehost completion bash")
        from gamehost.commands.command_line import bash

        print_text(bash(completion_words()))
    elif verb in ("-h", "--help", "help"):
        print_text(usage())
    else:
        exit_with_usage_error(f"unknown verb {verb!r}", "gamehost --help lists the verbs")


def _verb(name: str) -> Verb:
    """
    A verb that a package offers.

    :raises PartUnusable: the verb cannot be used. The message is the rest of a sentence that begins with the name of
        the verb
    """
    try:
        verb = loaded(VERBS, name, Verb)
    except PartUnusable as error:
        raise PartUnusable(f"cannot be used: {error}") from error
    # Only the names of offered verbs are given to this function.
    assert verb is not None
    if (missing := verb.missing()) is not None:
        raise PartUnusable(missing)
    return verb


def _do_verb(name: str, words: Sequence[str]) -> int:
    """Run a verb that a package offers, and return the exit status."""
    try:
        verb = _verb(name)
    except PartUnusable as error:
        exit_with_usage_error(f"{name} {error}", "gamehost --help lists the verbs")
    from gamehost._twisted import this_reactor
    from gamehost.plugins import REGISTRY

    return verb.main(words, REGISTRY.wires, this_reactor())


def usage() -> str:
    """The text of `gamehost --help`: all verbs, and the reason for each one that cannot be used."""
    lines = [USAGE]
    for name in offered(VERBS):
        try:
            lines.append(_verb(name).usage)
        except PartUnusable as error:
            lines.append(f"gamehost {name:19} {shortened(escaped(str(error)))}\n")
    return "".join(lines)


def show_everything() -> None:
    """
    Set up the output so that characters that the terminal cannot show are printed as escapes. Names may have any
    letters.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def completion_words() -> Mapping[str, Sequence[str]]:
    """The words of the command line for the completion script; see `gamehost.commands.command_line.bash`."""
    from gamehost.commands import admin, journal
    from gamehost.commands.command_line import words_of
    from gamehost.config import Options
    from gamehost.plugins import REGISTRY

    offers: dict[str, Sequence[str]] = {}
    for name in offered(VERBS):
        # A verb that cannot be used is not completed.
        with suppress(PartUnusable):
            offers[name] = _verb(name).words(REGISTRY.wires)
    return {
        "": ["run", "journal", "admin", *offers, "completion", "--help", "--version"],
        "run": [f"--{name.rstrip('=')}" for name in Options().longOpt],
        **offers,
        "completion": ["bash"],
        **dict(words_of("admin", admin.parser())),
        **dict(words_of("journal", journal.parser())),
    }


def run(options: Sequence[str]) -> None:
    """Run the host in the foreground, as `twistd --nodaemon --pidfile= gamehost` does."""
    import_twisted(options)
    from twisted.application.app import run as run_twistd
    from twisted.scripts import twistd

    from twisted.plugins.gamehost_plugin import gamehost

    class GameHostAlone(twistd.ServerOptions):  # type: ignore[name-defined, misc]
        """
        The options of twistd. Only the service `gamehost` is offered: the search for all services would import most of
        them.
        """

        @property
        def subCommands(self) -> list[tuple[str, None, Callable[[], Any], str]]:
            self.loadedPlugins = {gamehost.tapname: gamehost}
            return [(gamehost.tapname, None, lambda: gamehost.options(), gamehost.description)]

    sys.argv = ["twistd", "--nodaemon", "--pidfile=", "gamehost", *options]
    run_twistd(twistd.runApp, GameHostAlone)


def _may_ask_for_tls(options: Sequence[str]) -> bool:
    """Whether the options, or the file that they name, may use TLS or a cluster. If in doubt, `True`."""
    # The value of an option can be the next word.
    for option, following in zip_longest(options, options[1:], fillvalue=""):
        name, equals, value = option.partition("=")
        # An option may be shortened as long as it is unique.
        if len(name) > len("--") and "--config".startswith(name):
            with suppress(OSError, UnicodeError):  # a fault of the file is reported later
                text = Path(value if equals else following).read_text("utf-8")
                if any(word in text for word in ("tls:", "ssl:", "cluster")):
                    return True
        # `--cl` is the shortest form of `--cluster`.
        if name.startswith("--cl") or "tls:" in option or "ssl:" in option:
            return True
    return False


def import_twisted(options: Sequence[str]) -> None:
    """
    Import Twisted, without modules that a host with these options does not need. Must be called before anything else
    imports Twisted.

    Twisted imports the module for cookies of the standard library. It is loaded only when it is used. Unless the
    options name TLS, Twisted is imported as if OpenSSL and `ssl` were not installed. These two would take a sixth of
    the memory of a start. They can still be imported afterwards, but three things do not work then: `startTLS` of a TCP
    connection, which no wire uses, the endpoints `ssl:` of Twisted, and TLS in asyncio.
    """
    if "http.cookiejar" not in sys.modules:
        spec = find_spec("http.cookiejar")
        assert spec is not None and spec.loader is not None
        spec.loader = LazyLoader(spec.loader)
        # Also set it as an attribute of its package: otherwise the next import would look into the module, and so load
        # it.
        sys.modules[spec.name] = sys.modules["http"].cookiejar = module_from_spec(spec)  # type: ignore[attr-defined]
        spec.loader.exec_module(sys.modules[spec.name])
    # `None` in `sys.modules` makes an import fail as if the module were not installed.
    left_out = () if _may_ask_for_tls(options) else {"OpenSSL", "ssl"} - sys.modules.keys()
    sys.modules.update(dict.fromkeys(left_out))  # type: ignore[arg-type]
    try:
        import twisted.internet.endpoints
        import twisted.internet.posixbase
        import twisted.internet.tcp  # noqa: F401
    finally:
        # From now on, these modules can be imported as usual.
        for name in left_out:
            del sys.modules[name]


if __name__ == "__main__":
    main()
