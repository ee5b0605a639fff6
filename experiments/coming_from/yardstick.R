# Metrics of ten classes, and a bootstrap around one. Rscript yardstick.R DIGITS.csv
suppressPackageStartupMessages(library(yardstick))
table <- read.csv(commandArgs(trailingOnly = TRUE)[1])
truth <- factor(table$y_true)
predicted <- factor(table$logistic, levels = levels(truth))
found <- c(
  accuracy = accuracy_vec(truth, predicted), f1_macro = f_meas_vec(truth, predicted, estimator = "macro"),
  precision = precision_vec(truth, predicted, estimator = "macro"),
  recall = recall_vec(truth, predicted, estimator = "macro"),
  mcc = mcc_vec(truth, predicted), kappa = kap_vec(truth, predicted)
)
set.seed(0)
seconds <- system.time({
  values <- replicate(1000, {
    drawn <- sample(length(truth), replace = TRUE)
    f_meas_vec(truth[drawn], predicted[drawn], estimator = "macro")
  })
})[["elapsed"]]
found <- c(found, low = quantile(values, 0.025)[[1]], high = quantile(values, 0.975)[[1]])
cat(paste(c(names(found), "seconds", "version"), collapse = ","), "\n")
cat(paste(c(format(found, digits = 15), seconds, format(packageVersion("yardstick"))), collapse = ","), "\n")
