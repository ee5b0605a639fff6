"""The weights of every resample, and the seeds behind them; alone in drawing random numbers."""
