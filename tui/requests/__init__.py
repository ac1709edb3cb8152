"""What screens ask for is carried out here: a class for each protocol of a session, and one for the colours.

Each tells by `routes` which requests it carries out; the app hands them over. `context` is what all of them share.
"""
