import { countedAtMost } from '@arbiter/contract';
import { columns, computed, expression, type RowOf, select, selectList, table } from '../../../db/columns.ts';
import { type Conditions, conditionsOf } from '../../../db/conditions.ts';
import type { Tx } from '../../../db/tx.ts';
import { joinCustomer } from '../customer-states/index.ts';
import { addRecordConditions, type DecisionFilter } from './decision-filter.ts';

const listedColumns = selectList(
  columns(
    table('decisions'),
    [
      'id',
      'traceId',
      'source',
      'decidedAt',
      'flowId',
      'flowVersion',
      'configVersion',
      'channelId',
      'itemCount',
      'emptyCode',
      'explored',
      'minProbability',
    ],
    'd',
  ),
  computed<{ requestId: string; customerId: string | null }>({
    requestId: expression('coalesce(d.request_id, d.id)'),
    customerId: expression('customer.customer_id'),
  }),
);

/** A decision as lists show it: its plain columns, and the customer as long as there is one. */
export type ListedDecision = RowOf<typeof listedColumns>;

/** SQL behind the select list, with its values: decisions below an id, newest first. */
export function decisionsPage(
  tx: Tx,
  filter: DecisionFilter,
  before: string | null,
  limit: number,
): { readonly rest: string; readonly values: readonly unknown[] } {
  const conditions = conditionsOf(tx.tenantId, 'd');
  addRecordConditions(conditions, filter);
  if (before !== null) conditions.add(before, (p) => `d.id < ${p}::uuid`);
  const rest = `from decisions d ${joinCustomer('d')} where ${conditions.text()}
    order by d.id desc limit ${conditions.parameter(limit)}`;
  return { rest, values: conditions.values };
}

/** Decisions below an id, newest first. */
export async function selectDecisions(
  tx: Tx,
  filter: DecisionFilter,
  before: string | null,
  limit: number,
): Promise<ListedDecision[]> {
  const { rest, values } = decisionsPage(tx, filter, before, limit);
  return select(tx, listedColumns, rest, values);
}

/** Returns the number of matching decisions, counted up to `countedAtMost`. */
export async function countDecisions(tx: Tx, filter: DecisionFilter): Promise<number> {
  const conditions = conditionsOf(tx.tenantId, 'd');
  addRecordConditions(conditions, filter);
  const [row] = await tx.query<{ total: number }>(
    `select count(*)::int as total from (select from decisions d where ${conditions.text()} limit ${countedAtMost}) counted`,
    conditions.values,
  );
  return row?.total ?? 0;
}

/** SQL: true when the record of a decision, named by a column or parameter, matches the filter. */
export function recordMatches(outer: Conditions, decisionId: string, filter: DecisionFilter): string {
  const texts: string[] = [];
  const also = (text: string): void => {
    texts.push(text);
  };
  addRecordConditions({ add: (value, text) => also(text(outer.parameter(value))), also }, filter);
  return `exists (select from decisions d where ${[`d.tenant_id = $1 and d.id = ${decisionId}`, ...texts].join(' and ')})`;
}
