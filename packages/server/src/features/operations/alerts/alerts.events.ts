import { alertMetrics, alertOperators, alertStatuses, notificationSeverities } from '@arbiter/contract';
import Type from 'typebox';
import type { Tx } from '../../../db/tx.ts';
import { event, newEvent } from '../../../jobs/index.ts';
import { appendEvents } from '../stream/index.ts';
import type { AlertState, EventRow, Rule } from './alerts.store.ts';

/** An alert rule has fired (docs/design/api-access.md 12.1). */
export const alertFired = event({
  type: 'alert.fired.v1',
  payload: Type.Object(
    {
      alertId: Type.String({ format: 'uuid', description: 'The rule.' }),
      eventId: Type.String({
        format: 'uuid',
        description: 'The event as listed at `GET /api/v1/alerts/{id}/events`.',
      }),
      metric: Type.Enum(alertMetrics, { description: 'Metric the rule watches.' }),
      operator: Type.Enum(alertOperators, { description: 'How the value is compared with the threshold.' }),
      threshold: Type.Number({ description: 'The threshold.' }),
      value: Type.Number({ description: 'Value over the window.' }),
      baseline: Type.Union([Type.Number(), Type.Null()], { description: 'Value over the window before.' }),
      severity: Type.Enum(notificationSeverities, { description: 'Severity of the alert.' }),
      oldStatus: Type.Enum(alertStatuses, { description: 'Previous state of the rule.' }),
      newStatus: Type.Enum(alertStatuses, { description: 'New state of the rule.' }),
    },
    { additionalProperties: false },
  ),
});

/** Tells the tenant's stream. */
export async function tellFired(
  tx: Tx,
  { id: alertId, metric, operator }: Rule,
  { id: eventId, threshold, value, baseline, severity }: EventRow,
  status: { readonly before: AlertState['status']; readonly after: AlertState['status'] },
): Promise<void> {
  const what = { alertId, eventId, metric, operator, threshold, value, baseline, severity };
  await appendEvents(tx, [newEvent(tx, alertFired, { ...what, oldStatus: status.before, newStatus: status.after })]);
}
