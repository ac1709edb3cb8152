"""Decides which application gets a container.

`YarnScheduler` is the front of all YARN policies, after Hadoop's AbstractYarnScheduler; a `Policy` holds what
differs. A node heartbeat is processed in a fixed order: a due update pass runs, the report is applied (started and
completed containers), containers to kill after an over-commit timeout are determined, the node is offered to the
policy, then those are killed. An allocate call first normalises its requests, then applies releases, requests and
blacklist, and returns what was allocated since the last call.

State: queues, shares, timers and promises of the policy; the rest is in `engine.model`. Output: a list of decisions,
and obstacles for the recorder if one listens. The check "may this attempt get this request on this node" is a pure
function with allocate, reserve or an obstacle as its answer; `why` is built on it. Rules of different releases are
separate modules, each with its `Source:`. Decisions never depend on set order, wall clock or unseeded randomness. No
caller asks for a policy's type; what only some policies can do (passes, labels, priorities) has a default in `Policy`.

`fifo` is the smallest policy; a new one is named in `registry`. `spark` and `mr1` belong to the other control planes.
"""
