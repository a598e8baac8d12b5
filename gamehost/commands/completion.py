"""
`gamehost completion bash`: a script with which bash completes the words of the command.

The script is made from the parsers of the command, so it has every verb and every option of this release.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence

#: The words that can follow, by the verbs before them: `admin/account` -> `list`, ...
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
    The script.

    :param words: `""` has the verbs of the command
    """
    paths = "|".join(f"/{path}" for path in words if path)
    cases = "\n".join(
        f"        {_quoted(f'/{path}' if path else '')}) words={_quoted(' '.join(some))} ;;"
        for path, some in words.items()
    )
    return _SCRIPT % {"paths": paths, "cases": cases}


def words_of(path: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, Sequence[str]]]:
    """
    The words that a parser and the parsers below it take.

    :param path: the verbs before them
    """
    words: list[str] = []
    for action in parser._actions:
        words += [option for option in action.option_strings if option.startswith("--")]
        if isinstance(action, argparse._SubParsersAction):
            words += action.choices
            for name, below in action.choices.items():
                yield from words_of(f"{path}/{name}", below)
    yield path, words


def _quoted(text: str) -> str:
    assert "'" not in text
    return f"'{text}'"
