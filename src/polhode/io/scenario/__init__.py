"""Scenario files: from TOML to a system, a method and a run."""
