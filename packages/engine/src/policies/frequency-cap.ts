import { integerField, textField, textsField } from '../compile/config-fields.ts';
import { type ConfigReader, type ConfigRemark, readConfig } from '../compile/config-problems.ts';
import type { CapLimit } from '../plan/offer.ts';
import type { JsonObject } from '../plan/snapshot.ts';
import { calendarLimit, maxContacts, readRolling, windowRemarks, windowsField } from './cap-limits.ts';
import { type Per, perField, perWords } from './counted-set.ts';
import { createCounter } from './counter.ts';
import { daysOfLimits } from './history-days.ts';
import { campaignOf } from './lane-view.ts';
import type { PolicyKind } from './policy-kind.ts';

interface Cap {
  readonly limits: readonly CapLimit[];
  readonly per: Per;
  readonly withinCampaignId: string | null;
  readonly excludeCampaignIds: readonly string[];
}

const calendarKeys = [
  { key: 'maxPerDay', period: 'daily' },
  { key: 'maxPerWeek', period: 'weekly' },
  { key: 'maxPerMonth', period: 'monthly' },
  { key: 'maxTotal', period: 'alltime' },
] as const;

const capOf = (period: string) => integerField(0, maxContacts, `Maximum contacts ${period}.`);

const fields = {
  maxPerDay: capOf("per day in the tenant's time zone"),
  maxPerWeek: capOf("per week (Monday to Sunday) in the tenant's time zone"),
  maxPerMonth: capOf("per month in the tenant's time zone"),
  maxTotal: capOf('ever'),
  windows: windowsField,
  per: perField,
  withinCampaignId: textField('Count contacts of this campaign only.'),
  excludeCampaignIds: textsField('Campaigns whose contacts are not counted.'),
};

/** At most n contacts of the counted set per window (docs/design/api-catalogue.md 8.1 to 8.3). */
export const frequencyCap: PolicyKind = {
  ruleType: 'frequency_cap',
  fields,
  required: [],
  historyDays: daysOfLimits,
  check: (config) => parse(config).problems,
  remarks,
  compile(policy, scope, builder) {
    const { cap } = parse(policy.config);
    const { assignments } = scope;
    const { per, limits } = cap;
    const byCampaign = cap.withinCampaignId !== null || cap.excludeCampaignIds.length > 0;
    const counter = createCounter(
      {
        assignments,
        per,
        limits,
        countsLane: byCampaign ? (lanes, lane) => countsCampaign(cap, campaignOf(lanes, lane)) : null,
        countsItem: byCampaign ? ({ request }) => countsCampaign(cap, request.campaignId ?? null) : null,
      },
      builder,
    );
    return {
      role: 'block',
      final: false,
      bindsMandatory: true,
      needsCreative: per === 'creative' || per === 'channel',
      countsAll: false,
      reach: counter.reachOf,
      blocks: counter.isFull,
      explain(run, candidate) {
        const full = counter.full(run, candidate);
        if (full === null) return { reason: '', detail: null };
        const { limit, actual, word } = full;
        return {
          reason: `frequency_cap exceeded: ${limit.max}/${limit.word} at scope=${word}`,
          detail: { period: limit.period, max: limit.max, actual, ...limit.length },
        };
      },
      take: counter.take,
    };
  },
};

function parse(config: JsonObject): { readonly cap: Cap; readonly problems: ConfigReader['problems'] } {
  const reader = readConfig(config);
  const limits: CapLimit[] = [];
  for (const { key, period } of calendarKeys) {
    const max = reader.integer(key, fields[key]);
    if (max !== undefined) limits.push(calendarLimit(period, max));
  }
  limits.push(...readRolling(config.windows, reader));
  const withinCampaignId = reader.text('withinCampaignId');
  if (withinCampaignId === '') reader.refuse('withinCampaignId', 'must not be empty');
  const excludeCampaignIds = reader.texts('excludeCampaignIds');
  if (excludeCampaignIds?.length === 0) reader.refuse('excludeCampaignIds', 'must not be an empty list');
  const cap: Cap = {
    limits,
    per: reader.word('per', perWords) ?? 'scope',
    withinCampaignId: withinCampaignId ?? null,
    excludeCampaignIds: excludeCampaignIds ?? [],
  };
  reader.flag('bypassable');
  return { cap, problems: reader.problems };
}

function remarks(config: JsonObject): readonly ConfigRemark[] {
  const found = windowRemarks(config);
  if (parse(config).cap.limits.length === 0) {
    found.push({
      path: '',
      nearest: null,
      reason: 'No limit is set, so nothing is capped.',
      suggestion: `Set ${calendarKeys.map(({ key }) => key).join(', ')} or windows.`,
    });
  }
  return found;
}

/** `withinCampaignId` counts that campaign only; `excludeCampaignIds` counts contacts without campaign (docs/design/quality.md E18). */
function countsCampaign(cap: Cap, campaignId: string | null): boolean {
  if (cap.withinCampaignId !== null && campaignId !== cap.withinCampaignId) return false;
  return campaignId === null || cap.excludeCampaignIds.length === 0 || !cap.excludeCampaignIds.includes(campaignId);
}
