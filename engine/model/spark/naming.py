"""The ids Spark's Master gives and shows; inside the engine applications and drivers are numbers.

Source: Master#newApplicationId, Master#newDriverId, Worker#generateWorkerId, Spark 4.x.
Differs: dates are UTC, where the real processes use their machine's zone.
"""

from engine.instants import moment_at


def _stamp(time_ms: int) -> str:
    return f"{moment_at(time_ms):%Y%m%d%H%M%S}"


def application_id(submitted_ms: int, number: int) -> str:
    """An application's id.

    >>> application_id(1510360200000, 7)
    'app-20171111003000-0007'
    """
    return f"app-{_stamp(submitted_ms)}-{number:04d}"


def driver_id(submitted_ms: int, number: int) -> str:
    """A driver's id.

    >>> driver_id(1510360200000, 0)
    'driver-20171111003000-0000'
    """
    return f"driver-{_stamp(submitted_ms)}-{number:04d}"


def worker_id(registered_ms: int, node: str) -> str:
    """A worker's id from its `host:port`; ties between workers hang on it.

    >>> worker_id(1510360200000, "10.0.0.1:7078")
    'worker-20171111003000-10.0.0.1-7078'
    """
    host, _, port = node.rpartition(":")
    return f"worker-{_stamp(registered_ms)}-{host}-{port}"
