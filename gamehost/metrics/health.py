"""
Small HTTP ports for the owner's programs, and one of them: it tells a load balancer whether this host could serve a player now.

The reactor itself answers, so a host that hangs does not answer at all.
"""

from collections.abc import Callable
from typing import Any

from attrs import define, field
from twisted.internet.defer import Deferred, succeed
from twisted.internet.interfaces import IAddress, IListeningPort, IStreamServerEndpoint
from twisted.logger import Logger
from twisted.protocols.policies import ProtocolWrapper, WrappingFactory
from twisted.python.failure import Failure
from twisted.web.resource import Resource
from twisted.web.server import Request, Site

from gamehost.service import GameHostService

#: Connections at once. Whoever watches a host needs one or two.
MOST_CONNECTIONS = 16
#: Seconds after which a silent connection is closed. By default Prometheus asks once a minute.
IDLE_SECONDS = 90


class _SilentSite(Site):
    """A site whose requests are not logged: they come again and again."""

    noisy = False
    displayTracebacks = False

    def log(self, request: Any) -> None:
        """Log nothing."""


class BoundedFactory(WrappingFactory[ProtocolWrapper]):
    """
    The connections of one port, no more than `MOST_CONNECTIONS`.

    :param root: answers
    """

    noisy = False

    def __init__(self, host: GameHostService, root: Resource) -> None:
        super().__init__(_SilentSite(root, timeout=IDLE_SECONDS, reactor=host.context.clock))

    def buildProtocol(self, addr: IAddress | None) -> ProtocolWrapper | None:  # type: ignore[override]
        """A connection, or none: then the port closes it."""
        return super().buildProtocol(addr) if len(self.protocols) < MOST_CONNECTIONS else None


@define(eq=False)
class HttpService:
    """
    One such port; a `gamehost.service.Part`. A port that is in use is left out.

    :param name: of the option
    :param description: the endpoint as the options name it
    :param new_root: makes what answers
    """

    _name: str
    _description: str
    _endpoint: IStreamServerEndpoint
    _new_root: Callable[[Any], Resource]
    _port: IListeningPort | None = None
    _factory: WrappingFactory[ProtocolWrapper] | None = field(default=None)

    log = Logger()

    def start(self, host: GameHostService) -> None:
        self._factory = BoundedFactory(host, self._new_root(host))
        self._endpoint.listen(self._factory).addCallbacks(self._listening, self._not_listening)

    def stop(self) -> Deferred[None]:
        port, self._port = self._port, None
        for connection in () if self._factory is None else tuple(self._factory.protocols):
            connection.abortConnection()
        return (None if port is None else port.stopListening()) or succeed(None)

    def _listening(self, port: IListeningPort) -> None:
        self._port = port
        address: Any = port.getHost()
        where = f"{address.host}:{address.port}" if hasattr(address, "host") else self._description
        self.log.info("{name} listening on {where}", name=self._name, where=where)

    def _not_listening(self, failure: Failure) -> None:
        reason = f"--{self._name}: cannot listen on {self._description}: {failure.getErrorMessage()}"
        self.log.error("{reason}; this port is left out", reason=reason)


class HealthResource(Resource):
    """Answers every request, whatever it asks for: 200, or 503 and why no player can be served."""

    isLeaf = True

    def __init__(self, host: GameHostService) -> None:
        super().__init__()
        self._host = host

    def render(self, request: Request) -> bytes:
        why = self._host.not_serving
        request.setResponseCode(200 if why is None else 503)
        request.setHeader("Content-Type", "text/plain; charset=utf-8")
        return b"" if request.method == b"HEAD" else f"{why or 'players are served'}\n".encode()
