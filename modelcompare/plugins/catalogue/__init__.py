"""The command that lists metrics, explains them, and describes documents in JSON."""
