"""Judges a whole run: waits, slowdown, utilisation, fairness, lost work, reservations in vain, standstills.

`Meter` listens to the records of a run and answers at any instant with `RunMeasures`; definitions stand at the fields.
Measuring costs a few per cent of a run. `postmortem` puts the facts of one incident together, with the answers that
`why` and `fix` give at that instant.
"""

from engine.measures.meters import Meter
from engine.measures.run_measures import ApplicationTimes, Evenness, Quantiles, RunMeasures, quantiles

__all__ = ["ApplicationTimes", "Evenness", "Meter", "Quantiles", "RunMeasures", "quantiles"]
