import { type ImportAnswer, importBatch, importErrors, largestImportLine } from '@arbiter/contract';
import type { Database } from '../../../db/index.ts';
import type { RequestFacts } from '../../../http/handler.ts';
import { type Lease, releaseLease, takeLease } from '../../../jobs/index.ts';
import { newId } from '../../../platform/ids.ts';
import { type RawLine, readLines } from '../../../platform/lines.ts';
import { takeTurns } from '../../../platform/turns.ts';
import { type BatchPorts, type BatchResult, prepareBatch, writeBatch } from './batch.service.ts';
import { type ImportedEvent, isLineError, type LineError, type ReadLine } from './line.rules.ts';

export interface HistoryImportPorts extends BatchPorts {
  readonly database: Database;
  /** Waits for some ms. */
  readonly pause: (ms: number) => Promise<void>;
}

/** How often an import that waits for another one looks whether that has ended. */
const lookAgainMs = 200;
/** How often the lease is renewed, well within its life. */
const renewMs = 4_000;

/**
 * Imports the lines of a file in batches, in order (docs/design/api-settled.md 10, 110). Each batch is committed before the
 * next begins, and what was committed is a duplicate for whoever sends the file again. Rejects when the body breaks off;
 * the batches before stay.
 */
export async function importHistory(
  ports: HistoryImportPorts,
  readLine: ReadLine,
  request: RequestFacts,
  body: AsyncIterable<Uint8Array>,
): Promise<ImportAnswer> {
  const { tenantId } = request;
  const turn = await takeTurn(ports, tenantId);
  const importId = newId();
  const sum = { received: 0, imported: 0, duplicates: 0, rejected: 0 };
  const errors: LineError[] = [];
  const importLines = async (lines: readonly RawLine[]): Promise<void> => {
    await turn.renew();
    const { imported, duplicates, rejected } = await importOne(ports, readLine, request, importId, lines);
    sum.received += lines.length;
    sum.imported += imported;
    sum.duplicates += duplicates;
    sum.rejected += rejected.length;
    errors.push(...rejected.slice(0, importErrors - errors.length));
  };
  try {
    let waiting: RawLine[] = [];
    for await (const line of readLines(body, largestImportLine)) {
      waiting.push(line);
      if (waiting.length < importBatch) continue;
      await importLines(waiting);
      waiting = [];
    }
    if (waiting.length > 0) await importLines(waiting);
    return { ...sum, errors };
  } finally {
    await turn.end();
  }
}

/** The right to import for the tenant, for which an import waits while another one has it; on any node. */
async function takeTurn({ database, pause }: HistoryImportPorts, tenantId: string) {
  const [name, holder] = [`history-import:${tenantId}`, newId()];
  let renewedAt = 0;
  const take = async (): Promise<Lease> => {
    for (;;) {
      const lease = await database.withSystem('history-import', (tx) => takeLease(tx, name, holder));
      renewedAt = performance.now();
      if (lease !== null) return lease;
      await pause(lookAgainMs);
    }
  };
  let lease = await take();
  return {
    async renew(): Promise<void> {
      if (performance.now() - renewedAt >= renewMs) lease = await take();
    },
    end: () => database.withSystem('history-import', (tx) => releaseLease(tx, lease)),
  };
}

/** One batch: its lines are read, then looked up, then written. */
async function importOne(
  ports: HistoryImportPorts,
  readLine: ReadLine,
  { tenantId, actor, requestId }: RequestFacts,
  importId: string,
  lines: readonly RawLine[],
): Promise<BatchResult> {
  const now = await ports.database.withTenant(tenantId, actor, async (tx) => tx.now.getTime(), { requestId });
  const turns = takeTurns();
  const events: ImportedEvent[] = [];
  const refused: LineError[] = [];
  for (const line of lines) {
    const read = readLine(line, now);
    if (isLineError(read)) refused.push(read);
    else events.push(read);
    await turns();
  }
  for (;;) {
    const prepared = await ports.database.withTenant(tenantId, actor, (tx) => prepareBatch(tx, ports, events), {
      requestId,
    });
    const written = await ports.database.withTenant(
      tenantId,
      actor,
      (tx) => writeBatch(tx, ports, prepared, importId),
      { requestId },
    );
    // A customer was erased since the batch was looked up.
    if (written === 'again') continue;
    const rejected = [...refused, ...written.rejected].sort((a, b) => a.line - b.line);
    return { ...written, rejected };
  }
}
