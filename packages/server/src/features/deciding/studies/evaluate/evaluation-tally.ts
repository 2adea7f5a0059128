import { deserialize, serialize } from 'node:v8';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { NotEvaluableReason } from '@arbiter/contract';
import type { EvaluationLog } from '@arbiter/lab';

/** Counts of a chunk besides its log. */
export interface EvaluationTally {
  controlGroup: number;
  readonly notEvaluable: Partial<Record<NotEvaluableReason, number>>;
  /** Values that the draft reads and records lack. */
  readonly lacking: string[];
  /** IDs of the draft's models without a state in the records. */
  readonly newModels: string[];
  /** Decisions with a probability that is an estimate. */
  estimated: number;
  checked: number;
  mismatches: number;
  /** Sum of the rates at which the recorded plans explored. */
  exploreRates: number;
  /** Decisions whose contacts were compared, and those that the draft would answer differently. */
  compared: number;
  shifted: number;
}

/** Maximum missing values in a result. */
const maxMissing = 50;

export const newTally = (): EvaluationTally => ({
  ...{ controlGroup: 0, notEvaluable: {}, lacking: [], newModels: [], estimated: 0, checked: 0, mismatches: 0 },
  ...{ exploreRates: 0, compared: 0, shifted: 0 },
});

export function exclude(tally: EvaluationTally, reason: NotEvaluableReason, lacking: readonly string[] = []): void {
  tally.notEvaluable[reason] = (tally.notEvaluable[reason] ?? 0) + 1;
  noteLacking(tally, lacking);
}

function noteLacking({ lacking }: EvaluationTally, names: readonly string[]): void {
  for (const name of names) if (lacking.length < maxMissing && !lacking.includes(name)) lacking.push(name);
}

/** Adds up chunks, in order. */
export function mergeTallies(tallies: readonly EvaluationTally[]): EvaluationTally {
  const all = newTally();
  for (const own of tallies) {
    for (const name of [
      'controlGroup',
      'estimated',
      'checked',
      'mismatches',
      'exploreRates',
      'compared',
      'shifted',
    ] as const) {
      all[name] += own[name];
    }
    for (const [reason, count] of Object.entries(own.notEvaluable)) {
      const name = reason as NotEvaluableReason;
      all.notEvaluable[name] = (all.notEvaluable[name] ?? 0) + count;
    }
    noteLacking(all, own.lacking);
    for (const id of own.newModels) if (!all.newModels.includes(id)) all.newModels.push(id);
  }
  return all;
}

/** A chunk's log and counts. */
export interface EvaluationPart {
  readonly log: EvaluationLog;
  readonly tally: EvaluationTally;
}

export const packPart = (part: EvaluationPart): Uint8Array => deflateRawSync(serialize(part), { level: 1 });

export const unpackPart = (bytes: Uint8Array): EvaluationPart => deserialize(inflateRawSync(bytes)) as EvaluationPart;
