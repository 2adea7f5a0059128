import type { RowsImportEvent, ServerSentEvent } from '@arbiter/contract';
import { problemOf, toAppError } from '../../../../http/answers/problem.ts';
import type { InsertedRows } from '../rows/rows.service.ts';
import type { ImportProgress } from './import-rows.service.ts';

type ImportEvent = ServerSentEvent & { readonly data: RowsImportEvent };

/**
 * Yields an import's progress as often as the reader takes events, then `done` with the answer or `failed` with the
 * problem. When the client disconnects, the import of a file stops; JSON rows are still stored.
 */
export async function* importEvents(
  requestId: string,
  begin: (onProgress: (progress: ImportProgress) => void) => Promise<InsertedRows>,
): AsyncGenerator<ImportEvent> {
  let newest: ImportProgress | null = null;
  let last: ImportEvent | null = null;
  let wake = (): void => undefined;
  const end = (event: ImportEvent): void => {
    last = event;
    wake();
  };
  begin((progress) => {
    newest = progress;
    wake();
  }).then(
    (data) => end({ event: 'done', data }),
    (error: unknown) => end({ event: 'failed', data: problemOf(toAppError(error), requestId) }),
  );
  for (;;) {
    const progress = takeProgress();
    if (progress !== null) yield { event: 'progress', data: progress };
    else if (last !== null) {
      yield last;
      return;
    } else {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  function takeProgress(): ImportProgress | null {
    const progress = newest;
    newest = null;
    return progress;
  }
}
