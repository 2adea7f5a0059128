import type { Database } from '../../../db/index.ts';
import { systemActor } from '../../../db/index.ts';
import { orAborted } from '../../../platform/deadline.ts';
import { rest } from '../../../platform/turns.ts';
import type { JsonValue } from '../../catalogue/schemas/index.ts';
import type { SourceBatch, SourceReader } from '../connectors/index.ts';
import { Superseded } from './end-run.service.ts';
import { selectRun } from './runs.store.ts';
import { sourceFailure } from './source-errors.rules.ts';

/** How often a run checks that it is still this process's, also while its source hangs. */
const watchMs = 500;

/** Aborts when the run was cancelled or another process took it. Call `stop` at the end. */
export function watchRun(
  database: Database,
  tenantId: string,
  { id, token }: { readonly id: string; readonly token: number },
): { readonly signal: AbortSignal; stop(): void } {
  const controller = new AbortController();
  let isOver = false;
  const watch = async (): Promise<void> => {
    while (!isOver) {
      await rest(watchMs);
      if (isOver) return;
      const run = await database
        .withTenant(tenantId, systemActor('pipeline'), (tx) => selectRun(tx, id))
        .catch(() => undefined);
      // The database may be back at the next check. Until then, no batch can commit either.
      if (run === undefined) continue;
      if (run === null || run.status !== 'running' || run.token !== token) {
        controller.abort(new Superseded());
        return;
      }
    }
  };
  void watch();
  return {
    signal: controller.signal,
    stop() {
      isOver = true;
    },
  };
}

/**
 * Yields the batches of a source, and reads one ahead. Ends with the signal's reason when the signal aborts, also if the
 * source hangs. Throws `SourceFailed`.
 */
export async function* readSource(
  reader: SourceReader,
  options: { readonly cursor: JsonValue | null; readonly signal: AbortSignal; readonly rowLimit: number },
): AsyncGenerator<SourceBatch, void, undefined> {
  const { signal } = options;
  const source = reader.read(options)[Symbol.asyncIterator]();
  const readNext = (): Promise<IteratorResult<SourceBatch>> => {
    const next = source.next();
    // The error is thrown where the batch is awaited.
    next.catch(() => undefined);
    return next;
  };
  try {
    signal.throwIfAborted();
    for (let next = readNext(); ; ) {
      const batch = await orAborted(next, signal).catch((error: unknown) => {
        throw signal.aborted ? signal.reason : sourceFailure(error);
      });
      if (batch.done) return;
      next = readNext();
      yield batch.value;
    }
  } finally {
    // Not awaited: a source that hangs never returns. Its result no longer matters.
    source.return?.().catch(() => undefined);
  }
}
