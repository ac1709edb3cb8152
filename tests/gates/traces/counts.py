"""What is in the collected traces, as counted when they were collected: applications by file."""

from typing import Final

APPLICATIONS: Final = {
    "swim/FB-2009_samples_24_times_1hr_0_first50jobs.tsv": 50,
    "swim/FB-2009_samples_24_times_1hr_0.tsv": 5_894,
    "swim/FB-2010_samples_24_times_1hr_0.tsv": 24_442,
    "swim/FB-2010_samples_24_times_1hr_withInputPaths_0.tsv": 25_428,
    "sls-hadoop/main/data/2jobs2min-rumen-jh.json.gz": 2,
    "swf/hpc2n-seth-3170.swf": 3_170,
    "swf/wagap-2013.swf.gz": 17_900,
    "swf/fit-jaros1.swf": 12,
    "swf/fit-jaros2.swf": 12,
    "swf/fit-jaros3.swf": 16,
    "swf/NASA-iPSC-1993-3.1-cln.swf.gz": 18_239,
    "swf/LCG-2005.swf.gz": 188_041,
    "swf/SYNTHETIC-lublin_256.swf.gz": 10_000,
    "swf/accasim-test-workload.swf": 25,
    "swf/cqsim-test.swf": 9,
    "alibaba-openb/openb_pod_list_default.csv": 8_152,
    "alibaba-openb/openb_pod_list_multigpu50.csv": 9_061,
    "yarn-rm/logs/rm-2.7.2-fair-hibench.log.gz": 7,
    "yarn-rm/logs/rm-2.6.5-capacity-failedjobs.log.gz": 12,
    "yarn-rm/logs/rm-2.4.2-startup-noapps.log.gz": 0,
    "yarn-rm/logs/rm-3.x-startup-noapps.log.gz": 0,
}
"""File → applications, where the list of sources gives a number for the file."""

TASKS: Final = {"sls-hadoop/main/data/2jobs2min-rumen-jh.json.gz": 192}
CONTAINERS: Final = {"yarn-rm/logs/rm-2.7.2-fair-hibench.log.gz": 85}
"""File → containers, masters included."""
NODES: Final = {
    "alibaba-openb/openb_node_list_all_node.csv": 1_523,
    "alibaba-openb/openb_node_list_gpu_node.csv": 1_213,
}
