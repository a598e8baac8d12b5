"""The verb of `gamehost admin` about the hosts of a cluster."""

from collections.abc import Iterator, Mapping

from gamehost.commands.verb import Facts, Verb
from gamehost.ops.escaping import escaped


def member_line(facts: Facts) -> Iterator[str]:
    """One member."""
    notes = ["the leader"] * facts["leader"] + ["this member"] * facts["this"]
    more = f"  ({', '.join(notes)})" if notes else ""
    yield f"{facts['epoch']}  {escaped(facts['name'])}  {escaped(facts['address'])}{more}"


def own_lines(facts: Facts) -> Iterator[str]:
    """What the member that was asked has."""
    yield f"this member: people: {facts['people']}; tables: {facts['tables']}, and {facts['tables_asleep']} asleep"
    yield f"this member: {_relays(facts)}"


def cluster_line(facts: Facts | None) -> Iterator[str]:
    """The cluster in one line of the status; none for a host alone."""
    if facts is not None:
        leader = "the leader" if facts["leader"] == facts["epoch"] else f"the leader is number {facts['leader']}"
        yield f"cluster: {facts['members']} members; this one is number {facts['epoch']}, {leader}; {_relays(facts)}"


def _relays(facts: Facts) -> str:
    return f"relayed connections: {facts['relays_out']} to other members, {facts['relays_in']} from them"


CLUSTER_VERBS: Mapping[str, Verb] = {
    "cluster": Verb("the hosts of the cluster, one line for each, and what this one has", own_lines, member_line),
}
