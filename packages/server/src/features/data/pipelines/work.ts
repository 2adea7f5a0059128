import type { Database, Tx } from '../../../db/index.ts';
import type { KeyedHash } from '../../deciding/customer-states/index.ts';
import type { OpenReader, SourceReader } from '../connectors/index.ts';
import type { Preparer } from './prepare-rows.ts';
import type { RunTally } from './run-tally.rules.ts';
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
  /** Aborts when the process stops or the run is no longer its own. */
  readonly signal: AbortSignal;
  /** A run that can resume ends its turn after this many ms, but at least one batch. */
  readonly turnMs: number;
  /** What was committed before. */
  readonly tally: RunTally;
}
