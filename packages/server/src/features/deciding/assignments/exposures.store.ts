import { type HotStatement, instantArray, type Tx, textArray, uuidArray } from '../../../db/index.ts';
import type { Removed } from '../../../jobs/index.ts';

/** A customer who saw something under an experiment. */
export interface Exposure {
  readonly experimentId: string;
  readonly customerId: string;
  readonly variant: string;
}

/** Stores the first exposures of customers; each may be named once. Later ones change nothing. */
export const saveExposures = (tenantId: string, at: Date, exposures: readonly Exposure[]): HotStatement => ({
  name: 'decisions.exposed',
  text: `insert into experiment_exposures (tenant_id, experiment_id, customer_id, variant, exposed_at)
    select $1, u.experiment_id, u.customer_id, u.variant, $2
    from unnest($3::uuid[], $4::text[], $5::text[]) as u(experiment_id, customer_id, variant)
    on conflict (tenant_id, experiment_id, customer_id) do nothing`,
  values: [
    tenantId,
    at,
    uuidArray(exposures.map((one) => one.experimentId)),
    textArray(exposures.map((one) => one.customerId)),
    textArray(exposures.map((one) => one.variant)),
  ],
});

/** An exposure by an impression that was reported. */
export interface ReportedExposure extends Exposure {
  readonly at: Date;
}

/** Stores the exposures of impressions that were reported, perhaps late: a customer's earliest one counts. */
export async function noteExposures(tx: Tx, reported: readonly ReportedExposure[]): Promise<void> {
  if (reported.length === 0) return;
  const earliest = new Map<string, ReportedExposure>();
  for (const one of reported) {
    const key = `${one.experimentId} ${one.customerId}`;
    const known = earliest.get(key);
    if (known === undefined || one.at < known.at) earliest.set(key, one);
  }
  const exposures = [...earliest.values()];
  await tx.query(
    `insert into experiment_exposures as known (tenant_id, experiment_id, customer_id, variant, exposed_at)
     select $1, u.experiment_id, u.customer_id, u.variant, u.exposed_at
     from unnest($2::uuid[], $3::text[], $4::text[], $5::timestamptz[]) as u(experiment_id, customer_id, variant, exposed_at)
     on conflict (tenant_id, experiment_id, customer_id) do update
       set exposed_at = excluded.exposed_at, variant = excluded.variant where excluded.exposed_at < known.exposed_at`,
    [
      tx.tenantId,
      uuidArray(exposures.map((one) => one.experimentId)),
      textArray(exposures.map((one) => one.customerId)),
      textArray(exposures.map((one) => one.variant)),
      instantArray(exposures.map((one) => one.at)),
    ],
  );
}

/** Rows that one transaction deletes. */
const rowsPerSlice = 5_000;

/** Deletes exposures older than `days` days, in one slice. */
export async function expireExposures(tx: Tx, days: number): Promise<Removed> {
  const deleted = await tx.query(
    `delete from experiment_exposures where tenant_id = $1 and ctid = any(array(
       select ctid from experiment_exposures
       where tenant_id = $1 and exposed_at < $2::timestamptz - make_interval(days => $3::integer)
       order by exposed_at limit $4 for update skip locked))
     returning 1`,
    [tx.tenantId, tx.now, days, rowsPerSlice],
  );
  return { rows: deleted.length, more: deleted.length === rowsPerSlice };
}

/**
 * SQL: the customers that an experiment exposed, as rows `(variant, customer_id, exposed_at)`. Both are parameters or
 * columns.
 */
export const exposedCustomers = (tenantId: string, experimentId: string): string =>
  `select exposure.variant, exposure.customer_id, exposure.exposed_at from experiment_exposures exposure
   where exposure.tenant_id = ${tenantId} and exposure.experiment_id = ${experimentId}`;
