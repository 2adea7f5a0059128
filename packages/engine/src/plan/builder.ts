import type { VolumeKey, WindowSpec } from './input.ts';
import type { PlanModels } from './models.ts';
import type { ComputedField } from './offer.ts';
import type { ScopeIndex } from './scope.ts';
import type { JsonObject, Snapshot, SnapshotOffer } from './snapshot.ts';
import type { CollectedVolume, VolumeLimit } from './volumes.ts';

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

/** An offer's custom field values and the computed ones in dependency order (docs/design/api-catalogue.md 4). */
export interface OfferFields {
  readonly values: JsonObject;
  readonly computed: readonly ComputedField[];
}
