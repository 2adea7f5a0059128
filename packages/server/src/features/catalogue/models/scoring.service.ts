import { hash } from 'node:crypto';
import {
  endpointQuestion,
  isBandit,
  type Json,
  type ModelAnswer,
  round6,
  type ScoreQuestion,
  type SnapshotOffer,
  scoreInSlices,
} from '@arbiter/engine';
import type { Database, Tx } from '../../../db/index.ts';
import type { RequestFacts } from '../../../http/handler.ts';
import { AppError } from '../../../platform/app-error.ts';
import { newId } from '../../../platform/ids.ts';
import { asJsonObject } from '../../../platform/json.ts';
import type { Outbound } from '../../../platform/outbound/outbound.ts';
import { inTurns } from '../../../platform/turns.ts';
import { getRecord } from '../catalogue-records/index.ts';
import { snapshotOffersNamed } from '../offers/index.ts';
import { callEndpoint, scoresIn } from './call-endpoint.ts';
import { type EndpointPorts, readyEndpoint } from './endpoint.service.ts';
import { type ModelRow, modelSpec } from './models.store.ts';
import { readStates } from './states.store.ts';

/** Port: `customer.*` of a customer. */
export type ReadCustomer = (tx: Tx, customerId: string) => Promise<Readonly<Record<string, unknown>>>;

/** What scores need from the process. */
export interface ScoringPorts extends EndpointPorts {
  readonly database: Database;
  readonly outbound: Pick<Outbound, 'call'>;
  readonly readCustomer: ReadCustomer;
}

interface ScoringRequest {
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly customerId?: string | undefined;
}

/**
 * Returns one score (docs/design/api-decisioning.md 15). Throws 404 for a model or offer that the tenant doesn't have,
 * 400 for a bandit without an offer.
 */
export async function scoreOne(
  ports: ScoringPorts,
  request: RequestFacts,
  id: string,
  { offerId, ...question }: ScoringRequest & { readonly offerId?: string | undefined },
) {
  const { model, answers } = await ask(ports, request, id, question, async (tx, { modelType }) => {
    if (offerId !== undefined) return findOffers(tx, [offerId]);
    if (!isBandit(modelType) && modelType !== 'external_endpoint') return [null];
    throw new AppError('validation_failed', {
      detail: `Models of type ${modelType} score offers, so choose one.`,
      errors: [{ path: '/offerId', message: 'is required' }],
    });
  });
  const [answer] = answers;
  const { score, rawScore, confidence, explanations } = sound(model, answer ?? null);
  return {
    modelId: model.id,
    modelKey: model.key,
    modelType: model.modelType,
    score: round6(score),
    rawScore: round6(rawScore),
    confidence: confidence === null ? null : round6(confidence),
    explanations: explanations.map((part) => ({ ...part })),
  };
}

/** Scores of offers, best first; offers of one score by their ids. */
export async function scoreOfferSet(
  ports: ScoringPorts,
  request: RequestFacts,
  id: string,
  { offerIds, ...question }: ScoringRequest & { readonly offerIds: readonly string[] },
) {
  const ids = [...new Set(offerIds.map((offerId) => offerId.toLowerCase()))];
  const { model, offers, answers } = await ask(ports, request, id, question, (tx) => findOffers(tx, ids));
  const results = offers.flatMap((offer, at) =>
    offer === null ? [] : [{ offerId: offer.id, ...sound(model, answers[at] ?? null) }],
  );
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
  if (offers.length < ids.length) throw new AppError('not_found', { detail: 'Offer not found.' });
  return offers;
}

type AskedOffers = readonly (SnapshotOffer | null)[];

/** Reads what a score needs, asks the model's endpoint if it has one, without a transaction, and scores. */
async function ask(
  ports: ScoringPorts,
  { tenantId, actor, requestId, until }: RequestFacts,
  id: string,
  { attributes, customerId }: ScoringRequest,
  findAsked: (tx: Tx, model: ModelRow) => Promise<AskedOffers>,
): Promise<{
  readonly model: ModelRow;
  readonly offers: AskedOffers;
  readonly answers: readonly (ModelAnswer | null)[];
}> {
  const read = async (tx: Tx) => {
    const model = await getRecord(tx, modelSpec, id);
    const offers = await findAsked(tx, model);
    const learned = (await readStates(tx, [model.id], true)).get(model.id);
    const customer = customerId === undefined ? {} : await ports.readCustomer(tx, customerId);
    const question: ScoreQuestion = {
      attributes: asJsonObject(attributes),
      customer: asJsonObject(customer),
      now: tx.now.getTime(),
      seed: hash('sha256', newId(), 'hex').slice(0, 32),
    };
    const endpointCall = endpointQuestion(
      model,
      offers.filter((offer) => offer !== null),
      question,
    );
    const ready =
      endpointCall === null ? null : await readyEndpoint(tx, ports.envelope, model.id, endpointCall.endpoint.url);
    return { model, offers, question, state: learned?.state ?? null, asked: endpointCall, ready };
  };
  const found = await ports.database.withTenant(tenantId, actor, read, { requestId, until });
  const { model, offers, question, asked, ready } = found;
  let state: Json = found.state;
  if (asked !== null && ready !== null) {
    const body = { requestId, customerId: customerId ?? null, decisionFlowId: null, ...asked.question };
    const timeoutMs = Math.min(asked.endpoint.timeoutMs, Math.max(1, until - performance.now()));
    state = scoresIn(await callEndpoint(ports.outbound, ready, body, asked.endpoint.mapping, timeoutMs));
  }
  return { model, offers, answers: await inTurns(scoreInSlices(model, state, offers, question)) };
}

function sound(model: ModelRow, answer: ModelAnswer | null): ModelAnswer {
  if (answer !== null) return answer;
  throw new AppError('model_unsupported', { detail: `The model ${model.key} returned no score between 0 and 1.` });
}
