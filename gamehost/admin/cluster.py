"""The command that looks at the cluster of a host. Secrets of the members are not told."""

from gamehost.admin.requests import Facts, Items, NotDone, Request
from gamehost.cluster.membership import Cluster
from gamehost.service import GameHostService


def cluster(host: GameHostService, request: Request) -> Items:
    """The members that live, the leader first; and in the end what this member has."""
    state = _state(host)
    for place, member in enumerate(state.members):
        yield {
            "epoch": member.epoch,
            "name": member.name,
            "address": member.address,
            "leader": place == 0,
            "this": member.epoch == state.epoch,
        }
    lobby = host.context.lobby
    return {
        "epoch": state.epoch,
        "people": sum(1 for _ in lobby.registry.present()),
        "tables": len(lobby.tables),
        "tables_asleep": len(lobby.registry.sleepers.tables()),
        **_relays(state),
    }


def or_elsewhere(host: GameHostService) -> str:
    """What a refusal adds that names something of this member alone; nothing at a host alone."""
    return (
        "" if host.cluster is None else "; other members of the cluster have players and matches, too: ask each of them"
    )


def cluster_facts(host: GameHostService) -> Facts | None:
    """The cluster in a few figures; `None`: the host is alone."""
    state = host.cluster
    if state is None:
        return None
    leader = next((member.epoch for member in state.members), None)
    return {"epoch": state.epoch, "members": len(state.members), "leader": leader, **_relays(state)}


def _relays(state: Cluster) -> Facts:
    return {"relays_out": state.relays_out, "relays_in": state.relays_in}


def _state(host: GameHostService) -> Cluster:
    """
    :raises NotDone: the host is alone
    """
    if host.cluster is None:
        raise NotDone("this host is no member of a cluster: it was started without --cluster")
    return host.cluster
