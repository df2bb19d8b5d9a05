"""Gauss–Legendre methods with their stages in lanes, around the exact free motion."""
