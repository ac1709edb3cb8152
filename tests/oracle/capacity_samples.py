"""capacity-scheduler.xml files written for the tests: each shows a group of properties."""

from collections.abc import Mapping
from typing import Final

PREFIX: Final = "yarn.scheduler.capacity."

SAMPLES: Final[Mapping[str, str]] = {
    "shipped": """
        maximum-applications = 10000
        maximum-am-resource-percent = 0.1
        resource-calculator = org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator
        root.queues = default
        root.default.capacity = 100
        root.default.user-limit-factor = 1
        root.default.maximum-capacity = 100
        root.default.state = RUNNING
        root.default.acl_submit_applications = *
        root.default.acl_administer_queue = *
        root.default.acl_application_max_priority = *
        root.default.maximum-application-lifetime = -1
        root.default.default-application-lifetime = -1
        node-locality-delay = 40
        rack-locality-additional-delay = -1
        queue-mappings =
        queue-mappings-override.enable = false
        per-node-heartbeat.maximum-offswitch-assignments = 1
        application.fail-fast = false
        workflow-priority-mappings =
        workflow-priority-mappings-override.enable = false
    """,
    "nested": """
        resource-calculator = org.apache.hadoop.yarn.util.resource.DominantResourceCalculator
        root.queues = prod, dev
        root.dev.queues = eng,science
        root.prod.capacity = 40
        root.dev.capacity = 60
        root.dev.maximum-capacity = 75
        root.dev.eng.capacity = 50
        root.dev.science.capacity = 50
        root.prod.maximum-am-resource-percent = 0.5
        root.prod.minimum-user-limit-percent = 25
        root.prod.maximum-applications = 40
        root.dev.eng.user-limit-factor = 2
        yarn.scheduler.minimum-allocation-mb = 512
        yarn.scheduler.maximum-allocation-mb = 16384
        root.prod.maximum-allocation-mb = 8192
        root.prod.maximum-allocation-vcores = 2
    """,
    "labels": """
        yarn.node-labels.enabled = true
        root.queues = a,b
        root.accessible-node-labels = gpu,ssd
        root.accessible-node-labels.gpu.capacity = 100
        root.accessible-node-labels.ssd.capacity = 100
        root.a.capacity = 30
        root.b.capacity = 70
        root.a.accessible-node-labels = gpu
        root.a.accessible-node-labels.gpu.capacity = 100
        root.a.accessible-node-labels.gpu.maximum-capacity = 100
        root.a.default-node-label-expression = gpu
        root.a.accessible-node-labels.gpu.maximum-am-resource-percent = 0.3
        root.b.accessible-node-labels = ssd,gpu
        root.b.queues = x,y
        root.b.x.capacity = 33.3
        root.b.y.capacity = 66.7
        root.b.x.accessible-node-labels = ssd
    """,
    "rights": """
        yarn.acl.enable = true
        yarn.cluster.max-application-priority = 5
        root.queues = open,closed
        root.acl_submit_applications = alice ops
        root.open.capacity = 50
        root.closed.capacity = 50
        root.open.acl_submit_applications = *
        root.closed.acl_submit_applications = bob,carol staff
        root.closed.acl_administer_queue = carol
        root.open.acl_application_max_priority = [user=alice group=ops max_priority=4 default_priority=2]
        root.closed.state = STOPPED
        root.closed.disable_preemption = true
        yarn.resourcemanager.scheduler.monitor.enable = true
        queue-mappings = u:alice:open,g:ops:closed,u:%user:%user
        queue-mappings-override.enable = true
    """,
    "weights": """
        root.queues = a,b
        root.a.capacity = 3w
        root.b.capacity = 1w
        root.a.queues = x,y
        root.a.x.capacity = 1.5w
        root.a.y.capacity = 0.5w
        root.b.maximum-capacity = 80
        root.a.auto-queue-creation-v2.enabled = true
        root.a.auto-queue-creation-v2.max-queues = 10
        root.a.auto-queue-creation-v2.template.maximum-capacity = 50
        auto-queue-creation-v2.maximum-queue-depth = 3
        max-parallel-apps = 100
        root.b.max-parallel-apps = 7
        user.max-parallel-apps = 9
        user.alice.max-parallel-apps = 3
    """,
    "resources": """
        root.queues = a,b
        root.capacity = [memory=102400,vcores=64]
        root.a.capacity = [memory=40Gi,vcores=24]
        root.a.maximum-capacity = [memory=60Gi,vcores=32]
        root.b.capacity = [memory=20480,vcores=16]
        root.a.queues = x,y
        root.a.x.capacity = [memory=20480,vcores=12]
        root.a.y.capacity = [memory=20480,vcores=12]
    """,
    "made": """
        root.queues = users,default
        root.users.capacity = 60
        root.default.capacity = 40
        root.users.auto-create-child-queue.enabled = true
        root.users.auto-create-child-queue.max-queues = 20
        root.users.leaf-queue-template.capacity = 10
        root.users.leaf-queue-template.maximum-capacity = 50
        root.users.leaf-queue-template.user-limit-factor = 3
        queue-mappings = u:%user:users.%user
        mapping-rule-format = legacy
    """,
    "orders": """
        root.queues = etl,adhoc,zero
        root.ordering-policy = priority-utilization
        root.etl.capacity = 70
        root.adhoc.capacity = 30
        root.zero.capacity = 0
        root.etl.ordering-policy = fair
        root.etl.ordering-policy.fair.enable-size-based-weight = true
        root.adhoc.ordering-policy = fifo
        root.etl.priority = 2
        root.adhoc.priority = -1
        root.etl.default-application-priority = 1
        root.etl.maximum-application-lifetime = 86400
        root.etl.default-application-lifetime = 3600
        root.etl.user-settings.alice.weight = 0.5
        root.etl.minimum-user-limit-percent = 50
        minimum-user-limit-percent = 20
        user-limit-factor = 4
        global-queue-max-application = 500
        root.zero.allow-zero-capacity-sum = true
    """,
    "rules": """
        root.queues = default,users
        root.default.capacity = 50
        root.users.capacity = 50
        root.users.queues = alice,others
        root.users.alice.capacity = 50
        root.users.others.capacity = 50
        mapping-rule-format = json
        mapping-rule-json = {"rules":[{"type":"user","matches":"*","policy":"user"}]}
        schedule-asynchronously.enable = false
        schedule-asynchronously.maximum-threads = 2
        schedule-asynchronously.scheduling-interval-ms = 10
        per-node-heartbeat.multiple-assignments-enabled = true
        per-node-heartbeat.maximum-container-assignments = 10
        reservations-continue-look-all-nodes = false
        lazy-preemption-enabled = true
    """,
}  # fmt: skip
"""Name → one property a line; names without `yarn.` stand below `yarn.scheduler.capacity.`."""


def properties_of(name: str) -> list[tuple[str, str]]:
    """The properties of a sample with their full names."""
    pairs = [line.partition("=") for line in SAMPLES[name].strip().splitlines()]
    named = [(key.strip(), text.strip()) for key, _, text in pairs]
    return [(key if key.startswith("yarn.") else PREFIX + key, text) for key, text in named]
