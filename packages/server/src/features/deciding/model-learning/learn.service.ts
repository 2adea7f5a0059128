import { type Lesson, modelLearning } from '@arbiter/engine';
import type { Tx } from '../../../db/index.ts';
import {
  type LearningModel,
  lockLearningModels,
  readScored,
  readScoredBetween,
  saveLearned,
} from '../../catalogue/models/index.ts';
import { readReports, selectHead } from '../../operations/stream/index.ts';
import { type InteractionEvent, interactionsOf, unansweredItems } from '../interactions/index.ts';
import { lessonOf } from './lessons.rules.ts';

/** Rows of the stream that are learned from in one transaction. */
const rowsPerSlice = 100;
/** Decisions that are looked through for impressions without a response in one transaction. */
const decisionsPerSlice = 500;
const hourMs = 3_600_000;

/**
 * Teaches the tenant's models what was reported since they learned last, in the order of the stream. Where they stand in it is
 * written with what they learned, under their lock: each report is learned once, even when a process is stopped in the middle. True when there
 * may be more.
 */
export async function learnReports(tx: Tx): Promise<boolean> {
  // Before the models: a model that is new then has scored nothing up to here.
  const head = await selectHead(tx);
  const models = (await lockLearningModels(tx)).map((model) => (model.isNew ? { ...model, learnedTo: head } : model));
  if (models.length === 0) return false;
  const from = Math.min(...models.map(({ learnedTo }) => learnedTo));
  const rows = await readReports(tx, { after: from, upTo: head, limit: rowsPerSlice });
  const upTo = rows.length === rowsPerSlice ? rows.at(-1)!.position : head;
  const reports = rows.flatMap(({ position, events }) =>
    interactionsOf(events.filter((event) => event !== null)).map((event) => ({ position, event })),
  );
  const decisionIds = new Set(reports.flatMap(({ event }) => event.recommendationId ?? []));
  const scored = new Set((await readScored(tx, [...decisionIds])).map((row) => `${row.modelId} ${row.decisionId}`));
  const isTaught = (model: LearningModel, event: InteractionEvent): boolean =>
    event.interactionType === 'response' && scored.has(`${model.id} ${event.recommendationId}`);
  for (const model of models) {
    const lessons = reports.flatMap(({ position, event }): Lesson[] => {
      if (!model.learns || position <= model.learnedTo || !isTaught(model, event)) return [];
      const lesson = lessonOf(event, model.outcomeWeights);
      return lesson === null ? [] : [lesson];
    });
    if (upTo > model.learnedTo || model.isNew)
      await teach(tx, { ...model, learnedTo: Math.max(upTo, model.learnedTo) }, lessons);
  }
  return rows.length === rowsPerSlice;
}

/**
 * Counts impressions as reward 0 that have had no response for as long as a model says (docs/design/api-decisioning.md 20). A
 * response that comes later counts beside it. True when there may be more.
 */
export async function learnSilence(tx: Tx): Promise<boolean> {
  let more = false;
  for (const model of await lockLearningModels(tx)) {
    if (!model.learns || model.noResponseHours === null) continue;
    const upTo = new Date(tx.now.getTime() - model.noResponseHours * hourMs);
    const asked = { modelId: model.id, after: model.silentTo, upTo, limit: decisionsPerSlice };
    const decisions = await readScoredBetween(tx, asked);
    const last = decisions.at(-1);
    if (last === undefined) continue;
    const items = await unansweredItems(
      tx,
      decisions.map(({ decisionId }) => decisionId),
    );
    const lessons = items.map(({ offerId }): Lesson => ({ offerId, reward: 0, weight: 1 }));
    await teach(tx, { ...model, silentTo: last.madeAt }, lessons);
    more ||= decisions.length >= decisionsPerSlice;
  }
  return more;
}

async function teach(tx: Tx, model: LearningModel, lessons: readonly Lesson[]): Promise<void> {
  const learning = modelLearning(model.modelType);
  if (learning === null) throw new Error(`a ${model.modelType} has a state but doesn't learn`);
  const state = lessons.length === 0 ? model.state : learning.learn(model.state, lessons);
  await saveLearned(tx, { ...model, state }, lessons.length);
}
