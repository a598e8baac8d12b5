"""
The ports for the owner's programs: sites of `gamehost.web.server` with few connections. Also the health port. It
reports to a load balancer whether this host could serve a player now.

The reactor itself answers, so a host that hangs does not answer at all.
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

#: Connections at once. A program that watches a host needs one or two.
MOST_CONNECTIONS = 16


class OwnerSite(HttpSite):
    """
    A site for the owner's programs. Its connections and requests are not those of the pages.

    :param host: the running host that the site describes
    :param access: the names under which the programs may ask
    """

    def __init__(self, host: GameHostService, access: Access) -> None:
        context = host.context
        limiter = HttpLimiter(context.limits, MOST_CONNECTIONS)
        super().__init__(context.clock, context.scheduler, limiter, access)
        self.host = host


#: Makes a site, when the host runs.
NewSite: TypeAlias = Callable[[GameHostService, Access], HttpSite]


@define(eq=False)
class HttpService:
    """
    One HTTP port of the host; a `gamehost.service.Part`. If another program uses the port, the host runs without it.

    :param name: the name of the option that opens the port
    :param description: the endpoint, as it is written in the option
    :param access: the names of this host that a request may use
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
        port, self._port = self._port, None
        if self._site is not None:
            self._site.close_channels()
        return (None if port is None else port.stopListening()) or succeed(None)

    def _listening(self, port: IListeningPort) -> None:
        self._port = port
        address: Any = port.getHost()
        where = f"{address.host}:{address.port}" if hasattr(address, "host") else self._description
        self.log.info("{name} listening on {where}", name=self._name, where=where)

    def _not_listening(self, failure: Failure) -> None:
        reason = f"--{self._name}: cannot listen on {self._description}: {failure.getErrorMessage()}"
        self.log.error("{reason}; this port is left out", reason=reason)


class HealthSite(OwnerSite):
    """Answers whatever it is asked for: 200, or 503 and why no player can be served."""

    # haproxy asks so by default.
    methods = ("GET", "HEAD", "OPTIONS")

    def respond(self, asked: Asked) -> Answering:
        why = self.host.not_serving
        return Answer(200 if why is None else 503, f"{why or 'players are served'}\n".encode())
