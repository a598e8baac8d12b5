"""
The settings of a host, as they are declared: its options, those of its games and of its pages. Limits are in `gamehost.limits`.

Options, names for `--set`, files, help, and what a reload does come from these tables (`gamehost.config`, `gamehost.admin`).
"""

from collections.abc import Mapping
from pathlib import Path

from gamehost.limits import PROFILES
from gamehost.lobby.sessions import ResumePolicy
from gamehost.net.endpoints import proxy_network
from gamehost.ops.logging import FORMATS
from gamehost.players.base import Level
from gamehost.settings import Reload, Setting, as_written, from_to, member_of, one_of, seconds, yes_or_no
from gamehost.web.http import web_origin

#: Where the pages for browsers are by default.
WEB = "tcp:8080:interface=127.0.0.1"


def _path(name: str, text: str) -> Path:
    return Path(text)


#: The options of the host itself, by name. What is read as yes or no has no value on a command line.
HOST: Mapping[str, Setting] = {
    "store": Setting("gamehost.sqlite", "File or postgresql:// address for journal and accounts; memory: keep nothing"),
    "cluster": Setting(
        None,
        "Be one of several hosts on one PostgreSQL, and listen here for the others: tcp:HOST:PORT, tls:... or unix:PATH",
    ),
    "cluster-address": Setting(
        None, "Where the other hosts of the cluster reach this one, if that is not where it listens"
    ),
    "cluster-ca": Setting(
        None,
        "File with the certificates that those of all hosts of the cluster come from; for --cluster=tls:...",
        _path,
    ),
    "admin": Setting(
        None, "The socket for gamehost admin; empty: none", default_words="STORE.admin; none with --store=memory"
    ),
    "grace": Setting(
        60.0, "Seconds for which the seat of a lost player is kept; 0: it is not kept", seconds, Reload.USED
    ),
    "move-time": Setting(
        "3600", "Seconds for one decision; a player who takes longer loses; 0: no limit", as_written(seconds)
    ),
    "resume": Setting(
        ResumePolicy.SAME_ADDRESS,
        "From where a guest may take a seat again: same-address, any or never",
        member_of(ResumePolicy),
        Reload.USED,
    ),
    "profile": Setting(
        "public",
        "Limits for one address: public, or class for a private network; --set has priority",
        one_of(*PROFILES),
        Reload.USED,
    ),
    "strict": Setting(False, "Send only messages of the wires' documents, without extensions", yes_or_no),
    "accept-loss": Setting(
        False, "Start although records in the store are lost or damaged, and go on without them", yes_or_no
    ),
    "house": Setting(
        20.0, "Seconds until somebody who waits alone gets a house player; 0: never, as with --strict", seconds
    ),
    "house-level": Setting(
        Level.EASY,
        "Level of house players that come unasked: random, easy, medium or hard",
        member_of(Level),
        Reload.WITH_HOUSE,
    ),
    "house-processes": Setting(1, "Processes in which house players think", from_to(1, 64)),
    "trusted-proxy": Setting(
        (),
        "Address or network of a proxy that is believed; repeatable",
        proxy_network,
        many=True,
        default_words="none; at haproxy: endpoints, this machine",
    ),
    "web": Setting([WEB], "Pages for browsers: an endpoint to listen on; repeatable; empty: off", many=True),
    "shift": Setting(
        0,
        "Added to the port of every wire and of the pages that has no option of its own, so that a second host can run here",
        from_to(0, 40_000),
    ),
    "web-origin": Setting(
        (),
        "Origin of the pages under a name, such as https://games.example.org; repeatable",
        web_origin,
        Reload.USED,
        many=True,
    ),
    "metrics": Setting(
        (),
        "Metrics for Prometheus: an endpoint to listen on; repeatable; needs the package prometheus-client",
        many=True,
        default_words="off",
    ),
    "health": Setting(
        (),
        "Health for a load balancer: an HTTP endpoint to listen on; repeatable",
        many=True,
        default_words="off",
    ),
    "log-format": Setting("text", "Format of the log: text or json", one_of(*FORMATS)),
}

#: Options that are not settings.
OTHERS = frozenset({"config", "help", "set", "version"})

#: Settings of each game, beside those that the game itself has. They begin with its name and a dot.
GAME: Mapping[str, Setting] = {
    "watch_delay": Setting(
        0.0, "seconds by which those who watch see everything later than players (0)", seconds, Reload.USED
    ),
    "house": Setting(None, "seconds as for --house, in this game alone (as --house)", seconds, Reload.WITH_HOUSE),
}

#: Settings of the pages. They begin with `web.`.
PAGES: Mapping[str, Setting] = {
    "reveal": Setting(
        "finished",
        "whether records of finished matches show what was hidden in them: finished or never (finished)",
        one_of("finished", "never"),
    ),
}
