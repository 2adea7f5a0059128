import type { Json, Snapshot } from '@arbiter/engine';
import { enabledNodes } from './check-flow.ts';
import type { OfferVerdict } from './check-offers.ts';
import { type Finding, finding, quoted } from './findings.ts';
import type { CheckInput, Subject } from './subject.ts';
import { nodeSubject } from './ways.ts';

const textsOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

/** IDs and names of segments that customers must be in to get an offer. */
export const requiredSegments = ({ rules, policies, offers }: Snapshot): ReadonlySet<string> =>
  new Set([
    ...[...rules, ...policies].flatMap(({ config }) => textsOf(config.requiredSegments)),
    ...offers.flatMap(({ eligibility }) => textsOf(eligibility?.requiredSegments)),
  ]);

/** Segments without members that an offer requires, and metrics that don't exist. */
export function checkReferences({ snapshot, emptySegments = new Map() }: CheckInput): Finding[] {
  const emptyAmong = (value: Json | undefined): string[] =>
    textsOf(value).flatMap((segment) => emptySegments.get(segment) ?? []);
  const metrics = new Set((snapshot.metrics ?? []).map(({ id }) => id));
  const rows = [
    ...snapshot.rules.map((row) => ({ type: 'qualificationRule', row }) as const),
    ...snapshot.policies.map((row) => ({ type: 'contactPolicy', row }) as const),
  ];
  const found = rows.flatMap(({ type, row: { id, name, ruleType, config } }) => {
    const at = (path: string): Subject => ({ type, id, name, path });
    const own = emptyAmong(config.requiredSegments).map((segment) =>
      finding(
        'segment_empty',
        at('/config/requiredSegments'),
        `The segment ${quoted(segment)} has no members, so no customer passes ${quoted(name)}.`,
      ),
    );
    const isUnset =
      ruleType === 'metric_condition' &&
      typeof config.metricId === 'string' &&
      !metrics.has(config.metricId.toLowerCase());
    return isUnset
      ? [...own, finding('metric_unset', at('/config/metricId'), `The metric of ${quoted(name)} doesn’t exist.`)]
      : own;
  });
  const ofOffers = snapshot.offers.flatMap(({ id, name, eligibility }) =>
    emptyAmong(eligibility?.requiredSegments).map((segment) =>
      finding(
        'segment_empty',
        { type: 'offer', id, name, path: '/eligibility/requiredSegments' },
        `The segment ${quoted(segment)} has no members, so no customer is eligible for ${quoted(name)}.`,
      ),
    ),
  );
  return [...found, ...ofOffers];
}

/** Exploration that can't change an answer. */
export function checkExploration({ snapshot }: CheckInput): Finding[] {
  const rank = enabledNodes(snapshot).find(({ node }) => node.type === 'rank');
  if (rank === undefined || rank.node.config?.method !== 'explore_exploit') return [];
  const { strategy, explorationRate, poolSize, topN, fromRank } = rank.node.config;
  const usesRate = strategy === undefined || strategy === 'epsilon_greedy';
  const reason =
    usesRate && explorationRate === 0
      ? 'its exploration rate is 0'
      : poolSize === 1
        ? 'its pool has one offer'
        : typeof fromRank === 'number' && typeof topN === 'number' && fromRank > topN
          ? `it explores from rank ${fromRank}, but returns ${topN} offers`
          : snapshot.offers.filter(({ status }) => status === 'active').length < 2
            ? 'the flow has fewer than two offers'
            : null;
  if (reason === null) return [];
  return [
    finding(
      'explore_no_effect',
      nodeSubject(rank, '/config'),
      `The node ${quoted(rank.node.name ?? rank.node.id)} explores nothing: ${reason}.`,
    ),
  ];
}

/** Placements that are filled together or not at all, while one of them is always empty. */
export function checkCoupling({ snapshot }: CheckInput, verdicts: readonly OfferVerdict[]): Finding[] {
  const group = enabledNodes(snapshot).find(({ node }) => node.type === 'group');
  if (group === undefined || !Array.isArray(group.node.config?.placements)) return [];
  const ids = group.node.config.placements.map(
    (one: Json) => `${(one as { readonly [key: string]: Json }).placementId}`,
  );
  const placements = snapshot.placements.filter(({ id }) => ids.includes(id));
  return placements.flatMap(({ id, name, channelId }) => {
    const channel = snapshot.channels.find((one) => one.id === channelId);
    const mode = snapshot.flow.couplingOverride ?? channel?.couplingMode;
    const isShared = placements.some((other) => other.id !== id && other.channelId === channelId);
    if (mode !== 'atomic' || !isShared || verdicts.some((verdict) => mayFill(verdict, id, channelId))) return [];
    const subject: Subject = { type: 'placement', id, name, path: '' };
    const message = `${quoted(name)} is never filled, so the other placements of ${quoted(channel?.name ?? channelId)} are emptied with it.`;
    return [finding('coupling_always_empty', subject, message)];
  });
}

const mayFill = ({ verdict, offer }: OfferVerdict, placementId: string, channelId: string): boolean =>
  verdict !== 'never' &&
  offer.creatives.some(
    ({ row }) => row.channelId === channelId && (row.placementId === null || row.placementId === placementId),
  );

const lowestFit = 0.01;

/**
 * Offers that others without any gate always beat. Only the method `priority_weighted` scores by the catalogue alone
 * (docs/design/api-decisioning.md 9).
 */
export function checkOutranked({ snapshot, plan }: CheckInput, verdicts: readonly OfferVerdict[]): Finding[] {
  if (!scoresByPriority(snapshot)) return [];
  const limit = plan.limits.cut;
  const matchRules = snapshot.rules.filter(({ stage }) => stage === 'match');
  const lowest = matchRules.reduce(
    (fit, { config }) => fit * (typeof config.penalty === 'number' ? config.penalty : 0.5),
    1,
  );
  const scored = verdicts.map((verdict) => ({ verdict, ...boundsOf(verdict, Math.max(lowestFit, lowest)) }));
  const open = scored.filter(({ verdict }) => verdict.offer.gated === false && isUngated(verdict));
  return scored.flatMap(({ verdict: { offer, verdict }, highest }) => {
    if (verdict === 'never' || offer.row.mandatory) return [];
    const better = open.filter((other) => other.verdict.offer !== offer && other.lowest > highest);
    // A policy may block the others after a contact.
    if (better.length < limit || snapshot.policies.length > 0) return [];
    const subject: Subject = { type: 'offer', id: offer.id, name: offer.row.name, path: '/priority' };
    return [
      finding(
        'outranked',
        subject,
        `${quoted(offer.row.name)} never makes it into a response: ${better.length} offers without conditions always rank higher.`,
      ),
    ];
  });
}

function scoresByPriority(snapshot: Snapshot): boolean {
  const nodes = enabledNodes(snapshot);
  const score = nodes.find(({ node }) => node.type === 'score')?.node.config;
  const rank = nodes.find(({ node }) => node.type === 'rank')?.node.config;
  const { scoring, explore } = snapshot.flow.config.flowConfig ?? {};
  const method = score?.method ?? (scoring as { readonly [key: string]: Json } | undefined)?.method;
  const changing = new Set(['optimize', 'extension_point', 'call_flow', 'group', 'conditional', 'filter']);
  return (
    method === 'priority_weighted' &&
    score?.overrides === undefined &&
    (rank?.method === undefined || rank.method === 'topN') &&
    explore === undefined &&
    !nodes.some(({ node }) => changing.has(node.type))
  );
}

function boundsOf(
  { offer }: OfferVerdict,
  lowestPenalty: number,
): { readonly lowest: number; readonly highest: number } {
  const scores = offer.creatives.map(
    ({ weight, priorityOverride }) => ((priorityOverride ?? offer.priority) / 100) * (weight / 100),
  );
  const whole = [...scores, offer.priority / 100];
  return { lowest: Math.min(...whole) * lowestPenalty, highest: Math.max(...whole) };
}

/** True when nothing keeps it from anyone: no gate, and one creative on one channel that takes every request. */
const isUngated = ({ passages, offer, verdict }: OfferVerdict): boolean =>
  verdict === 'shown' &&
  offer.creatives.every(({ constrained, placement }) => !constrained && placement === -1) &&
  passages.every(({ gates }) => gates.length === 0);
