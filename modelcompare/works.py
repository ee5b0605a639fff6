"""References of the methods, as a paper cites them."""

# A phrase for a paper, and the works that it cites.
Phrase = tuple[str, tuple[str, ...]]

BELL = (
    "Bell & McCaffrey (2002). Bias reduction in standard errors for linear regression with "
    "multi-stage samples. Survey Methodology 28, 169-181."
)
BONETT = (
    "Bonett & Price (2012). Adjusted Wald confidence interval for a difference of binomial "
    "proportions based on paired data. Journal of Educational and Behavioral Statistics 37, "
    "479-488. doi:10.3102/1076998611411915"
)
BROECKER = (
    "Broecker & Smith (2007). Increasing the reliability of reliability diagrams. Weather and "
    "Forecasting 22, 651-661. doi:10.1175/WAF993.1"
)
BROWN = (
    "Brown, Cai & DasGupta (2001). Interval estimation for a binomial proportion. Statistical "
    "Science 16, 101-133. doi:10.1214/ss/1009213286"
)
CHUNG = (
    "Chung & Romano (2013). Exact and asymptotically robust permutation tests. Annals of "
    "Statistics 41, 484-507. doi:10.1214/13-AOS1090"
)
CLOPPER = (
    "Clopper & Pearson (1934). The use of confidence or fiducial limits illustrated in the case of "
    "the binomial. Biometrika 26, 404-413. doi:10.1093/biomet/26.4.404"
)
COCHRAN = "Cochran (1977). Sampling Techniques, 3rd edition, chapter 5A. Wiley."
DANIELS = (
    "Daniels (1987). Tail probability approximations. International Statistical Review 55, 37-48."
)
DAVISON = (
    "Davison & Hinkley (1997). Bootstrap Methods and their Application. Cambridge University Press."
)
DELONG = (
    "DeLong, DeLong & Clarke-Pearson (1988). Comparing the areas under two or more correlated "
    "receiver operating characteristic curves. Biometrics 44, 837-845. doi:10.2307/2531595"
)
EFRON = (
    "Efron (1987). Better bootstrap confidence intervals. Journal of the American Statistical "
    "Association 82, 171-185. doi:10.1080/01621459.1987.10478410"
)
EFRON_BOOK = "Efron & Tibshirani (1993). An Introduction to the Bootstrap. Chapman & Hall."
HALL = (
    "Hall (1992). On the removal of skewness by transformation. Journal of the Royal Statistical "
    "Society B 54, 221-228."
)
HESTERBERG = (
    "Hesterberg (2015). What teachers should know about the bootstrap: resampling in the "
    "undergraduate statistics curriculum. The American Statistician 69, 371-386. "
    "doi:10.1080/00031305.2015.1089789"
)
INFLUENCE = "Efron (1982). The Jackknife, the Bootstrap and Other Resampling Plans. SIAM."
JANSSEN = (
    "Janssen (1997). Studentized permutation tests for non-i.i.d. hypotheses and the generalized "
    "Behrens-Fisher problem. Statistics & Probability Letters 36, 9-21. "
    "doi:10.1016/S0167-7152(97)00043-6"
)
NOREEN = "Noreen (1989). Computer-Intensive Methods for Testing Hypotheses. Wiley."
ORDER = (
    "Hettmansperger & Sheather (1986). Confidence intervals based on interpolated order "
    "statistics. Statistics & Probability Letters 4, 75-79."
)
NYBLOM = (
    "Nyblom (1992). Note on interpolated order statistics. Statistics & Probability Letters 14, "
    "129-131."
)
WOODRUFF = (
    "Woodruff (1952). Confidence intervals for medians and other position measures. Journal of the "
    "American Statistical Association 47, 635-646."
)
PHIPSON = (
    "Phipson & Smyth (2010). Permutation p-values should never be zero. Statistical Applications "
    "in Genetics and Molecular Biology 9, 39. doi:10.2202/1544-6115.1585"
)
PUSTEJOVSKY = (
    "Pustejovsky & Tipton (2018). Small-sample methods for cluster-robust variance estimation and "
    "hypothesis testing in fixed effects models. Journal of Business & Economic Statistics 36, "
    "672-683. doi:10.1080/07350015.2016.1247004"
)
ROBINSON = (
    "Robinson (1982). Saddlepoint approximations for permutation tests and confidence intervals. "
    "Journal of the Royal Statistical Society B 44, 91-101."
)
WESTFALL = "Westfall & Young (1993). Resampling-Based Multiple Testing. Wiley."
WILSON = (
    "Wilson (1927). Probable inference, the law of succession, and statistical inference. Journal "
    "of the American Statistical Association 22, 209-212. doi:10.1080/01621459.1927.10502953"
)
ZOU = (
    "Zou & Donner (2008). Construction of confidence limits about effect measures: a general "
    "approach. Statistics in Medicine 27, 1693-1702. doi:10.1002/sim.3095"
)
