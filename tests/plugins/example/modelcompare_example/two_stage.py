"""Two-stage samples as a design: clusters, and items within them, both of finite numbers."""

from modelcompare.engine.design import Design, Estimator
from modelcompare.engine.layers import Layers
from modelcompare.engine.scope import Part, Scope
from modelcompare_example.draws import Draw
from modelcompare_example.variances import influences, variance_of_sums


class Stages(Part):
    at_hand = {"two-stage": True}  # noqa: RUF012  never changed
    notes = ("For a finite number of clusters, of which some were drawn, and items within each.",)


class TwoStageEstimator(Estimator):
    def layers(self, pairs):
        u = influences(self.evaluation, self.point)
        u = u if pairs is None else u[:, pairs[0]] - u[:, pairs[1]]
        access = self.evaluation.predictions.access
        variance = variance_of_sums(u, access.unit_of, access.attachments[Draw.name])
        return Layers.of_items(variance, self.evaluation.units.size - 1.0)


class TwoStage(Design):
    beyond_items, given, unknown = True, "the sample has two stages, and ", "the error of its draw"
    instead = "give Predictions without the numbers of the draw"
    at_any_time = "a sample in two stages; ask once"

    @property
    def scope(self):
        return Scope(len(self.predictions), (Stages(),))

    def estimator(self, evaluation):
        if self.predictions.strata is not None or self.predictions.runs is not None:
            raise ValueError("two stages have no `strata` and no `runs`; leave them out.")
        self.check_influences(evaluation)
        return TwoStageEstimator(evaluation)


DESIGNS = (lambda p, *_: TwoStage(p) if Draw.name in p.access.attachments else None,)
