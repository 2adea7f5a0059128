import type { decisionListOperations } from '@arbiter/contract/decision-lists';
import type { CallInput } from '@arbiter/sdk/caller';
import { drillTexts } from '../messages/drill.ts';
import { addresses } from '../route/addresses.ts';

/** The decisions behind a number, or the reason why they can't be listed. Matches `Drill` of the components. */
export type NumberDrill = { readonly to: string; readonly label?: string } | { readonly reason: string };

/** A decision filter: the query of the list without its cursor. */
export type DecisionFilter = Omit<
  NonNullable<CallInput<typeof decisionListOperations.list>['query']>,
  'cursor' | 'limit'
>;

/** Links a number to its decisions. */
export function drillTo(filter: DecisionFilter, label?: string): NumberDrill {
  return { to: addresses.decisions(filter), ...(label === undefined ? {} : { label }) };
}

/** Reasons why a number doesn't link to decisions. */
export const noDrill = {
  older: (days: number): NumberDrill => ({ reason: drillTexts.older(days) }),
  aggregate: (): NumberDrill => ({ reason: drillTexts.aggregate }),
  sampled: (share: number): NumberDrill => ({ reason: drillTexts.sampled(share) }),
  tracesOff: (): NumberDrill => ({ reason: drillTexts.tracesOff }),
  notDecisions: (): NumberDrill => ({ reason: drillTexts.notDecisions }),
} as const;
