import { type Database, systemActor } from '../../../db/index.ts';
import { readCustomerProfile } from '../../catalogue/schemas/index.ts';
import { segmentsAmong } from '../../catalogue/segments/index.ts';
import { type Trial, valuesNeverStored } from '../decisions/index.ts';

/** What the tenant knows of a customer. */
export interface CustomerFacts {
  /** Without those that are never stored. */
  readonly attributes: Record<string, unknown>;
  /** Names of active segments. */
  readonly segments: string[];
}

/** Reads what the tenant knows of the customer of a trial; empty for an unknown one. */
export async function readFacts(database: Database, trial: Trial, until: number): Promise<CustomerFacts> {
  const { customerId } = trial.call.request;
  return database.withTenant(
    trial.catalogue.tenantId,
    systemActor('customer-tools'),
    async (tx) => {
      const hidden = valuesNeverStored(trial.flow);
      const profile = Object.entries(await readCustomerProfile(tx, customerId));
      const segments = await segmentsAmong(tx, [customerId]);
      return {
        attributes: Object.fromEntries(profile.filter(([name]) => !hidden.has(name))),
        segments: segments.filter(({ members }) => members.has(customerId)).map(({ name }) => name),
      };
    },
    { until },
  );
}
