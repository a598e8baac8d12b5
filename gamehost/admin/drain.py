"""The command that ends a host when its last match has ended."""

from gamehost.admin.requests import Facts, Request
from gamehost.service import GameHostService


def drain(host: GameHostService, request: Request) -> Facts:
    """Begin no new matches, and end when the last one has ended; or go on after all."""
    cancel = request.flag("cancel")
    host.drain(not cancel)
    lobby = host.context.lobby
    return {"draining": not cancel, "tables": len(lobby.tables), "remote_games": lobby.remote.count}
