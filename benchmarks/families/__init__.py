"""One file a family of problems: ours, its rivals and the goal."""
