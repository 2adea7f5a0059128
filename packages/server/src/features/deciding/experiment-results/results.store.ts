import type { Tx } from '../../../db/tx.ts';
import { exposedCustomers } from '../assignments/index.ts';
import { hadOutcome, impressionsUnder } from '../interactions/index.ts';

/** Days after the first impression in which an outcome counts (docs/design/api-decisioning.md 16). */
const conversionDays = 7;

/** Customers of a variant. */
export interface VariantCounts {
  readonly variant: string;
  readonly exposed: number;
  readonly converted: number;
}

/** The statement behind `countVariants`, for reading its plan. */
export const variantCountsText = `select exposed.variant, count(*)::int as exposed,
    count(*) filter (where ${hadOutcome('$1', 'exposed.customer_id', 'exposed.exposed_at', { days: '$3', metric: '$4' })})::int
      as converted
  from (${exposedCustomers('$1', '$2')}) exposed
  group by exposed.variant order by exposed.variant collate "C"`;

/** Counts the customers of an experiment by variant: those who were exposed, and those of them who converted. */
export const countVariants = (tx: Tx, experimentId: string, metric: string): Promise<VariantCounts[]> =>
  tx.query(variantCountsText, [tx.tenantId, experimentId, conversionDays, metric]);

/** Returns the number of counted impressions by variant. */
export async function countImpressions(tx: Tx, experimentId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.query<{ variant: string; impressions: number }>(
    `select exposed.variant,
       sum(${impressionsUnder('$1', 'exposed.customer_id', 'exposed.exposed_at', '$2')})::int as impressions
     from (${exposedCustomers('$1', '$2::uuid')}) exposed group by exposed.variant`,
    [tx.tenantId, experimentId],
  );
  return new Map(rows.map(({ variant, impressions }) => [variant, impressions]));
}
