import type { RecordedInputs } from '@arbiter/contract';
import {
  experimentsOf,
  type PackedInput,
  type PlanRefs,
  unpackCampaigns,
  unpackExternal,
  unpackWindows,
} from '@arbiter/engine';
import type { Frozen } from '../../../platform/json.ts';
import type { ReadSetNames } from '../plans/index.ts';
import type { StoredRecord } from './sealed-records.store.ts';

/** The metrics without dimensions. */
function numbersIn(metrics: unknown): Record<string, number> {
  if (typeof metrics !== 'object' || metrics === null) return {};
  return Object.fromEntries(
    Object.entries(metrics).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}

/** Inputs with the names of docs/design/api-decisioning.md 12. */
export function readableInputs(
  packed: PackedInput,
  { countsNumber }: Pick<StoredRecord, 'countsNumber'>,
  readSet: ReadSetNames | null,
  refs: PlanRefs,
): Frozen<RecordedInputs> {
  return {
    // Fields with their default, null among them, are not recorded.
    request: packed.q as Frozen<RecordedInputs['request']>,
    profile: packed.p,
    enriched: packed.e ?? {},
    metrics: numbersIn(packed.p.metrics),
    segments: packed.g ?? [],
    counters: packed.c
      ? { lanes: unpackCampaigns(packed.c[0]), lastAt: packed.c[1], counts: unpackWindows(packed.c[2]) }
      : null,
    outcomes: packed.l ?? [],
    suppressions: packed.s ?? [],
    budgets: { soldOut: packed.b?.stock ?? [], volumes: packed.b?.volumes ?? [] },
    evidence: { number: packed.v },
    objectiveCounts: countsNumber === null ? null : { number: Number(countsNumber) },
    modelStates: packed.m ?? {},
    breakers: packed.j ?? {},
    experiments: experimentsOf(packed),
    external: packed.y === undefined ? {} : unpackExternal(packed.y, refs),
    now: packed.n,
    zones: packed.z,
    readSet: readSet === null ? null : { ...readSet },
    cut: packed.x ?? [],
  };
}
