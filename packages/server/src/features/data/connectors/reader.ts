import type { Tx } from '../../../db/index.ts';
import type { JsonValue } from '../../catalogue/schemas/index.ts';

/** A row of a source, by column. */
export type SourceRow = Readonly<Record<string, unknown>>;

/** At most 1,000 rows or 8 MB. `cursor`: where to go on after a crash or in the next run. */
export interface SourceBatch {
  readonly rows: readonly SourceRow[];
  readonly cursor: JsonValue;
}

export interface SourceReader {
  /** Whether a read can go on from a cursor inside it, and not only from its end. */
  readonly isResumable: boolean;
  read(options: {
    readonly cursor: JsonValue | null;
    readonly signal: AbortSignal;
    readonly rowLimit: number;
  }): AsyncIterable<SourceBatch>;
  /** Called once the rows are committed (streams commit their offsets). */
  committed(cursor: JsonValue): Promise<void>;
  close(): Promise<void>;
}

export type OpenReader = (
  tx: Tx,
  connectorId: string,
  source: Readonly<Record<string, unknown>>,
) => Promise<SourceReader>;
