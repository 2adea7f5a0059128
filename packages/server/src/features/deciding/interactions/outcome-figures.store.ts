/**
 * SQL: true when the customer had such an outcome from an instant on, for some days. All are parameters or columns of the
 * caller; `metric` is `positive`, `convert` or the key of an outcome type. Reads the customer's own rows since that instant: rows are stored at most two
 * days before the time of their event.
 */
export const hadOutcome = (
  tenantId: string,
  customerId: string,
  from: string,
  { days, metric }: { readonly days: string; readonly metric: string },
): string =>
  `exists (select from interactions answer
    where answer.tenant_id = ${tenantId} and answer.customer_id = ${customerId} and answer.id >= ${idAround(from)}
      and answer.interaction_type = 'response'
      and answer.occurred_at >= ${from} and answer.occurred_at < ${from} + make_interval(days => ${days})
      and case ${metric} when 'positive' then answer.classification = 'positive'
        when 'convert' then answer.is_conversion else answer.outcome_key = ${metric} end)`;

/** SQL: number of counted impressions that a customer had under an experiment (its id as text) since an instant. */
export const impressionsUnder = (tenantId: string, customerId: string, from: string, experimentId: string): string => {
  const named = `jsonb_build_array(jsonb_build_object('id', ${experimentId}::text))`;
  const own = (row: string) =>
    `${row}.tenant_id = ${tenantId} and ${row}.customer_id = ${customerId} and ${row}.id >= ${idAround(from)}
      and ${row}.experiments @> ${named}`;
  return `(coalesce((select sum(cardinality(shown.offer_ids)) from decision_impressions shown where ${own('shown')}), 0)
    + (select count(*) from interactions reported where ${own('reported')} and reported.interaction_type = 'impression'))`;
};

/** The lowest id of a row stored two days before. */
const idAround = (from: string): string =>
  `(lpad(to_hex((extract(epoch from ${from}) * 1000)::bigint - 172800000), 12, '0') || repeat('0', 20))::uuid`;
