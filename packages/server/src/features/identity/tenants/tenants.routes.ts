import type { tenantOperations } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { configVersionHeader, type Handlers, reply } from '../../../http/handler.ts';
import { AppError } from '../../../platform/app-error.ts';
import { type ResetPorts, resetTenant } from './reset.service.ts';
import { getTenant, readTenantStatus, renameTenant } from './tenants.service.ts';

/** What the tenant operations need from higher features. */
export interface TenantPorts extends ResetPorts {
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
    reset: async ({ tenantId, actor, requestId, body }) => {
      if (body.confirm !== true) {
        const errors = [{ path: '/confirm', message: 'must be true' }];
        throw new AppError('confirmation_mismatch', { detail: 'confirm must be true.', errors });
      }
      const version = await resetTenant(ports, { tenantId, actor, requestId });
      return reply(200, { message: 'All data of the playground was deleted.' }, configVersionHeader(version));
    },
    status: async (tx) => {
      const facts = { isDemoMode: ports.isDemoMode, hasData: await ports.hasData(tx) };
      return reply(200, await readTenantStatus(tx, facts));
    },
  };
}
