import { readObject } from '../config-values.ts';
import { compileExplore } from '../delivery/explore.ts';
import { flowModel } from '../models/plan-models.ts';
import { compileGroup } from '../nodes/group.ts';
import { compileResponse } from '../nodes/response.ts';
import type { PlanModels } from '../plan/models.ts';
import type { PlanOffer } from '../plan/offer.ts';
import type { Program } from '../plan/program.ts';
import { volumeMatcher } from '../policies/volumes.ts';
import { afterRankOf } from '../stages/after-rank.ts';
import type { FlowStages } from './flow-stages.ts';
import type { PlanRows } from './plan-rows.ts';
import { createTemplates } from './templates.ts';

/** The part of a plan that decisions run. */
export function programOf(rows: PlanRows, stages: FlowStages): Program {
  const { snapshot, builder, ordinals, channels, placements, placementNumber, creatives, offers } = rows;
  const { placed, everyPlaced, enrichNodes, nodeOf, scoring } = stages;
  const { collected } = builder;
  return {
    offers,
    creatives,
    templateOf: createTemplates(),
    channels,
    placements,
    placementNumber,
    inactivePlacements: new Map((snapshot.inactivePlacements ?? []).map((placement) => [placement.id, placement])),
    placementChannel: placements.map(({ channelId }) => ordinals.channel.get(channelId) ?? -1),
    ordinals,
    mandatoryOffers: offers.filter(({ row }) => row.mandatory && row.status === 'active').sort(byPriority),
    mandatoryDailyCap: snapshot.tenant.mandatoryDailyCap,
    offsets: snapshot.tenant.offsets ?? null,
    holdoutPercentage: snapshot.tenant.holdoutPercentage,
    policies: rows.policies,
    volumes: volumeMatcher(collected.volumes, builder.index),
    gateConfigs: [...snapshot.policies, ...snapshot.rules, ...everyPlaced.map(({ node }) => node)],
    days30Window: rows.days30Window,
    dayWindow: rows.dayWindow,
    mergesRows: enrichNodes.length > 0,
    customerFields: collected.customer,
    interestNumber: collected.interests,
    phases: stages.phases,
    branching: stages.branching,
    afterRank: afterRankOf(placed),
    hasCalls: everyPlaced.some(({ calls }) => calls.size > 0),
    models: builder.models,
    drawsEarly: drawsEarly(builder.models, scoring, offers),
    scoring,
    optimize: stages.optimize,
    rank: stages.rank,
    group: compileGroup(nodeOf('group')),
    explore: compileExplore(readObject(readObject(snapshot.flow.config.flowConfig).explore), ordinals.channel),
    output: stages.output,
    customFieldsOn: !everyPlaced.some(
      ({ node: { type, config } }) => type === 'compute' && config?.includeCustomFields === false,
    ),
    response: compileResponse(nodeOf('response')),
    targeting: stages.targeting,
  };
}

function byPriority(a: PlanOffer, b: PlanOffer): number {
  return b.row.priority - a.row.priority || a.ordinal - b.ordinal;
}

/** Whether rules, or the offers' own gates, ask a bandit: then it draws before there is anything to rank. */
function drawsEarly(
  { list, gates }: PlanModels,
  { settings, byChannel, champions, experiment }: Program['scoring'],
  offers: readonly PlanOffer[],
): boolean {
  const isRandom = (number: number): boolean => list[number]?.program.isRandom === true;
  if ([...gates].some(isRandom)) return true;
  const byFlow = gates.has(flowModel) || offers.some(({ eligibility }) => eligibility?.readsPropensity ?? false);
  // Only those of the flow's own score node: which flows a request calls isn't known yet.
  const own = [settings, ...byChannel].map(({ ladder }) => ladder.model);
  return (
    byFlow && [...own, ...(experiment?.shares ?? champions?.shares ?? []).map(({ model }) => model)].some(isRandom)
  );
}
