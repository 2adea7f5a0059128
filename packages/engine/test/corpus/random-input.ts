import {
  type Contacts,
  type DecisionRequest,
  foldContacts,
  type Json,
  type LatestOutcome,
  type Plan,
  type PlanVolumes,
  type Snapshot,
  type VolumeCount,
  type ZoneClock,
} from '../../src/index.ts';
import type { Chance } from './chance.ts';
import { zones } from './random-plan.ts';
import { packContacts, type StoredCounts, type StoredEvidence, type StoredInput } from './record.ts';

/** 2026-03-20T00:00:00Z: a week before the clocks of Europe change. */
const firstInstant = 1_773_964_800_000;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Generates what one decision reads: anything that the server may pass to the engine. */
export function randomInput(
  chance: Chance,
  snapshot: Snapshot,
  plan: Plan,
  number: number,
  zoneClock: (zone: string, now: number) => ZoneClock,
): StoredInput {
  const now = firstInstant + chance.int(0, 270) * dayMs + chance.int(0, dayMs - 1);
  const profile = randomProfile(chance, plan);
  const own = typeof profile.zone === 'string' && plan.zoneFields.length > 0 ? [profile.zone] : [];
  const zones = Object.fromEntries([...plan.zones, ...own].map((zone) => [zone, zoneClock(zone, now)]));
  const tracked = snapshot.offers.filter(({ tracksStock }) => tracksStock).map(({ id }) => id);
  const request = randomRequest(chance, snapshot, number);
  return {
    now,
    seed: Array.from({ length: 8 }, () => chance.int(0, 65_535).toString(16).padStart(4, '0')).join(''),
    zones,
    request,
    known: chance.flip(0.8),
    profile,
    enriched: Object.fromEntries(
      plan.enrichSources.map(({ nodeId }) => [
        nodeId,
        [chance.flip(0.7) ? { key: 'A1', tier: chance.pick(['gold', 'basic']), limit: chance.int(0, 5000) } : null],
      ]),
    ),
    segments: chance.some(['vip', 'loyal', 'churned', 'left'], 0.08),
    contacts: packContacts(
      foldContacts(randomContacts(chance, snapshot, now), plan.windows, now, zones[plan.timezone]!, {
        longestCooldownMs: plan.longestCooldownMs,
      }),
    ),
    ...(plan.outcomeReads === null ? {} : { outcomes: randomOutcomes(chance, snapshot, now) }),
    suppressions: chance.flip(0.1) ? randomSuppressions(chance, snapshot, now) : [],
    ...(tracked.length > 0 ? { soldOut: chance.some(tracked, 0.4) } : {}),
    ...(plan.joinedSources.some(({ isMany }) => isMany) && chance.flip(0.1) ? { joinTruncated: true } : {}),
    ...(plan.reads.objectiveCounts ? { objectiveCounts: randomCounts(chance, snapshot) } : {}),
    ...(plan.volumes === null ? {} : { volumes: randomVolumes(chance, plan.volumes) }),
    evidence: randomEvidence(chance, snapshot, number),
    ...(chance.flip(0.06) ? { quotaLeft: chance.int(0, 3) } : {}),
  };
}

/** Volumes near their limits; the others are far from theirs. */
function randomVolumes(chance: Chance, { counted }: PlanVolumes): VolumeCount[] {
  const near = counted.filter(() => chance.flip(0.4));
  return near.map(({ scope, scopeId }) => {
    const dayImpressions = chance.int(0, 12);
    const daySpentCents = chance.int(0, 110);
    return {
      scope,
      scopeId,
      impressions: dayImpressions + chance.int(0, 10),
      spentCents: daySpentCents + chance.int(0, 40),
      dayImpressions,
      daySpentCents,
    };
  });
}

function randomRequest(chance: Chance, { channels, placements, offers, creatives }: Snapshot, number: number) {
  const request: DecisionRequest = {
    requestId: `0190a1b2-0000-7000-8000-${String(number).padStart(12, '0')}`,
    customerId: `C${chance.int(1, 400)}`,
    channel: chance.flip(0.35) ? chance.pick(channels).channelType : null,
    channelId: null,
    placement: null,
    placements: null,
    deduplicate: false,
    limit: chance.flip(0.6) ? chance.int(1, 10) : null,
    context: chance.flip(0.3) ? { page: chance.pick(['x', 'y']), n: chance.int(0, 9) } : {},
    segments: chance.some(['vip', 'card', 'travel'], 0.1),
    attributes: randomAttributes(chance, offers),
    locale: chance.pick([null, null, 'de-DE', 'en']),
    currency: chance.pick([null, null, 'EUR']),
    excludeOffers: chance.flip(0.15) ? chance.some(offers, 0.3).map(({ id }) => id) : [],
    excludeCreatives: chance.flip(0.15) ? chance.some(creatives, 0.3).map(({ id }) => id) : [],
    dryRun: chance.flip(0.1),
    ...(chance.flip(0.15) ? { campaignId: chance.pick(['k1', 'k2']) } : {}),
  };
  if (chance.flip(0.2)) return { ...request, channel: null, channelId: chance.pick(channels).id };
  if (placements.length === 0) return request;
  if (chance.flip(0.25)) {
    const placement = chance.pick(placements);
    const name = chance.pick([placement.id, placement.key, placement.name, placement.slotType]);
    return { ...request, channel: null, placement: name };
  }
  if (!chance.flip(0.4)) return request;
  const wanted = chance.some(placements, 0.7);
  if (wanted.length === 0) return request;
  const off = chance.flip(0.1) ? [{ placementId: 'p-off', limit: null }] : [];
  return {
    ...request,
    channel: null,
    placements: [
      ...wanted.map(({ id }) => ({ placementId: id, limit: chance.flip(0.4) ? chance.int(1, 3) : null })),
      ...off,
    ],
    deduplicate: chance.flip(0.5),
  };
}

function randomAttributes(chance: Chance, offers: Snapshot['offers']): Record<string, Json> {
  const attributes: Record<string, Json> = {};
  if (chance.flip(0.4)) attributes.page = chance.pick(['home', 'checkout', 'a "b" <c>']);
  if (chance.flip(0.3)) attributes.first_name = chance.pick(['Änne', "O'Neil & Sons", '<i>', '']);
  if (chance.flip(0.2)) attributes.interests = chance.some(['card', 'vip', 'loan'], 0.5);
  if (chance.flip(0.2)) attributes.most = chance.int(0, 100);
  if (chance.flip(0.25)) {
    const scores: Record<string, Json> = {};
    for (const { id } of chance.some(offers, 0.4)) scores[id] = chance.pick<Json>([0.91, 0.2, 0, 1, 3, -1, 'no']);
    attributes.propensityScores = scores;
  }
  return attributes;
}

function randomProfile(chance: Chance, plan: Plan): Record<string, Json> {
  const values: Readonly<Record<string, () => Json>> = {
    age: () => chance.int(17, 80),
    job: () => chance.pick(['cook', 'nurse', 'Lokführer', null]),
    account_id: () => 'A1',
    preferred_channel: () => chance.pick(['email', 'ch-web', 'smoke']),
    preferred_product_type: () => chance.pick(['card', 'LOAN']),
    interests: () => chance.some(['card', 'Travel', 'vip'], 0.5),
    balance: () => chance.int(-500, 500_000) / 100,
    zone: () => chance.pick([...zones, 'Europe/Berlin', 7]),
    purchases_count: () => chance.int(0, 6),
    purchases_amount_sum: () => chance.int(0, 90_000) / 100,
    joined: () => `20${chance.int(10, 26)}-0${chance.int(1, 9)}-1${chance.int(0, 9)}`,
  };
  const profile: Record<string, Json> = {};
  for (const name of plan.profileFields) {
    const value = values[name];
    if (value !== undefined && chance.flip(0.8)) profile[name] = value();
  }
  return profile;
}

function randomOutcomes(chance: Chance, { offers, creatives }: Snapshot, now: number): LatestOutcome[] {
  return Array.from({ length: chance.pick([0, 1, 2, 5]) }, () => {
    const creative = creatives.length > 0 && chance.flip(0.8) ? chance.pick(creatives) : null;
    return {
      key: chance.pick(['click', 'dismiss', 'convert', 'impression']),
      lane: {
        offerId: creative?.offerId ?? chance.pick(offers).id,
        creativeId: creative?.id ?? null,
        channelId: creative?.channelId ?? null,
        campaignId: chance.flip(0.2) ? 'k1' : null,
      },
      at: now - chance.pick([hourMs, 2 * dayMs, 6 * dayMs, 15 * dayMs, 29 * dayMs]) + chance.int(0, hourMs),
    };
  });
}

export function randomContacts(chance: Chance, { offers, creatives }: Snapshot, now: number): Contacts {
  const lanes = Array.from({ length: chance.pick([0, 0, 1, 3, 6, 10]) }, () => {
    const creative = creatives.length > 0 && chance.flip(0.9) ? chance.pick(creatives) : null;
    const campaignId = chance.flip(0.2) ? 'k1' : null;
    if (creative === null)
      return {
        offerId: chance.flip(0.2) ? 'gone' : chance.pick(offers).id,
        creativeId: null,
        channelId: null,
        campaignId,
      };
    return { offerId: creative.offerId, creativeId: creative.id, channelId: creative.channelId, campaignId };
  });
  const log = lanes.flatMap((_, lane) =>
    Array.from({ length: chance.int(0, 4) }, () => ({
      lane,
      at: now - chance.pick([hourMs, 3 * hourMs, dayMs, 4 * dayMs, 20 * dayMs, 45 * dayMs]) + chance.int(0, hourMs),
    })).filter(({ at }) => at <= now),
  );
  log.sort((a, b) => a.at - b.at);
  const own = (lane: number) => log.filter((entry) => entry.lane === lane);
  return {
    lanes,
    totals: lanes.map((_, lane) => own(lane).length + chance.pick([0, 0, 5])),
    lastAt: lanes.map((_, lane) => own(lane).at(-1)?.at ?? Number.NEGATIVE_INFINITY),
    log,
    keptFrom: 0,
    reservations: lanes.flatMap((_, lane) =>
      chance.flip(0.15)
        ? [{ id: `r${lane}`, lane, at: now - 600_000, expiresAt: now + chance.pick([-1, 600_000]) }]
        : [],
    ),
  };
}

function randomSuppressions(chance: Chance, { offers, categories }: Snapshot, now: number) {
  const scope = chance.pick(['global', 'offer', 'offer', 'offer', 'category'] as const);
  const expiresAt = now + chance.pick([-1, hourMs, 40 * dayMs]);
  const one = (scopeId: string) => ({
    scope,
    scopeId,
    policyId: chance.flip(0.3) ? 'policy0' : null,
    reason: 'manual',
    expiresAt,
  });
  if (scope === 'global') return [one('global')];
  return scope === 'category' ? [one(chance.pick(categories).id)] : chance.some(offers, 0.3).map(({ id }) => one(id));
}

function randomEvidence(chance: Chance, { offers, categories }: Snapshot, number: number): StoredEvidence {
  const pair = (most: number) => [chance.int(0, most), chance.int(0, most * 3)] as const;
  return {
    number,
    offers: Object.fromEntries(chance.some(offers, 0.5).map(({ id }) => [id, pair(chance.pick([2, 12, 60]))])),
    categories: Object.fromEntries(chance.some(categories, 0.6).map(({ id }) => [id, pair(40)])),
    global: chance.flip(0.8) ? pair(500) : [0, 0],
  };
}

function randomCounts(chance: Chance, { offers }: Snapshot): StoredCounts {
  const counted = chance.some(offers, 0.7).map(({ id }) => {
    const impressions = chance.int(0, 500);
    const positives = chance.int(0, impressions);
    const counts = {
      impressions,
      positives,
      converts: chance.int(0, positives),
      impressions7: chance.int(0, impressions),
    };
    return [id, counts] as const;
  });
  const impressions7 = counted.reduce((sum, [, counts]) => sum + counts.impressions7, chance.int(0, 50));
  return { number: chance.int(1, 9), impressions7, offers: Object.fromEntries(counted) };
}
