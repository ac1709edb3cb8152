"""Arrivals: which user submits what and when, and the application master of each submission."""

from collections.abc import Iterable
from typing import NamedTuple

from engine.control_plane.protocol import ApplicationSubmitted
from engine.model.request import Resource
from engine.scenario import (
    ApplicationSpec,
    MapReduceSpec,
    ScriptedSpec,
    ServiceSpec,
    SparkSpec,
    StandaloneSpec,
    TezSpec,
)
from engine.workload.mapreduce import MapReduceMaster
from engine.workload.master import ApplicationMaster, Topology
from engine.workload.scripted import ScriptedMaster
from engine.workload.services import ServiceMaster, TezMaster
from engine.workload.spark import SparkJobsMaster, SparkOnYarnMaster

TYPE_NAMES = {
    "mapreduce": "MAPREDUCE",
    "spark": "SPARK",
    "tez": "TEZ",
    "service": "YARN",
    "scripted": "YARN",
    "spark-standalone": "SPARK",
}
"""The application type shown, per kind, where the specification names none."""


class Arrival(NamedTuple):
    at_ms: int  # Ms after the scenario's start
    number: int | None  # Application number; None takes the next free one
    spec: ApplicationSpec


def arrivals(workload: Iterable[ApplicationSpec]) -> tuple[Arrival, ...]:
    """All submissions in order of time; those of one instant in the order written."""
    unrolled = [
        Arrival(spec.at_ms + turn * every_ms, None if spec.number is None else spec.number + turn, spec)
        for spec in workload
        for times, every_ms in [(spec.repeat.times, spec.repeat.every_ms) if spec.repeat else (1, 0)]
        for turn in range(times)
    ]
    return tuple(sorted(unrolled, key=lambda arrival: arrival.at_ms))


def application_type(spec: ApplicationSpec) -> str:
    """The type shown: as written, else the usual one of its kind."""
    return spec.application_type or TYPE_NAMES[spec.type]


def submission_of(spec: ApplicationSpec, number: int) -> ApplicationSubmitted:
    """Return the submission that an application's client sends to a ResourceManager, with its number."""
    return ApplicationSubmitted(
        spec.user,
        spec.queue,
        None if spec.am is None else Resource(spec.am.memory_mb, spec.am.vcores),
        number,
        spec.name,
        application_type(spec),
        spec.priority,
        max_attempts=spec.max_attempts,
        tags=spec.tags,
        keeps_containers=isinstance(spec, ServiceSpec) and spec.keep_containers_across_application_attempts,
        failures_validity_ms=spec.attempt_failures_validity_interval_ms,
    )


def master_of(spec: ApplicationSpec, number: int, phase_ms: int, topology: Topology, seed: int) -> ApplicationMaster:
    """The master of an application; chance hangs on `number` and seed, `phase_ms` is one instant of its rhythm."""
    match spec:
        case MapReduceSpec():
            return MapReduceMaster(number, phase_ms, topology, spec, seed)
        case SparkSpec() if spec.jobs or spec.stages:
            return SparkJobsMaster(number, phase_ms, topology, spec, seed)
        case SparkSpec():
            return SparkOnYarnMaster(number, phase_ms, topology, spec, seed)
        case TezSpec():
            return TezMaster(number, phase_ms, topology, spec, seed)
        case ServiceSpec():
            return ServiceMaster(number, phase_ms, topology, spec, seed)
        case ScriptedSpec():
            return ScriptedMaster(number, phase_ms, topology, spec, seed)
        case StandaloneSpec():
            raise ValueError("an application of a Spark Master has a driver, no application master")
