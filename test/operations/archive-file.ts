import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemActor } from '../../packages/server/src/db/index.ts';
import {
  archiveContext,
  insertPart,
  namesOf,
  pathOf,
  sealPart,
  setState,
} from '../../packages/server/src/features/deciding/archived-months/index.ts';
import { archivedHistory } from '../../packages/server/src/features/deciding/interactions/index.ts';
import { createSeal } from '../../packages/server/src/features/deciding/sealed-records/index.ts';
import { draftPart } from '../../packages/server/src/features/operations/archive/part-file.ts';
import { type TestServer, testLoadPorts } from '../../packages/server/src/main/test-server.ts';
import { createFolderArchive } from '../../packages/server/src/platform/archive/archive-files.ts';
import { idAt, newId } from '../../packages/server/src/platform/ids.ts';

/** ARCHIVE_URL of the servers whose tenants have archived files. */
export const archiveFolder = join(tmpdir(), `arbiter-archive-${newId()}`);

/** Archives one row of history that was never in the database. */
export async function archiveFile(server: TestServer, tenantId: string): Promise<{ id: string; month: string }> {
  const kind = archivedHistory.find(({ name }) => name === 'impressions');
  if (kind === undefined) throw new Error('impressions are archived');
  const at = Date.UTC(2026, 4, 20);
  const part = { id: newId(), kind: kind.name, month: '2026-05', zone: 'UTC', exported: false };
  const row = { id: `${idAt(at).slice(0, 34)}00`, offerId: newId() };
  const { keys } = testLoadPorts;
  return server.database.withTenant(tenantId, systemActor('test'), async (tx) => {
    const names = await namesOf(tx, ['C-1'], part.month, () => keys.create(tenantId));
    const name = names.get('C-1');
    if (name === undefined) throw new Error('a customer has a name');
    const draft = await draftPart(kind, tenantId, part);
    draft.add([
      {
        id: row.id,
        customerRef: name.ref,
        plain: { occurred_at: new Date(at).toISOString(), offer_ids: [row.offerId] },
        sealed: createSeal()(
          keys.open(tenantId, name.dataKey),
          archiveContext(tenantId, row.id),
          '{"customer_seq": 1}',
        ),
      },
    ]);
    const finished = draft.finish();
    await createFolderArchive(archiveFolder).write(pathOf(tenantId, part), finished.bytes);
    await insertPart(tx, part);
    await sealPart(tx, part.id, { ...finished, bytes: finished.bytes.length });
    await setState(tx, part.id, 'archived');
    return { id: part.id, month: part.month };
  });
}
