import type { Decision, DecisionInput, Plan } from '@arbiter/engine';
import type { HeldStates } from '../../../catalogue/models/index.ts';
import type { DecidePorts } from '../recommend/decide-ports.ts';
import type { BatchQuestion } from './batch-question.ts';

/** Consecutive failures after which a model isn't asked, and for how long (docs/design/api-decisioning.md 10). */
export const modelBreakerRules = { failures: 5, pauseMs: 60_000 } as const;

/** Returns the states of models for a batch; null: no flow of it is scored by one that has any. */
export async function readModels(
  { models }: Pick<DecidePorts, 'models'>,
  { tenantId, version }: { readonly tenantId: string; readonly version: number },
  prepared: readonly BatchQuestion[],
): Promise<HeldStates | null> {
  if (!prepared.some(({ flow }) => flow.plan.models.some(({ hasState }) => hasState))) return null;
  return models.get(tenantId, version);
}

const keyOf = (tenantId: string, modelKey: string): string => `${tenantId} ${modelKey}`;

/** Returns keys of the plan's models that aren't asked now; undefined: all are. */
export function openBreakers(
  { modelBreaker }: Pick<DecidePorts, 'modelBreaker'>,
  tenantId: string,
  plan: Plan,
): DecisionInput['openBreakers'] {
  if (plan.models.length === 0) return undefined;
  // Endpoints have the breaker of their address: a rehearsal would take this one's probe before the decision.
  const own = plan.models.filter(({ type }) => type !== 'external_endpoint');
  const open = own.filter(({ key }) => modelBreaker.isOpen(keyOf(tenantId, key)));
  return open.length === 0 ? undefined : open.map(({ key }) => key);
}

/** Tells the breaker how the models did. */
export function noteModels(
  { modelBreaker }: Pick<DecidePorts, 'modelBreaker'>,
  tenantId: string,
  { models }: Decision,
): void {
  for (const { key, failed } of models ?? noModels) {
    if (failed) modelBreaker.failed(keyOf(tenantId, key));
    else modelBreaker.succeeded(keyOf(tenantId, key));
  }
}

const noModels: NonNullable<Decision['models']> = [];
