"""The texts of notices."""

from gamehost.lobby.notices import News


def game_of(news: News) -> str:
    """Returns the name of the game for people, such as `Paper soccer`."""
    return news.game.replace("-", " ").capitalize()


def title_of(news: News) -> str:
    """Returns a title in one line: the game, and what has happened."""
    return " ".join(f"{game_of(news)}: {news.words or news.reason.value}".split())


def sentence(news: News) -> str:
    """Returns a sentence, without its full stop, that names the table and the opponents."""
    return f"Table {news.table}" + (f", with {' and '.join(news.others)}" if news.others else "")
