import { alertMetrics, type alertOperations, type tickOperations } from '@arbiter/contract';
import { type Handlers, reply } from '../../../http/handler.ts';
import { AppError } from '../../../platform/app-error.ts';
import type { Clock } from '../../../platform/time/clock.ts';
import { noContent, recordHandlers } from '../../catalogue/catalogue-records/index.ts';
import { metricFacts } from './alerts.rules.ts';
import { type AlertPorts, changeAlert, createAlert, deleteAlert, listEvents, showAlerts } from './alerts.service.ts';
import { alertSpec } from './alerts.store.ts';
import { type TickPorts, tick } from './tick.service.ts';

const metrics = alertMetrics.map((metric) => ({ metric, ...metricFacts[metric] }));

const alertRecordRoutes = (ports: AlertPorts) =>
  recordHandlers(alertSpec, {
    show: showAlerts,
    create: (tx, body) => createAlert(tx, body, ports),
    change: (tx, id, rowVersion, changes) => changeAlert(tx, id, rowVersion, changes, ports),
    remove: (tx, id) => noContent(deleteAlert(tx, id)),
  });

/** Handlers of the alert rules (docs/design/api-access.md 10). */
export function alertRoutes(ports: AlertPorts): Handlers<typeof alertOperations> {
  return {
    ...alertRecordRoutes(ports),
    metrics: async () => reply(200, { data: metrics.map((facts) => ({ ...facts, filters: [...facts.filters] })) }),
    events: async (tx, { params, query }) => reply(200, await listEvents(tx, params.id, query)),
  };
}

/** Handler of the tick. */
export function tickRoutes(ports: TickPorts & { readonly clock: Clock }): Handlers<typeof tickOperations> {
  return {
    async tick() {
      try {
        return reply(200, await tick(ports, new Date(ports.clock.now())));
      } catch (cause) {
        // Schedulers look at this first, also if nothing could be done.
        if (cause instanceof AppError && cause.status < 500) throw cause;
        throw new AppError('internal', { cause, members: { ok: false } });
      }
    },
  };
}
