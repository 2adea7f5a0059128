import { catalogueVersionOf, type HotStatement } from '../../db/index.ts';
import { evidenceNumber } from '../evidence/index.ts';

/** The newest catalogue version and evidence number, read with the customers so that a lost notification costs one batch. */
export function newestVersions(tenantId: string): HotStatement {
  return {
    name: 'decisions.versions',
    text: `select ${catalogueVersionOf('$1')} as version,
      ${evidenceNumber} as evidence`,
    values: [tenantId],
  };
}
