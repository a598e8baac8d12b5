"""
The verbs of `gamehost admin`: what each takes, and how its answer is shown.

A verb has the name of the host's command, and its arguments have the names of that command's arguments.
"""

from collections.abc import Iterator, Mapping

from gamehost.commands.cluster_verbs import CLUSTER_VERBS, cluster_line
from gamehost.commands.match_verbs import MATCH_VERBS
from gamehost.commands.people_verbs import PEOPLE_VERBS
from gamehost.commands.store_verbs import STORE_VERBS
from gamehost.commands.verb import Facts, Verb
from gamehost.ops.escaping import escaped


def status_lines(facts: Facts) -> Iterator[str]:
    """How the host is, one thing a line."""
    yield f"gamehost {facts['version']}, up for {duration(facts['uptime_seconds'])}"
    if facts["closed"]:
        yield f"closed: {facts['closed']}"
    by_wire = facts["connections_by_wire"]
    for one in facts["listeners"]:
        yield f"{one['name']} listens on {one['where']}; connections: {by_wire.get(one['name'], 0)}"
    yield f"connections: {facts['connections']} ({facts['connections_refused']} refused), HTTP {facts['http_connections']}"
    yield f"people: {facts['people']}, {facts['waiting']} of them wait"
    yield f"tables: {facts['tables']}, and {facts['tables_asleep']} asleep; remote games: {facts['remote_games']}"
    yield from _journal_lines(facts["journal"])
    yield from cluster_line(facts.get("cluster"))
    yield f"limits: {facts['limits']}"


def _journal_lines(facts: Facts) -> Iterator[str]:
    yield f"journal: pressure {facts['pressure']}, room {facts['room']}"
    if "commits" in facts:
        mean = "" if facts["mean_commit_ms"] is None else f", {facts['mean_commit_ms']:g} ms each"
        waiting = f"{facts['waiting_changes']} changes wait, the oldest for {facts['waiting_seconds']:g} s"
        yield f"journal: {facts['changes']} changes in {facts['commits']} commits{mean}; {waiting}"


def person_line(facts: Facts) -> Iterator[str]:
    """Somebody who is here."""
    kind = "house" if facts["house"] else "account" if facts["account"] else "guest"
    origin = f"  from {escaped(facts['address'])}" if facts["address"] and not facts["house"] else ""
    game = f" ({facts['game']})" if facts["game"] else ""
    table = "" if facts["table"] is None else f"  table {facts['table']}{game}"
    yield f"{escaped(facts['name'])}  {kind}  {facts['wire']}{origin}{table}"


def duration(seconds: float) -> str:
    """A time for people: `3 d 4 h`, `5 min 7 s`."""
    parts = []
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        count, seconds = divmod(seconds, length)
        if count:
            parts.append(f"{count:.0f} {unit}")
    return " ".join(parts[:2]) or "0 s"


VERBS: Mapping[str, Verb] = {
    "status": Verb("how the host is: ports, connections, tables, the journal", status_lines),
    "who": Verb("who is here, one line for each player", item=person_line),
    **MATCH_VERBS,
    **PEOPLE_VERBS,
    **STORE_VERBS,
    **CLUSTER_VERBS,
}
