"""What one number cannot say: curves, reliability, agreement, components of variance."""
