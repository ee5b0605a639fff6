"""The studies of Yacouby & Axman (2020) for any set of models, and what follows from them."""
