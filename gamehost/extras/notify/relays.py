"""The relay that delivers the host's mails, and the option that names it."""

from importlib.util import find_spec
from urllib.parse import unquote, urlsplit

from attrs import field, frozen

from gamehost.extras.notify.addresses import BadAddress, checked_address
from gamehost.rates import is_loopback
from gamehost.settings import BadOption

#: The variable of the environment with the password for the relay.
PASSWORD = "GAMEHOST_MAIL_PASSWORD"
#: The port of SMTP between mail servers. Relays that want a password mostly have port 587.
PORT = 25


@frozen
class MailRelay:
    """A relay: the mail server to which the host sends all mails."""

    host: str
    port: int
    #: The name of the host's account at the relay; empty: no log-in is needed.
    user: str
    #: The sender's address of all mails.
    sender: str
    password: str = field(default="", repr=False)

    @property
    def local(self) -> bool:
        """Whether the relay is on this machine, so that the connection needs no encryption."""
        return self.host == "localhost" or is_loopback(self.host)


def relay_of(name: str, text: str) -> MailRelay:
    """
    Reads the value of `--mail`: `smtp://[USER@]HOST[:PORT]/SENDER`.

    :param name: the name of the option, for messages
    :raises BadOption: the text has another form, or a package is missing
    """
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port or PORT
    except ValueError:
        # No address at all: refused below.
        parts, host, port = urlsplit(""), "", 0
    if parts.password is not None:
        raise BadOption(f"{name}: no password may stand here: put it into the environment, as {PASSWORD}")
    expected = f"{name}: expected smtp://RELAY/SENDER, such as smtp://mail.example.org:587/games@example.org"
    if parts.scheme != "smtp" or not host or parts.query or parts.fragment:
        raise BadOption(expected)
    try:
        sender = checked_address(parts.path.removeprefix("/"))
    except BadAddress:
        raise BadOption(expected) from None
    relay = MailRelay(host, port, unquote(parts.username or ""), sender)
    if not relay.local and find_spec("OpenSSL") is None:
        raise BadOption(f"{name}: a relay on another machine needs TLS: pip install 'gamehost[tls]'")
    return relay
