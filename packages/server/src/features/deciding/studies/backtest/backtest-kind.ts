import { deflateRawSync } from 'node:zlib';
import type { BacktestSpec } from '@arbiter/contract';
import { requestDefaults, u } from '@arbiter/engine';
import { type DiffTotals, mergeTotals, newDiffTally, quantileOf } from '@arbiter/lab';
import { systemActor } from '../../../../db/index.ts';
import { routerOf } from '../../plans/index.ts';
import { byCustomer, customerIdIn, eachCustomerBatch, historiesOf } from '../records/customer-batches.ts';
import { historyFrom } from '../records/history-reach.ts';
import { needsHistory } from '../records/input-for.ts';
import type { ReadRecord, WholeRecord } from '../records/record-reader.ts';
import type { ChunkOutcome, StudyKind, StudyOutcome, StudyQuestion, StudyWork } from '../study-kind.ts';
import { resultOf } from './backtest-result.ts';
import { createCustomerJudge } from './judge-records.ts';

/** Compares a plan with past decisions (docs/design/lead.md 2). */
export const backtestKind: StudyKind<BacktestSpec> = {
  kind: 'backtest',
  records: ({ flowId, spec }) => ({
    flowId: spec.scope === 'flow' ? flowId : null,
    from: new Date(spec.from),
    to: new Date(spec.to),
    most: spec.maxDecisions,
    share: spec.sampleShare,
  }),
  chunk: judgeChunk,
  finish,
};

async function judgeChunk(
  work: StudyWork,
  question: StudyQuestion<BacktestSpec>,
  decisionIds: readonly string[],
): Promise<ChunkOutcome> {
  const { spec, candidateHash, baseHash } = question;
  const { reader } = work;
  const candidate = await reader.plan(candidateHash);
  const base = baseHash === null ? null : await reader.plan(baseHash);
  const lines: string[] = [];
  const tally = newDiffTally(sampleOrder(question));
  const judge = createCustomerJudge({
    ...{ spec, candidate, base, tally },
    historyFrom: await work.database.withTenant(work.tenantId, systemActor('study'), historyFrom),
    line: (line) => lines.push(line),
  });
  const reads = (record: ReadRecord): boolean =>
    spec.mode === 'chained' ||
    (record.whole !== null &&
      [candidate, ...(base === null ? [] : [base])].some(({ plan }) => needsHistory(plan, record.whole.flow.plan)));
  const isRouted = routedHere(question);
  await eachCustomerBatch(work, reader, decisionIds, async (all) => {
    const records = all.filter(({ whole }) => whole === null || isRouted(whole));
    const histories = await historiesOf(work, records.filter(reads));
    for (const own of byCustomer(records)) {
      const id = customerIdIn(own);
      judge.judge(own, own.some(reads) && id !== null ? (histories.get(id) ?? []) : null);
      await work.pauseIfBusy();
    }
  });
  const text = lines.join('');
  return {
    partial: Buffer.from(JSON.stringify(tally.totals())),
    rows: lines.length === 0 ? null : { lines: deflateRawSync(text), count: lines.length },
  };
}

/** Returns a function that tells whether the routes would send a recorded request to the judged flow. */
function routedHere({ routing, flowId }: StudyQuestion): (whole: WholeRecord) => boolean {
  if (routing === null) return () => true;
  const flowOf = routerOf(routing);
  return ({ packed }) => flowOf({ ...requestDefaults, ...packed.q }) === flowId;
}

const sampleOrder =
  ({ specHash }: StudyQuestion) =>
  (decisionId: string): number =>
    u(`sample:${specHash}:${decisionId}`);

async function finish(
  _work: StudyWork,
  question: StudyQuestion<BacktestSpec>,
  partials: AsyncIterable<Uint8Array>,
): Promise<StudyOutcome> {
  const parts: DiffTotals[] = [];
  for await (const partial of partials) parts.push(JSON.parse(Buffer.from(partial).toString('utf8')) as DiffTotals);
  const totals = mergeTotals(parts, sampleOrder(question));
  return {
    result: JSON.stringify(resultOf(totals, question.spec)),
    load: JSON.stringify({ engineUsP50: quantileOf(totals.times, 0.5), engineUsP99: quantileOf(totals.times, 0.99) }),
  };
}
