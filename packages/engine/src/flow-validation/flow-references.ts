import type { ReferenceKind, WebhookRules } from '../nodes/node-keys.ts';

/** A flow of the tenant, as far as calls are concerned. */
export interface KnownFlow {
  readonly id: string;
  readonly key: string;
  /** Keys or ids that its published version calls; null: it is not active or was never published. */
  readonly calls: readonly string[] | null;
  /** Enabled nodes of that version; absent: none worth counting. */
  readonly nodes?: number;
}

/** What a flow may name in its tenant. Missing, deleted and foreign records are all absent. */
export interface FlowReferences {
  has(kind: ReferenceKind, id: string): boolean;
  /** Keys of the custom fields of all categories: bare names of formulas. */
  readonly customFieldKeys: ReadonlySet<string>;
  /** Columns of a schema by id or name; empty for one that does not exist. */
  columnsOf(schema: string): readonly string[];
  /** Key of the flow that the config belongs to; null: of none. */
  readonly ownKey: string | null;
  /** The tenant's flows; called only when the config calls one. */
  readonly flows: readonly KnownFlow[];
  readonly webhooks: WebhookRules;
  /** Returns the model of a key or family, or null. */
  modelNamed(name: string): { readonly modelType: string; readonly isActive: boolean } | null;
}

/** For a config that's read, not judged: everything it names exists and may be used. */
export const openReferences: FlowReferences = {
  has: () => true,
  customFieldKeys: new Set(),
  columnsOf: () => [],
  ownKey: null,
  flows: [],
  webhooks: { urlProblem: () => null, headerProblem: () => null },
  modelNamed: () => null,
};
