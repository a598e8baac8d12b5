"""
Sphinx's settings.

Pages link to each other, and to files of the source, by plain relative links, so that they can be read on a forge too.
`LocalLinks` makes links between the built pages, and downloads, out of them.
"""

from pathlib import Path
from urllib.parse import urlsplit

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

project = "gamehost"
copyright = "the gamehost authors"
extensions: list[str] = []
exclude_patterns = ["_build"]
html_theme = "alabaster"
html_theme_options = {"page_width": "1100px", "sidebar_width": "260px"}


class LocalLinks(SphinxTransform):
    """Turns a relative link to a page or a file into the reference that Sphinx checks and follows."""

    default_priority = 500

    def apply(self, **kwargs: object) -> None:
        """Replace the links of one page."""
        folder = Path(self.env.doc2path(self.env.docname)).parent
        for node in list(self.document.findall(nodes.reference)):
            target = urlsplit(node.get("refuri", ""))
            if target.scheme or target.netloc or not target.path or target.path.endswith(".html"):
                continue
            path = (folder / target.path).resolve()
            link: nodes.Element
            if path.suffix == ".rst" and path.is_relative_to(self.env.srcdir):
                name = "/" + path.relative_to(self.env.srcdir).with_suffix("").as_posix()
                link = addnodes.pending_xref(
                    "",
                    refdomain="std",
                    reftype="doc",
                    reftarget=name,
                    refexplicit=True,
                    refwarn=True,
                    refdoc=self.env.docname,
                )
                link += nodes.inline("", "", *node.children, classes=["doc"])
            else:
                link = addnodes.download_reference("", reftarget=target.path, refdoc=self.env.docname)
                link += nodes.literal("", "", *node.children, classes=["download"])
            link.source, link.line = node.source, node.line
            node.replace_self(link)


def setup(app: Sphinx) -> None:
    """Let Sphinx know the transform."""
    app.add_transform(LocalLinks)
