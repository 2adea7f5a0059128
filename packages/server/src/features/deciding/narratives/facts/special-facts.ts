import type { DecisionTrace } from '@arbiter/contract';
import { type FactDraft, quoted } from '../../../operations/narration/index.ts';
import { counted, figure } from './say.ts';

/** Returns what was special about the decision: holdout, experiment, degraded scoring, mandatory offers, coupling. */
export function specialFacts(trace: DecisionTrace): readonly FactDraft[] {
  const { controlGroup, degradedScoring, assignment, selectedOffers } = trace;
  const facts: FactDraft[] = [];
  const add = (kind: FactDraft['kind'], value: unknown, text: string): void => {
    facts.push({ kind, subject: null, value, text });
  };
  const mandatory = selectedOffers.filter((offer) => offer.mandatory).length;
  if (mandatory > 0) {
    const which =
      mandatory === 1 ? '1 offer is mandatory and was' : `${figure(mandatory)} offers are mandatory and were`;
    add('mandatory', { mandatory }, `${which} placed ahead of the ranking.`);
  }
  if (controlGroup) {
    const share = assignment.holdout?.share;
    const size = share === undefined ? '' : ` with a share of ${figure(share)}`;
    add('control_group', { share: share ?? null }, `The customer is in the holdout group${size}.`);
  }
  experimentFact(trace, add);
  if (degradedScoring) add('degraded', { degradedScoring }, 'Scoring was degraded: a model could not be used.');
  for (const { channelId, mode, suppressedPlacements } of trace.summary.channelCoupling) {
    if (suppressedPlacements.length === 0) continue;
    const emptied = counted(suppressedPlacements.length, 'placement');
    const value = { channelId, mode, suppressedPlacements };
    add('coupling', value, `Coupling of the mode ${quoted(mode)} emptied ${emptied} of a channel.`);
  }
  return facts;
}

function experimentFact(
  { experimentAssignment, assignment }: DecisionTrace,
  add: (kind: FactDraft['kind'], value: unknown, text: string) => void,
): void {
  if (experimentAssignment === null) return;
  const { experimentKey, variant, modelKey, fallback } = experimentAssignment;
  const of = experimentKey === null ? '' : ` of the experiment ${quoted(experimentKey)}`;
  const size = assignment.experiment === null ? '' : ` with a share of ${figure(assignment.experiment)}`;
  const scored = modelKey === null ? '' : `, and the model ${quoted(modelKey)} scored`;
  const instead = fallback ? ' in place of a challenger that could not be used' : '';
  add(
    'experiment',
    { ...experimentAssignment, share: assignment.experiment },
    `The customer was assigned to the variant ${quoted(variant)}${of}${size}${scored}${instead}.`,
  );
}
