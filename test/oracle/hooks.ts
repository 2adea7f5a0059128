import { type Candidate, factsOf, inOrder, isIn, type Work } from './candidate.ts';
import { bareOf } from './custom-fields.ts';
import { evaluate, type Outcome, type Reading } from './formula.ts';
import type { Step } from './way.ts';

const namespaces = ['customer', 'offer', 'creative', 'attributes', 'channel', 'placement', 'request', 'score'];

/** What a formula reads for a candidate. `rank`: its rank so far; null before scoring. */
export function readingOf(
  work: Work,
  candidate: Candidate | null,
  rank: number | null,
  placementId: string | null = null,
  earlier: ReadonlyMap<string, unknown> = new Map(),
  computes = true,
): Reading {
  const placement = work.snapshot.placements.find(({ id }) => id === placementId) ?? null;
  const parts = candidate?.parts ?? null;
  const score =
    candidate === null || rank === null
      ? null
      : { total: candidate.score, ...parts, fitMultiplier: candidate.fit, rank };
  const facts = { ...factsOf(work, candidate), placement, score };
  const reading: Reading = {
    now: work.now,
    zone: work.zone,
    path([namespace, ...names]) {
      if (!namespaces.includes(namespace!)) return undefined;
      let value: unknown = facts[namespace as keyof typeof facts] ?? null;
      for (const name of names) {
        if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null;
        value = Reflect.get(value, name);
      }
      return value ?? null;
    },
    bare(name) {
      if (earlier.has(name)) return earlier.get(name);
      return candidate === null ? undefined : bareOf(work, candidate.offer, reading, name, computes);
    },
  };
  return reading;
}

const ask = (work: Work, { config }: Step, candidate: Candidate, rank: number | null): Outcome =>
  evaluate(String(config.formula), readingOf(work, candidate, rank));

/** A webhook's response for an offer; null: none for it; `failed`: no response at all. */
function said(work: Work, { id }: Step, candidate: Candidate) {
  const answer = work.input.external?.[id];
  if (answer === undefined || 'error' in answer) return 'failed' as const;
  return answer.candidates.find(({ offerId }) => offerId === candidate.offer.id) ?? null;
}

/** 0, false and "" drop the candidate. So does a missing result, unless the hook says to continue. */
export function preScore(work: Work, step: Step, candidates: readonly Candidate[]): void {
  const { kind = 'none', onError = 'drop' } = step.config;
  for (const candidate of candidates) {
    const drop = () => candidate.reasons.add('extension_point');
    if (kind === 'formula') {
      const { value } = ask(work, step, candidate, null);
      if (value === null ? onError === 'drop' : value === 0 || value === false || value === '') drop();
    }
    if (kind === 'webhook') {
      const answer = said(work, step, candidate);
      if (answer === 'failed' ? onError === 'drop' : answer?.drop === true) drop();
    }
  }
}

export function overrideScores(work: Work, step: Step, candidates: readonly Candidate[]): void {
  const { kind = 'none', onError = 'continue' } = step.config;
  const results = inOrder(candidates).map((candidate, place) => {
    if (kind === 'formula') {
      const { value } = ask(work, step, candidate, place + 1);
      return { candidate, score: typeof value === 'number' && value >= 0 ? value : null, isSilent: false };
    }
    const answer = said(work, step, candidate);
    if (answer === 'failed') return { candidate, score: null, isSilent: false };
    if (answer?.drop) candidate.reasons.add('extension_point');
    return { candidate, score: answer?.score ?? null, isSilent: (answer?.score ?? null) === null };
  });
  if (kind === 'none') return;
  for (const { candidate, score, isSilent } of results) {
    if (score !== null) candidate.score = score;
    else if (!isSilent && onError === 'drop') candidate.reasons.add('extension_point');
  }
}

/**
 * The items of one placement in the order of post_rank: those with a key share the places that they have, best first; the
 * others keep theirs. `firstRank`: of the first of them.
 */
export function reorder<I extends { readonly candidate: Candidate }>(
  work: Work,
  step: Step,
  items: readonly I[],
  firstRank: number,
): I[] {
  const { kind = 'none', onError = 'continue' } = step.config;
  if (kind === 'none') return [...items];
  const keyed = items.map((item, place) => {
    const { candidate } = item;
    if (candidate.mandatory) return { item, key: null };
    if (kind === 'formula') {
      const { value } = ask(work, step, candidate, firstRank + place);
      if (typeof value !== 'number' && onError === 'drop') candidate.reasons.add('extension_point');
      return { item, key: typeof value === 'number' ? value : null };
    }
    const answer = said(work, step, candidate);
    if (answer === 'failed' ? onError === 'drop' : answer?.drop) candidate.reasons.add('extension_point');
    return { item, key: answer === 'failed' ? null : (answer?.score ?? null) };
  });
  const kept = keyed.filter(({ item }) => isIn(item.candidate));
  const sorted = kept.filter(({ key }) => key !== null).sort((a, b) => b.key! - a.key!);
  return kept.map(({ item, key }) => (key === null ? item : sorted.shift()!.item));
}
