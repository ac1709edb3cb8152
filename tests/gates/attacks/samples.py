"""Small valid documents that attacks begin with, and values that belong nowhere."""

from typing import Any, Final

YARN: Final = """
title = "t"
start = 2024-01-01T00:00:00Z
duration = "2m"
seed = 3
scheduler = "fair-2.7"
queues = [{ name = "a", weight = 2.0, min_resources = "1024 mb, 1 vcores" }, { name = "b", policy = "drf" }]
queue_defaults = { queueMaxAppsDefault = 5 }
groups = { u = ["g", "h"] }
[settings]
"yarn.scheduler.fair.preemption" = true
"yarn.scheduler.fair.continuous-scheduling-enabled" = false
[cluster]
heartbeat = "1s"
launch_delay = "100ms"
groups = [{ count = 2, prefix = "n", memory = "8g", vcores = 8, racks = ["/a", "/b"] }]
nodes = [{ host = "big", memory = "16g", vcores = 16 }]
[[running]]
application = { type = "service", name = "s", user = "u", queue = "a", instances = 1, instance = { memory = "1g" } }
placed = [{ node = "big", memory = "1g", count = 1, master = true }]
[[workload]]
type = "mapreduce"
name = "m"
user = "u"
queue = "a"
maps = 4
reduces = 1
map_duration = ["5s", "9s"]
failures = 0.1
repeat = { times = 2, every = "20s" }
[[workload]]
type = "spark"
name = "p"
user = "v"
queue = "b"
at = "10s"
executors = 2
executor = { memory = "1g", vcores = 1 }
stages = [{ tasks = 4, duration = "3s" }]
[[workload]]
type = "scripted"
user = "w"
asks = [{ memory = "1g", count = 2, hosts = ["n1"], relax = false, duration = "10s", priority = 2 }]
[[faults]]
at = "30s"
do = "lose"
node = "n1"
[[faults]]
at = "40s"
do = "resize"
node = "big"
memory = "8g"
vcores = 4
[[script]]
at = "20s"
do = "kill"
application = "p"
[[script]]
at = "25s"
do = "queue-setting"
queue = "root.a"
key = "weight"
value = "3"
[[script]]
at = "50s"
do = "drain"
node = "n2"
[[expectations]]
at = "1m"
of = "application"
application = "m"
what = "state"
equals = "FINISHED"
[[expectations]]
until = "1m"
since = "10s"
of = "queue"
queue = "root.a"
what = "used_memory_mb"
at_most = 100000
"""

SPARK: Final = """
duration = "2m"
scheduler = "spark"
[settings]
"spark.deploy.spreadOutApps" = true
"spark.worker.timeout" = 60
[cluster]
groups = [{ count = 3, prefix = "w", memory = "8g", vcores = 8, racks = ["/a"] }]
[[workload]]
type = "spark-standalone"
name = "s"
user = "u"
cores_max = 6
executor_cores = 2
executor_memory = "1g"
driver = { memory = "1g", vcores = 1 }
supervise = true
stages = [{ tasks = 10, duration = ["3s", "5s"], hosts = [["w1"]], away = 2.0 }]
dynamic = { initial = 1, least = 0, most = 4, backlog = "1s", idle = "10s" }
[[workload]]
type = "spark-standalone"
user = "v"
at = "5s"
exits_after = "10s"
executor_limit = 2
[[faults]]
at = "30s"
do = "lose"
node = "w1"
[[script]]
at = "20s"
do = "setting"
key = "spark.deploy.spreadOutApps"
value = "false"
"""

CAPACITY: Final = """
duration = "2m"
seed = 3
scheduler = "capacity-2.7"
groups = { u = ["g", "h"] }
[settings]
"yarn.scheduler.capacity.root.queues" = "a,b"
"yarn.scheduler.capacity.root.a.capacity" = 40
"yarn.scheduler.capacity.root.a.maximum-capacity" = 80
"yarn.scheduler.capacity.root.a.user-limit-factor" = 2.0
"yarn.scheduler.capacity.root.b.capacity" = 60
"yarn.scheduler.capacity.root.b.queues" = "c,d"
"yarn.scheduler.capacity.root.b.c.capacity" = 50
"yarn.scheduler.capacity.root.b.c.acl_submit_applications" = "v g"
"yarn.scheduler.capacity.root.b.d.capacity" = 50
"yarn.scheduler.capacity.root.b.d.maximum-applications" = 5
"yarn.scheduler.capacity.queue-mappings" = "u:u:a,g:g:c,u:%user:d"
"yarn.scheduler.capacity.maximum-am-resource-percent" = 0.5
"yarn.resourcemanager.scheduler.monitor.enable" = true
[cluster]
groups = [{ count = 2, prefix = "n", memory = "8g", vcores = 8, racks = ["/a", "/b"] }]
nodes = [{ host = "big", memory = "16g", vcores = 16 }]
[[workload]]
type = "mapreduce"
name = "m"
user = "u"
queue = "a"
maps = 4
reduces = 1
map_duration = ["5s", "9s"]
repeat = { times = 2, every = "20s" }
[[workload]]
type = "scripted"
user = "v"
queue = "c"
asks = [{ memory = "1g", count = 2, hosts = ["n1"], relax = false, duration = "10s", priority = 2 }]
[[faults]]
at = "30s"
do = "lose"
node = "n1"
[[script]]
at = "25s"
do = "queue-setting"
queue = "root.a"
key = "capacity"
value = "30"
[[script]]
at = "50s"
do = "drain"
node = "n2"
[[expectations]]
until = "1m"
since = "10s"
of = "queue"
queue = "root.a"
what = "used_memory_mb"
at_most = 100000
"""

ALLOCATIONS: Final = """<?xml version="1.0"?>
<allocations>
  <queue name="prod"><weight>3.0</weight><minResources>1024 mb, 1 vcores</minResources>
    <maxResources>8192 mb, 8 vcores</maxResources><maxRunningApps>5</maxRunningApps>
    <schedulingPolicy>drf</schedulingPolicy><aclSubmitApps>u g</aclSubmitApps>
    <minSharePreemptionTimeout>30</minSharePreemptionTimeout>
    <queue name="etl"><maxAMShare>0.5</maxAMShare></queue>
  </queue>
  <queue name="dev" type="parent"/>
  <user name="u"><maxRunningApps>3</maxRunningApps></user>
  <queueMaxAMShareDefault>0.4</queueMaxAMShareDefault>
  <defaultFairSharePreemptionThreshold>0.5</defaultFairSharePreemptionThreshold>
  <queuePlacementPolicy><rule name="specified" create="false"/>
    <rule name="nestedUserQueue"><rule name="primaryGroup" create="false"/></rule>
    <rule name="default" queue="dev.x"/></queuePlacementPolicy>
</allocations>
"""

SITE: Final = """<?xml version="1.0"?>
<configuration>
  <property><name>yarn.scheduler.minimum-allocation-mb</name><value>512</value></property>
  <property><name>yarn.acl.enable</name><value>${x.y}</value><final>true</final></property>
  <property><name>x.y</name><value>true</value></property>
  <property><name>yarn.scheduler.fair.locality.threshold.node</name><value>0.5</value></property>
</configuration>
"""

CAPACITY_SITE: Final = """<?xml version="1.0"?>
<configuration>
  <property><name>yarn.scheduler.capacity.root.queues</name><value>a, b</value></property>
  <property><name>yarn.scheduler.capacity.root.a.capacity</name><value>40</value></property>
  <property><name>yarn.scheduler.capacity.root.b.capacity</name><value>60</value></property>
  <property><name>yarn.scheduler.capacity.root.b.queues</name><value>c,d</value></property>
  <property><name>yarn.scheduler.capacity.root.b.c.capacity</name><value>70.5</value></property>
  <property><name>yarn.scheduler.capacity.root.b.c.state</name><value>STOPPED</value></property>
  <property><name>yarn.scheduler.capacity.root.b.d.capacity</name><value>29.5</value></property>
  <property><name>yarn.scheduler.capacity.root.b.d.acl_submit_applications</name><value>u,v g</value></property>
  <property><name>yarn.scheduler.capacity.root.b.d.user-limit-factor</name><value>2</value></property>
  <property><name>yarn.scheduler.capacity.queue-mappings</name><value>u:u:a,g:g:c,u:%user:d</value></property>
  <property><name>yarn.scheduler.capacity.maximum-am-resource-percent</name><value>${x.y}</value></property>
  <property><name>x.y</name><value>0.3</value></property>
</configuration>
"""

TOPOLOGY: Final = "# racks\nn1 /a\nn2 /b\n10.0.0.1 /c/d\n"

BIG: Final = 10**30

VALUES: Final[tuple[Any, ...]] = (
    0, -1, 1, 2**31 - 1, 2**31, 2**63 - 1, 2**63, -(2**63), BIG, 1.5, -0.0, 1e308, 5e-324, float("nan"), float("inf"),
    True, False, "", " ", "0", "-1", "x", "root", "root.a.b.c", "*", "\0", "\x1b[31m", "\u202e", "\ud7ff", "é" * 100,
    "a" * 5_000, "9" * 5_000, "64g", "1e400t", "99999999999999999999g", "09:00", "25:99", "-5s", "+30m", "100000d",
    "9999-12-31T23:59:59Z", "0001-01-01 00:00", "²", "٣", "NaN", "Infinity", "${a}", "<x>", "&amp;", "1 mb, 1 vcores",
    "memory=1024,vcores=1", "[memory=50%,vcores=50%]", "-0.0001", "100.00001", "3w", "STOPPED", "u:u:a", "g:%user:%p",
    [], {}, [1], [{}], [[[]]], {"a": 1}, {"": ""}, {"a": {"b": {"c": {}}}}, ["a"] * 50, None, "forever", "unmanaged",
)  # fmt: skip
"""Values of every type, at and beyond every edge; None leaves the key out."""
