import type { Json } from '@arbiter/engine';
import type { Tx } from '../../../db/tx.ts';

/** A row of a source, by column. */
export type SourceRow = Readonly<Record<string, unknown>>;

/** At most 1,000 rows or 8 MB. */
export interface SourceBatch {
  readonly rows: readonly SourceRow[];
  /** Where to resume after a crash, or in the next run. */
  readonly cursor: Json;
  /** The cursor lies before these rows, because more rows with the same watermark follow. Commit both together. */
  readonly isPartial?: boolean;
}

export interface ReadOptions {
  /** Where the read before this one stopped; null: from the start. */
  readonly cursor: Json | null;
  readonly signal: AbortSignal;
  /** 0: no limit. */
  readonly rowLimit: number;
}

/** Reads one source. Writes nothing there (docs/design/api-catalogue.md 14.3). */
export interface SourceReader {
  /** Whether a read can resume from any of its cursors, not only from the last one. */
  readonly isResumable: boolean;
  /** Throws SourceError. Keep the cursor of a run for the next one only if that reads changes: `watermarkColumn`, `since`, streams. */
  read(options: ReadOptions): AsyncIterable<SourceBatch>;
  /** Called once the rows are committed: streams commit their offsets. */
  committed(cursor: Json): Promise<void>;
  close(): Promise<void>;
}

/** Returns row keys of the target in ascending order, after `after`. Fewer than `limit` means the end. */
export type RowKeys = (after: string | null, limit: number) => Promise<readonly string[]>;

/**
 * Opens the reader of a connector without connecting yet.
 * @param source reader options, over the connector's config
 * @param rowKeys keys of the target's rows, for sources that are read key by key
 */
export type OpenReader = (
  tx: Tx,
  connectorId: string,
  source: Readonly<Record<string, unknown>>,
  rowKeys?: RowKeys,
) => Promise<SourceReader>;
