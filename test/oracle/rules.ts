import type { SnapshotOffer, SnapshotRule } from '@arbiter/engine';
import { DateTime } from 'luxon';
import { type Candidate, factsOf, type Work } from './candidate.ts';
import { at, compares, holds, instant } from './conditions.ts';
import { inScope } from './policies.ts';
import { passesThreshold, propensityOf } from './scores.ts';
import { closedHours, isRow } from './world.ts';

/** Whether a rule applies to the candidate. */
export function isAsked(work: Work, { scopes }: SnapshotRule, candidate: Candidate): boolean {
  return (
    inScope(work, scopes, candidate) ||
    scopes.some(
      ({ scope, scopeId }) =>
        (scope === 'segment' && work.segments.has(scopeId ?? '')) ||
        (scope === 'placement' && placementOf(work, candidate) === scopeId),
    )
  );
}

/** Returns the candidate's placement, as far as it is known before the response is assembled. */
export function placementOf(work: Work, { creative, slot }: Candidate): string | null {
  const { target, snapshot } = work;
  if (slot !== null) return target.slots![slot]!.placement.id;
  if (creative === null) return null;
  if (target.eligible === null) return creative.placementId;
  if (target.eligible.some(({ id }) => id === creative.placementId)) return creative.placementId;
  const open = target.eligible.find(
    (placement) => placement.channelId === creative.channelId && isOpen(work, placement.id),
  );
  return open === undefined ? null : (snapshot.placements.find(({ id }) => id === open.id)?.id ?? null);
}

export function isOpen(work: Work, placementId: string): boolean {
  const { targeting } = work.snapshot.placements.find(({ id }) => id === placementId) ?? {};
  return targeting === undefined || holds(targeting, factsOf(work, null), work.now);
}

/** docs/design/api-catalogue.md 9. */
export function passes(work: Work, { ruleType, config }: SnapshotRule, candidate: Candidate): boolean {
  const facts = factsOf(work, candidate);
  const attribute = String(config.attribute);
  const missing = config.onMissing === 'pass';
  switch (ruleType) {
    case 'segment_required': {
      const wanted = config.requiredSegments;
      return (Array.isArray(wanted) ? wanted : []).every((segment) => work.segments.has(String(segment)));
    }
    case 'attribute_condition': {
      const value = at(facts, attribute);
      if (value === null) return missing;
      return compares(value, String(config.operator), config.value ?? null, work.now);
    }
    case 'offer_attribute': {
      const value = at(facts, attribute.startsWith('offer.') ? attribute : `offer.${attribute}`);
      const operand = typeof config.valueFrom === 'string' ? at(facts, config.valueFrom) : (config.value ?? null);
      if (value === null || operand === null) return missing;
      return compares(value, String(config.operator), operand, work.now);
    }
    case 'recency_check': {
      const value = at(facts, attribute);
      if (value === null) return missing;
      const then = instant(value);
      if (then === null) return false;
      const isDate = /^\d{4}-\d{2}-\d{2}$/.test(String(value));
      const today = DateTime.fromMillis(work.now, { zone: work.zone }).toFormat('yyyy-MM-dd');
      const until = isDate ? DateTime.fromISO(today, { zone: 'UTC' }).toMillis() : work.now;
      const days = Math.max(0, Math.floor((until - then) / 86_400_000));
      return days <= Number(config.maxDays ?? days) && days >= Number(config.minDays ?? days);
    }
    case 'propensity_threshold':
      return passesThreshold(work, config, candidate);
    default:
      throw new Error(`no rule ${ruleType}`);
  }
}

/** The offer's own gate (docs/design/api-catalogue.md 6); what cannot be read closes it. */
export function isEligible(work: Work, candidate: Candidate): boolean {
  const gate = candidate.offer.eligibility;
  if (gate === null) return true;
  const names = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
  if (!names(gate.requiredSegments).every((segment) => work.segments.has(segment))) return false;
  if (names(gate.excludedSegments).some((segment) => work.segments.has(segment))) return false;
  if (gate.conditions !== undefined) {
    try {
      if (!holds(gate.conditions, factsOf(work, candidate), work.now)) return false;
    } catch {
      return false;
    }
  }
  if (gate.propensityThreshold === undefined) return true;
  if (typeof gate.propensityThreshold !== 'number') return false;
  return propensityOf(work, candidate) >= gate.propensityThreshold;
}

/** The schedule of an offer (docs/design/api-catalogue.md 6, docs/design/quality.md E16). */
export function isScheduled({ now, zone }: Work, { schedule }: SnapshotOffer): boolean {
  if (!isRow(schedule)) return true;
  const own = typeof schedule.timezone === 'string' ? schedule.timezone : zone;
  const today = DateTime.fromMillis(now, { zone: own }).toFormat('yyyy-MM-dd');
  for (const [key, isStart] of [
    ['startDate', true],
    ['endDate', false],
  ] as const) {
    const bound = schedule[key];
    if (bound === undefined) continue;
    if (typeof bound === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(bound)) {
      if (isStart ? today < bound : today > bound) return false;
      continue;
    }
    const then = instant(bound);
    if (then === null) return false;
    if (isStart ? now < then : now >= then) return false;
  }
  const days = Array.isArray(schedule.daysOfWeek) ? schedule.daysOfWeek.map(Number) : [];
  return !closedHours(now, own, Number(schedule.startHour ?? 0), Number(schedule.endHour ?? 24), days);
}
