"""Documents as pages of HTML and in notebooks, and the command that writes a page."""
