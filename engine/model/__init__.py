"""State of a cluster as its control plane believes it to be, in YARN's terms, and the only code that changes it.

No policy, no clock. What really runs on the nodes is known to `simulation`; the two may differ.
"""
