"""
The client's side of the wire: the codec, which reads the server's messages and writes a client's messages.

A server's message is a reset and then an object. A client's message is an object and then a reset. Before a message is
sent, it is read back with the server's reader. The reader of the server's messages accepts only the classes of the
tables in `objects`, with exactly these descriptors, and limits the size of a message.
"""

from collections.abc import Generator, Iterator
from enum import StrEnum
from struct import error as StructError
from typing import Any

from gamehost.extras.dialects.eriantys_java import objects
from gamehost.extras.dialects.eriantys_java.codec import read
from gamehost.extras.dialects.eriantys_java.messages import CLIENT_TYPES, Message
from gamehost.programs.clients import WireClient
from gamehost.wires.framing import WireError, from_modified_utf8

#: The most bytes of a message of the server. A board has up to 6 KB.
SERVER_MESSAGE_LIMIT = 65_536
#: The deepest nesting of objects. A board with four players has less than 20.
DEEPEST = 40

Reading = Generator[None, None, Any]


class ObjectReader:
    """
    Reads one message. Its methods are generators, because an object may come in several pieces. They `yield` when they
    must wait for more bytes, and return what they have read.

    :param data: the bytes after the reset. More bytes are added to it while the reader waits.
    """

    def __init__(self, data: bytearray) -> None:
        """
        Makes a reader for one message. It is a generator, which waits where bytes are missing.

        :param data: the received bytes, to which the caller adds more
        """
        self._data = data
        #: The position of the next byte.
        self.at = 0
        #: The values with a handle, in the order of the handles.
        self._handles: list[Any] = []

    def value(self, depth: int = 0) -> Reading:
        """
        Reads any object, or null. It waits (by `yield`) as long as bytes are missing.

        :param depth: how deeply the object is nested
        :raises WireError: it is not an object of this wire
        """
        if depth > DEEPEST:
            raise WireError("objects that are nested too deeply")
        tag = yield from self._take(1)
        if tag == objects.NULL:
            return None
        if tag == objects.REFERENCE:
            return (yield from self._reference())
        if tag == objects.STRING:
            # A value gets its handle, the number by which later parts refer to it, before it is read.
            place = self._new_handle(None)
            self._handles[place] = yield from self._utf()
            return self._handles[place]
        if tag == objects.OBJECT:
            return (yield from self._object(depth))
        if tag == objects.ENUM:
            return (yield from self._constant())
        if tag == objects.ARRAY:
            return (yield from self._array(depth))
        if tag == objects.CLASS:
            java = yield from self._descriptor()
            self._new_handle(java)
            return java
        raise WireError("a tag that this wire does not use")

    def _take(self, count: int) -> Generator[None, None, bytes]:
        """Reads so many bytes, and waits until they have come."""
        end = self.at + count
        if end > SERVER_MESSAGE_LIMIT:
            raise WireError(f"a message longer than {SERVER_MESSAGE_LIMIT} bytes")
        while len(self._data) < end:
            yield
        taken = bytes(self._data[self.at : end])
        self.at = end
        return taken

    def _int(self) -> Generator[None, None, int]:
        number: int = objects.INT.unpack((yield from self._take(4)))[0]
        return number

    def _utf(self) -> Generator[None, None, str]:
        (length,) = objects.SHORT.unpack((yield from self._take(2)))
        return from_modified_utf8((yield from self._take(length)))

    def _expect(self, expected: bytes) -> Generator[None, None, None]:
        """
        Reads bytes that must be there.

        :raises WireError: there are other bytes
        """
        if (yield from self._take(len(expected))) != expected:
            raise WireError("the contents of a container are malformed")

    def _new_handle(self, value: Any) -> int:
        """Gives a value the next handle, and returns the place of the handle."""
        self._handles.append(value)
        return len(self._handles) - 1

    def _reference(self) -> Reading:
        """Reads a handle, and returns the value that has it."""
        # Java's handles begin with this number.
        number = (yield from self._int()) - objects.FIRST_HANDLE
        if not 0 <= number < len(self._handles):
            raise WireError("a reference to nothing")
        return self._handles[number]

    def _descriptor(self) -> Generator[None, None, objects.JavaClass]:
        """Reads the class of an object, which must not be null."""
        java = yield from self._descriptor_or_null()
        if java is None:
            raise WireError("an object without a class")
        return java

    def _descriptor_or_null(self) -> Generator[None, None, objects.JavaClass | None]:
        """Reads the descriptor of a class, a reference to one, or null."""
        tag = yield from self._take(1)
        if tag == objects.NULL:
            return None
        if tag == objects.REFERENCE:
            java = yield from self._reference()
            if not isinstance(java, objects.JavaClass):
                raise WireError("a reference to something else than a class")
            return java
        if tag != objects.CLASSDESC:
            raise WireError("a descriptor that this wire does not use")
        name = yield from self._utf()
        # Only classes of the tables are read, so nothing else can be made from the bytes.
        java = objects.CLASSES.get(name)
        if java is None:
            raise WireError("a class that this wire does not know")
        yield from self._rest_of_descriptor(java)
        return java

    def _rest_of_descriptor(self, java: objects.JavaClass) -> Generator[None, None, None]:
        """
        Reads a descriptor after its name, and compares it with the tables.

        :raises WireError: it differs
        """
        fault = WireError(f"the class {java.simple_name} has another descriptor")
        # The version number of the class.
        if (yield from self._take(8)) != java.uid:
            raise fault
        self._new_handle(java)
        head = bytes([java.flags]) + objects.SHORT.pack(len(java.fields))
        if (yield from self._take(len(head))) != head:
            raise fault
        for one in java.fields:
            kind = yield from self._take(1)
            if kind != one.signature[:1].encode("ascii") or (yield from self._utf()) != one.name:
                raise fault
            # A primitive type has one letter. The signature of a class follows as a text of its own.
            if len(one.signature) > 1 and (yield from self.value(DEEPEST)) != one.signature:
                raise fault
        if (yield from self._take(1)) != objects.END or (yield from self._descriptor_or_null()) is not java.parent:
            raise fault

    def _object(self, depth: int) -> Reading:
        """Reads an object: its class, and its fields or its elements."""
        java = yield from self._descriptor()
        place = self._new_handle(None)
        # Containers have a form of their own.
        if java is objects.ARRAY_LIST:
            return (yield from self._list(place, depth))
        if java in (objects.HASH_MAP, objects.ENUM_MAP):
            return (yield from self._map(place, java, depth))
        if java.flags == objects.ENUMERATION or java.name.startswith("["):
            raise WireError("a class that has no objects of its own")
        # The object has its handle before its fields, because a field may refer to it.
        found = self._handles[place] = objects.JavaObject(java, [])
        for one in java.all_fields:
            if one.signature == "I":
                found.values.append((yield from self._int()))
            elif one.signature == "Z":
                found.values.append((yield from self._take(1)) != b"\0")
            else:
                value = yield from self.value(depth + 1)
                _check(one.signature, value)
                found.values.append(value)
        if java is objects.INTEGER:
            self._handles[place] = objects.Boxed(found.values[0])
        return self._handles[place]

    def _list(self, place: int, depth: int) -> Reading:
        """Reads the elements of a java.util.ArrayList."""
        # Java writes the size twice, with a mark in between.
        size = yield from self._take(4)
        yield from self._expect(objects.BLOCKDATA + b"\x04" + size)
        found = self._handles[place] = objects.JavaList([])
        for _ in range(objects.INT.unpack(size)[0]):
            found.items.append((yield from self.value(depth + 1)))
        yield from self._expect(objects.END)
        return found

    def _map(self, place: int, java: objects.JavaClass, depth: int) -> Reading:
        """Reads the pairs of a java.util.HashMap or java.util.EnumMap."""
        found = self._handles[place] = objects.JavaMap([])
        if java is objects.HASH_MAP:
            # Load factor and threshold of the map, and then the number of its buckets, do not matter here.
            yield from self._take(8)
            yield from self._expect(objects.BLOCKDATA + b"\x08")
            yield from self._take(4)
        else:
            keys = yield from self.value(depth + 1)
            if not isinstance(keys, objects.JavaClass) or keys.name not in objects.ENUMERATIONS:
                raise WireError("an EnumMap without the class of its keys")
            found.keys = objects.ENUMERATIONS[keys.name]
            yield from self._expect(objects.BLOCKDATA + b"\x04")
        for _ in range((yield from self._int())):
            key = yield from self.value(depth + 1)
            found.pairs.append((key, (yield from self.value(depth + 1))))
        yield from self._expect(objects.END)
        return found

    def _array(self, depth: int) -> Reading:
        """Reads an array of objects."""
        java = yield from self._descriptor()
        # In Java, the name of the class of an array begins with `[`.
        if not java.name.startswith("["):
            raise WireError("an array of a class that is none")
        found = objects.JavaArray(java, [])
        self._new_handle(found)
        for _ in range((yield from self._int())):
            found.items.append((yield from self.value(depth + 1)))
        return found

    def _constant(self) -> Reading:
        """Reads a constant of an enumeration."""
        java = yield from self._descriptor()
        kind = objects.ENUMERATIONS.get(java.name)
        if kind is None:
            raise WireError("a constant of a class that is no enumeration")
        place = self._new_handle(None)
        name = yield from self.value(DEEPEST)
        # A constant of another enumeration is a `str` in Python, too.
        if isinstance(name, StrEnum) or not isinstance(name, str) or name not in kind.__members__:
            raise WireError(f"{kind.__name__} has no such constant")
        self._handles[place] = kind[name]
        return kind[name]


def _check(signature: str, value: Any) -> None:
    """
    Checks that a field's value has the class of its signature, or is null.

    :raises WireError: it has another class
    """
    if value is not None and not _fits(signature, value):
        raise WireError("a field that refers to an object of another class")


def _fits(signature: str, value: Any) -> bool:
    """Returns whether a value has the class of a signature."""
    name = signature.removeprefix("L").removesuffix(";").replace("/", ".")
    # First, because constants are also texts in Python.
    if isinstance(value, StrEnum):
        return objects.ENUMERATIONS.get(name) is type(value)
    if isinstance(value, str):
        return name == "java.lang.String"
    if isinstance(value, objects.JavaList):
        return name == objects.ARRAY_LIST.name
    if isinstance(value, objects.JavaMap):
        return (
            name == objects.ENUM_MAP.name
            if value.keys is not None
            else name in (objects.HASH_MAP.name, "java.util.Map")
        )
    if isinstance(value, objects.JavaArray):
        return signature.replace("/", ".") == value.java.name
    if isinstance(value, objects.JavaObject):
        return name == value.java.name or (value.java.parent is not None and name == value.java.parent.name)
    return False


# The codec


class JavaClientCodec:
    """The codec of one connection on the client's side: reads the server's objects, and writes the client's messages."""

    def __init__(self) -> None:
        """Makes the codec of a client's connection."""
        # The bytes that were not read yet.
        self._rest = bytearray()
        self._header_read = self._greeted = False
        self._reader: ObjectReader | None = None
        self._reading: Reading | None = None

    @property
    def unfinished(self) -> bool:
        return bool(self._rest)

    def feed(self, data: bytes) -> Iterator[Message]:
        """
        Yields the server's messages that are complete now.

        :raises WireError: the bytes are not a message of the server
        """
        rest = self._rest
        rest += data
        if not self._header_read:
            if not objects.HEADER.startswith(bytes(rest[:4])):
                raise WireError("a stream that does not begin as Java's object streams do")
            if len(rest) < len(objects.HEADER):
                return
            self._header_read = True
            del rest[:4]
        while rest:
            if self._reading is None:
                # The server writes a reset before each message, so that no message refers to objects of earlier ones.
                # There may be several resets.
                if rest[:1] != objects.RESET:
                    raise WireError("an object without a reset before it")
                del rest[: len(rest) - len(rest.lstrip(objects.RESET))]
                self._reader = ObjectReader(rest)
                self._reading = self._reader.value()
            message = self._go_on()
            if message is None:
                return
            yield message

    def _go_on(self) -> Message | None:
        """Continues to read a message with the bytes that have come. Returns `None` if the message is not complete yet."""
        assert self._reading is not None and self._reader is not None
        try:
            # Continues the generator. It ends with the value, or waits for more bytes.
            next(self._reading)
        except StopIteration as end:
            del self._rest[: self._reader.at]
            self._reading = None
            return objects.message_of(end.value)
        return None

    def encode(self, message: Message) -> bytes:
        """
        Returns the bytes of a client's message and of the reset after it, which ends each message. The stream's header
        comes before the first message.

        :raises WireError: it is not a client's message, or has a value that the server would refuse
        """
        if CLIENT_TYPES.get(type(message).__name__) is not type(message):
            raise WireError(f"a client does not say {type(message).__name__}")
        try:
            data = objects.serialized(message) + objects.RESET
        except (StructError, ValueError, OverflowError, TypeError, AttributeError) as error:
            raise WireError(f"{type(message).__name__} has a value that cannot be written") from error
        # Reads the message as the server does.
        if read(data, 0) != (message, len(data)):
            raise WireError(f"{type(message).__name__} has a value that the server would refuse")
        if self._greeted:
            return data
        self._greeted = True
        return objects.HEADER + data


CLIENT = WireClient(JavaClientCodec)
