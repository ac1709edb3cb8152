"""What is known of the remedies at an instant as a document of plain values.

- `schema`, `at`, `for` [application], `looked_until`: how far the world without a remedy was played
- `expected` [{`application`, `priority`, `starts`}]: when those asked about start by themselves, null when not as far
  as was looked; `never`: whether none of them ever does
- `tried`, `of`: how many remedies are decided, and how many there are
- `remedies`, the best first: [{`number`, `kind`, `remedy`, `application`, `step`, `starts` [{`application`, `at`,
  `expected`}], `first`, `last`, `also_start`, `frees` {`memory_mb`, `vcores`, `reservations`}, `loses` {`containers`,
  `seconds`}, `delays` [{`application`, `seconds`, `is_least`}], `harm_s`, `is_least`, `alike` [remedy], `until`}] where
  `step` is the step of a scenario's script that does it; `also_start` how many others start by it as far as was
  played; `is_least` whether no smaller value helps, or whether it was at least that much
- `useless` [remedy], `refused` [{`remedy`, `why`}]
"""

from collections.abc import Callable
from typing import Any, Final

from engine.control_plane.cluster_view import ClusterView
from engine.explain.remedy_search import Remedies
from engine.explain.remedy_trial import ACT_MS, Trial
from engine.scenario.timed_acts import written_act

SCHEMA: Final = 1
"""Version of the form of the document."""

Clock = Callable[[int | None], str | None]


def remedies_document(found: Remedies, view: ClusterView, clock: Clock) -> dict[str, Any]:
    """What is known.

    Args:
        found: Of the search.
        view: Knows the ids.
        clock: Writes an instant; None stays None.
    """
    base = found.base
    return {
        "schema": SCHEMA,
        "at": clock(found.from_ms),
        "for": [view.application_id(number) for number, _ in found.targets],
        "looked_until": clock(base.until_ms),
        "expected": [
            {"application": view.application_id(each[0]), "priority": each[1], "starts": clock(base.starts.get(each))}
            for each in found.targets
        ],
        "never": base.ends and not base.starts,
        "tried": len(found.ranked) + sum(len(each.alike) for each in found.ranked) + found.failed,
        "of": len(found.ranked) + sum(len(each.alike) for each in found.ranked) + found.failed + found.open,
        "remedies": [_trial(place + 1, each, found, view, clock) for place, each in enumerate(found.ranked)],
        "useless": [each.remedy.sentence for each in found.useless],
        "refused": [{"remedy": each.remedy.sentence, "why": each.refused} for each in found.refused],
    }


def _trial(number: int, trial: Trial, found: Remedies, view: ClusterView, clock: Clock) -> dict[str, Any]:
    remedy = trial.remedy
    return {
        "number": number,
        "kind": remedy.kind,
        "remedy": remedy.sentence,
        "application": view.application_id(remedy.application) if remedy.application else None,
        "step": {
            **written_act(remedy.action, view.application_id),
            "at": (found.from_ms + ACT_MS - found.start_ms) / 1000,
        },
        "starts": [
            {
                "application": view.application_id(each.application),
                "at": clock(each.start_ms),
                "expected": clock(each.expected_ms),
            }
            for each in trial.starts
        ],
        "first": clock(trial.starts[0].start_ms),
        "last": clock(trial.starts[-1].start_ms),
        "also_start": trial.also_start,
        "frees": {"memory_mb": trial.frees_mb, "vcores": trial.frees_vcores, "reservations": trial.drops},
        "loses": {"containers": trial.lost_containers, "seconds": trial.lost_ms // 1000},
        "delays": [
            {
                "application": view.application_id(each.application),
                "seconds": each.by_ms // 1000,
                "is_least": each.is_least,
            }
            for each in trial.delays
        ],
        "harm_s": trial.harm_s,
        "is_least": trial.is_least,
        "alike": [each.sentence for each in trial.alike],
        "until": clock(trial.until_ms),
    }
