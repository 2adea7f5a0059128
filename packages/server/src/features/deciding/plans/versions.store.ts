import { catalogueVersionOf, type HotStatement, instantColumn } from '../../../db/index.ts';
import { evidenceNumber } from '../evidence/index.ts';

/**
 * The newest catalogue version and evidence number, read with the customers so that a lost notification costs one batch; and
 * the database's instant, which lies behind the wait for the customers when they are locked before.
 */
export function newestVersions(tenantId: string): HotStatement {
  return {
    name: 'decisions.versions',
    text: `select ${catalogueVersionOf('$1')} as version,
      ${evidenceNumber} as evidence, ${instantColumn}`,
    values: [tenantId],
  };
}
