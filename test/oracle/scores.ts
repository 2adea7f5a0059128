import type { Json } from '@arbiter/engine';
import { type Candidate, type Parts, priorityOf, type Work } from './candidate.ts';
import { isBandit, modelOf, modelScore, variantOf } from './models.ts';
import { isInPeriod, isRow, type Row } from './world.ts';

/** A score node, with what names it in the shares of champion and challengers. */
export interface Scoring {
  readonly config: Row;
  readonly flowKey: string;
  readonly nodeId: string;
}

/** Returns the flow's own score node, or its replacement. */
export function scoringOf({ snapshot: { flow } }: Work): Scoring {
  const node = flow.config.nodes.find(({ type, enabled }) => type === 'score' && enabled !== false);
  const config = node?.config ?? flow.config.flowConfig?.scoring ?? {};
  return { config: isRow(config) ? config : {}, flowKey: flow.key, nodeId: node?.id ?? 'scoring' };
}

interface Propensity {
  readonly value: number;
  readonly source: string;
  readonly modelKey: string | null;
  readonly bandit: string | null;
}

const overrideOf = (work: Work, config: Row, { creative }: Candidate): Row | undefined =>
  (Array.isArray(config.overrides) ? config.overrides : [])
    .filter(isRow)
    .find(
      ({ channelId, channelType }) =>
        (channelId !== undefined && channelId === creative?.channelId) ||
        (channelType !== undefined && channelType === channelTypeOf(work, creative?.channelId)),
    );

/** The name of the model that a candidate is scored by; null: none. The control group has no share of champions. */
function modelNameOf(work: Work, scoring: Scoring, candidate: Candidate): string | null {
  const { config, flowKey, nodeId } = scoring;
  const variant = work.isHoldout ? null : variantOf(work, config, flowKey, nodeId);
  const own = variant ?? overrideOf(work, config, candidate)?.modelKey ?? config.modelKey ?? null;
  return own === null ? null : String(own);
}

/** The ladder (docs/design/api-decisioning.md 10). The control group asks no model. */
function propensity(work: Work, scoring: Scoring, candidate: Candidate): Propensity {
  const { input, isHoldout } = work;
  const { config } = scoring;
  const { offer } = candidate;
  const name = modelNameOf(work, scoring, candidate);
  const limits = isRow(config.evidence) ? config.evidence : {};
  const { offerMin = 50, categoryMin = 20, globalMin = 10, smoothing = 10 } = limits;
  const key = name === null ? null : (modelOf(work, name)?.key ?? null);
  const bandit = name !== null && isBandit(work, name) ? key : null;
  const told = (value: number, source: string, byBandit = false): Propensity => ({
    value,
    source,
    modelKey: key,
    bandit: byBandit ? bandit : null,
  });
  const given = input.request.attributes.propensityScores;
  for (const by of [offer.id, name, isHoldout ? null : key]) {
    const own = by !== null && isRow(given) && Object.hasOwn(given, by) ? given[by] : undefined;
    if (typeof own === 'number' && Number.isFinite(own)) return told(Math.min(1, Math.max(0, own)), 'request');
  }
  const byModel = name === null || isHoldout ? null : modelScore(work, name, offer.id);
  const isLast = config.propensitySource === 'adaptive_first';
  if (byModel !== null && !isLast) return told(byModel, 'model', true);
  const sum = ([positives, negatives]: readonly [number, number]) => positives + negatives;
  const rate = (pair: readonly [number, number]) => pair[0] / sum(pair);
  const evidence = input.evidence.offer(offer.id);
  const category: readonly [number, number] =
    offer.categoryId === null ? [0, 0] : input.evidence.category(offer.categoryId);
  const { global } = input.evidence;
  if (sum(evidence) >= Number(offerMin)) return told(rate(evidence), 'offer');
  const hasCategory = sum(category) >= Number(categoryMin) && sum(category) > 0;
  const hasGlobal = sum(global) >= Number(globalMin) && sum(global) > 0;
  if (sum(evidence) >= 1) {
    const prior = hasCategory ? rate(category) : hasGlobal ? rate(global) : (byModel ?? 0.5);
    return told(
      (evidence[0] + Number(smoothing) * prior) / (sum(evidence) + Number(smoothing)),
      'offer_blend',
      !hasCategory && !hasGlobal && byModel !== null,
    );
  }
  if (hasCategory) return told(rate(category), 'category');
  if (hasGlobal) return told(rate(global), 'global');
  return byModel === null ? told(0.5, 'default') : told(byModel, 'model', true);
}

/** P of a candidate before it is scored, as gates ask for it. */
export const propensityOf = (work: Work, candidate: Candidate): number => {
  return propensity(work, scoringOf(work), candidate).value;
};

const exponentNames = ['propensity', 'relevance', 'impact', 'emphasis'] as const;
type Exponents = Readonly<Record<(typeof exponentNames)[number], number>>;

/** Returns the first that is set: overrides, strategyOverrides, strategyProfileId, the node, the tenant. */
function exponentsOf(work: Work, config: Row, candidate: Candidate): Exponents {
  const { snapshot } = work;
  const { offer, creative } = candidate;
  const named = (read: (name: (typeof exponentNames)[number]) => number): Exponents => ({
    propensity: read('propensity'),
    relevance: read('relevance'),
    impact: read('impact'),
    emphasis: read('emphasis'),
  });
  const byWeights = (weights: Row) => named((name) => Number(weights[`${name}Weight`] ?? 1));
  const byProfile = (id: Json | undefined): Exponents | null => {
    const weights = snapshot.rankingProfiles?.find((profile) => profile.id === id)?.weights;
    if (weights === undefined) return null;
    const isSet = exponentNames.some((name) => weights[name] !== undefined);
    return named((name) => (isSet ? (weights[name] ?? 0) : 1));
  };
  const override = overrideOf(work, config, candidate);
  if (isRow(override?.formula)) return byWeights(override.formula);
  const category = snapshot.categories.find(({ id }) => id === offer.categoryId);
  const channel = snapshot.channels.find(({ id }) => id === creative?.channelId);
  const strategy = ((config.strategyOverrides ?? []) as readonly Row[]).find(({ scope, value }) =>
    scope === 'productType'
      ? value === offer.productType
      : scope === 'category'
        ? category !== undefined && [category.id, category.name].includes(String(value))
        : channel !== undefined && [channel.id, channel.name].includes(String(value)),
  );
  return (
    byProfile(strategy?.profileId) ??
    byProfile(config.strategyProfileId) ??
    (isRow(config.formula) ? byWeights(config.formula) : null) ??
    byProfile(snapshot.tenant.defaultArbitrationProfileId) ??
    named(() => 1)
  );
}

/** Sets the scores of the candidates that entered the score node; tells those that leave there. */
export function scoreAll(
  work: Work,
  scoring: Scoring,
  candidates: readonly Candidate[],
  mandatory: readonly Candidate[],
): void {
  const { config } = scoring;
  const most = (read: (candidate: Candidate) => number | null) =>
    Math.max(0, ...candidates.map((candidate) => read(candidate) ?? 0));
  const maxMargin = most(({ offer }) => offer.margin);
  const maxRevenue = most(({ offer }) => offer.revenueValue);
  for (const candidate of [...candidates, ...mandatory]) {
    const { offer, creative } = candidate;
    const method = work.isHoldout
      ? 'priority_weighted'
      : (overrideOf(work, config, candidate)?.method ?? config.method);
    const exponents = exponentsOf(work, config, candidate);
    const P = propensity(work, scoring, candidate);
    const parts: [weight: number, value: number][] = [[0.5, Math.max(0, offer.businessValue) / 100]];
    if (offer.margin !== null && maxMargin > 0) parts.push([0.25, Math.max(0, offer.margin) / maxMargin]);
    if (offer.revenueValue !== null && maxRevenue > 0) parts.push([0.25, Math.max(0, offer.revenueValue) / maxRevenue]);
    const total = parts.reduce((sum, [weight]) => sum + weight, 0);
    const I = Math.max(0.01, parts.reduce((sum, [weight, value]) => sum + weight * value, 0) / total);
    const E = Math.max(priorityOf(candidate), 1) / 100;
    const R = relevance(work, candidate);
    candidate.parts = {
      propensity: P.value,
      relevance: R,
      impact: I,
      emphasis: E,
      source: P.source,
      modelKey: P.modelKey,
      bandit: P.bandit,
      method: String(method),
      exponent: method === 'formula' ? exponents.propensity : method === 'propensity' ? 1 : 0,
    } satisfies Parts;
    if (candidate.mandatory) continue;
    candidate.score =
      method === 'priority_weighted'
        ? (priorityOf(candidate) / 100) * ((creative?.weight ?? 100) / 100) * candidate.fit
        : method === 'propensity'
          ? P.value * candidate.fit
          : P.value ** exponents.propensity *
            R ** exponents.relevance *
            I ** exponents.impact *
            E ** exponents.emphasis *
            candidate.fit;
    if (P.value < Number(config.minPropensity ?? 0)) candidate.reasons.add('min_propensity');
    if (candidate.score < Number(config.minScore ?? 0)) candidate.reasons.add('min_score');
  }
}

/** Whether a rule propensity_threshold holds (docs/design/api-catalogue.md 9, docs/adr/0035). */
export function passesThreshold(work: Work, config: Row, candidate: Candidate): boolean {
  const scoring = scoringOf(work);
  const named = config.modelKey ?? config.model ?? modelNameOf(work, scoring, candidate);
  const least = Number(config.minScore);
  if (named === null) return propensity(work, scoring, candidate).value >= least;
  const score = modelScore(work, String(named), candidate.offer.id);
  return score === null ? config.onMissing === 'pass' : score >= least;
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
