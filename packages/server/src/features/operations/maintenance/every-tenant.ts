import type { TenantFailure } from '@arbiter/contract';
import type { Database } from '../../../db/index.ts';
import { AppError } from '../../../platform/app-error.ts';
import { selectTenantIds } from '../../identity/tenants/index.ts';

/** Work of one call on every tenant in turn. */
export interface Rounds {
  /**
   * Does it for each tenant until `until` (`performance.now()`); one
   * that fails is reported and doesn't delay others. A round that runs out of time continues by the next one. Answers with how many tenants it came to, and which failed.
   */
  run(
    until: number,
    work: (tenantId: string) => Promise<void>,
  ): Promise<{ readonly tenants: number; readonly errors: TenantFailure[] }>;
}

/** `reason`: names the work, as in `systemActor`. */
export function createRounds(database: Database, reason: string, onError: (error: unknown) => void): Rounds {
  let first = '';
  return {
    async run(until, work) {
      const ids = await database.withSystem(reason, selectTenantIds, { until });
      const start = Math.max(
        0,
        ids.findIndex((id) => id >= first),
      );
      first = '';
      const errors: TenantFailure[] = [];
      let tenants = 0;
      for (const tenantId of [...ids.slice(start), ...ids.slice(0, start)]) {
        if (performance.now() > until) {
          first = tenantId;
          break;
        }
        tenants += 1;
        try {
          await work(tenantId);
        } catch (error) {
          onError(error);
          errors.push({ tenantId, error: error instanceof AppError ? error.code : 'internal' });
        }
      }
      return { tenants, errors };
    },
  };
}
