"""What users hand in, such as formulas, kernels and functions, made into compiled code."""
