import { enrollmentDeduplications } from '@arbiter/contract';
import { didYouMean, listWords } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { AppError, invalid } from '../../../platform/app-error.ts';
import { requireLive } from '../../catalogue/catalogue-records/index.ts';
import { readSettings } from '../../identity/settings/index.ts';
import { type DecideForJourney, enroll } from '../journeys/index.ts';
import { type FiringRow, lockUndispatched, selectAction, setDispatched } from './geofences.store.ts';

/** What a geofence does when it fires. Empty: nothing. */
export type GeofenceAction = Readonly<Record<string, unknown>>;

/** Checks an action and returns it in its stored form. Throws 400 with a path. */
export type CheckAction = (tx: Tx, action: GeofenceAction, path: string) => Promise<GeofenceAction>;

/** Keys of each action. The first words of a type are its aliases. */
const actionKeys = {
  journey_enroll: ['journeyId', 'deduplication'],
  recommend: ['decisionFlowId', 'decisionFlowKey', 'channel', 'channelId', 'placement', 'limit'],
} as const;

const aliases: Readonly<Record<string, keyof typeof actionKeys>> = {
  enroll_journey: 'journey_enroll',
  fire_recommend: 'recommend',
  decision_request: 'recommend',
};

const isActionType = (type: string): type is keyof typeof actionKeys => Object.hasOwn(actionKeys, type);

/** Checks the type, the keys and what they name. Types come out by their own names, not their aliases. */
export const checkAction: CheckAction = async (tx, action, path) => {
  if (Object.keys(action).length === 0) return {};
  const { type: given, ...config } = action;
  const type = typeof given === 'string' ? (aliases[given] ?? given) : '';
  if (!isActionType(type)) {
    const words = Object.keys(actionKeys);
    throw invalid(`${path}/type`, `must be one of ${listWords(words)}${didYouMean(given, words)}`);
  }
  const keys: readonly string[] = actionKeys[type];
  for (const [key, value] of Object.entries(config)) {
    if (!keys.includes(key)) throw invalid(`${path}/${key}`, `is not a known property${didYouMean(key, keys)}`);
    if (key === 'limit' ? !isLimit(value) : typeof value !== 'string' || value === '') {
      throw invalid(`${path}/${key}`, key === 'limit' ? 'must be an integer from 1 to 50' : 'must be a string');
    }
  }
  if (type === 'journey_enroll') await checkEnrollment(tx, config, path);
  else await checkRecommend(tx, config, path);
  return { type, ...config };
};

const isLimit = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 50;

async function checkEnrollment(tx: Tx, { journeyId, deduplication }: GeofenceAction, path: string): Promise<void> {
  await requireLive(tx, 'journey', String(journeyId ?? ''), `${path}/journeyId`);
  if (deduplication === undefined || enrollmentDeduplications.some((known) => known === deduplication)) return;
  const message = `must be one of ${listWords(enrollmentDeduplications)}${didYouMean(deduplication, enrollmentDeduplications)}`;
  throw invalid(`${path}/deduplication`, message);
}

async function checkRecommend(tx: Tx, config: GeofenceAction, path: string): Promise<void> {
  const { decisionFlowId, decisionFlowKey, channelId } = config;
  if (decisionFlowId === undefined && decisionFlowKey === undefined) {
    throw invalid(`${path}/decisionFlowKey`, 'is required, or decisionFlowId');
  }
  if (decisionFlowId !== undefined) {
    await requireLive(tx, 'decisionFlow', String(decisionFlowId), `${path}/decisionFlowId`);
  }
  if (channelId !== undefined) await requireLive(tx, 'channel', String(channelId), `${path}/channelId`);
}

export interface DispatchPorts {
  /** Decides for the geofence, in the same batches as `recommend`. */
  readonly decideForGeofence: DecideForJourney;
}

type InTransaction = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/**
 * Runs the action of a firing, once: an enrollment is in the transaction that notes it, and a decision has the firing's
 * id as its requestId. What the journey or flow can't do anymore is dropped.
 */
export async function dispatchFiring(
  { decideForGeofence }: DispatchPorts,
  inTransaction: InTransaction,
  eventId: string,
): Promise<void> {
  const call = await inTransaction(async (tx) => {
    const firing = await lockUndispatched(tx, eventId);
    if (firing === undefined || !(await readSettings(tx)).enableGeofences) return null;
    const action = await selectAction(tx, firing.geofenceId);
    if (action?.type === 'recommend') return decisionCall(tx, firing, action);
    if (action?.type === 'journey_enroll') await enrollFor(tx, firing, action);
    await setDispatched(tx, eventId);
    return null;
  });
  if (call === null) return;
  await decideForGeofence(call).catch(dropRefusal);
  await inTransaction((tx) => setDispatched(tx, eventId));
}

async function enrollFor(tx: Tx, { customerId, ...firing }: FiringRow, action: GeofenceAction): Promise<void> {
  const context = { geofenceId: firing.geofenceId, event: firing.event, distance: firing.distance };
  const journeyId = String(action.journeyId);
  const deduplication = enrollmentDeduplications.find((word) => word === action.deduplication);
  await enroll(tx, { journeyId, customerId, context, deduplication }).catch(dropRefusal);
}

/** An action that was valid when it was written may be refused now. Only what may pass is tried again. */
function dropRefusal(error: unknown): void {
  if (!(error instanceof AppError) || error.status >= 500 || error.status === 429) throw error;
}

function decisionCall(tx: Tx, { id, customerId, geofenceId }: FiringRow, action: GeofenceAction) {
  const text = (key: string): string | undefined => (typeof action[key] === 'string' ? action[key] : undefined);
  return {
    tenantId: tx.tenantId,
    customerId,
    decisionFlowKey: text('decisionFlowId') ?? text('decisionFlowKey') ?? '',
    channel: text('channel'),
    channelId: text('channelId'),
    placement: text('placement'),
    limit: typeof action.limit === 'number' ? action.limit : 1,
    source: 'trigger' as const,
    sourceId: geofenceId,
    requestId: id,
  };
}
