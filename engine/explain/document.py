"""An answer as a document of plain values, for `--json` and whoever else reads it.

Schema 1. Instants are ISO 8601 with ms and the scenario's offset; amounts are MB and vcores (of Spark: cores);
applications and containers carry their real ids (executors `app-…/3`); what is not there is null or empty.

- `schema`, `at`, `application` {`id`, `number`, `name`, `user`, `queue`, `state`, `waiting_since`, `asks` [{`priority`,
  `count`, `size`, `places`, `relax_locality`, `verdict`, `expected_start` of that ask alone; both null while unknown}]}
- `verdict`: `waiting`, `later` (not within the 24 hours looked ahead), `starving`, `deadlocked`, `blocked`,
  `impossible`; or `none` (asks for nothing, or ends without what it still asks for: `proof.over` says when), `ended`,
  `refused`, `unknown`; of several asks that of the one that fares worst, as is everything below
- `pattern`: a name of `yarn_patterns.NAMES`, or empty
- `reasons`, the first reason first: [{`code`, `sentence`, `level`, `state`, `diagnostic`, `count`, `of`, `nodes`,
  `subject`, `numbers` {name: number}, `decided_by` {`key`, `value`} or null, `certainty`}]; `code` is a name of
  `schedulers.activity.Reason`, or of Spark's Master also `WAITS_FOR_EVENT`, `NODE_DEAD`, `NODE_DECOMMISSIONED`,
  `NO_WORKER`, `MAXIMUM_TOO_SMALL`
- `facts`: what the scheduler itself last reported [{`node`, `code`, `numbers`}]; empty without a recorder
- `expected_start`: when the closed world gives it something; null when never
- `holders`: [{`application`, `name`, `queue`, `because`, `memory_mb`, `vcores`, `containers`, `nodes`,
  `reservations`, `waits`, `until`}] where `until` is an instant, `never`, or `later` than the expected start
- `proof`: {`from`, `looked_until`, `allocations`, `last_allocation`, `still`, `cycle` [{`application`, `waits_for`,
  `because`, `node`}], `for_ever` [application], `passed_by` [{`at`, `application`, `node`, `memory_mb`}], `bound`
  [reason], `over`} or null
- `not_counted`: nodes that the scenario has come back later, which the closed world leaves out [{`node`, `returns`}]
- `request`: {`priority`, `reasons` of that request alone, as above} when one was asked about, or null
- `point_of_no_return`: as `point_of_no_return.Rescue` tells it, or null
- `would_help`: as `remedy_document` writes it; null when nothing was tried
- `aftermath`: on screen, what follows the remedy tried last {`number`, `remedy`, and as `aftermath_document` writes it}

Who waits at a place is written as `schema`, `at`, `queue` or `node`, `waiting` [{`application`, `name`, `queue`,
`waiting_since`, `pending`, `reasons`, and on the command line of the first `verdict`, `pattern`, `expected_start` and
`proof`}].
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any, Final

from engine.control_plane.cluster_view import ClusterView
from engine.explain.aftermath import Aftermath
from engine.explain.aftermath_document import aftermath_document
from engine.explain.obstacle_rows import ObstacleRow
from engine.explain.point_of_no_return import PointOfNoReturn
from engine.explain.remedy_document import remedies_document
from engine.explain.remedy_search import Remedies
from engine.explain.verdict import Proof, Verdict
from engine.explain.waits import Waiter
from engine.explain.why import SCHEMA, Holder, Why

CONTAINERS: Final = 20
"""How many containers of one holder are named."""

Clock = Callable[[int | None], str | None]
"""Epoch ms → how it is written; None stays None."""


class Written:
    """Writes instants as ISO 8601 with ms and the offset of a place."""

    def __init__(self, zone: tzinfo | None) -> None:
        """Write for a place; None is this machine's."""
        self._zone = zone

    def __call__(self, time_ms: int | None) -> str | None:
        """The instant; None stays None."""
        if time_ms is None:
            return None
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=time_ms)
        return moment.astimezone(self._zone).isoformat(timespec="milliseconds")


class Document:
    """Writes answers; knows how ids and instants are written."""

    def __init__(self, view: ClusterView, clock: Clock) -> None:
        """Set them.

        Args:
            view: Knows the ids.
            clock: Writes an instant.
        """
        self._view = view
        self._id = view.application_id
        self._container = view.container_id
        self._clock = clock

    def instant(self, time_ms: int) -> str | None:
        """An instant, written."""
        return self._clock(time_ms)

    def why(
        self,
        why: Why,
        turning: PointOfNoReturn | None = None,
        request: tuple[int, tuple[ObstacleRow, ...]] | None = None,
    ) -> dict[str, Any]:
        """The answer about an application, and about its request of one priority when that was asked too."""
        found = why.found
        return {
            "schema": SCHEMA,
            "at": self._clock(why.time_ms),
            "application": self._application(why),
            "verdict": why.verdict,
            "pattern": why.pattern,
            "reasons": [self.obstacle(row) for row in why.obstacles],
            "facts": [
                {"node": fact.node, "code": fact.reason.name, "numbers": list(fact.numbers)} for fact in why.facts
            ],
            "expected_start": self._clock(why.expected_start_ms),
            "holders": [self._holder(holder) for holder in why.holders],
            "proof": self._proof(found.proof) if found is not None else None,
            "not_counted": [{"node": each.node, "returns": self._clock(each.time_ms)} for each in why.not_counted],
            "request": {"priority": request[0], "reasons": [self.obstacle(row) for row in request[1]]}
            if request
            else None,
            "point_of_no_return": self.turning(turning) if turning is not None else None,
            "would_help": None,
        }

    def verdict(self, why: Why) -> dict[str, Any]:
        """Only the verdict on an application, for lists of those who wait."""
        proof = why.found.proof if why.found is not None else None
        return {
            "verdict": why.verdict,
            "pattern": why.pattern,
            "expected_start": self._clock(why.expected_start_ms),
            "proof": self._proof(proof) if proof is not None else None,
        }

    def place(self, time_ms: int, kind: str, name: str, waiters: Iterable[Waiter]) -> dict[str, Any]:
        """Who waits at a place; `kind` is `queue` or `node`."""
        waiting = [self.waiter(waiter) for waiter in waiters]
        return {"schema": SCHEMA, "at": self._clock(time_ms), kind: name, "waiting": waiting}

    def remedies(self, found: Remedies) -> dict[str, Any]:
        """What is known of what would help."""
        return remedies_document(found, self._view, self._clock)

    def aftermath(self, sentence: str, after: Aftermath, allocated: Sequence[int] = ()) -> dict[str, Any]:
        """What follows a remedy or an act; `allocated` [epoch ms] is when containers were allocated before it."""
        return {"remedy": sentence, **aftermath_document(after, allocated, self._view, self._clock)}

    def waiter(self, waiter: Waiter) -> dict[str, Any]:
        """Somebody who waits in a queue or for a node."""
        return {
            "application": self._id(waiter.application),
            "name": waiter.name,
            "queue": waiter.queue,
            "waiting_since": self._clock(waiter.since_ms),
            "pending": waiter.pending,
            "reasons": [self.obstacle(row) for row in waiter.obstacles],
        }

    def obstacle(self, row: ObstacleRow) -> dict[str, Any]:
        """One obstacle."""
        return {
            "code": row.code,
            "sentence": row.sentence,
            "level": row.level,
            "state": row.state,
            "diagnostic": row.diagnostic,
            "count": row.count,
            "of": row.of,
            "nodes": list(row.nodes),
            "subject": row.subject,
            "numbers": row.numbers,
            "decided_by": row.decided_by._asdict() if row.decided_by is not None else None,
            "certainty": row.certainty,
        }

    def _application(self, why: Why) -> dict[str, Any]:
        row = why.row
        if row is None:
            return {"id": self._id(why.number), "number": why.number}
        asks = row.asks if isinstance(row.asks, tuple) else ()
        verdicts = {found.priority: found for found in why.asks}
        return {
            "id": row.id,
            "number": row.number,
            "name": row.name,
            "user": row.user,
            "queue": row.queue,
            "state": row.state,
            "waiting_since": self._clock(row.waiting_since_ms),
            "asks": [
                {
                    "priority": ask.priority,
                    "count": ask.count,
                    "size": list(ask.size),
                    "places": list(ask.places),
                    "relax_locality": ask.relax_locality,
                    **self._ask_verdict(verdicts.get(ask.priority) or verdicts.get(None)),
                }
                for ask in asks
            ],
            "diagnostics": row.diagnostics,
        }

    def _ask_verdict(self, found: Verdict | None) -> dict[str, Any]:
        if found is None:
            return {"verdict": None, "expected_start": None}
        return {"verdict": found.verdict, "expected_start": self._clock(found.expected_start_ms)}

    def _holder(self, holder: Holder) -> dict[str, Any]:
        hold = holder.hold
        until = "never" if holder.never else self._clock(holder.until_ms) or "later"
        return {
            "application": self._id(hold.application),
            "name": holder.name,
            "queue": holder.queue,
            "because": hold.because.name,
            "memory_mb": hold.memory_mb,
            "vcores": hold.vcores,
            "containers": [self._container(one) for one in hold.containers[:CONTAINERS]],
            "container_count": len(hold.containers),
            "nodes": list(hold.nodes),
            "reservations": list(hold.reservations),
            "waits": holder.waits,
            "until": until,
        }

    def _proof(self, proof: Proof) -> dict[str, Any]:
        return {
            "from": self._clock(proof.from_ms),
            "looked_until": self._clock(proof.looked_until_ms),
            "allocations": proof.allocations,
            "last_allocation": self._clock(proof.last_allocation_ms),
            "still": proof.still,
            "cycle": [
                {
                    "application": self._id(step.application),
                    "waits_for": self._id(step.holder),
                    "because": step.because.name,
                    "node": step.node,
                }
                for step in proof.cycle
            ],
            "for_ever": [self._id(number) for number in proof.ends],
            "passed_by": [
                {
                    "at": self._clock(each.time_ms),
                    "application": self._id(each.application),
                    "node": each.node,
                    "memory_mb": each.memory_mb,
                }
                for each in proof.passed_by
            ],
            "bound": [self.obstacle(row) for row in proof.bound],
            "over": self._clock(proof.over_ms),
        }

    def turning(self, turning: PointOfNoReturn) -> dict[str, Any]:
        """The way back that there was."""
        return {
            "formed": self._clock(turning.formed_ms),
            "inevitable": self._clock(turning.inevitable_ms),
            "latest": self._clock(turning.latest_ms),
            "remedies": [
                {
                    "remedy": rescue.sentence,
                    "latest": self._clock(rescue.latest_ms),
                    "still_helps": rescue.still_helps,
                }
                for rescue in turning.rescues
            ],
        }
