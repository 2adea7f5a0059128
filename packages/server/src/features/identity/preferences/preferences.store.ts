import type { Preferences } from '@arbiter/contract';
import { columns, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';

const valueColumn = columns(table<'user_preferences', { value: Preferences }>('user_preferences'), ['value']);

/** What the person has set; undefined: nothing. `userId` is a UUID. */
export async function selectPreferences(tx: Tx, userId: string): Promise<Preferences | undefined> {
  const [row] = await select(tx, valueColumn, 'from arbiter.user_preferences where tenant_id = $1 and user_id = $2', [
    tx.tenantId,
    userId,
  ]);
  return row?.value;
}

export async function upsertPreferences(tx: Tx, userId: string, value: Preferences): Promise<void> {
  await tx.query(
    `insert into arbiter.user_preferences (tenant_id, user_id, value) values ($1, $2, $3::json)
     on conflict (tenant_id, user_id) do update set value = excluded.value`,
    [tx.tenantId, userId, JSON.stringify(value)],
  );
}
