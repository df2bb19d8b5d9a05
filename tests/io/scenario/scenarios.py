"""A scenario that is fine, for tests that spoil it."""

GOOD = """
title = "A test"
[system]
type = "FreeRigidBody"
inertia = [1.0, 2.0, 3.0]
[state]
omega = [0.7, -0.6, 0.5]
[method]
type = "LGVI"
order = 2
[run]
step = 0.1
t_end = 2.0
[output]
plots = false
"""
