"""Documents as pages of HTML, and the command that writes a page of a comparison."""
