"""Mutation testing: small faults are planted one by one, and the tests that concern them must go red."""
