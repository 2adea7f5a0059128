import type { ErrorEntry } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { readCustomerProfile } from '../../catalogue/schemas/index.ts';
import { segmentsOfCustomers } from '../../catalogue/segments/index.ts';
import { compileCondition, conditionFindings } from './condition.rules.ts';

/** What conditions of triggers and journeys read. */
export interface ConditionFacts {
  readonly customerId: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** Of the event that enrolls: type, channel, timestamp. */
  readonly event?: Readonly<Record<string, unknown>>;
  readonly outcome?: Readonly<Record<string, unknown>>;
  /** Decisions of a journey by resultKey. */
  readonly results?: Readonly<Record<string, unknown>>;
}

const defaultRoots = ['data', 'event', 'outcome', 'customer', 'segments'];

/** Returns why a condition can't be read. `results`: the resultKeys of a journey. */
export const conditionProblems = (condition: unknown, path: string, results: readonly string[] = []): ErrorEntry[] =>
  conditionFindings(condition, path, [...defaultRoots, ...results]);

/** Reads what conditions with these first words of fields need to know: the profile and the segments only if one names them. */
export async function readKnown(
  tx: Tx,
  roots: ReadonlySet<string>,
  facts: ConditionFacts,
): Promise<Readonly<Record<string, unknown>>> {
  const customer = roots.has('customer') ? await readCustomerProfile(tx, facts.customerId) : {};
  const segments = roots.has('segments')
    ? [...((await segmentsOfCustomers(tx, [facts.customerId])).get(facts.customerId) ?? [])]
    : [];
  const { data, event = {}, outcome = {}, results = {} } = facts;
  return { ...results, data, event, outcome, customer, segments };
}

/** Compiles and evaluates a condition for a customer. */
export async function matches(tx: Tx, condition: unknown, facts: ConditionFacts): Promise<boolean> {
  const { roots, evaluate } = compileCondition(condition);
  return evaluate(await readKnown(tx, roots, facts)).matched;
}
