"""Results on many data sets, as papers and leaderboards print them."""
