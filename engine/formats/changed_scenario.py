"""A scenario with single keys set on top."""

from collections.abc import Sequence
from copy import deepcopy

from engine.formats.scenario_layers import Layers, Origin
from engine.formats.scenario_overrides import override
from engine.formats.scenario_toml import scenario_of, table_of
from engine.scenario import Scenario


def changed(scenario: Scenario, assignments: Sequence[str]) -> Scenario:
    """A scenario with single keys set on top, as `--set` does.

    Raises:
        ConfigError: A key is unknown, or its value wrong.
    """
    if not assignments:
        return scenario
    layers = Layers(deepcopy(dict(table_of(scenario))), {(): Origin(scenario.name, 0)}, scenario.about, scenario.name)
    return scenario_of(layers, override(layers, assignments))
