"""The Gauss–Legendre methods: their coefficients, the variables that they work in, and their loops."""
