# Estimates and standard errors by R's survey (tests/engine/test_survey.py). Rscript survey.R samples.csv > survey.json
suppressPackageStartupMessages(library(survey))
options(survey.lonely.psu = "fail", digits = 17)
rows <- read.csv(commandArgs(trailingOnly = TRUE)[1])
truth <- rows$y_true == "x"
for (model in c("a", "b")) {
  said <- rows[[model]] == "x"
  rows[[paste0(model, "_right")]] <- as.numeric(rows[[model]] == rows$y_true)
  rows[[paste0(model, "_hits")]] <- as.numeric(said & truth)
  rows[[paste0(model, "_said")]] <- as.numeric(said)
  rows[[paste0(model, "_both")]] <- as.numeric(said) + as.numeric(truth)
}
rows$a_hits2 <- 2 * rows$a_hits
rows$b_hits2 <- 2 * rows$b_hits
rows$apart <- rows$a_right - rows$b_right

pair <- function(found) c(estimate = coef(found)[[1]], error = SE(found)[[1]])
# Differences of two ratios, by a contrast of their joint covariance; of replicates, by both together.
contrast <- function(top, bottom, design) {
  if (inherits(design, "svyrep.design")) {
    value <- function(weights, data) {
      total <- function(name) sum(weights * data[[name]])
      total(top[1]) / total(bottom[1]) - total(top[2]) / total(bottom[2])
    }
    return(pair(withReplicates(design, value)))
  }
  names <- c(top, bottom)
  totals <- svytotal(reformulate(names), design)
  expression <- parse(text = sprintf("%s / %s - %s / %s", names[1], names[3], names[2], names[4]))[[1]]
  pair(svycontrast(totals, list(value = expression)))
}
statistics <- function(design) list(
  accuracy = pair(svymean(~a_right, design)),
  accuracy_apart = pair(svymean(~apart, design)),
  mean_score = pair(svymean(~score, design)),
  precision = pair(svyratio(~a_hits, ~a_said, design)),
  precision_apart = contrast(c("a_hits", "b_hits"), c("a_said", "b_said"), design),
  f1 = pair(svyratio(~a_hits2, ~a_both, design)),
  f1_apart = contrast(c("a_hits2", "b_hits2"), c("a_both", "b_both"), design)
)
designs <- function(rows) list(
  samples = svydesign(ids = ~1, weights = ~1, data = rows),
  strata = svydesign(ids = ~1, strata = ~stratum, weights = ~1, data = rows),
  clusters = svydesign(ids = ~cluster, weights = ~1, data = rows),
  weights = svydesign(ids = ~1, weights = ~weight, data = rows),
  strata_clusters = svydesign(ids = ~cluster, strata = ~stratum, weights = ~1, data = rows),
  strata_weights = svydesign(ids = ~1, strata = ~stratum, weights = ~weight, data = rows),
  clusters_weights = svydesign(ids = ~cluster, weights = ~weight, data = rows),
  strata_clusters_weights = svydesign(ids = ~cluster, strata = ~stratum, weights = ~weight, data = rows)
)
# Labels by people are the second phase. Cells are of answer and verdict; those of less than ten labels
# are joined by whether answer and verdict agree.
with_cells <- function(rows) {
  fine <- paste(rows$a, rows$judge)
  labels <- tapply(rows$labelled, fine, sum)[fine]
  rows$cell <- ifelse(labels < 10, as.character(rows$a == rows$judge), fine)
  rows
}
ratios <- function(design) list(
  accuracy = pair(svymean(~a_right, design)),
  precision = pair(svyratio(~a_hits, ~a_said, design)),
  f1 = pair(svyratio(~a_hits2, ~a_both, design))
)
two_phases <- function(rows) {
  ratios(twophase(
    id = list(~1, ~1), strata = list(NULL, ~cell), subset = ~labelled == 1, data = with_cells(rows), method = "full"
  ))
}
# Labels drawn with known probabilities, 1 / draw; the numbers of samples in the cells are known.
drawn <- function(rows) {
  rows <- with_cells(rows)
  sizes <- as.data.frame(table(cell = rows$cell))
  ratios(postStratify(svydesign(ids = ~1, weights = ~draw, data = rows[rows$labelled == 1, ]), ~cell, sizes))
}
# Each sample twenty times, in clusters of each copy.
copies <- rows[rep(seq_len(nrow(rows)), 20), ]
copies$cluster <- paste(copies$cluster, rep(1:20, each = nrow(rows)))
found <- list(linear = lapply(designs(rows), statistics))
found$jackknife <- lapply(lapply(designs(rows), as.svrepdesign, type = "auto"), statistics)
found$copies <- lapply(designs(copies), statistics)
found$labels <- list(two_phases = two_phases(rows), drawn = drawn(rows), copies = two_phases(copies))

object <- function(x, depth = 1) {
  if (is.character(x)) return(sprintf('"%s"', x))
  if (length(x) == 1 && is.null(names(x))) return(format(x, digits = 17))
  inner <- strrep("  ", depth)
  members <- sprintf('"%s": %s', names(x), vapply(x, object, "", depth = depth + 1))
  if (is.numeric(x)) return(paste0("{", paste(members, collapse = ", "), "}"))
  paste0("{\n", paste0(inner, members, collapse = ",\n"), "\n", strrep("  ", depth - 1), "}")
}
found$versions <- c(sprintf("R %s, survey %s", getRversion(), packageVersion("survey")))
cat(object(found), "\n", sep = "")
