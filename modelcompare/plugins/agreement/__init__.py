"""Agreement of annotators and of models, and the samples on which two models disagree."""
