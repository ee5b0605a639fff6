from modelcompare.plugins.ledgers.testing import assert_kept as assert_kept
from modelcompare.questions.assertions import assert_not_worse as assert_not_worse
