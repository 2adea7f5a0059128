import type { VolumeKey } from '@arbiter/engine';

/** The key of the tenant's whole volume in the table, whose rows all name a subject. */
const wholeTenant = '00000000-0000-0000-0000-000000000000';

/** A volume as its row is keyed; `name` tells it from the others of the tenant. */
export interface VolumeRef {
  readonly name: string;
  readonly kind: VolumeKey['scope'];
  readonly subjectId: string;
}

export function volumeRef({ scope, scopeId }: VolumeKey): VolumeRef {
  const subjectId = scopeId ?? wholeTenant;
  return { name: `${scope}:${subjectId}`, kind: scope, subjectId };
}

/** An impression or outcome, as far as volumes distinguish it. */
export interface VolumeSubject {
  readonly offerId: string;
  readonly creativeId: string | null;
  readonly channelId: string | null;
}

/** The volumes that count it; categories, whose sums follow from their offers, are not among them. */
export function* volumesOf({ offerId, creativeId, channelId }: VolumeSubject): Generator<VolumeRef> {
  yield volumeRef({ scope: 'global', scopeId: null });
  yield volumeRef({ scope: 'offer', scopeId: offerId });
  if (creativeId !== null) yield volumeRef({ scope: 'creative', scopeId: creativeId });
  if (channelId !== null) yield volumeRef({ scope: 'channel', scopeId: channelId });
}

/** What is added to a volume; negative where it is given back. */
export interface VolumeChange {
  readonly ref: VolumeRef;
  readonly impressions: number;
  readonly spentCents: number;
  /** The part of it that belongs to the day of the transaction. */
  readonly dayImpressions: number;
  readonly daySpentCents: number;
}

/** One change for each volume, in no order: statements sort what they lock. */
export function mergeChanges(changes: Iterable<VolumeChange>): VolumeChange[] {
  const byName = new Map<string, VolumeChange>();
  for (const change of changes) {
    const before = byName.get(change.ref.name);
    byName.set(change.ref.name, before === undefined ? change : added(before, change));
  }
  return [...byName.values()];
}

function added(a: VolumeChange, b: VolumeChange): VolumeChange {
  return {
    ref: a.ref,
    impressions: a.impressions + b.impressions,
    spentCents: a.spentCents + b.spentCents,
    dayImpressions: a.dayImpressions + b.dayImpressions,
    daySpentCents: a.daySpentCents + b.daySpentCents,
  };
}
