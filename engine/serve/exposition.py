"""`/prom`: the figures of `/jmx` as Prometheus reads them.

Source: PrometheusMetricsSink, Hadoop 3.4.1, where the page is off unless `hadoop.prometheus.endpoint.enabled` is set;
2.7.2 has none. Here it is always there, for either.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from engine.serve.beans import COUNTERS
from engine.serve.fields import Document

_WORDS: Final = re.compile(r"(?<!^)(?<![A-Z_])(?=[A-Z])|(?<!^)(?=[A-Z][a-z])")
_TAG: Final = "tag."


def exposition(found: Iterable[Document]) -> str:
    """Every number of every bean, one figure after the other, each with its queue and user as labels."""
    lines: dict[str, list[str]] = {}
    for bean in found:
        record = str(bean["modelerType"]).partition(",")[0]
        labels = ",".join(f'{name}="{_escaped(text)}"' for name, text in _labels(bean))
        for name, value in bean.items():
            if isinstance(value, int | float):
                figure = metric_name(record, name)
                kind = "counter" if name.startswith(COUNTERS) else "gauge"
                lines.setdefault(figure, [f"# TYPE {figure} {kind}"]).append(f"{figure}{{{labels}}} {value}")
    return "\n".join(line for each in lines.values() for line in each) + "\n"


def metric_name(record: str, name: str) -> str:
    """Name a figure of a record for Prometheus.

    >>> metric_name("QueueMetrics", "AllocatedMB"), metric_name("ClusterMetrics", "NumActiveNMs")
    ('queue_metrics_allocated_mb', 'cluster_metrics_num_active_n_ms')
    """
    both = record + name[:1].upper() + name[1:]
    return "_".join(part for part in _WORDS.split(both) if part).lower()


def _labels(bean: Document) -> Iterator[tuple[str, str]]:
    for name, value in bean.items():
        if name.startswith(_TAG):
            yield name.removeprefix(_TAG).lower(), str(value)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
