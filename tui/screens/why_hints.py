"""The line of keys of an answer: those that look, those that act, those that leave."""

from collections.abc import Sequence

from tui.pages.remedy_table import USELESS
from tui.pages.why_parts import remedy_at
from tui.protocol.picture import APPLICATION, CLUSTER, WhyAnswer, WhySubject
from tui.terminal import format as text

Hint = tuple[str, str, str]  # Keys, what they do, the action

LEAVING: tuple[Hint, ...] = (("esc", "back", "close"), ("?", "keys", "help"))
_BAR: Hint = ("│", "", "nothing")


def fitted(looking: Sequence[Hint], acting: Sequence[Hint], width: int) -> tuple[Hint, ...]:
    """All hints; of those that look no more than fit into a width."""
    looking = list(looking)
    while True:
        hints = [hint for group in (looking, acting, LEAVING) if group for hint in (_BAR, *group)][1:]
        size = sum(len(keys) + len(words) + 3 for keys, words, _ in hints)
        if size <= width or len(looking) < 2:
            return tuple(hints)
        _ = looking.pop()


def looking(answer: WhyAnswer, link: WhySubject | None, stops: int, parts: int) -> list[Hint]:
    """Keys that look; `link` is under the cursor, which may stand on so many stops of so many parts."""
    asked, is_plan = answer.why, answer.subject.kind == CLUSTER
    is_remedy = remedy_at(answer, link) is not None
    words = "its run" if is_remedy else "open" if link is not None and link.kind == USELESS else "ask why"
    found = [("enter", words, "follow")] if link else []
    found += [("j k", "choose", "move(1)")] if stops > 1 else []
    found += [(f"1-{parts}", "part", "other(1)")] if answer.place is None and not is_plan else []
    found += [("W", "all", "cluster")] if not is_plan else []
    if asked is not None and asked.proof is not None and asked.would_help is None:
        words = "remedies" if answer.remedies is None else "since when"
        found.append(("h", words, "remedies"))
    return [*found, ("/", "find", "find"), ("x", "save", "save"), ("c", "copy", "copy")]


def acting(answer: WhyAnswer, link: WhySubject | None, *, is_led: bool) -> list[Hint]:
    """Keys that act on what the cursor is on; `is_led` as of `kill_subject`."""
    entry = remedy_at(answer, link)
    found = [] if entry is None else [("A", f"apply {entry.number}", "apply")]
    victim = kill_subject(answer, link, is_led=is_led)
    return found + ([("K", f"kill {victim.key.zfill(4)}", "kill")] if victim.kind == APPLICATION else [])


def kill_subject(answer: WhyAnswer, link: WhySubject | None, *, is_led: bool) -> WhySubject:
    """The application the question is about; once the reader has moved the cursor (`is_led`), whom that is on."""
    if not is_led and answer.subject.kind == APPLICATION:
        return answer.subject
    entry = remedy_at(answer, link)
    if entry is not None and entry.kind == "kill" and entry.application is not None:
        return WhySubject(APPLICATION, text.short_id(entry.application).lstrip("0"))
    return answer.subject if entry is not None else link or answer.subject
