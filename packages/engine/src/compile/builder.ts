import type { VolumeKey, WindowSpec } from '../input.ts';
import { compileModels, type PlanModels } from '../models/plan-models.ts';
import { fixedRows } from '../policies/tally.ts';
import { type CollectedVolume, type VolumeLimit, volumeName } from '../policies/volumes.ts';
import type { Snapshot, SnapshotOffer } from '../snapshot.ts';
import { createCustomFields, type OfferFields } from './custom-fields.ts';
import type { Ordinals } from './plan.ts';
import type { ScopeIndex } from './scopes.ts';

/** Collects what the parts of a plan need while they're compiled: windows, zones and names to read. */
export interface Builder {
  readonly snapshot: Snapshot;
  readonly index: ScopeIndex;
  /** Position of a counting window, the same for equal windows. */
  window(spec: WindowSpec): number;
  /** The first of `count` rows of the tally. */
  rows(count: number): number;
  /** A latest contact matters while it is not as long ago as this. */
  cooldown(ms: number): void;
  /** Outcomes with these keys (null: with any) matter while they are not as long ago as this. */
  outcomes(keys: readonly string[] | null, ms: number): void;
  /** Number of a volume of the plan, the same for equal keys; `limit` is one more of its limits. */
  volume(key: VolumeKey, limit: VolumeLimit): number;
  zone(name: string): void;
  /** A path of the customer that may name a zone. */
  zonePath(path: readonly string[]): void;
  readPaths(paths: readonly (readonly string[])[]): void;
  readSegments(names: readonly string[]): void;
  /** Number of a product type or tag, without regard to case. */
  interest(text: string): number;
  customFields(offer: SnapshotOffer): OfferFields;
  /** Keys of all custom fields: bare names that formulas may use. */
  readonly customFieldKeys: ReadonlySet<string>;
  readonly models: PlanModels;
  readonly collected: Collected;
}

export interface Collected {
  readonly windows: WindowSpec[];
  readonly zones: Set<string>;
  /** Names under `customer.`. */
  readonly zoneFields: Set<string>;
  readonly customer: Set<string>;
  readonly attributes: Set<string>;
  readonly context: Set<string>;
  /** True when something reads `request.context` as a whole. */
  wholeContext: boolean;
  /** Rows of the tally in use. */
  rows: number;
  longestCooldownMs: number;
  readonly outcomeKeys: Set<string>;
  /** True when the key of an outcome does not matter to some policy. */
  anyOutcome: boolean;
  outcomeHorizonMs: number;
  readonly volumes: CollectedVolume[];
  readonly segments: Set<string>;
  /** Product types and tags in lower case. */
  readonly interests: Map<string, number>;
}

export function createBuilder(snapshot: Snapshot, ordinals: Ordinals): Builder {
  const collected: Collected = {
    windows: [],
    zones: new Set([snapshot.tenant.timezone]),
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
