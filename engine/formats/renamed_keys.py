"""Keys of Hadoop's configuration files that have new names; Hadoop reads the old ones as the new ones.

Source: Configuration#addDeprecations and YarnConfiguration#addDeprecatedKeys, as the classes of 2.7.2 and 3.4.1 list
them.
"""

from collections.abc import Mapping
from typing import Final

from engine.settings.fair import INCREMENT_MB, INCREMENT_VCORES

RENAMED: Final[Mapping[str, str]] = {
    "dfs.df.interval": "fs.df.interval",
    "dfs.nfs.exports.allowed.hosts": "nfs.exports.allowed.hosts",
    "dfs.umaskmode": "fs.permissions.umask-mode",
    "fs.default.name": "fs.defaultFS",
    "hadoop.configured.node.mapping": "net.topology.configured.node.mapping",
    "hadoop.native.lib": "io.native.lib.available",
    "topology.node.switch.mapping.impl": "net.topology.node.switch.mapping.impl",
    "topology.script.file.name": "net.topology.script.file.name",
    "topology.script.number.args": "net.topology.script.number.args",
    "yarn.client.max-nodemanagers-proxies": "yarn.client.max-cached-nodemanagers-proxies",
}
"""Old name → new name, in both releases."""

RENAMED_34: Final[Mapping[str, str]] = {
    "hadoop.http.rmwebapp.scheduler.page.class": "yarn.http.rmwebapp.scheduler.page.class",
    "yarn.resourcemanager.display.per-user-apps": "yarn.webapp.filter-entity-list-by-user",
    "yarn.resourcemanager.system-metrics-publisher.enabled": "yarn.system-metrics-publisher.enabled",
    "yarn.resourcemanager.zk-acl": "hadoop.zk.acl",
    "yarn.resourcemanager.zk-address": "hadoop.zk.address",
    "yarn.resourcemanager.zk-auth": "hadoop.zk.auth",
    "yarn.resourcemanager.zk-num-retries": "hadoop.zk.num-retries",
    "yarn.resourcemanager.zk-retry-interval-ms": "hadoop.zk.retry-interval-ms",
    "yarn.resourcemanager.zk-timeout-ms": "hadoop.zk.timeout-ms",
    **RENAMED,
}
"""The same in 3.4.1."""

SUPERSEDED_34: Final[Mapping[str, str]] = {
    INCREMENT_MB.name: "yarn.resource-types.memory-mb.increment-allocation",
    INCREMENT_VCORES.name: "yarn.resource-types.vcores.increment-allocation",
}
"""Old key → the one that goes before it in 3.4.1; both are read. Source: FairSchedulerConfiguration."""


def new_name(key: str, era: str) -> str:
    """The name a release reads a key under: the new one where it has one, else its own."""
    return (RENAMED_34 if era == "3.4" else RENAMED).get(key, key)
