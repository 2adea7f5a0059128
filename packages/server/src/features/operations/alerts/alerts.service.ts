import type { Alert, AlertChannel, AlertCreate, ErrorEntry, Pagination } from '@arbiter/contract';
import { defaultPage, pageSize } from '@arbiter/contract';
import { isMailAddress } from '../../../config/mail-settings.ts';
import type { Tx } from '../../../db/tx.ts';
import { pageOf } from '../../../http/answers/cursor-page.ts';
import { AppError, refuseProblems } from '../../../platform/app-error.ts';
import type { OutboundRules } from '../../../platform/outbound/outbound-rules.ts';
import {
  createRecord,
  getRecord,
  hardDeleteRecord,
  requireLive,
  toWire,
  updateRecord,
} from '../../catalogue/catalogue-records/index.ts';
import { providersAmong } from '../notifications/index.ts';
import { metricFacts } from './alerts.rules.ts';
import {
  type AlertRow,
  alertSpec,
  countEvents,
  deleteTraces,
  type EventRow,
  isEventOf,
  selectEvents,
  selectStates,
} from './alerts.store.ts';

export interface AlertPorts {
  readonly outboundRules: OutboundRules;
}

/** Shows rules with the result of their last evaluation. */
export async function showAlerts(tx: Tx, rows: readonly AlertRow[]): Promise<Alert[]> {
  const states = await selectStates(
    tx,
    rows.map(({ id }) => id),
  );
  const byRule = new Map(states.map((state) => [state.alertId, state]));
  return rows.map((row) => {
    const state = byRule.get(row.id);
    return {
      ...toWire(row),
      channels: [...row.channels],
      filters: { ...row.filters },
      status: row.enabled ? (state?.status ?? 'ok') : 'paused',
      lastEvaluatedAt: state?.lastEvaluatedAt.toISOString() ?? null,
      lastValue: state?.lastValue ?? null,
      lastFiredAt: state?.lastFiredAt?.toISOString() ?? null,
    };
  });
}

type AlertFields = Partial<AlertCreate>;

/**
 * Checks a rule after a write against the tenant: reachable addresses, existing destinations, offer and channel (400
 * `reference_not_found`), and filters that the metric supports.
 */
async function check(
  tx: Tx,
  fields: AlertFields,
  current: AlertRow | null,
  { outboundRules }: AlertPorts,
): Promise<void> {
  const metric = fields.metric ?? current?.metric;
  const filters = fields.filters ?? current?.filters ?? {};
  const known: readonly string[] = metric === undefined ? [] : metricFacts[metric].filters;
  refuseProblems([
    ...Object.keys(filters)
      .filter((name) => !known.includes(name))
      .map((name) => ({ path: `/filters/${name}`, message: `is not supported by ${metric}; leave it out` })),
    ...(fields.channels ?? []).flatMap((channel, at) => channelProblems(channel, `/channels/${at}`, outboundRules)),
  ]);
  if (fields.filters?.offerId !== undefined) await requireLive(tx, 'offer', fields.filters.offerId, '/filters/offerId');
  if (fields.filters?.channelId !== undefined) {
    await requireLive(tx, 'channel', fields.filters.channelId, '/filters/channelId');
  }
  await requireProviders(tx, fields.channels ?? [], current?.channels ?? []);
}

function channelProblems(channel: AlertChannel, path: string, rules: OutboundRules): ErrorEntry[] {
  if (typeof channel === 'string') return [];
  const at = `${path}/target`;
  if (channel.type === 'email') {
    return isMailAddress(channel.target) ? [] : [{ path: at, message: 'must be an address we can send email to' }];
  }
  const problem = rules.urlProblem(channel.target, { anyPort: true });
  if (problem !== null) return [{ path: at, message: problem }];
  const { username, password } = new URL(channel.target);
  return username === '' && password === '' ? [] : [{ path: at, message: 'must not contain a user or password' }];
}

/** A destination of an existing rule may have been deleted since: the rule can still be changed. */
async function requireProviders(
  tx: Tx,
  channels: readonly AlertChannel[],
  before: readonly AlertChannel[],
): Promise<void> {
  const ids = channels.filter((channel) => typeof channel === 'string').map((id) => id.toLowerCase());
  const there = await providersAmong(tx, ids);
  const missing = channels.flatMap((channel, at): ErrorEntry[] =>
    typeof channel === 'string' && !there.has(channel.toLowerCase()) && !before.includes(channel)
      ? [{ path: `/channels/${at}`, message: 'must be an existing destination' }]
      : [],
  );
  const [first] = missing;
  if (first === undefined) return;
  throw new AppError('reference_not_found', {
    detail: `The destination in ${first.path} does not exist in this tenant.`,
    errors: missing,
  });
}

export async function createAlert(tx: Tx, body: AlertCreate, ports: AlertPorts): Promise<AlertRow> {
  await check(tx, body, null, ports);
  return createRecord(tx, alertSpec, body);
}

/** Updates the supplied fields. A metric and its filters are checked together after the change. */
export async function changeAlert(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  fields: AlertFields,
  ports: AlertPorts,
): Promise<AlertRow> {
  return updateRecord(tx, alertSpec, id, {
    rowVersion,
    change: async (current) => {
      await check(tx, fields, current, ports);
      return fields;
    },
  });
}

/** Deletes the rule with its history. */
export async function deleteAlert(tx: Tx, id: string): Promise<void> {
  await hardDeleteRecord(tx, alertSpec, id, { check: (row) => deleteTraces(tx, row.id) });
}

const showEvent = ({ alertId: _rule, firedAt, deliveries, ...event }: EventRow) => ({
  ...event,
  firedAt: firedAt.toISOString(),
  deliveries: [...deliveries],
});

/** When a rule fired, newest first. */
export async function listEvents(
  tx: Tx,
  id: string,
  { limit: asked, cursor }: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
): Promise<{ data: ReturnType<typeof showEvent>[]; pagination: Pagination }> {
  const { id: alertId } = await getRecord(tx, alertSpec, id);
  if (cursor !== undefined && !(await isEventOf(tx, alertId, cursor))) {
    throw new AppError('invalid_cursor', { detail: "The cursor doesn't belong to this list." });
  }
  const limit = pageSize(defaultPage, asked);
  const rows = await selectEvents(tx, alertId, cursor ?? null, limit + 1);
  const page = pageOf({ rows, limit, total: await countEvents(tx, alertId), cursorOf: (row) => row.id });
  return { data: page.rows.map(showEvent), pagination: page.pagination };
}
