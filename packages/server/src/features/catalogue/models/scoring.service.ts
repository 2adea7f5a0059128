import { hash } from 'node:crypto';
import { type ModelAnswer, modelLearning, round6, type SnapshotOffer, scoreOffers } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { AppError } from '../../../platform/app-error.ts';
import { newId } from '../../../platform/ids.ts';
import { asJsonObject } from '../../../platform/json.ts';
import { getRecord } from '../catalogue-records/index.ts';
import { snapshotOffersNamed } from '../offers/index.ts';
import { type ModelRow, modelSpec } from './models.store.ts';
import { readStates } from './states.store.ts';

/** Port: `customer.*` of a customer. */
export type ReadCustomer = (tx: Tx, customerId: string) => Promise<Readonly<Record<string, unknown>>>;

interface ScoringRequest {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly customerId?: string | undefined;
}

/**
 * Returns one score (docs/design/api-decisioning.md 15). Throws 404 for a model or offer that the tenant doesn't have,
 * 400 for a bandit without an offer.
 */
export async function scoreOne(
  tx: Tx,
  id: string,
  { offerId, ...question }: ScoringRequest & { readonly offerId?: string | undefined },
  readCustomer: ReadCustomer,
) {
  const model = await getRecord(tx, modelSpec, id);
  if (offerId === undefined && modelLearning(model.modelType) !== null) {
    throw new AppError('validation_failed', {
      detail: `a ${model.modelType} scores offers`,
      errors: [{ path: '/offerId', message: 'is required' }],
    });
  }
  const offers = offerId === undefined ? [null] : await findOffers(tx, [offerId]);
  const [answer] = await ask(tx, model, offers, question, readCustomer);
  const { score, rawScore, explanations } = sound(model, answer ?? null);
  return {
    modelId: model.id,
    modelKey: model.key,
    modelType: model.modelType,
    score: round6(score),
    rawScore: round6(rawScore),
    confidence: null,
    explanations: explanations.map((part) => ({ ...part })),
  };
}

/** Scores of offers, best first; offers of one score by their ids. */
export async function scoreOfferSet(
  tx: Tx,
  id: string,
  { offerIds, ...question }: ScoringRequest & { readonly offerIds: readonly string[] },
  readCustomer: ReadCustomer,
) {
  const model = await getRecord(tx, modelSpec, id);
  const offers = await findOffers(tx, [...new Set(offerIds.map((offerId) => offerId.toLowerCase()))]);
  const answers = await ask(tx, model, offers, question, readCustomer);
  const results = offers.map((offer, at) => ({ offerId: offer.id, ...sound(model, answers[at] ?? null) }));
  results.sort((a, b) => b.score - a.score || (a.offerId < b.offerId ? -1 : 1));
  return {
    modelId: model.id,
    modelType: model.modelType,
    results: results.map(({ offerId, score, explanations }) => ({
      offerId,
      score: round6(score),
      contributions: explanations.map((part) => ({ ...part })),
    })),
  };
}

async function findOffers(tx: Tx, ids: readonly string[]): Promise<SnapshotOffer[]> {
  const offers = await snapshotOffersNamed(tx, ids);
  if (offers.length < ids.length) throw new AppError('not_found', { detail: 'offer not found' });
  return offers;
}

async function ask(
  tx: Tx,
  model: ModelRow,
  offers: readonly (SnapshotOffer | null)[],
  { attributes, customerId }: ScoringRequest,
  readCustomer: ReadCustomer,
): Promise<readonly (ModelAnswer | null)[]> {
  const learned = (await readStates(tx, [model.id], true)).get(model.id);
  const customer = customerId === undefined ? {} : await readCustomer(tx, customerId);
  return scoreOffers(model, learned?.state ?? null, offers, {
    attributes: asJsonObject(attributes),
    customer: asJsonObject(customer),
    now: tx.now.getTime(),
    seed: hash('sha256', newId(), 'hex').slice(0, 32),
  });
}

function sound(model: ModelRow, answer: ModelAnswer | null): ModelAnswer {
  if (answer !== null) return answer;
  throw new AppError('model_unsupported', { detail: `the model ${model.key} returned no score between 0 and 1` });
}
