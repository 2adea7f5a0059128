import type { ErrorEntry } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { readCustomerProfile } from '../../catalogue/schemas/index.ts';
import { segmentsOfCustomers } from '../../catalogue/segments/index.ts';
import { conditionFindings, holds, valueAt } from './condition.rules.ts';

/** What conditions of a journey read. */
export interface ConditionFacts {
  readonly customerId: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Of the event that enrolls: type, channel, timestamp. */
  readonly event?: Readonly<Record<string, unknown>>;
  readonly outcome?: Readonly<Record<string, unknown>>;
  /** Decisions by resultKey. */
  readonly results?: Readonly<Record<string, unknown>>;
}

const usualRoots = ['data', 'event', 'outcome', 'customer', 'segments'];

/** Returns why a condition can't be read. `results`: the resultKeys of the journey. */
export const conditionProblems = (condition: unknown, path: string, results: readonly string[]): ErrorEntry[] =>
  conditionFindings(condition, path, [...usualRoots, ...results]);

/** Evaluates a condition for a customer. Reads the profile and the segments only if it names them. */
export async function matches(tx: Tx, condition: unknown, facts: ConditionFacts): Promise<boolean> {
  const text = JSON.stringify(condition);
  const customer = text.includes('"customer') ? await readCustomerProfile(tx, facts.customerId) : {};
  const segments = text.includes('"segments"')
    ? [...((await segmentsOfCustomers(tx, [facts.customerId])).get(facts.customerId) ?? [])]
    : [];
  const { data, event = {}, outcome = {}, results = {} } = facts;
  const known: Readonly<Record<string, unknown>> = { ...results, data, event, outcome, customer, segments };
  return holds(condition, (field) => valueAt(known, field.split('.')));
}
