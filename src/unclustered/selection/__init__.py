"""Choosing hyper-parameters without labels: folds, grids."""
