import type { EvaluationReason, EvaluationResult, EvaluationSpec } from '@arbiter/contract';
import { type Evaluation, type EvaluationLog, evaluate } from '@arbiter/lab';
import type { EvaluationTally } from './evaluation-tally.ts';
import { rewardRange } from './rewards.ts';

const dayMs = 86_400_000;
/** Values above this quantile are capped, unless the request names a cap. */
const capQuantile = 0.999;

const target =
  'The mean reward per decision if the draft had answered each recorded request in its recorded state. It doesn’t show how customers would change after weeks with the draft.';

/** Returns the result of all chunks. `trainedTo`: until when models of the draft were trained on the outcomes; null: none was. */
export function resultOf(
  spec: EvaluationSpec,
  joined: EvaluationLog,
  tally: EvaluationTally,
  trainedTo: Date | null,
): EvaluationResult {
  const capped = spec.reward === 'value' ? capValues(joined, spec.valueCap) : null;
  const log = capped?.log ?? joined;
  const decisions = log.customer.length;
  const stateShift = tally.compared === 0 ? null : tally.shifted / tally.compared;
  const found = evaluate(log, {
    estimators: spec.estimators,
    clip: spec.clip,
    confidence: spec.confidence,
    rewards: rewardRange(spec, capped?.cap ?? 0),
    notEvaluable: Object.values(tally.notEvaluable).reduce((sum, count) => sum + count, 0),
    maxNotEvaluable: spec.maxNotEvaluableShare,
    probabilities: { checked: tally.checked, mismatches: tally.mismatches },
    stateShift,
    days: Math.max(1, (Date.parse(spec.to) - Date.parse(spec.from)) / dayMs),
    exploreRate: decisions === 0 ? 0 : tally.exploreRates / decisions,
    segments: spec.segmentIds,
  });
  return {
    ...verdictOf(found, trainedTo),
    ...{ target, reward: spec.reward, decisions, customers: found.customers },
    excluded: { controlGroup: tally.controlGroup, notEvaluable: tally.notEvaluable },
    notRecorded: tally.lacking,
    supportShare: found.diagnostics.supportShare,
    effectiveSampleSize: found.diagnostics.effectiveSampleSize,
    clippedShare: found.diagnostics.clippedShare,
    estimatedShare: decisions === 0 ? 0 : tally.estimated / decisions,
    headline: found.headline,
    logged: found.logged,
    bySegment: found.bySegment.map(({ segment, ...row }) => ({ segmentId: segment, ...row })),
    stateShift,
    value: capped === null ? null : { cap: capped.cap, cutShare: capped.cutShare },
    diagnostics: diagnosticsOf(found, tally),
  };
}

/** Refuses models that were trained on the outcomes they'd be judged by. */
function verdictOf(
  { verdict, reasons, needed, estimates, delta, lift }: Evaluation,
  trainedTo: Date | null,
): Pick<EvaluationResult, 'verdict' | 'reasons' | 'needed' | 'estimates' | 'delta' | 'lift'> {
  if (trainedTo === null) {
    const help = needed === null ? null : { ...needed, from: null };
    return { verdict, reasons: [...reasons], needed: help, estimates, delta, lift };
  }
  const others: EvaluationReason[] = verdict === 'refused' ? [...reasons] : [];
  return {
    verdict: 'refused',
    reasons: ['trained_on_window', ...others],
    needed: { explore: null, days: null, from: trainedTo.toISOString() },
    ...{ estimates: null, delta: null, lift: null },
  };
}

function diagnosticsOf(
  { diagnostics }: Evaluation,
  { checked, mismatches }: EvaluationTally,
): EvaluationResult['diagnostics'] {
  const { effectiveSampleSizes, weightZ, unsupportedOffers, calibration, byClip, ...figures } = diagnostics;
  const { rewardCustomers, largestWeight, unseenSlots, heaviestShare, skewness } = figures;
  return {
    ...{ rewardCustomers, largestWeight, unseenSlots, heaviestShare, skewness },
    effectiveSampleSizes: [...effectiveSampleSizes],
    weightZ: [...weightZ],
    unsupportedOffers: unsupportedOffers.map(({ offer, share }) => ({ offerId: offer, share })),
    calibration: calibration.map((row) => ({ ...row })),
    byClip: byClip.map((row) => ({ ...row })),
    probabilities: { checked, mismatches },
  };
}

/** Cuts values off, so that a few large ones don't decide the result. */
function capValues(
  log: EvaluationLog,
  wanted: number | undefined,
): { readonly log: EvaluationLog; readonly cap: number; readonly cutShare: number } {
  const values = log.reward.filter((value) => value > 0).sort();
  const usual = values.length === 0 ? 0 : values[Math.min(values.length - 1, Math.floor(values.length * capQuantile))]!;
  const cap = wanted ?? usual;
  let all = 0;
  let cut = 0;
  for (const value of values) {
    all += value;
    cut += Math.max(0, value - cap);
  }
  const reward = log.reward.map((value) => Math.min(cap, Math.max(0, value)));
  return { log: { ...log, reward }, cap, cutShare: all === 0 ? 0 : cut / all };
}
