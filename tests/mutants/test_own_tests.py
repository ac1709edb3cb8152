"""Which tests are a package's own."""

import pytest

from tests.mutants.__main__ import ROOT, own_tests, packages


@pytest.mark.parametrize("package", packages())
def test_every_package_has_tests_of_its_own(package: str) -> None:
    """They stand in the folder of its name below `tests`."""
    assert f"{ROOT}/tests/{package}" in own_tests([package])


def test_the_tests_of_a_file_are_those_of_its_package_and_what_is_named_beside() -> None:
    """Recorded decisions are tests of the schedulers; two files of one package have its tests once."""
    places = ["engine/schedulers/fifo.py", "engine/schedulers/fair27"]

    assert own_tests(places) == [f"{ROOT}/tests/engine/schedulers", f"{ROOT}/tests/oracle"]


def test_keys_of_the_whole_app_are_tests_of_its_screens() -> None:
    """A session has none of these."""
    assert f"{ROOT}/tests/tui/test_help.py" in own_tests(["tui/screens"])
    assert own_tests(["tui/session"]) == [f"{ROOT}/tests/tui/session"]
