import { deflateRawSync } from 'node:zlib';
import type { BacktestSpec } from '@arbiter/contract';
import { requestDefaults, u } from '@arbiter/engine';
import { type DiffTotals, mergeTotals, newDiffTally, quantileOf } from '@arbiter/lab';
import { systemActor } from '../../../../db/index.ts';
import { contactHistory, type PastContact } from '../../interactions/index.ts';
import { routerOf } from '../../plans/index.ts';
import { historyFrom } from '../records/history-reach.ts';
import { needsHistory } from '../records/input-for.ts';
import type { ReadRecord, WholeRecord } from '../records/record-reader.ts';
import type { ChunkOutcome, StudyKind, StudyOutcome, StudyQuestion, StudyWork } from '../study-kind.ts';
import { resultOf } from './backtest-result.ts';
import { createCustomerJudge } from './judge-records.ts';

/** Records read in one transaction. */
const recordsPerRead = 500;

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
  const judgeAll = async (all: readonly ReadRecord[]): Promise<void> => {
    const records = all.filter(({ whole }) => whole === null || isRouted(whole));
    const customers = new Map<string, ReadRecord[]>();
    for (const one of records) {
      const own = customers.get(one.record.customerRef) ?? [];
      own.push(one);
      customers.set(one.record.customerRef, own);
    }
    const histories = await historiesOf(work, records.filter(reads));
    for (const own of customers.values()) {
      const id = own.find(({ record }) => record.customerId !== null)?.record.customerId ?? null;
      judge.judge(own, own.some(reads) && id !== null ? (histories.get(id) ?? []) : null);
    }
  };
  let waiting: readonly ReadRecord[] = [];
  for (let at = 0; at < decisionIds.length; at += recordsPerRead) {
    await work.pauseIfBusy();
    const read = [...waiting, ...(await reader.read(decisionIds.slice(at, at + recordsPerRead)))];
    const last = read.at(-1)?.record.customerRef;
    // The next batch may have more records of the last customer.
    waiting = read.filter(({ record }) => record.customerRef === last);
    await judgeAll(read.filter(({ record }) => record.customerRef !== last));
  }
  await judgeAll(waiting);
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

async function historiesOf(
  { database, tenantId }: StudyWork,
  records: readonly ReadRecord[],
): Promise<ReadonlyMap<string, readonly PastContact[]>> {
  const ids = [...new Set(records.flatMap(({ record }) => record.customerId ?? []))];
  if (ids.length === 0) return new Map();
  const found = new Map<string, PastContact[]>();
  const contacts = await database.withTenant(tenantId, systemActor('study'), (tx) => contactHistory(tx, ids));
  for (const contact of contacts) {
    const own = found.get(contact.customerId) ?? [];
    own.push(contact);
    found.set(contact.customerId, own);
  }
  return found;
}

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
