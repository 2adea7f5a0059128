import type { behavioralMetricOperations } from '@arbiter/contract';
import type { Database } from '../../../db/index.ts';
import { type Handlers, reply } from '../../../http/handler.ts';
import { noContent, recordHandlers } from '../../catalogue/catalogue-records/index.ts';
import { computeNow, type RunInTransaction } from './compute.service.ts';
import {
  changeMetric,
  createMetric,
  deleteMetric,
  listValues,
  type MetricPorts,
  showMetrics,
} from './metrics.service.ts';
import { metricSpec } from './metrics.store.ts';

/** Handlers of behavioral metrics (docs/design/api-catalogue.md 13). */
export function metricRoutes(
  ports: MetricPorts & { readonly database: Database },
): Handlers<typeof behavioralMetricOperations> {
  return {
    ...recordHandlers(metricSpec, {
      show: (tx, rows) => showMetrics(tx, ports, rows),
      create: createMetric,
      change: (tx, id, rowVersion, changes) => changeMetric(tx, id, rowVersion, changes, ports.findMetricUses),
      remove: (tx, id, addressed) => noContent(deleteMetric(tx, id, addressed, ports.findMetricUses)),
    }),
    compute: async ({ tenantId, actor, requestId, until, params }) => {
      const run: RunInTransaction = (work) => ports.database.withTenant(tenantId, actor, work, { requestId, until });
      return reply(200, await computeNow(run, ports, params.id));
    },
    values: async (tx, { params, query }) =>
      reply(200, await listValues(tx, ports, params.id, query.customerId ?? null)),
  };
}
