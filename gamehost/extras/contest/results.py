"""
What came of a contest: the table of players, `results.json`, and `results.html`, one page with all that people ask for.

Everything is made from the contest's journal, so it is the same after a contest was killed and went on.
"""

import html
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from gamehost.extras.contest.contest import Contest
from gamehost.extras.contest.entries import Played
from gamehost.extras.contest.ratings import Rating, Shares, strengths, superiority, tie_breaks
from gamehost.games.base import Game
from gamehost.journal.notation import NoPicture, NotNotation, picture, read_notation


@frozen
class Standing:
    rank: int
    player: int
    name: str
    points: float
    games: int
    won: int
    drawn: int
    lost: int
    #: Points on each seat.
    by_seat: tuple[float, ...]
    rating: Rating
    #: The likelihood that the player is better than the next one in the table; `None`: it is the last.
    superiority: float | None
    buchholz: float
    sonneborn_berger: float
    #: Games lost, by cause.
    lost_by: Mapping[str, int]
    #: Why the player is out; empty: still in.
    scratched: str = ""


def standings(contest: Contest) -> list[Standing]:
    """
    The table, the best player first: by points, then Buchholz (in a Swiss contest), Sonneborn-Berger, games won, and the order
    of entry.
    """
    plan, played = contest.plan, in_order(contest)
    count = len(plan.entrants)
    points = contest.points()
    scores = [score for one in played for score in one.scores]
    anchor = next(((number, one.anchor) for number, one in enumerate(plan.entrants) if one.anchor is not None), None)
    rated = strengths(count, [Shares(one.players, one.shares) for one in played], anchor)
    breaks = tie_breaks(count, scores, points)
    wins = [contest.against(player) for player in range(count)]
    swiss = plan.format == "swiss"

    def place(one: int) -> tuple[float, ...]:
        buchholz = -breaks[one].buchholz if swiss else 0.0
        return -points[one], buchholz, -breaks[one].sonneborn_berger, -wins[one][0], one

    order = sorted(range(count), key=place)
    found = []
    for rank, player in enumerate(order, 1):
        mine = [one for one in played if player in one.players]
        by_seat = [0.0] * plan.seats
        for one in mine:
            by_seat[one.players.index(player)] += one.shares[one.players.index(player)]
        lost_by = Counter(one.cause for one in mine if one.shares[one.players.index(player)] == 0)
        won, drawn, lost = wins[player]
        found.append(
            Standing(
                *(rank, player, plan.names[player], points[player], len(mine), won, drawn, lost, tuple(by_seat)),
                rating=rated.rating(player),
                superiority=rated.superiority(player, order[rank]) if rank < count else None,
                buchholz=breaks[player].buchholz,
                sonneborn_berger=breaks[player].sonneborn_berger,
                lost_by=lost_by,
                scratched=contest.scratched.get(player, (0, ""))[1],
            )
        )
    return found


def as_data(contest: Contest, table: Sequence[Standing]) -> dict[str, Any]:
    """`results.json`."""
    plan = contest.plan
    return {
        "wire": plan.wire,
        "seed": plan.seed,
        "format": plan.format,
        "verdict": contest.verdict.value if plan.sprt is not None else None,
        "games": [
            {
                **{"id": one.id, "round": one.round, "players": [plan.names[player] for player in one.players]},
                **{"points": list(one.shares), "cause": one.cause, "words": one.words, "moves": one.moves},
                "seconds": one.seconds,
            }
            for one in in_order(contest)
        ],
        "players": [
            {
                **{"name": one.name, "rank": one.rank, "points": one.points, "games": one.games},
                **{"won": one.won, "drawn": one.drawn, "lost": one.lost, "by_seat": list(one.by_seat)},
                **{"rating": round(one.rating.value, 1), "low": round(one.rating.low, 1)},
                **{"high": round(one.rating.high, 1), "buchholz": one.buchholz},
                "superiority": None if one.superiority is None else round(one.superiority, 4),
                **{"sonneborn_berger": one.sonneborn_berger, "lost_by": dict(one.lost_by)},
                **{"scratched": bool(one.scratched), "why": one.scratched},
            }
            for one in table
        ],
    }


def in_order(contest: Contest) -> list[Played]:
    """The games that are decided, by round and board."""

    def place(one: Played) -> tuple[int, int, str]:
        board = one.id.partition(".")[2]
        return one.round, int(board.rstrip("ab")), board

    return sorted(contest.played.values(), key=place)


def as_text(contest: Contest, table: Sequence[Standing]) -> str:
    width = max([len(one.name) for one in table] + [6])
    lines = [f"rank  {'player':{width}}  points  games   won drawn  lost  rating  {'95 %':14}  better"]
    for one in table:
        interval = f"{one.rating.low:+.0f} to {one.rating.high:+.0f}"
        out = f"  out: {one.scratched}" if one.scratched else ""
        lines.append(
            f"{one.rank:4}  {one.name:{width}}  {one.points:6g}  {one.games:5} {one.won:5} {one.drawn:5} {one.lost:5}"
            f"  {one.rating.value:+6.0f}  {interval:14}  {_likely(one.superiority):>6}{out}"
        )
    if contest.plan.sprt is not None:
        won, drawn, lost = contest.against(0)
        low, high = contest.plan.sprt
        lines.append(
            f"sequential test of {low:g} and {high:g} points: {contest.verdict.value} ({won} won, {drawn} drawn, {lost} lost)"
        )
    return "\n".join(lines) + "\n"


def _likely(superiority: float | None) -> str:
    """For people: how likely it is that a player is better than the next one."""
    return "" if superiority is None else f"{superiority:.0%}"


def write(
    contest: Contest, table: Sequence[Standing], folder: Path, game: Game[Any, Any], live: Sequence[str] = ()
) -> None:
    """
    Write `results.json` and `results.html` anew, and the record and picture of each game that has none yet.

    :param live: the games that are being played; their pictures are at `live/ID.svg` of the contest's page
    """
    games = folder / "games"
    games.mkdir(parents=True, exist_ok=True)
    for one in contest.played.values():
        if one.notation and not (games / f"{one.id}.txt").exists():
            drawing = picture_of(game, one)
            if drawing:
                _replace(games / f"{one.id}.svg", drawing)
            _replace(games / f"{one.id}.txt", one.notation)
    _replace(folder / "results.json", json.dumps(as_data(contest, table), indent=1) + "\n")
    _replace(folder / "results.html", as_html(contest, table, live))


def _replace(path: Path, text: str) -> None:
    """A reader finds the old file or the new one, and never a part of one."""
    new = path.with_name(path.name + ".new")
    new.write_text(text, "utf-8")
    new.replace(path)


def picture_of(game: Game[Any, Any], one: Played) -> str:
    """The end of a game as SVG; empty: it has no picture."""
    try:
        return picture(game, read_notation(one.notation).record)
    except (NotNotation, NoPicture):
        return ""


#: Of `results.html`.
STYLE = """
:root{color-scheme:light dark}body{font:16px/1.4 system-ui,sans-serif;margin:1.5rem auto;max-width:70rem;padding:0 1rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;margin:.5rem 0 1.5rem}th,td{padding:.25rem .6rem;text-align:right;
border-bottom:1px solid #8886;white-space:nowrap}
th:nth-child(2),td:nth-child(2),.words{text-align:left}.words{white-space:normal}
.own{background:#8883}.plot{max-width:100%;height:auto}tr>.words{min-width:8rem}tr>.ended{min-width:17rem}
.bar{stroke:#3b7dd8;stroke-width:3}.dot{fill:#3b7dd8}text{fill:currentColor}
.live{display:grid;grid-template-columns:repeat(auto-fill,minmax(18rem,1fr));gap:1rem}.live img{width:100%;height:auto}
figure{margin:0}a{color:#3b7dd8}
"""


def as_html(contest: Contest, table: Sequence[Standing], live: Sequence[str] = ()) -> str:
    """`results.html`: one page that needs no other file but the games it links to."""
    plan = contest.plan
    title = html.escape(f"{plan.wire}: {len(plan.entrants)} players, {plan.format}")
    refresh = '<meta http-equiv="refresh" content="5">' if live else ""
    parts = [
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">{refresh}<meta name="viewport" '
        f'content="width=device-width, initial-scale=1"><title>{title}</title>'
        f"<style>{STYLE}</style></head><body><h1>{title}</h1>",
        f"<p>{contest.progress[2]}. The seed is {plan.seed}.</p>",
        *_live(contest, live),
        "<h2>Table</h2>",
        *_table(table, plan.format == "swiss"),
        "<h2>Ratings</h2>",
        _plot(table),
        "<p>The line is the interval that holds the true rating with a probability of 95 %. With 400 points more a player wins "
        "ten games for one that is lost.</p>",
        *(_cross(contest, table) if plan.seats == 2 else ()),
        "<h2>Games</h2>",
        *_games(contest),
        "</body></html>\n",
    ]
    return "\n".join(parts)


def _live(contest: Contest, live: Sequence[str]) -> Iterator[str]:
    if live:
        yield '<h2>Being played</h2><div class="live">'
        for one in contest.games:
            if one.id in live:
                names = html.escape(" against ".join(contest.plan.names[player] for player in one.players))
                yield f'<figure><img src="live/{one.id}.svg" alt="{names}"><figcaption>{one.id}: {names}</figcaption></figure>'
        yield "</div>"


def _table(table: Sequence[Standing], swiss: bool) -> Iterator[str]:
    yield '<div class="scroll"><table><tr><th>Rank</th><th>Player</th><th>Points</th><th>Games</th><th>Won</th><th>Drawn</th>'
    yield "<th>Lost</th><th>Rating</th><th>95 %</th><th>Better than<br>the next</th><th>Points<br>by seat</th>"
    yield f"{'<th>Buchholz</th>' if swiss else ''}<th>Sonneborn-<br>Berger</th>"
    yield '<th class="words">Lost by</th></tr>'
    for one in table:
        seats = " / ".join(f"{points:g}" for points in one.by_seat)
        causes = ", ".join(f"{count} {cause}" for cause, count in sorted(one.lost_by.items()))
        buchholz = f"<td>{one.buchholz:g}</td>" if swiss else ""
        name = html.escape(one.name)
        if one.scratched:
            name += f" <small>(out: {html.escape(one.scratched)})</small>"
        yield (
            f"<tr><td>{one.rank}</td><td>{name}</td><td>{one.points:g}</td><td>{one.games}</td><td>{one.won}</td>"
            f"<td>{one.drawn}</td><td>{one.lost}</td><td>{one.rating.value:+.0f}</td>"
            f"<td>{one.rating.low:+.0f} to {one.rating.high:+.0f}</td><td>{_likely(one.superiority)}</td><td>{seats}</td>"
            f"{buchholz}"
            f'<td>{one.sonneborn_berger:g}</td><td class="words">{html.escape(causes)}</td></tr>'
        )
    yield "</table></div>"


#: Characters of a name beside the plot.
LONGEST = 16


def _plot(table: Sequence[Standing]) -> str:
    """The ratings with their intervals, as SVG."""
    low, high = min(one.rating.low for one in table) - 20, max(one.rating.high for one in table) + 20
    left, width, row = 150, 390, 28
    height = row * len(table) + 40

    def x(rating: float) -> float:
        return left + (rating - low) / (high - low) * width

    step = next(size for size in (10, 25, 50, 100, 200, 500, 1000, 2000, 10_000) if (high - low) / size <= 6)
    marks = range(int(low // step + 1) * step, int(high) + 1, step)
    lines = [
        f'<svg class="plot" viewBox="0 0 {left + width + 20} {height}" width="{left + width + 20}" role="img" '
        'aria-label="ratings">'
    ]
    for mark in marks:
        lines.append(
            f'<line x1="{x(mark):.1f}" x2="{x(mark):.1f}" y1="10" y2="{height - 30}" stroke="#8886"/>'
            f'<text x="{x(mark):.1f}" y="{height - 10}" text-anchor="middle" font-size="14">{mark:+d}</text>'
        )
    for number, one in enumerate(table):
        y = 24 + row * number
        name = one.name if len(one.name) <= LONGEST else one.name[: LONGEST - 1] + "…"
        lines.append(
            f'<text x="{left - 10}" y="{y + 5}" text-anchor="end" font-size="16">{html.escape(name)}</text>'
            f'<line class="bar" x1="{x(one.rating.low):.1f}" x2="{x(one.rating.high):.1f}" y1="{y}" y2="{y}"/>'
            f'<circle class="dot" cx="{x(one.rating.value):.1f}" cy="{y}" r="5"/>'
        )
    return "\n".join([*lines, "</svg>"])


def _cross(contest: Contest, table: Sequence[Standing]) -> Iterator[str]:
    """Who has how many points against whom, and how likely it is that the better one is the better one."""
    points: dict[tuple[int, int], list[float]] = {}
    for played in in_order(contest):
        first, second = played.players
        points.setdefault((first, second), []).append(played.shares[0])
        points.setdefault((second, first), []).append(played.shares[1])
    yield '<h2>Cross table</h2><div class="scroll"><table><tr><th></th><th></th>'
    yield "".join(f"<th>{one.rank}</th>" for one in table) + "</tr>"
    for one in table:
        cells = []
        for other in table:
            shares = points.get((one.player, other.player))
            if one is other:
                cells.append('<td class="own"></td>')
            elif shares is None:
                cells.append("<td></td>")
            else:
                likely = superiority(shares.count(1.0), shares.count(0.0))
                words = f"{html.escape(one.name)} is better than {html.escape(other.name)} with a likelihood of {likely:.0%}"
                cells.append(f'<td title="{words}">{sum(shares):g} of {len(shares)}</td>')
        yield f"<tr><td>{one.rank}</td><td>{html.escape(one.name)}</td>{''.join(cells)}</tr>"
    yield "</table></div>"


def _games(contest: Contest) -> Iterator[str]:
    yield '<div class="scroll"><table><tr><th>Game</th><th>Players</th><th>Points</th><th>Moves</th><th>Seconds</th>'
    yield '<th class="words ended">How it ended</th></tr>'
    for one in in_order(contest):
        names = html.escape(" against ".join(contest.plan.names[player] for player in one.players))
        shares = " : ".join(f"{share:g}" for share in one.shares)
        links = ""
        if one.notation:
            links = f' <a href="games/{one.id}.txt">record</a> <a href="games/{one.id}.svg">picture</a>'
        yield (
            f"<tr><td>{one.id}</td><td>{names}</td><td>{shares}</td><td>{one.moves}</td><td>{one.seconds:.1f}</td>"
            f'<td class="words ended">{html.escape(one.words)}{links}</td></tr>'
        )
    yield "</table></div>"
