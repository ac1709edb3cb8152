"""Java's random numbers, recorded of java.util.Random (JDK 17) and Commons Math 3.6.1."""

import pytest

from engine.model.java_random import JavaRandom, Well19937c


def test_numbers_of_a_seed_are_those_of_java() -> None:
    """Longs, doubles and whole numbers below a bound: a power of two, another, and one that draws again."""
    random = JavaRandom(-42)

    assert random.next_long() == 5028867820122015268
    assert random.next_double() == 0.06094973837072859
    assert [random.next_int(bound) for bound in (16, 10)] == [4, 2]
    assert [random.next_int(2**30 + 1) for _ in range(3)] == [736493986, 392995081, 466405580]


def test_a_seed_may_be_set_again() -> None:
    """What follows is that of the seed; signed and unsigned ones of 64 bits are the same."""
    random = JavaRandom(1)
    random.set_seed(2**64 - 42)

    assert random.next_long() == JavaRandom(-42).next_long()


def test_gaussians_are_those_of_commons_math() -> None:
    """The first ones, and those after the state has been gone through several times."""
    well = Well19937c(2**64 - 42)

    drawn = [well.next_gaussian() for _ in range(1000)]

    assert drawn[:3] == pytest.approx([-0.3733758411010926, -1.5230300017418725, -1.392905139819089], abs=1e-15)
    assert drawn[-2:] == pytest.approx([-0.4590184205396259, -1.5071934644261502], abs=1e-15)
