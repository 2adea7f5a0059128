import type { DecisionRecord, DecisionTrace, NarrativeMode } from '@arbiter/contract';
import { countWords, type Fact, type FactDraft, maxWordsOf, numberFacts } from '../../../operations/narration/index.ts';
import { customerFacts } from './customer-facts.ts';
import { decisionFacts, storageFacts } from './decision-facts.ts';
import { funnelFacts } from './funnel-facts.ts';
import { blockedOffers, gateFacts } from './gate-facts.ts';
import { specialFacts } from './special-facts.ts';
import { winnerFacts } from './winner-facts.ts';

/** Offers that facts name, of the response and of the blocked ones, from the most to the fewest. The others are counted. */
const numbersNamed = [10, 8, 6, 4, 2, 1];

/**
 * Returns what is known about a decision, in the order in which a narrative states it. From the trace and the record only: the
 * same two always give the same facts. Names fewer offers if the texts would be too long. `record`: null if it has expired.
 */
export function factsOf(mode: NarrativeMode, trace: DecisionTrace, record: DecisionRecord | null): readonly Fact[] {
  if (mode === 'customer') return numberFacts(customerFacts(trace));
  let facts: readonly FactDraft[] = [];
  for (const named of numbersNamed) {
    facts = allFacts(trace, record, named);
    if (facts.reduce((sum, { text }) => sum + countWords(text), 0) <= maxWordsOf.regulator) break;
  }
  return numberFacts(facts);
}

const allFacts = (trace: DecisionTrace, record: DecisionRecord | null, named: number): readonly FactDraft[] => [
  ...decisionFacts(trace),
  ...funnelFacts(trace),
  ...winnerFacts(trace, named),
  ...gateFacts(blockedOffers(trace), named),
  ...specialFacts(trace),
  ...storageFacts(trace, record),
];
