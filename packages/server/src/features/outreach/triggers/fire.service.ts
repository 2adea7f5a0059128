import { deepestChain, type TriggerActionType } from '@arbiter/contract';
import { systemActor } from '../../../db/index.ts';
import type { Tx } from '../../../db/tx.ts';
import { newId } from '../../../platform/ids.ts';
import { recordAudit } from '../../identity/audit/index.ts';
import type { CustomerEvent } from '../customer-events/index.ts';
import { type CompiledCondition, type ConditionFacts, compileCondition, readKnown } from '../event-conditions/index.ts';
import { onCustomerEvent } from '../journeys/index.ts';
import {
  claimCooldown,
  countFired,
  type FiredEvent,
  insertFirings,
  selectCooldown,
  selectFiringsOf,
} from './firings.store.ts';
import { type ActiveTrigger, selectAction, selectActive, type TriggerRow } from './triggers.store.ts';

/** Compiled conditions of triggers in this process, one for each version. */
export type TriggerConditions = (
  tenantId: string,
  trigger: Pick<TriggerRow, 'id' | 'version' | 'condition'>,
) => CompiledCondition;

/** Beyond that, the condition that was compiled first is forgotten. */
const maxConditions = 10_000;

export function createTriggerConditions(): TriggerConditions {
  const known = new Map<string, { readonly version: number; readonly condition: CompiledCondition }>();
  return (tenantId, { id, version, condition }) => {
    const key = `${tenantId} ${id}`;
    const found = known.get(key);
    if (found?.version === version) return found.condition;
    const compiled = compileCondition(condition);
    known.set(key, { version, condition: compiled });
    if (known.size > maxConditions) known.delete(known.keys().next().value ?? key);
    return compiled;
  };
}

export interface FirePorts {
  readonly conditions: TriggerConditions;
  /** Counts firings. */
  readonly onTriggerFired: (actionType: TriggerActionType) => void;
}

/** A trigger that fired: its action is to be dispatched. */
export interface Firing {
  readonly id: string;
  readonly triggerId: string;
  readonly actionType: TriggerActionType;
  /** Secrets as bullets. */
  readonly actionConfig: Readonly<Record<string, unknown>>;
}

const factsOf = ({ type, customerId, channel, timestamp, data, outcome = {} }: CustomerEvent): ConditionFacts => ({
  ...{ customerId, data, outcome },
  event: { type, channel, timestamp: timestamp.toISOString() },
});

/**
 * Fires the active triggers of these types that match an event, highest priority first: claims cooldowns, notes the
 * firings and counts them, in this transaction. A trigger fires once for an event, and a chain of triggers ends.
 */
async function fireTriggers(
  tx: Tx,
  { conditions, onTriggerFired }: FirePorts,
  event: CustomerEvent,
  types: readonly string[],
): Promise<Firing[]> {
  if (event.depth >= deepestChain) return [];
  const matching = await selectMatching(tx, conditions, event, types);
  // Ids rise by priority: actions of a customer run in order.
  const ids = new Map(matching.map((trigger) => [trigger, newId()]));
  const claimed = new Map<string, string>();
  // In the order of triggers, so that two transactions can't deadlock.
  for (const [trigger, id] of [...ids].toSorted(([a], [b]) => (a.id < b.id ? -1 : 1))) {
    if (await claim(tx, event, trigger)) claimed.set(trigger.id, id);
  }
  if (claimed.size === 0) return [];
  const fired = await insertFirings(tx, firedBy(event), claimed);
  if (fired.size === 0) return [];
  await countFired(tx, [...fired]);
  const firings: Firing[] = [];
  for (const { id: triggerId, name, actionType, actionConfig } of matching) {
    const id = claimed.get(triggerId);
    if (id === undefined || !fired.has(triggerId)) continue;
    firings.push({ id, triggerId, actionType, actionConfig });
    onTriggerFired(actionType);
    await recordAudit(tx, {
      ...{ action: 'trigger_fired', entityType: 'trigger', entityId: triggerId, entityName: name },
      after: { firingId: id, eventId: event.id, eventType: event.type },
      actor: systemActor('trigger'),
    });
  }
  return firings;
}

async function selectMatching(
  tx: Tx,
  conditions: TriggerConditions,
  event: CustomerEvent,
  types: readonly string[],
): Promise<ActiveTrigger[]> {
  const active = await selectActive(tx, types);
  const compiled = active.map((trigger) => ({ trigger, condition: conditions(tx.tenantId, trigger) }));
  const roots = new Set(compiled.flatMap(({ condition }) => [...condition.roots]));
  const known = active.length === 0 ? {} : await readKnown(tx, roots, factsOf(event));
  return compiled.filter(({ condition }) => condition.evaluate(known).matched).map(({ trigger }) => trigger);
}

/** Returns false within the cooldown. */
const claim = async (tx: Tx, { customerId }: CustomerEvent, { id, cooldownMs }: ActiveTrigger): Promise<boolean> =>
  cooldownMs === 0 || claimCooldown(tx, id, customerId, cooldownMs);

function firedBy({ id: eventId, customerId, depth, type, channel, timestamp, data, outcome }: CustomerEvent) {
  const event: FiredEvent = {
    ...{ type, channel, timestamp: timestamp.toISOString(), data },
    ...(outcome === undefined ? {} : { outcome }),
  };
  return { eventId, customerId, event, depth: depth + 1 };
}

/** Returns the firings that an event had before, of triggers that are still there. */
export async function firingsOf(tx: Tx, eventId: string): Promise<Firing[]> {
  const firings: Firing[] = [];
  for (const { id, triggerId } of await selectFiringsOf(tx, eventId)) {
    const action = await selectAction(tx, triggerId);
    if (action !== undefined) firings.push({ ...action, id, triggerId });
  }
  return firings;
}

/** Fires triggers and lets journeys react. `types`: what the event counts as. */
export async function reactTo(
  tx: Tx,
  ports: FirePorts,
  event: CustomerEvent,
  types: readonly CustomerEvent['type'][] = [event.type],
): Promise<Firing[]> {
  const firings = await fireTriggers(tx, ports, event, types);
  for (const type of types) await onCustomerEvent(tx, { ...event, type });
  return firings;
}

/** Returns whether a trigger would fire for an event, and why not. Stores nothing. */
export async function tryTrigger(
  tx: Tx,
  trigger: Pick<TriggerRow, 'id' | 'eventType' | 'condition' | 'cooldownMs'>,
  event: CustomerEvent,
  types: readonly string[],
): Promise<{ matched: boolean; reason: string | null }> {
  if (!types.includes(trigger.eventType)) {
    return { matched: false, reason: `the trigger reacts to ${trigger.eventType}, not to ${event.type}` };
  }
  const condition = compileCondition(trigger.condition);
  const result = condition.evaluate(await readKnown(tx, condition.roots, factsOf(event)));
  if (!result.matched || trigger.cooldownMs === 0) return { ...result };
  const firedAt = await selectCooldown(tx, trigger.id, event.customerId);
  const until = firedAt === null ? null : new Date(firedAt.getTime() + trigger.cooldownMs);
  if (until === null || until <= tx.now) return { matched: true, reason: null };
  return { matched: false, reason: `cooldown until ${until.toISOString()}` };
}
