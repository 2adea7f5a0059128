import type { ContactPolicy } from '@arbiter/contract/catalogue/contact-policies';
import type { Offer } from '@arbiter/contract/catalogue/offers';
import { type CapLimit, contains, limitsOf } from './cap-limits.ts';

type Policy = Pick<ContactPolicy, 'id' | 'name' | 'status' | 'ruleType' | 'config' | 'scopes'>;

/**
 * Something wrong with policies that follows from their definitions alone. Cooldowns imply no cap: they let several items
 * into one answer, and mandatory offers ignore them.
 */
export type Collision =
  /** A limit of 0 blocks everything in scope. */
  | { readonly kind: 'closed'; readonly policy: Policy }
  /** It has no limit. */
  | { readonly kind: 'idle'; readonly policy: Policy }
  /** A limit that is never reached: another one, not higher and with a longer window, is always reached first. */
  | {
      readonly kind: 'implied';
      readonly policy: Policy;
      readonly limit: CapLimit;
      readonly by: Policy;
      readonly byLimit: CapLimit;
    }
  /** Two windows for the same contacts without a common hour. */
  | { readonly kind: 'disjoint'; readonly policy: Policy; readonly other: Policy }
  /** An override for everything lifts all of these. */
  | { readonly kind: 'lifted'; readonly policy: Policy; readonly lifts: readonly Policy[] }
  /** Everything it applies to was deleted. */
  | { readonly kind: 'orphan'; readonly policy: Policy }
  /** The group has a mandatory offer, which is shown anyway. */
  | { readonly kind: 'mandatory'; readonly policy: Policy; readonly offer: Pick<Offer, 'id' | 'name'> };

export interface CollisionFacts {
  /** IDs of records in scopes that no longer exist. */
  readonly missing: ReadonlySet<string>;
  readonly mandatory: readonly Pick<Offer, 'id' | 'name'>[];
}

/** Returns what's wrong with the active policies. */
export function collisionsOf(policies: readonly Policy[], facts: CollisionFacts): readonly Collision[] {
  const active = policies.filter(({ status }) => status === 'active');
  return [
    ...active.flatMap((policy) => ownProblems(policy, facts)),
    ...impliedLimits(active),
    ...disjointWindows(active),
    ...overrides(active),
  ];
}

function ownProblems(policy: Policy, { missing, mandatory }: CollisionFacts): readonly Collision[] {
  const limits = limitsOf(policy);
  const found: Collision[] = [];
  if (limits.some(({ max }) => max === 0)) found.push({ kind: 'closed', policy });
  if (policy.ruleType === 'frequency_cap' && limits.length === 0) found.push({ kind: 'idle', policy });
  const isOrphan = ({ scopeId }: Policy['scopes'][number]) => scopeId !== null && missing.has(scopeId);
  if (policy.scopes.length > 0 && policy.scopes.every(isOrphan)) found.push({ kind: 'orphan', policy });
  if (policy.ruleType === 'mutual_exclusion') {
    const group = new Set(exclusionGroup(policy));
    found.push(
      ...mandatory.filter(({ id }) => group.has(id)).map((offer): Collision => ({ kind: 'mandatory', policy, offer })),
    );
  }
  return found;
}

/** The offers that exclude each other. */
const exclusionGroup = ({ config, scopes }: Policy): readonly string[] => [
  ...(config.excludeOfferIds ?? []),
  ...scopes.flatMap(({ scope, scopeId }) => (scope === 'offer' && scopeId !== null ? [scopeId] : [])),
];

const isGlobal = ({ scopes }: Policy): boolean => scopes.some(({ scope }) => scope === 'global');
const isBypassable = ({ config, ruleType }: Policy): boolean =>
  ruleType !== 'do_not_contact' && config.bypassable !== false;
const isEmptyList = (list: readonly string[] | null = null): boolean => list === null || list.length === 0;

/** Whether a cap counts every contact of the customer, and blocks everything once it's full. */
function countsEverything(policy: Policy): boolean {
  const { ruleType, config } = policy;
  if (!isGlobal(policy)) return false;
  if (ruleType === 'customer_total_cap') return true;
  if (ruleType === 'cross_channel_cap') return isEmptyList(config.appliesAcross);
  if (ruleType !== 'frequency_cap' || (config.per ?? 'scope') !== 'scope') return false;
  return (config.withinCampaignId ?? null) === null && isEmptyList(config.excludeCampaignIds);
}

/** What a frequency cap counts, as text: equal texts count the same contacts. */
function countedSet({ ruleType, config, scopes }: Policy): string | null {
  if (ruleType !== 'frequency_cap') return null;
  const targets = scopes.map(({ scope, scopeId }) => `${scope} ${scopeId}`).sort();
  const campaigns = [config.withinCampaignId ?? null, config.excludeCampaignIds ?? null];
  return JSON.stringify([targets, config.per ?? 'scope', campaigns]);
}

/** Whether the cap counts at least what the other one does, for everything that it may block. */
const countsAtLeast = (policy: Policy, other: Policy): boolean =>
  countsEverything(policy) || (countedSet(policy) !== null && countedSet(policy) === countedSet(other));

function impliedLimits(active: readonly Policy[]): readonly Collision[] {
  const all = active.flatMap((policy) => limitsOf(policy).map((limit) => ({ policy, limit })));
  return all.flatMap(({ policy, limit }, at): Collision[] => {
    const tighter = all.find(({ policy: by, limit: other }, place) => {
      if (place === at || other.max > limit.max || !contains(other.window, limit.window)) return false;
      // An override must not lift the tighter one alone.
      if (by.id !== policy.id && isBypassable(by) && !isBypassable(policy)) return false;
      if (by.id !== policy.id && !countsAtLeast(by, policy)) return false;
      // Of two equal limits, the second one is redundant.
      const isSame = other.max === limit.max && contains(limit.window, other.window) && countsAtLeast(policy, by);
      return !isSame || place < at;
    });
    return tighter === undefined
      ? []
      : [{ kind: 'implied', policy, limit, by: tighter.policy, byLimit: tighter.limit }];
  });
}

/** Hours of a week that a window is open, from Sunday 0:00; null where the zone depends on the customer. */
function openHours({ config }: Policy): { readonly zone: string; readonly hours: ReadonlySet<number> } | null {
  if ((config.zonePath ?? null) !== null) return null;
  const [from, to] = [config.startHour ?? 0, config.endHour ?? 24];
  const listed = config.daysOfWeek ?? [];
  const isOn = (day: number): boolean => listed.length === 0 || listed.includes(day);
  const isOpen = (day: number, hour: number): boolean => {
    if (from === to) return isOn(day);
    if (from < to) return hour >= from && hour < to && isOn(day);
    return hour >= from ? isOn(day) : hour < to && isOn((day + 6) % 7);
  };
  const hours = Array.from({ length: 168 }, (_, at) => at).filter((at) => isOpen(Math.floor(at / 24), at % 24));
  return { zone: config.timezone ?? '', hours: new Set(hours) };
}

/** Whether some contact is surely in the scope of both. */
function share(one: Policy, other: Policy): boolean {
  if (isGlobal(one) || isGlobal(other)) return true;
  return one.scopes.some(({ scope, scopeId }) =>
    other.scopes.some((each) => each.scope === scope && each.scopeId === scopeId),
  );
}

function disjointWindows(active: readonly Policy[]): readonly Collision[] {
  const windows = active.flatMap((policy) => {
    const open = policy.ruleType === 'time_window' ? openHours(policy) : null;
    return open === null ? [] : [{ policy, ...open }];
  });
  return windows.flatMap((one, at) =>
    windows
      .slice(at + 1)
      .filter(
        (other) =>
          other.zone === one.zone &&
          share(one.policy, other.policy) &&
          ![...one.hours].some((hour) => other.hours.has(hour)),
      )
      .map((other): Collision => ({ kind: 'disjoint', policy: one.policy, other: other.policy })),
  );
}

function overrides(active: readonly Policy[]): readonly Collision[] {
  const lifts = active.filter((policy) => policy.ruleType !== 'allow_override' && isBypassable(policy));
  if (lifts.length === 0) return [];
  return active
    .filter((policy) => policy.ruleType === 'allow_override' && isGlobal(policy))
    .map((policy): Collision => ({ kind: 'lifted', policy, lifts }));
}
