"""The documentation's language: no sentence is too long for a reader whose second language it is."""

from twisted.trial.unittest import SynchronousTestCase

from tests.kit.prose import MOST_WORDS, long_sentences
from tests.kit.sources import ROOT


class SentenceTests(SynchronousTestCase):
    """Every page but those of `docs/lab`, which keep what was measured."""

    def test_no_sentence_is_long(self) -> None:
        """At most thirty words each, in running text, lists and cells of tables."""
        pages = [page for page in sorted((ROOT / "docs").rglob("*.rst")) if not {"lab", "_build"} & set(page.parts)]
        self.assertGreater(len(pages), 12)
        for page in [*pages, ROOT / "README.rst", ROOT / "CONTRIBUTING.rst"]:
            self.assertEqual(long_sentences(page.read_text("utf-8")), [], page)

    def test_a_long_sentence_is_found(self) -> None:
        """In a paragraph, an item and a cell; not in a literal block or a table of columns."""
        long = " ".join(["word"] * (MOST_WORDS + 1)) + "."
        for page in (f"{long}\n", f"- {long}\n", f"   * - {long}\n", f"Short. {long}\n", f"Title\n=====\n\n{long}\n"):
            self.assertEqual(long_sentences(page), [long], page)
        for page in (f"As here::\n\n   {long}\n", f".. code-block:: text\n\n   {long}\n", f"== ==\na {long}\n== ==\n"):
            self.assertEqual(long_sentences(page), [], page)
