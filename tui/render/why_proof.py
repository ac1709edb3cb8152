"""The proof of a verdict that is no circle: how far was looked, who keeps what for ever, who came first, the bound."""

from collections.abc import Mapping

from engine.explain.report import ProofReport
from tui import format as text
from tui.answers import WhyAnswer, WhySubject
from tui.format import Beside
from tui.render.line import Spans, folded
from tui.render.panel import Panel, PanelRow
from tui.render.verdict_text import looked_words


def proof_panel(part: str, answer: WhyAnswer, width: int) -> Panel:
    """The proof as a panel; it says so where there is none yet."""
    why = answer.why
    rows = proof_rows(why.proof if why is not None else None, answer.beside, answer.names, width)
    empty = "none: no forecast for a live or recorded cluster" if why is not None and why.is_live else "not found yet"
    return Panel(part, [("The proof", "text")], rows or [PanelRow([(empty, "faint")])])


def proof_rows(proof: ProofReport | None, day: Beside, names: Mapping[str, str], width: int) -> list[PanelRow]:
    """The proof; nothing where there is none."""
    if proof is None:
        return []
    rows = [PanelRow([(each, "soft")]) for each in folded(looked_words(proof, day), width)]
    if proof.for_ever:
        rows.append(PanelRow([("never released by:", "soft")]))
        rows += [_linked("", each, names) for each in proof.for_ever]
    for each in proof.passed_by:
        words = f"{day.instant(each.at_ms)} {text.memory(each.memory_mb)}"
        rows.append(_linked(f"{words} on {text.short_node(each.node)} to ", each.application, names))
    for reason in proof.bound:
        words = f"alone in the cluster: {text.with_short_ids(reason.sentence)}"
        rows += [PanelRow([(each, "text")]) for each in folded(words, width)]
    return rows


def _linked(before: str, application: str, names: Mapping[str, str]) -> PanelRow:
    number = text.short_id(application)
    name = text.plain(names.get(application, ""))
    spans: Spans = [(before, "soft"), (number, "strong"), (f" {name}", "text")]
    return PanelRow(spans, WhySubject("application", str(int(number))))
