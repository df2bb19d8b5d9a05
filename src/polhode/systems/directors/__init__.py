"""Rigid bodies kept by their directors, holonomic and nonholonomic."""
