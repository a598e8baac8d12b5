"""
The rules for names of players: which texts are names, when two names are equal, and which names look alike.

On the open wire and at the console, a person may also type a *display name*, such as `Jan van der Meer`. The name of this
player is `Jan_van_der_Meer`: all wires send it, and all comparisons use it. Pages and the console show the display name.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any

from msgspec import Struct, structs

#: Words that two wires send in the place of a name, and words that people type when they need help.
RESERVED = frozenset({"tie", "none", "draw", "help", "quit", "exit"})

#: The names of house players: a level and a number. Other players may not have such a name.
_HOUSE_NAME = re.compile(r"(random|easy|medium|hard)\.\d+")

#: The names that the host gives to guests and house players, also in a cluster. The letters here look like digits, so that
#: names that look like given ones are found, too.
_GIVEN_NAME = re.compile(r"(guest|random|easy|medium|hard)(\.[\dlio]+){1,2}")

#: The most characters of a name, after normalization.
LONGEST_NAME = 20

#: The most characters of a text that may be a name, before normalization. Normalization joins at most four characters into one,
#: so a longer text is no name. The length is checked first, because the time of normalization grows with its square.
LONGEST_TEXT = 4 * LONGEST_NAME

#: The most characters of a display name, after normalization.
LONGEST_SHOWN = 30

#: The key of a text that is no name. No name begins with `#`, so no session has this key.
KEY_OF_NOBODY = "#"

#: The Hangul fillers: letters in Unicode, but invisible.
_FILLERS = "\u115f\u1160\u3164\uffa0"

#: Single characters that stand for three or more words. They are letters in Unicode, too.
_PHRASES = "\ufdfa\ufdfb"

#: The categories of letters and decimal digits in Unicode.
_LETTERS_AND_DIGITS = ("Lu", "Ll", "Lt", "Lm", "Lo", "Nd")


#: Scripts with letters that look like those of another one of them, such as Cyrillic and Latin `a`. The first word of a
#: letter's name in Unicode is its script.
_ALIKE = frozenset(
    {"LATIN", "GREEK", "CYRILLIC", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU", "GEORGIAN", "DESERET", "OSAGE"}
)


_ONE_SCRIPT = "a name has letters of one script, such as Latin, Greek or Cyrillic"


def place_of(*what: object) -> str:
    """
    The key of an object that has a home in a cluster and is not a player's name. It begins with `#`, as no name does.

    :param what: the number of a table; or one of `remote`, `championship` and `wire`, and the name of a game type or wire
    """
    return f"#{' '.join(map(str, what))}"


class NameFault(Enum):
    """The kinds of refused log-ins. Each wire has its own code for each of them."""

    TOO_LONG = "too long"
    INVALID = "invalid"
    TAKEN = "taken"
    #: The name can be used, but the host accepts no log-ins now.
    BUSY = "busy"


class NameRefused(Exception):
    """
    A log-in is refused. The message gives the player the reason.

    :param kept: the session with a reserved seat under this name, if the client has proved that the seat is its own: it may
        give the seat up by `Lobby.give_up`
    :param reveals: whether the refusal reveals that an account has the name, or that a key is wrong. The number of such
        refusals for an address is limited
    :param wait: after so many seconds the same log-in is accepted, if no other client comes first; 0: this is unknown
    """

    def __init__(self, fault: NameFault, reason: str, kept: Any = None, reveals: bool = False, wait: int = 0) -> None:
        super().__init__(reason)
        self.fault = fault
        self.kept = kept
        self.reveals = reveals
        self.wait = wait


class Name(Struct, frozen=True):
    """
    A name with the keys by which it is compared. It is made once by `checked_name`, `typed_name` or `name_of`, when the text
    of a name is received, so that the keys are computed only once.

    In most names, the three keys are equal. They are the same object then, to save memory.
    """

    #: As its player has written it, in Unicode normalization form C.
    text: str
    #: The result of `key_of`: two names with the same key are equal.
    key: str
    #: The key of the Latin name that looks like this one. A Latin name has its own key.
    latin: str
    #: As `latin`, but digits, and capital I, are replaced by the letters that they look like. So `malIory` and `ma11ory` look
    #: like `mallory`, and `maliory` does not. Two names with the same skeleton look alike.
    skeleton: str
    #: The display name; empty if it equals the name.
    shown: str = ""

    def spelled(self, text: str, shown: str) -> "Name":
        """The same name with another text and display name, such as the spelling that the account has."""
        # The keys are computed again: a name in capitals may look like other names than in small letters.
        return self if (text, shown) == (self.text, self.shown) else name_of(text, shown)


def composed(text: str) -> str:
    """
    Convert a text to Unicode normalization form C, in which names are stored. A text that is too long for a name is returned
    unchanged, so the work is limited even for very long texts from outside.
    """
    return text if len(text) > LONGEST_TEXT else unicodedata.normalize("NFC", text)


def checked_name(text: str) -> Name:
    """
    Make a name from a text that came from outside, if it can be a name.

    :raises NameRefused: the text does not consist of 1 to 20 letters, decimal digits, `_`, `-` or `.`; or it is a reserved word
        or the name of a house player; or it mixes scripts with letters that look alike
    """
    name = composed(text)
    if len(name) > LONGEST_NAME:
        raise NameRefused(NameFault.TOO_LONG, f"a name has at most {LONGEST_NAME} characters")
    if not name or not all(_fits(character) for character in name):
        raise NameRefused(NameFault.INVALID, "a name has 1 to 20 letters, digits, _ - or . and nothing else")
    written_out = _written_out(name)
    if len(written_out) > LONGEST_NAME:
        raise NameRefused(
            NameFault.TOO_LONG, f"a name has at most {LONGEST_NAME} characters, its ligatures written out as letters"
        )
    # The form without ligatures is also the one for the key, and for the scripts of the letters.
    key = _folded(written_out)
    if key in RESERVED:
        raise NameRefused(NameFault.INVALID, "a name is not a word such as tie or help")
    if _HOUSE_NAME.fullmatch(key):
        raise NameRefused(NameFault.INVALID, "names such as easy.1 are those of the host's own players")
    if len(_scripts(written_out) & _ALIKE) > 1:
        raise NameRefused(NameFault.INVALID, _ONE_SCRIPT)
    return _name(name, written_out, key)


def typed_name(text: str) -> Name:
    """
    Make a name from a text that a person has typed: a name, or a display name.

    :raises NameRefused: the text is not a name, for the reasons of `checked_name`; and it is not a display name: 1 to 30
        letters, single spaces, `'`, `-` or `.`
    """
    shown = composed(text).replace("\u2019", "'").strip()  # a phone writes the typographic apostrophe
    fits = len(shown) <= LONGEST_NAME and all(map(_fits, shown))
    if fits or not shown:
        return checked_name(shown)  # an empty text gets its reason there
    # It is not a usual name: is it a display name?
    if len(shown) > LONGEST_SHOWN:
        raise NameRefused(NameFault.TOO_LONG, f"a name has at most {LONGEST_SHOWN} characters, and not {len(shown)}")
    wrong = next((character for character in shown if not _fits_display(character)), None)
    if wrong is not None:
        sign = f'"{wrong}"' if wrong.isprintable() else f"U+{ord(wrong):04X}"
        # These are allowed in a name, but not in a display name: say why this text is not a name.
        if wrong in "_0123456789":
            raise NameRefused(
                NameFault.INVALID, f"a name with spaces or ', or of more than {LONGEST_NAME} characters, has no {sign}"
            )
        raise NameRefused(NameFault.INVALID, f"a name has letters, digits, single spaces, ' - . or _, and no {sign}")
    if "  " in shown:
        raise NameRefused(NameFault.INVALID, "a name has single spaces only")
    if len(_scripts(_written_out("".join(shown.split(" ")))) & _ALIKE) > 1:
        raise NameRefused(NameFault.INVALID, _ONE_SCRIPT)
    name = checked_name(_plain(shown))
    return name if name.text == shown else structs.replace(name, shown=shown)  # equal: no display name is stored


def _plain(shown: str) -> str:
    """The text of the name that belongs to a display name: `_` replaces spaces, and it is cut to the length of a name."""
    plain = shown.replace(" ", "_").replace("'", "_")[:LONGEST_NAME]
    while len(_written_out(plain)) > LONGEST_NAME:  # a ligature counts as several letters
        plain = plain[:-1]
    return plain.rstrip("_-.")


def suggested(text: str) -> str:
    """The text that is most similar to a typed one, and that a new player could type as its name; empty: there is none."""
    typed = composed(text[:LONGEST_TEXT]).replace("\u2019", "'")
    kept = [character if _fits(character) or character == "'" else " " for character in typed]
    found = " ".join("".join(kept).split())  # without double spaces
    # First as a display name, and then as a name; each as long as possible.
    for form in (found, found.replace(" ", "_").replace("'", "_")):
        for cut in (form[:LONGEST_SHOWN], form[:LONGEST_NAME]):
            if (trimmed := cut.strip(" _-.'")) and _is_allowed(trimmed):
                return trimmed
    return ""


def _is_allowed(text: str) -> bool:
    """Whether a new player could have this text as its name, if nobody uses it."""
    try:
        check_new_name(typed_name(text))
    except NameRefused:
        return False
    return True


def name_of(text: str, shown: str = "") -> Name:
    """Make a name from a text that the host itself has given or stored. It is not checked."""
    written_out = _written_out(text)
    name = _name(text, written_out, _folded(written_out))
    return structs.replace(name, shown=shown) if shown else name


def _name(text: str, written_out: str, key: str) -> Name:
    """
    Make a name, with its keys `latin` and `skeleton`.

    :param written_out: the text in the compatibility form, from `_written_out`
    :param key: the key of the text
    """
    # Letters of other scripts, then digits, are replaced by the Latin letters that they look like. If nothing changes, the
    # keys are the same object.
    in_latin = written_out.translate(_TABLE)
    latin = key if in_latin == written_out else _folded(in_latin)
    in_letters = in_latin.translate(_ALSO_ALIKE)
    return Name(text, key, latin, latin if in_letters == in_latin else _folded(in_letters))


def mended(text: str) -> str:
    """
    Change a text so that it could be a name: `_` replaces characters that names cannot have, and the end of a long text is cut
    off. Empty: no letter or digit is left.
    """
    name = composed(text[:LONGEST_TEXT])[:LONGEST_NAME]
    name = "".join(character if _fits(character) else "_" for character in name)
    return name if name.strip("_-.") else ""


def check_new_name(name: Name) -> None:
    """
    Check that a new player may have a name. Accounts and seats from before these rules may have other names.

    :raises NameRefused: the name has only dots; or it is a name that the host gives, or looks like one
    """
    if not name.key.strip("."):
        raise NameRefused(NameFault.INVALID, "a name is not dots alone; it has a letter or a digit, too")
    if _GIVEN_NAME.fullmatch(name.latin) or _GIVEN_NAME.fullmatch(name.skeleton):
        raise NameRefused(
            NameFault.INVALID,
            "a name is not like guest.7 or easy.1: the host gives such names to guests and house players",
        )


def _scripts(written_out: str) -> set[str]:
    """
    The scripts of a name's characters, such as `LATIN`; none for an ASCII name. A script is the first word of a character's
    name in Unicode, so digits add the word `DIGIT`, which is no script.

    :param written_out: the name in the compatibility form
    """
    if written_out.isascii():
        return set()
    return {unicodedata.name(character, "").partition(" ")[0] for character in written_out}


def _fits(character: str) -> bool:
    """Whether a name may have this character."""
    if character in _FILLERS or character in _PHRASES:
        return False
    return character in "_-." or unicodedata.category(character) in _LETTERS_AND_DIGITS


def _fits_display(character: str) -> bool:
    """Whether a display name may have this character."""
    return character in " '" or (character != "_" and _fits(character) and not character.isdecimal())


def key_of(name: str) -> str:
    """
    The key of a name. Two names with the same key are equal, such as `Ann` and `ann`.

    This function is for texts; a `Name` has its key already. Every text has a key. That of a text which is too long for a
    name is `KEY_OF_NOBODY`, which no player has.
    """
    return _folded(_written_out(name))


def _written_out(text: str) -> str:
    """
    A name in the compatibility form of Unicode (NFKC), in which ligatures are written as letters. For a text that is too long
    for a name, or has one of `_PHRASES`: `KEY_OF_NOBODY`.
    """
    if len(text) > LONGEST_TEXT or _PHRASES[0] in text or _PHRASES[1] in text:
        return KEY_OF_NOBODY
    written_out = unicodedata.normalize("NFKC", text)
    return written_out if len(written_out) <= LONGEST_TEXT else KEY_OF_NOBODY


def _folded(written_out: str) -> str:
    """The key of a name, from its compatibility form: capitals are replaced by small letters."""
    return unicodedata.normalize("NFKC", written_out.casefold())


def sought_key(text: str) -> str:
    """
    The key of a name that a client looks up; house players are allowed. The key of each text that cannot be a name is
    `KEY_OF_NOBODY`.

    Answers to clients are cached under such keys, and not under the client's text, so that a client cannot fill the cache.
    """
    name = composed(text)
    if not name or len(name) > LONGEST_NAME or not all(_fits(character) for character in name):
        return KEY_OF_NOBODY
    return key_of(name)


#: Latin letters by the Greek and Cyrillic ones that look like them.
_TABLE = str.maketrans(
    "\u037f\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03b1\u03b3\u03b9\u03bd"
    "\u03bf\u03c1\u03c3\u03c5\u03dc\u03f3\u03fa"
    "\u0405\u0406\u0408\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u042c\u0430\u0433\u0435"
    "\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u0461\u0474\u0475\u04ae\u04af\u04bb\u04bd\u04c0\u04cf\u0501\u050c"
    "\u051b\u051c\u051d",
    "JABEZHIKMNOPTYXayivopouFjM" + "SIJABEKMHOPCTYXbareopcyxsijwVvYyhelidGqWw",
)

#: Latin letters by the digits and the capital that look like them.
_ALSO_ALIKE = str.maketrans("01I", "oll")


class LookAlikes:
    """
    An index to find names that look alike. It contains only names with a skeleton that differs from their key; other names
    are found by their key, elsewhere.

    :param texts: the names to begin with
    """

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._keys: dict[str, set[str]] = {}
        for text in texts:
            self.add(name_of(text))

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, name: Name) -> None:
        if name.skeleton != name.key:
            self._keys.setdefault(name.skeleton, set()).add(name.key)

    def remove(self, name: Name) -> None:
        """Remove a name, if it is in the index."""
        if name.skeleton in self._keys:
            self._keys[name.skeleton].discard(name.key)
            if not self._keys[name.skeleton]:
                del self._keys[name.skeleton]

    def match(self, name: Name, in_use: Callable[[str], bool]) -> bool:
        """
        Whether another name looks like this one.

        :param in_use: returns whether a name with this key is in use; called for a name that is not in the index
        """
        skeleton, key = name.skeleton, name.key
        # A name that equals its own skeleton is not in the index, so the caller is asked for it.
        return (skeleton != key and in_use(skeleton)) or bool(self._keys.get(skeleton, set()) - {key})
