"""Keys and certificates for tests: an authority, one in between, and leaves, made anew each time."""

import datetime
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

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


def certificate(name: str, key: Any, issuer: str, issuer_key: Any, years: int = 30, serial: int = 7) -> bytes:
    """A certificate for a name, in PEM."""
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(serial)
        .not_valid_before(_BEGAN)
        .not_valid_after(_BEGAN + datetime.timedelta(days=365 * years))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), False)
    )
    data: bytes = builder.sign(issuer_key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    return data


def write_folder(folder: Path, serial: int = 7) -> None:
    """A folder as `certbot` leaves one: the key, the leaf, what vouches for it, and both together."""
    folder.mkdir(exist_ok=True)
    root, middle, leaf = new_key(), new_key(), new_key()
    own = certificate("games.example", leaf, "middle", middle, serial=serial)
    chain = certificate("middle", middle, "root", root)
    for name, data in (
        ("privkey.pem", pem_key(leaf)),
        ("cert.pem", own),
        ("chain.pem", chain),
        ("fullchain.pem", own + chain),
    ):
        path = folder / name
        path.touch(0o600)
        path.chmod(0o600)
        path.write_bytes(data)
