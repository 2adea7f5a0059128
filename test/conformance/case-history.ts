import type { ConformanceCase } from '../../packages/engine/test/conformance/case.ts';
import type { TestDatabase } from '../../packages/server/src/db/test-database.ts';
import { newId } from '../../packages/server/src/platform/ids.ts';
import type { Tools } from './case-catalogue.ts';
import type { CaseIds } from './case-ids.ts';
import { evidenceChanges } from './standing.ts';

/** Imports lines into the tenant's history; throws when one is refused. */
export type Import = (lines: readonly object[]) => Promise<void>;

const customerOf = ({ source }: ConformanceCase) => source.request?.customerId ?? 'C1';

/** Imports contacts and outcomes of the case. Creates creatives that only history names; they stay idle. */
export async function importHistory(read: ConformanceCase, now: number, tools: Tools, send: Import): Promise<void> {
  const { source, snapshot } = read;
  const { ids, create, post } = tools;
  const contacts = (source.contacts ?? []).filter(({ reservedUntil }) => reservedUntil === undefined);
  const told = [...contacts.map((row) => ({ ...row, outcome: 'impression' })), ...(source.outcomes ?? [])];
  const lines: object[] = [];
  for (const [at, row] of told.entries()) {
    const { offerId, outcome, campaignId } = row;
    const channelId = row.channelId ?? snapshot.channels[0]?.id ?? 'email';
    const wanted = row.creativeId ?? `${offerId}-c`;
    const known = snapshot.creatives.find((creative) => creative.id === wanted);
    const isThere = known?.offerId === offerId && known.channelId === channelId;
    const name = isThere ? wanted : `${wanted} of ${offerId} on ${channelId}`;
    if (!ids.has('creative', name)) {
      const idle = {
        name,
        offerId: ids.of('offer', offerId),
        channelId: ids.of('channel', channelId),
        status: 'paused',
      };
      ids.set('creative', name, await create('creatives', idle));
    }
    const line = {
      customerId: customerOf(read),
      outcome,
      creativeId: ids.of('creative', name),
      timestamp: row.at,
      ...(campaignId === undefined ? {} : { campaignId: ids.of('campaign', campaignId) }),
    };
    // Future dates aren't history, but can be reported as responses.
    if (Date.parse(row.at) > now) await post('respond', line);
    else lines.push({ key: `line ${at}`, ...line });
  }
  if (lines.length > 0) await send(lines);
}

/** Suppressions that were set by hand, while they still lay ahead. */
export async function suppress(read: ConformanceCase, { ids, create }: Tools): Promise<void> {
  for (const { scope = 'offer', scopeId = 'A', reason = 'manual', expiresAt } of read.source.suppressions ?? []) {
    const target = scope === 'global' ? {} : { scopeId: ids.of(scope, scopeId ?? '') };
    await create('suppressions', { customerId: customerOf(read), scope, ...target, reason, expiresAt });
  }
}

/** Writes the totals of all customers into the tables: over HTTP it would take thousands of responses. */
export async function writeTotals(
  read: ConformanceCase,
  ids: CaseIds,
  tenantId: string,
  database: TestDatabase,
  now: number,
): Promise<void> {
  const { source, snapshot } = read;
  const wholeTenant = '00000000-0000-0000-0000-000000000000';
  for (const {
    scope,
    scopeId,
    impressions = 0,
    spentCents = 0,
    dayImpressions = 0,
    daySpentCents = 0,
  } of source.volumes ?? []) {
    // A category's usage is the sum of its offers.
    const inside = snapshot.offers.find(({ categoryId, subCategoryId }) =>
      scope === 'category' ? categoryId === scopeId : scope === 'subcategory' && subCategoryId === scopeId,
    );
    const kind = scope === 'category' || scope === 'subcategory' ? 'offer' : scope;
    const subject = kind === 'global' || scopeId === null ? wholeTenant : ids.of(kind, inside?.id ?? scopeId);
    await database.ownerQuery(
      `insert into arbiter.volumes (tenant_id, kind, subject_id, impressions, spent_cents, day_impressions, day_spent_cents,
         day_at) values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict (tenant_id, kind, subject_id) do update set impressions = $4, spent_cents = $5, day_impressions = $6,
         day_spent_cents = $7, day_at = $8`,
      [tenantId, kind, subject, impressions, spentCents, dayImpressions, daySpentCents, new Date(now)],
    );
  }
  const changes = evidenceChanges(read);
  for (const [at, { offerId, categoryId, pair }] of changes.entries()) {
    const offer = offerId === null ? newId() : ids.of('offer', offerId);
    const category = categoryId === null ? null : ids.of('category', categoryId);
    await database.ownerQuery(
      `insert into arbiter.evidence_changes (tenant_id, number, offer_id, category_id, positives, negatives)
       values ($1, $2, $3, $4, $5, $6)`,
      [tenantId, at + 1, offer, category, ...pair],
    );
  }
  if (changes.length > 0) {
    await database.ownerQuery(
      `insert into arbiter.evidence_heads (tenant_id, number) values ($1, $2)
       on conflict (tenant_id) do update set number = $2`,
      [tenantId, changes.length],
    );
  }
  if (source.objectiveCounts === undefined) return;
  const counts = Object.entries(source.objectiveCounts).map(([id, row]) => [ids.of('offer', id), row]);
  await database.ownerQuery(
    `insert into arbiter.objective_counts (tenant_id, number, is_whole, body, made_at, checked_at)
     values ($1, 1, true, $2, $3, $3)`,
    [tenantId, JSON.stringify(Object.fromEntries(counts)), new Date(now)],
  );
}
