import { columns, select, table } from '../../../db/columns.ts';
import type { Tx } from '../../../db/tx.ts';

const channelSecrets = table('channel_secrets');

/** Returns the paths of a channel's secrets. */
export async function selectSecretPaths(tx: Tx, channelId: string): Promise<ReadonlySet<string>> {
  const rows = await select(
    tx,
    columns(channelSecrets, ['path']),
    'from arbiter.channel_secrets where tenant_id = $1 and channel_id = $2',
    [tx.tenantId, channelId],
  );
  return new Set(rows.map(({ path }) => path));
}

/** Deletes the channel's secrets except those at the paths of `kept`, and stores the given ones. */
export async function replaceSecrets(
  tx: Tx,
  channelId: string,
  kept: readonly string[],
  secrets: readonly { readonly path: string; readonly sealed: Uint8Array }[],
): Promise<void> {
  await tx.query(
    'delete from arbiter.channel_secrets where tenant_id = $1 and channel_id = $2 and path <> all($3::text[])',
    [tx.tenantId, channelId, kept],
  );
  if (secrets.length === 0) return;
  await tx.query(
    `insert into arbiter.channel_secrets (tenant_id, channel_id, path, sealed)
     select $1, $2, path, decode(sealed, 'base64') from unnest($3::text[], $4::text[]) as given (path, sealed)`,
    [
      tx.tenantId,
      channelId,
      secrets.map(({ path }) => path),
      secrets.map(({ sealed }) => Buffer.from(sealed).toString('base64')),
    ],
  );
}

/** Returns the sealed secrets of a channel by path. */
export async function selectSecrets(tx: Tx, channelId: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const rows = await select(
    tx,
    columns(channelSecrets, ['path', 'sealed']),
    'from arbiter.channel_secrets where tenant_id = $1 and channel_id = $2',
    [tx.tenantId, channelId],
  );
  return new Map(rows.map(({ path, sealed }) => [path, sealed]));
}
