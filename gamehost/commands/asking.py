"""Asking a running host through the socket beside its store."""

import json
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from gamehost.ops.unix_socket import SocketUnusable, short_path


class NoHost(Exception):
    """No host answers. The message says why."""


def socket_beside(store: str) -> Path | None:
    """Where the socket of a host is by default; `None`: the store is no file, and there is no socket by default."""
    return None if store == "memory" or "://" in store else Path(f"{store}.admin")


def answers(path: Path, request: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """
    The lines of the answer to a request.

    :raises NoHost: nobody answers, or not to the end
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
                        return
        except (FileNotFoundError, ConnectionRefusedError):
            raise NoHost(f"no host runs with the socket {path}; name its store with --store") from None
        except (OSError, SocketUnusable) as error:
            raise NoHost(
                str(error) if isinstance(error, SocketUnusable) else f"{path}: {error.strerror or error}"
            ) from None
    raise NoHost("the host has ended before its answer was complete")
