"""How fast polhode is, as ratios to the same algorithm in C that is compiled and timed in the same run."""
