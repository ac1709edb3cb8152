"""Draws combinations by Latin hypercube. Needs scipy, so that only a sample loads this module."""

from collections.abc import Sequence

from scipy.stats import qmc

from engine.sweep.spec import Axis, Point, numbered


def sampled(axes: Sequence[Axis], count: int, seeds: Sequence[int]) -> list[Point]:
    """Some combinations, each with every seed; one that comes twice counts once.

    Source: `scipy.stats.qmc.LatinHypercube`.
    """
    rows = qmc.LatinHypercube(d=len(axes), rng=0).random(n=count)
    places = {tuple(int(part * len(axis.values)) for axis, part in zip(axes, row, strict=True)) for row in rows}
    combinations = [
        {axis.key: axis.values[place] for axis, place in zip(axes, each, strict=True)} for each in sorted(places)
    ]
    return numbered(combinations, seeds)
