// Checks invariants 1, 5, 7 and 10 of docs/design/quality.md 5: governed records, their versions, and the audit chain.
// Knows the form of the chain only from docs/design/api-access.md 7.
import { createHash } from 'node:crypto';
import { ackOf, isUnknown, type Recorded } from '../recorded-load.ts';
import type { Evidence } from './checker.ts';

interface AuditRow {
  readonly id: string;
  readonly sequence: number;
  readonly tenantId: string;
  readonly timestamp: string;
  readonly userId: string;
  readonly userName: string;
  readonly requestId: string;
  readonly action: string;
  readonly entityType: string;
  readonly entityId: string;
  readonly entityName: string | null;
  readonly entityVersion: number | null;
  readonly changes: unknown;
  readonly before: unknown;
  readonly after: unknown;
  readonly prevHash: string;
  readonly integrityHash: string;
}

export async function checkAudit(evidence: Evidence): Promise<string[]> {
  const { query, calls } = evidence;
  const rows = await query<AuditRow>(`
    select id, sequence::int as sequence, tenant_id as "tenantId",
      to_char(timestamp at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as timestamp,
      user_id as "userId", user_name as "userName", request_id as "requestId", action, entity_type as "entityType",
      entity_id as "entityId", entity_name as "entityName", entity_version as "entityVersion", changes, before, after,
      prev_hash as "prevHash", integrity_hash as "integrityHash"
    from arbiter.audit_logs order by tenant_id, sequence`);
  const heads = await query<{ tenant_id: string; sequence: string; hash: string }>(
    'select tenant_id, sequence, hash from arbiter.audit_heads',
  );
  const found: string[] = [];
  const chains = Map.groupBy(rows, (row) => row.tenantId);
  if (heads.length !== chains.size) found.push(`${heads.length} heads for ${chains.size} chains`);
  for (const head of heads) {
    const chain = chains.get(head.tenant_id) ?? [];
    found.push(...checkChain(chain));
    const last = chain.at(-1);
    if (last?.sequence !== Number(head.sequence) || last.integrityHash !== head.hash) found.push('head_mismatch');
  }
  const offers = await query<Governed>('select id, name, version from arbiter.offers');
  const categories = await query<Governed>('select id, name, version from arbiter.categories');
  found.push(...checkVersions('offer', offers, rows), ...checkVersions('category', categories, rows));
  found.push(...checkCreates(calls, 'createOffer', offers), ...checkCreates(calls, 'createCategory', categories));
  found.push(...checkUpdates(calls, offers), ...checkPresence(calls, rows));
  found.push(...(await checkPublishes(evidence)));
  return found;
}

/** Checks that the sequence has no gap, and each link and hash. */
function checkChain(chain: readonly AuditRow[]): string[] {
  const found: string[] = [];
  let previous = '0'.repeat(64);
  for (const [i, row] of chain.entries()) {
    const { integrityHash, ...content } = row;
    if (row.sequence !== i + 1) found.push(`audit: sequence ${row.sequence} at place ${i + 1}`);
    if (row.prevHash !== previous) found.push(`audit: row ${row.sequence} does not follow the one before`);
    const hash = createHash('sha256').update(canonical(content), 'utf8').digest('hex');
    if (hash !== integrityHash) found.push(`audit: row ${row.sequence} was changed`);
    previous = integrityHash;
  }
  return found;
}

/** RFC 8785: members by UTF-16 code units, numbers and strings as ECMAScript writes them. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`;
}

interface Governed {
  readonly id: string;
  readonly name: string;
  readonly version: number;
}

/** Invariant 7: version = 1 + committed updates, and the audit rows form one chain of before and after. */
function checkVersions(entityType: string, records: readonly Governed[], rows: readonly AuditRow[]): string[] {
  const found: string[] = [];
  const ofEntity = Map.groupBy(
    rows.filter((row) => row.entityType === entityType),
    (row) => row.entityId,
  );
  for (const record of records) {
    const trail = ofEntity.get(record.id) ?? [];
    if (trail.length !== record.version) {
      found.push(`${entityType} ${record.name}: version ${record.version}, ${trail.length} audit rows`);
    }
    let before = canonical(null);
    for (const [i, row] of trail.entries()) {
      if (row.action !== (i === 0 ? 'create' : 'update')) found.push(`${entityType} ${record.name}: ${row.action}`);
      if (row.entityVersion !== i + 1) found.push(`${entityType} ${record.name}: audit row of ${row.entityVersion}`);
      if (canonical(row.before) !== before) found.push(`${entityType} ${record.name}: before is not the last after`);
      before = canonical(row.after);
    }
  }
  const known = new Set(records.map((record) => record.id));
  for (const id of ofEntity.keys())
    if (!known.has(id)) found.push(`audit rows of ${entityType} ${id}, which is not there`);
  return found;
}

/** Acknowledged: exists once, under the returned id. Refused: doesn't exist. Unknown: at most once. */
function checkCreates(calls: readonly Recorded[], kind: Recorded['kind'], records: readonly Governed[]): string[] {
  const found: string[] = [];
  const byName = Map.groupBy(records, (record) => record.name);
  for (const call of calls) {
    if (call.kind !== kind) continue;
    const there = byName.get(String(call.body.name)) ?? [];
    const ack = ackOf(call);
    if (ack !== undefined && (there.length !== 1 || there[0]!.id !== ack.body.id)) {
      found.push(`LOST or doubled ${kind} ${call.body.name}: ${there.length}`);
    }
    if (ack === undefined && !isUnknown(call) && there.length > 0)
      found.push(`refused ${kind} ${call.body.name} is there`);
    if (there.length > 1) found.push(`${kind} ${call.body.name} stands ${there.length} times`);
    if (call.identity !== null && isUnknown(call)) found.push(`${kind} ${call.identity} was never settled`);
  }
  return found;
}

/**
 * Each acknowledged update has its own version. The final version is between acknowledged and acknowledged + unknown.
 */
function checkUpdates(calls: readonly Recorded[], offers: readonly Governed[]): string[] {
  const found: string[] = [];
  const updates = Map.groupBy(
    calls.filter((call) => call.kind === 'updateOffer'),
    (call) => String(call.body.id),
  );
  for (const offer of offers) {
    const ofOffer = updates.get(offer.id) ?? [];
    const versions = ofOffer.flatMap((call) => ackOf(call)?.body.version ?? []);
    const unknown = ofOffer.filter(isUnknown).length;
    if (new Set(versions).size !== versions.length) found.push(`offer ${offer.name}: two updates made one version`);
    if (offer.version < 1 + versions.length || offer.version > 1 + versions.length + unknown) {
      found.push(
        `LOST update? offer ${offer.name}: version ${offer.version}, ${versions.length} acked, ${unknown} unknown`,
      );
    }
  }
  return found;
}

/**
 * Invariant 10: every acknowledged governed change has exactly one audit row of its request; a refused one has none.
 */
function checkPresence(calls: readonly Recorded[], rows: readonly AuditRow[]): string[] {
  const found: string[] = [];
  const byRequest = Map.groupBy(rows, (row) => row.requestId);
  for (const call of calls) {
    if (call.kind === 'recommend' || call.kind === 'respond') continue;
    const answer = call.answers.at(-1)!;
    const requestId = String(answer.headers['x-request-id'] ?? '');
    // A repeated response has the repeat's request id, but the effect belongs to the first.
    if (call.answers.length > 1 || requestId === '') continue;
    const there = byRequest.get(requestId)?.length ?? 0;
    const expected = ackOf(call) === undefined ? 0 : 1;
    if (answer.status < 500 && there !== expected) {
      found.push(`${call.kind} answered ${answer.status} left ${there} audit rows (request ${requestId})`);
    }
  }
  return found;
}

/** Invariant 5: published versions are 1..n, and the flow points to the last. */
async function checkPublishes({ query, calls }: Evidence): Promise<string[]> {
  const publishes = calls.filter((call) => call.kind === 'publish');
  const flowId = publishes[0]?.body.id;
  if (flowId === undefined) return [];
  const versions = await query<{ version: number }>(
    'select version from arbiter.flow_versions where flow_id = $1 order by version',
    [flowId],
  );
  const [flow] = await query<{ published_version: number }>(
    'select published_version from arbiter.decision_flows where id = $1',
    [flowId],
  );
  const found: string[] = [];
  if (versions.some(({ version }, i) => version !== i + 1)) found.push('published versions have a gap');
  if (flow?.published_version !== versions.length) found.push(`the flow points at version ${flow?.published_version}`);
  const acked = publishes.filter((call) => ackOf(call) !== undefined).length;
  const unknown = publishes.filter(isUnknown).length;
  if (versions.length < 1 + acked || versions.length > 1 + acked + unknown) {
    found.push(`LOST publish? ${versions.length} versions, ${acked} acked, ${unknown} unknown`);
  }
  return found;
}
