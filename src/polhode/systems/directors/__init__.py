"""Rigid bodies described by their directors, holonomic and nonholonomic."""
