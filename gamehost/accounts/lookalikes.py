"""
Names that look alike although they are written in different scripts, such as `coc` in Latin and in Cyrillic letters.

The table is an excerpt of Unicode's `confusables.txt` (Unicode Technical Standard 39): the Greek and Cyrillic letters that look
like one Latin letter. Unlike there, a capital iota looks like a capital I.
"""

import unicodedata
from collections.abc import Callable, Iterable

from gamehost.accounts.names import key_of

_TABLE = str.maketrans(
    "\u037f\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03b1\u03b3\u03b9\u03bd"
    "\u03bf\u03c1\u03c3\u03c5\u03dc\u03f3\u03fa"
    "\u0405\u0406\u0408\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u042c\u0430\u0433\u0435"
    "\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u0461\u0474\u0475\u04ae\u04af\u04bb\u04bd\u04c0\u04cf\u0501\u050c"
    "\u051b\u051c\u051d",
    "JABEZHIKMNOPTYXayivopouFjM" + "SIJABEKMHOPCTYXbareopcyxsijwVvYyhelidGqWw",
)


def skeleton_of(name: str) -> str:
    """The key of the name that has the Latin letters that this one's letters look like. A Latin name has its own key."""
    key = key_of(name)
    return key if key.isascii() else key_of(unicodedata.normalize("NFKC", name).translate(_TABLE))


class LookAlikes:
    """
    An index of names by their skeletons.

    A Latin name is not in it, because its skeleton is its key.

    :param names: the names at the beginning
    """

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._keys: dict[str, set[str]] = {}
        for name in names:
            self.add(name)

    def __len__(self) -> int:
        return len(self._keys)

    def add(self, name: str) -> None:
        """Put a name in."""
        skeleton, key = skeleton_of(name), key_of(name)
        if skeleton != key:
            self._keys.setdefault(skeleton, set()).add(key)

    def remove(self, name: str) -> None:
        """Take a name out, if it is in."""
        skeleton, key = skeleton_of(name), key_of(name)
        if skeleton in self._keys:
            self._keys[skeleton].discard(key)
            if not self._keys[skeleton]:
                del self._keys[skeleton]

    def replace(self, before: str | None, after: str | None) -> None:
        """Take a name out and put one in; `None`: there is none."""
        if before is not None:
            self.remove(before)
        if after is not None:
            self.add(after)

    def match(self, name: str, in_use: Callable[[str], bool]) -> bool:
        """
        Whether another name looks like this one.

        :param in_use: whether there is a name with a key, for Latin names
        """
        skeleton, key = skeleton_of(name), key_of(name)
        return (skeleton != key and in_use(skeleton)) or bool(self._keys.get(skeleton, set()) - {key})
