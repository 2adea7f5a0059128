import type { Json } from '@arbiter/engine';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import type { CustomerKeys } from '../customer-states/index.ts';
import { outcomesIn, shownIn, unansweredItems } from '../interactions/index.ts';
import { lessonOf } from '../model-learning/index.ts';
import { readRecordedFeatures } from '../sealed-records/index.ts';
import { addRow, maxRows, newTrainingSet, type TrainingSet } from './training-set.ts';

/** Outcomes or decisions that one transaction reads. */
const perSlice = 500;
const hourMs = 3_600_000;

export interface RecordRowsQuestion {
  readonly tenantId: string;
  readonly predictors: readonly Json[];
  readonly outcomeWeights: Readonly<Record<string, number>>;
  readonly noResponseHours: number | null;
  readonly from: Date | null;
  readonly to: Date;
  readonly signal: AbortSignal;
}

/** A row with the decision that it comes from. */
interface DatedRow {
  readonly decisionId: string;
  readonly row: TrainingSet['rows'][number];
}

/**
 * Returns rows of recorded decisions and their outcomes, by the decisions' order: what each read, never today's values. An
 * impression without a response is a negative row once it is as old as the model says.
 */
export async function recordRows(
  database: Database,
  keys: CustomerKeys,
  question: RecordRowsQuestion,
): Promise<TrainingSet> {
  const dated: DatedRow[] = [];
  await eachSlice(database, question, async (tx, after) => {
    const outcomes = await outcomesIn(tx, question, after, perSlice);
    const lessons = outcomes.flatMap(({ decisionId, offerId, ...outcome }) => {
      const lesson = lessonOf({ ...outcome, offerId }, question.outcomeWeights);
      return lesson === null ? [] : [{ decisionId, ...lesson }];
    });
    dated.push(...(await rowsOf(tx, keys, question, lessons)));
    return outcomes.length < perSlice ? null : outcomes.at(-1)!.id;
  });
  const { noResponseHours } = question;
  if (noResponseHours !== null) {
    const to = new Date(question.to.getTime() - noResponseHours * hourMs);
    await eachSlice(database, question, async (tx, after) => {
      const ids = await shownIn(tx, { from: question.from, to }, after, perSlice);
      const items = await unansweredItems(tx, ids);
      const lessons = items.map((item) => ({ ...item, reward: 0 as const, weight: 1 }));
      dated.push(...(await rowsOf(tx, keys, question, lessons)));
      return ids.length < perSlice ? null : ids.at(-1)!;
    });
  }
  const set = newTrainingSet(question.predictors);
  // IDs of decisions are in the order of their time. Rows of one decision stay in the order that they were found in.
  dated.sort((a, b) => (a.decisionId < b.decisionId ? -1 : a.decisionId > b.decisionId ? 1 : 0));
  for (const { row } of dated.slice(-maxRows)) set.rows.push(row);
  return set;
}

/** Calls for each slice until it returns null instead of the last id. Throws when the process stops. */
async function eachSlice(
  database: Database,
  { tenantId, signal }: RecordRowsQuestion,
  slice: (tx: Tx, after: string | null) => Promise<string | null>,
): Promise<void> {
  let after: string | null = null;
  do {
    signal.throwIfAborted();
    const from: string | null = after;
    after = await database.withTenant(tenantId, systemActor('model-train'), (tx) => slice(tx, from));
  } while (after !== null);
}

interface TrainingLesson {
  readonly decisionId: string;
  readonly offerId: string;
  readonly reward: 0 | 1;
  readonly weight: number;
}

async function rowsOf(
  tx: Tx,
  keys: CustomerKeys,
  { predictors }: RecordRowsQuestion,
  lessons: readonly TrainingLesson[],
): Promise<DatedRow[]> {
  const features = await readRecordedFeatures(tx, keys, [...new Set(lessons.map(({ decisionId }) => decisionId))]);
  const set = newTrainingSet(predictors);
  const decisions: string[] = [];
  for (const { decisionId, offerId, reward, weight } of lessons) {
    const read = features.get(decisionId)?.(set.predictors, offerId) ?? null;
    if (read === null) continue;
    addRow(set, read, reward, weight);
    decisions.push(decisionId);
  }
  return set.rows.map((row, at) => ({ decisionId: decisions[at]!, row }));
}
