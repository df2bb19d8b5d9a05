"""What acts on a spacecraft from outside: its orbit, gravity gradient, magnetic field, sunlight and air."""
