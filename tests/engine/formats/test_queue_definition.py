"""A queue as its element: what the file states, what was changed since, and what it takes from elsewhere."""

import pytest

from engine.formats.fair_files import read_fair_scheduler
from engine.formats.fair_listing import CHANGED, queue_definition
from engine.schedulers.fair.queue_settings import with_queue_setting
from engine.schedulers.fair.settings import FairAllocation

FILE = """<allocations>
  <defaultFairSharePreemptionTimeout>90</defaultFairSharePreemptionTimeout>
  <queue name="etl">
    <weight>3</weight>
    <minResources>1024 mb, 2 vcores</minResources>
    <minSharePreemptionTimeout>30</minSharePreemptionTimeout>
    <aclSubmitApps>ann,bob ops</aclSubmitApps>
    <queue name="daily"><maxResources>4096 mb, 4 vcores</maxResources></queue>
  </queue>
</allocations>
"""


def _where(scope: str, name: str, line: int) -> str:
    return f"line {line}"


def _element(path: str, live: FairAllocation | None = None, *, parent: bool = False, era: str = "2.7") -> str:
    loaded = read_fair_scheduler(FILE, era=era)
    return "\n".join(queue_definition(path, live or loaded.allocation, loaded, _where, parent=parent))


@pytest.mark.parametrize("era", ["2.7", "3.4"])
@pytest.mark.parametrize("path", ["root.etl", "root.etl.daily"])
def test_an_element_says_what_the_file_says(path: str, era: str) -> None:
    """Read again, in a file of its own, it gives the queue the same settings."""
    element = _element(path, parent=path == "root.etl", era=era)
    name = path.rpartition(".")[2]
    again = read_fair_scheduler(f"<allocations>{element}</allocations>", era=era).allocation
    before = read_fair_scheduler(FILE, era=era).allocation

    assert _settings(again, f"root.{name}") == _settings(before, path)


def _settings(allocation: FairAllocation, path: str) -> tuple[object, ...]:
    kept = (allocation.min_share_timeouts_ms, allocation.max_am_shares, allocation.policies)
    limits = (allocation.weight(path), allocation.min_share(path), allocation.max_share(path))
    return (*limits, str(allocation.acl(path, "SUBMIT_APPLICATIONS")), *(values.get(path) for values in kept))


@pytest.mark.parametrize(
    ("name", "value", "element"),
    [
        ("weight", "2.5", "<weight>2.5</weight>"),
        ("maxResources", "8192 mb, 8 vcores", "<maxResources>8192 mb, 8 vcores</maxResources>"),
        ("maxRunningApps", "7", "<maxRunningApps>7</maxRunningApps>"),
        ("fairSharePreemptionTimeout", "20", "<fairSharePreemptionTimeout>20</fairSharePreemptionTimeout>"),
        ("schedulingPolicy", "drf", "<schedulingPolicy>drf</schedulingPolicy>"),
    ],
)
def test_what_an_operator_set_is_the_queues_own(name: str, value: str, element: str) -> None:
    """The value in force stands in an element, and its origin says that no file has it."""
    live = with_queue_setting(read_fair_scheduler(FILE).allocation, "root.etl.daily", name, value)
    line = next(line for line in _element("root.etl.daily", live).splitlines() if element in line)

    assert line.partition("<!-- ")[2] == f"{CHANGED} -->"


def test_what_the_file_states_stands_beside_its_lines() -> None:
    """In a column of 76 characters at most; a list that keeps nobody out is said to stand where it does."""
    assert _element("root.etl", parent=True).splitlines()[:5] == [
        '<queue name="etl" type="parent">',
        "  <weight>3</weight>                                         <!-- line 4 -->",
        "  <minResources>1024 mb, 2 vcores</minResources>             <!-- line 5 -->",
        "  <minSharePreemptionTimeout>30</minSharePreemptionTimeout>  <!-- line 6 -->",
        "  <aclSubmitApps>ann,bob ops</aclSubmitApps>                 <!-- line 7 -->",
    ]
