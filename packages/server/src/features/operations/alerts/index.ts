import { alertOperations, tickOperations } from '@arbiter/contract';
import { feature } from '../../../feature.ts';
import { handlerEntries } from '../../../http/handler.ts';
import type { Clock } from '../../../platform/time/clock.ts';
import { alertFired } from './alerts.events.ts';
import { alertJobs, retainEvents } from './alerts.jobs.ts';
import { alertRoutes, tickRoutes } from './alerts.routes.ts';
import type { AlertPorts } from './alerts.service.ts';
import type { TickPorts } from './tick.service.ts';

export { noteAlertDelivery } from './evaluate.service.ts';
export type { TickFailure, TickPorts } from './tick.service.ts';

/** Tables of this feature. Only its own SQL may name them (checked by `npm run walls`). */
export const tables = ['alerts', 'alert_states', 'alert_events'];

export const alertsFeature = feature({
  name: 'alerts',
  tables,
  events: [alertFired],
  retains: [{ dataClass: 'metrics', counted: 'metrics', remove: retainEvents }],
  resets: { empties: ['alert_events', 'alert_states', 'alerts'] },
  operations: (ports: AlertPorts & TickPorts & { readonly clock: Clock }) => [
    ...handlerEntries(alertOperations, alertRoutes(ports)),
    ...handlerEntries(tickOperations, tickRoutes(ports)),
  ],
  jobs: (ports: TickPorts) => alertJobs(ports),
});
