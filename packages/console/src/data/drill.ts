import type { decisionListOperations } from '@arbiter/contract/decision-lists';
import type { CallInput } from '@arbiter/sdk/caller';
import { addresses } from '../route/addresses.ts';

/** The link behind a number, to the decisions that make it. Fits `Drill` of the components. */
export interface NumberDrill {
  readonly to: string;
  readonly says?: string;
}

/** A filter of decisions: the query of the list, without its place in it. */
export type DecisionFilter = Omit<
  NonNullable<CallInput<typeof decisionListOperations.list>['query']>,
  'cursor' | 'limit'
>;

/** The decisions that a number counts. */
export function drillTo(filter: DecisionFilter, says?: string): NumberDrill {
  return { to: addresses.decisions(filter), ...(says === undefined ? {} : { says }) };
}
