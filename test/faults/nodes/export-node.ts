// Exports one tenant's history again and again and reports each step, so that export-race.ts can kill it there.
// Arguments: URL of the database, folder of exports, tenant.
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase } from '../../../packages/server/src/db/index.ts';
import { exportHistory } from '../../../packages/server/src/features/operations/exports/exports.service.ts';
import { createPrivateFolder, type PrivateFolder } from '../../../packages/server/src/platform/private-folder.ts';

const [url, folder, tenantId] = process.argv.slice(2);
if (url === undefined || folder === undefined || tenantId === undefined)
  throw new Error('export-node <url> <folder> <tenant>');
const database = createDatabase({ url, poolMax: 2, acquireTimeoutMs: 20_000, statementTimeoutMs: 30_000 });
const files = createPrivateFolder(folder);
/** Pauses this long at each step, so that a kill can hit it. */
const stayMs = 20;

const exportFolder: PrivateFolder = {
  ...files,
  async write(path, bytes) {
    console.log('writing');
    await sleep(stayMs);
    await files.write(path, bytes);
    console.log('written');
    await sleep(stayMs);
  },
};
for (;;) {
  const { exported } = await exportHistory({ database, exportFolder }, tenantId);
  console.log(exported === 0 ? 'idle' : 'exported');
  if (exported === 0) await sleep(stayMs);
}
