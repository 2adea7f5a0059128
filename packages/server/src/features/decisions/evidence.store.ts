import { numberArray, type Tx, uuidArray } from '../../db/index.ts';
import {
  applyChange,
  type EvidenceChange,
  type EvidenceSnapshot,
  type EvidenceState,
  emptyEvidence,
  evidenceFromJson,
  evidenceToJson,
} from './evidence.ts';

/** How many changes may follow a snapshot before the next one is written. */
const snapshotEvery = 5_000;

interface ChangeRow {
  number: number;
  offer_id: string;
  category_id: string | null;
  channel_id: string | null;
  positives: number;
  negatives: number;
}

const toChange = (row: ChangeRow): EvidenceChange => ({
  number: Number(row.number),
  offerId: row.offer_id,
  categoryId: row.category_id,
  channelId: row.channel_id,
  positives: row.positives,
  negatives: row.negatives,
});

/**
 * Writes changes and gives them their numbers, under the tenant's head row: numbers have no gap and grow in commit
 * order. Call it last in the transaction, since the row is held until the commit.
 */
export async function appendChanges(
  tx: Tx,
  changes: readonly Omit<EvidenceChange, 'number'>[],
): Promise<EvidenceChange[]> {
  if (changes.length === 0) return [];
  const [head] = await tx.query<{ number: number }>(
    `insert into evidence_heads as h (tenant_id, number) values ($1, $2)
     on conflict (tenant_id) do update set number = h.number + $2 returning number`,
    [tx.tenantId, changes.length],
  );
  const first = Number(head!.number) - changes.length + 1;
  const numbered = changes.map((change, i) => ({ ...change, number: first + i }));
  await tx.query(
    `insert into evidence_changes (tenant_id, number, offer_id, category_id, channel_id, positives, negatives)
     select $1, u.* from unnest($2::bigint[], $3::uuid[], $4::uuid[], $5::uuid[], $6::int[], $7::int[])
       as u(number, offer_id, category_id, channel_id, positives, negatives)`,
    [
      tx.tenantId,
      numberArray(numbered.map((c) => c.number)),
      uuidArray(numbered.map((c) => c.offerId)),
      uuidArray(numbered.map((c) => c.categoryId)),
      uuidArray(numbered.map((c) => c.channelId)),
      numberArray(numbered.map((c) => c.positives)),
      numberArray(numbered.map((c) => c.negatives)),
    ],
  );
  return numbered;
}

/** Changes after a number, in order; at most `limit`. */
export async function changesAfter(tx: Tx, number: number, limit = 50_000): Promise<EvidenceChange[]> {
  const rows = await tx.query<ChangeRow>(
    `select number, offer_id, category_id, channel_id, positives, negatives from evidence_changes
     where tenant_id = $1 and number > $2 order by number limit $3`,
    [tx.tenantId, number, limit],
  );
  return rows.map(toChange);
}

/** Rebuilds the state of a number (null: the newest) from the last snapshot at or below it and the changes after. */
export async function rebuildEvidence(tx: Tx, upTo: number | null): Promise<EvidenceState> {
  const [snapshot] = await tx.query<{ number: number; body: EvidenceSnapshot }>(
    `select number, body from evidence_snapshots where tenant_id = $1 and number <= $2 order by number desc limit 1`,
    [tx.tenantId, upTo ?? Number.MAX_SAFE_INTEGER],
  );
  const state = snapshot ? evidenceFromJson(Number(snapshot.number), snapshot.body) : emptyEvidence();
  for (;;) {
    const changes = await changesAfter(tx, state.number);
    for (const change of changes) {
      if (upTo !== null && change.number > upTo) return state;
      applyChange(state, change);
    }
    if (changes.length < 50_000) return state;
  }
}

/** Writes a snapshot when enough changes have gone by since the last one. */
export async function snapshotWhenDue(tx: Tx, state: EvidenceState): Promise<void> {
  if (state.number < snapshotEvery) return;
  const [last] = await tx.query<{ number: number | null }>(
    'select max(number) as number from evidence_snapshots where tenant_id = $1',
    [tx.tenantId],
  );
  if (state.number - Number(last?.number ?? 0) < snapshotEvery) return;
  await tx.query(
    `insert into evidence_snapshots (tenant_id, number, body, created_at) values ($1, $2, $3, $4) on conflict do nothing`,
    [tx.tenantId, state.number, JSON.stringify(evidenceToJson(state)), tx.now],
  );
}
