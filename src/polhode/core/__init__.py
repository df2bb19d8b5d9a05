"""What systems and methods share: the contract of each, layouts of states, checks of input."""
