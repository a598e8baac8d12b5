"""Sphinx's settings."""

project = "gamehost"
copyright = "the gamehost authors"
extensions: list[str] = []
exclude_patterns = ["_build"]
html_theme = "alabaster"
html_theme_options = {"page_width": "1100px", "sidebar_width": "260px"}
