import type { TickAnswer } from '@arbiter/contract';
import { type Database, systemActor, type Tx } from '../../../db/index.ts';
import type { Logger } from '../../../platform/logger.ts';
import { selectTenantIds } from '../../identity/tenants/index.ts';
import { selectEnabledIds } from './alerts.store.ts';
import { evaluateRule, type RuleEvaluation } from './evaluate.service.ts';

/** A failure of one tenant, without data of it. */
export interface TickFailure {
  readonly tenantId: string;
  readonly error: string;
}

export interface TickPorts {
  readonly database: Database;
  readonly logger: Logger;
  /** What else is due on a tick. Each starts once, whoever calls, and reports failures. */
  readonly alsoDue: readonly ((
    ports: Pick<TickPorts, 'database' | 'logger'>,
    now: Date,
  ) => Promise<readonly TickFailure[]>)[];
}

const actor = systemActor('tick');

/**
 * Evaluates every active alert rule in all tenants and starts what is due. Called by the scheduler and from outside,
 * also concurrently: each rule is evaluated once. Each rule has its own transaction, so that a failure doesn't affect
 * the others.
 */
export async function tick({ database, logger, alsoDue }: TickPorts, now: Date): Promise<TickAnswer> {
  const startedAt = performance.now();
  const errors: TickFailure[] = [];
  let rulesEvaluated = 0;
  let rulesFired = 0;
  const isolated = async <T>(tenantId: string, error: string, work: (tx: Tx) => Promise<T>): Promise<T | null> => {
    try {
      return await database.withTenant(tenantId, actor, work);
    } catch (err) {
      logger.warn({ err, tenantId }, error);
      errors.push({ tenantId, error });
      return null;
    }
  };
  const tenantIds = await database.withSystem('tick', selectTenantIds);
  for (const tenantId of tenantIds) {
    const ids = await isolated(tenantId, 'alert rules could not be read', selectEnabledIds);
    for (const id of ids ?? []) {
      const looked: RuleEvaluation = await isolated(tenantId, `alert rule ${id} could not be evaluated`, (tx) =>
        evaluateRule(tx, id, now),
      );
      if (looked !== null) rulesEvaluated += 1;
      if (looked === 'fired' || looked === 'delivery_failed') rulesFired += 1;
    }
  }
  for (const start of alsoDue) errors.push(...(await start({ database, logger }, now)));
  return {
    ok: errors.length === 0,
    tenantsProcessed: tenantIds.length,
    rulesEvaluated,
    rulesFired,
    errors,
    durationMs: Math.round(performance.now() - startedAt),
    timestamp: now.toISOString(),
  };
}
