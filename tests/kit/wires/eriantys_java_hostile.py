"""Object streams that no client of this wire sends: what attackers send to Java programs, and near misses."""

import struct

from gamehost.wires.eriantys_java.client import JavaClientCodec
from gamehost.wires.eriantys_java.messages import ChosenTower, LoginMessage, Message, PlayAssistant, SetGame
from gamehost.wires.eriantys_java.stream import HEADER
from gamehost.wires.eriantys_java.values import Assistant, Tower


def said(message: Message) -> bytes:
    """A client's message without the stream's header."""
    return JavaClientCodec().encode(message).removeprefix(HEADER)


def utf(text: str) -> bytes:
    """A text with its length in front."""
    return struct.pack(">H", len(text)) + text.encode("ascii")


def described(name: str, uid: int = 1, flags: int = 2, fields: bytes = b"\0\0", parent: bytes = b"\x70") -> bytes:
    """A class descriptor."""
    return b"\x72" + utf(name) + struct.pack(">Q", uid) + bytes([flags]) + fields + b"\x78" + parent


LOGIN, TOWER, GAME = said(LoginMessage("ann")), said(ChosenTower(Tower.BLACK)), said(SetGame(False, 2))
CARD = said(PlayAssistant(Assistant.DOG))
PREFIX = "it.polimi.ingsw.messages.fromClient."
#: A log-in up to its name, and a tower up to its colour.
BEFORE_NAME, BEFORE_COLOUR = LOGIN[: -len(b"\x74\0\3ann\x79")], TOWER[: TOWER.index(b"\x7e")]
STRINGS = b"\0\1L\0\x08nickname"

#: What is wrong -> the bytes behind the stream's header.
HOSTILE: dict[str, bytes] = {
    "nested lists": b"\x73" + described("java.util.ArrayList") * 200,
    "nested objects": b"\x73\x72" * 5_000,
    "nested superclasses": b"\x73" + described("a", parent=b"") * 500,
    "a superclass of its own": LOGIN.replace(b"\x78\x70", b"\x78" + described("a")),
    "a hash set that contains itself": b"\x73"
    + described("java.util.HashSet", flags=3)
    + b"\x77\x0c"
    + bytes(12)
    + b"\x71\0\x7e\0\1",
    "a hash map": b"\x73" + described("java.util.HashMap", 0x0507DAC1C31660D1, 3),
    "a priority queue": b"\x73" + described("java.util.PriorityQueue", flags=3),
    "an invoker": b"\x73" + described("org.apache.commons.collections.functors.InvokerTransformer"),
    "the server's own message": b"\x73"
    + described("it.polimi.ingsw.messages.fromServer.Ping", 0x1828A0D670D8F848)
    + b"\x79",
    "a constant of the server's": b"\x7e" + described("it.polimi.ingsw.messages.fromServer.ErrorMessage", 0, 0x12),
    "a class of the model": b"\x73" + described("it.polimi.ingsw.model.Bag"),
    "a huge array": b"\x75" + described("[B", 0xACF317F8060854E0) + b"\x7f\xff\xff\xff",
    "a huge array of objects": b"\x75" + described("[Ljava.lang.Object;") + b"\x7f\xff\xff\xff",
    "a huge text": b"\x74\xff\xff" + b"x" * 65_535,
    "a long text": b"\x7c\0\0\0\0\x7f\xff\xff\xff" + b"x" * 100,
    "a huge class name": b"\x73\x72\xff\xff" + b"x" * 65_535,
    "a long class name": b"\x73\x72\0\xff" + b"x" * 255,
    "an empty class name": b"\x73\x72\0\0" + bytes(8) + b"\2\0\0\x78\x70\x79",
    "a name of NULs": b"\x73\x72\0\x27" + bytes(39),
    "another class of the package": b"\x73" + described(PREFIX + "Ack2"),
    "a class whose name is longer": b"\x73" + described(PREFIX + "Acknowledgement"),
    "a class whose name is shorter": b"\x73" + described(PREFIX + "Ac"),
    "a name with the length of another": b"\x73\x72"
    + struct.pack(">H", len(PREFIX) + 4)
    + PREFIX.encode()
    + b"Ack\xce",
    "null": b"\x70\x79",
    "a text": b"\x74\0\3ann\x79",
    "a class": b"\x76" + described(PREFIX + "Ack", 0xCE6B461A132727AA) + b"\x79",
    "a descriptor": described(PREFIX + "Ack", 0xCE6B461A132727AA) + b"\x79",
    "block data": b"\x77\x04\0\0\0\1\x79",
    "a long block": b"\x7a\x7f\xff\xff\xff",
    "an exception": b"\x7b\x73" + described("java.io.IOException"),
    "a proxy": b"\x73\x7d\0\0\0\1" + utf("java.lang.Runnable") + b"\x78\x70",
    "a proxy with many interfaces": b"\x73\x7d\x7f\xff\xff\xff",
    "an end": b"\x78",
    "tags that do not exist": b"\x7f",
    "a reference to nothing": b"\x71\0\x7e\0\0\x79",
    "an object of a class that is referred to": b"\x73\x71\0\x7e\0\0\x79",
    "an object without a class": b"\x73\x70\x79",
    "another UID": b"\x73" + described(PREFIX + "Ack", 0xCE6B461A132727AB) + b"\x79",
    "other flags": b"\x73" + described(PREFIX + "Ack", 0xCE6B461A132727AA, 3) + b"\x78\x79",
    "external contents": b"\x73" + described(PREFIX + "Ack", 0xCE6B461A132727AA, 0x0C) + b"\x77\0\x78\x79",
    "a field too many": b"\x73" + described(PREFIX + "Ack", 0xCE6B461A132727AA, 2, b"\0\1I\0\1a"),
    "many fields": b"\x73" + described(PREFIX + "Ack", 0xCE6B461A132727AA, 2, b"\xff\xff"),
    "a field too few": b"\x73" + described(PREFIX + "LoginMessage", 0x0AFF77621D35ADE0) + b"\x79",
    "a field of another type": LOGIN.replace(STRINGS, b"\0\1[\0\x08nickname"),
    "a field of another name": LOGIN.replace(STRINGS, b"\0\1L\0\x08nicknamf"),
    "a field of another class": LOGIN.replace(b"java/lang/String", b"java/lang/Object"),
    "a signature that is a reference": LOGIN.replace(b"\x74\0\x12Ljava/lang/String;", b"\x71\0\x7e\0\0"),
    "an annotation": LOGIN.replace(b"\x78\x70", b"\x77\0\x78\x70"),
    "fields in another order": GAME.replace(
        b"Z\0\nexpertModeI\0\x0fnumberOfPlayers", b"I\0\x0fnumberOfPlayersZ\0\nexpertMode"
    ),
    "a boolean of 2": GAME.replace(b"\x78\x70\0", b"\x78\x70\2"),
    "a name of 257 bytes": BEFORE_NAME + b"\x74\1\1" + b"x" * 257,
    "a name of 65535 bytes": BEFORE_NAME + b"\x74\xff\xff" + b"x" * 65_535,
    "a name with a NUL": BEFORE_NAME + b"\x74\0\1\0\x79",
    "a name that is not UTF-8": BEFORE_NAME + b"\x74\0\2\xc3(\x79",
    "a name in too many bytes": BEFORE_NAME + b"\x74\0\2\xc1\x81\x79",
    "a name with four bytes for a letter": BEFORE_NAME + b"\x74\0\4\xf0\x9d\x84\x9e\x79",
    "half a surrogate pair": BEFORE_NAME + b"\x74\0\3\xed\xa0\x80\x79",
    "a surrogate pair the wrong way round": BEFORE_NAME + b"\x74\0\6\xed\xb4\x9e\xed\xa0\xb4\x79",
    "a name that is the message itself": BEFORE_NAME + b"\x71\0\x7e\0\2\x79",
    "a name that is the descriptor": BEFORE_NAME + b"\x71\0\x7e\0\0\x79",
    "a name that is a handle to come": BEFORE_NAME + b"\x71\0\x7e\0\3\x79",
    "a name that is a handle far away": BEFORE_NAME + b"\x71\x7f\xff\xff\xff\x79",
    "a name that is an object": BEFORE_NAME + b"\x73" + described("java.lang.Integer"),
    "a name that is a constant": BEFORE_NAME + TOWER[TOWER.index(b"\x7e") :],
    "a name that is a proxy": BEFORE_NAME + b"\x73\x7d\0\0\0\1",
    "a colour that is a text": BEFORE_COLOUR + b"\x74\0\5BLACK\x79",
    "a colour of another class": BEFORE_COLOUR + CARD[CARD.index(b"\x7e") :],
    "a colour that is no constant": TOWER.replace(b"BLACK", b"BLOCK"),
    "a colour with another UID": TOWER.replace(b"Tower" + bytes(8) + b"\x12", b"Tower" + bytes(7) + b"\1\x12"),
    "a colour that is an object": TOWER.replace(b"\x7e", b"\x73"),
    "a colour without java.lang.Enum": TOWER.replace(b"java.lang.Enum", b"java.lang.Evil"),
    "an enumeration with a body": TOWER.replace(b"model.Tower" + bytes(8), b"model.Tower$1" + bytes(8)),
    "a constant whose name is a reference": TOWER.replace(b"\x74\0\5BLACK", b"\x71\0\x7e\0\1"),
    "an object behind an object": LOGIN[:-1] + GAME,
    "null behind an object": LOGIN[:-1] + b"\x70\x79",
    "block data behind an object": LOGIN[:-1] + b"\x77\0\x79",
    "a second header": HEADER + LOGIN,
}
