"""Battles: rows in which two models met, and the strengths that are fitted to them."""
