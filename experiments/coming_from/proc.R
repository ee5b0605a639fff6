# ROC AUC of two markers: DeLong's intervals and paired test. Rscript proc.R MARKERS.csv
suppressPackageStartupMessages(library(pROC))
table <- read.csv(commandArgs(trailingOnly = TRUE)[1])
task <- function() {
  wfns <- roc(table$poor, table$wfns, quiet = TRUE)
  s100b <- roc(table$poor, table$s100b, quiet = TRUE)
  test <- roc.test(wfns, s100b, method = "delong", paired = TRUE)
  bootstrapped <- ci.auc(wfns, method = "bootstrap", boot.n = 1000, progress = "none")
  c(auc = as.numeric(wfns$auc), low = ci.auc(wfns)[1], high = ci.auc(wfns)[3],
    p = test$p.value, boot_low = bootstrapped[1], boot_high = bootstrapped[3])
}
set.seed(0)
seconds <- system.time(found <- task())[["elapsed"]]
cat(paste(c(names(found), "seconds", "version"), collapse = ","), "\n")
cat(paste(c(format(found, digits = 15), seconds, format(packageVersion("pROC"))), collapse = ","), "\n")
