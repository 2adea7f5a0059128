import { columns, type RowOf, select, table } from '../../../db/columns.ts';
import { numberArray, type Tx, uuidArray } from '../../../db/index.ts';
import {
  applyChange,
  type EvidenceChange,
  type EvidenceSnapshot,
  type EvidenceState,
  emptyEvidence,
  evidenceFromJson,
  evidenceToJson,
} from './evidence.ts';

/** Changes after a snapshot before the next one is written. */
export const snapshotEvery = 5_000;
/** Changes read at once: the event loop has other work to do between two readings. */
const readAtOnce = 2_000;

const changeColumns = columns(table('evidence_changes'), [
  'number',
  'offerId',
  'categoryId',
  'channelId',
  'positives',
  'negatives',
]);
const toChange = (row: RowOf<typeof changeColumns>): EvidenceChange => ({ ...row, number: Number(row.number) });

const snapshotColumns = columns(table<'evidence_snapshots', { body: EvidenceSnapshot }>('evidence_snapshots'), [
  'number',
  'body',
]);

/**
 * Writes changes and numbers them under the tenant's head row, without gaps, in commit order. Call it last in the
 * transaction, because the row is locked until the commit.
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

/** Changes after a number, in order, few enough for a short read; `more` when there may be others. */
async function changesAfter(tx: Tx, number: number): Promise<{ changes: EvidenceChange[]; more: boolean }> {
  const rows = await select(
    tx,
    changeColumns,
    'from evidence_changes where tenant_id = $1 and number > $2 order by number limit $3',
    [tx.tenantId, number, readAtOnce],
  );
  return { changes: rows.map(toChange), more: rows.length === readAtOnce };
}

/** Rebuilds the state of a number (null: the newest) from the last snapshot at or below it and the changes after. */
export async function rebuildEvidence(tx: Tx, upTo: number | null): Promise<EvidenceState> {
  const [snapshot] = await select(
    tx,
    snapshotColumns,
    'from evidence_snapshots where tenant_id = $1 and number <= $2 order by number desc limit 1',
    [tx.tenantId, upTo ?? Number.MAX_SAFE_INTEGER],
  );
  const state = snapshot ? evidenceFromJson(Number(snapshot.number), snapshot.body) : emptyEvidence();
  await readOn(tx, state, (change) => {
    const isWanted = upTo === null || change.number <= upTo;
    if (isWanted) applyChange(state, change);
    return isWanted;
  });
  return state;
}

/**
 * Passes on the changes after a state, which `apply` advances, until there are none left or `apply` returns false.
 * Others may advance the state in the meantime.
 */
export async function readOn(tx: Tx, state: EvidenceState, apply: (change: EvidenceChange) => boolean): Promise<void> {
  for (;;) {
    const { changes, more } = await changesAfter(tx, state.number);
    for (const change of changes) if (!apply(change)) return;
    if (!more) return;
  }
}

/** Writes a snapshot after enough changes since the last one. */
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

/** SQL: the number of the tenant's ($1) newest evidence, 0 without any; for statements that read it along the way. */
export const evidenceNumber = 'coalesce((select number from evidence_heads where tenant_id = $1), 0)';

/**
 * Gives the empty evidence of a reset tenant the next number. No change leads to it, so every process reloads the state
 * (evidence-keeper.ts).
 */
export async function beginEvidenceAnew(tx: Tx): Promise<void> {
  const [head] = await tx.query<{ number: string }>(
    'update evidence_heads set number = number + 1 where tenant_id = $1 returning number',
    [tx.tenantId],
  );
  if (head === undefined) return;
  const body = JSON.stringify(evidenceToJson({ ...emptyEvidence(), number: Number(head.number) }));
  await tx.query('insert into evidence_snapshots (tenant_id, number, body, created_at) values ($1, $2, $3, $4)', [
    tx.tenantId,
    head.number,
    body,
    tx.now,
  ]);
}
