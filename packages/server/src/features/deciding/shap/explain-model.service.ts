import type { ModelShap, OperationInput, shapOperations } from '@arbiter/contract';
import { type CaseExplanation, round6, type SnapshotOffer } from '@arbiter/engine';
import type { Tx } from '../../../db/index.ts';
import { takeTurns } from '../../../platform/turns.ts';
import { snapshotOffersNamed } from '../../catalogue/offers/index.ts';
import { requireExplanations } from '../../identity/settings/index.ts';
import type { CustomerKeys } from '../customer-states/index.ts';
import { newestItems, outcomesOf } from '../interactions/index.ts';
import { lessonOf } from '../model-learning/index.ts';
import { readRecordedScopes } from '../sealed-records/index.ts';
import { findModel, openBoosted } from './boosted-model.ts';
import { calibrationOf, type JudgedScore, meanShap } from './sample.rules.ts';

type Question = OperationInput<typeof shapOperations.model>['body'];

const defaultSample = 200;
const defaultDays = 30;
const dayMs = 86_400_000;
/** Decisions opened at a time. */
const perSlice = 100;

/**
 * Explains a model over the offers that recent decisions chose: what each read then, by the model as it is now. Throws 403,
 * 404, 400 `model_unsupported`.
 */
export async function explainModel(tx: Tx, keys: CustomerKeys, id: string, question: Question): Promise<ModelShap> {
  await requireExplanations(tx);
  const { row, explainer } = await openBoosted(tx, await findModel(tx, id));
  const since = new Date(tx.now.getTime() - (question.days ?? defaultDays) * dayMs);
  const items = await newestItems(tx, since, question.sampleSize ?? defaultSample);
  const offers = new Map<string, SnapshotOffer>();
  for (const offer of await snapshotOffersNamed(tx, [...new Set(items.map(({ offerId }) => offerId))])) {
    offers.set(offer.id, offer);
  }
  const positive = await positiveItems(tx, items, row.outcomeWeights);
  const explanations: CaseExplanation[] = [];
  const scores: JudgedScore[] = [];
  const turn = takeTurns();
  for (let at = 0; at < items.length; at += perSlice) {
    const slice = items.slice(at, at + perSlice);
    const scopes = await readRecordedScopes(tx, keys, [...new Set(slice.map(({ decisionId }) => decisionId))]);
    for (const { decisionId, offerId } of slice) {
      const scopeOf = scopes.get(decisionId);
      const offer = offers.get(offerId);
      if (scopeOf === undefined || offer === undefined) continue;
      const explanation = explainer.scope(scopeOf(offer));
      explanations.push(explanation);
      scores.push({ score: explanation.score, isPositive: positive.has(`${decisionId} ${offerId}`) });
      await turn();
    }
  }
  const empty = explainer.values({}, null);
  return {
    modelId: row.id,
    modelName: row.name,
    sampleSize: explanations.length,
    baseline: explanations.length === 0 ? null : round6(empty.baseline),
    method: 'tree_path_dependent',
    coverSource: empty.coverSource,
    features: meanShap(explanations),
    calibration: calibrationOf(scores),
  };
}

/** `<decision> <offer>` of the items with an outcome that the model counts as positive. */
async function positiveItems(
  tx: Tx,
  items: readonly { readonly decisionId: string }[],
  weights: Readonly<Record<string, number>>,
): Promise<ReadonlySet<string>> {
  const outcomes = await outcomesOf(tx, [...new Set(items.map(({ decisionId }) => decisionId))]);
  return new Set(
    outcomes
      .filter((outcome) => lessonOf(outcome, weights)?.reward === 1)
      .map(({ decisionId, offerId }) => `${decisionId} ${offerId}`),
  );
}
