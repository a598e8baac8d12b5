"""
What several commands need: printing, the message about a wrong command line, requests to a running host through the
socket beside its store, and the script for completion in bash.
"""

import json
import os
import socket
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from gamehost.ops import SocketUnusable, escaped, short_path, shortened

if TYPE_CHECKING:
    from argparse import ArgumentParser


@contextmanager
def while_read(out: TextIO) -> Iterator[None]:
    """
    A context for printing. If the reader of the pipe has closed it, as `head` does, the block ends early, without an
    error.
    """
    try:
        yield
        out.flush()
    except BrokenPipeError:
        # The interpreter flushes `out` again when it ends, so `out` must not be a closed pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())


def bar(done: int, most: int, width: int = 30) -> str:
    """A progress bar of `width` characters."""
    return f"[{'#' * round(width * min(1.0, done / max(1, most))):{width}}]"


def print_text(text: str) -> None:
    """Print to standard output. It is no error if the reader has closed the pipe."""
    with while_read(sys.stdout):
        print(text, end="")


def exit_with_usage_error(reason: object, hint: str = "gamehost run --help lists the options") -> NoReturn:
    """
    Print the reason as one line to standard error, and end the command. The reason may quote a long text with control
    characters from the command line.

    :raises SystemExit: always, with the status 2, as usual for a wrong command line
    """
    print(f"gamehost: {shortened(escaped(str(reason)))} ({hint})", file=sys.stderr)
    raise SystemExit(2)


def number(text: str) -> int:
    """Convert an argument that must be a whole number from 1 up."""
    # `0` is no number from 1 up.
    if not text.isdigit() or not int(text):
        from argparse import ArgumentTypeError  # most commands need no argparse

        raise ArgumentTypeError("expected a number from 1")
    return int(text)


class NoHost(Exception):
    """No host answers. The message is the reason."""


def socket_beside(store: str) -> Path | None:
    """The default path of a host's socket; `None`: the store is not a file, so there is no default."""
    return None if store == "memory" or "://" in store else Path(f"{store}.admin")


def answers(path: Path, request: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """
    Send a request to a host, and return the lines of its answer.

    :param path: the host's socket
    :raises NoHost: no host answers, or its answer is incomplete
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as one:
        try:
            with short_path(path) as short:
                one.connect(short)
            one.sendall(json.dumps(request).encode("ascii") + b"\n")
            with one.makefile("rb") as lines:
                for line in lines:
                    answer: Mapping[str, Any] = json.loads(line)
                    yield answer
                    if "item" not in answer:
                        # This was the last line.
                        return
        except (FileNotFoundError, ConnectionRefusedError):
            raise NoHost(f"no host runs with the socket {path}; name its store with --store") from None
        except (OSError, SocketUnusable) as error:
            raise NoHost(
                str(error) if isinstance(error, SocketUnusable) else f"{path}: {error.strerror or error}"
            ) from None
    raise NoHost("the host has ended before its answer was complete")


#: The words that can follow some verbs. The keys are the verbs, as in `admin/account`; the values are words such as
#: `list`.
Words = Mapping[str, Sequence[str]]

_SCRIPT = """\
# Completion for bash, made by "gamehost completion bash". To use it: source <(gamehost completion bash)
_gamehost() {
    local path= words= at
    for ((at = 1; at < COMP_CWORD; at++)); do
        case "$path/${COMP_WORDS[at]}" in
            %(paths)s) path=$path/${COMP_WORDS[at]} ;;
        esac
    done
    case "$path" in
%(cases)s
    esac
    COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _gamehost gamehost
"""


def bash(words: Words) -> str:
    """
    Make the script for completion in bash.

    :param words: the key `""` has the verbs of the command
    """
    paths = "|".join(f"/{path}" for path in words if path)
    cases = "\n".join(
        f"        {_quoted(f'/{path}' if path else '')}) words={_quoted(' '.join(some))} ;;"
        for path, some in words.items()
    )
    return _SCRIPT % {"paths": paths, "cases": cases}


def words_of(path: str, parser: "ArgumentParser") -> Iterator[tuple[str, Sequence[str]]]:
    """
    The words that can follow some verbs, for a parser and all parsers inside it.

    :param path: the verbs before the words of this parser
    """
    from argparse import _SubParsersAction  # the host itself has no need of it

    words: list[str] = []
    for action in parser._actions:
        words += [option for option in action.option_strings if option.startswith("--")]
        # This action stands for the verbs, each with a parser of its own.
        if isinstance(action, _SubParsersAction):
            words += action.choices
            for name, below in action.choices.items():
                yield from words_of(f"{path}/{name}", below)
    yield path, words


def _quoted(text: str) -> str:
    assert "'" not in text
    return f"'{text}'"
