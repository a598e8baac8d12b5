"""The options of Web Push."""

from collections.abc import Sequence
from importlib.util import find_spec

from gamehost.extras.notify.subscriptions import hosts_in
from gamehost.settings import BadOption


def contact_of(name: str, text: str) -> str:
    """
    Reads the value of `--push`: an address at which push services can reach the owner of the host.

    :param name: the name of the option, for messages
    :raises BadOption: the text is not such an address, or a package is missing
    """
    if not text.isascii() or not text.isprintable() or " " in text or not text.startswith(("mailto:", "https://")):
        raise BadOption(f"{name}: expected where push services reach you, such as mailto:you@example.org")
    # `OpenSSL` is needed for requests by https.
    if find_spec("cryptography") is None or find_spec("OpenSSL") is None:
        raise BadOption(f"{name}: pushes need more packages: pip install 'gamehost[push]'")
    return text


def push_hosts(name: str, text: str) -> Sequence[str]:
    """
    Reads the value of `--push-hosts`: the names of the push services that are used.

    :param name: the name of the option, for messages
    :raises BadOption: one of them is not the name of a host
    """
    try:
        return hosts_in(text)
    except ValueError as error:
        raise BadOption(f"{name}: {error}") from None
