import type { decisionListOperations } from '@arbiter/contract/deciding/decision-lists';
import type { CallInput } from '@arbiter/sdk/caller';
import { addresses } from '../route/addresses.ts';

/** The decisions behind a number. Matches `Drill` of the components. */
export interface NumberDrill {
  readonly to: string;
  readonly label?: string;
}

/** A decision filter: the query of the list without its cursor. */
export type DecisionFilter = Omit<
  NonNullable<CallInput<typeof decisionListOperations.list>['query']>,
  'cursor' | 'limit'
>;

/** Links a number to its decisions. */
export function drillTo(filter: DecisionFilter, label?: string): NumberDrill {
  return { to: addresses.decisions(filter), ...(label === undefined ? {} : { label }) };
}
