import type { ContactPolicyTrial } from '@arbiter/contract/deciding/contact-policy-parts';
import type { ImpactPreviewRequest } from '@arbiter/contract/deciding/estimates';
import type { SimulateRequest } from '@arbiter/contract/deciding/simulations';

type Config = Readonly<Record<string, unknown>>;
type Scope = NonNullable<ImpactPreviewRequest['scope']>;

/** One limit of a cap that the API can project. */
export interface ProjectedCap {
  readonly most: number;
  readonly days: number;
  readonly body: ImpactPreviewRequest;
}

export type ImpactQuestion =
  | { readonly kind: 'ask'; readonly caps: readonly ProjectedCap[] }
  | { readonly kind: 'never'; readonly reason: 'type' | 'scope' };

const scopes: readonly Scope[] = ['global', 'offer', 'category', 'channel'];

/** Days that a calendar period is projected as. */
const calendar = [
  ['maxPerDay', 1],
  ['maxPerWeek', 7],
  ['maxPerMonth', 30],
] as const;

function limitsOf(config: Config): readonly (readonly [most: number, days: number])[] {
  const fixed = calendar.flatMap(([key, days]) => {
    const most = config[key];
    return typeof most === 'number' ? [[most, days] as const] : [];
  });
  const windows = (Array.isArray(config.windows) ? config.windows : []).flatMap((window: unknown) => {
    const { max, days } = (typeof window === 'object' && window !== null ? window : {}) as Config;
    return typeof max === 'number' && typeof days === 'number' ? [[max, days] as const] : [];
  });
  // The API projects caps of at least one contact.
  return [...fixed, ...windows].filter(([most]) => most >= 1);
}

/** Returns what the API can project of a policy: the limits of a frequency cap with one target. */
export function impactQuestion(ruleType: unknown, config: Config, targets: unknown): ImpactQuestion {
  if (ruleType !== 'frequency_cap') return { kind: 'never', reason: 'type' };
  const list: readonly unknown[] = Array.isArray(targets) ? targets : [];
  const [only] = list;
  const { scope: word, scopeId } = (typeof only === 'object' && only !== null ? only : {}) as Config;
  const scope = scopes.find((each) => each === word);
  const isTarget = scope === 'global' || typeof scopeId === 'string';
  if (list.length !== 1 || scope === undefined || !isTarget) return { kind: 'never', reason: 'scope' };
  const caps = limitsOf(config).map(([most, days]) => ({
    ...{ most, days },
    body: {
      policyType: 'frequency_cap' as const,
      scope,
      ...(scope === 'global' ? {} : { scopeId: String(scopeId) }),
      config: { maxFrequency: most, periodDays: days, outcomeType: 'impression' },
    },
  }));
  return caps.length === 0 ? { kind: 'never', reason: 'type' } : { kind: 'ask', caps };
}

/** A policy in the form. */
export interface TriedPolicy {
  readonly status: unknown;
  readonly ruleType: unknown;
  readonly config: Config;
  readonly scopes: unknown;
  readonly priority: unknown;
}

export interface StoredPolicy {
  readonly id: string;
  readonly isActive: boolean;
}

/**
 * Returns the simulation of a policy against the stored catalogue: its effect once it's active, or the effect of pausing
 * an active one. The API checks its values like a save.
 */
export function simulationOf(
  stored: StoredPolicy | null,
  { status, ruleType, config, scopes: targets, priority }: TriedPolicy,
): Pick<SimulateRequest, 'overrides' | 'compare'> {
  const trial = {
    ...(stored === null ? {} : { id: stored.id }),
    status: stored?.isActive === true ? status : 'active',
    ...{ ruleType, config, scopes: targets, priority },
  };
  return { overrides: { contactPolicies: [trial as ContactPolicyTrial] }, compare: {} };
}
