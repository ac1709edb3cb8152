"""How an operator does an act on a real cluster: the commands to run, or the lines of a file to write.

Source: YarnCommands.md, NodeManager.md and the usage of ApplicationCLI and RMAdminCLI, Hadoop 2.7.2 and 3.4.1;
AdminService#updateNodeResource, RMNodeImpl.ReconnectNodeTransition, Hadoop 2.7.2; JobClient, Hadoop 1.2.1;
org.apache.spark.deploy.Client and MasterWebUI, Spark 3.5.
"""

from typing import Final

from engine.explain.change import NOWHERE, Change, after_words, change_of, written_lines
from engine.model.mr1.task_in_progress import PRIORITIES
from engine.scenario import acts
from engine.settings.capacity import MONITORS
from engine.settings.fair import PREEMPTION
from engine.settings.mapreduce1 import PREEMPTION as TASK_PREEMPTION
from engine.settings.site import NODE_MEMORY, NODE_RECOVERY, NODE_VCORES
from engine.settings.tunable_yarn import Takes

FULL_DISK: Final = "yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage"

_ADMINISTRATION: Final = "ResourceManagerAdministrationProtocol"
_EXCLUDED: Final = "write {host} into the file of {key}"


def act_lines(act: acts.Act, host: str, scheduler: str) -> list[str]:
    """What to run or to write, in order, ended by what makes it count; nothing where no release can do it.

    Args:
        act: Its application is an id.
        host: Host of the node that it is done to.
    """
    if isinstance(act, acts.SetQueueSetting | acts.SetSetting | acts.SetPreemption):
        change = _switch(act, scheduler) if isinstance(act, acts.SetPreemption) else change_of(act, scheduler)
        return [*written_lines(change), after_words([change])]
    if scheduler == "spark":
        return _of_a_master(act)
    return _of_a_job_tracker(act, host) if scheduler.startswith("mr1") else _of_yarn(act, host, scheduler)


def _switch(act: acts.SetPreemption, scheduler: str) -> Change:
    takes: Takes = "refresh" if scheduler == "capacity-3.4" else "restart"
    value = str(act.on).lower()
    return Change(SWITCHES.get(scheduler.partition("-")[0], ""), "whole", NOWHERE, value, "", takes, "", scheduler)


SWITCHES: Final = {"capacity": MONITORS.everywhere, "fair": PREEMPTION.everywhere, "mr1": TASK_PREEMPTION.everywhere}
"""Family of schedulers → the setting that switches preemption on."""


def _of_yarn(act: acts.Act, host: str, scheduler: str) -> list[str]:
    is_old = not scheduler.endswith("3.4")
    match act:
        case acts.KillApplication(application=name):
            return [f"yarn application -kill {name}"]
        case acts.KillContainer():
            return ["on its node: kill -9 the process of the application master"]
        case acts.MoveApplication(application=name, queue=queue):
            return [f"yarn application -movetoqueue {name} -queue {queue}"]
        case acts.SetPriority(application=name, priority=priority):
            return [f"yarn application -updatePriority {priority} -appId {name}"]
        case acts.RestartResourceManager():
            return ["yarn-daemon.sh start resourcemanager" if is_old else "yarn --daemon start resourcemanager"]
    return _of_a_node(act, host, is_old=is_old)


def _of_a_node(act: acts.Act, host: str, *, is_old: bool) -> list[str]:
    match act:
        case acts.ReturnNode():
            start = "yarn-daemon.sh start nodemanager" if is_old else "yarn --daemon start nodemanager"
            return [f"on {host}: {start}", "yarn rmadmin -refreshNodes, if it was excluded"]
        case acts.SetHealth(node=node, also=also):
            more = f" and {len(also)} more of `yarn node -list -states UNHEALTHY`" if also else ""
            mend = f"on {host}{more}: free full disks, or mend what it reports"
            return [
                f"yarn node -status {node} tells what it reports; {mend}",
                f"a disk counts as full above {FULL_DISK} (90 % by default)",
            ]
        case acts.DrainNode():
            excluded = _EXCLUDED.format(host=host, key="yarn.resourcemanager.nodes.exclude-path")
            return [excluded, "yarn rmadmin -refreshNodes" + ("" if is_old else " -g -client")]
        case acts.LabelNode(partition=label):
            return [f'yarn rmadmin -replaceLabelsOnNode "{host}={label}"']
        case acts.ResizeNode(node=node, memory_mb=memory_mb, vcores=vcores) if is_old:
            # The ResourceManager of 2.7 can be asked to, but `yarn rmadmin` has the command only from 2.8 on.
            return [
                f"call {_ADMINISTRATION}#updateNodeResource for {node}: {memory_mb} MB, {vcores} vcores",
                f"or write into yarn-site.xml of {host}: {NODE_MEMORY} {memory_mb}, {NODE_VCORES} {vcores}",
                f"and restart its NodeManager: its containers end, uncounted, unless {NODE_RECOVERY}",
            ]
        case acts.ResizeNode(node=node, memory_mb=memory_mb, vcores=vcores):
            return [f"yarn rmadmin -updateNodeResource {node} {memory_mb} {vcores}"]
    return []


def _of_a_job_tracker(act: acts.Act, host: str) -> list[str]:
    match act:
        case acts.KillApplication(application=name):
            return [f"hadoop job -kill {name}"]
        case acts.SetPriority(application=name, priority=priority):
            return [f"hadoop job -set-priority {name} {PRIORITIES[-1 - priority]}"]
        case acts.ReturnNode():
            return [f"on {host}: hadoop-daemon.sh start tasktracker"]
        case acts.SetHealth(also=also):
            more = f" and {len(also)} more" if also else ""
            return [f"on {host}{more}: mend what the script of mapred.healthChecker.script.path says"]
        case acts.DrainNode():
            return [_EXCLUDED.format(host=host, key="mapred.hosts.exclude"), "hadoop mradmin -refreshNodes"]
        case acts.RestartJobTracker():
            return ["hadoop-daemon.sh start jobtracker"]
    return []


def _of_a_master(act: acts.Act) -> list[str]:
    match act:
        case acts.KillApplication(application=name) if str(name).startswith("driver"):
            return [f"spark-class org.apache.spark.deploy.Client kill spark://MASTER:7077 {name}"]
        case acts.KillApplication(application=name):
            return [f"curl -d 'id={name}&terminate=true' http://MASTER:8080/app/kill/"]
        case acts.ReturnNode():
            return ["on its machine: start-worker.sh spark://MASTER:7077"]
    return []
