import type { Candidate, Work } from './candidate.ts';
import { uniforms } from './chance.ts';
import { type Chosen, exploreExploit } from './explore-exploit.ts';
import { isRow, type Row } from './world.ts';

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

export interface Picked {
  readonly candidate: Candidate;
  readonly isClose: boolean;
  /** Absent: nothing was left to chance. */
  readonly chances?: Chosen['chances'];
}

export const chanceOf = ({ candidate, chances }: Picked, of: Candidate): number =>
  chances === undefined ? (of === candidate ? 1 : 0) : (chances.get(of) ?? 0);

export interface Ranking {
  next(left: readonly Candidate[], place: number, most: number): Picked | null;
  took(candidate: Candidate): void;
  /** Held back for now. */
  waits(candidate: Candidate): boolean;
}

const closeness = 1e-12;

export function rankingByStrategy(
  work: Work,
  node: { readonly id: string; readonly config: Row },
  listed: readonly Candidate[],
): Ranking {
  const choose = exploreExploit(work, node, node.config, listed);
  return {
    next(left, place, most) {
      const chosen = choose(left, place, most);
      if (chosen === null) return null;
      const gaps = left.slice(1).map((each, at) => left[at]!.score - each.score);
      return { ...chosen, isClose: gaps.some((gap) => gap > 0 && gap < closeness) };
    },
    took: () => undefined,
    waits: () => false,
  };
}

export function rankingOf(method: string, config: Row, listed: readonly Candidate[], maxScore: number): Ranking {
  const first = (left: readonly Candidate[], value: (candidate: Candidate) => number) => {
    let best: Candidate | null = null;
    for (const candidate of left) if (best === null || value(candidate) > value(best)) best = candidate;
    if (best === null) return null;
    const isClose = left.some((each) => {
      const gap = Math.abs(value(each) - value(best));
      return gap > 0 && gap < closeness;
    });
    return { candidate: best, isClose };
  };
  const none = { took: () => undefined, waits: () => false };
  if (method === 'topN') return { next: (left) => first(left, ({ score }) => score), ...none };
  if (method === 'round_robin') {
    const by = String(config.roundRobinBy ?? 'category');
    const groupOf = ({ offer, creative }: Candidate) =>
      ({
        category: offer.categoryId,
        subCategory: offer.subCategoryId,
        productType: offer.productType,
        channel: creative?.channelId ?? null,
      })[by] ?? null;
    const groups = [...new Set(listed.map(groupOf))];
    let turn = 0;
    return {
      next(left) {
        for (let tried = 0; tried < groups.length; tried++) {
          const group = groups[turn % groups.length];
          turn += 1;
          const found = first(
            left.filter((each) => groupOf(each) === group),
            ({ score }) => score,
          );
          if (found !== null) return found;
        }
        return null;
      },
      ...none,
    };
  }
  const lambda = Number(config.lambda ?? config.diversityLambda ?? 0.7);
  const weights = isRow(config.similarity) ? config.similarity : {};
  const { category = 0.5, subCategory = 0.3, productType = 0.2 } = weights;
  const chosen: Candidate[] = [];
  let most = Number(config.maxPerCategory ?? 0);
  const alike = (a: string | null, b: string | null, weight: unknown) => (a !== null && a === b ? Number(weight) : 0);
  const similarity = ({ offer: a }: Candidate, { offer: b }: Candidate) =>
    alike(a.categoryId, b.categoryId, category) +
    alike(a.subCategoryId, b.subCategoryId, subCategory) +
    alike(a.productType, b.productType, productType);
  const value = (candidate: Candidate) =>
    lambda * (maxScore === 0 ? 0 : candidate.score / maxScore) -
    (1 - lambda) * Math.max(0, ...chosen.map((other) => similarity(candidate, other)));
  const isFull = ({ offer }: Candidate) =>
    most > 0 &&
    offer.categoryId !== null &&
    chosen.filter((other) => other.offer.categoryId === offer.categoryId).length >= most;
  return {
    next(left) {
      if (left.length === 0) return null;
      while (left.every(isFull)) most += 1;
      return first(
        left.filter((each) => !isFull(each)),
        value,
      );
    },
    took: (candidate) => void chosen.push(candidate),
    waits: isFull,
  };
}

/** Chance around the rank method (docs/adr/0019): a slot is drawn from the pool with probability `rate`. */
export function exploreOf(work: Work) {
  const config = work.snapshot.flow.config.flowConfig?.explore;
  if (!isRow(config) || Number(config.rate ?? 0) <= 0) return null;
  const { rate, poolSize = 20, fromRank = 1 } = config;
  const channels = texts(config.channels);
  const isOn = ({ creative }: Candidate) =>
    channels.length === 0 || (creative !== null && channels.includes(creative.channelId));
  return (number: number, pick: Picked, left: readonly Candidate[]) => {
    const { candidate: picked } = pick;
    const certain = { candidate: picked, probability: chanceOf(pick, picked) };
    if (number < Number(fromRank) || !isOn(picked)) return certain;
    const pool = left.filter(isOn).slice(0, Number(poolSize));
    if (pool.length <= 1) return certain;
    const next = uniforms(work.input.seed, `explore:${number}`);
    const candidate = next() < Number(rate) ? pool[Math.floor(next() * pool.length)]! : picked;
    // The place explores where the method picks on such a channel (docs/adr/0036).
    const reach = left.filter(isOn).reduce((sum, each) => sum + chanceOf(pick, each), 0);
    const probability =
      (1 - Number(rate)) * chanceOf(pick, candidate) +
      (pool.includes(candidate) ? (Number(rate) * reach) / pool.length : 0);
    return { candidate, probability };
  };
}

/** Whether a rank method leaves nothing to chance but what `explore` does. */
export const methodOf = ({ isHoldout }: Work, config: Row): string =>
  isHoldout ? 'topN' : String(config.method ?? 'topN');

/** `topN` acts with its method alone. */
export const cutOf = (config: Row): number =>
  Math.min(
    ...[config.method === undefined || config.method === 'topN' ? config.topN : null, config.maxCandidates].filter(
      (value): value is number => typeof value === 'number',
    ),
  );

/** Returns what a called flow's rank node keeps of its list, without randomness: its first offers. */
export function firstRanked(work: Work, config: Row, listed: readonly Candidate[]): Candidate[] {
  const method = methodOf(work, config);
  const maxScore = Math.max(0, ...listed.map(({ score }) => score));
  const ranking = rankingOf(method === 'explore_exploit' ? 'topN' : method, config, listed, maxScore);
  const kept = new Set<Candidate['offer']>();
  while (kept.size < cutOf(config)) {
    const left = listed.filter(({ offer }) => !kept.has(offer));
    const pick = ranking.next(left, kept.size + 1, listed.length);
    if (pick === null) break;
    ranking.took(pick.candidate);
    kept.add(pick.candidate.offer);
  }
  return listed.filter(({ offer }) => kept.has(offer));
}
