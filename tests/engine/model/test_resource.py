"""Arithmetic of amounts."""

from hypothesis import given
from hypothesis import strategies as st

from engine.model.request import Resource

RESOURCES = st.builds(
    Resource,
    st.integers(min_value=-(2**20), max_value=2**31),
    st.integers(min_value=-(2**10), max_value=2**31),
    st.just(()),
)


@given(RESOURCES, RESOURCES)
def test_minus_undoes_plus(one: Resource, other: Resource) -> None:
    assert one.plus(other).minus(other) == one


@given(RESOURCES, RESOURCES)
def test_what_fits_leaves_nothing_negative(one: Resource, other: Resource) -> None:
    rest = other.minus(one)

    assert one.fits_in(other) is (rest.memory_mb >= 0 and rest.vcores >= 0)
