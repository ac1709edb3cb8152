"""Settings of MapReduce 1's fair scheduler; its pools stand in a file of their own.

Source: PoolManager, FairScheduler#start, CapBasedLoadManager, NewJobWeightBooster, Hadoop 1.2.1 contrib.
"""

from typing import Final

from engine.settings.kind import TEXT
from engine.settings.mapreduce1 import FLAG, NATURAL, NUMBER, WHOLE
from engine.settings.table import Key, SettingEntry, SettingTable

PREFIX: Final = "mapred.fairscheduler."

POOL: Final = Key[str]("pool", PREFIX)
"""The pool of a job, whatever `POOL_PROPERTY` says."""

POOL_PROPERTY: Final = Key[str]("poolnameproperty", PREFIX)
UNDECLARED_POOLS: Final = Key[bool]("allow.undeclared.pools", PREFIX)
UPDATE: Final = Key[int]("update.interval", PREFIX)
PREEMPTION: Final = Key[bool]("preemption", PREFIX)
PREEMPTION_INTERVAL: Final = Key[int]("preemption.interval", PREFIX)
PREEMPTION_ONLY_LOG: Final = Key[bool]("preemption.only.log", PREFIX)
ASSIGN_MULTIPLE: Final = Key[bool]("assignmultiple", PREFIX)
MOST_MAPS: Final = Key[int]("assignmultiple.maps", PREFIX)
MOST_REDUCES: Final = Key[int]("assignmultiple.reduces", PREFIX)
SIZE_WEIGHT: Final = Key[bool]("sizebasedweight", PREFIX)
DELAY: Final = Key[int]("locality.delay", PREFIX)
NODE_DELAY: Final = Key[int]("locality.delay.node", PREFIX)
RACK_DELAY: Final = Key[int]("locality.delay.rack", PREFIX)
LOAD_DIFFERENCE: Final = Key[float]("load.max.diff", PREFIX)
WEIGHT_ADJUSTER: Final = Key[str]("weightadjuster", PREFIX)
BOOST: Final = Key[float]("mapred.newjobweightbooster.factor")
BOOST_DURATION: Final = Key[int]("mapred.newjobweightbooster.duration")

BOOSTER: Final = "org.apache.hadoop.mapred.NewJobWeightBooster"

_COMPUTED: Final = "-1: one and a half heartbeat intervals, 15 s at most."

FAIR_TASKS: Final = SettingTable(
    "mr1-fair",
    (
        SettingEntry(key, default, meaning, unit, kind, source=source)
        for key, default, unit, kind, meaning, source in (
            (POOL_PROPERTY, "user.name", "", TEXT, "The property of a job that names its pool.", "PoolManager"),
            (UNDECLARED_POOLS, "true", "", FLAG, "Makes pools that the file does not name.", "PoolManager"),
            (UPDATE, "500", "ms", NATURAL, "The time between two counts of the shares.", "FairScheduler"),
            (PREEMPTION, "false", "", FLAG, "Kills tasks for pools below their shares.", "FairScheduler"),
            (PREEMPTION_INTERVAL, "15000", "ms", NATURAL, "The time between two looks for them.", "FairScheduler"),
            (PREEMPTION_ONLY_LOG, "false", "", FLAG, "Logs kills of preemption, and kills nothing.", "FairScheduler"),
            (ASSIGN_MULTIPLE, "true", "", FLAG, "Gives more than one task of a kind in a heartbeat.", "FairScheduler"),
            (MOST_MAPS, "-1", "maps", WHOLE, "The most in a heartbeat; -1: as many as are free.", "FairScheduler"),
            (
                MOST_REDUCES,
                "-1",
                "reduces",
                WHOLE,
                "The most in a heartbeat; -1: as many as are free.",
                "FairScheduler",
            ),
            (
                SIZE_WEIGHT,
                "false",
                "",
                FLAG,
                "Weighs a job by the logarithm of its tasks.",
                "FairScheduler#getJobWeight",
            ),
            (DELAY, "-1", "ms", WHOLE, f"The waits for a host and for a rack. {_COMPUTED}", "FairScheduler"),
            (NODE_DELAY, "-1", "ms", WHOLE, "The wait for a host; unset, `locality.delay`.", "FairScheduler"),
            (RACK_DELAY, "-1", "ms", WHOLE, "The wait for a rack; unset, `locality.delay`.", "FairScheduler"),
            (
                LOAD_DIFFERENCE,
                *("0.0", "", NUMBER, "The part by which a tracker may be fuller than the cluster."),
                "CapBasedLoadManager",
            ),
            (WEIGHT_ADJUSTER, "", "", TEXT, f"Changes weights of jobs; `{BOOSTER}` is known.", "FairScheduler#start"),
            (BOOST, "3", "", NUMBER, "The factor of a new job's weight, with that class.", "NewJobWeightBooster"),
            (BOOST_DURATION, "300000", "ms", NATURAL, "The time for which a job is new.", "NewJobWeightBooster"),
        )
    ),
)
"""The settings that the fair scheduler reads beside those of every JobTracker."""
