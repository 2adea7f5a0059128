import { readList, readObjects } from '../config-values.ts';
import { openReferences } from '../flow-validation/flow-references.ts';
import { validateFlow } from '../flow-validation/validate-flow.ts';
import { newParts } from '../nodes/node-kind.ts';
import { nodeKinds } from '../nodes/node-kinds.ts';
import type { FlowConfig, FlowNode, Snapshot, SnapshotPolicy, SnapshotRule, SnapshotSchema } from '../plan/snapshot.ts';
import { compilePolicies } from '../policies/policy-kinds.ts';
import { compileRules } from '../qualification/rule-kinds.ts';
import { createBuilder } from './builder.ts';
import { numberIds } from './ordinals.ts';
import { enrichesByItself, readColumns } from './sources.ts';

/** The names that would be read of a request and its customer. */
export interface Reads {
  /** Names under `customer.`. */
  readonly customer: ReadonlySet<string>;
  /** Top-level names under `attributes.`. */
  readonly attributes: ReadonlySet<string>;
  /** Names under `request.context.`; null: the whole context. */
  readonly context: ReadonlySet<string> | null;
  /** IDs and names of segments. */
  readonly segments: ReadonlySet<string>;
  /** Sources of enrich nodes. */
  readonly sources: readonly ReadSource[];
}

export interface ReadSource {
  /** ID or name of the schema. */
  readonly schema: string;
  readonly prefix: string;
  /** Columns to choose from; empty: all. */
  readonly chosen: readonly string[];
}

/** What a tenant's plan doesn't contain, or not yet: drafts of flows, inactive rules and policies. */
export interface Beside {
  readonly flows: readonly unknown[];
  readonly rules: readonly SnapshotRule[];
  readonly policies: readonly SnapshotPolicy[];
}

/**
 * Returns what those would read if they took part in decisions. Records store it, so that these can be judged against
 * the past (docs/design/recording.md S3). A flow that couldn't be stored as a draft today reads nothing. Made in
 * slices, like a plan.
 */
export function* readsBeside(
  catalogue: Omit<Snapshot, 'flow' | 'offers' | 'creatives' | 'rules' | 'policies'>,
  beside: Beside,
): Generator<void, Reads> {
  const empty = { offers: [], creatives: [], rules: [], policies: [] };
  const snapshot: Snapshot = { ...catalogue, ...empty, flow: noFlow };
  const ordinals = yield* numberIds(snapshot);
  const builder = createBuilder(snapshot, ordinals);
  // Whatever they apply to: the offers may come later.
  yield* compilePolicies(beside.policies.map(everywhere), builder);
  yield* compileRules(beside.rules.map(everywhere), builder, []);
  const sources: ReadSource[] = [];
  for (const config of beside.flows) {
    yield;
    if (!isDraft(config)) continue;
    const parts = newParts({ builder, offers: [], creatives: [], rules: [], policies: [], scoresByChannel: false });
    for (const node of config.nodes) {
      if (node.enabled === false) continue;
      const kind = nodeKinds.get(node.type);
      kind?.step?.(node, parts);
      kind?.output?.(node, parts);
      kind?.collect?.(node, builder);
      if (node.type !== 'enrich') continue;
      sources.push(...sourcesOf(node));
      const from = node.config?.lookupFrom;
      if (typeof from === 'string') builder.readPaths([from.split('.')]);
    }
  }
  const { customer, attributes, context, wholeContext, segments } = builder.collected;
  return { customer, attributes, context: wholeContext ? null : context, segments, sources };
}

/** Columns that are read of a schema's rows when these are the names under `customer.` that anything reads; in its order. */
export function columnsRead(
  schema: SnapshotSchema,
  customer: ReadonlySet<string>,
  sources: readonly ReadSource[],
): readonly string[] {
  const read = new Set(enrichesByItself(schema) ? readColumns(schema, [], '', customer) : []);
  for (const source of sources) {
    const name = source.schema.toLowerCase();
    if (name !== schema.id && name !== schema.name) continue;
    for (const column of readColumns(schema, source.chosen, source.prefix, customer)) read.add(column);
  }
  return schema.columns.map(({ name }) => name).filter((name) => read.has(name));
}

const noFlow: Snapshot['flow'] = {
  id: '',
  key: '',
  name: '',
  version: null,
  couplingOverride: null,
  config: { version: 2, nodes: [] },
};

const everywhere = <Row extends SnapshotRule | SnapshotPolicy>(row: Row): Row => ({
  ...row,
  scopes: [{ scope: 'global', scopeId: null }],
});

function isDraft(config: unknown): config is FlowConfig {
  return validateFlow(config, openReferences, { use: 'draft' }).valid;
}

function sourcesOf({ config = {} }: FlowNode): ReadSource[] {
  return readObjects(config.sources).flatMap(({ schemaId, prefix, fields }) =>
    typeof schemaId === 'string'
      ? [{ schema: schemaId, prefix: typeof prefix === 'string' ? prefix : '', chosen: readList(fields) ?? [] }]
      : [],
  );
}
