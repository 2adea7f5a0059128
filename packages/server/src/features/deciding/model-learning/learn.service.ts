import { isBandit, type Lesson, modelLearn, type ReadFeatures, readPredictors } from '@arbiter/engine';
import type { Tx } from '../../../db/index.ts';
import {
  type LearningModel,
  lockLearningModels,
  readScored,
  readScoredBetween,
  saveLearned,
} from '../../catalogue/models/index.ts';
import { readReports, selectHead } from '../../operations/stream/index.ts';
import type { CustomerKeys } from '../customer-states/index.ts';
import { type InteractionEvent, interactionsOf, unansweredItems } from '../interactions/index.ts';
import { readRecordedFeatures } from '../sealed-records/index.ts';
import { lessonOf, type Outcome } from './lessons.rules.ts';

/** Rows of the stream that are learned from in one transaction. */
const rowsPerSlice = 100;
/** Decisions searched for impressions without a response, per transaction. */
const decisionsPerSlice = 500;
const hourMs = 3_600_000;

/** An outcome of a decision. */
interface Report {
  readonly decisionId: string;
  readonly outcome: Outcome;
}

/**
 * Teaches the tenant's models what was reported since they learned last, in the order of the stream. Where they stand in it is
 * written with what they learned, under their lock: each report is learned once, even when a process is stopped in the middle. True when there
 * may be more.
 */
export const learnReports =
  (keys: CustomerKeys) =>
  async (tx: Tx): Promise<boolean> => {
    // Before the models: a model that is new then has scored nothing up to here.
    const head = await selectHead(tx);
    const models = (await lockLearningModels(tx)).map((model) => (model.isNew ? { ...model, learnedTo: head } : model));
    if (models.length === 0) return false;
    const from = Math.min(...models.map(({ learnedTo }) => learnedTo));
    const rows = await readReports(tx, { after: from, upTo: head, limit: rowsPerSlice });
    const upTo = rows.length === rowsPerSlice ? rows.at(-1)!.position : head;
    const events = rows.flatMap(({ position, events }) =>
      interactionsOf(events.filter((event) => event !== null)).map((event) => ({ position, event })),
    );
    const decisionIds = new Set(events.flatMap(({ event }) => event.recommendationId ?? []));
    const scored = new Set((await readScored(tx, [...decisionIds])).map((row) => `${row.modelId} ${row.decisionId}`));
    const isTaught = (model: LearningModel, { interactionType, recommendationId }: InteractionEvent): boolean =>
      interactionType === 'response' && scored.has(`${model.id} ${recommendationId}`);
    const taught = models.map((model) => ({
      model,
      reports: events.flatMap(({ position, event }): Report[] => {
        if (!model.learns || position <= model.learnedTo || !isTaught(model, event)) return [];
        const outcome = lessonOf(event, model.outcomeWeights);
        return outcome === null ? [] : [{ decisionId: event.recommendationId!, outcome }];
      }),
    }));
    const features = await featuresFor(tx, keys, taught);
    for (const { model, reports } of taught) {
      if (upTo <= model.learnedTo && !model.isNew) continue;
      await teach(tx, { ...model, learnedTo: Math.max(upTo, model.learnedTo) }, reports, features);
    }
    return rows.length === rowsPerSlice;
  };

/**
 * Counts impressions as reward 0 that have had no response for as long as a model says (docs/design/api-decisioning.md 20). A
 * response that comes later counts next to it. True when there may be more.
 */
export const learnSilence =
  (keys: CustomerKeys) =>
  async (tx: Tx): Promise<boolean> => {
    let more = false;
    for (const model of await lockLearningModels(tx)) {
      if (!model.learns || model.noResponseHours === null) continue;
      const upTo = new Date(tx.now.getTime() - model.noResponseHours * hourMs);
      const query = { modelId: model.id, after: model.silentTo, upTo, limit: decisionsPerSlice };
      const decisions = await readScoredBetween(tx, query);
      const last = decisions.at(-1);
      if (last === undefined) continue;
      const items = await unansweredItems(
        tx,
        decisions.map(({ decisionId }) => decisionId),
      );
      const reports = items.map(
        ({ decisionId, offerId }): Report => ({ decisionId, outcome: { offerId, reward: 0, weight: 1 } }),
      );
      const features = await featuresFor(tx, keys, [{ model, reports }]);
      await teach(tx, { ...model, silentTo: last.madeAt }, reports, features);
      more ||= decisions.length >= decisionsPerSlice;
    }
    return more;
  };

/** Opens the records of decisions whose models learn from what they read. */
async function featuresFor(
  tx: Tx,
  keys: CustomerKeys,
  taught: readonly { readonly model: LearningModel; readonly reports: readonly Report[] }[],
): Promise<ReadonlyMap<string, ReadFeatures>> {
  const ids = taught.flatMap(({ model, reports }) =>
    isBandit(model.modelType) ? [] : reports.map(({ decisionId }) => decisionId),
  );
  return readRecordedFeatures(tx, keys, [...new Set(ids)]);
}

async function teach(
  tx: Tx,
  model: LearningModel,
  reports: readonly Report[],
  features: ReadonlyMap<string, ReadFeatures>,
): Promise<void> {
  const learn = modelLearn(model.modelType);
  if (learn === null) throw new Error(`outcomes teach a ${model.modelType} nothing`);
  const predictors = readPredictors(model.predictors);
  const lessons = reports.flatMap(({ decisionId, outcome }): Lesson[] => {
    if (isBandit(model.modelType)) return [{ ...outcome, features: {} }];
    // An outcome whose record can no longer be read teaches nothing: today's values aren't those of the decision.
    const read = features.get(decisionId)?.(predictors, outcome.offerId) ?? null;
    return read === null ? [] : [{ ...outcome, features: read }];
  });
  const state = lessons.length === 0 ? null : learn(model.state, lessons, model);
  await saveLearned(tx, model, state, lessons.length);
}
