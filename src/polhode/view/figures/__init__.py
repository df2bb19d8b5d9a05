"""Figures of trajectories, in matplotlib."""
