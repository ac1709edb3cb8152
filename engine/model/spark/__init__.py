"""The state of Spark's standalone Master: workers, drivers, applications and their executors.

State and its only mutators, in Spark's nouns; no policy and no clock. Source: org.apache.spark.deploy.master,
Spark 4.x.
"""
