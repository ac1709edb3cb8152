"""Compares policies, releases and settings: the same workload and faults under each, on one clock.

`carried_over` makes the scenario of another policy, `compared` plays them in lockstep and finds where they part,
`partings_of` plays once more up to there and says which rule decided, `measure_rows` puts the figures side by side.
`configurations` compares what two sets of files mean without playing them; `harms` plays a workload under both and
says who is worse off, and which promises of a file that breaks.

A run never sees another one.
"""

from engine.compare.comparison import (
    FAILED,
    KILLED,
    LETTERS,
    REFUSED,
    ApplicationWaits,
    ComparedRun,
    Comparison,
    ComparisonCandidate,
    Loss,
    MeasureRow,
    apart_ms,
    compared,
    is_spark,
    measure_rows,
)
from engine.compare.divergences import Divergence
from engine.compare.policy_conversion import ConvertedScenario, carried_over, set_beside
from engine.compare.reasons import ExplainedDivergence, SideReason, partings_of, snapshots_at

__all__ = [
    "FAILED",
    "KILLED",
    "LETTERS",
    "REFUSED",
    "ApplicationWaits",
    "ComparedRun",
    "Comparison",
    "ComparisonCandidate",
    "ConvertedScenario",
    "Divergence",
    "ExplainedDivergence",
    "Loss",
    "MeasureRow",
    "SideReason",
    "apart_ms",
    "carried_over",
    "compared",
    "is_spark",
    "measure_rows",
    "partings_of",
    "set_beside",
    "snapshots_at",
]
