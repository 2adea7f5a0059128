import type { Json, ScopeAssignment, SnapshotOffer, SnapshotPolicy } from '@arbiter/engine';
import { type Candidate, factsOf, type Work } from './candidate.ts';
import { holds } from './conditions.ts';
import { type ContactEvent, closedHours, isInPeriod, isRow, type Period, type Row } from './world.ts';

/** An offer, creative and channel together: of a contact, an outcome or a candidate. */
interface Place {
  readonly offerId: string;
  readonly creativeId: string | null;
  readonly channelId: string | null;
}

const placeOf = ({ offer, creative }: Candidate): Place => ({
  offerId: offer.id,
  creativeId: creative?.id ?? null,
  channelId: creative?.channelId ?? null,
});

/** Whether an assignment matches a place (docs/design/api-catalogue.md 8.1, "In scope" and "Counted set"). */
function matches(work: Work, { scope, scopeId }: ScopeAssignment, place: Place): boolean {
  switch (scope) {
    case 'global':
      return true;
    case 'offer':
      return place.offerId === scopeId;
    case 'creative':
      return place.creativeId === scopeId;
    case 'channel':
      return place.channelId === scopeId;
    case 'category':
      return categoryOf(work, place.offerId) === scopeId;
    case 'subcategory':
      return subCategoryOf(work, place.offerId) === scopeId;
    default:
      return false;
  }
}

const offerOf = ({ snapshot }: Work, id: string) =>
  snapshot.offers.find((offer) => offer.id === id) ?? snapshot.otherOffers?.find((offer) => offer.id === id);
const categoryOf = (work: Work, id: string): string | null => offerOf(work, id)?.categoryId ?? null;
const subCategoryOf = (work: Work, id: string): string | null => offerOf(work, id)?.subCategoryId ?? null;

export const inScope = (work: Work, scopes: readonly ScopeAssignment[], candidate: Candidate): boolean =>
  scopes.some((scope) => matches(work, scope, placeOf(candidate)));

/**
 * Narrows by `per` to the candidate's own offer, creative, channel or category. Candidates without one share a count.
 */
function isSame(work: Work, per: Json | undefined, a: Place, b: Place): boolean {
  switch (per) {
    case 'offer':
      return a.offerId === b.offerId;
    case 'creative':
      return a.creativeId === b.creativeId;
    case 'channel':
      return a.channelId === b.channelId;
    case 'category':
      return offerOf(work, a.offerId) !== undefined && categoryOf(work, a.offerId) === categoryOf(work, b.offerId);
    default:
      return true;
  }
}

type Limit = readonly [period: Period, max: number];

function limitsOf(config: Row, total: Period | null): Limit[] {
  const found: Limit[] = [];
  if (total === null) {
    const keys = { maxPerDay: 'daily', maxPerWeek: 'weekly', maxPerMonth: 'monthly', maxTotal: 'alltime' } as const;
    for (const [key, period] of Object.entries(keys))
      if (typeof config[key] === 'number') found.push([period, config[key]]);
  } else found.push([total, Number(config.maxTotal)]);
  for (const window of (config.windows ?? []) as readonly Row[]) {
    const ms = (typeof window.days === 'number' ? window.days * 24 : Number(window.hours)) * 3_600_000;
    found.push([{ ms }, Number(window.max)]);
  }
  return found;
}

/** Contacts and items of the answer that `counts`, against each limit. */
function isFull(
  work: Work,
  limits: readonly Limit[],
  counts: (place: Place, campaignId: string | null) => boolean,
): boolean {
  const items = work.taken.filter((item) => counts(placeOf(item), work.input.request.campaignId ?? null)).length;
  return limits.some(([period, max]) => {
    const contacts = work.events.filter(
      (event) => counts(event, event.campaignId) && isInPeriod(event.at, period, work.now, work.zone),
    );
    return contacts.length + items >= max;
  });
}

const priceOf = ({ budget }: SnapshotOffer): number => Number(budget?.costPerImpressionCents ?? 0);

/** Returns the counts of a volume, including the items of this response. Missing input is far from every limit. */
function volumeOf(work: Work, key: ScopeAssignment) {
  const own = (work.input.volumes ?? []).find(({ scope, scopeId }) => scope === key.scope && scopeId === key.scopeId);
  if (own === undefined) return { impressions: 0, spentCents: 0, dayImpressions: 0, daySpentCents: 0 };
  const items = work.taken.filter((item) => matches(work, key, placeOf(item)));
  const cents = items.reduce((sum, { offer }) => sum + priceOf(offer), 0);
  return {
    impressions: own.impressions + items.length,
    spentCents: own.spentCents + cents,
    dayImpressions: own.dayImpressions + items.length,
    daySpentCents: own.daySpentCents + cents,
  };
}

/** The budget of the offer lets no further impression through (docs/design/api-catalogue.md 6, docs/design/api-settled.md 52). */
export function budgetFull(work: Work, { offer }: Candidate): boolean {
  const budget = offer.budget ?? {};
  if (Object.values(budget).some((value) => typeof value !== 'number')) return true;
  const used = volumeOf(work, { scope: 'offer', scopeId: offer.id });
  const isSpent = (cap: Json | undefined, cents: number) =>
    typeof cap === 'number' && (cents >= cap || cents + priceOf(offer) > cap);
  const isShown = (most: Json | undefined, impressions: number) => typeof most === 'number' && impressions >= most;
  return (
    isSpent(budget.dailyCapCents, used.daySpentCents) ||
    isSpent(budget.lifetimeCapCents, used.spentCents) ||
    isShown(budget.dailyMaxImpressions ?? budget.maxPerDay, used.dayImpressions) ||
    isShown(budget.lifetimeMaxImpressions, used.impressions)
  );
}

const list = (value: Json | undefined): readonly Json[] =>
  value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
const dayMs = 86_400_000;

/** Policies that count. They apply again after each item of the response. */
const counting = [
  'budget_exhausted',
  'frequency_cap',
  'cross_channel_cap',
  'customer_total_cap',
  'offer_category_cap',
  'mutual_exclusion',
];
const bindMandatory = ['frequency_cap', 'cross_channel_cap', 'customer_total_cap', 'do_not_contact'];

export const isCounting = ({ ruleType }: SnapshotPolicy): boolean => counting.includes(ruleType);
export const isBypassable = ({ config }: SnapshotPolicy): boolean => config.bypassable !== false;
/** docs/design/api-decisioning.md 10, Mandatory: do_not_contact, the caps and what cannot be bypassed. */
export const bindsMandatory = (policy: SnapshotPolicy): boolean =>
  bindMandatory.includes(policy.ruleType) || !isBypassable(policy);

/** The scopes in which it acts: a mutual exclusion acts on its whole group. */
export function scopesOf(policy: SnapshotPolicy): readonly ScopeAssignment[] {
  if (policy.ruleType !== 'mutual_exclusion') return policy.scopes;
  if (policy.scopes.some(({ scope }) => !['global', 'offer'].includes(scope))) return policy.scopes;
  return groupOf(policy).map((scopeId) => ({ scope: 'offer', scopeId }));
}

const groupOf = ({ scopes, config }: SnapshotPolicy): string[] => [
  ...scopes.flatMap(({ scope, scopeId }) => (scope === 'offer' && scopeId !== null ? [scopeId] : [])),
  ...list(config.excludeOfferIds).map(String),
];

/** Whether the policy blocks a candidate in its scope (docs/design/api-catalogue.md 8.3). */
export function blocks(work: Work, policy: SnapshotPolicy, candidate: Candidate): boolean {
  const { ruleType, config } = policy;
  const { now, events, snapshot, input } = work;
  const own = placeOf(candidate);
  const assignments = policy.scopes.filter((scope) => matches(work, scope, own));
  const inSet = (scope: ScopeAssignment, place: Place) =>
    matches(work, scope, place) && isSame(work, config.per, place, own);
  switch (ruleType) {
    case 'frequency_cap': {
      const of = (campaignId: string | null) =>
        config.withinCampaignId !== undefined
          ? campaignId === config.withinCampaignId
          : !list(config.excludeCampaignIds).includes(campaignId);
      const limits = limitsOf(config, null);
      return assignments.some((scope) => isFull(work, limits, (place, id) => inSet(scope, place) && of(id)));
    }
    case 'budget_exhausted':
      return assignments.some((scope) => {
        const { impressions, spentCents } = volumeOf(work, scope);
        return (config.budgetField === 'spend' ? spentCents / 100 : impressions) >= Number(config.threshold);
      });
    case 'cooldown':
      return assignments.some((scope) =>
        events.some((event) => inSet(scope, event) && now - event.at < Number(config.cooldownHours) * 3_600_000),
      );
    case 'do_not_contact':
      if (config.segments === undefined && config.condition === undefined) return true;
      return (
        list(config.segments).some((segment) => work.segments.has(String(segment))) ||
        (config.condition !== undefined && holds(config.condition, factsOf(work, candidate), now))
      );
    case 'segment_exclusion':
      return list(config.excludeSegments).some((segment) => work.segments.has(String(segment)));
    case 'time_window': {
      const path = typeof config.zonePath === 'string' ? config.zonePath.replace('customer.', '') : null;
      const zone = path === null ? null : work.customer[path];
      const usual = typeof config.timezone === 'string' ? config.timezone : work.zone;
      const used = typeof zone === 'string' && Object.hasOwn(input.zones, zone) ? zone : usual;
      const days = list(config.daysOfWeek).map(Number);
      return closedHours(now, used, Number(config.startHour ?? 0), Number(config.endHour ?? 24), days);
    }
    case 'mutual_exclusion': {
      const others = groupOf(policy).filter((id) => id !== own.offerId);
      if (!groupOf(policy).includes(own.offerId)) return false;
      if (work.taken.some(({ offer }) => others.includes(offer.id))) return true;
      const days = Number(config.lookbackDays ?? 30);
      if (days === 0) return false;
      const latest = (ids: readonly string[]) =>
        Math.max(
          ...events.filter(({ offerId, at }) => ids.includes(offerId) && now - at <= days * dayMs).map(({ at }) => at),
        );
      return latest(others) > latest([own.offerId]);
    }
    case 'cross_channel_cap': {
      const across = list(config.appliesAcross);
      const isOn = ({ channelId }: Place) => across.length === 0 || across.includes(channelId);
      if (!isOn(own)) return false;
      const limits = limitsOf(config, (config.periodType ?? 'daily') as Period);
      return assignments.some((scope) => isFull(work, limits, (place) => matches(work, scope, place) && isOn(place)));
    }
    case 'customer_total_cap':
      return isFull(work, limitsOf(config, (config.periodType ?? 'alltime') as Period), () => true);
    case 'offer_category_cap': {
      const isOf = ({ offerId }: Place) => isOfCategory(work, String(config.targetCategory), offerId);
      if (!isOf(own)) return false;
      const limits = limitsOf(config, (config.periodType ?? 'alltime') as Period);
      return isFull(work, limits, (place) => config.filterByCategory !== true || isOf(place));
    }
    case 'outcome_based': {
      const keys = list(config.afterOutcome);
      const days = Number(config.suppressForDays);
      return (input.outcomes ?? []).some(
        ({ key, lane, at }) =>
          keys.includes(key) && now - at < days * dayMs && assignments.some((scope) => inSet(scope, lane)),
      );
    }
    case 'category_suppression': {
      const { categoryId = null, subCategoryId = null, triggerCategoryId = null } = config;
      const isOwn = categoryId === null && subCategoryId === null && triggerCategoryId === null;
      const fits = ({ offerId }: Place) =>
        (categoryId === null || categoryOf(work, offerId) === categoryId) &&
        (subCategoryId === null || subCategoryOf(work, offerId) === subCategoryId);
      if (isOwn ? own.offerId !== undefined && categoryOf(work, own.offerId) === null : !fits(own)) return false;
      const triggers = (place: Place) =>
        isOwn
          ? categoryOf(work, place.offerId) === categoryOf(work, own.offerId)
          : triggerCategoryId !== null
            ? categoryOf(work, place.offerId) === triggerCategoryId
            : fits(place);
      const keys = list(config.afterOutcome);
      const isRecent = (at: number) => now - at < Number(config.suppressionDays) * dayMs;
      const outcomes = (input.outcomes ?? []).filter(({ key }) => keys.length === 0 || keys.includes(key));
      return (
        (keys.length === 0 && events.some((event) => isRecent(event.at) && triggers(event))) ||
        outcomes.some(({ lane, at }) => isRecent(at) && triggers(lane))
      );
    }
    default:
      throw new Error(`no policy ${ruleType} of ${snapshot.flow.key}`);
  }
}

/** Matches by id of the category or sub-category, else by name, else by the offer's label. */
function isOfCategory(work: Work, wanted: string, offerId: string): boolean {
  const { categories, subCategories } = work.snapshot;
  const rows = [...categories, ...subCategories];
  const byId = rows.filter(({ id }) => id === wanted);
  const found = (byId.length > 0 ? byId : rows.filter(({ name }) => name === wanted)).map(({ id }) => id);
  const [own, sub] = [categoryOf(work, offerId), subCategoryOf(work, offerId)];
  if (found.length > 0) return (own !== null && found.includes(own)) || (sub !== null && found.includes(sub));
  const offer = work.snapshot.offers.find(({ id }) => id === offerId);
  return offer?.category === wanted;
}

/** Limits of the offer itself: contacts with the customer, and its places in the answer (docs/design/api-catalogue.md 6). */
export function offerCapFull(work: Work, { offer }: Candidate): boolean {
  const caps = offer.frequencyCaps?.perCustomer ?? null;
  if (caps === null) return false;
  if (!isRow(caps)) return true;
  const keys = { daily: 'daily', weekly: 'weekly', monthly: 'monthly', total: 'alltime' } as const;
  const limits: Limit[] = [];
  for (const [key, period] of Object.entries(keys)) {
    const max = caps[key] ?? null;
    if (max === null) continue;
    if (typeof max !== 'number') return true;
    limits.push([period, max]);
  }
  return isFull(work, limits, ({ offerId }) => offerId === offer.id);
}

/** Constraints of a creative: contacts of today and items of this answer, and hours since the last. */
export function constraintFull(work: Work, creativeId: string, constraints: Row): boolean {
  const { frequencyCapPerDay, cooldownHours } = constraints;
  const own = (place: { readonly creativeId: string | null }) => place.creativeId === creativeId;
  if (typeof frequencyCapPerDay === 'number' && isFull(work, [['daily', frequencyCapPerDay]], own)) return true;
  return (
    typeof cooldownHours === 'number' &&
    work.events.some((event: ContactEvent) => own(event) && work.now - event.at < cooldownHours * 3_600_000)
  );
}
