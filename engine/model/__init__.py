"""What a control plane believes of its cluster, in YARN's nouns: the state and its only mutators.

No policy, no clock. What really runs on the nodes is known to `simulation`; the two may differ.
"""
