"""Shared parts of the Fair Schedulers of Hadoop 2.7.2 and 3.4.1; the schedulers are in `fair27` and `fair34`.

`tree` holds the queues, `schedulable` what is ordered and given shares, `policies` and `member_order` say who comes
first, `shares` computes fair shares, `walk` goes down the queues, `locality` and `evaluation` serve the rules,
`running_limit` parks applications, `allocation` is the loaded file, `live_setting` changes settings of a running one.
"""
