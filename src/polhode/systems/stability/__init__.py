"""Equilibria, relative equilibria, and the linearised motion about them."""
