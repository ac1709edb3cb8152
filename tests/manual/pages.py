"""The files that are written of the program, and their texts."""

import json
from collections.abc import Callable, Mapping
from typing import Final

from engine.formats.file_schema import file_schema
from engine.scenario import Scenario
from engine.training.drill import drill_model
from tests.manual.commands_page import commands_page, man_page
from tests.manual.completion_index import completion_index
from tests.manual.differences_page import differences_page
from tests.manual.fields_page import drill_page, measures_page, scenario_page
from tests.manual.speed_page import speed_page
from tests.manual.tables_page import badges_page, keys_page, rest_page, settings_page

WRITTEN: Final[Mapping[str, Callable[[], str]]] = {
    "docs/reference/commands.md": commands_page,
    "docs/reference/keys.md": keys_page,
    "docs/reference/scenario.md": scenario_page,
    "docs/reference/drill.md": drill_page,
    "docs/reference/measures.md": measures_page,
    "docs/reference/settings.md": settings_page,
    "docs/reference/badges.md": badges_page,
    "docs/reference/rest.md": rest_page,
    "docs/reference/differences.md": differences_page,
    "docs/explanation/speed.md": speed_page,
    "man/schedlab.1": man_page,
    "tui/cli/completion.json": completion_index,
    "scenarios/schema/scenario-1.schema.json": lambda: _schema(file_schema(Scenario, "scenario")),
    "scenarios/schema/drill-1.schema.json": lambda: _schema(file_schema(drill_model(), "drill")),
}
"""Path from the root → what writes it."""


def _schema(schema: Mapping[str, object]) -> str:
    return json.dumps(schema, indent=1) + "\n"
