"""The runs that are compared: which there are, what they are called, and what each differs in."""

from pathlib import Path

import pytest

from engine.formats.scenario_toml import loads
from engine.scenario import Scenario
from tui.session.definitions import ComparisonRequest, contestants_of

TEXT = """
name = "two queues"
duration = "10m"
scheduler = "fair-2.7"
[cluster]
groups = [{ count = 2, prefix = "n", memory = "8g", vcores = 8 }]
[[queues]]
name = "a"
weight = 3
[[queues]]
name = "b"
"""
MEMORY = "yarn.scheduler.minimum-allocation-mb"


def scenario(scheduler: str = "fair-2.7") -> Scenario:
    return loads(TEXT.replace("fair-2.7", scheduler), "x")


def properties(**values: str) -> str:
    rows = "".join(f"<property><name>{key}</name><value>{value}</value></property>" for key, value in values.items())
    return f"<configuration>{rows}</configuration>"


@pytest.mark.parametrize(
    ("words", "policy", "value"),
    [
        (f"{MEMORY}=512", "fair-2.7", "512"),
        (f"fair-3.4,{MEMORY}=512", "fair-3.4", "512"),
        (f" fair-3.4 ,{MEMORY}=512", "fair-3.4", "512"),
    ],
)
def test_settings_are_set_on_top_of_a_policy(words: str, policy: str, value: str) -> None:
    _, other = contestants_of(scenario(), ComparisonRequest([words]))

    assert (other.name, other.scenario.scheduler, other.scenario.settings) == (words, policy, {MEMORY: value})


@pytest.mark.parametrize(
    ("values", "era", "policy"),
    [
        ({"yarn.scheduler.capacity.root.queues": "a", "yarn.scheduler.capacity.root.a.capacity": "100"}, "2.7",
         "capacity-2.7"),
        ({"yarn.scheduler.capacity.root.queues": "a", "yarn.scheduler.capacity.root.a.capacity": "100"}, "3.4",
         "capacity-3.4"),
        ({MEMORY: "512"}, "2.7", "fair-2.7"),
        ({"yarn.resourcemanager.scheduler.class": "org.apache.x.FifoScheduler"}, "2.7", "fifo"),
        ({"yarn.resourcemanager.scheduler.class": " org.apache.x.FairScheduler "}, "3.4", "fair-3.4"),
        ({"yarn.resourcemanager.scheduler.class": "FairScheduler"}, "2.7", "fair-2.7"),
    ],
)  # fmt: skip
def test_a_configuration_says_which_policy_it_is_for(
    values: dict[str, str], era: str, policy: str, tmp_path: Path
) -> None:
    """By its class, else by the queues it configures, else it is the scenario's; in the scenario's release."""
    path = tmp_path / "yarn-site.xml"
    path.write_text(properties(**values))
    _, other = contestants_of(scenario(f"fair-{era}"), ComparisonRequest(configs=[path]))

    assert other.scenario.scheduler == policy
    assert {key: other.scenario.settings.get(key) for key in values} == values


def test_what_a_configuration_of_another_policy_takes_over_is_told(tmp_path: Path) -> None:
    site = tmp_path / "site.xml"
    told = []
    for policy in ("FifoScheduler", "FairScheduler"):
        site.write_text(properties(**{"yarn.resourcemanager.scheduler.class": policy}))
        _, other = contestants_of(scenario(), ComparisonRequest(configs=[site]))
        told.append((other.scenario.scheduler, other.mapped, other.dropped))

    assert told[1] == ("fair-2.7", (), ())
    assert told[0][0] == "fifo"
    text = properties(**{"yarn.scheduler.capacity.root.queues": "b", "yarn.scheduler.capacity.root.b.capacity": "100"})
    site.write_text(text)
    _, capacity = contestants_of(scenario(), ComparisonRequest(configs=[site]))
    _, named = contestants_of(scenario(), ComparisonRequest(["capacity-2.7"]))
    assert capacity.mapped == named.mapped != ()


def test_queues_of_a_configuration_replace_those_of_the_scenario(tmp_path: Path) -> None:
    """Settings of CapacityScheduler that it does not name do not stay; without queues in it they do."""
    prefix = "yarn.scheduler.capacity.root"
    text = TEXT.partition("[[queues]]")[0].replace("fair-2.7", "capacity-2.7")
    base = loads(f'{text}[settings]\n"{prefix}.queues" = "a"\n"{prefix}.a.capacity" = "100"\n"{MEMORY}" = "512"\n', "x")
    path = tmp_path / "site.xml"
    path.write_text(properties(**{f"{prefix}.queues": "b", f"{prefix}.b.capacity": "100", "io.x": "1"}))
    _, queues = contestants_of(base, ComparisonRequest(configs=[path]))
    path.write_text(properties(**{MEMORY: "256"}))
    _, site = contestants_of(base, ComparisonRequest(configs=[path]))

    assert dict(queues.scenario.settings) == {f"{prefix}.queues": "b", f"{prefix}.b.capacity": "100", MEMORY: "512"}
    assert dict(site.scenario.settings) == {f"{prefix}.queues": "a", f"{prefix}.a.capacity": "100", MEMORY: "256"}
