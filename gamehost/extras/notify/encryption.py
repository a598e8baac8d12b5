"""
The encryption of Web Push (RFC 8291 over RFC 8188), and the signature by which a push service recognizes the host (VAPID,
RFC 8292).

A browser's subscription contains a public key and a secret. Messages are encrypted with them, so the push service passes
messages on without being able to read them.
"""

import json
from collections.abc import Callable
from pathlib import Path
from secrets import token_bytes
from typing import Any

from attrs import define, field
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from gamehost.entries import PartUnusable
from gamehost.extras.notify.base64url import to_text
from gamehost.storage.sidecar import read, replace, sidecar_path

#: The lengths of a public key, of the secret of a subscription, and of a salt, in bytes.
KEY_BYTES, SECRET_BYTES, SALT_BYTES = 65, 16, 16
#: The length of a record in bytes. A message is one record.
_RECORD = 4096
#: The most bytes of a text. A record also has a mark at the end of the text, and the tag of the encryption.
MOST_BYTES = _RECORD - 17
#: The mark at the end of the text in the last record of a message.
_END = b"\x02"

#: For how many seconds a signature is valid (at most 24 hours), and how many seconds before its end a new one is made.
_SIGNED_SECONDS, _RENEW_SECONDS = 12 * 3600, 3600
#: The suffix of the file with the host's key, next to the store.
_SUFFIX = ".push"

_CURVE = ec.SECP256R1()


class BadKey(ValueError):
    """The bytes are not a public key of the curve P-256."""


def public_key(data: bytes) -> Any:
    """
    Reads a public key from the bytes of its two coordinates.

    :raises BadKey: they are not a point of the curve
    """
    if len(data) != KEY_BYTES:
        raise BadKey(f"expected a key of {KEY_BYTES} bytes")
    try:
        return ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, data)
    except ValueError:
        raise BadKey("expected a point of the curve P-256") from None


def bytes_of(key: Any) -> bytes:
    """Returns the two coordinates of a public key as bytes."""
    data: bytes = key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return data


def encrypted(text: bytes, receiver: bytes, secret: bytes, salt: bytes = b"", own: Any = None) -> bytes:
    """
    Encrypts a text for a subscription. Returns the body of a request to the push service.

    :param text: at most `MOST_BYTES` long
    :param receiver: the public key of the subscription
    :param secret: the secret of the subscription
    :param salt: the salt; empty: a random one
    :param own: the private key for this message; `None`: a new one
    :raises BadKey: the receiver's key is not a point of the curve
    """
    if len(text) > MOST_BYTES:
        raise ValueError(f"a message has {MOST_BYTES} bytes at most")
    own, salt = own or ec.generate_private_key(_CURVE), salt or token_bytes(SALT_BYTES)
    shared, sender = own.exchange(ec.ECDH(), public_key(receiver)), bytes_of(own.public_key())
    # The head of the message, by section 2.1 of RFC 8188: salt, size of a record, and the length and bytes of the
    # sender's key.
    key, nonce = _key_and_nonce(shared, secret, salt, receiver, sender)
    head = salt + _RECORD.to_bytes(4, "big") + bytes([len(sender)]) + sender
    sealed: bytes = AESGCM(key).encrypt(nonce, text + _END, None)
    return head + sealed


def decrypted(body: bytes, private: Any, secret: bytes) -> bytes:
    """
    Decrypts the result of `encrypted`, as a browser does. Only tests need this.

    :param private: the private key of the subscription
    :param secret: the secret of the subscription
    :raises ValueError: the body was made for another subscription
    """
    # The four bytes after the salt are the size of a record, and the next one is the length of the sender's key.
    salt, rest = body[:SALT_BYTES], body[SALT_BYTES + 4 :]
    sender, data = rest[1 : 1 + rest[0]], rest[1 + rest[0] :]
    shared, receiver = private.exchange(ec.ECDH(), public_key(sender)), bytes_of(private.public_key())
    key, nonce = _key_and_nonce(shared, secret, salt, receiver, sender)
    try:
        text: bytes = AESGCM(key).decrypt(nonce, data, None)
    except InvalidTag:
        raise ValueError("it was made for another subscription") from None
    return text.rstrip(b"\0").removesuffix(_END)


def _key_and_nonce(shared: bytes, secret: bytes, salt: bytes, receiver: bytes, sender: bytes) -> tuple[bytes, bytes]:
    """Derives the key of AES, and the nonce, by section 3.4 of RFC 8291."""
    input_key = _hkdf(secret, b"WebPush: info\0" + receiver + sender, 32, shared)
    key = _hkdf(salt, b"Content-Encoding: aes128gcm\0", 16, input_key)
    return key, _hkdf(salt, b"Content-Encoding: nonce\0", 12, input_key)


def _hkdf(salt: bytes, info: bytes, size: int, key: bytes) -> bytes:
    made: bytes = HKDF(SHA256(), size, salt, info).derive(key)
    return made


@define(eq=False)
class Vapid:
    """
    The key of the host, which signs requests to push services. Browsers subscribe with its public part. If the key is lost, all
    subscriptions are lost.

    :param private: the private key
    :param contact: an address with `mailto:` or `https:`, at which push services can reach the owner of the host
    :param wall: returns the time in seconds since 1970
    """

    _private: Any = field(repr=False)
    _contact: str
    _wall: Callable[[], float]
    #: The header for each push service, by its origin, and the time until which the header is used.
    _headers: dict[str, tuple[str, float]] = field(init=False, factory=dict, repr=False)

    @property
    def public(self) -> str:
        """The public key, with which browsers subscribe."""
        return to_text(bytes_of(self._private.public_key()))

    def secret(self, purpose: bytes) -> bytes:
        """Derives a secret of the host from the key. Each purpose gets another secret."""
        number = self._private.private_numbers().private_value
        return _hkdf(b"", b"gamehost " + purpose, 32, number.to_bytes(32, "big"))

    def header(self, origin: str) -> str:
        """
        Returns the value of the header `Authorization` for a push service.

        :param origin: the origin of the push service, such as `https://push.example.org`
        """
        now = self._wall()
        header, until = self._headers.get(origin, ("", 0.0))
        if not now < until:
            # There is no header for this service yet, or it is soon not valid any more.
            header = f"vapid t={self._token(origin, int(now))}, k={self.public}"
            self._headers[origin] = header, now + _SIGNED_SECONDS - _RENEW_SECONDS
        return header

    def _token(self, origin: str, now: int) -> str:
        """Returns a signed JSON Web Token for a push service, valid from now on."""
        claims = {"aud": origin, "exp": now + _SIGNED_SECONDS, "sub": self._contact}
        signed = f"{_json({'typ': 'JWT', 'alg': 'ES256'})}.{_json(claims)}"
        # A token has the two numbers of the signature in 32 bytes each.
        r, s = decode_dss_signature(self._private.sign(signed.encode(), ec.ECDSA(SHA256())))
        return f"{signed}.{to_text(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


def _json(value: object) -> str:
    return to_text(json.dumps(value, separators=(",", ":")).encode())


def key_beside(store: Path) -> Any:
    """
    Reads the private key of the host from its file next to the store. If there is no file, a new key is made and written.

    :param store: the path of the store
    :raises PartUnusable: the file cannot be read or written, or does not contain a key
    """
    path = sidecar_path(store.resolve(), _SUFFIX)
    try:
        text = read(path)
        if text is None:
            made = ec.generate_private_key(_CURVE)
            replace(path, f"{made.private_numbers().private_value:064x}\n")
            return made
    except OSError as error:
        raise PartUnusable(f"{path}: {error.strerror}") from None
    try:
        return ec.derive_private_key(int(text, 16), _CURVE)
    except ValueError:
        raise PartUnusable(
            f"{path}: expected the key for pushes, 64 hexadecimal digits; put the file back, or remove it: "
            "players have to ask for pushes again then"
        ) from None
