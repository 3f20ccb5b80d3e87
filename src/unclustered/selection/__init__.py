"""Choosing hyper-parameters without labels: seeds, folds, grids."""
