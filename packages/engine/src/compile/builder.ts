import { compileModels } from '../models/plan-models.ts';
import type { Builder, Collected } from '../plan/builder.ts';
import type { Ordinals } from '../plan/ordinals.ts';
import type { Snapshot, SnapshotOffer } from '../plan/snapshot.ts';
import { fixedRows } from '../policies/tally.ts';
import { volumeName } from '../policies/volumes.ts';
import { createCustomFields } from './custom-fields.ts';

export function createBuilder(snapshot: Snapshot, ordinals: Ordinals): Builder {
  const collected = emptyCollection(snapshot.tenant.timezone);
  const volumeByKey = new Map<string, number>();
  const windowByKey = new Map<string, number>();
  const fields = createCustomFields(snapshot);
  const models = compileModels(snapshot, (paths) => addPaths(collected, paths));
  const builder: Builder = {
    snapshot,
    collected,
    models,
    index: {
      ordinals,
      offersByCategory: groupOffers(snapshot, ordinals, (offer) => offer.categoryId),
      offersBySubCategory: groupOffers(snapshot, ordinals, (offer) => offer.subCategoryId),
    },
    window(spec) {
      const key = spec.kind === 'rolling' ? `rolling:${spec.ms}` : spec.kind;
      let position = windowByKey.get(key);
      if (position === undefined) {
        position = collected.windows.length;
        collected.windows.push(spec);
        windowByKey.set(key, position);
      }
      return position;
    },
    rows(count) {
      collected.rows += count;
      return collected.rows - count;
    },
    cooldown(ms) {
      collected.longestCooldownMs = Math.max(collected.longestCooldownMs, ms);
    },
    outcomes(keys, ms) {
      if (keys === null) collected.anyOutcome = true;
      else for (const key of keys) collected.outcomeKeys.add(key);
      collected.outcomeHorizonMs = Math.max(collected.outcomeHorizonMs, ms);
    },
    volume(key, limit) {
      const text = volumeName(key);
      const known = volumeByKey.get(text);
      if (known !== undefined) {
        collected.volumes[known]!.limits.push(limit);
        return known;
      }
      volumeByKey.set(text, collected.volumes.length);
      return collected.volumes.push({ key, limits: [limit] }) - 1;
    },
    zone(name) {
      collected.zones.add(name);
    },
    zonePath([, field]) {
      if (field !== undefined) collected.zoneFields.add(field);
    },
    readPaths: (paths) => addPaths(collected, paths),
    readSegments(names) {
      for (const name of names) collected.segments.add(name);
    },
    interest(text) {
      const key = text.toLowerCase();
      const number = collected.interests.get(key) ?? collected.interests.size;
      collected.interests.set(key, number);
      return number;
    },
    customFieldKeys: fields.keys,
    customFields(offer) {
      const found = fields.of(offer);
      for (const { formula } of found.computed) if (formula !== null) builder.readPaths(formula.paths);
      return found;
    },
  };
  return builder;
}

function emptyCollection(timezone: string): Collected {
  return {
    windows: [],
    zones: new Set([timezone]),
    zoneFields: new Set(),
    customer: new Set(),
    attributes: new Set(),
    context: new Set(),
    wholeContext: false,
    rows: fixedRows,
    longestCooldownMs: 0,
    outcomeKeys: new Set(),
    anyOutcome: false,
    outcomeHorizonMs: 0,
    volumes: [],
    segments: new Set(),
    interests: new Map(),
  };
}

function addPaths(collected: Collected, paths: readonly (readonly string[])[]): void {
  for (const [first, second, third] of paths) {
    if (second === undefined) continue;
    if (first === 'customer') collected.customer.add(second);
    else if (first === 'attributes') collected.attributes.add(second);
    else if (first === 'request' && second === 'context') {
      if (third === undefined) collected.wholeContext = true;
      else collected.context.add(third);
    }
  }
}

function groupOffers(
  snapshot: Snapshot,
  ordinals: Ordinals,
  groupOf: (offer: SnapshotOffer) => string | null,
): ReadonlyMap<string, readonly number[]> {
  const groups = new Map<string, number[]>();
  for (const offer of snapshot.offers) {
    const group = groupOf(offer);
    const ordinal = ordinals.offer.get(offer.id);
    if (group === null || ordinal === undefined) continue;
    const list = groups.get(group);
    if (list === undefined) groups.set(group, [ordinal]);
    else list.push(ordinal);
  }
  return groups;
}
