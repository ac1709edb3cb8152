"""Variables in the values of Hadoop's configuration files: `${key}`, Java's system properties, the environment.

The properties of a server's Java (`user.name`) and its environment (`env.NAME`) are not known here and can be given.
What is not given, and not the same on every Linux server, stays as written with a warning.

Source: o.a.h.conf.Configuration#substituteVars, Hadoop 2.7.2 and 3.4.1.

Source: Configuration#addDeprecations and YarnConfiguration#addDeprecatedKeys, as the classes of 2.7.2 and 3.4.1 list
them.
"""

import re
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


MAX_SUBSTITUTIONS: Final = 20
"""Rounds of substitution; a value that is not done by then is an error in Hadoop. Source: Configuration#MAX_SUBST."""

VARIABLE: Final = re.compile(r"\$\{([^}$ ]+)\}")

_LONGEST: Final = 1_000_000
_ALIKE: Final = {"java.io.tmpdir": "/tmp", "file.separator": "/", "path.separator": ":", "os.name": "Linux"}
_OF_JAVA: Final = ("java.", "user.", "os.", "file.", "hadoop.log.", "hadoop.home.", "yarn.log.", "yarn.home.")
"""How properties begin that Java or Hadoop's start scripts set."""


class Variables:
    """Replaces variables by what a server would put in their place."""

    def __init__(self, raw: Mapping[str, str], given: Mapping[str, str], era: str) -> None:
        """Take what is known.

        `given` are system properties of the server, and its environment as `env.NAME`; they go before the files.
        """
        self._raw, self._given, self._era = raw, given, era
        self._reads_environment = era != "2.7"

    def replaced(self, text: str) -> str | None:
        """A value with every variable replaced, one at a time from the left, also in what was put in.

        A variable without a value ends it: what is left stays as written. In 3.x so does the whole value where a
        variable leads to itself at once.

        Returns:
            None where 20 rounds were not enough, which Hadoop answers with an IllegalStateException.
        """
        expression = text
        for _ in range(MAX_SUBSTITUTIONS):
            found = VARIABLE.search(text)
            value = self._value(found.group(1)) if found else None
            if found is None or value is None:
                return text
            if self._reads_environment and found.group() in value:
                return expression
            text = text[: found.start()] + value + text[found.end() :]
            if len(text) > _LONGEST:
                return None
        return None

    def _value(self, name: str) -> str | None:
        found = self._of_machine(name)
        return found if found is not None else self._raw.get(new_name(name, self._era))

    def _of_machine(self, name: str) -> str | None:
        if not name.startswith("env.") or name == "env.":
            return self._given.get(name, _ALIKE.get(name))
        if not self._reads_environment:
            return None
        variable, sign, otherwise = _default_of(name)
        value = self._given.get(variable)
        is_missing = value is None if sign == "-" else not value
        return otherwise if sign and is_missing else value

    def left(self, text: str) -> tuple[str, str]:
        """Return why a variable is left in a value that was replaced, and a way out; nothing where none is left.

        `text` is the value after `replaced`.
        """
        found = VARIABLE.search(text)
        if found is None:
            return "", ""
        name = found.group(1)
        hint = f"-D {_default_of(name)[0]}=VALUE gives it one"
        if name.startswith("env."):
            if not self._reads_environment:
                return f"{found.group()} stays as it is", "Hadoop reads the environment from 3.0 on"
            return f"{found.group()} is the environment of the server, not known here, and stays as it is", hint
        if name.startswith(_OF_JAVA):
            return f"{found.group()} is a property of the server's Java, not known here, and stays as it is", hint
        return f"{found.group()} has no value here and stays as it is", hint

    def assumed(self, text: str) -> str:
        """Which default of a variable of the environment counts in a value as written; nothing where none does."""
        for found in VARIABLE.finditer(text) if self._reads_environment else ():
            variable, sign, otherwise = _default_of(found.group(1))
            if variable.startswith("env.") and sign and variable not in self._given:
                return f"{variable.removeprefix('env.')} of the server's environment is not known here: {otherwise!r}"
        return ""


def _default_of(name: str) -> tuple[str, str, str]:
    """A variable of the environment, `:-` or `-` where it has a default, and that.

    >>> _default_of("env.HOME:-/root"), _default_of("env.HOME")
    (('env.HOME', ':-', '/root'), ('env.HOME', '', ''))
    """
    found = re.match(r"(env\.(?:(?!:-|-).)*)(:-|-)(.*)", name)
    return (found.group(1), found.group(2), found.group(3)) if found else (name, "", "")
