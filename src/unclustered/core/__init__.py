"""The maths, on plain arrays: it knows nothing of scikit-learn or of tables."""
