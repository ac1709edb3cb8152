"""Random closed scenarios, and whether everything that is claimed about them holds.

`python -m tests.gates.claims --seeds N` prints how many claims of each kind were checked and which were wrong. Kinds:

- `starts`: an ask that is expected to start at an instant is given its first container at that instant, to the ms
- `never`: an ask that is said never to start (deadlocked, blocked, impossible) never does
- `until`: what a holder is said to hold until an instant, or for ever, is given back then, or never
- `numbers`: the counts, sizes and uses in a reason are those of the cluster
- `dimension`: a reason names the dimensions that are short, and no other
- `holders`: without those named, alone or all together, the ask starts sooner; so it does without those of the proof
- `keys`: with the setting named changed, the ask starts sooner
- `remedies`: a remedy, written into the script, starts whom it promises at that instant, to the ms; one that is said to
  be no help starts nothing a second sooner
- `losses`: what the kill of an application frees and loses is what it held when it was killed (with `remedies`)
- `alerts`: an alert that holds is about somebody who is really given nothing, and nobody whom nothing will be given has
  waited longer than 60 s without one; none lasts on after its reason. Who waits in a circle into which everything
  freezes within five minutes is told of with the freeze, when it forms (`starvation_detector.IMMINENT_MS`)
"""
