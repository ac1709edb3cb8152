"""The reservation rule: strict as in 2.7.2, limited as in 3.x, off."""

from engine.control_plane.protocol import SettingsChanged
from engine.control_plane.resource_manager import ResourceManager
from tests.build import START_MS, ask, heartbeat, resource_manager, submit, update


def _with_a_large_ask(rule: str, nodes: int = 10) -> ResourceManager:
    rm = resource_manager(nodes=nodes, memory_mb=8192)
    rm.handle(SettingsChanged({"reservation.rule": rule, "reservation.ratio": "0.2"}), START_MS)
    filler = submit(rm, "root.filler")
    ask(rm, filler, nodes, 3072)
    update(rm)
    for node in range(1, nodes + 1):
        heartbeat(rm, node)
    ask(rm, submit(rm, "root.large"), 1, 8192)
    update(rm)
    return rm


def _round(rm: ResourceManager) -> int:
    for node in range(1, len(rm.cluster.nodes) + 1):
        heartbeat(rm, node)
    return sum(node.reserved is not None for node in rm.cluster.nodes.values())


def test_under_strict_one_application_may_hold_every_node() -> None:
    assert _round(_with_a_large_ask("strict")) == 10


def test_under_limited_it_holds_its_part_of_the_nodes() -> None:
    assert _round(_with_a_large_ask("limited")) == 2
    assert _round(_with_a_large_ask("limited", nodes=4)) == 1


def test_under_off_nothing_is_held() -> None:
    rm = _with_a_large_ask("off")

    assert _round(rm) == 0
    assert all(one.attempt.last_container_number <= 10 for one in rm.cluster.applications.values() if one.attempt)


def test_switching_to_off_drops_reservations_within_a_round() -> None:
    rm = _with_a_large_ask("strict")
    _round(rm)

    rm.handle(SettingsChanged({"reservation.rule": "off"}), START_MS)

    assert _round(rm) == 0


def test_switching_to_limited_drops_those_above_the_limit() -> None:
    rm = _with_a_large_ask("strict")
    _round(rm)

    rm.handle(SettingsChanged({"reservation.rule": "limited"}), START_MS)

    assert [_round(rm), _round(rm)] == [2, 2]
