"""Kinds of applications, and what sessions and services are at: jobs done, idle since when, idle containers."""

from engine.observe.snapshot import ApplicationRow
from tui import format as text
from tui.render.facts import Group
from tui.render.line import Look, Span
from tui.render.table import Column


def life_words(row: ApplicationRow, look: Look) -> str:
    """The kind of life, then what it does; empty for an application that lives for one job."""
    if not row.lifespan:
        return ""
    words = [row.lifespan]
    if row.jobs and row.idle_since_ms is not None:
        words.append(f"idle since {text.age(row.idle_since_ms, look.now_ms)}")
    if row.jobs:
        words.append(f"{row.jobs_done} of {text.plural(row.jobs, 'job')} done")
    if row.jobs and row.idle_containers:
        words.append(f"{text.plural(row.idle_containers, 'container')} idle")
    return ", ".join(words)


def _life(row: ApplicationRow, look: Look, width: int) -> Span:
    return life_words(row, look), "text"


def _type(row: ApplicationRow, look: Look, width: int) -> Span:
    return text.plain(row.type), "text"


KIND_COLUMNS: tuple[Column[ApplicationRow], ...] = (Column("TYPE", 9, 11, _type), Column("LIFE", 24, 12, _life))
"""What kind of application it is, and how long it lives."""

LIFE_GROUP = Group("life", ("lifespan", "jobs", "jobs_done", "idle_since_ms", "idle_containers"))
"""What the facts of an application say of it."""
