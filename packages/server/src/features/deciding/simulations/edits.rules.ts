import type { SimulateRequest } from '@arbiter/contract';
import { type DecisionInput, type Edit, editableColumns, type Json, type Plan, withEdits } from '@arbiter/engine';

/** What a simulation changes in a decision's input. */
export type Edits = Pick<SimulateRequest, 'profile' | 'attributes' | 'segments'>;

const editsOf = (under: string, values: Readonly<Record<string, unknown>> = {}): Edit[] =>
  Object.entries(values).map(([name, to]) => ({ path: `${under}.${name}`, from: null, to: to as Json }));

/** The input with other values under `customer.`, with further attributes and memberships; the seed stays. */
export function withChanges(plan: Plan, input: DecisionInput, { profile, attributes, segments }: Edits): DecisionInput {
  const edits = [
    ...editsOf('customer', profile),
    ...editsOf('attributes', attributes),
    ...(segments ?? []).map((to): Edit => ({ path: 'segments', from: null, to })),
  ];
  // The seed may be no property of the input's own, so a copy would go without.
  return { ...withEdits(plan, editableColumns(plan, input), input, edits), seed: input.seed };
}

/** Names of `profile` that `withChanges` leaves unchanged, because the plan reads no such value of the customer's own row. */
export function notSetBy(plan: Plan, input: DecisionInput, profile: SimulateRequest['profile']): string[] {
  if (profile === undefined) return [];
  const columns = editableColumns(plan, input);
  return Object.keys(profile).filter((name) => !columns.has(name));
}
