import type { Plan, SnapshotPolicy } from '@arbiter/engine';
import { type Finding, finding, quoted } from './findings.ts';
import { askedPolicies } from './offer-gates.ts';
import { windowsOf } from './policy-gates.ts';
import type { CheckInput, Subject } from './subject.ts';
import type { Way } from './ways.ts';

const subjectFor = ({ id, name }: SnapshotPolicy, path = '/config'): Subject => ({
  type: 'contactPolicy',
  id,
  name,
  path,
});

/** Policies that block everything or nothing. */
export function checkPolicies(input: CheckInput, ways: readonly Way[]): Finding[] {
  const { snapshot, plan } = input;
  const byId = new Map(snapshot.policies.map((policy) => [policy.id, policy]));
  const stages = ways.flatMap((way) => askedPolicies(way, plan.program.policies));
  return snapshot.policies.flatMap((policy) => {
    const found: Finding[] = [];
    const { name, ruleType, config } = policy;
    if (!hasTarget(policy, input)) {
      found.push(
        finding(
          'policy_no_target',
          subjectFor(policy, '/scopes'),
          `${quoted(name)} applies to nothing: its targets are deleted or inactive.`,
        ),
      );
    } else {
      if (windowsOf(ruleType, config).some(({ max }) => max === 0)) {
        found.push(
          finding(
            'cap_always_binds',
            subjectFor(policy),
            `${quoted(name)} has a limit of 0, so it blocks everything in scope.`,
          ),
        );
      }
      if (isAlwaysLifted(policy, stages, byId)) {
        found.push(
          finding(
            'policy_lifted_always',
            subjectFor(policy),
            `${quoted(name)} never blocks: an override lifts it wherever it applies.`,
          ),
        );
      }
      if (ruleType === 'mutual_exclusion' && groupSize(policy, plan) === 1) {
        found.push(
          finding(
            'exclusion_of_one',
            subjectFor(policy, '/config/excludeOfferIds'),
            `${quoted(name)} has one active offer, which has nothing to exclude.`,
          ),
        );
      }
    }
    return found;
  });
}

/** True when something in the catalogue is in scope. */
function hasTarget({ scopes, ruleType, config }: SnapshotPolicy, { snapshot }: CheckInput): boolean {
  const has = (rows: readonly { readonly id: string }[], id: string | null): boolean =>
    rows.some((row) => row.id === id);
  if (ruleType === 'mutual_exclusion' && Array.isArray(config.excludeOfferIds)) return true;
  return scopes.some(({ scope, scopeId }) => {
    if (scope === 'global') return true;
    if (scope === 'offer') return has(snapshot.offers, scopeId);
    if (scope === 'category') return snapshot.offers.some(({ categoryId }) => categoryId === scopeId);
    if (scope === 'subcategory') return snapshot.offers.some(({ subCategoryId }) => subCategoryId === scopeId);
    if (scope === 'creative') return has(snapshot.creatives, scopeId);
    return scope === 'channel' ? has(snapshot.channels, scopeId) : true;
  });
}

const groupSize = ({ scopes, config }: SnapshotPolicy, plan: Plan): number => {
  const ids = [
    ...(Array.isArray(config.excludeOfferIds) ? config.excludeOfferIds : []),
    ...scopes.flatMap(({ scope, scopeId }) => (scope === 'offer' ? [scopeId] : [])),
  ];
  return new Set(ids.filter((id) => typeof id === 'string' && plan.ordinals.offer.has(id))).size;
};

function isAlwaysLifted(
  policy: SnapshotPolicy,
  stages: ReturnType<typeof askedPolicies>,
  byId: ReadonlyMap<string, SnapshotPolicy>,
): boolean {
  const asking = stages.filter((stage) => stage.some(({ id }) => id === policy.id));
  if (
    policy.ruleType === 'allow_override' ||
    policy.ruleType === 'do_not_contact' ||
    policy.config.bypassable === false
  )
    return false;
  return (
    asking.length > 0 &&
    asking.every((stage) =>
      stage.some(({ id, ruleType }) => {
        const override = byId.get(id);
        return ruleType === 'allow_override' && override !== undefined && covers(override, policy);
      }),
    )
  );
}

const covers = ({ scopes }: SnapshotPolicy, { scopes: others }: SnapshotPolicy): boolean =>
  scopes.some(({ scope }) => scope === 'global') ||
  others.every((one) => scopes.some(({ scope, scopeId }) => scope === one.scope && scopeId === one.scopeId));

interface Limit {
  readonly max: number;
  readonly days: number;
  readonly kind: 'calendar' | 'rolling' | 'cooldown';
}

/** Most contacts in a window that another limit leaves room for. */
function mostBy(window: Limit, { max, days, kind }: Limit): number {
  if (kind === 'cooldown') return Math.floor(window.days / days) + 1;
  // A day of the calendar lies in one week and one month; a rolling window cuts one at each end.
  const isInside = kind === 'calendar' && window.kind === 'calendar' && days === 1;
  return max * (Math.ceil(window.days / days) + (isInside ? 0 : 1));
}

const mostWithin = (window: Limit, limits: readonly Limit[]): number =>
  Math.min(...limits.map((limit) => mostBy(window, limit)));

/**
 * Caps that nothing reaches, because others of the same scope are reached before. Contacts that are confirmed late may
 * exceed the bound.
 */
export function checkCapBounds({ snapshot }: CheckInput): Finding[] {
  // Mandatory offers and overrides pass some limits.
  if (snapshot.offers.some(({ mandatory }) => mandatory)) return [];
  if (snapshot.policies.some(({ ruleType }) => ruleType === 'allow_override')) return [];
  const limiting = snapshot.policies.filter(
    ({ ruleType, config }) => (ruleType === 'frequency_cap' || ruleType === 'cooldown') && isPlain(config),
  );
  return limiting.flatMap((policy) => {
    const own = windowsOf(policy.ruleType, policy.config);
    return own.flatMap((window, at) => {
      if (!Number.isFinite(window.days) || window.max === 0) return [];
      const others = limiting
        .filter((other) => sameScope(other, policy))
        .flatMap((other) => limitsOf(other).filter((_, position) => other !== policy || position !== at))
        .filter(({ days, max }) => days < window.days && max > 0);
      if (others.length === 0 || mostWithin(window, others) >= window.max) return [];
      const most = mostWithin(window, others);
      return [
        finding(
          'cap_never_binds',
          subjectFor(policy),
          `The limit of ${window.max} in ${quoted(policy.name)} is never reached: other limits allow at most ${most}. Contacts confirmed late may exceed it.`,
        ),
      ];
    });
  });
}

const isPlain = ({ per, withinCampaignId, excludeCampaignIds, bypassable }: SnapshotPolicy['config']): boolean =>
  (per === undefined || per === 'scope') &&
  withinCampaignId === undefined &&
  excludeCampaignIds === undefined &&
  bypassable === undefined;

function limitsOf({ ruleType, config }: SnapshotPolicy): Limit[] {
  const { cooldownHours } = config;
  if (ruleType === 'cooldown')
    return typeof cooldownHours === 'number' && cooldownHours > 0
      ? [{ max: 1, days: cooldownHours / 24, kind: 'cooldown' }]
      : [];
  return windowsOf(ruleType, config).filter(({ days }) => Number.isFinite(days));
}

const sameScope = (one: SnapshotPolicy, other: SnapshotPolicy): boolean => {
  const names = ({ scopes }: SnapshotPolicy): string =>
    scopes
      .map(({ scope, scopeId }) => `${scope} ${scopeId}`)
      .toSorted()
      .join();
  return one.scopes.length === 1 && names(one) === names(other);
};
