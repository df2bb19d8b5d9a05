"""Long tests that are no part of the package: killed runs, full disks, growth of errors, and mutants."""
