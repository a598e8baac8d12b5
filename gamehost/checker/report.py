"""
A report as text, JSON, JUnit XML and HTML.

All four say the same: the scenarios with their verdicts, and each finding once with what to do about it.
"""

import html
import json
from collections.abc import Callable, Mapping
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from gamehost.checker.base import Finding, Grade, TranscriptLine, Verdict
from gamehost.checker.check import Report, counted

#: How a verdict is marked in the text.
MARKS: Mapping[Verdict, str] = {
    Verdict.PASS: "ok",
    Verdict.BREACH: "BREACH",
    Verdict.FRAGILE: "FRAGILE",
    Verdict.NOTE: "note",
    Verdict.SKIPPED: "skipped",
}
_ARROWS = {"client": "client >", "host": "       <", "": "       *"}


def line_of(line: TranscriptLine) -> str:
    """One message of a transcript, in one line."""
    text = f"{line.text}   " if line.text else ""
    return f"{line.t:8.3f} {_ARROWS[line.sender]} {text}{line.meaning}".rstrip()


def as_text(report: Report) -> str:
    """For a person at a terminal."""
    width = max((len(outcome.scenario.name) for outcome in report.outcomes), default=0)
    lines = [
        f"{MARKS[outcome.verdict]:8} {outcome.scenario.name:{width}} {outcome.seconds:6.1f} s  {outcome.scenario.tries}"
        for outcome in report.outcomes
    ]
    for finding, names in report.findings:
        lines += ["", f"{finding.grade.value.upper()}: {finding.title}", f"  in: {', '.join(names)}"]
        lines += [f"  happened: {finding.happened}", f"  {finding.law.source}: {finding.law.says}"]
        lines += [f"  what to do: {finding.law.do}", "  the last messages:"]
        lines += [f"    {line_of(line)}" for line in finding.transcript]
    counts = ", ".join(f"{count} {verdict.value}" for verdict, count in counted(report.outcomes).items())
    lines += ["", f"{report.wire}, seed {report.seed}, {report.seconds:.1f} s: {counts or 'no scenario was played'}"]
    return "\n".join(lines) + "\n"


def as_data(report: Report) -> dict[str, Any]:
    """For programs, as JSON has it."""
    return {
        "wire": report.wire,
        "seed": report.seed,
        "seconds": round(report.seconds, 1),
        "clean": report.clean,
        "scenarios": [
            {
                "name": outcome.scenario.name,
                "tries": outcome.scenario.tries,
                "section": outcome.section,
                "verdict": outcome.verdict.value,
                "seconds": round(outcome.seconds, 1),
            }
            for outcome in report.outcomes
        ],
        "findings": [_finding_as_data(finding, names) for finding, names in report.findings],
    }


def _finding_as_data(finding: Finding, names: list[str]) -> dict[str, Any]:
    return {
        "grade": finding.grade.value,
        "title": finding.title,
        "section": finding.law.section,
        "happened": finding.happened,
        "expected": finding.law.says,
        "do": finding.law.do,
        "scenarios": names,
        "transcript": [
            {"t": round(line.t, 3), "from": line.sender, "text": line.text, "meaning": line.meaning}
            for line in finding.transcript
        ],
    }


def as_json(report: Report) -> str:
    """One JSON object."""
    return json.dumps(as_data(report), ensure_ascii=False, indent=2) + "\n"


def as_junit(report: Report) -> str:
    """For continuous integration: one test case a scenario; breaches and what is fragile are failures."""
    failing = (Verdict.BREACH, Verdict.FRAGILE)
    failures = sum(outcome.verdict in failing for outcome in report.outcomes)
    skipped = sum(outcome.verdict is Verdict.SKIPPED for outcome in report.outcomes)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuite name="gamehost check {report.wire}" tests="{len(report.outcomes)}" failures="{failures}"'
        f' skipped="{skipped}" time="{report.seconds:.1f}">',
    ]
    for outcome in report.outcomes:
        name = quoteattr(outcome.scenario.name)
        lines.append(f'  <testcase classname="{report.wire}" name={name} time="{outcome.seconds:.1f}">')
        for finding in outcome.findings:
            if finding.grade is not Grade.NOTE:
                lines.append(f"    <failure message={quoteattr(finding.title)}>{escape(_failure(finding))}</failure>")
        if outcome.verdict is Verdict.SKIPPED:
            lines.append("    <skipped/>")
        lines.append("  </testcase>")
    return "\n".join([*lines, "</testsuite>"]) + "\n"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _failure(finding: Finding) -> str:
    law = finding.law
    last = "\n".join(map(line_of, finding.transcript))
    return f"{finding.happened}\n{_capital(law.source)}: {law.says}\nWhat to do: {law.do}\n{last}\n"


_STYLE = (
    ":root{color-scheme:light dark}*{box-sizing:border-box}"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1rem;overflow-wrap:anywhere}"
    "h1{font-size:1.5rem}ul.totals{display:flex;flex-wrap:wrap;gap:.5rem;list-style:none;padding:0}"
    "ul.totals li{border:1px solid #8888;border-radius:.25rem;padding:.25rem .75rem}"
    "table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.25rem .5rem;"
    "border-bottom:1px solid #8888}th,td:nth-child(1),td:nth-child(2),td:nth-child(5){white-space:nowrap}"
    "pre{white-space:pre-wrap;font-size:.875rem;padding:.5rem;border:1px solid #8888}"
    ".breach{color:#b3261e;font-weight:bold}.fragile{color:#8a5a00;font-weight:bold}"
    "@media(prefers-color-scheme:dark){.breach{color:#ff8a80}.fragile{color:#ffc266}}"
    "@media(max-width:40rem){tr{display:block;padding:.5rem 0;border-bottom:1px solid #8888}tr:first-child{display:none}"
    "td{display:inline;border:0;padding:0 .5rem 0 0}td:nth-child(3){display:block}}"
)


def as_html(report: Report) -> str:
    """One page that needs nothing else. It can be read on a telephone."""
    rows = "".join(
        f"<tr><td class={outcome.verdict.value}>{MARKS[outcome.verdict]}</td><td>{html.escape(outcome.scenario.name)}</td>"
        f"<td>{html.escape(outcome.scenario.tries)}</td><td>{html.escape(outcome.section)}</td>"
        f"<td>{outcome.seconds:.1f} s</td></tr>\n"
        for outcome in report.outcomes
    )
    findings = "".join(_finding_as_html(finding, names) for finding, names in report.findings) or "<p>None.</p>"
    title = f"gamehost check {report.wire}"
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,'
        f'initial-scale=1"><title>{title}</title><style>{_STYLE}</style></head>'
        f"<body><h1>{title}</h1>\n{_totals_as_html(report)}<p>Seed {report.seed}, {report.seconds:.1f} s.</p>\n"
        f"<h2>Findings</h2>\n{findings}<h2>Scenarios</h2><table><tr><th>Verdict"
        f"</th><th>Scenario</th><th>What is tried</th><th>Section</th><th>Time</th></tr>\n{rows}</table></body></html>\n"
    )


def _totals_as_html(report: Report) -> str:
    """How many findings of each grade there are, and how many scenarios ended in which way."""
    grades = [finding.grade for finding, _ in report.findings]
    verdicts = ", ".join(f"{count} {verdict.value}" for verdict, count in counted(report.outcomes).items())
    found = ", ".join(f"{grades.count(grade)} {grade.value}" for grade in Grade if grade in grades)
    totals = (
        "clean" if report.clean else "not clean",
        f"findings: {found or 'none'}",
        f"{len(report.outcomes)} scenarios: {verdicts or 'none was played'}",
    )
    return f'<ul class="totals">{"".join(f"<li>{words}</li>" for words in totals)}</ul>\n'


def _finding_as_html(finding: Finding, names: list[str]) -> str:
    law = finding.law
    parts = [f'<h3><span class="{finding.grade.value}">{finding.grade.value}</span>: {html.escape(finding.title)}</h3>']
    for label, text in (
        ("Scenarios", ", ".join(names)),
        ("What happened", finding.happened),
        (_capital(law.source), law.says),
        ("What to do", law.do),
    ):
        parts.append(f"<p><strong>{html.escape(label)}:</strong> {html.escape(text)}</p>")
    parts.append(f"<pre>{html.escape(chr(10).join(map(line_of, finding.transcript)))}</pre>\n")
    return "".join(parts)


FORMATS: Mapping[str, Callable[[Report], str]] = {
    "text": as_text,
    "json": as_json,
    "junit": as_junit,
    "html": as_html,
}
