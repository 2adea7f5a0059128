import { setTimeout as sleep } from 'node:timers/promises';
import { SourceError } from './source-error.ts';

/** Rows and bytes of a batch at most (docs/design/api-catalogue.md 14.3). */
export const maxRows = 1000;
export const maxBytes = 8 * 1024 * 1024;

/** Milliseconds without a row after which a read ends. */
const idleMs = 600_000;

/** Returns about how many bytes a value takes. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  const record = value as Readonly<Record<string, unknown>>;
  let size = 2;
  for (const key in record) size += key.length + 3 + sizeOf(record[key]);
  return size;
}

/**
 * Passes on what arrives, and ends the read when the caller leaves or nothing arrives for ten minutes. The source isn't
 * waited for: it may hang.
 */
export async function* endingInTime<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal,
  { idle = idleMs }: { readonly idle?: number } = {},
): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let isDone = false;
  try {
    for (;;) {
      signal.throwIfAborted();
      const end = new AbortController();
      try {
        const late = sleep(idle, null, { signal: AbortSignal.any([signal, end.signal]), ref: false });
        const next = await Promise.race([iterator.next(), late]);
        if (next === null) throw new SourceError('connect_timeout');
        if (next.done === true) {
          isDone = true;
          return;
        }
        yield next.value;
      } finally {
        end.abort();
      }
    }
  } finally {
    if (!isDone) void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}
