import type { Candidate, Work } from './candidate.ts';
import { isInPeriod, isRow, type Row } from './world.ts';

/** The optimize node (docs/design/api-decisioning.md 8, docs/design/api-catalogue.md 17). */
export function optimize(work: Work, config: Row, candidates: readonly Candidate[]): void {
  const weights = objectiveWeights(work, config);
  const maxScore = Math.max(0, ...candidates.map(({ score }) => score));
  const b = config.combine === 'replace' ? 1 : Number(config.blendFactor ?? 0.5);
  const scores = candidates.map((candidate) => {
    let [sum, total] = [0, 0];
    for (const objective of Object.keys(weights).sort()) {
      const value = worthOf(work, objective, candidate, candidates);
      if (value === null || Number(weights[objective]) === 0) continue;
      sum += Number(weights[objective]) * value;
      total += Number(weights[objective]);
    }
    const c = total === 0 ? 0 : sum / total;
    return (1 - b) * (maxScore === 0 ? 0 : candidate.score / maxScore) + b * c;
  });
  candidates.forEach((candidate, at) => {
    candidate.score = scores[at]!;
  });
}

/** Weights by objective: the profile's, else the node's own. */
export function objectiveWeights({ snapshot }: Work, config: Row): Readonly<Record<string, unknown>> {
  const profile = snapshot.rankingProfiles?.find(({ id }) => id === config.profileId)?.weights;
  return profile ?? (isRow(config.weights) ? config.weights : {});
}

function worthOf(work: Work, objective: string, candidate: Candidate, all: readonly Candidate[]): number | null {
  const { offer, parts } = candidate;
  const { now, zone, events, input } = work;
  const among = (read: (offer: Candidate['offer']) => number | null): number | null => {
    const own = read(offer);
    if (own === null) return null;
    const values = all.map((each) => read(each.offer)).filter((value) => value !== null);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return most === least ? 0.5 : (own - least) / (most - least);
  };
  const contacts = (counts: (offerId: string) => boolean) =>
    events.filter(({ offerId, at }) => counts(offerId) && isInPeriod(at, 'days30', now, zone)).length;
  const counted = input.objectiveCounts?.offer(offer.id);
  switch (objective) {
    case 'propensity':
    case 'relevance':
    case 'impact':
    case 'emphasis':
      return parts?.[objective] ?? null;
    case 'revenue':
      return among(({ revenueValue }) => revenueValue);
    case 'margin':
      return among(({ margin }) => margin);
    case 'businessValue':
      return among(({ businessValue }) => businessValue);
    case 'engagement':
      return counted === undefined ? null : Math.min(1, (counted.positives + 1) / (counted.impressions + 10));
    case 'conversion':
      return counted === undefined ? null : (counted.converts + 1) / (counted.impressions + 10);
    case 'recency':
      return 1 - Math.min(1, contacts(() => true) / 10);
    case 'fatigue':
      return 1 - Math.min(1, contacts((id) => id === offer.id) / 10);
    case 'fairness': {
      const total = input.objectiveCounts?.impressions7 ?? 0;
      return total === 0 || counted === undefined ? 1 : 1 - counted.impressions7 / total;
    }
    default:
      return null;
  }
}
