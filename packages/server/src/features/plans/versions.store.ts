import type { HotStatement } from '../../db/index.ts';
import { evidenceNumber } from '../evidence/index.ts';

/** The newest catalogue version and evidence number, read with the customers so that a lost notification costs one batch. */
export function newestVersions(tenantId: string): HotStatement {
  return {
    name: 'decisions.versions',
    text: `select coalesce((select version from catalogue_versions where tenant_id = $1), 0) as version,
      ${evidenceNumber} as evidence`,
    values: [tenantId],
  };
}
