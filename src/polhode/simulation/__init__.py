"""Bringing a system and a method together: the driver, its trajectory, events and failures."""
