import type { FlowNode, SnapshotOffer, SnapshotPolicy, SnapshotRule } from '@arbiter/engine';
import { DateTime } from 'luxon';
import { type Candidate, factsOf, priorityOf, type Target, type Work } from './candidate.ts';
import { share, uniforms } from './chance.ts';
import { holds } from './conditions.ts';
import { type Chosen, exploreExploit } from './explore-exploit.ts';
import {
  bindsMandatory,
  blocks,
  budgetFull,
  constraintFull,
  inScope,
  isBypassable,
  isCounting,
  offerCapFull,
  scopesOf,
} from './policies.ts';
import { isAsked, isEligible, isOpen, isScheduled, passes, placementOf } from './rules.ts';
import { scoreAll } from './scores.ts';
import { contactEvents, isRow, type Row, type World } from './world.ts';

export interface ExpectedItem {
  readonly offerId: string;
  readonly creativeId: string | null;
  readonly placementId: string | null;
  readonly mandatory: boolean;
  readonly score: number;
  readonly probability: number;
}

export interface Expected {
  readonly items: readonly ExpectedItem[];
  /** Every reason for which an offer may be said to have left. */
  readonly reasons: ReadonlyMap<string, ReadonlySet<string>>;
  /** Two candidates stood so close that the last bit of a score decides. */
  readonly isClose: boolean;
}

const nodesOf = (work: Work, type: string): FlowNode[] =>
  work.snapshot.flow.config.nodes.filter((node) => node.type === type && node.enabled !== false);
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

/** What the decision must be (docs/design/decisioning.md 1, docs/design/api-decisioning.md 8 to 10). */
export function expected(world: World): Expected {
  const { snapshot, input } = world;
  const reasons = new Map<string, Set<string>>();
  const nothing: Expected = { items: [], reasons, isClose: false };
  const target = findTarget(world);
  if (target === null) return nothing;
  const work: Work = {
    ...world,
    now: input.now,
    zone: snapshot.tenant.timezone,
    events: contactEvents(world),
    segments: new Set([...input.segments, ...input.request.segments]),
    customer: customerOf(world),
    taken: [],
    target,
  };
  const { holdoutPercentage } = snapshot.tenant;
  const holdout = share(`holdout:${input.request.customerId}`) * 100 < holdoutPercentage;
  const forced = snapshot.offers.filter((offer) => isForced(work, offer));
  const normal = snapshot.offers.filter((offer) => !forced.includes(offer) && isIncluded(work, offer));
  const candidates = [
    ...byPriority(forced).flatMap((offer) => candidatesFor(work, offer, true)),
    ...normal.flatMap((offer) => candidatesFor(work, offer, false)),
  ];
  const drops = dropsAll(work);
  for (const candidate of candidates) {
    gate(work, candidate);
    if (drops && !candidate.mandatory) candidate.reasons.add('enrich');
    if (!candidate.mandatory) qualify(work, candidate);
    if (!candidate.mandatory) filter(work, candidate);
    suppress(work, candidate);
    askPolicies(work, candidate);
  }
  const entering = candidates.filter(({ mandatory, reasons: own }) => !mandatory && own.size === 0);
  scoreAll(work, entering, holdout);
  const walked = walk(work, candidates, holdout);
  for (const { offer, reasons: own } of candidates) {
    const all = reasons.get(offer.id) ?? new Set();
    for (const reason of own) all.add(reason);
    reasons.set(offer.id, all);
  }
  return { ...walked, reasons };
}

/** Null: nothing can be shown. */
function findTarget({ snapshot, input: { request } }: World): Target | null {
  const { channels, placements } = snapshot;
  const isAllowed = (id: string) => {
    const channel = channels.find((each) => each.id === id);
    if (channel === undefined) return false;
    return (request.channelId ?? id) === id && (request.channel ?? channel.channelType) === channel.channelType;
  };
  const allowed = channels.filter(({ id }) => isAllowed(id)).map(({ id }) => id);
  if (request.placements !== null) {
    const slots: { placement: (typeof placements)[number]; limit: number | null }[] = [];
    const requested: { channelId: string; slot: number | null }[] = [];
    for (const { placementId, limit } of request.placements) {
      const placement = placements.find(({ id }) => id === placementId);
      if (placement === undefined) {
        const off = snapshot.inactivePlacements?.find(({ id }) => id === placementId);
        if (off === undefined) return null;
        requested.push({ channelId: off.channelId, slot: null });
      } else {
        requested.push({ channelId: placement.channelId, slot: slots.length });
        slots.push({ placement, limit });
      }
    }
    return slots.length === 0 ? null : { channels: null, eligible: null, slots, requested };
  }
  if (allowed.length === 0) return null;
  if (request.placement === null) return { channels: new Set(allowed), eligible: null, slots: null, requested: null };
  for (const kind of ['id', 'key', 'name', 'slotType'] as const) {
    const eligible = placements.filter((each) => allowed.includes(each.channelId) && each[kind] === request.placement);
    if (eligible.length === 0) continue;
    return { channels: new Set(eligible.map(({ channelId }) => channelId)), eligible, slots: null, requested: null };
  }
  return null;
}

/** Auto-enriched values, then the rows of enrich nodes in order. */
function customerOf({ snapshot, input }: World): Record<string, unknown> {
  const customer: Record<string, unknown> = { ...input.profile };
  for (const node of snapshot.flow.config.nodes) {
    if (node.type !== 'enrich' || node.enabled === false) continue;
    const sources = (node.config?.sources ?? []) as readonly Row[];
    sources.forEach((source, position) => {
      const row = input.enriched[node.id]?.[position];
      if (!isRow(row)) return;
      for (const [name, value] of Object.entries(row)) customer[`${source.prefix ?? ''}${name}`] = value;
    });
  }
  return customer;
}

const dropsAll = (work: Work): boolean =>
  nodesOf(work, 'enrich').some(
    ({ id, config }) =>
      config?.onMissing === 'drop_all' && (work.input.enriched[id] ?? [null]).some((row) => row === null),
  );

function isForced({ now }: Work, { mandatory, status, mandatoryExpiresAt }: SnapshotOffer): boolean {
  return mandatory && status === 'active' && (mandatoryExpiresAt === null || now < mandatoryExpiresAt);
}

const byPriority = (offers: readonly SnapshotOffer[]): SnapshotOffer[] =>
  [...offers].sort((a, b) => b.priority - a.priority || (a.id < b.id ? -1 : 1));

function isIncluded(work: Work, offer: SnapshotOffer): boolean {
  const config = nodesOf(work, 'inventory')[0]?.config ?? {};
  const statuses = config.includeStatuses === undefined ? ['active'] : texts(config.includeStatuses);
  if (!statuses.includes(offer.status) || (offer.status !== 'active' && !work.input.request.dryRun)) return false;
  switch (config.scope ?? 'all') {
    case 'category':
      return texts(config.categoryIds).includes(offer.categoryId ?? '');
    case 'subcategory':
      return texts(config.subCategoryIds).includes(offer.subCategoryId ?? '');
    case 'offers':
      return texts(config.offerIds).includes(offer.id);
    default:
      return true;
  }
}

/** Its creative at each requested placement (docs/design/api-catalogue.md 7). */
function candidatesFor(work: Work, offer: SnapshotOffer, mandatory: boolean): Candidate[] {
  const { slots } = work.target;
  const [node] = nodesOf(work, 'match_creatives');
  const requires = node !== undefined && node.config?.requireCreative !== false;
  return (slots ?? [null]).map((_, slot) => {
    const reasons = new Set<string>();
    const made: Candidate = {
      offer,
      mandatory,
      slot: slots === null ? null : slot,
      creative: null,
      reasons,
      fit: 1,
      score: mandatory ? 1 : 0,
    };
    made.creative = chooseCreative(work, made, node?.config ?? {});
    if (made.creative === null && (requires || slots !== null))
      for (const reason of ['no_creative', 'creative_constraint', 'placement_targeting']) reasons.add(reason);
    const { eligible } = work.target;
    if (eligible?.every(({ id }) => !isOpen(work, id))) reasons.add('placement_targeting');
    return made;
  });
}

function chooseCreative(work: Work, { offer, slot }: Candidate, config: Row): Candidate['creative'] {
  const { target, snapshot, input } = work;
  const mode = config.placementMatchMode ?? 'any';
  const only = texts(config.channelIds);
  const usable = snapshot.creatives.filter((creative) => {
    const { id, channelId, placementId, weight, constraints } = creative;
    if (creative.offerId !== offer.id || weight <= 0 || input.request.excludeCreatives.includes(id)) return false;
    if (only.length > 0 && !only.includes(channelId)) return false;
    if (target.channels !== null && !target.channels.has(channelId)) return false;
    if (constraintFull(work, id, { ...constraints })) return false;
    if (slot !== null) {
      const { placement } = target.slots![slot]!;
      if (placement.channelId !== channelId || !isOpen(work, placement.id)) return false;
      return mode === 'none' || placementId === placement.id || (mode === 'any' && placementId === null);
    }
    if (target.eligible === null || mode === 'none') return placementId === null || isOpen(work, placementId);
    if (placementId !== null)
      return target.eligible.some((each) => each.id === placementId) && isOpen(work, placementId);
    return mode === 'any' && target.eligible.some((each) => each.channelId === channelId && isOpen(work, each.id));
  });
  const key = (creative: (typeof usable)[number]) => {
    const x = share(`creative:${offer.id}:${input.request.customerId}:${creative.id}`) + 0.5 / 2 ** 32;
    return Math.log(x) / creative.weight;
  };
  return usable.sort((a, b) => key(b) - key(a) || (a.id < b.id ? -1 : 1))[0] ?? null;
}

/** What keeps an offer out before anything is asked (docs/design/api-catalogue.md 6). */
function gate(work: Work, candidate: Candidate): void {
  const { offer, reasons } = candidate;
  const { request, soldOut } = work.input;
  if (offer.emergencyExcluded) reasons.add('emergency_excluded');
  if (request.excludeOffers.includes(offer.id)) reasons.add('excluded');
  if (!isScheduled(work, offer)) reasons.add('schedule');
  if (budgetFull(work, candidate)) reasons.add('budget');
  if (offer.tracksStock === true && soldOut?.includes(offer.id)) reasons.add('stock');
  if (offerCapFull(work, candidate)) reasons.add('offer_frequency_cap');
}

function qualify(work: Work, candidate: Candidate): void {
  const nodes = nodesOf(work, 'qualify');
  const configs: readonly Row[] = nodes.length === 0 ? [{}] : nodes.map(({ config }) => config ?? {});
  if (!isEligible(work, candidate)) candidate.reasons.add('qualification');
  const names = ({ mode, ruleIds, stages }: Row, { id, stage }: SnapshotRule) =>
    (mode !== 'selected' || texts(ruleIds).includes(id)) && (stages === undefined || texts(stages).includes(stage));
  for (const rule of work.snapshot.rules) {
    if (rule.stage === 'ranking' || !configs.some((config) => names(config, rule))) continue;
    if (!isAsked(work, rule, candidate) || passes(work, rule, candidate)) continue;
    if (rule.stage === 'match') candidate.fit = Math.max(0.01, candidate.fit * Number(rule.config.penalty ?? 0.5));
    else candidate.reasons.add('qualification');
  }
}

function filter(work: Work, candidate: Candidate): void {
  for (const { config = {} } of nodesOf(work, 'filter')) {
    const conditions = (config.conditions ?? []) as readonly Row[];
    // A filter that stands before the creatives are matched sees none.
    const isMatched = nodesOf(work, 'match_creatives').length > 0;
    const seen = isMatched ? candidate : { ...candidate, creative: null };
    const test = (condition: Row) => holds(condition, factsOf(work, seen), work.now);
    const isKept =
      conditions.length === 0 || (config.combinator === 'OR' ? conditions.some(test) : conditions.every(test));
    if (!isKept) candidate.reasons.add('filter');
  }
}

/** The stages that ask policies: each filter node that names some, and the contact_policy nodes. */
function stagesOf(work: Work): SnapshotPolicy[][] {
  const { policies } = work.snapshot;
  const filters = nodesOf(work, 'filter').map(({ config }) => {
    const named = texts(config?.contactPolicyIds);
    return policies.filter(({ id, scopes }) => named.includes(id) && scopes.some(({ scope }) => scope === 'global'));
  });
  const rest = policies.filter((policy) => !filters.flat().includes(policy));
  const nodes = nodesOf(work, 'contact_policy');
  const configs: readonly Row[] = nodes.length === 0 ? [{}] : nodes.map(({ config }) => config ?? {});
  return [
    ...filters,
    ...configs.map(({ mode, policyIds }) =>
      rest.filter(
        (policy) =>
          mode !== 'selected' ||
          texts(policyIds).includes(policy.id) ||
          policy.ruleType === 'do_not_contact' ||
          !isBypassable(policy),
      ),
    ),
  ];
}

/** Whether an override of every stage that asks the policy lifts it for the candidate. */
function isLifted(work: Work, policy: SnapshotPolicy, candidate: Candidate): boolean {
  if (policy.ruleType === 'do_not_contact' || !isBypassable(policy)) return false;
  const stages = stagesOf(work);
  const asking = stages.filter((stage) => stage.includes(policy));
  const lifting = asking.length > 0 ? asking : stages.slice(nodesOf(work, 'filter').length);
  const lifts = (stage: SnapshotPolicy[]) =>
    stage.some((each) => each.ruleType === 'allow_override' && inScope(work, each.scopes, candidate));
  return asking.length > 0 ? lifting.every(lifts) : lifting.some(lifts);
}

function isBlocked(work: Work, policy: SnapshotPolicy, candidate: Candidate): boolean {
  if (policy.ruleType === 'allow_override' || (candidate.mandatory && !bindsMandatory(policy))) return false;
  if (!inScope(work, scopesOf(policy), candidate)) return false;
  return blocks(work, policy, candidate) && !isLifted(work, policy, candidate);
}

function askPolicies(work: Work, candidate: Candidate): void {
  for (const policy of new Set(stagesOf(work).flat()))
    if (isBlocked(work, policy, candidate)) candidate.reasons.add('contact_policy');
}

function suppress(work: Work, candidate: Candidate): void {
  const { offer, mandatory, reasons } = candidate;
  for (const { scope, scopeId, policyId, expiresAt } of work.input.suppressions) {
    if (expiresAt <= work.now) continue;
    if (scope !== 'global' && scopeId !== (scope === 'offer' ? offer.id : offer.categoryId)) continue;
    const policy = work.snapshot.policies.find(({ id }) => id === policyId);
    if (policyId !== null && policy === undefined) continue;
    if (policy !== undefined && (mandatory ? isBypassable(policy) : isLifted(work, policy, candidate))) continue;
    reasons.add('suppressed');
  }
}

/** The delivery walk (docs/design/api-decisioning.md 10). */
function walk(work: Work, candidates: readonly Candidate[], holdout: boolean): Omit<Expected, 'reasons'> {
  const { snapshot, input, target, taken } = work;
  const { request } = input;
  const rank = nodesOf(work, 'rank')[0]?.config ?? {};
  const response = nodesOf(work, 'response')[0]?.config ?? {};
  const method = holdout ? 'topN' : String(rank.method ?? 'topN');
  const limit = Math.min(50, request.limit ?? Number(snapshot.flow.config.flowConfig?.defaultLimit ?? 5));
  const cut = Math.min(
    ...[
      rank.method === undefined || rank.method === 'topN' ? rank.topN : null,
      rank.maxCandidates,
      response.limit,
    ].filter((value): value is number => typeof value === 'number'),
    snapshot.tenant.maxOffersPerDecision,
    target.slots === null ? limit : 50,
    50,
  );
  const rooms = target.slots?.map((slot) => Math.min(slot.placement.maxSlots, slot.limit ?? limit)) ?? [cut];
  const delivered: { candidate: Candidate; placementId: string | null; probability: number }[][] = rooms.map(() => []);
  const total = () => taken.length;
  const policies = [...new Set(stagesOf(work).flat())].filter(isCounting);
  /** What no longer passes a counting limit after the items taken leaves. */
  const admit = () => {
    for (const candidate of candidates) {
      if (candidate.reasons.size > 0 || taken.includes(candidate)) continue;
      for (const policy of policies) if (isBlocked(work, policy, candidate)) candidate.reasons.add('contact_policy');
      const shown = taken.some(({ offer }) => offer === candidate.offer);
      if (target.slots === null || !shown) continue;
      if (request.deduplicate) candidate.reasons.add('cut');
      if (budgetFull(work, candidate)) candidate.reasons.add('budget');
      if (offerCapFull(work, candidate)) candidate.reasons.add('offer_frequency_cap');
      const { creative } = candidate;
      const { frequencyCapPerDay } = creative?.constraints ?? {};
      if (
        creative !== null &&
        constraintFull(work, creative.id, frequencyCapPerDay === undefined ? {} : { frequencyCapPerDay })
      )
        candidate.reasons.add('creative_constraint');
    }
  };
  const place = (candidate: Candidate): string | null | undefined => placeFor(work, candidate, delivered.flat());
  const take = (slot: number, candidate: Candidate, probability: number) => {
    delivered[slot]!.push({ candidate, placementId: place(candidate) ?? null, probability });
    taken.push(candidate);
    admit();
  };

  const mandatoryIds = snapshot.offers
    .filter(({ mandatory, status }) => mandatory && status === 'active')
    .map(({ id }) => id);
  const today = work.events.filter(({ offerId, at }) => mandatoryIds.includes(offerId) && isToday(work, at)).length;
  for (const candidate of candidates.filter(({ mandatory }) => mandatory)) {
    const slot = candidate.slot ?? 0;
    if (candidate.reasons.size > 0 || total() >= cut || taken.some(({ offer }) => offer === candidate.offer)) continue;
    if (delivered[slot]!.length >= rooms[slot]! || place(candidate) === undefined) continue;
    if (today + taken.length >= snapshot.tenant.mandatoryDailyCap) candidate.reasons.add('mandatory_cap');
    else take(slot, candidate, 1);
  }

  const listed = inOrder(candidates.filter(({ mandatory, reasons }) => !mandatory && reasons.size === 0));
  const maxScore = Math.max(
    0,
    ...candidates.filter(({ mandatory, reasons }) => !mandatory && !left(reasons)).map(({ score }) => score),
  );
  const ranking =
    method === 'explore_exploit'
      ? rankingByStrategy(work, nodesOf(work, 'rank')[0]!, listed)
      : rankingOf(method, rank, listed, maxScore);
  const explore = holdout ? null : exploreOf(work);
  let isClose = false;
  let number = 1;
  rooms.forEach((room, slot) => {
    number += delivered[slot]!.length;
    const isLeft = (candidate: Candidate) =>
      candidate.reasons.size === 0 &&
      !taken.includes(candidate) &&
      (candidate.slot === null || candidate.slot === slot) &&
      place(candidate) !== undefined;
    while (total() < cut && delivered[slot]!.length < room) {
      const pick = ranking.next(listed.filter(isLeft), number, cut);
      if (pick === null) break;
      if (pick.isClose) isClose = true;
      const drawn = explore?.(
        number,
        pick,
        listed.filter((each) => isLeft(each) && !ranking.waits(each)),
      );
      const { candidate, probability } = drawn ?? {
        candidate: pick.candidate,
        probability: chanceOf(pick, pick.candidate),
      };
      ranking.took(candidate);
      number += 1;
      take(slot, candidate, probability);
    }
  });

  let covered = input.quotaLeft ?? Number.POSITIVE_INFINITY;
  for (const items of delivered) {
    for (const { candidate } of items.splice(Math.min(covered, items.length))) candidate.reasons.add('quota');
    covered -= items.length;
  }
  couple(work, delivered);
  for (const candidate of candidates) if (candidate.reasons.size === 0) candidate.reasons.add('cut');
  const items = delivered.flat().map(({ candidate, placementId, probability }) => ({
    offerId: candidate.offer.id,
    creativeId: candidate.creative?.id ?? null,
    placementId,
    mandatory: candidate.mandatory,
    score: candidate.score,
    probability,
  }));
  return { items, isClose };
}

/** What left before the ranking has no part in the largest score; what a limit took in the walk has. */
const left = (reasons: ReadonlySet<string>): boolean => reasons.size > 0;

function isToday({ now, zone }: Work, at: number): boolean {
  const day = (ms: number) => DateTime.fromMillis(ms, { zone }).toFormat('yyyy-MM-dd');
  return Number.isFinite(at) && day(at) === day(now);
}

/** The placement that an item would take; null: none is asked for; undefined: none has room. */
function placeFor(
  work: Work,
  candidate: Candidate,
  items: readonly { readonly placementId: string | null }[],
): string | null | undefined {
  const { eligible } = work.target;
  if (eligible === null) return placementOf(work, candidate);
  const { creative } = candidate;
  const hasRoom = (placement: { readonly id: string; readonly maxSlots: number }) =>
    items.filter(({ placementId }) => placementId === placement.id).length < placement.maxSlots;
  const bound = eligible.find(({ id }) => id === creative?.placementId);
  if (bound !== undefined) return hasRoom(bound) ? bound.id : undefined;
  return eligible.find(
    (each) => (creative === null || each.channelId === creative.channelId) && isOpen(work, each.id) && hasRoom(each),
  )?.id;
}

const inOrder = (candidates: readonly Candidate[]): Candidate[] =>
  [...candidates].sort(
    (a, b) =>
      b.score - a.score ||
      priorityOf(b) - priorityOf(a) ||
      (a.offer.id < b.offer.id ? -1 : a.offer.id > b.offer.id ? 1 : 0),
  );

interface Picked {
  readonly candidate: Candidate;
  readonly isClose: boolean;
  /** Absent: nothing was left to chance. */
  readonly chances?: Chosen['chances'];
}

const chanceOf = ({ candidate, chances }: Picked, of: Candidate): number =>
  chances === undefined ? (of === candidate ? 1 : 0) : (chances.get(of) ?? 0);

interface Ranking {
  next(left: readonly Candidate[], place: number, most: number): Picked | null;
  took(candidate: Candidate): void;
  /** Held back for now. */
  waits(candidate: Candidate): boolean;
}

const closeness = 1e-12;

function rankingByStrategy(work: Work, node: FlowNode, listed: readonly Candidate[]): Ranking {
  const choose = exploreExploit(work, node, node.config ?? {}, listed);
  return {
    next(left, place, most) {
      const chosen = choose(left, place, most);
      if (chosen === null) return null;
      const gaps = left.slice(1).map((each, at) => left[at]!.score - each.score);
      return { ...chosen, isClose: gaps.some((gap) => gap > 0 && gap < closeness) };
    },
    took: () => undefined,
    waits: () => false,
  };
}

function rankingOf(method: string, config: Row, listed: readonly Candidate[], maxScore: number): Ranking {
  const first = (left: readonly Candidate[], value: (candidate: Candidate) => number) => {
    let best: Candidate | null = null;
    for (const candidate of left) if (best === null || value(candidate) > value(best)) best = candidate;
    if (best === null) return null;
    const isClose = left.some((each) => {
      const gap = Math.abs(value(each) - value(best));
      return gap > 0 && gap < closeness;
    });
    return { candidate: best, isClose };
  };
  const none = { took: () => undefined, waits: () => false };
  if (method === 'topN') return { next: (left) => first(left, ({ score }) => score), ...none };
  if (method === 'round_robin') {
    const by = String(config.roundRobinBy ?? 'category');
    const groupOf = ({ offer, creative }: Candidate) =>
      ({
        category: offer.categoryId,
        subCategory: offer.subCategoryId,
        productType: offer.productType,
        channel: creative?.channelId ?? null,
      })[by] ?? null;
    const groups = [...new Set(listed.map(groupOf))];
    let turn = 0;
    return {
      next(left) {
        for (let tried = 0; tried < groups.length; tried++) {
          const group = groups[turn % groups.length];
          turn += 1;
          const found = first(
            left.filter((each) => groupOf(each) === group),
            ({ score }) => score,
          );
          if (found !== null) return found;
        }
        return null;
      },
      ...none,
    };
  }
  const lambda = Number(config.lambda ?? config.diversityLambda ?? 0.7);
  const weights = isRow(config.similarity) ? config.similarity : {};
  const { category = 0.5, subCategory = 0.3, productType = 0.2 } = weights;
  const chosen: Candidate[] = [];
  let most = Number(config.maxPerCategory ?? 0);
  const alike = (a: string | null, b: string | null, weight: unknown) => (a !== null && a === b ? Number(weight) : 0);
  const similarity = ({ offer: a }: Candidate, { offer: b }: Candidate) =>
    alike(a.categoryId, b.categoryId, category) +
    alike(a.subCategoryId, b.subCategoryId, subCategory) +
    alike(a.productType, b.productType, productType);
  const value = (candidate: Candidate) =>
    lambda * (maxScore === 0 ? 0 : candidate.score / maxScore) -
    (1 - lambda) * Math.max(0, ...chosen.map((other) => similarity(candidate, other)));
  const isFull = ({ offer }: Candidate) =>
    most > 0 &&
    offer.categoryId !== null &&
    chosen.filter((other) => other.offer.categoryId === offer.categoryId).length >= most;
  return {
    next(left) {
      if (left.length === 0) return null;
      while (left.every(isFull)) most += 1;
      return first(
        left.filter((each) => !isFull(each)),
        value,
      );
    },
    took: (candidate) => void chosen.push(candidate),
    waits: isFull,
  };
}

/** Chance around the rank method (docs/adr/0019): a slot is drawn from the pool with probability `rate`. */
function exploreOf(work: Work) {
  const config = work.snapshot.flow.config.flowConfig?.explore;
  if (!isRow(config) || Number(config.rate ?? 0) <= 0) return null;
  const { rate, poolSize = 20, fromRank = 1 } = config;
  const channels = texts(config.channels);
  const isOn = ({ creative }: Candidate) =>
    channels.length === 0 || (creative !== null && channels.includes(creative.channelId));
  return (number: number, pick: Picked, left: readonly Candidate[]) => {
    const { candidate: picked } = pick;
    const certain = { candidate: picked, probability: chanceOf(pick, picked) };
    if (number < Number(fromRank) || !isOn(picked)) return certain;
    const pool = left.filter(isOn).slice(0, Number(poolSize));
    if (pool.length <= 1) return certain;
    const next = uniforms(work.input.seed, `explore:${number}`);
    const candidate = next() < Number(rate) ? pool[Math.floor(next() * pool.length)]! : picked;
    // The place explores where the method picks on such a channel (docs/adr/0036).
    const reach = left.filter(isOn).reduce((sum, each) => sum + chanceOf(pick, each), 0);
    const probability =
      (1 - Number(rate)) * chanceOf(pick, candidate) +
      (pool.includes(candidate) ? (Number(rate) * reach) / pool.length : 0);
    return { candidate, probability };
  };
}

/** Part 2, 4.6: one empty placement of an atomic channel empties its others. */
function couple({ snapshot, target }: Work, delivered: { candidate: Candidate }[][]): void {
  const isEmpty = ({ slot }: { readonly slot: number | null }) => slot === null || delivered[slot]!.length === 0;
  const emptied = snapshot.channels.filter(({ id, couplingMode }) => {
    const own = target.requested?.filter(({ channelId }) => channelId === id) ?? [];
    return (snapshot.flow.couplingOverride ?? couplingMode) === 'atomic' && own.some(isEmpty);
  });
  for (const { id } of emptied) {
    for (const { channelId, slot } of target.requested ?? []) {
      if (channelId !== id || slot === null) continue;
      for (const { candidate } of delivered[slot]!.splice(0)) candidate.reasons.add('coupling');
    }
  }
}
