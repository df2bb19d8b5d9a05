"""Running a system with a method: the driver, the trajectory that it returns, events and failures."""
