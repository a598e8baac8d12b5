"""
HTTP ports for the owner's programs, each with its own site and few connections; and the site of the health port. With
it, a load balancer can ask whether this host can serve players now.

The reactor itself answers. So a host with a blocked reactor does not answer at all.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

from attrs import define, field
from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IListeningPort, IStreamServerEndpoint
from twisted.logger import Logger
from twisted.python.failure import Failure

from gamehost.net.limiter import HttpLimiter
from gamehost.service import GameHostService
from gamehost.web.http import Access, Answer, Asked
from gamehost.web.server import Answering, HttpSite

#: How many connections one port accepts at once. A program that watches a host needs one or two.
MOST_CONNECTIONS = 16


class OwnerSite(HttpSite):
    """
    The base of sites for the owner's programs. Its limits on connections and requests are separate from those of the
    web pages.

    :param host: the running host that the site describes
    :param access: the host names that the requests of these programs may contain
    """

    def __init__(self, host: GameHostService, access: Access) -> None:
        """Make a site with a limiter of its own: its few connections do not count among those of the players."""
        context = host.context
        limiter = HttpLimiter(context.limits, MOST_CONNECTIONS)
        super().__init__(context.clock, context.scheduler, limiter, access)
        self.host = host


#: A function that makes a site, after the host has started.
NewSite: TypeAlias = Callable[[GameHostService, Access], HttpSite]


@define(eq=False)
class HttpService:
    """
    One HTTP port of the host: a `gamehost.service.Part`, which the host starts and stops. If another program uses the
    port, the host runs without this port.

    :param name: the name of the option that opens the port
    :param description: the endpoint, as the owner has written it in the option
    :param access: the host names that a request may contain
    :param new_site: makes the site that answers the requests
    """

    _name: str
    _description: str
    _endpoint: IStreamServerEndpoint
    _access: Access
    _new_site: NewSite
    _port: IListeningPort | None = None
    _site: HttpSite | None = field(default=None)

    log = Logger()

    def start(self, host: GameHostService) -> None:
        self._site = self._new_site(host, self._access)
        self._endpoint.listen(self._site).addCallbacks(self._listening, self._not_listening)

    def stop(self) -> Deferred[None]:
        """Close the port and its open channels. The result fires when the port is closed."""
        port = self._port
        self._port = None
        if self._site is not None:
            self._site.close_channels()
        return (None if port is None else port.stopListening()) or succeed(None)

    def _listening(self, port: IListeningPort) -> None:
        """The port is open: log its address. A UNIX socket has no address with a port, so its description is logged."""
        self._port = port
        address: Any = port.getHost()
        where = f"{address.host}:{address.port}" if hasattr(address, "host") else self._description
        self.log.info("{name} listening on {where}", name=self._name, where=where)

    def _not_listening(self, failure: Failure) -> None:
        """The port cannot be opened: log the reason, and run without the port."""
        reason = f"--{self._name}: cannot listen on {self._description}: {failure.getErrorMessage()}"
        self.log.error("{reason}; this port is left out", reason=reason)


class HealthSite(OwnerSite):
    """Answers every request: with 200, or with 503 and the reason why no player can be served."""

    # OPTIONS, because haproxy sends it by default.
    methods = ("GET", "HEAD", "OPTIONS")

    def respond(self, asked: Asked) -> Answering:
        why = self.host.not_serving
        return Answer(200 if why is None else 503, f"{why or 'players are served'}\n".encode())
