import type { cronExportOperations, ExportedTenant } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { selectTenantNames } from '../../identity/tenants/index.ts';
import { type ExportPorts, exportHistory, failureWord, monthsLeftOut, shownPath } from './exports.service.ts';

export interface ExportRoutePorts extends ExportPorts {
  /** Receives what made a tenant's export fail. */
  readonly onError: (error: unknown) => void;
}

/** No export is begun when less than this is left until the answer must be there, in ms. */
const reserveMs = 1_500;

/** Handlers of the export that a scheduler outside calls. */
export function exportRoutes(ports: ExportRoutePorts): Handlers<typeof cronExportOperations> {
  // If a call runs out of time, the next one continues, so that every tenant gets its turn.
  let first = '';
  return {
    async exportInteractions({ until, requestId }) {
      const found = await ports.database.withSystem('export-interactions', selectTenantNames, { until });
      const start = Math.max(
        0,
        found.findIndex(({ id }) => id >= first),
      );
      const tenants: ExportedTenant[] = [];
      first = '';
      for (const { id, name } of [...found.slice(start), ...found.slice(0, start)]) {
        const tenant = { tenantId: id, tenantName: name, exported: 0, filePath: null };
        if (performance.now() > until - reserveMs) {
          if (first === '') first = id;
          tenants.push({ ...tenant, error: 'deferred' });
          continue;
        }
        try {
          const { exported, path } = await exportHistory(ports, id, { until, requestId });
          const archivedMonths = await monthsLeftOut(ports, id, { until, requestId });
          tenants.push({
            ...{ ...tenant, exported, filePath: path === null ? null : shownPath(path) },
            ...(archivedMonths.length === 0 ? {} : { archivedMonths }),
          });
        } catch (error) {
          ports.onError(error);
          tenants.push({ ...tenant, error: failureWord(error) });
        }
      }
      return reply(200, {
        ok: tenants.every(({ error }) => error === undefined),
        totalExported: tenants.reduce((sum, { exported }) => sum + exported, 0),
        tenants,
      });
    },
  };
}
