import type { tenantOperations } from '@arbiter/contract';
import type { Tx } from '../../db/tx.ts';
import { type Handlers, reply } from '../../http/handler.ts';
import { getTenant, readTenantStatus, renameTenant } from './tenants.service.ts';

/** What the tenant's pages ask of the features above. */
export interface TenantPorts {
  /** True when the tenant has any offer or schema. */
  hasData(tx: Tx): Promise<boolean>;
  /** DEMO_MODE of the process. */
  readonly isDemoMode: boolean;
}

/** Handlers of the tenant itself (docs/design/api-access.md 5.3). */
export function tenantRoutes(ports: TenantPorts): Handlers<typeof tenantOperations> {
  return {
    get: async (tx) => reply(200, await getTenant(tx)),
    update: async (tx, { body }) => reply(200, await renameTenant(tx, body.name)),
    status: async (tx) => {
      const facts = { isDemoMode: ports.isDemoMode, hasData: await ports.hasData(tx) };
      return reply(200, await readTenantStatus(tx, facts));
    },
  };
}
