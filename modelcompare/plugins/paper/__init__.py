"""The studies of Yacouby and Axman (2020), and what follows from them; model cards."""
