import type { decisionListOperations } from '@arbiter/contract/decision-lists';
import type { CallInput } from '@arbiter/sdk/caller';
import { drillTexts } from '../messages/drill.ts';
import { addresses } from '../route/addresses.ts';

/** What stands behind a number: the decisions that make it, or why they cannot be listed. Fits `Drill` of the components. */
export type NumberDrill = { readonly to: string; readonly says?: string } | { readonly reason: string };

/** A filter of decisions: the query of the list, without its place in it. */
export type DecisionFilter = Omit<
  NonNullable<CallInput<typeof decisionListOperations.list>['query']>,
  'cursor' | 'limit'
>;

/** The decisions that a number counts. */
export function drillTo(filter: DecisionFilter, says?: string): NumberDrill {
  return { to: addresses.decisions(filter), ...(says === undefined ? {} : { says }) };
}

/** Reasons for a number that cannot be opened, in words. */
export const noDrill = {
  older: (days: number): NumberDrill => ({ reason: drillTexts.older(days) }),
  aggregate: (): NumberDrill => ({ reason: drillTexts.aggregate }),
  sampled: (share: number): NumberDrill => ({ reason: drillTexts.sampled(share) }),
  tracesOff: (): NumberDrill => ({ reason: drillTexts.tracesOff }),
  notDecisions: (): NumberDrill => ({ reason: drillTexts.notDecisions }),
} as const;
