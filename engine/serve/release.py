"""The two releases of Hadoop whose answers are given, as far as they differ in every answer.

Source: recorded answers of ResourceManagers 2.7.2 and 3.4.1.
"""

from typing import Final, NamedTuple


class HadoopRelease(NamedTuple):
    """A release of Hadoop."""

    version: str
    build: str
    """Revision, builder and checksum of the ResourceManager."""
    common_checksum: str
    built_on: str
    common_built_on: str
    elector: str
    """Words on the ZooKeeper elector where there is no pair of ResourceManagers."""
    json_type: str
    xml_type: str
    mistake_status: int
    """Status of an answer to what the server does not expect."""
    server: str

    @property
    def is_34(self) -> bool:
        """True if it is 3.4.1."""
        return self is RELEASE_34


RELEASE_27: Final = HadoopRelease(
    version="2.7.2",
    build="2.7.2 from 5d8c8cd568ae54c1be366e786c738b63bd53e271 by vinodkv source checksum "
    "c63f7cc71b8f63249e35126f0f7492d",
    common_checksum="d0fda26633fa762bff87ec759ebe689c",
    built_on="2016-01-14T23:14Z",
    common_built_on="2016-01-14T21:32Z",
    elector="ResourceManager HA is not enabled.",
    json_type="application/json",
    xml_type="application/xml",
    mistake_status=500,
    server="Jetty(6.1.26)",
)

RELEASE_34: Final = HadoopRelease(
    version="3.4.1",
    build="3.4.1 from 4d7825309348956336b8f06a08322b78422849b1 by mthakur source checksum "
    "934da0c5743762b7851cfcff9f8ca2",
    common_checksum="7292fe9dba5e2e44e3a9f763fce3e680",
    built_on="2024-10-09T15:14Z",
    common_built_on="2024-10-09T14:57Z",
    elector="Could not find leader elector. Verify both HA and automatic failover are enabled.",
    json_type="application/json;charset=utf-8",
    xml_type="application/xml; charset=utf-8",
    mistake_status=503,
    server="Jetty(9.4.53.v20231009)",
)

RELEASES: Final = {"2.7": RELEASE_27, "3.4": RELEASE_34}
"""Name in an option → release."""


def release_of(scheduler: str) -> HadoopRelease:
    """The release that has a scheduler of `schedulers.registry`.

    >>> release_of("fair-2.7").version, release_of("fifo").version, release_of("capacity-3.4").version
    ('2.7.2', '2.7.2', '3.4.1')
    """
    return RELEASE_34 if scheduler.endswith("-3.4") else RELEASE_27
