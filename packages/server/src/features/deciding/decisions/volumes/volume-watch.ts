import type { Plan, PlanVolume, PlanVolumes } from '@arbiter/engine';
import type { TenantCatalogue } from '../../plans/index.ts';
import { type VolumeArrays, type VolumeRef, volumeArrays, volumeRef } from '../../volumes/index.ts';
import type { BatchQuestion } from '../reads/batch-question.ts';

/** A volume that plans limit or count. */
export interface WatchedVolume {
  readonly ref: VolumeRef;
  readonly volume: PlanVolume;
  /** For a category: the names of its offers' volumes, which it sums. Otherwise null. */
  readonly parts: readonly string[] | null;
}

/** The volumes of one or several plans, as a batch reads them. */
export interface VolumeWatch {
  readonly byName: ReadonlyMap<string, WatchedVolume>;
  /** Rows that must exist: those of the volumes, of offers in categories, and what was counted before. */
  readonly refs: ReadonlyMap<string, VolumeRef>;
  /** All of `refs` for a statement. */
  readonly arrays: VolumeArrays;
  /** By offer: the watched categories that it's in. */
  readonly categoriesOf: ReadonlyMap<string, readonly VolumeRef[]>;
}

type Counting = Pick<TenantCatalogue, 'volumes'>;

/** By catalogue, and by what a plan of it counts. */
const watches = new WeakMap<Counting, Map<PlanVolumes | null, VolumeWatch>>();

/**
 * Returns what a batch's plans count across all customers, and everything ever counted: a volume that isn't counted for
 * a while would be wrong when it's needed again. Null: nothing.
 */
export function watchOf(catalogue: Counting, prepared: readonly BatchQuestion[]): VolumeWatch | null {
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
  if (first === null && catalogue.volumes.length === 0) return null;
  if (more !== null)
    return makeWatch(
      [...more].flatMap(({ counted }) => counted),
      catalogue.volumes,
    );
  let own = watches.get(catalogue);
  if (own === undefined) {
    own = new Map();
    watches.set(catalogue, own);
  }
  let watch = own.get(first);
  if (watch === undefined) {
    watch = makeWatch(first?.counted ?? [], catalogue.volumes);
    own.set(first, watch);
  }
  return watch;
}

function makeWatch(counted: readonly PlanVolume[], before: readonly VolumeRef[]): VolumeWatch {
  const byName = new Map<string, WatchedVolume>();
  const refs = new Map<string, VolumeRef>(before.map((ref) => [ref.name, ref]));
  const categoriesOf = new Map<string, VolumeRef[]>();
  for (const volume of counted) {
    const ref = volumeRef(volume);
    const known = byName.get(ref.name);
    if (known !== undefined) {
      // From two plans, each of which may have its own limits.
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
