"""Offers beginnings of the submit form: the kinds of applications of a workload, and what was submitted last."""

import re
from collections.abc import Iterator, Mapping, Sequence
from statistics import median_low
from typing import Final

from engine.errors import nearest
from engine.scenario import ApplicationSpec, Scenario
from engine.scenario.acts import SubmitApplication
from tui.form import spec_of
from tui.format import plain
from tui.picture import PRESET, Preset
from tui.session.templates import about, changed, fields_of

LAST: Final = "last"
"""Name of the preset with what was submitted last."""
MOST: Final = 30
"""Most kinds that are offered: those submitted most often."""

_COUNTED: Final = re.compile(r"[\s#_.-]*\d+$")


class Presets:
    """The presets of one session."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._templates: dict[str, ApplicationSpec] = {}
        self._offered: tuple[Preset, ...] | None = None

    def offered(self) -> tuple[Preset, ...]:
        """Return all presets: first what was submitted last, then the kinds of the workload."""
        if self._offered is None:
            self._templates |= dict(_named(_kinds(self._scenario)))
            self._offered = tuple(self._preset(name, spec) for name, spec in self._templates.items())
        return self._offered

    def remember(self, spec: ApplicationSpec) -> None:
        """Offer an application that was submitted as the last."""
        kinds = [preset for preset in self.offered() if preset.name != LAST]
        self._templates[LAST] = spec
        self._offered = (self._preset(LAST, spec), *kinds)

    def _preset(self, name: str, spec: ApplicationSpec) -> Preset:
        return Preset(name, about(spec), fields_of(spec, on_slots=self._scenario.system == "mr1"))

    def spec_of(self, fields: Mapping[str, str]) -> tuple[ApplicationSpec | None, list[str]]:
        """Return the application that a form describes, and what is wrong with it; None when anything is.

        Fields that the user did not change, and those that a form does not show, are as in the preset.
        """
        name = fields.get(PRESET)
        if name is None:
            return spec_of(fields)
        before = {preset.name: preset.fields for preset in self.offered()}
        if name not in before:
            return None, [f"preset: there is no {name}{_hint(name, list(before))}"]
        return changed(self._templates[name], before[name], fields)


def _hint(name: str, names: Sequence[str]) -> str:
    hint = nearest(name, names) or f"there is {', '.join(names)}" if names else "this workload has none"
    return f" ({hint})"


def _submitted(scenario: Scenario) -> Iterator[tuple[ApplicationSpec, int]]:
    """Yield (application, how often) of everything that a scenario submits."""
    for running in scenario.running:
        yield running.application, 1
    for spec in scenario.workload:
        yield spec, spec.repeat.times if spec.repeat else 1
    for step in scenario.script:
        if isinstance(act := step.act, SubmitApplication):
            yield act.spec(), 1


def _stem(spec: ApplicationSpec) -> str:
    """Return the name of an application without the number that tells it from others of its kind."""
    return _COUNTED.sub("", plain(spec.name)).strip()


def _kinds(scenario: Scenario) -> list[ApplicationSpec]:
    """Return a typical application of each kind (same name but for a number, type, user, queue), frequent first."""
    groups: dict[tuple[object, ...], list[tuple[ApplicationSpec, int]]] = {}
    for spec, times in _submitted(scenario):
        groups.setdefault((_stem(spec), spec.type, spec.user, spec.queue), []).append((spec, times))
    often = sorted(groups.values(), key=lambda group: -sum(times for _, times in group))
    return [_typical([spec for spec, _ in group]) for group in often[:MOST]]


def _typical(specs: Sequence[ApplicationSpec]) -> ApplicationSpec:
    """Return the application of middle size."""
    if len(specs) == 1:
        return specs[0]
    sizes = [_size(spec) for spec in specs]
    return specs[sizes.index(median_low(sizes))]


def _size(spec: ApplicationSpec) -> int:
    fields = fields_of(spec)
    return int(fields.get("containers") or fields.get("tasks") or 0)


def _named(specs: Sequence[ApplicationSpec]) -> Iterator[tuple[str, ApplicationSpec]]:
    """Yield (name of the preset, application); a name is one word, and no two are alike."""
    taken = {LAST}
    for spec in specs:
        name = "-".join((_stem(spec) or spec.type).split())
        number = 2
        unique = name
        while unique in taken:
            unique, number = f"{name}-{number}", number + 1
        taken.add(unique)
        yield unique, spec
