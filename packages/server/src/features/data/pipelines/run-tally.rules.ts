import { maxRowProblems } from '@arbiter/contract';
import type { LogEntry, RowProblemEntry, RunProgress, RunRow } from './runs.store.ts';

/** What a run has counted, including what isn't committed yet. */
export interface RunTally {
  readonly rowsIn: number;
  readonly rowsOut: number;
  readonly skippedRows: number;
  readonly failedRows: number;
  readonly rowProblems: readonly RowProblemEntry[];
  readonly log: readonly LogEntry[];
}

/** Rows with one outcome. */
export interface RowCounts {
  readonly read: number;
  readonly written: number;
  readonly problems: readonly RowProblemEntry[];
}

export const emptyTally: RunTally = {
  ...{ rowsIn: 0, rowsOut: 0, skippedRows: 0, failedRows: 0 },
  ...{ rowProblems: [], log: [] },
};

export const tallyOf = ({ rowsIn, rowsOut, skippedRows, failedRows, rowProblems, log }: RunRow): RunTally => ({
  ...{ rowsIn, rowsOut, skippedRows, failedRows, rowProblems, log },
});

/** Every row that was read is written, skipped or failed. Shows only the first problems. */
export function counted(tally: RunTally, { read, written, problems }: RowCounts): RunTally {
  const failed = problems.length;
  return {
    ...tally,
    rowsIn: tally.rowsIn + read,
    rowsOut: tally.rowsOut + written,
    skippedRows: tally.skippedRows + read - written - failed,
    failedRows: tally.failedRows + failed,
    rowProblems: [...tally.rowProblems, ...problems].toSorted((a, b) => a.row - b.row).slice(0, maxRowProblems),
  };
}

/** Entries in the log of a run. */
const longestLog = 100;

export const logged = (tally: RunTally, at: Date, stage: string, message: string): RunTally =>
  tally.log.length >= longestLog
    ? tally
    : { ...tally, log: [...tally.log, { stage, message, timestamp: at.toISOString() }] };

export const progressAt = (tally: RunTally, sourceCursor: RunProgress['sourceCursor']): RunProgress => ({
  ...tally,
  sourceCursor,
});
