"""The encryption of pushes, and the signature of the host: by the example of the document, and as their readers see them."""

import json
import stat
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from hypothesis import given
from hypothesis import strategies as st

from gamehost.entries import PartUnusable
from gamehost.extras.notify.base64url import from_text, to_text
from gamehost.extras.notify.encryption import (
    MOST_BYTES,
    BadKey,
    Vapid,
    bytes_of,
    decrypted,
    encrypted,
    key_beside,
    public_key,
)
from gamehost.testing.cases import PropertyCase

_CURVE = ec.SECP256R1()
#: RFC 8291, section 5 and appendix A.
_TEXT = b"When I grow up, I want to be a watermelon"
_SENDER = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
_RECEIVER = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
_RECEIVER_PUBLIC = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
_SECRET, _SALT = "BTBZMqHH6r4Tts7J_aSIgg", "DGv6ra1nlYgDCS1FRnbzlw"
_BODY = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6"
    "cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)


def private_key(text: str) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(int.from_bytes(from_text(text), "big"), _CURVE)


class EncryptionTests(PropertyCase):
    def test_the_example_of_the_document(self) -> None:
        """Byte for byte, and back."""
        body = encrypted(_TEXT, from_text(_RECEIVER_PUBLIC), from_text(_SECRET), from_text(_SALT), private_key(_SENDER))
        self.assertEqual(to_text(body), _BODY)
        self.assertEqual(decrypted(body, private_key(_RECEIVER), from_text(_SECRET)), _TEXT)

    @given(st.binary(max_size=300))
    def test_a_message_is_for_one_browser(self, text: bytes) -> None:
        receiver, secret = private_key(_RECEIVER), from_text(_SECRET)
        text += b"."
        body, again = (encrypted(text, bytes_of(receiver.public_key()), secret) for _ in range(2))
        self.assertNotEqual(body, again)
        self.assertEqual(decrypted(body, receiver, secret), text)
        self.assertRaises(ValueError, decrypted, body, private_key(_SENDER), secret)
        self.assertRaises(ValueError, decrypted, body, receiver, secret[::-1])
        self.assertRaises(ValueError, decrypted, body[:-1], receiver, secret)

    def test_the_longest_message_is_one_record(self) -> None:
        receiver = from_text(_RECEIVER_PUBLIC)
        body = encrypted(b"x" * MOST_BYTES, receiver, from_text(_SECRET))
        self.assertEqual(len(body) - len(from_text(_BODY)) + len(_TEXT) + 17, 4096)
        self.assertRaises(ValueError, encrypted, b"x" * (MOST_BYTES + 1), receiver, from_text(_SECRET))

    def test_a_key_is_a_point_of_the_curve(self) -> None:
        good = from_text(_RECEIVER_PUBLIC)
        self.assertEqual(bytes_of(public_key(good)), good)
        for bad in (good[:-1] + b"\0", good[:-1], b"\4" + b"\0" * 64, b"", b"\0" * 65, b"\2" + good[1:33], good + b"x"):
            self.assertRaises(BadKey, public_key, bad)

    @given(st.binary(max_size=40))
    def test_bytes_in_addresses(self, data: bytes) -> None:
        text = to_text(data)
        self.assertRegex(text, r"\A[A-Za-z0-9_-]*\Z")
        self.assertEqual((from_text(text), from_text(text + "=")), (data, data))
        for bad in (text + "!", text + "\n", text + "+", "é" + text):
            self.assertRaises(ValueError, from_text, bad)


class VapidTests(PropertyCase):
    def test_a_push_service_can_check_it(self) -> None:
        """RFC 8292: ES256, the origin of the service, less than a day, and the contact."""
        private = ec.generate_private_key(_CURVE)
        vapid = Vapid(private, "mailto:owner@example.org", lambda: 1_700_000_000.5)
        scheme, *parts = vapid.header("https://push.example.org").replace(",", "").split()
        named = dict(part.split("=", 1) for part in parts)
        self.assertEqual((scheme, named["k"]), ("vapid", vapid.public))
        head, claims, signature = named["t"].split(".")
        self.assertEqual(json.loads(from_text(head)), {"typ": "JWT", "alg": "ES256"})
        expected = {"aud": "https://push.example.org", "exp": 1_700_043_200, "sub": "mailto:owner@example.org"}
        self.assertEqual(json.loads(from_text(claims)), expected)
        data = from_text(signature)
        self.assertEqual(len(data), 64)
        der = encode_dss_signature(int.from_bytes(data[:32], "big"), int.from_bytes(data[32:], "big"))
        public_key(from_text(named["k"])).verify(der, f"{head}.{claims}".encode(), ec.ECDSA(SHA256()))

    def test_a_signature_is_made_once_for_some_hours(self) -> None:
        now = [1_700_000_000.0]
        vapid = Vapid(ec.generate_private_key(_CURVE), "mailto:owner@example.org", lambda: now[0])
        first, other = vapid.header("https://a.example.org"), vapid.header("https://b.example.org")
        now[0] += 10 * 3600
        self.assertEqual(vapid.header("https://a.example.org"), first)
        now[0] += 3600
        self.assertNotIn(vapid.header("https://a.example.org"), (first, other))

    def test_the_key_is_a_file_of_the_owner_alone(self) -> None:
        folder = Path(self.mktemp())
        folder.mkdir()
        store = folder / "store.sqlite"
        first, again = key_beside(store), key_beside(store)
        self.assertEqual(bytes_of(first.public_key()), bytes_of(again.public_key()))
        [file] = folder.iterdir()
        self.assertEqual((file.name, stat.S_IMODE(file.stat().st_mode)), ("store.sqlite.push", 0o600))
        for text in ("", "x", "0" * 64, "f" * 64):
            file.write_text(text)
            self.assertRaises(PartUnusable, key_beside, store)
        file.unlink()
        file.mkdir()
        self.assertRaises(PartUnusable, key_beside, store)
