"""Java's random numbers, recorded of java.util.Random (JDK 17) and Commons Math 3.6.1."""

import pytest

from engine.model.java_values import JavaRandom, Well19937c


def test_numbers_of_a_seed_are_those_of_java() -> None:
    """Longs, doubles and whole numbers below a bound: a power of two, another, and one that draws again."""
    random = JavaRandom(-42)

    assert random.next_long() == 5028867820122015268
    assert random.next_double() == 0.06094973837072859
    assert [random.next_int(bound) for bound in (16, 10)] == [4, 2]
    assert [random.next_int(2**30 + 1) for _ in range(3)] == [736493986, 392995081, 466405580]


def test_longs_are_those_of_java() -> None:
    random = JavaRandom(7)

    assert [random.next_long() for _ in range(8)] == [
        *(13479018154088150040, 13819740045872401209, 6425179856112732765, 16551841614421182354),
        *(13063562651533298269, 6491681576930330529, 2227187148198412255, 15678129534028410364),
    ]


def test_doubles_are_those_of_java() -> None:
    random = JavaRandom(7)

    assert [random.next_double() for _ in range(6)] == [
        *(0.7306990420600421, 0.7491696031336331, 0.34830970303125697),
        *(0.8972771427421047, 0.7081771577767972, 0.35191477764630685),
    ]


@pytest.mark.parametrize(
    ("bound", "numbers"),
    [
        (1, [0, 0, 0, 0, 0, 0]),
        (2, [1, 1, 1, 0, 0, 0]),
        (3, [1, 2, 0, 1, 1, 1]),
        (7, [3, 5, 4, 2, 5, 6]),
        (2**30, [784582118, 685624582, 804414742, 10339022, 373994690, 526783127]),
        (2**30 + 1, [20678044, 747989380, 1053566254, 755731200, 259278708, 542588911]),
        (2**31 - 1, [1569164236, 1371249164, 1608829485, 20678044, 747989380, 1053566254]),
    ],
)
def test_numbers_below_a_bound_are_those_of_java(bound: int, numbers: list[int]) -> None:
    """Of a power of two the upper bits; what would favour small numbers is drawn again."""
    random = JavaRandom(7)

    assert [random.next_int(bound) for _ in range(6)] == numbers


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
