"""The line of keys of an answer: those that look, those that act, those that leave."""

from collections.abc import Sequence

from engine.explain.answer import RemedyReport
from tui.pages.why_parts import FREES, place_of, remedies_of, remedy_at, sorted_remedies
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


def looking(answer: WhyAnswer, link: WhySubject | None, stops: int) -> list[Hint]:
    """Keys that look; `link` is under the cursor, which may stand on so many stops."""
    asked, is_plan = answer.why, answer.subject.kind == CLUSTER
    is_remedy = remedy_at(answer, link) is not None
    is_tried = link is not None and link.kind == FREES
    found = [("enter", "try on a copy" if is_remedy else "ask why", "follow")] if link and not is_tried else []
    found += [("1-3", "part", "other(1)")] if answer.place is None and not is_plan else []
    found += [("W", "what to do", "cluster")] if not is_plan else []
    if asked is not None and asked.proof is not None and asked.would_help is None:
        found.append(("h", "remedies", "remedies"))
    elif asked is not None and len(remedies_of(asked.would_help)) > 1:
        found.append(("o", "sort", "order"))
    found += [("/", "find", "find"), ("x", "save", "save"), ("c", "copy", "copy")]
    return found + ([("j k", "choose", "move(1)")] if stops > 1 else [])


def acting(answer: WhyAnswer, link: WhySubject | None, order: str, *, is_led: bool) -> list[Hint]:
    """Keys that act on what the cursor is on; `order` is that of the remedies listed, `is_led` as of `kill_subject`."""
    entry = remedy_at(answer, link)
    found = []
    if entry is not None:
        is_end = link is not None and link.kind == FREES
        place = 0 if is_end else place_of(listed(answer, order), entry.remedy)
        found.append(("A", f"apply remedy {place}" if place else "apply it", "apply"))
    victim = kill_subject(answer, link, is_led=is_led)
    return found + ([("K", f"kill {victim.key}", "kill")] if victim.kind == APPLICATION else [])


def listed(answer: WhyAnswer, order: str) -> Sequence[RemedyReport]:
    """The remedies as the page lists them."""
    found = remedies_of(answer.remedies)
    return found if answer.subject.kind == CLUSTER else sorted_remedies(found, order)


def kill_subject(answer: WhyAnswer, link: WhySubject | None, *, is_led: bool) -> WhySubject:
    """The application the question is about; once the reader has moved the cursor (`is_led`), whom that is on."""
    if not is_led and answer.subject.kind == APPLICATION:
        return answer.subject
    entry = remedy_at(answer, link)
    if entry is not None and entry.kind == "kill" and entry.application is not None:
        return WhySubject(APPLICATION, text.short_id(entry.application).lstrip("0"))
    return answer.subject if entry is not None else link or answer.subject
