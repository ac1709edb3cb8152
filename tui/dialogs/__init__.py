"""Boxes that ask before something is done: forms, menus, confirmations."""
