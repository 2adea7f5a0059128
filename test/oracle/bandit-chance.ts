import { type Candidate, priorityOf, type Work } from './candidate.ts';
import { gatesAskBandits } from './lists.ts';
import { objectiveWeights } from './objectives.ts';
import type { Step } from './way.ts';

/** The probability of a pick whose scores a bandit drew. */
export type BanditChance = (
  picked: Candidate,
  left: readonly Candidate[],
) => { readonly probability: number | null; readonly isEstimated: boolean };

/**
 * Null: no score was drawn that the order hangs on. Exact for one epsilon_greedy model that orders on its own
 * (docs/design/api-decisioning.md 15, docs/adr/0035); else counted in repetitions. `isPlain`: rank topN, nothing explores.
 */
export function banditChance(
  work: Work,
  listed: readonly Candidate[],
  steps: readonly Step[],
  isPlain: boolean,
): BanditChance | null {
  const readsLater = steps.some((step) => readsPropensity(work, step));
  if (work.isHoldout || !listed.some(({ parts }) => parts?.bandit != null && (parts.exponent !== 0 || readsLater)))
    return null;
  const [{ parts, fit }] = listed as [Candidate];
  const model = work.snapshot.models?.find(({ key }) => key === parts?.bandit);
  const draws = work.draws.get(model?.key ?? '');
  const changes = ['optimize', 'list', 'score_override'];
  const isChanged = steps.some(
    ({ type, config, phase, isCalled }) =>
      phase === 2 &&
      (isCalled || changes.includes(type) || (type === 'extension_point' && changes.includes(String(config.hook)))),
  );
  const isLimited = steps.some(
    ({ type, config }) =>
      type === 'score' && (Number(config.minScore ?? 0) > 0 || Number(config.minPropensity ?? 0) > 0),
  );
  const isExact =
    isPlain &&
    !isChanged &&
    !isLimited &&
    !gatesAskBandits(work) &&
    (work.target.slots?.length ?? 1) === 1 &&
    model?.modelType === 'epsilon_greedy' &&
    listed.every(
      (each) =>
        each.parts?.source === 'model' &&
        each.parts.bandit === parts?.bandit &&
        each.parts.method === 'propensity' &&
        each.fit === fit,
    );
  if (!isExact || draws === undefined)
    return (_, left) => ({ probability: left.length === 1 ? 1 : null, isEstimated: left.length > 1 });
  const e = draws.uniformChance;
  const greedy = (each: Candidate) => draws.greedy(each.offer.id);
  const before = (a: Candidate, b: Candidate) =>
    greedy(b) - greedy(a) || priorityOf(b) - priorityOf(a) || (a.offer.id < b.offer.id ? -1 : 1);
  let isGreedy = true;
  let uniform = e;
  let all = 1;
  return (picked, left) => {
    isGreedy &&= [...left].sort(before)[0] === picked;
    uniform /= left.length;
    const upTo = (isGreedy ? 1 - e : 0) + uniform;
    const probability = left.length === 1 ? 1 : upTo / all;
    all = upTo;
    return { probability, isEstimated: false };
  };
}

/** Whether a step after the score node orders by propensities, even if the scores don't depend on them. */
function readsPropensity(work: Work, { type, config, steps = [] }: Step): boolean {
  if (steps.some((step) => readsPropensity(work, step))) return true;
  if (type === 'extension_point' && config.hook === 'score_override')
    return config.kind === 'formula' && String(config.formula).includes('score.propensity');
  return type === 'optimize' && Number(objectiveWeights(work, config).propensity ?? 0) !== 0;
}
