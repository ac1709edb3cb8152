"""The pages of keys, settings, badges and the REST that is served."""

from collections.abc import Iterable

from engine.explain.alert import BADGES
from engine.serve.answers import ROUTES
from engine.settings.capacity import CAPACITY_27, CAPACITY_34
from engine.settings.fair import FAIR_27, FAIR_34
from engine.settings.mapreduce1 import CAPACITY_TASKS, FAIR_TASKS, JOB_TRACKER
from engine.settings.site import YARN_27, YARN_34
from engine.settings.spark import SPARK
from engine.settings.table import SettingEntry
from tests.manual.markdown import cell, code, page, table
from tui.actions import Action
from tui.keymap import help_groups, spelled

TERMS = {"application": "application", "container": "container", "node": "node", "master": "ResourceManager"}
READ_BY = (
    *(YARN_27, YARN_34, FAIR_27, FAIR_34, CAPACITY_27, CAPACITY_34, SPARK),
    *(JOB_TRACKER, FAIR_TASKS, CAPACITY_TASKS),
)


def keys_page() -> str:
    """Every action of the registry, by group."""
    about = "Keys of the cluster screen. Lower-case letters look, capitals act. The settings file binds keys by the id."
    return page("Keys", about, *(_group(name, actions) for name, actions in help_groups()))


def _group(name: str, actions: Iterable[Action]) -> str:
    rows = [
        (" ".join(code(spelled(key)) for key in each.keys), cell(each.title), cell(each.help), code(each.id))
        for each in actions
    ]
    return f"## {name.capitalize()}\n\n" + table(("key", "name", "what it does", "id"), rows)


def settings_page() -> str:
    """The settings that each scheduler of each release reads."""
    parts = []
    for each in READ_BY:
        parts.append(f"## {each.name}\n\n" + _settings(each.whole.items()))
        if each.queue:
            parts.append(f"### Of a queue of {each.name}\n\n" + _settings(each.queue.items()))
    about = (
        "The settings that each simulated scheduler reads, with the default of its release. They stand in the table "
        "`[settings]` of a scenario. `fifo` has those that every ResourceManager reads, `mr1-fifo` those that every "
        "JobTracker reads."
    )
    return page("Settings of the schedulers", about, *parts)


def _settings(entries: Iterable[tuple[str, SettingEntry]]) -> str:
    rows = (
        (code(key), code(one.effective_default), one.unit, cell(f"{one.meaning}{_bounds(one)}")) for key, one in entries
    )
    return table(("key", "default", "unit", "meaning"), rows)


def _bounds(one: SettingEntry) -> str:
    accepted = f" Accepted: {one.bounds}." if one.bounds else ""
    return f"{accepted} Changes while the scheduler runs." if one.help is not None else accepted


def badges_page() -> str:
    rows = [
        tuple(cell(part.format(**TERMS)) for part in (rule.word, rule.level, *rule[2:])) for rule in BADGES.values()
    ]
    head = ("badge", "level", "meaning", "since", "until", "from")
    about = (
        "The header says how the cluster is in one badge. A `state` has no badge of its own; `watch` means that "
        "somebody is harmed, `alarm` that nothing goes on. `?` on the screen shows the same table."
    )
    return page("Badges", about, table(head, rows))


def rest_page() -> str:
    rows = [
        (code(f"/ws/v1/cluster/{each.path}".rstrip("/")), ", ".join(each.answers), "3.4 only" if each.since_34 else "")
        for each in ROUTES
    ]
    about = (
        "What `schedlab serve` answers, as the ResourceManager of its release does: JSON, or XML where `Accept` asks "
        "for it. Beside it `/jmx` has the beans of cluster, queues and users, `/prom` the same for Prometheus, and "
        "`/schedlab/v1/clock` moves the clock: `GET`, `PUT`, and `POST` to `/schedlab/v1/clock/step`."
    )
    return page("REST that is served", about, table(("address", "methods", "release"), rows))
