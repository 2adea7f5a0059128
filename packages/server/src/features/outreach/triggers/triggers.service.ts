import type { Trigger, TriggerCreate } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { refuseProblems } from '../../../platform/app-error.ts';
import type { Envelope } from '../../../platform/crypto/crypto.ts';
import { newId } from '../../../platform/ids.ts';
import type { OutboundRules } from '../../../platform/outbound/outbound-rules.ts';
import { createRecord, toWire, updateRecord } from '../../catalogue/catalogue-records/index.ts';
import { splitConfig } from '../../operations/notifications/index.ts';
import { startFollowing } from '../customer-events/index.ts';
import { conditionProblems } from '../event-conditions/index.ts';
import { type ActionConfig, actionTypeOf, checkAction } from './actions.service.ts';
import { keepSecrets, openConfig, unmask } from './secrets.service.ts';
import { selectFigures, type TriggerRow, triggerSpec } from './triggers.store.ts';

export interface TriggerPorts {
  /** Seals secrets; null without DATA_ENCRYPTION_KEY. */
  readonly envelope: Envelope | null;
  readonly outboundRules: OutboundRules;
}

/** Triggers as answers show them, with how often they fired. */
export async function showTriggers(tx: Tx, rows: readonly TriggerRow[]): Promise<Trigger[]> {
  const figures = await selectFigures(
    tx,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({
    ...toWire(row),
    condition: row.condition === null ? null : { ...row.condition },
    actionConfig: { ...row.actionConfig },
    firedCount: figures.get(row.id)?.firedCount ?? 0,
    lastFiredAt: figures.get(row.id)?.lastFiredAt.toISOString() ?? null,
  }));
}

function assertCondition(condition: unknown): void {
  if (condition !== null && condition !== undefined) refuseProblems(conditionProblems(condition, '/condition'));
}

/** Only webhooks have secrets: their columns in other actions are data. */
function split(actionType: string, config: ActionConfig) {
  return actionType === 'webhook' ? splitConfig(config) : { shown: config, secrets: {} };
}

const givenPaths = (secrets: Readonly<Record<string, string>>): string[] =>
  Object.keys(secrets).map((path) => `actionConfig.${path}`);

/**
 * Creates a trigger. Throws 400 for a condition or an action that can't be read, 400 `reference_not_found`, and 503
 * `not_configured` for secrets that nothing can seal.
 */
export async function createTrigger(
  tx: Tx,
  { envelope, outboundRules }: TriggerPorts,
  body: TriggerCreate,
): Promise<TriggerRow> {
  const { condition = null, actionType: word, actionConfig, ...fields } = body;
  assertCondition(condition);
  await startFollowing(tx);
  const actionType = actionTypeOf(word);
  const { shown, secrets } = split(actionType, await checkAction(tx, actionType, actionConfig, outboundRules));
  const id = newId();
  const row = await createRecord(tx, triggerSpec, { ...fields, condition, actionType, actionConfig: shown }, { id });
  await keepSecrets(tx, envelope, id, secrets);
  return row;
}

type TriggerChanges = Partial<TriggerCreate>;

/** Changes the supplied fields. `actionConfig` is replaced as a whole; bullets keep the stored secret. */
export async function changeTrigger(
  tx: Tx,
  { envelope, outboundRules }: TriggerPorts,
  id: string,
  rowVersion: number | undefined,
  { actionType: word, actionConfig, ...fields }: TriggerChanges,
): Promise<TriggerRow> {
  assertCondition(fields.condition);
  await startFollowing(tx);
  const secretsGiven: string[] = [];
  return updateRecord(tx, triggerSpec, id, {
    rowVersion,
    secretsGiven,
    async change(current) {
      const actionType = word === undefined ? current.actionType : actionTypeOf(word);
      if (actionConfig === undefined && actionType === current.actionType) return { ...fields };
      const stored = current.actionType === 'webhook' ? await openConfig(tx, envelope, current) : {};
      const wanted = actionType === 'webhook' ? unmask(actionConfig ?? stored, stored) : (actionConfig ?? {});
      const { shown, secrets } = split(actionType, await checkAction(tx, actionType, wanted, outboundRules));
      const before = split(current.actionType, stored).secrets;
      secretsGiven.push(
        ...givenPaths(Object.fromEntries(Object.entries(secrets).filter(([path, value]) => before[path] !== value))),
      );
      await keepSecrets(tx, envelope, current.id, secrets);
      return { ...fields, actionType, actionConfig: shown };
    },
  });
}
