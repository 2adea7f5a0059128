import type { BacktestSpec, NotEvaluableReason } from '@arbiter/contract';
import { type Contacts, type DecisionInput, decide, h32, itemTexts, type Plan, resultText } from '@arbiter/engine';
import { bucketOf, type DiffAnswer, type DiffTally, sampleItems } from '@arbiter/lab';
import { isUuid } from '../../../../platform/ids.ts';
import type { PastContact } from '../../interactions/index.ts';
import type { CompiledFlow } from '../../plans/index.ts';
import { resultHash } from '../../sealed-records/index.ts';
import { agreesWith, type CustomerChain, createChain } from '../records/customer-chain.ts';
import { reachesBack } from '../records/history-reach.ts';
import { createInputFor, type InputFor, timedDecision } from '../records/input-for.ts';
import { contactsBelow } from '../records/past-contacts.ts';
import type { ReadRecord, WholeRecord } from '../records/record-reader.ts';
import { inputOf } from '../records/recorded-input.ts';
import { answerOf, gatesOf, jsonLine, recordedAnswer } from './compared.ts';

/** One record in this many is also decided by its own plan. */
const checkEvery = 100;

export interface Judging {
  readonly spec: BacktestSpec;
  readonly candidate: CompiledFlow;
  /** Null to compare with the recorded answers. */
  readonly base: CompiledFlow | null;
  readonly tally: DiffTally;
  /** Start of complete history, epoch ms. */
  readonly historyFrom: number;
  /** Receives a line for each changed decision. */
  readonly line: (line: string) => void;
}

/** Repeats the decisions of one customer and counts what changes. */
export interface CustomerJudge {
  /** `history`: all contacts of the customer; null: it wasn't read, because no record needs it. */
  judge(records: readonly ReadRecord[], history: readonly PastContact[] | null): void;
}

export function createCustomerJudge(judging: Judging): CustomerJudge {
  const inputFor = createInputFor(judging.candidate);
  const baseInputFor = judging.base === null ? null : createInputFor(judging.base);
  const isChained = judging.spec.mode === 'chained';
  return {
    judge(records, history) {
      const chain = isChained && history !== null ? createChain(history) : null;
      const isWhole = chain === null || wholeHistory(records, history ?? []);
      for (const one of isChained ? records.toSorted(bySeq) : records) {
        const customer = { inputFor, baseInputFor, chain, history };
        const refusal =
          one.problem !== null
            ? refusedFor(one.problem)
            : isWhole
              ? judgeRecord(judging, customer, one.whole)
              : refusedFor('state_missing');
        if (refusal !== null) judging.tally.exclude(refusal.problem, refusal.lacking);
      }
    },
  };
}

const seqOf = ({ record }: ReadRecord): number => Number(record.customerSeq ?? 0);
const bySeq = (a: ReadRecord, b: ReadRecord): number => seqOf(a) - seqOf(b) || (a.record.id < b.record.id ? -1 : 1);

/** A chain starts from the state at the first record, so history must reproduce that state. */
function wholeHistory(records: readonly ReadRecord[], history: readonly PastContact[]): boolean {
  const first = records
    .flatMap(({ whole }) => whole ?? [])
    .toSorted((a, b) => Number(a.record.customerSeq) - Number(b.record.customerSeq))[0];
  return first === undefined || agreesWith(first, history);
}

interface CustomerState {
  readonly inputFor: InputFor;
  readonly baseInputFor: InputFor | null;
  readonly chain: CustomerChain | null;
  readonly history: readonly PastContact[] | null;
}

/** Why a record can't be judged. */
interface Refusal {
  readonly problem: NotEvaluableReason;
  readonly lacking: readonly string[];
}

const refusedFor = (problem: NotEvaluableReason): Refusal => ({ problem, lacking: [] });

/** Counts what changes for a record. Returns null, or why the record can't be judged. */
function judgeRecord(judging: Judging, customer: CustomerState, whole: WholeRecord): Refusal | null {
  const { tally, candidate, spec } = judging;
  const { record, packed } = whole;
  const { chain } = customer;
  const seq = record.customerSeq === null ? null : Number(record.customerSeq);
  if (chain !== null && seq === null) return refusedFor('state_missing');
  const own = customer.inputFor(whole, {
    contacts: () => pastContacts(judging, customer, whole, candidate.plan, chain),
    countsAll: chain !== null,
  });
  if (own.problem !== null) return own;
  if (isChecked(spec, whole)) {
    const isSame = reproduces(whole);
    tally.repeated(isSame);
    if (!isSame) return refusedFor('engine_drift');
  }
  const before = answerBefore(judging, customer, whole);
  if (before.problem !== null) return before;
  const input = chain === null ? own.input : { ...own.input, outcomes: chain.outcomes(own.input.outcomes) };
  const { decision, us } = timedDecision(candidate.plan, input);
  tally.timed(bucketOf(us));
  const after = answerOf(decision);
  chain?.decided({
    ...{ id: record.id, seq: seq ?? 0, at: packed.n },
    campaignId: input.request.campaignId ?? null,
    logged: recordedAnswer(whole).items,
    items: after.items,
  });
  const kind = tally.add({
    ...{ decisionId: record.id, customer: record.customerRef, before: before.answer, after },
    segments: (packed.g ?? []).filter(isUuid).map((id) => id.toLowerCase()),
    reason: maxDropped(decision.summary.droppedByReason),
  });
  if (kind !== 'same') {
    judging.line(jsonLine({ decisionId: record.id, kind, ...sampleItems({ before: before.answer, after }) }));
    countGates(judging, record.customerRef, before, { plan: candidate.plan, input });
  }
  return null;
}

/** The contacts that a record's decision saw, as far as history has them. Null: not far enough for the plan. */
function pastContacts(
  { historyFrom }: Judging,
  { history }: CustomerState,
  { record, packed }: WholeRecord,
  plan: Plan,
  chain: CustomerChain | null,
): Contacts | null {
  if (record.customerSeq === null || history === null || !reachesBack(plan, packed.n, historyFrom)) return null;
  const seq = Number(record.customerSeq);
  return chain?.contacts(seq) ?? contactsBelow(history, seq);
}

interface AnswerBefore {
  readonly answer: DiffAnswer;
  /** What gave it. */
  readonly plan: Plan;
  readonly input: DecisionInput;
  readonly problem: null;
}

function answerBefore(judging: Judging, customer: CustomerState, whole: WholeRecord): AnswerBefore | Refusal {
  const { base } = judging;
  const { baseInputFor } = customer;
  if (base === null || baseInputFor === null) {
    return { answer: recordedAnswer(whole), plan: whole.flow.plan, input: inputOf(whole), problem: null };
  }
  const { plan } = base;
  const contacts = () => pastContacts(judging, customer, whole, plan, null);
  const found = baseInputFor(whole, { contacts, countsAll: false });
  if (found.problem !== null) return found;
  return { answer: answerOf(decide(plan, found.input, { trace: false })), plan, input: found.input, problem: null };
}

/** Decisions that withhold something can't be repeated by their own plan. */
const isChecked = ({ verify }: BacktestSpec, { record, packed }: WholeRecord): boolean =>
  packed.w === undefined && (verify || h32(`drift:${record.id}`) % checkEvery === 0);

function reproduces(whole: WholeRecord): boolean {
  const decision = decide(whole.flow.plan, inputOf(whole), { trace: false });
  return resultHash(resultText(decision, whole.flow.refs), itemTexts(decision)).equals(whole.record.resultHash);
}

/** The drop reason of most candidates; the first by name among equals. */
function maxDropped(dropped: Readonly<Record<string, number>>): string | null {
  const [first] = Object.entries(dropped).sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return first?.[0] ?? null;
}

/** Repeats a changed decision with both plans and a trace, to count what each gate drops. */
function countGates(
  { tally }: Judging,
  customer: string,
  before: AnswerBefore,
  after: { readonly plan: Plan; readonly input: DecisionInput },
): void {
  const own = gatesOf(decide(after.plan, after.input, { trace: true }).trace);
  const other = gatesOf(decide(before.plan, before.input, { trace: true }).trace);
  const shown = new Set(before.answer.items.map(({ offerId }) => offerId));
  for (const [name, gate] of new Map([...other, ...own])) {
    const offers = own.get(name)?.offers ?? [];
    const blocked = offers.filter((offer) => shown.has(offer)).length;
    tally.gate(customer, gate.words, [other.get(name)?.offers.length ?? 0, offers.length, blocked]);
  }
}
