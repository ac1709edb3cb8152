"""Scheduling policies: who gets what, and what the real schedulers know of queues, users and places."""
