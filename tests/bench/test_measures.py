"""The measurements that can be asked for by name."""

from tests.bench.measures import NAMES


def test_every_measurement_has_a_name_of_its_own() -> None:
    """What is asked for by name is one thing, screens and questions too."""
    assert len(set(NAMES)) == len(NAMES)
    assert {
        "fair-1000",
        "clock",
        "asking-incident",
        "graphs-1000",
        "screen-200x60",
        "live-10000",
        "mr1-4000",
        "yarn-10000",
    } <= set(NAMES)
