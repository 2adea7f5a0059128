// How the figures of a run are written down.
import { cpus, release, totalmem } from 'node:os';

export interface Row {
  readonly measure: string;
  /** The target; empty without one. */
  readonly bar: string;
  readonly measured: string;
  /** Null: there is no bar. */
  readonly met: boolean | null;
}

export const n0 = (value: number): string => Math.round(value).toLocaleString('en');
export const ms = (value: number): string => `${value.toFixed(1)} ms`;
export const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;

export const machineText = (): string =>
  `${cpus().length} x ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, Linux ${release()}, Node ${process.version}`;

export function table(rows: readonly Row[]): string {
  const lines = rows.map(({ measure, bar, measured, met }) => {
    const verdict = met === null ? '' : met ? 'yes' : '**no**';
    return `| ${measure} | ${bar} | ${measured} | ${verdict} |`;
  });
  return ['| measure | bar | measured | met |', '|---|---|---|---|', ...lines].join('\n');
}

const notesAt = '<!-- notes: kept by npm run bench -->';

/** The new report, with the notes that people wrote below the one before. */
export function withNotes(report: string, before: string): string {
  const at = before.indexOf(notesAt);
  const notes = at < 0 ? '\n' : before.slice(at + notesAt.length);
  return `${report}\n${notesAt}${notes}`;
}
