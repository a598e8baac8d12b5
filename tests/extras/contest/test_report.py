"""The files of a contest: its pages, the page of each entrant, CSV, and what programs wrote."""

import csv
import json
import re
from io import StringIO
from pathlib import Path

from attrs import evolve
from twisted.trial.unittest import SynchronousTestCase

from gamehost.extras.contest.contest import Contest, ContestJournal
from gamehost.extras.contest.entries import Dropped
from gamehost.extras.contest.files import CHECKS, OUTPUT, TRAFFIC, replace_file
from gamehost.extras.contest.plan import Entrant, Plan
from gamehost.extras.contest.report import STYLE, halves, results_page
from gamehost.extras.contest.results import as_csv, write
from gamehost.extras.contest.standings import standings
from gamehost.extras.contest.traffic import HeardBytes, store_traffic
from gamehost.games.onitama.master import ONITAMA
from tests.extras.contest.test_contest import plan, play
from tests.kit.contests import MemoryContest
from tests.kit.fork_server import ROOT


class PageTests(SynchronousTestCase):
    def page(self, contest: Contest) -> str:
        return results_page(contest, standings(contest), (), "2026-11-29 10:00+01:00")

    def test_it_has_the_colours_of_the_host(self) -> None:
        """And no other ones."""
        own = (Path(ROOT) / "gamehost/web/static/style.css").read_text("utf-8")
        tokens = dict(re.findall(r"--([a-z-]+): ?(light-dark\([^;]*\));", own))
        used = re.findall(r"--([a-z]+):(light-dark\([^;]*?\))[;}]", STYLE.replace("\n", ""))
        self.assertGreater(len(used), 7)
        for name, value in used:
            self.assertEqual(value.replace(" ", ""), tokens[name].replace(" ", ""))
        self.assertEqual(re.findall(r"#[0-9a-f]{3,6}\b", STYLE.partition("*,::before")[2]), [])

    def test_what_it_is_and_when_it_was(self) -> None:
        contest = Contest(
            plan(3, title="Evening <1>", settings={"onitama.move_time": "3"}), began="then", machine="lab-7"
        )
        play(contest)
        page = self.page(contest)
        self.assertIn("<title>Evening &lt;1&gt;</title>", page)
        self.assertIn("Begun then on lab-7. As of 2026-11-29 10:00+01:00.", page)
        for option in ("<dt>seed</dt><dd>0</dd>", "<dt>onitama.move_time</dt><dd>3</dd>", "<dt>pairs</dt><dd>no</dd>"):
            self.assertIn(option, page)
        self.assertIn("<title>onitama: 3 players, round-robin</title>", self.page(Contest(plan(3))))

    def test_who_is_out_has_a_row_below_and_the_rule_is_named(self) -> None:
        contest = Contest(plan(3))
        contest.note(Dropped(1, 0, "<b>no such module</b>"))
        play(contest)
        page = self.page(contest)
        self.assertIn('<td role="cell" colspan="14">p1 is out: &lt;b&gt;no such module&lt;/b&gt;</td>', page)
        self.assertIn("Players who are out: none of its games counts (annul).", page)
        self.assertIn("p1 is out: &lt;b&gt;no such module&lt;/b&gt;</dd>", page)

    def test_byes(self) -> None:
        contest = Contest(plan(3, format="swiss", out_rule="forfeit", rounds=3))
        play(contest)
        page = self.page(contest)
        self.assertEqual(page.count("no game in this round"), 3)
        self.assertIn('<th role="columnheader" scope="col" class="">Byes</th>', page)
        self.assertNotIn("no game in this round", self.page(Contest(plan(3))))

    def test_each_cell_says_what_it_is(self) -> None:
        """On a phone a row is a card, and headings are not seen."""
        contest = Contest(plan(4))
        play(contest)
        cells = re.findall(r'<td role="cell"[^>]*>', self.page(contest))
        self.assertTrue(all("data-label=" in cell or "own" in cell or "colspan" in cell for cell in cells))

    def test_halves(self) -> None:
        self.assertEqual([halves(one) for one in (0.0, 0.5, 1.0, 2.5, 1 / 3)], ["0", "½", "1", "2½", "0.333333"])


class FilesTests(SynchronousTestCase):
    def contest(self) -> tuple[Contest, Path]:
        folder = Path(self.mktemp())
        folder.mkdir()
        entrants = (Entrant("=1+2", ("a",)), Entrant("<i>", ("b",)), Entrant("cyd", ("c",)))
        contest = Contest(Plan("onitama", "onitama", entrants))
        play(contest)
        return contest, folder

    def test_csv(self) -> None:
        """A line for each player; a name is no formula."""
        contest, _ = self.contest()
        lines = [*csv.DictReader(StringIO(as_csv(contest, standings(contest))))]
        self.assertEqual([line["name"] for line in lines], ["'=1+2", "<i>", "cyd"])
        self.assertEqual((lines[0]["rank"], lines[0]["games"], lines[0]["scratched"]), ("1", "2", "False"))
        self.assertLess(float(lines[0]["low"]), float(lines[0]["rating"]))

    def test_the_page_of_an_entrant(self) -> None:
        contest, folder = self.contest()
        replace_file(folder / CHECKS, json.dumps({"<i>": ["it sends <nonsense> (5.2)"], "cyd": []}))
        journal = ContestJournal(folder)
        [one, *_] = contest.games
        journal.store_outputs(one, (b"", b"hello\xff\n"))
        write(contest, standings(contest), folder, ONITAMA)
        pages = [(folder / "players" / f"{number}.html").read_text("utf-8") for number in (1, 2, 3)]
        name = f"{one.id}.{one.players[1] + 1}.txt"
        self.assertEqual((folder / "output" / name).read_text("utf-8"), "hello\ufffd\n")
        self.assertEqual([f"../output/{name}" in page for page in pages], [n == one.players[1] for n in range(3)])
        self.assertIn("it sends &lt;nonsense&gt; (5.2)", pages[1])
        self.assertIn("It has passed the short list", pages[2])
        self.assertNotIn("What the checker says", pages[0])
        self.assertIn('<a href="3.html">cyd</a>', pages[1])
        self.assertIn('href="players/2.html">&lt;i&gt;</a>', (folder / "results.html").read_text("utf-8"))

    def test_a_link_is_replaced_and_not_followed(self) -> None:
        folder = Path(self.mktemp())
        folder.mkdir()
        (folder / "victim").write_text("safe")
        for name in ("file", "file.new"):
            (folder / name).symlink_to("victim")
        replace_file(folder / "file", "new")
        self.assertEqual(((folder / "victim").read_text(), (folder / "file").read_text()), ("safe", "new"))
        self.assertFalse((folder / "file").is_symlink())

    def test_a_link_in_place_of_a_folder_is_replaced_and_not_followed(self) -> None:
        contest, folder = self.contest()
        elsewhere = Path(self.mktemp())
        elsewhere.mkdir()
        for name in ("games", "players", OUTPUT, TRAFFIC):
            (folder / name).symlink_to(elsewhere.absolute())
        journal = ContestJournal(folder)
        [one, *_] = contest.games
        journal.store_outputs(one, (b"x", b"hello"))
        heard = [HeardBytes(lambda: 1.0, name) for name in contest.plan.names]
        for game in contest.played.values():
            store_traffic(folder, contest, game, heard)
        write(contest, standings(contest), folder, ONITAMA)
        self.assertEqual([*elsewhere.iterdir()], [])
        self.assertEqual([name for name in ("games", "players", OUTPUT, TRAFFIC) if (folder / name).is_symlink()], [])

    def test_a_game_that_is_played_again_has_new_files(self) -> None:
        contest, folder = self.contest()
        [one, *_] = contest.games
        contest.played[one.id] = evolve(contest.played[one.id], notation="old")
        write(contest, standings(contest), folder, ONITAMA)
        contest.withdrawn.append(contest.played.pop(one.id))
        write(contest, standings(contest), folder, ONITAMA)
        self.assertFalse((folder / "games" / f"{one.id}.txt").exists())
        contest.played[one.id] = evolve(contest.withdrawn[0], notation="new")
        write(contest, standings(contest), folder, ONITAMA)
        self.assertEqual((folder / "games" / f"{one.id}.txt").read_text(), "new")


class OutputTests(SynchronousTestCase):
    def test_what_programs_write_is_stored_for_each_game(self) -> None:
        folder = Path(self.mktemp())
        commands = (
            "--player=ann=./random player onitama --to {host}:{port} --name {name} --level random",
            "--player=bob=./idle",
        )
        made = MemoryContest(folder, "--wire=onitama", "--seed=3", *commands)
        spawn = made.machine.spawnProcess

        def spawning(protocol: object, executable: str, words: list[str], **more: object) -> object:
            process = spawn(protocol, executable, words, **more)
            process.prints("x" * 300_000 + "the end of " + " ".join(words[-1:]))
            return process

        made.machine.spawnProcess = spawning  # type: ignore[assignment, method-assign]
        made.play()
        files = sorted((folder / "output").iterdir())
        self.assertIn("1.1.2.txt", [file.name for file in files])
        for file in files:
            self.assertEqual(file.stat().st_size, 200_000)
            self.assertIn("the end of ", file.read_text())
