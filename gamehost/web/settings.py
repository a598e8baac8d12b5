"""The settings of the pages: those that begin with `web.`."""

from collections.abc import Mapping

from gamehost.settings import Settings, one_of, setting

#: Every setting by name, in words.
OPTIONS: Mapping[str, str] = {
    "reveal": "whether records of finished matches show what was hidden in them: finished or never (finished)",
}


def reveals(settings: Settings) -> bool:
    """
    Whether records of finished matches show what was hidden.

    :raises BadOption: the setting cannot be used
    """
    return setting(settings, "reveal", "finished", one_of("finished", "never")) == "finished"
