"""The line of keys of an answer: those that look, those that act, those that leave."""

from tui.keymap import FooterKey
from tui.pages.remedy_table import USELESS
from tui.pages.why_parts import remedy_at
from tui.protocol.picture import APPLICATION, CLUSTER, WhyAnswer, WhySubject
from tui.terminal import format as text


def looking(answer: WhyAnswer, link: WhySubject | None, stops: int, parts: int) -> list[FooterKey]:
    """Keys that look; `link` is under the cursor, which may stand on so many stops of so many parts."""
    asked, is_plan = answer.why, answer.subject.kind == CLUSTER
    is_remedy = remedy_at(answer, link) is not None
    words = "its run" if is_remedy else "open" if link is not None and link.kind == USELESS else "ask why"
    found = [FooterKey("enter", words, "follow", 2)] if link else []
    found += [FooterKey("j k", "choose", "move(1)", 3)] if stops > 1 else []
    found += [FooterKey(f"1-{parts}", "part", "other(1)", 4)] if answer.place is None and not is_plan else []
    found += [FooterKey("W", "all", "cluster", 4)] if not is_plan else []
    if asked is not None and asked.proof is not None and asked.would_help is None:
        words = "remedies" if answer.remedies is None else "since when"
        found.append(FooterKey("h", words, "remedies", 4))
    return [*found, *(FooterKey(key, words, words, 5) for key, words in (("/", "find"), ("x", "save"), ("c", "copy")))]


def acting(answer: WhyAnswer, link: WhySubject | None, *, is_led: bool) -> list[FooterKey]:
    """Keys that act on what the cursor is on; `is_led` as of `kill_subject`."""
    entry = remedy_at(answer, link)
    found = [] if entry is None else [FooterKey("A", f"apply {entry.number}", "apply")]
    victim = kill_subject(answer, link, is_led=is_led)
    return found + ([FooterKey("K", f"kill {victim.key.zfill(4)}", "kill")] if victim.kind == APPLICATION else [])


def kill_subject(answer: WhyAnswer, link: WhySubject | None, *, is_led: bool) -> WhySubject:
    """The application the question is about; once the reader has moved the cursor (`is_led`), whom that is on."""
    if not is_led and answer.subject.kind == APPLICATION:
        return answer.subject
    entry = remedy_at(answer, link)
    if entry is not None and entry.kind == "kill" and entry.application is not None:
        return WhySubject(APPLICATION, text.short_id(entry.application).lstrip("0"))
    return answer.subject if entry is not None else link or answer.subject
