import type { Plan, PlanVolume, PlanVolumes } from '@arbiter/engine';
import { type VolumeArrays, type VolumeRef, volumeArrays, volumeRef } from '../volumes/index.ts';
import type { Prepared } from './decide-job.ts';

/** A volume that plans limit or count. */
export interface WatchedVolume {
  readonly ref: VolumeRef;
  readonly volume: PlanVolume;
  /** Of a category: the names of its offers' volumes, whose sum it is. Else null. */
  readonly parts: readonly string[] | null;
}

/** The volumes of one or several plans: what a batch reads of them. */
export interface VolumeWatch {
  readonly byName: ReadonlyMap<string, WatchedVolume>;
  /** Rows that must exist: those of the volumes, and of the offers that make up categories. */
  readonly refs: ReadonlyMap<string, VolumeRef>;
  /** All of `refs` for a statement. */
  readonly arrays: VolumeArrays;
  /** By offer: the watched categories that it is in. */
  readonly categoriesOf: ReadonlyMap<string, readonly VolumeRef[]>;
}

const watches = new WeakMap<PlanVolumes, VolumeWatch>();

/** What the plans of a batch count over all customers; null: nothing. */
export function watchOf(prepared: readonly Prepared[]): VolumeWatch | null {
  let first: PlanVolumes | null = null;
  let more: Set<PlanVolumes> | null = null;
  let before: Plan | null = null;
  for (const { flow } of prepared) {
    if (flow.plan === before) continue;
    before = flow.plan;
    const { volumes } = flow.plan;
    if (volumes === null || volumes === first) continue;
    if (first === null) first = volumes;
    else {
      more ??= new Set([first]);
      more.add(volumes);
    }
  }
  if (first === null) return null;
  if (more !== null) return makeWatch([...more].flatMap(({ counted }) => counted));
  let watch = watches.get(first);
  if (watch === undefined) {
    watch = makeWatch(first.counted);
    watches.set(first, watch);
  }
  return watch;
}

function makeWatch(counted: readonly PlanVolume[]): VolumeWatch {
  const byName = new Map<string, WatchedVolume>();
  const refs = new Map<string, VolumeRef>();
  const categoriesOf = new Map<string, VolumeRef[]>();
  for (const volume of counted) {
    const ref = volumeRef(volume);
    const known = byName.get(ref.name);
    if (known !== undefined) {
      // Of two plans: each may have limits of its own.
      byName.set(ref.name, { ...known, volume: { ...volume, limits: [...known.volume.limits, ...volume.limits] } });
      continue;
    }
    refs.set(ref.name, ref);
    const parts = volume.offerIds?.map((scopeId) => {
      const part = volumeRef({ scope: 'offer', scopeId });
      refs.set(part.name, part);
      const categories = categoriesOf.get(scopeId);
      if (categories === undefined) categoriesOf.set(scopeId, [ref]);
      else categories.push(ref);
      return part.name;
    });
    byName.set(ref.name, { ref, volume, parts: parts ?? null });
  }
  return { byName, refs, arrays: volumeArrays([...refs.values()]), categoriesOf };
}
