"""
The files of the pages, read and compressed once, at the start.

Their addresses have a hash over all of them, so browsers may keep them for ever: a new release has new addresses. Modules
import each other by relative names, and so keep the hash. In the shell `/static/HASH/` stands for the address of the files.
"""

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from importlib.resources import files
from typing import Any

from attrs import field, frozen

from gamehost.web.http import FOR_EVER, Answer, found

#: The page that all addresses of pages show.
SHELL = "index.html"

#: In the shell, replaced by the address of the files.
PLACEHOLDER = b"/static/HASH/"

KINDS: Mapping[str, str] = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "ico": "image/vnd.microsoft.icon",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "png": "image/png",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
    "webmanifest": "application/manifest+json",
}


def read_files() -> dict[str, bytes]:
    """The files of the pages, by their paths with slashes. Files of unknown kinds are left out."""
    return dict(sorted(_walk(files("gamehost.web") / "static", "")))


def _walk(folder: Any, prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _walk(entry, f"{prefix}{entry.name}/")
        elif entry.name.rpartition(".")[2] in KINDS:
            yield f"{prefix}{entry.name}", entry.read_bytes()


def hash_of(content: Mapping[str, bytes]) -> str:
    """A hash over the names and contents of all files."""
    digest = blake2b(digest_size=8)
    for name, data in content.items():
        digest.update(f"{len(name)} {name} {len(data)} ".encode() + data)
    return digest.hexdigest()


@frozen
class StaticFiles:
    """The files of the pages, ready to be sent."""

    hash: str
    shell: Answer
    _answers: Mapping[tuple[str, ...], Answer] = field(repr=False)

    @classmethod
    def pack(cls, content: Mapping[str, bytes]) -> "StaticFiles":
        """
        Compress files.

        :param content: by their paths; one is the shell
        """
        digest = hash_of(content)
        shell = content[SHELL].replace(PLACEHOLDER, f"/static/{digest}/".encode())
        answers = {
            tuple(name.split("/")): found(data, KINDS[name.rpartition(".")[2]], FOR_EVER, {}, level=9)
            for name, data in content.items()
            if name != SHELL
        }
        return cls(digest, found(shell, KINDS["html"], headers={}, level=9), answers)

    def file(self, path: tuple[str, ...]) -> Answer | None:
        """The file at a path behind `/static`; `None`: there is none, or it is of another release."""
        return self._answers.get(path[1:]) if path[:1] == (self.hash,) else None
