import { type CustomerProfile, profileRanked } from '@arbiter/contract';
import { type DecisionTrace, round6, type WindowSpec } from '@arbiter/engine';
import { decideTrial, type Trial } from '../decisions/index.ts';
import { readFacts } from './customer-facts.service.ts';
import type { CustomerToolPorts, EligibilityCaller } from './eligibility.service.ts';
import { rowsOf } from './trace-details.ts';

interface ProfileQuery {
  readonly channel?: string | undefined;
  readonly placement?: string | undefined;
  readonly flowId?: string | undefined;
}

/** The metrics without dimensions that the decision read. */
function metricsIn(values: unknown): Record<string, number> {
  if (typeof values !== 'object' || values === null) return {};
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}

/** A decision of a customer stage by stage (docs/design/api-access.md 16). Throws 404 and 409 for a flow that cannot run. */
export async function readProfile(
  ports: CustomerToolPorts,
  caller: EligibilityCaller,
  customerId: string,
  { channel, placement, flowId }: ProfileQuery,
): Promise<CustomerProfile> {
  const { trials, readCall } = ports.decisions.service;
  const call = readCall(caller, {
    customerId,
    dryRun: true,
    limit: profileRanked,
    channel: channel ?? null,
    placement: placement ?? null,
    decisionFlowKey: flowId ?? null,
  });
  const [trial] = await trials.read(caller.tenantId, [{ call }], null, caller.until);
  const { flow, input, profile } = trial!;
  const { decision, stages } = decideTrial(trial!);
  const { trace, items } = decision;
  if (trace === null) throw new Error('a trial has a trace');
  const facts = await readFacts(ports.database, trial!, caller.until);
  const { id, key, version } = flow.plan.flow;
  const nameOf = (offerId: string): string => flow.plan.names.offer(offerId)?.name ?? '';
  const rows = rowsOf(trial!, trace);
  const rules = rows.rules.filter(({ passed, stage }) => !passed && stage !== 'match');
  const policies = rows.policies.filter(({ blocked }) => blocked);
  return {
    customerId,
    known: profile.known,
    evaluatedAt: new Date(input.now).toISOString(),
    flow: { id, key, version },
    attributes: facts.attributes,
    segments: facts.segments,
    metrics: metricsIn(profile.values.metrics),
    counters: countersOf(trial!),
    stages: stagesOf(trace).map(({ dropped, ...stage }) => ({
      ...stage,
      durationMs: stages?.msOf(stage.stage, stage.nodeId) ?? null,
      dropped: dropped.map(({ offerId, offerName, reason }) => ({ offerId, offerName, reason })),
    })),
    qualificationRejections: rules.map(({ offerId, ruleId, ruleName, ruleType, reason, detail }) => ({
      offerId,
      offerName: nameOf(offerId),
      ruleId,
      ruleName,
      ruleType,
      reason,
      detail,
    })),
    contactPolicyRejections: policies.map(({ offerId, policyId, policyName, ruleType, reason, detail }) => ({
      offerId,
      offerName: nameOf(offerId),
      policyId,
      policyName,
      ruleType,
      reason,
      detail,
    })),
    ranked: items.map(({ rank, offerId, score, scoreComponents: parts }) => ({
      rank,
      offerId,
      offerName: nameOf(offerId),
      score: round6(score),
      components: {
        propensity: round6(parts.propensity),
        relevance: round6(parts.relevance),
        impact: round6(parts.impact),
        emphasis: round6(parts.emphasis),
        fitMultiplier: round6(parts.fitMultiplier),
      },
    })),
  };
}

/** Returns what was dropped in each stage. A stage that runs several times has a row for each; the first one lists what was dropped. */
function stagesOf({ pipeline, dropped }: DecisionTrace) {
  const placeOf = (row: { readonly stage: string; readonly nodeId: string | null }) => `${row.stage} ${row.nodeId}`;
  const left = Map.groupBy(dropped, placeOf);
  return pipeline.map((row) => {
    const place = placeOf(row);
    const own = left.get(place) ?? [];
    left.delete(place);
    return { stage: row.stage, nodeId: row.nodeId, in: row.candidates, out: row.passed, dropped: own };
  });
}

function countersOf({ flow, input }: Trial): CustomerProfile['counters'] {
  const { lanes, lastAt, counts } = input.contacts;
  const windows = flow.plan.windows.map(nameOfWindow);
  return lanes.map(({ offerId, creativeId, channelId, campaignId }, lane) => ({
    offerId,
    creativeId,
    channelId,
    campaignId,
    lastAt: new Date(lastAt[lane] ?? 0).toISOString(),
    counts: Object.fromEntries(windows.map((name, window) => [name, counts[window]?.[lane] ?? 0])),
  }));
}

const nameOfWindow = (window: WindowSpec): string =>
  window.kind === 'rolling' ? `rolling_${window.ms / 1000}s` : window.kind;
