"""A drill that plays in a fraction of a second: two notebooks hold all the room of application masters."""

from engine.formats.scenario_overrides import parse
from engine.training.drill import DrillScenario, drill_of

TEXT = """
title = "Notebooks"
start = 2024-03-04T09:00:00Z
duration = "20m"
scheduler = "capacity-2.7"

[cluster]
nodes = [
  {host = "n1", memory = "8g", vcores = 8},
  {host = "n2", memory = "8g", vcores = 8},
]

[settings]
"yarn.scheduler.capacity.root.queues" = "default"
"yarn.scheduler.capacity.root.default.capacity" = "100"

[[workload]]
type = "service"
name = "notebook"
user = "ann"
queue = "default"
instances = 1
instance = {memory = "1g"}
repeat = {times = 3, every = 10}

[drill]
brief = "The third notebook stays ACCEPTED."
task = ["get it started"]
begins = "09:05"
lasts = "5m"
minutes = 5
difficulty = "first shift"
teaches = "the limit on application masters"
hints = ["Look at `Queues`.", "Raise maximum-am-resource-percent of `root.default`."]
debrief = "A tenth of the queue is room for two masters."
goals = [{about = "all run", of = "applications", state = "RUNNING", what = "count", at_least = 3}]
questions = [{asks = "cause", text = "What is it?", answers = ["masters"], choices = ["masters", "nodes", "users"]}]
reference = [
  {at = 10, do = "answer", question = "fault", answer = ["yes"]},
  {at = 20, do = "answer", question = "cause", answer = ["masters"]},
  {at = 30, do = "queue-setting", queue = "root.default", key = "maximum-am-resource-percent", value = "0.9"},
]

[[drill.clues]]
pane = "Queues"
about = "one waits"
shown = {of = "applications", state = "ACCEPTED", what = "count", at_least = 1}
"""


def small_drill(old: str = "", new: str = "") -> DrillScenario:
    """The drill, with one text of its file replaced by another."""
    assert old in TEXT
    return drill_of(parse(TEXT.replace(old, new, 1) if old else TEXT, "small.toml"))
