import type { Json, SnapshotModel } from '@arbiter/engine';
import type { Draws, Work } from './candidate.ts';
import { share, uniforms } from './chance.ts';
import { at, compares } from './conditions.ts';
import { betas } from './explore-exploit.ts';
import { learnedScore } from './learned-models.ts';
import { treesScore } from './trees.ts';
import { isRow, type Row } from './world.ts';

/** The model that goes by a name: its key, its family, or the key of one that it replaced. */
export const modelOf = ({ snapshot }: Work, name: string): SnapshotModel | null =>
  snapshot.models?.find(({ names }) => names.includes(name)) ?? null;

/** Null: can't be asked, or returns no number from 0 to 1. Records failures. */
export function modelScore(work: Work, name: string, offerId: string): number | null {
  const model = modelOf(work, name);
  if (model === null) return null;
  if (work.input.openBreakers?.includes(model.key)) {
    work.failed.add(model.key);
    return null;
  }
  const score = scoreOf(work, model, offerId);
  if (Number.isFinite(score) && score >= 0 && score <= 1) return score;
  work.failed.add(model.key);
  return null;
}

function scoreOf(work: Work, model: SnapshotModel, offerId: string): number {
  const { key, modelType, predictors } = model;
  const state = work.input.modelStates?.[key]?.state;
  const read = (name: string): Json => predictor(work, predictors, name, offerId);
  if (draws(model)) return work.draws.get(key)?.score(offerId) ?? Number.NaN;
  if (modelType === 'scorecard') return scorecard(work, model, offerId);
  if (modelType === 'external_endpoint') return endpointScore(work, model, offerId);
  return modelType === 'gradient_boosted' ? treesScore(model, state, read) : learnedScore(model, state, read);
}

/** docs/adr/0095. */
function endpointScore({ input }: Work, { key, config }: SnapshotModel, offerId: string): number {
  const answer = input.external?.[`model:${key}`];
  const rows = answer === undefined || 'error' in answer ? [] : answer.candidates;
  const score = rows.find((row) => row.offerId === offerId)?.score ?? null;
  return score !== null && score >= 0 && score <= 1 ? score : Number(config.fallbackScore ?? Number.NaN);
}

const draws = ({ modelType }: SnapshotModel): boolean => ['thompson_bandit', 'epsilon_greedy'].includes(modelType);

const canBeAsked = (work: Work, name: string): boolean => {
  const model = modelOf(work, name);
  return model !== null && !work.input.openBreakers?.includes(model.key);
};

export function isBandit(work: Work, name: string): boolean {
  const model = modelOf(work, name);
  return model !== null && draws(model);
}

/** docs/design/api-decisioning.md 15. */
function scorecard(work: Work, { config, predictors }: SnapshotModel, offerId: string): number {
  const { baseScore = 50, minScore = 0, maxScore = 100, normalization = 'sigmoid', rules = [] } = config;
  let raw = Number(baseScore);
  for (const rule of rules as readonly Row[]) {
    const value = predictor(work, predictors, String(rule.field), offerId);
    if (compares(value, String(rule.operator), rule.value ?? null, work.now)) raw += Number(rule.points);
  }
  const range = Number(maxScore) - Number(minScore);
  if (normalization === 'linear') return Math.min(1, Math.max(0, (raw - Number(minScore)) / range));
  const mid = (Number(minScore) + Number(maxScore)) / 2;
  return 1 / (1 + Math.exp((-6 * (raw - mid)) / range));
}

/** A bare name is looked up in attributes, customer and offer, in this order. */
function predictor(work: Work, predictors: readonly Json[], field: string, offerId: string): Json {
  const offer = work.snapshot.offers.find(({ id }) => id === offerId) ?? null;
  const facts = {
    customer: work.customer,
    attributes: work.input.request.attributes,
    request: work.input.request,
    offer,
  };
  const own = predictors.find((each) => isRow(each) && each.name === field);
  const path = isRow(own) && typeof own.source === 'string' ? own.source : field;
  const standard = isRow(own) ? (own.default ?? null) : null;
  if (path.includes('.')) return at(facts, path) ?? standard;
  for (const namespace of ['attributes', 'customer', 'offer']) {
    const found = at(facts, `${namespace}.${path}`);
    if (found !== null) return found;
  }
  return standard;
}

/**
 * Lets each bandit draw the scores of these offers, in order, once a decision (docs/adr/0035): before the first gate when
 * a gate asks for one, else before the score node.
 */
export function drawBandits(work: Work, offerIds: readonly string[]): void {
  for (const model of work.snapshot.models ?? [])
    if (draws(model) && !work.draws.has(model.key))
      work.draws.set(model.key, drawsOf(work, model, [...new Set(offerIds)].sort()));
}

function drawsOf(work: Work, { key, modelType, config }: SnapshotModel, offerIds: readonly string[]): Draws {
  const stream = uniforms(work.input.seed, `model:${key}`);
  const given = work.input.modelStates?.[key]?.state;
  // The config begins a state that is empty.
  const state = isRow(given) ? given : config;
  const arms = isRow(state.arms) ? state.arms : {};
  const armOf = (id: string): Row => {
    const arm = Object.hasOwn(arms, id) ? arms[id] : {};
    return isRow(arm) ? arm : {};
  };
  const { epsilon = 0.1, decayRate = 0.001, totalPulls = 0 } = state;
  const uniformChance = Number(epsilon) / (1 + Number(decayRate) * Number(totalPulls));
  const isUniform = modelType === 'epsilon_greedy' && stream() < uniformChance;
  const mean = ({ totalReward = 0, pulls = 0 }: Row) => (Number(pulls) === 0 ? 1 : Number(totalReward) / Number(pulls));
  const score = (id: string, next: () => number): number => {
    const arm = armOf(id);
    if (modelType === 'thompson_bandit') return betas(next)(Number(arm.alpha ?? 1), Number(arm.beta ?? 1));
    return isUniform ? next() : mean(arm);
  };
  const scores = new Map(offerIds.map((id) => [id, score(id, stream)]));
  return {
    // An offer that comes later has a stream of its own.
    score: (id) => scores.get(id) ?? score(id, uniforms(work.input.seed, `model:${key}:${id}`)),
    greedy: (id) => mean(armOf(id)),
    uniformChance,
    isUniform,
  };
}

/** Returns which of champion and challengers the customer gets; null if the node has none. */
export function variantOf(work: Work, config: Row, flowKey: string, nodeId: string): string | null {
  const own = config.championChallenger;
  if (!isRow(own) || own.enabled !== true || !isRow(own.champion)) return null;
  const champion = String(own.champion.modelKey);
  let x = share(`${flowKey}:${nodeId}:${work.input.request.customerId}`) * 100 - Number(own.champion.weight);
  if (x < 0) return champion;
  for (const challenger of (own.challengers ?? []) as readonly Row[]) {
    x -= Number(challenger.weight);
    if (x < 0) return canBeAsked(work, String(challenger.modelKey)) ? String(challenger.modelKey) : champion;
  }
  return champion;
}
