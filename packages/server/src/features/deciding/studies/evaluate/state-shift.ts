import { type ContactCounts, decide } from '@arbiter/engine';
import type { PastContact } from '../../interactions/index.ts';
import type { CompiledFlow } from '../../plans/index.ts';
import { recordedAnswer } from '../backtest/compared.ts';
import { createChain } from '../records/customer-chain.ts';
import { createInputFor } from '../records/input-for.ts';
import { contactsBelow, laneName } from '../records/past-contacts.ts';
import type { ReadRecord, WholeRecord } from '../records/record-reader.ts';
import type { EvaluationTally } from './evaluation-tally.ts';

/**
 * Returns what counts, over all decisions of a customer in their order, how many would find other contacts had the candidate
 * made the decisions before (docs/design/lead.md 3, stateShift).
 */
export function createShiftCounter(
  candidate: CompiledFlow,
  tally: EvaluationTally,
): (records: readonly ReadRecord[], history: readonly PastContact[]) => void {
  const inputFor = createInputFor(candidate);
  return (records, history) => {
    const chain = createChain(history);
    for (const whole of inOrder(records)) {
      const { record, packed } = whole;
      const seq = Number(record.customerSeq);
      const own = inputFor(whole, { contacts: () => chain.contacts(seq), countsAll: true });
      const real = inputFor(whole, { contacts: () => contactsBelow(history, seq), countsAll: true });
      if (own.problem !== null || real.problem !== null) continue;
      tally.compared += 1;
      if (countsText(own.input.contacts) !== countsText(real.input.contacts)) tally.shifted += 1;
      const input = { ...own.input, outcomes: chain.outcomes(own.input.outcomes) };
      chain.decided({
        ...{ id: record.id, seq, at: packed.n },
        campaignId: input.request.campaignId ?? null,
        logged: recordedAnswer(whole).items,
        items: decide(candidate.plan, input).items,
      });
    }
  };
}

const inOrder = (records: readonly ReadRecord[]): readonly WholeRecord[] =>
  records
    .flatMap(({ whole }) => (whole === null || whole.record.customerSeq === null ? [] : [whole]))
    .toSorted((a, b) => Number(a.record.customerSeq) - Number(b.record.customerSeq));

/** The order of lanes doesn't matter, nor do those without a contact that counts. */
const countsText = ({ lanes, counts }: ContactCounts): string =>
  lanes
    .map((lane, at) => ({ name: laneName(lane), row: counts.map((row) => row[at] ?? 0) }))
    .filter(({ row }) => row.some((count) => count !== 0))
    .map(({ name, row }) => `${name} ${row.join(' ')}`)
    .sort()
    .join('\n');
