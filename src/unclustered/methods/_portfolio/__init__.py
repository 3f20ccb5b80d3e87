"""What the automatic labeler tries: one file a kind of candidate, and how their votes are joined.

A candidate is fitted to every fold of a :class:`~.problem.Problem` and says, for each of its
configurations, how its fold models vote on the samples that they have not seen. Every vote is a
number between -1 and 1. Once the configurations have their weights, it gives a voter: what is left
of it to score new samples.
"""
