import { decide } from '@arbiter/engine';
import { kindOf } from '@arbiter/lab';
import type { PastContact } from '../../interactions/index.ts';
import type { CompiledFlow } from '../../plans/index.ts';
import { answerOf, recordedAnswer } from '../backtest/compared.ts';
import { createChain } from '../records/customer-chain.ts';
import { createInputFor } from '../records/input-for.ts';
import { contactsBelow } from '../records/past-contacts.ts';
import type { ReadRecord, WholeRecord } from '../records/record-reader.ts';
import type { EvaluationTally } from './evaluation-tally.ts';

/**
 * Returns a function that takes a customer's decisions in order, and counts those that the candidate would answer
 * differently after its own contacts than after the recorded ones (docs/design/lead.md 3, stateShift). Contacts that no gate counts differ in
 * nearly every decision and change none, so answers are compared.
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
      const decision = decide(candidate.plan, { ...own.input, outcomes: chain.outcomes(own.input.outcomes) });
      const [after, before] = [answerOf(decision), answerOf(decide(candidate.plan, real.input))];
      tally.compared += 1;
      if (kindOf(before, after) !== 'same') tally.shifted += 1;
      chain.decided({
        ...{ id: record.id, seq, at: packed.n },
        campaignId: own.input.request.campaignId ?? null,
        logged: recordedAnswer(whole).items,
        items: after.items,
      });
    }
  };
}

const inOrder = (records: readonly ReadRecord[]): readonly WholeRecord[] =>
  records
    .flatMap(({ whole }) => (whole === null || whole.record.customerSeq === null ? [] : [whole]))
    .toSorted((a, b) => Number(a.record.customerSeq) - Number(b.record.customerSeq));
