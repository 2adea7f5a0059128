import { fileFormats, readFileRows } from '../../../../platform/sources/file-rows.ts';
import { maxBytes, maxRows, sizeOf } from '../../../../platform/sources/source-batches.ts';
import { SourceError } from '../../../../platform/sources/source-error.ts';
import type { SourceRow } from '../reader.ts';
import { flagOf, type Source, textOf } from '../source.ts';
import { flatRow } from './api-pages.rules.ts';

/** Rows of a file. */
export interface FileBatch {
  readonly rows: readonly SourceRow[];
  /** Number of rows of the file up to and including these. */
  readonly position: number;
}

/** Reads the rows of a file in the settings' format, several at a time. Throws SourceError. */
export async function* rowsOfFile(
  source: Source,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly SourceRow[]> {
  const word = textOf(source, 'format') ?? 'csv';
  const format = fileFormats.find((each) => each === word);
  if (format === undefined) throw new SourceError('missing_config');
  const options = {
    ...{ format, isZipped: textOf(source, 'compression') === 'gzip', delimiter: textOf(source, 'delimiter') },
    ...{ header: flagOf(source, 'header', true), encoding: textOf(source, 'encoding') ?? 'utf-8' },
  };
  for await (const values of readFileRows(bytes, options)) yield values.map(flatRow);
}

/** Cuts the rows of a file into batches. `skip`: rows that came before. `rowLimit`: 0 for none. */
export async function* batchesOfFile(
  source: Source,
  bytes: AsyncIterable<Uint8Array>,
  { skip, rowLimit }: { readonly skip: number; readonly rowLimit: number },
): AsyncGenerator<FileBatch> {
  let position = 0;
  let size = 0;
  let batch: SourceRow[] = [];
  for await (const rows of rowsOfFile(source, bytes)) {
    for (const row of rows) {
      position += 1;
      if (position <= skip) continue;
      const rowBytes = sizeOf(row);
      if (batch.length === maxRows || (batch.length > 0 && size + rowBytes > maxBytes)) {
        yield { rows: batch, position: position - 1 };
        batch = [];
        size = 0;
      }
      batch.push(row);
      size += rowBytes;
      if (position - skip === rowLimit) {
        yield { rows: batch, position };
        return;
      }
    }
  }
  if (batch.length > 0) yield { rows: batch, position };
}
