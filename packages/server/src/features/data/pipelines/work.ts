import type { Database, Tx } from '../../../db/index.ts';
import type { KeyedHash } from '../../deciding/customer-states/index.ts';
import type { OpenReader, SourceReader } from '../connectors/index.ts';
import type { Preparer } from './prepare-rows.ts';
import type { RunTally } from './run-tally.rules.ts';
import { SourceFailed } from './source-errors.rules.ts';
import type { TakenRun } from './take-run.service.ts';

export interface ExecutePorts {
  readonly database: Database;
  readonly customerHash: KeyedHash;
  readonly pipelineHash: KeyedHash;
  readonly openReader: OpenReader;
}

export type InTenant = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

/** What a process does for a run. */
export interface Work {
  readonly ports: ExecutePorts;
  readonly taken: TakenRun;
  readonly reader: SourceReader;
  readonly preparer: Preparer;
  readonly inTenant: InTenant;
  /** Aborts when the process stops or the run isn't its own any more. */
  readonly signal: AbortSignal;
  /** What was committed before. */
  readonly tally: RunTally;
}

/** Throws if rows have no column of the schema: a mistake in the pipeline, and not data. */
export function assertMatches(preparer: Preparer, { rowsIn, skippedRows, failedRows }: RunTally): void {
  const isTransformedAway = rowsIn === skippedRows + failedRows;
  if (preparer.hasMatched() || rowsIn === 0 || isTransformedAway) return;
  const error = { code: 'schema_mismatch', message: 'No column of the source is in the schema.' };
  throw new SourceFailed(error, false, null);
}
