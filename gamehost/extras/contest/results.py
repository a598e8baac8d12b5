"""
Writes the results of a contest as files: `results.json`, `results.csv`, `results.html`, and the games.

All files are made from the contest's journal. So they are the same if the contest was killed and continued.
"""

import csv
import json
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from gamehost.extras.contest.contest import Contest
from gamehost.extras.contest.entries import Played
from gamehost.extras.contest.files import CHECKS, OUTPUT, TRACES, output_name, own_folder, read_found, replace_file
from gamehost.extras.contest.plan import OUT_RULES
from gamehost.extras.contest.report import Known, now, player_page, results_page
from gamehost.extras.contest.standings import Standing, in_order, likely, signed
from gamehost.games.base import Game
from gamehost.journal.notation import NoPicture, NotNotation, picture, read_notation


def as_data(contest: Contest, table: Sequence[Standing]) -> dict[str, Any]:
    """Returns the content of `results.json`: the plan's main values, the games and the players of the table."""
    plan = contest.plan
    return {
        "wire": plan.wire,
        "seed": plan.seed,
        "format": plan.format,
        "out_rule": plan.out_rule,
        "verdict": contest.verdict.value if plan.sprt is not None else None,
        "games": [
            {
                "id": one.id,
                "round": one.round,
                "players": [plan.names[player] for player in one.players],
                "points": list(one.shares),
                "cause": one.cause,
                "words": one.words,
                "moves": one.moves,
                "seconds": one.seconds,
                "counts": contest.counts(one),
            }
            for one in in_order(contest)
        ],
        "players": [
            {
                "name": one.name,
                "rank": one.rank,
                "points": one.points,
                "games": one.games,
                "won": one.won,
                "drawn": one.drawn,
                "lost": one.lost,
                "by_seat": list(one.by_seat),
                "rating": round(one.rating.value, 1),
                "low": round(one.rating.low, 1),
                "high": round(one.rating.high, 1),
                "buchholz": one.buchholz,
                "superiority": None if one.superiority is None else round(one.superiority, 4),
                "sonneborn_berger": one.sonneborn_berger,
                "lost_by": dict(one.lost_by),
                "scratched": bool(one.scratched),
                "why": one.scratched,
                "forfeits": one.forfeits,
                "byes": one.byes,
            }
            for one in table
        ],
    }


def as_text(contest: Contest, table: Sequence[Standing]) -> str:
    """Returns the table as plain text for a terminal, with a line for each player."""
    # 6: the width of the heading.
    width = max([len(one.name) for one in table] + [6])
    lines = [f"rank  {'player':{width}}  points  games   won drawn  lost  rating  {'95 %':14}  better"]
    for one in table:
        interval = f"{signed(one.rating.low)} to {signed(one.rating.high)}"
        out = f"  out: {one.scratched}" if one.scratched else ""
        lines.append(
            f"{one.rank:4}  {one.name:{width}}  {one.points:6g}  {one.games:5} {one.won:5} {one.drawn:5} {one.lost:5}"
            f"  {signed(one.rating.value):>6}  {interval:14}  {likely(one.superiority):>6}{out}"
        )
    if any(one.scratched for one in table):
        lines.append(f"players who are out: {OUT_RULES[contest.plan.out_rule]} ({contest.plan.out_rule})")
    if contest.plan.sprt is not None:
        won, drawn, lost = contest.against(0)
        low, high = contest.plan.sprt
        lines.append(
            f"sequential test of {low:g} and {high:g} points: {contest.verdict.value} ({won} won, {drawn} drawn, {lost} lost)"
        )
    return "\n".join(lines) + "\n"


#: The columns of `results.csv`: those of the players in `results.json` that are one value.
CSV = (
    *("rank", "name", "points", "games", "won", "drawn", "lost", "rating", "low", "high", "superiority", "buchholz"),
    *("sonneborn_berger", "byes", "forfeits", "scratched", "why"),
)


def as_csv(contest: Contest, table: Sequence[Standing]) -> str:
    """
    Returns the content of `results.csv`: a line for each player. A name that a spreadsheet would read as a formula gets an
    apostrophe in front.
    """
    out = StringIO()
    writer = csv.DictWriter(out, CSV, extrasaction="ignore", lineterminator="\r\n")
    writer.writeheader()
    for player in as_data(contest, table)["players"]:
        # Numbers may begin with a minus, so only texts get the apostrophe.
        texts = {
            key: f"'{value}" for key, value in player.items() if str(value).startswith(_FORMULAS) and key in _TEXTS
        }
        writer.writerow({**player, **texts})
    return out.getvalue()


#: The columns with texts of other people, and the characters with which a formula of a spreadsheet begins.
_TEXTS = frozenset({"name", "why"})
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def write(
    contest: Contest, table: Sequence[Standing], folder: Path, game: Game[Any, Any], live: Sequence[str] = ()
) -> None:
    """
    Writes all results anew, and the record and picture of each game that has no files yet.

    :param live: the ids of the games that are being played; their pictures are at `live/ID.svg` of the contest's page
    """
    games = folder / "games"
    for part in (games, folder / "players"):
        own_folder(part)
    # Remove the files of games that are played again and not decided yet.
    # A game in `withdrawn` was decided, and no longer counts because of a change by the organizer.
    again = {one.id for one in contest.withdrawn}
    for name in again - contest.played.keys():
        for ending in ("svg", "txt"):
            (games / f"{name}.{ending}").unlink(missing_ok=True)
    # Write missing files of games. A game that was played again may still have the files of its earlier match.
    for one in contest.played.values():
        if one.id in again and _has_another(games / f"{one.id}.txt", one.notation):
            (games / f"{one.id}.txt").unlink()
            (games / f"{one.id}.svg").unlink(missing_ok=True)
        # The record is written last, so a game whose picture could not be written is tried again.
        if one.notation and not (games / f"{one.id}.txt").exists():
            drawing = picture_of(game, one)
            if drawing:
                replace_file(games / f"{one.id}.svg", drawing)
            replace_file(games / f"{one.id}.txt", one.notation)
    replace_file(folder / "results.json", json.dumps(as_data(contest, table), indent=1) + "\n")
    replace_file(folder / "results.csv", as_csv(contest, table))
    replace_file(folder / "results.html", results_page(contest, table, live, now()))
    _write_players(contest, table, folder)


def _write_players(contest: Contest, table: Sequence[Standing], folder: Path) -> None:
    """Writes the page of each player, with the check, outputs and trace of its program, as far as there are any."""
    checks, traces = read_found(folder, CHECKS), read_found(folder, TRACES)
    written = {path.name for path in (folder / OUTPUT).glob("*.txt")}
    for one in table:
        names = {game: output_name(game, one.player) for game in contest.played}
        outputs = {game: f"{OUTPUT}/{name}" for game, name in names.items() if name in written}
        page = player_page(contest, one, Known(checks.get(one.name), outputs, traces.get(one.name)))
        replace_file(folder / "players" / f"{one.player + 1}.html", page)


def _has_another(path: Path, text: str) -> bool:
    """Returns whether a file exists and has another content than this text."""
    try:
        return path.read_text("utf-8") != text
    except FileNotFoundError:
        return False


def picture_of(game: Game[Any, Any], one: Played) -> str:
    """Returns the final position of a game as SVG; empty: the game has no picture."""
    try:
        return picture(game, read_notation(one.notation).record)
    except (NotNotation, NoPicture):
        return ""
