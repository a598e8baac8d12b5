"""
The endpoint strings of the options: Twisted's, and our own `tls:` and `haproxy:`, which replace Twisted's.

Ours reload certificates at a SIGHUP, and accept PROXY headers from trusted proxies only. Twisted's do neither.
"""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from attrs import define, field
from twisted.internet.endpoints import TCP4ServerEndpoint, TCP6ServerEndpoint, serverFromString
from twisted.internet.interfaces import IStreamServerEndpoint

from gamehost.net.haproxy import LOOPBACK, Network, ProxiedEndpoint
from gamehost.net.limiter import HeaderLimiter
from gamehost.settings import BadOption, from_to, refuse_unknown, setting

#: Waiting connections that the system keeps for us: with the usual 50, a thousand at once wait a second and more.
BACKLOG = 4096

#: Examples for the error message.
EXAMPLES = (
    r"tcp:8893, tcp:8893:interface=127.0.0.1, tcp6:8893, unix:/run/onitama, systemd:domain=INET:index=0, tls:DIR:8893"
)

_COLON = re.compile(r"(?<!\\):")


@define(eq=False)
class Endpoints:
    """
    Makes the endpoints of one host.

    :param trusted: the proxies that may connect to `haproxy:` endpoints; none: those of this machine
    """

    _reactor: Any
    _trusted: Sequence[Network] = ()
    #: Counts the connections of proxies, and of other members of a cluster, that have not said whose they are.
    headers: HeaderLimiter = field(factory=HeaderLimiter)
    #: Called at a SIGHUP, when files may have been replaced.
    reloads: list[Callable[[], None]] = field(factory=list)

    def make(self, description: str) -> IStreamServerEndpoint:
        """
        :raises BadOption: this is no endpoint; the message says why
        """
        kind, _, rest = description.partition(":")
        if kind == "haproxy":
            if rest.startswith(("tls:", "ssl:", "haproxy:")):
                raise BadOption("haproxy: stands before tcp:, tcp6:, unix: or systemd:; let the proxy do TLS")
            return ProxiedEndpoint(self.make(rest), self._trusted or LOOPBACK, self._reactor, self.headers)
        if kind == "tls":
            return self._tls(_COLON.split(rest))
        if kind in ("tcp", "tcp6") and "backlog=" not in rest:
            description = f"{description}:backlog={BACKLOG}"
        try:
            endpoint: IStreamServerEndpoint = serverFromString(self._reactor, description)
        except (ValueError, TypeError, KeyError, OSError):
            # Twisted's message is usually Python's own, which says nothing about the option.
            raise BadOption(f"expected one such as {EXAMPLES}") from None
        return endpoint

    def _tls(self, words: Sequence[str]) -> IStreamServerEndpoint:
        """`tls:FOLDER:PORT`, with `interface=` and `backlog=`."""
        try:
            from gamehost.net.tls import Certificates, TLSEndpoint
        except ImportError:
            raise BadOption("tls: needs pyOpenSSL; install gamehost[tls]") from None
        plain = [word.replace("\\:", ":") for word in words]
        if len(plain) < 2 or "=" in plain[1]:
            raise BadOption("expected tls:FOLDER:PORT, where FOLDER holds the .pem files")
        folder, port, *more = plain
        options = {name: value for name, _, value in (one.partition("=") for one in more)}
        refuse_unknown(options, ("interface", "backlog"))
        number = from_to(0, 65_535)("the port", port)
        backlog = setting(options, "backlog", BACKLOG, from_to(1, 65_535))
        interface = options.get("interface", "::")
        make = TCP6ServerEndpoint if ":" in interface else TCP4ServerEndpoint
        certificates = Certificates(Path(folder))
        self.reloads.append(certificates.reload)
        return TLSEndpoint(make(self._reactor, number, backlog, interface), certificates, self._reactor)
