"""Spacecraft: gyrostats with rotors, torques and dampers."""
