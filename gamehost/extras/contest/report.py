"""
Makes the pages of a contest: `results.html`, and a page for each entrant. Each page is a single file, with its style in it.

The pages look like those of the host. On a narrow screen each row of a table is shown as a card.
"""

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from attrs import fields, frozen

from gamehost.extras.contest.contest import Contest
from gamehost.extras.contest.entries import Played
from gamehost.extras.contest.isolation import KINDS
from gamehost.extras.contest.middle import by_whom, words_of
from gamehost.extras.contest.plan import FORMATS, OUT_RULES, Plan
from gamehost.extras.contest.ratings import superiority
from gamehost.extras.contest.standings import Standing, in_order, likely, signed
from gamehost.extras.contest.traffic import worst_game

#: The colours are those of the host's pages.
STYLE = """
:root{color-scheme:light dark;--page:light-dark(#f4f1ea,#171d22);--sheet:light-dark(#fffdf8,#20282f);
--sunk:light-dark(#eae5db,#2b343c);--ink:light-dark(#1d2429,#e9e6df);--soft:light-dark(#5c666d,#a3a9ad);
--line:light-dark(#d8d2c5,#37414a);--go:light-dark(#0f6b57,#2fa98c);--brand:light-dark(#8a5a0b,#f0b04f);
--shadow:light-dark(rgb(60 50 30/13%),rgb(0 0 0/35%))}
*,::before,::after{box-sizing:border-box}
html{font:16px/1.45 system-ui,sans-serif;background:var(--page);color:var(--ink);overflow-wrap:anywhere}
body{margin:0}h1,h2,p,dl,dd,figure{margin:0}h1{font-size:1.35rem;line-height:1.25}h2{font-size:1.08rem;margin:0 0 .5rem}
a{color:var(--go)}
header{display:flex;align-items:center;gap:.6rem;padding:.7rem 1rem;background:var(--sheet);
border-bottom:1px solid var(--line);font-weight:700;color:var(--ink)}
header svg{width:26px;flex:none;fill:none;stroke:var(--brand);stroke-width:2;stroke-linecap:round}
main{max-width:1280px;margin:0 auto;padding:1.25rem 2rem 2rem;display:grid;gap:1.25rem;grid-template-columns:minmax(0,1fr)}
section{padding:1rem;background:var(--sheet);border:1px solid var(--line);border-radius:12px;box-shadow:0 2px 6px var(--shadow)}
.soft{color:var(--soft)}section>.soft{margin-top:.6rem}
table{border-collapse:collapse;width:100%;font-size:.92rem;font-variant-numeric:tabular-nums}
th,td{padding:.3rem .45rem;border-bottom:1px solid var(--line);text-align:right;vertical-align:top}
th{color:var(--soft);font-weight:400;vertical-align:bottom;overflow-wrap:normal}
.name,.words{text-align:left}td.name{min-width:7rem;font-weight:650}td.words{min-width:9rem}.whole{white-space:nowrap}
.why td{padding-top:0;color:var(--soft);text-align:left}.out td{border-bottom:0}.own{background:var(--sunk)}
.cross{width:auto}.cross td,.cross th{padding:.3rem .2rem;font-size:.85rem}.cross td.name{min-width:8rem}
.plot{display:grid;grid-template-columns:minmax(6rem,14rem) minmax(0,1fr) max-content;gap:.2rem .8rem;align-items:center;
grid-auto-flow:row dense}
.plot span{grid-column:1}.plot .value{grid-column:3;white-space:nowrap}
.plot svg{grid-column:2;display:block;width:100%;height:1.6rem}
.grid{stroke:var(--line)}.bar{stroke:var(--go);stroke-width:4}.dot{stroke:var(--ink);stroke-width:9;stroke-linecap:round}
pre{margin:.6rem 0 0;white-space:pre-wrap;font-size:.82rem}
.live{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(18rem,100%),1fr));gap:1rem}
.live img{width:100%;height:auto}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.2rem 1rem}dt{color:var(--soft)}
@media (min-width:1600px){html{font-size:20px}main{max-width:1840px}}
@media (max-width:1000px){main{padding:1rem}.plot{grid-template-columns:minmax(0,1fr) max-content}
.plot .value{grid-column:2}.plot svg{grid-column:1/-1}}
@media (max-width:640px){main{padding:.8rem .6rem}section{padding:.8rem}
table,tbody,tr,td{display:block}thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
tr{padding:.5rem 0;border-bottom:1px solid var(--line);display:grid;gap:.3rem .8rem;
grid-template-columns:repeat(3,minmax(0,1fr))}
td,td.name,td.words,.cross td,.cross td.name{min-width:0;padding:0;border:0;text-align:left}
td::before{content:attr(data-label);display:block;color:var(--soft);font-size:.8rem;font-weight:400}
td.name,td.words,.why td{grid-column:1/-1}td:first-child+td.name{grid-column:2/-1}
.why{border:0}.out{border:0;padding-bottom:0}.why td::before{display:none}
td.whole{white-space:normal}.own{display:none}}
"""

_ICON = (
    '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M2 5q10 4 20 0M4 10h16M6 8v13M18 8v13M9.5 21v-6h5v6"/></svg>'
)


class Column(NamedTuple):
    """A column of a table: its heading, and the CSS class of its cells."""

    label: str
    kind: str = ""


def page(title: str, parts: Iterable[str], refresh: bool = False) -> str:
    """
    Returns a whole page as HTML.

    :param parts: the sections of the page, as HTML
    :param refresh: whether the browser loads the page again every five seconds
    """
    again = '<meta http-equiv="refresh" content="5">' if refresh else ""
    return "\n".join(
        [
            f'<!doctype html><html lang="en"><head><meta charset="utf-8">{again}<meta name="viewport" '
            f'content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><title>{html.escape(title)}</title>'
            f"<style>{STYLE}</style></head><body><header>{_ICON}<span>gamehost contest</span></header>"
            f"<main><h1>{html.escape(title)}</h1>",
            *parts,
            "</main></body></html>\n",
        ]
    )


def section(title: str, parts: Iterable[str]) -> Iterator[str]:
    """Yields the HTML of a section: a heading and its content."""
    yield f"<section><h2>{html.escape(title)}</h2>"
    yield from parts
    yield "</section>"


def rows(columns: Sequence[Column], cells: Iterable[Sequence[str]], kind: str = "") -> Iterator[str]:
    """
    Yields the HTML of a table. Each element also has its ARIA role, because browsers drop the roles of a table when the style
    shows its rows as cards.

    :param cells: the cells of each row, as HTML. A row with a single cell is a remark on the row before it.
    :param kind: the CSS class of the table
    """
    yield f'<table role="table" class="{kind}"><thead role="rowgroup"><tr role="row">'
    for one in columns:
        yield f'<th role="columnheader" scope="col" class="{one.kind}">{html.escape(one.label)}</th>'
    yield '</tr></thead><tbody role="rowgroup">'
    lines = [*cells]
    for number, line in enumerate(lines):
        # A remark: one cell that is as wide as the table.
        if len(line) == 1:
            yield f'<tr role="row" class="why"><td role="cell" colspan="{len(columns)}">{line[0]}</td></tr>'
            continue
        # The row has a remark below it.
        remark = ' class="out"' if number + 1 < len(lines) and len(lines[number + 1]) == 1 else ""
        found = "".join(
            '<td role="cell" class="own"></td>'
            if cell == OWN
            else f'<td role="cell" class="{one.kind}" data-label="{html.escape(one.label)}">{cell}</td>'
            for one, cell in zip(columns, line, strict=True)
        )
        yield f'<tr role="row"{remark}>{found}</tr>'
    yield "</tbody></table>"


#: Stands for the cell of a player against itself, which has a style of its own.
OWN = "\0"


def results_page(contest: Contest, table: Sequence[Standing], live: Sequence[str] = (), written: str = "") -> str:
    """
    Returns the content of `results.html`.

    :param live: the ids of the games that are being played; their pictures are at `live/ID.svg` of the contest's page
    :param written: the time at which the page is made, as a text for people
    """
    plan = contest.plan
    about = [f"{contest.progress[2]}."]
    if contest.began:
        about.append(f"Begun {contest.began} on {contest.machine}.")
    if written:
        about.append(f"As of {written}.")
    parts = [f'<p class="soft">{html.escape(" ".join(about))}</p>']
    parts.append(f'<p class="soft">{html.escape(KINDS[plan.isolate].capitalize())}.</p>')
    if live:
        parts += section("Being played", _live(contest, live))
    parts += section("Table", _table(contest, table))
    parts += section("Ratings", _plot(table))
    if plan.seats == 2:
        parts += section("Cross table", _cross(contest, table))
    parts += section("Games", _games(contest, in_order(contest), True))
    parts += section("Options", _options(contest))
    # With games that are being played, the browser loads the page again and again.
    return page(plan.title or default_title(plan), parts, bool(live))


def default_title(plan: Plan) -> str:
    """Returns the title of a contest without a title of its own."""
    return f"{plan.wire}: {len(plan.entrants)} players, {plan.format}"


def _live(contest: Contest, live: Sequence[str]) -> Iterator[str]:
    """Yields the HTML of the pictures of games that are being played."""
    yield '<div class="live">'
    for one in contest.games:
        if one.id in live:
            names = html.escape(" against ".join(contest.plan.names[player] for player in one.players))
            yield f'<figure><img src="live/{one.id}.svg" alt="{names}"><figcaption>{one.id}: {names}</figcaption></figure>'
    yield "</div>"


def player_link(name: str, player: int, folder: str = "players/") -> str:
    """
    Returns the HTML of a link to the page of an entrant.

    :param folder: the folder of the entrants' pages, relative to the page with the link
    """
    return f'<a href="{folder}{player + 1}.html">{html.escape(name)}</a>'


def _table(contest: Contest, table: Sequence[Standing]) -> Iterator[str]:
    """Yields the HTML of the table. Columns that are empty in this contest are left out."""
    swiss = contest.plan.format == "swiss"
    byes, forfeits = any(one.byes for one in table), any(one.forfeits for one in table)
    columns = [
        *(Column("Rank"), Column("Player", "name"), Column("Points"), Column("Games"), Column("Won"), Column("Drawn")),
        *(Column("Lost"), Column("Rating"), Column("95 %", "whole"), Column("Better than the next")),
        *(Column("Points by seat", "whole"), *([Column("Buch\u00adholz")] * swiss), Column("Sonne\u00adborn-Berger")),
        *(*([Column("Byes")] * byes), *([Column("By forfeit")] * forfeits), Column("Lost by", "words")),
    ]

    def cells() -> Iterator[Sequence[str]]:
        """Yields the cells of each player's row, and of the remark below it."""
        for one in table:
            causes = ", ".join(f"{count} {cause}" for cause, count in sorted(one.lost_by.items()))
            yield [
                *(str(one.rank), player_link(one.name, one.player), f"{one.points:g}", str(one.games), str(one.won)),
                *(str(one.drawn), str(one.lost), signed(one.rating.value)),
                *(f"{signed(one.rating.low)} to {signed(one.rating.high)}", likely(one.superiority)),
                *(" / ".join(f"{points:g}" for points in one.by_seat), *([f"{one.buchholz:g}"] * swiss)),
                *(f"{one.sonneborn_berger:g}", *([str(one.byes)] * byes), *([f"{one.forfeits:g}"] * forfeits)),
                html.escape(causes),
            ]
            # A row with a single cell is a remark on the player's row.
            if one.scratched:
                yield [f"{html.escape(one.name)} is out: {html.escape(one.scratched)}"]

    yield from rows(columns, cells())
    if any(one.scratched for one in table):
        yield f'<p class="soft">Players who are out: {OUT_RULES[contest.plan.out_rule]} ({contest.plan.out_rule}).</p>'


def _plot(table: Sequence[Standing]) -> Iterator[str]:
    """
    Yields the HTML of a diagram of the ratings and their intervals. Each player's line is a picture of its own, which is as
    wide as the page allows.
    """
    # Choose the scale, with 20 points of room at both ends, and the distance of the vertical lines, about eight at most.
    low, high = min(one.rating.low for one in table) - 20, max(one.rating.high for one in table) + 20
    step = next(size for size in (10, 25, 50, 100, 200, 500, 1000, 2000, 10_000) if (high - low) / size <= 8)
    marks = range(int(low // step + 1) * step, int(high) + 1, step)

    def x(rating: float) -> str:
        # The horizontal place of a rating in the picture, from 0 to 1000.
        return f"{(rating - low) / (high - low) * 1000:.1f}"

    def line(kind: str, start: float, end: float, *, across: bool = False) -> str:
        """
        Returns an SVG line in the picture of a player.

        :param kind: its CSS class
        :param start: the rating at its left end
        :param end: the rating at its right end
        :param across: whether it is a vertical line
        """
        # A line across has the height of the picture; others lie in its middle.
        y1, y2 = (0, 20) if across else (10, 10)
        place = f'x1="{x(start)}" x2="{x(end)}" y1="{y1}" y2="{y2}"'
        return f'<line class="{kind}" {place} vector-effect="non-scaling-stroke"/>'

    grid = "".join(line("grid", mark, mark, across=True) for mark in marks)
    yield '<div class="plot">'
    for one in table:
        rating = one.rating
        yield (
            f"<span>{html.escape(one.name)}</span>"
            f'<span class="value">{signed(rating.value)} ({signed(rating.low)} to {signed(rating.high)})</span>'
            f'<svg viewBox="0 0 1000 20" preserveAspectRatio="none" aria-hidden="true">{grid}'
            f"{line('bar', rating.low, rating.high)}{line('dot', rating.value, rating.value)}</svg>"
        )
    yield "</div>"
    yield (
        '<p class="soft">The bar is the interval that holds the true rating with a probability of 95 %. With 400 points more a '
        f"player wins ten games for one. From one thin line to the next are {step} points.</p>"
    )


def shares_between(contest: Contest) -> Mapping[tuple[int, int], list[float]]:
    """Returns the points of each player in each counted game, by the player and the opponent."""
    found: dict[tuple[int, int], list[float]] = {}
    for played in in_order(contest):
        if contest.counts(played):
            for seat, player in enumerate(played.players):
                for other in played.players:
                    if other != player:
                        found.setdefault((player, other), []).append(played.shares[seat])
    return found


#: Up to so many players, the cells of a cross table have one line; with more players two.
MOST_SIDE_BY_SIDE = 20


def halves(points: float) -> str:
    """Returns points as a text, with the sign ½ for a half."""
    whole, rest = divmod(points, 1)
    return f"{points:g}" if rest not in (0, 0.5) else f"{int(whole) or ''}½" if rest else str(int(whole))


def _cross(contest: Contest, table: Sequence[Standing]) -> Iterator[str]:
    """
    Yields the HTML of the cross table, which has the points of each player against each other player, and the number of
    their games.
    """
    shares = shares_between(contest)
    columns = [Column("Rank"), Column("Player", "name"), *(Column(str(one.rank)) for one in table)]

    def cell(one: Standing, other: Standing) -> str:
        """Returns the points of one player against another; empty: they have not met."""
        if one is other:
            return OWN
        found = shares.get((one.player, other.player))
        # Many columns have no room for both numbers side by side.
        between = " of " if len(table) > MOST_SIDE_BY_SIDE else "\u00a0of\u00a0"
        return "" if found is None else f"{halves(sum(found))}{between}{len(found)}"

    yield from rows(
        columns,
        ([str(one.rank), html.escape(one.name), *(cell(one, other) for other in table)] for one in table),
        "cross",
    )
    yield '<p class="soft">The numbers above are the ranks. Each player has a page with its opponents.</p>'


def _games(contest: Contest, games: Sequence[Played], byes: bool, folder: str = "") -> Iterator[str]:
    """
    Yields the HTML of a list of games, round by round.

    :param byes: whether rounds in which a player has no game (byes) are listed, too
    :param folder: the path from the page to the folder of the contest
    """
    columns = [
        *(Column("Game"), Column("Players", "name"), Column("Points", "whole"), Column("Moves"), Column("Seconds")),
        Column("How it ended", "words"),
    ]

    def cells() -> Iterator[Sequence[str]]:
        """Yields the cells of each game's row, and of the rows for byes."""
        rounds = {one.round for one in games} | ({number for number, _ in contest.byes} if byes else set())
        for number in sorted(rounds):
            yield from (_cells_of(contest, one, folder) for one in games if one.round == number)
            for out, player in contest.byes if byes and contest.in_turn else ():
                if out == number:
                    words = "no game in this round"
                    yield [str(number), html.escape(contest.plan.names[player]), "", "", "", words]

    yield from rows(columns, cells())


def _cells_of(contest: Contest, one: Played, folder: str) -> Sequence[str]:
    """Returns the cells of a game in the list of games, with links to its record and picture."""
    names = html.escape(" against ".join(contest.plan.names[player] for player in one.players))
    words = html.escape(one.words) + ("" if contest.counts(one) else " (annulled)")
    if one.notation:
        words += f' <a href="{folder}games/{one.id}.txt">record</a> <a href="{folder}games/{one.id}.svg">picture</a>'
    shares = " : ".join(f"{share:g}" for share in one.shares)
    return [one.id, names, shares, str(one.moves), f"{one.seconds:.1f}", words]


def _options(contest: Contest) -> Iterator[str]:
    """Yields the HTML of the contest's plan and of all changes by the organizer and the authors."""
    plan = contest.plan
    yield "<dl>"
    for one in fields(Plan):
        value: Any = getattr(plan, one.name)
        # The players have a table of their own, the title is above, and settings follow below.
        if one.name in ("entrants", "title", "settings") or value is None:
            continue
        text = ("yes" if value else "no") if isinstance(value, bool) else str(value)
        if one.name == "format":
            text += f": {FORMATS[value]}"
        elif one.name == "out_rule":
            text += f": {OUT_RULES[value]}"
        yield f"<dt>{one.name.replace('_', '-')}</dt><dd>{html.escape(text)}</dd>"
    for name, setting in plan.settings.items():
        yield f"<dt>{html.escape(name)}</dt><dd>{html.escape(setting)}</dd>"
    for entry in contest.interventions:
        yield f"<dt>{by_whom(entry)}</dt><dd>{html.escape(words_of(contest, entry))}</dd>"
    yield "</dl>"


def now() -> str:
    """Returns the present time as a text for people, in the time zone of this machine."""
    return datetime.now().astimezone().isoformat(" ", "minutes")


@frozen
class Known:
    """
    The facts about an entrant besides its games, as far as there are any.
    """

    #: The faults that the entry check has found; `None`: the program was not checked.
    checked: Sequence[str] | None = None
    #: The files with its output, by the id of the game.
    outputs: Mapping[str, str] = {}
    #: The trace of its worst game, with the keys `game` and `lines`; `None`: there is none.
    traced: Mapping[str, Any] | None = None


def player_page(contest: Contest, one: Standing, known: Known) -> str:
    """
    Returns the page of an entrant, as HTML for the folder `players`.

    :param one: the entrant's row of the table
    :param known: other facts about the entrant, each of which may be missing
    """
    plan = contest.plan
    games = [played for played in in_order(contest) if one.player in played.players]
    about = [
        f"Rank {one.rank} of {len(plan.entrants)}, {one.points:g} points in {one.games} games. Rating "
        f"{signed(one.rating.value)}, with a probability of 95 % from {signed(one.rating.low)} to {signed(one.rating.high)}."
    ]
    if one.scratched:
        about.append(f"Out: {one.scratched}.")
    parts = [f'<p class="soft"><a href="../results.html">All results</a>. {html.escape(" ".join(about))}</p>']
    parts += section("Against each opponent", _opponents(contest, one))
    parts += section("Games", _games(contest, games, False, "../"))
    if known.outputs:
        parts += section("What it wrote", _outputs(games, known))
    worst = worst_game(contest, one.player)
    # The trace may be that of an earlier worst game.
    if known.traced is not None and worst is not None and known.traced["game"] == worst.id:
        parts += section("What was said in its worst game", _traced(plan, worst, known.traced["lines"]))
    if known.checked is not None:
        parts += section("What the checker says", _checked(plan, known.checked))
    return page(one.name, parts)


def _opponents(contest: Contest, one: Standing) -> Iterator[str]:
    """Yields the HTML of a table with the results of a player against each opponent."""
    shares = shares_between(contest)
    columns = [Column("Opponent", "name"), Column("Points"), Column("Won"), Column("Drawn"), Column("Lost")]
    columns.append(Column("Likelihood of being better, by these games"))

    def cells() -> Iterator[Sequence[str]]:
        """Yields the cells of the row of each opponent with a counted game."""
        for other, name in enumerate(contest.plan.names):
            if (found := shares.get((one.player, other))) is not None:
                won, lost = found.count(1.0), found.count(0.0)
                yield [
                    *(player_link(name, other, ""), f"{sum(found):g} of {len(found)}", str(won)),
                    *(str(len(found) - won - lost), str(lost), f"{superiority(won, lost):.0%}"),
                ]

    yield from rows(columns, cells())


def _outputs(games: Sequence[Played], known: Known) -> Iterator[str]:
    """Yields the HTML of links to the files with a program's output."""
    links = [f'<a href="../{known.outputs[one.id]}">{one.id}</a>' for one in games if one.id in known.outputs]
    yield f"<p>The end of its output in each game: {', '.join(links)}</p>"


def _traced(plan: Plan, worst: Played, lines: Sequence[str]) -> Iterator[str]:
    """Yields the HTML of the trace of a program's worst game."""
    yield f"<p>Game {worst.id}: {html.escape(worst.words)}</p><pre>"
    yield html.escape("\n".join(lines))
    yield (
        '</pre><p class="soft">The times are seconds of the game, and the marks are those of gamehost trace '
        f"{html.escape(plan.wire)}.</p>"
    )


def _checked(plan: Plan, wrong: Sequence[str]) -> Iterator[str]:
    """Yields the HTML of the entry check's findings on a program."""
    if not wrong:
        yield "<p>It has passed the short list of the check before the contest.</p>"
    for sentence in wrong:
        yield f"<p>{html.escape(sentence)}</p>"
    yield f'<p class="soft">gamehost check {html.escape(plan.wire)} -- COMMAND says more.</p>'
