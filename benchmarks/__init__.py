"""Speed beside rivals: the same problems, the same tolerance, one run.

``python -m benchmarks`` runs every family in ``families/`` and writes the table, the raw times and
the scaling plot. A family is one file with a function ``run(setup)`` that yields rows and curves.
"""
