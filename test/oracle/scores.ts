import type { Json } from '@arbiter/engine';
import { type Candidate, priorityOf, type Work } from './candidate.ts';
import { isInPeriod, isRow, type Row } from './world.ts';

/** Config of the score node, or of the flow where there is none. */
export function scoringOf({ snapshot }: Work): Row {
  const { nodes, flowConfig } = snapshot.flow.config;
  const node = nodes.find(({ type, enabled }) => type === 'score' && enabled !== false);
  const config = node?.config ?? flowConfig?.scoring ?? {};
  return isRow(config) ? config : {};
}

/** The ladder (docs/design/api-decisioning.md 10), without models. */
export function propensity(work: Work, { offer }: Candidate): number {
  const { input } = work;
  const config = scoringOf(work).evidence;
  const { offerMin = 50, categoryMin = 20, globalMin = 10, smoothing = 10 } = isRow(config) ? config : {};
  const given = input.request.attributes.propensityScores;
  const own = isRow(given) && Object.hasOwn(given, offer.id) ? given[offer.id] : undefined;
  if (typeof own === 'number' && Number.isFinite(own)) return Math.min(1, Math.max(0, own));
  const sum = ([positives, negatives]: readonly [number, number]) => positives + negatives;
  const rate = (pair: readonly [number, number]) => pair[0] / sum(pair);
  const evidence = input.evidence.offer(offer.id);
  const category: readonly [number, number] =
    offer.categoryId === null ? [0, 0] : input.evidence.category(offer.categoryId);
  const { global } = input.evidence;
  if (sum(evidence) >= Number(offerMin)) return rate(evidence);
  const hasCategory = sum(category) >= Number(categoryMin) && sum(category) > 0;
  const hasGlobal = sum(global) >= Number(globalMin) && sum(global) > 0;
  if (sum(evidence) >= 1) {
    const prior = hasCategory ? rate(category) : hasGlobal ? rate(global) : 0.5;
    return (evidence[0] + Number(smoothing) * prior) / (sum(evidence) + Number(smoothing));
  }
  return hasCategory ? rate(category) : hasGlobal ? rate(global) : 0.5;
}

/** Sets the scores of the candidates that entered the score node; tells those that leave there. */
export function scoreAll(work: Work, candidates: readonly Candidate[], holdout: boolean): void {
  const config = scoringOf(work);
  const most = (read: (candidate: Candidate) => number | null) =>
    Math.max(0, ...candidates.map((candidate) => read(candidate) ?? 0));
  const maxMargin = most(({ offer }) => offer.margin);
  const maxRevenue = most(({ offer }) => offer.revenueValue);
  for (const candidate of candidates) {
    const { offer, creative } = candidate;
    const override = ((config.overrides ?? []) as readonly Row[]).find(
      ({ channelId, channelType }) =>
        (channelId !== undefined && channelId === creative?.channelId) ||
        (channelType !== undefined && channelType === channelTypeOf(work, creative?.channelId)),
    );
    const method = holdout ? 'priority_weighted' : (override?.method ?? config.method);
    const weights = override?.formula ?? config.formula;
    const exponent = (name: string) => Number((isRow(weights) ? weights[name] : undefined) ?? 1);
    const P = propensity(work, candidate);
    const parts: [weight: number, value: number][] = [[0.5, Math.max(0, offer.businessValue) / 100]];
    if (offer.margin !== null && maxMargin > 0) parts.push([0.25, Math.max(0, offer.margin) / maxMargin]);
    if (offer.revenueValue !== null && maxRevenue > 0) parts.push([0.25, Math.max(0, offer.revenueValue) / maxRevenue]);
    const total = parts.reduce((sum, [weight]) => sum + weight, 0);
    const I = Math.max(0.01, parts.reduce((sum, [weight, value]) => sum + weight * value, 0) / total);
    const E = Math.max(priorityOf(candidate), 1) / 100;
    const R = relevance(work, candidate);
    const power = (base: number, name: string) => base ** exponent(name);
    candidate.score =
      method === 'priority_weighted'
        ? (priorityOf(candidate) / 100) * ((creative?.weight ?? 100) / 100) * candidate.fit
        : method === 'propensity'
          ? P * candidate.fit
          : power(P, 'propensityWeight') *
            power(R, 'relevanceWeight') *
            power(I, 'impactWeight') *
            power(E, 'emphasisWeight') *
            candidate.fit;
    if (P < Number(config.minPropensity ?? 0)) candidate.reasons.add('min_propensity');
    if (candidate.score < Number(config.minScore ?? 0)) candidate.reasons.add('min_score');
  }
}

const channelTypeOf = ({ snapshot }: Work, id: string | undefined): string | undefined =>
  snapshot.channels.find((channel) => channel.id === id)?.channelType;

/** R of docs/design/api-decisioning.md 10. */
function relevance(work: Work, { offer, creative }: Candidate): number {
  const { input, customer, now, zone, segments } = work;
  const parts: number[] = [];
  const preferred = customer.preferred_channel;
  const reference =
    typeof preferred === 'string' && preferred !== '' ? preferred : (input.request.channelId ?? input.request.channel);
  if (reference !== null) {
    const isIt =
      creative !== null && (creative.channelId === reference || channelTypeOf(work, creative.channelId) === reference);
    parts.push(isIt ? 1 : 0.5);
  }
  const contacts = work.events.filter(({ offerId, at }) => offerId === offer.id && isInPeriod(at, 'days30', now, zone));
  parts.push(1 - Math.min(1, contacts.length / 10));
  const interests = new Set(
    [
      ...texts(input.request.attributes.interests),
      ...texts(customer.interests as Json),
      ...texts(customer.preferred_product_type as Json),
      ...segments,
    ].map((text) => text.toLowerCase()),
  );
  const traits = [...(offer.productType === null ? [] : [offer.productType]), ...offer.tags];
  if (traits.length > 0 && interests.size > 0)
    parts.push(traits.some((trait) => interests.has(trait.toLowerCase())) ? 1 : 0.5);
  return Math.max(0.05, parts.reduce((sum, part) => sum + part, 0) / parts.length);
}

const texts = (value: Json | undefined): string[] =>
  typeof value === 'string'
    ? value === ''
      ? []
      : [value]
    : Array.isArray(value)
      ? value.filter((entry): entry is string => typeof entry === 'string' && entry !== '')
      : [];
