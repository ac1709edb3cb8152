"""Carries out the requests of screens: a class for each protocol of a session, and one for the colours.

Each tells by `routes` which requests it carries out; the app hands them over. `context` is what all of them share.
"""
