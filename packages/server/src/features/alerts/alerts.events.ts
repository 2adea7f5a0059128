import { alertMetrics, alertOperators, alertStatuses, notificationSeverities } from '@arbiter/contract';
import Type from 'typebox';
import type { Tx } from '../../db/tx.ts';
import { event, newEvent } from '../../jobs/index.ts';
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
        description: 'What is listed of it at `GET /api/v1/alerts/{id}/events`.',
      }),
      metric: Type.Enum(alertMetrics, { description: 'What the rule watches.' }),
      operator: Type.Enum(alertOperators, { description: 'How the value is held against the threshold.' }),
      threshold: Type.Number({ description: 'The threshold.' }),
      value: Type.Number({ description: 'The value over the window.' }),
      baseline: Type.Union([Type.Number(), Type.Null()], { description: 'The value over the window before.' }),
      severity: Type.Enum(notificationSeverities, { description: 'How bad it is.' }),
      oldStatus: Type.Enum(alertStatuses, { description: 'State of the rule before.' }),
      newStatus: Type.Enum(alertStatuses, { description: 'State of the rule now.' }),
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
