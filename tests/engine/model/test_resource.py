"""Arithmetic of amounts."""

from hypothesis import given
from hypothesis import strategies as st

from engine.model.java_values import INT_MAX
from engine.model.request import NONE, UNBOUNDED, Resource

RESOURCES = st.builds(
    Resource,
    st.integers(min_value=-(2**20), max_value=2**31),
    st.integers(min_value=-(2**10), max_value=2**31),
    st.just(()),
)


def test_fitting_asks_for_every_dimension() -> None:
    room = Resource(4096, 4)

    fitting = [Resource(4096, 4).fits_in(room), Resource(4097, 1).fits_in(room), Resource(1, 5).fits_in(room)]

    assert fitting == [True, False, False]


@given(RESOURCES, RESOURCES)
def test_minus_undoes_plus(one: Resource, other: Resource) -> None:
    assert one.plus(other).minus(other) == one


@given(RESOURCES, RESOURCES)
def test_what_fits_leaves_nothing_negative(one: Resource, other: Resource) -> None:
    rest = other.minus(one)

    assert one.fits_in(other) is (rest.memory_mb >= 0 and rest.vcores >= 0)


def test_nothing_fits_everywhere_and_all_fits_in_the_unbounded() -> None:
    assert NONE.fits_in(Resource(0, 0))
    assert Resource(INT_MAX, INT_MAX).fits_in(UNBOUNDED)
    assert not Resource(INT_MAX + 1, 0).fits_in(UNBOUNDED)
