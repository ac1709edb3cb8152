"""Judges a whole run: waits, slowdown, utilisation, fairness, lost work, reservations in vain, standstills.

`Meter` listens to a run and answers with `RunMeasures`. Definitions stand at the fields.
"""

from engine.measures.meters import Meter
from engine.measures.run_measures import ApplicationTimes, Evenness, Quantiles, RunMeasures, quantiles

__all__ = ["ApplicationTimes", "Evenness", "Meter", "Quantiles", "RunMeasures", "quantiles"]
