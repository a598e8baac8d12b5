"""Keys and certificates for tests: an authority, one in between, and leaves, made anew each time."""

import datetime
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_USES = {"server": ExtendedKeyUsageOID.SERVER_AUTH, "client": ExtendedKeyUsageOID.CLIENT_AUTH}

_BEGAN = datetime.datetime(2020, 1, 1)


def new_key() -> Any:
    """A private key."""
    return ec.generate_private_key(ec.SECP256R1())


def pem_key(key: Any, password: bytes | None = None) -> bytes:
    """As it stands in a file."""
    encryption: Any = (
        serialization.NoEncryption() if password is None else serialization.BestAvailableEncryption(password)
    )
    data: bytes = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption)
    return data


def certificate(
    name: str,
    key: Any,
    issuer: str,
    issuer_key: Any,
    years: int = 30,
    serial: int = 7,
    address: str = "",
    authority: bool = False,
    use: str = "",
) -> bytes:
    """
    A certificate for a name, in PEM; with an address it is for that one, too.

    :param use: `server` or `client`: it is good for that alone; empty: it does not say
    """
    also = [x509.IPAddress(IPv4Address(address))] if address else []
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(serial)
        .not_valid_before(_BEGAN)
        .not_valid_after(_BEGAN + datetime.timedelta(days=365 * years))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name), *also]), False)
        .add_extension(x509.BasicConstraints(authority, None), True)
    )
    if use:
        builder = builder.add_extension(x509.ExtendedKeyUsage([_USES[use]]), False)
    data: bytes = builder.sign(issuer_key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    return data


def write_folder(folder: Path, serial: int = 7) -> None:
    """A folder as `certbot` leaves one: the key, the leaf, what vouches for it, and both together."""
    folder.mkdir(exist_ok=True)
    root, middle, leaf = new_key(), new_key(), new_key()
    own = certificate("games.example", leaf, "middle", middle, serial=serial)
    chain = certificate("middle", middle, "root", root, authority=True)
    for name, data in (
        ("privkey.pem", pem_key(leaf)),
        ("cert.pem", own),
        ("chain.pem", chain),
        ("fullchain.pem", own + chain),
    ):
        _write(folder / name, data)


def write_members(authority: Path, *folders: tuple[Path, str, str], **more: Any) -> None:
    """
    Folders of members of a cluster, and the file of the authority of all of them.

    :param folders: each with the name and the address that its certificate is for
    :param more: for the certificate of the first one, as of `certificate`
    """
    root = new_key()
    _write(authority, certificate("root", root, "root", root, authority=True))
    for folder, name, address in folders:
        folder.mkdir(exist_ok=True)
        key = new_key()
        _write(folder / "privkey.pem", pem_key(key))
        _write(folder / "cert.pem", certificate(name, key, "root", root, address=address, **more))
        more = {}


def _write(path: Path, data: bytes) -> None:
    path.touch(0o600)
    path.chmod(0o600)
    path.write_bytes(data)
