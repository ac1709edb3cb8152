"""The collector of problems."""

import pytest

from engine.errors import ConfigError, Problem
from engine.formats.problems import Problems, nearest


def test_all_problems_are_raised_together() -> None:
    """Nothing is raised until asked for, then everything at once, with the file."""
    problems = Problems("f.xml")
    problems.add("bad", line=3, key="a")
    problems.add("worse", hint="mend it")

    with pytest.raises(ConfigError) as caught:
        problems.check()

    assert caught.value.problems == (Problem("bad", "f.xml", 3, "a"), Problem("worse", "f.xml", hint="mend it"))


def test_warnings_do_not_refuse() -> None:
    """A file with warnings alone passes."""
    problems = Problems("f.xml")
    problems.warn("odd", line=1)

    problems.check()

    assert problems.warnings == [Problem("odd", "f.xml", 1)]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("maxRuningApps", "did you mean maxRunningApps?"),
        ("MAXRUNNINGAPPS", "did you mean maxRunningApps?"),
        ("wieght", "did you mean weight?"),
        ("zzz", ""),
    ],
)
def test_the_nearest_valid_name_is_hinted_at(name: str, hint: str) -> None:
    """Case does not matter; a name like none gets no hint."""
    assert nearest(name, ["weight", "maxRunningApps"]) == hint
