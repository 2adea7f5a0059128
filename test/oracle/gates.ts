import type { SnapshotCreative, SnapshotOffer, SnapshotPolicy, SnapshotRule } from '@arbiter/engine';
import { type Candidate, factsOf, type Work } from './candidate.ts';
import { share } from './chance.ts';
import { holds } from './conditions.ts';
import {
  bindsMandatory,
  blocks,
  budgetFull,
  constraintFull,
  inScope,
  isBypassable,
  offerCapFull,
  scopesOf,
} from './policies.ts';
import { isAsked, isEligible, isOpen, isScheduled, passes } from './rules.ts';
import type { Row } from './world.ts';

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);

export function isForced({ now }: Work, { mandatory, status, mandatoryExpiresAt }: SnapshotOffer): boolean {
  return mandatory && status === 'active' && (mandatoryExpiresAt === null || now < mandatoryExpiresAt);
}

/** Whether an inventory node includes an offer. */
export function isIncluded(work: Work, config: Row, offer: SnapshotOffer): boolean {
  const statuses = config.includeStatuses === undefined ? ['active'] : texts(config.includeStatuses);
  if (!statuses.includes(offer.status) || (offer.status !== 'active' && !work.input.request.dryRun)) return false;
  switch (config.scope ?? 'all') {
    case 'category':
      return texts(config.categoryIds).includes(offer.categoryId ?? '');
    case 'subcategory':
      return texts(config.subCategoryIds).includes(offer.subCategoryId ?? '');
    case 'offers':
    case 'manual':
      return texts(config.offerIds).includes(offer.id);
    default:
      return true;
  }
}

/**
 * Returns an offer at each requested placement (docs/design/api-catalogue.md 7), with the creative that `match` picks.
 */
export function candidatesFor(work: Work, offer: SnapshotOffer, mandatory: boolean, match: Row): Candidate[] {
  const { slots } = work.target;
  return (slots ?? [null]).map((_, slot) => {
    const made: Candidate = {
      offer,
      mandatory,
      slot: slots === null ? null : slot,
      creative: null,
      isMatched: false,
      reasons: new Set(),
      judged: new Set(),
      stages: new Set(),
      fit: 1,
      score: mandatory ? 1 : 0,
      parts: null,
    };
    made.creative = chooseCreative(work, made, match);
    keepOut(work, made);
    return made;
  });
}

/**
 * Matches creatives. Candidates keep the creative from the first such node of their flow: a second node picks no other,
 * and drops those whose creative it wouldn't pick (docs/adr/0033).
 */
export function matchCreatives(work: Work, candidate: Candidate, config: Row, requires: boolean): void {
  const { eligible, slots } = work.target;
  const { creative: own, reasons } = candidate;
  // The mandatory list is matched once.
  if (candidate.mandatory && candidate.isMatched) return;
  if (candidate.isMatched && own !== null && !isUsable(work, candidate, own, config)) reasons.add('no_creative');
  candidate.isMatched = true;
  if (candidate.creative === null && (requires || slots !== null))
    for (const reason of ['no_creative', 'creative_constraint', 'placement_targeting']) reasons.add(reason);
  if (eligible?.every(({ id }) => !isOpen(work, id))) reasons.add('placement_targeting');
}

function chooseCreative(work: Work, candidate: Candidate, config: Row): Candidate['creative'] {
  const { offer } = candidate;
  const { customerId } = work.input.request;
  const usable = work.snapshot.creatives.filter(
    (creative) => creative.offerId === offer.id && isUsable(work, candidate, creative, config),
  );
  const key = (creative: (typeof usable)[number]) => {
    const x = share(`creative:${offer.id}:${customerId}:${creative.id}`) + 0.5 / 2 ** 32;
    return Math.log(x) / creative.weight;
  };
  return usable.sort((a, b) => key(b) - key(a) || (a.id < b.id ? -1 : 1))[0] ?? null;
}

function isUsable(work: Work, { slot }: Candidate, creative: SnapshotCreative, config: Row): boolean {
  const { target, input } = work;
  const mode = config.placementMatchMode ?? 'any';
  const only = texts(config.channelIds);
  const { id, channelId, placementId, weight, constraints } = creative;
  if (weight <= 0 || input.request.excludeCreatives.includes(id)) return false;
  if (only.length > 0 && !only.includes(channelId)) return false;
  if (target.channels !== null && !target.channels.has(channelId)) return false;
  if (constraintFull(work, id, { ...constraints })) return false;
  if (slot !== null) {
    const { placement } = target.slots![slot]!;
    if (placement.channelId !== channelId || !isOpen(work, placement.id)) return false;
    return mode === 'none' || placementId === placement.id || (mode === 'any' && placementId === null);
  }
  if (target.eligible === null || mode === 'none') return placementId === null || isOpen(work, placementId);
  if (placementId !== null) return target.eligible.some((each) => each.id === placementId) && isOpen(work, placementId);
  return mode === 'any' && target.eligible.some((each) => each.channelId === channelId && isOpen(work, each.id));
}

/** Returns what excludes an offer before any check runs (docs/design/api-catalogue.md 6). */
function keepOut(work: Work, candidate: Candidate): void {
  const { offer, reasons } = candidate;
  const { request, soldOut } = work.input;
  if (offer.emergencyExcluded) reasons.add('emergency_excluded');
  if (request.excludeOffers.includes(offer.id)) reasons.add('excluded');
  if (!isScheduled(work, offer)) reasons.add('schedule');
  if (budgetFull(work, candidate)) reasons.add('budget');
  if (offer.tracksStock === true && soldOut?.includes(offer.id)) reasons.add('stock');
  if (offerCapFull(work, candidate)) reasons.add('offer_frequency_cap');
}

/** A qualify node. The offer's own gate is read in any mode. */
export function qualify(work: Work, candidate: Candidate, { mode, ruleIds, stages }: Row): void {
  if (candidate.mandatory) return;
  if (!isEligible(work, candidate)) candidate.reasons.add('qualification');
  const names = ({ id, stage }: SnapshotRule) =>
    (mode !== 'selected' || texts(ruleIds).includes(id)) && (stages === undefined || texts(stages).includes(stage));
  for (const rule of work.snapshot.rules) {
    if (rule.stage === 'ranking' || !names(rule) || candidate.judged.has(rule.id)) continue;
    if (!isAsked(work, rule, candidate)) continue;
    if (rule.stage === 'match') candidate.judged.add(rule.id);
    if (passes(work, rule, candidate)) continue;
    if (rule.stage === 'match') candidate.fit = Math.max(0.01, candidate.fit * Number(rule.config.penalty ?? 0.5));
    else candidate.reasons.add('qualification');
  }
}

/** Applies the conditions of a filter node. Before creatives are matched, there are none to see. */
export function filter(work: Work, candidate: Candidate, config: Row): void {
  if (candidate.mandatory) return;
  const conditions = (config.conditions ?? []) as readonly Row[];
  const seen = candidate.isMatched ? candidate : { ...candidate, creative: null };
  const test = (condition: Row) => holds(condition, factsOf(work, seen), work.now);
  const isKept =
    conditions.length === 0 || (config.combinator === 'OR' ? conditions.some(test) : conditions.every(test));
  if (!isKept) candidate.reasons.add('filter');
}

/** Applies the policies of a stage. The stage's override lifts the policies it can. */
export function askPolicies(work: Work, candidate: Candidate, stage: readonly SnapshotPolicy[]): void {
  candidate.stages.add(stage);
  for (const policy of stage) if (isBlocked(work, policy, candidate, stage)) candidate.reasons.add('contact_policy');
}

const lifts = (work: Work, stage: readonly SnapshotPolicy[], candidate: Candidate): boolean =>
  stage.some((each) => each.ruleType === 'allow_override' && inScope(work, each.scopes, candidate));

const canBeLifted = (policy: SnapshotPolicy): boolean => policy.ruleType !== 'do_not_contact' && isBypassable(policy);

export function isBlocked(
  work: Work,
  policy: SnapshotPolicy,
  candidate: Candidate,
  stage: readonly SnapshotPolicy[],
): boolean {
  if (policy.ruleType === 'allow_override' || (candidate.mandatory && !bindsMandatory(policy))) return false;
  if (!inScope(work, scopesOf(policy), candidate) || !blocks(work, policy, candidate)) return false;
  return !(canBeLifted(policy) && lifts(work, stage, candidate));
}

/** Rows of suppression; those of a policy are lifted where the policy is. `own`: the contact_policy stages. */
export function suppress(work: Work, candidate: Candidate, own: ReadonlySet<readonly SnapshotPolicy[]>): void {
  const { offer, mandatory, reasons } = candidate;
  const isLifted = (policy: SnapshotPolicy): boolean => {
    if (!canBeLifted(policy)) return false;
    const asking = [...candidate.stages].filter((stage) => stage.includes(policy));
    if (asking.length > 0) return asking.every((stage) => lifts(work, stage, candidate));
    return [...candidate.stages].some((stage) => own.has(stage) && lifts(work, stage, candidate));
  };
  for (const { scope, scopeId, policyId, expiresAt } of work.input.suppressions) {
    if (expiresAt <= work.now) continue;
    if (scope !== 'global' && scopeId !== (scope === 'offer' ? offer.id : offer.categoryId)) continue;
    const policy = work.snapshot.policies.find(({ id }) => id === policyId);
    if (policyId !== null && policy === undefined) continue;
    if (policy !== undefined && (mandatory ? isBypassable(policy) : isLifted(policy))) continue;
    reasons.add('suppressed');
  }
}

/** The policies that a filter names, and those that a contact_policy node asks. */
export const filterStage = (work: Work, config: Row): readonly SnapshotPolicy[] =>
  work.snapshot.policies.filter(
    ({ id, scopes }) => texts(config.contactPolicyIds).includes(id) && scopes.some(({ scope }) => scope === 'global'),
  );

export const policyStage = (
  work: Work,
  { mode, policyIds }: Row,
  inFilters: readonly SnapshotPolicy[],
): readonly SnapshotPolicy[] =>
  work.snapshot.policies.filter(
    (policy) =>
      !inFilters.includes(policy) &&
      (mode !== 'selected' ||
        texts(policyIds).includes(policy.id) ||
        policy.ruleType === 'do_not_contact' ||
        !isBypassable(policy)),
  );
