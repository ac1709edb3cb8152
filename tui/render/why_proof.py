"""The proof of a verdict as lines: how far the lookahead went, who waits for whom in a cycle, the bound."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tui import format as text
from tui.answers import WhySubject
from tui.render.line import ASCII, Glyphs, Spans, folded
from tui.render.verdict_text import looked_words

ProofLine = tuple[Spans, WhySubject | None, str]
"""What is drawn, where it leads, and the part it belongs to."""

_STEPS: Final = {
    "NODE_RESERVED": "waits for {node}, reserved by",
    "DOES_NOT_FIT": "waits for room on {node}, filled by",
    "RESERVATION_LIMIT": "waits for room on {node}, filled by",
    "QUEUE_WOULD_EXCEED_MAXIMUM": "waits for room on {node}, filled by",
    "QUEUE_OVER_MAXIMUM": "waits for its queue, which is filled by",
    "AM_SHARE_EXHAUSTED": "waits for a place among the application masters, taken by",
    "QUEUE_NOT_RUNNING_IT": "waits for its turn to run, taken by",
}
"""Reason → what one waits for, of whom the next line tells."""

_ROUND: Final = ("┌▶", "├▶", "│ ", "└─")
_ROUND_ASCII: Final = ("+>", "+>", "| ", "+-")
"""How a circle begins, goes on, runs beside, and comes back."""


def proof_lines(
    document: dict[str, Any], names: Mapping[str, str], glyphs: Glyphs, width: int, label: int
) -> list[ProofLine]:
    """The proof; nothing where there is none."""
    proof = document["proof"]
    if proof is None:
        return []
    lines = _sentences("proof", looked_words(proof), width, label)
    lines += _cycle(proof["cycle"], names, glyphs, width, label)
    if proof["for_ever"]:
        lines += _sentences("", "kept for ever by:", width, label)
        lines += [_linked(" " * label, each, names, "ends") for each in proof["for_ever"]]
    for place, each in enumerate(proof["passed_by"]):
        words = f"{_time(each['at'])} {text.memory(each['memory_mb'])} on {text.short_node(each['node'])} to "
        lines.append(
            _linked(("passed by" if place == 0 else "").ljust(label) + words, each["application"], names, "passed")
        )
    for place, reason in enumerate(proof["bound"]):
        words = f"alone in the cluster: {text.with_short_ids(reason['sentence'])}"
        lines += _sentences("bound" if place == 0 else "", words, width, label)
    return lines


def _cycle(
    steps: Sequence[dict[str, Any]], names: Mapping[str, str], glyphs: Glyphs, width: int, label: int
) -> list[ProofLine]:
    """Who waits for whom, drawn as a line that comes back to where it began."""
    begin, on, beside, back = _ROUND_ASCII if glyphs == ASCII else _ROUND
    lines: list[ProofLine] = []
    for place, step in enumerate(steps):
        margin = ("cycle" if place == 0 else "").ljust(label)
        lines.append(_linked(f"{margin}{begin if place == 0 else on} ", step["application"], names, "cycle"))
        words = _STEPS.get(step["because"], f"waits ({step['because']}) for")
        words = words.format(node=text.short_node(step["node"]) or "a node")
        margin_spans = [(" " * label, "plain"), (f"{beside}    ", "bad")]
        lines += [([*margin_spans, (each, "plain")], None, "cycle") for each in folded(words, width - label - 6)]
    if steps:
        first = text.short_id(steps[-1]["waits_for"])
        lines.append(
            ([(" " * label, "plain"), (f"{back} ", "bad"), (f"{first}, and so on for ever", "plain")], None, "cycle")
        )
    return lines


def _linked(margin: str, application: str, names: Mapping[str, str], part: str) -> ProofLine:
    number = text.short_id(application)
    spans: Spans = [(margin, "head"), (number, "key"), (f" {text.plain(names.get(application, ''))}", "plain")]
    return spans, WhySubject("application", str(int(number))), part


def _sentences(label: str, words: str, width: int, margin: int) -> list[ProofLine]:
    sentences: Sequence[str] = folded(words, width - margin)
    return [
        ([((label if place == 0 else "").ljust(margin), "head"), (each, "plain")], None, "proof")
        for place, each in enumerate(sentences)
    ]


def _time(iso: str) -> str:
    return iso[11:23].removesuffix(".000")
