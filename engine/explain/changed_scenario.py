"""Writes changes into a scenario, as if they had stood there from the start."""

import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from engine.explain.change import Change
from engine.scenario import Scenario
from engine.scenario.applications import ApplicationSpec

_QUEUES: Final = ("queue", "pool")

_SIZES: Final[Mapping[str, str]] = {
    "mapreduce": "map",
    "spark": "executor",
    "tez": "container",
    "service": "instance",
}
"""Type of application → the field with the size of what it works in."""


def changed(scenario: Scenario, changes: Sequence[Change]) -> Scenario:
    """The scenario with some changes."""
    for change in changes:
        scenario = _WRITERS.get(change.where, _in_a_file)(scenario, change)
    return scenario


def _in_a_file(scenario: Scenario, change: Change) -> Scenario:
    if change.has_xml_file:
        text = scenario.allocations_xml() or "<allocations/>"
        update = {"allocations": _with_element(text, change), "queues": (), "queue_defaults": {}}
        return scenario.model_copy(update=update)
    return scenario.model_copy(update={"settings": {**scenario.settings, change.property: change.value}})


def _with_element(text: str, change: Change) -> str:
    """An allocation file with one element set.

    The text was read by the product's own reader before, which refuses entities.
    """
    top = ET.fromstring(text)
    tag = "pool" if change.scheduler == "mr1-fair" else "queue"
    if change.where == "root":
        at = top
    elif change.where == "user":
        at = _named(top, "user", change.place.path)
    else:
        at = _queue(top, tag, change.place.path.split("."))
    for old in at.findall(change.key):
        at.remove(old)
    ET.SubElement(at, change.key).text = change.value
    return ET.tostring(top, encoding="unicode")


def _named(above: ET.Element, tag: str, name: str) -> ET.Element:
    """The element of a name below another one, made where there is none."""
    found = next((each for each in above if each.tag == tag and each.get("name") == name), None)
    return ET.SubElement(above, tag, name=name) if found is None else found


def _queue(top: ET.Element, tag: str, names: list[str]) -> ET.Element:
    """The element of a queue; where none is called root, root's queues stand at the top."""
    root = next((each for each in top if each.tag in _QUEUES and each.get("name") == "root"), None)
    if names == ["root"]:
        return _root(top, tag) if root is None else root
    at = top if root is None else root
    names = names[1:] if names[0] == "root" else names
    for depth, name in enumerate(names):
        whole = ".".join(names[: depth + 1])
        known = {name, f"root.{name}"} if depth == 0 else {name}
        child = next((each for each in at if each.tag in _QUEUES and each.get("name", "").strip() in known), None)
        if child is None:  # it may be written at the top by its whole path
            child = next(
                (e for e in top.iter() if e.tag in _QUEUES and e.get("name") in (whole, f"root.{whole}")), None
            )
        at = ET.SubElement(at, tag, name=name) if child is None else child
    return at


def _root(top: ET.Element, tag: str) -> ET.Element:
    """An element for root around the queues at the top."""
    queues = [each for each in top if each.tag in _QUEUES]
    root = ET.SubElement(top, tag, name="root")
    for each in queues:
        top.remove(each)
        root.append(each)
    return root


def _nodes(scenario: Scenario, change: Change) -> Scenario:
    field = "memory_mb" if change.key == "memory" else "vcores"
    nodes = tuple(
        node.model_copy(update={field: max(getattr(node, field), int(change.value))})
        for node in scenario.cluster.all_nodes()
    )
    cluster = scenario.cluster.model_copy(update={"nodes": nodes, "groups": ()})
    return scenario.model_copy(update={"cluster": cluster})


def _release(scenario: Scenario, change: Change) -> Scenario:
    return scenario.model_copy(update={"scheduler": change.value})


def _application(scenario: Scenario, change: Change) -> Scenario:
    index = change.place.spec
    spec = scenario.workload[index]
    update = _FIELDS.get(change.key, _plain)(spec, change)
    workload = (*scenario.workload[:index], spec.model_copy(update=update), *scenario.workload[index + 1 :])
    return scenario.model_copy(update={"workload": workload})


def _plain(spec: ApplicationSpec, change: Change) -> dict[str, Any]:
    if change.key == "queue":
        return {"queue": change.value}
    return {change.key: float(change.value) if change.key == "slow_start" else int(change.value)}


def _size(spec: ApplicationSpec, change: Change) -> dict[str, Any]:
    """The memory or vcores of what an application works in; of a scripted one of its larger asks."""
    field, value = ("memory_mb" if change.key == "container" else "vcores"), int(change.value)
    if spec.type == "spark-standalone":
        return {"executor_memory_mb" if change.key == "container" else "executor_cores": value}
    if spec.type == "scripted":
        asks = (each.model_copy(update={field: min(getattr(each, field), value)}) for each in spec.asks)
        return {"asks": tuple(asks)}
    own = _SIZES[spec.type]
    found = {own: getattr(spec, own).model_copy(update={field: value})}
    if spec.type == "mapreduce" and getattr(spec.reduce, field) > value:
        found["reduce"] = spec.reduce.model_copy(update={field: value})
    return found


def _master(spec: ApplicationSpec, change: Change) -> dict[str, Any]:
    own = "driver" if change.key == "driver" else "am"
    return {own: getattr(spec, own).model_copy(update={"memory_mb": int(change.value)})}


def _asks(spec: ApplicationSpec, change: Change) -> dict[str, Any]:
    freed: dict[str, Any] = {"relax": True} if change.key == "relax" else {"relax": True, "hosts": (), "racks": ()}
    return {"asks": tuple(each.model_copy(update=freed) for each in getattr(spec, "asks", ()))}


def _most(spec: ApplicationSpec, change: Change) -> dict[str, Any]:
    dynamic = getattr(spec, "dynamic", None)
    assert dynamic is not None, "it is varied only where there is one"
    most = int(change.value)
    update = {"most": most, "initial": min(dynamic.initial, most), "least": min(dynamic.least, most)}
    return {"dynamic": dynamic.model_copy(update=update)}


_FIELDS: Final[Mapping[str, Callable[[ApplicationSpec, Change], dict[str, Any]]]] = {
    "container": _size,
    "cores": _size,
    "master": _master,
    "driver": _master,
    "relax": _asks,
    "hosts": _asks,
    "dynamic.most": _most,
}
"""Field of an application → its new values, where it is more than one number."""

_WRITERS: Final[Mapping[str, Callable[[Scenario, Change], Scenario]]] = {
    "nodes": _nodes,
    "release": _release,
    "own": _application,
    "holder": _application,
}
"""Where → how it is written, where it is neither a property nor an element."""


def size_of(spec: ApplicationSpec) -> tuple[int, int]:
    """Memory [MB] and vcores of what an application works in, the largest of each; 0 for what it does not state."""
    if spec.type == "spark-standalone":
        return spec.executor_memory_mb, spec.executor_cores or 0
    if spec.type == "scripted":
        return max((a.memory_mb for a in spec.asks), default=0), max((a.vcores for a in spec.asks), default=0)
    if spec.type == "mapreduce":
        sizes = [spec.map, spec.reduce] if spec.reduces else [spec.map]
    else:
        sizes = [getattr(spec, _SIZES[spec.type])]
    return max(each.memory_mb for each in sizes), max(each.vcores for each in sizes)
