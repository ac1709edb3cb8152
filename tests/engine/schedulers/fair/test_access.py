"""Access lists of queues in both releases of the fair scheduler, which ask them whatever `yarn.acl.enable` says."""

import pytest

from engine.control_plane.protocol import ApplicationSubmitted
from tests.build import START_MS, resource_manager

RELEASES = pytest.mark.parametrize("policy", ["fair-2.7", "fair-3.4"])
SWITCH = pytest.mark.parametrize("settings", [{}, {"yarn.acl.enable": "false"}], ids=["unset", "off"])
CLOSED = "<aclSubmitApps> </aclSubmitApps><aclAdministerApps> </aclAdministerApps>"


def _rejected(policy: str, settings: dict[str, str], queues: str) -> str:
    rm = resource_manager(policy, settings=settings, queues=queues)
    return rm.handle(ApplicationSubmitted("ann", "root.q"), START_MS).rejected


@RELEASES
@SWITCH
def test_a_closed_queue_below_a_closed_root_rejects(policy: str, settings: dict[str, str]) -> None:
    queues = f'<queue name="root">{CLOSED}<queue name="q">{CLOSED}</queue></queue>'

    assert _rejected(policy, settings, queues) == "APP_REJECTED"


@RELEASES
@SWITCH
def test_a_closed_queue_below_an_open_root_accepts(policy: str, settings: dict[str, str]) -> None:
    """A right on a queue holds for all below, and root is open where the file does not say otherwise."""
    assert _rejected(policy, settings, f'<queue name="q">{CLOSED}</queue>') == ""


@RELEASES
@SWITCH
@pytest.mark.parametrize("right", ["aclSubmitApps", "aclAdministerApps"])
def test_either_right_lets_an_application_in(policy: str, settings: dict[str, str], right: str) -> None:
    own = f"{CLOSED}<{right}>ann</{right}>"
    queues = f'<queue name="root">{CLOSED}<queue name="q">{own}</queue></queue>'

    assert _rejected(policy, settings, queues) == ""
