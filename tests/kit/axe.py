"""
What axe-core finds in a page: faults against WCAG 2.2, levels A and AA.

The script comes with the package `axe-playwright-python`, which needs Playwright; only its file is used.
"""

import os
from importlib.util import find_spec
from pathlib import Path

from twisted.trial.unittest import SkipTest

from tests.kit.browser import Page
from tests.kit.chromium import VARIABLE

TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa")

_RUN = """axe.run(document, {runOnly: %s}).then(({violations}) => violations.flatMap(
    (one) => one.nodes.map((node) => `${one.id}: ${node.target.join(" ")}: ${node.failureSummary}`)))"""


def axe_script() -> str:
    """
    The script.

    :raises SkipTest: it is not installed
    :raises AssertionError: it is not installed, and it must be
    """
    spec = find_spec("axe_playwright_python")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        for path in Path(folder).glob("**/axe.min.js"):
            return path.read_text("utf-8")
    why = "axe-core is not here; `make test-browser` installs it"
    if os.environ.get(VARIABLE) == "required":
        raise AssertionError(why)
    raise SkipTest(why)


async def findings(page: Page) -> list[str]:
    """
    What is wrong with a page as it is now, one sentence each.

    :raises SkipTest: as `axe_script`
    """
    await page.run(f"void (() => {{ {axe_script()} }}).call(window)")
    found = await page.run(_RUN % list(TAGS))
    return [str(one) for one in found]
