import type { EvaluationSpec } from '@arbiter/contract';
import { u } from '@arbiter/engine';
import { collectLog, joinLogs } from '@arbiter/lab';
import { systemActor } from '../../../../db/index.ts';
import { trainedUntil } from '../../../catalogue/models/index.ts';
import { type ItemResponse, responsesToItems } from '../../interactions/index.ts';
import { byCustomer, customerIdIn, customersOf, eachCustomerBatch, historiesOf } from '../records/customer-batches.ts';
import { historyFrom } from '../records/history-reach.ts';
import { needsHistory } from '../records/input-for.ts';
import type { ReadRecord } from '../records/record-reader.ts';
import type { ChunkOutcome, StudyKind, StudyOutcome, StudyQuestion, StudyWork } from '../study-kind.ts';
import { resultOf } from './evaluation-result.ts';
import { type EvaluationPart, mergeTallies, newTally, packPart, unpackPart } from './evaluation-tally.ts';
import { createShiftCounter } from './state-shift.ts';
import { createRecordWeigher } from './weigh-records.ts';

const dayMs = 86_400_000;
const actor = systemActor('study');
/** Sample of decisions whose recorded plan is weighed too: this share, but at least 2,000, plus a margin for the random pick. */
const checkedShare = 0.05;
const fewestChecked = 2_200;
/** Sample of customers whose contacts under the draft are followed: this share, but at least about this many decisions. */
const followedShare = 0.02;
const fewestFollowed = 500;

const shareOf = (share: number, fewest: number, total: number): number =>
  Math.min(1, Math.max(share, total === 0 ? 1 : fewest / total));

/** Estimates what a plan would have earned (docs/design/lead.md 3). */
export const evaluateKind: StudyKind<EvaluationSpec> = {
  kind: 'evaluate',
  // More recent decisions may still get responses.
  records: ({ flowId, spec, dataCut }) => ({
    flowId,
    from: new Date(spec.from),
    to: new Date(Math.min(Date.parse(spec.to), dataCut.getTime() - spec.rewardDays * dayMs)),
    most: spec.maxDecisions,
    share: 1,
  }),
  chunk: weighChunk,
  finish,
};

async function weighChunk(
  work: StudyWork,
  question: StudyQuestion<EvaluationSpec>,
  decisionIds: readonly string[],
): Promise<ChunkOutcome> {
  const { spec, specHash, total } = question;
  const { reader } = work;
  const candidate = await reader.plan(question.candidateHash);
  const rows = collectLog();
  const tally = newTally();
  const weighRecord = createRecordWeigher({
    ...{ spec, candidate, rows, tally, specHash },
    historyFrom: await work.database.withTenant(work.tenantId, actor, historyFrom),
    checkedShare: shareOf(checkedShare, fewestChecked, total),
  });
  const countShift = createShiftCounter(candidate, tally);
  const followed = shareOf(followedShare, fewestFollowed, total);
  const isFollowed = ({ record }: ReadRecord): boolean => u(`study:${specHash}:${record.customerRef}`) < followed;
  const needs = ({ whole }: ReadRecord): boolean => whole !== null && needsHistory(candidate.plan, whole.flow.plan);
  await eachCustomerBatch(work, reader, decisionIds, async (records) => {
    const responses = await responsesTo(work, question, records);
    const histories = await historiesOf(
      work,
      records.filter((one) => isFollowed(one) || needs(one)),
    );
    for (const own of byCustomer(records)) {
      const id = customerIdIn(own);
      const history = id === null ? null : (histories.get(id) ?? []);
      if (history !== null && own.some(isFollowed)) countShift(own, history);
      for (const one of own) {
        weighRecord(one, {
          responses: responses.get(one.record.id) ?? [],
          history: needs(one) ? history : null,
        });
        await work.pauseIfBusy();
      }
    }
  });
  return { partial: packPart({ log: rows.build(), tally }), rows: null };
}

/** Responses by decision. */
async function responsesTo(
  { database, tenantId }: StudyWork,
  { dataCut }: StudyQuestion,
  records: readonly ReadRecord[],
): Promise<ReadonlyMap<string, readonly ItemResponse[]>> {
  const customers = customersOf(records);
  const decisions = records.map(({ record }) => record.id);
  const found = await database.withTenant(tenantId, actor, (tx) => responsesToItems(tx, customers, decisions, dataCut));
  return Map.groupBy(found, ({ decisionId }) => decisionId);
}

async function finish(
  { database, tenantId }: StudyWork,
  { spec, dataCut }: StudyQuestion<EvaluationSpec>,
  partials: AsyncIterable<Uint8Array>,
): Promise<StudyOutcome> {
  const parts: EvaluationPart[] = [];
  for await (const partial of partials) parts.push(unpackPart(partial));
  const tally = mergeTallies(parts.map((part) => part.tally));
  const range = { from: new Date(spec.from), to: new Date(spec.to) };
  const trained = await database.withTenant(tenantId, actor, (tx) => trainedUntil(tx, tally.newModels, range, dataCut));
  const log = joinLogs(parts.map((part) => part.log));
  return { result: JSON.stringify(resultOf(spec, log, tally, trained)), load: null };
}
