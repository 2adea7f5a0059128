import type { ImpactPreview, ImpactPreviewRequest, PreviewScope } from '@arbiter/contract';
import { readConfig } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';
import { invalid, refuseProblems } from '../../../platform/app-error.ts';
import { asJsonObject } from '../../../platform/json.ts';
import { readRelated, requireLive } from '../../catalogue/catalogue-records/index.ts';
import { hasOutcomeType } from '../../catalogue/outcomes/index.ts';
import { remarkArchived } from '../archived-months/index.ts';
import { previewCap, selectOffersSeen } from '../interactions/index.ts';
import { mean, percent, type SegmentMembers, topSegments } from './figures.rules.ts';

/** Port: the active segments and which of the customers are in each. */
export type SegmentsAmong = (tx: Tx, customerIds: readonly string[]) => Promise<readonly SegmentMembers[]>;

const dayMs = 86_400_000;

const nothing: ImpactPreview = {
  supported: false,
  totalCustomersAnalyzed: 0,
  customersAffected: 0,
  affectedPercent: 0,
  offersSuppressed: {},
  avgOffersBeforePolicy: 0,
  avgOffersAfterPolicy: 0,
  topAffectedSegments: [],
};

/** What a frequency cap would have done (docs/design/api-catalogue.md 8.5). Writes nothing. */
export async function previewImpact(
  tx: Tx,
  body: ImpactPreviewRequest,
  segmentsAmong: SegmentsAmong,
): Promise<ImpactPreview> {
  const { policyType, scope = 'global', sampleSize = 1000 } = body;
  const scopeId = scope === 'global' ? null : (body.scopeId ?? null);
  if (scope !== 'global' && scopeId === null) throw invalid('/scopeId', `is required for scope ${scope}`);
  const cap = policyType === 'frequency_cap' ? readCap(body.config) : null;
  if (cap !== null && !(await hasOutcomeType(tx, cap.outcomeType))) {
    throw invalid('/config/outcomeType', 'must be an existing outcome type');
  }
  if (scope !== 'global' && scopeId !== null) await requireLive(tx, scope, scopeId, '/scopeId');
  if (cap === null) return nothing;

  const until = tx.now;
  const since = new Date(until.getTime() - cap.periodDays * dayMs);
  await remarkArchived(tx, ['interactions', 'impressions'], { from: since, to: until }, 'the projection leaves out');
  const found = await previewCap(tx, {
    since,
    until,
    outcomeKey: cap.outcomeType,
    offerIds: await offersIn(tx, scope, scopeId, since, until),
    channelId: scope === 'channel' ? scopeId : null,
    sampleSize,
    most: cap.maxFrequency,
  });
  const { customers, affected, rows, suppressed, byOffer } = found;
  const segments = affected.length === 0 ? [] : await segmentsAmong(tx, customers);
  return {
    supported: true,
    totalCustomersAnalyzed: customers.length,
    customersAffected: affected.length,
    affectedPercent: percent(affected.length, customers.length),
    offersSuppressed: await byName(tx, byOffer),
    avgOffersBeforePolicy: mean(rows, customers.length),
    avgOffersAfterPolicy: mean(rows - suppressed, customers.length),
    topAffectedSegments: topSegments(segments, new Set(affected)),
  };
}

function readCap(config: Readonly<Record<string, unknown>>) {
  const reader = readConfig(asJsonObject(config));
  const maxFrequency = reader.integer('maxFrequency', { minimum: 1, maximum: 1_000_000 });
  const periodDays = reader.integer('periodDays', { minimum: 1, maximum: 365 });
  const outcomeType = reader.text('outcomeType');
  if (outcomeType === '') reader.refuse('outcomeType', 'must not be empty');
  for (const [key, value] of Object.entries({ maxFrequency, periodDays, outcomeType })) {
    const isTold = reader.problems.some(({ path }) => path === `/${key}`);
    if (value === undefined && !isTold) reader.refuse(key, 'is required');
  }
  refuseProblems(reader.problems.map(({ path, message }) => ({ path: `/config${path}`, message })));
  return { maxFrequency: maxFrequency ?? 1, periodDays: periodDays ?? 1, outcomeType: outcomeType ?? '' };
}

/** Offers whose rows are in scope, deleted ones included; a category has those that are in it now. Null: any. */
async function offersIn(
  tx: Tx,
  scope: PreviewScope,
  scopeId: string | null,
  since: Date,
  until: Date,
): Promise<readonly string[] | null> {
  if (scopeId === null || scope === 'channel' || scope === 'global') return null;
  if (scope === 'offer') return [scopeId];
  const seen = await readRelated(tx, 'offer', await selectOffersSeen(tx, since, until), ['categoryId']);
  return [...seen.values()].flatMap(({ id, categoryId }) => (categoryId === scopeId.toLowerCase() ? [id] : []));
}

async function byName(
  tx: Tx,
  rows: readonly { readonly offerId: string | null; readonly suppressed: number }[],
): Promise<Record<string, number>> {
  const offers = await readRelated(
    tx,
    'offer',
    rows.map(({ offerId }) => offerId),
    ['name'],
  );
  // A name may be __proto__.
  const counts = new Map<string, number>();
  for (const { offerId, suppressed } of rows) {
    const name = offerId === null ? undefined : offers.get(offerId)?.name;
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + suppressed);
  }
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}
