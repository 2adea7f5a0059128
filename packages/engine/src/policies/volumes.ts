import { compileScope } from '../compile/scopes.ts';
import type { Candidate } from '../plan/candidate.ts';
import type { VolumeCount, VolumeCounts, VolumeKey } from '../plan/input.ts';
import type { ScopeIndex } from '../plan/scope.ts';
import type { CollectedVolume, OpenCounts, OpenVolumes, VolumeLimit, VolumeMatcher } from '../plan/volumes.ts';

/** Whether a limit lets no further impression through. */
export function volumeFull(limit: VolumeLimit, counts: VolumeCounts): boolean {
  const used = counts[limit.measure];
  return used >= limit.max || used + limit.nextCents > limit.max;
}

/** Names a volume among those of its tenant. */
export const volumeName = ({ scope, scopeId }: VolumeKey): string => `${scope}:${scopeId ?? ''}`;

/** Null: the plan counts nothing over all customers. */
export function volumeMatcher(volumes: readonly CollectedVolume[], index: ScopeIndex): VolumeMatcher | null {
  if (volumes.length === 0) return null;
  return {
    numberOf: new Map(volumes.map(({ key }, number) => [volumeName(key), number])),
    matches: volumes.map(({ key }) => compileScope([key], index).assignments[0]!.matches),
  };
}

/** Null when none is near a limit. */
export function openVolumes(
  matcher: VolumeMatcher | null,
  near: readonly VolumeCount[] | undefined,
): OpenVolumes | null {
  if (matcher === null || near === undefined || near.length === 0) return null;
  const counts = new Map<number, OpenCounts>();
  for (const volume of near) {
    const number = matcher.numberOf.get(volumeName(volume));
    if (number !== undefined) counts.set(number, { matches: matcher.matches[number]!, counts: volume });
  }
  return { counts };
}

const none: VolumeCounts = { impressions: 0, spentCents: 0, dayImpressions: 0, daySpentCents: 0 };

/** Returns a volume's count. One that's far from its limits reads as 0. */
export const volumeOf = (volumes: OpenVolumes | null, number: number): VolumeCounts =>
  volumes?.counts.get(number)?.counts ?? none;

/** Counts an item of the answer. */
export function countVolumes(volumes: OpenVolumes, candidate: Candidate): void {
  const cents = candidate.offer.budget?.impressionCents ?? 0;
  for (const open of volumes.counts.values()) {
    if (!open.matches(candidate)) continue;
    const { counts } = open;
    open.counts = {
      impressions: counts.impressions + 1,
      spentCents: counts.spentCents + cents,
      dayImpressions: counts.dayImpressions + 1,
      daySpentCents: counts.daySpentCents + cents,
    };
  }
}
