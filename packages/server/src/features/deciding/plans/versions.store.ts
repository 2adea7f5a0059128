import { catalogueVersionOf, type HotStatement, instantColumn } from '../../../db/index.ts';
import { evidenceNumber } from '../evidence/index.ts';

/**
 * Reads the newest catalogue version and evidence number together with the customers, so that a lost notification costs
 * one batch; and the database's instant, which comes after the wait for the customers when they're locked first.
 */
export function newestVersions(tenantId: string): HotStatement {
  return {
    name: 'decisions.versions',
    text: `select ${catalogueVersionOf('$1')} as version,
      ${evidenceNumber} as evidence, ${instantColumn}`,
    values: [tenantId],
  };
}
