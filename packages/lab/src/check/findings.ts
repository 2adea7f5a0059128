import type { Gate, Subject } from './subject.ts';
import type { Witness } from './witness.ts';

export const findingCodes = {
  never_eligible: 'error',
  gates_exclude: 'error',
  no_creative: 'error',
  no_placement: 'error',
  no_channel: 'error',
  content_unpublished: 'error',
  schedule_over: 'error',
  schedule_empty: 'error',
  budget_zero: 'error',
  stock_zero: 'error',
  node_unreachable: 'error',
  branch_dead: 'error',
  call_flow_closed: 'error',
  empty_after: 'error',
  condition_always_false: 'warning',
  condition_always_true: 'warning',
  condition_shadowed: 'warning',
  cap_always_binds: 'warning',
  policy_lifted_always: 'warning',
  policy_no_target: 'warning',
  exclusion_of_one: 'warning',
  outranked: 'warning',
  unknown_value: 'warning',
  mandatory_conflict: 'warning',
  coupling_always_empty: 'warning',
  explore_no_effect: 'warning',
  segment_empty: 'warning',
  metric_unset: 'warning',
  rule_duplicate: 'warning',
  cap_never_binds: 'info',
} as const;

export type FindingCode = keyof typeof findingCodes;
export type Severity = 'error' | 'warning' | 'info';

/** A set of gates; without them, the offer is returned to the witness. */
export interface Repair {
  readonly without: readonly Subject[];
  readonly witness: Witness;
}

export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  readonly subject: Subject;
  /** Gates that exclude each other; none can be left out. */
  readonly core: readonly Subject[];
  readonly repairs: readonly Repair[];
  readonly message: string;
}

export interface Coverage {
  readonly offers: number;
  /** Offers that can never be shown, and those shown to a witness. */
  readonly proved: number;
  /** Offers of which neither is known. */
  readonly unknown: number;
  /** Parts of the catalogue whose result isn't known before a decision, by type. */
  readonly unread: readonly { readonly type: string; readonly count: number }[];
}

export function finding(
  code: FindingCode,
  subject: Subject,
  message: string,
  more: Partial<Pick<Finding, 'core' | 'repairs'>> = {},
): Finding {
  return { code, severity: findingCodes[code], subject, core: [], repairs: [], message, ...more };
}

export const subjectOf = ({ type, id, name, path }: Gate | Subject): Subject => ({ type, id, name, path });

export const quoted = (name: string): string => `“${name}”`;

/** `“A”`, `“A” and “B”`, `“A”, “B” and “C”`. */
export function listed(subjects: readonly Pick<Subject, 'name'>[]): string {
  const names = subjects.map(({ name }) => quoted(name));
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
