import { readList, readObjects, readWord } from '../config-values.ts';
import type { Run } from '../plan/run.ts';
import type { FlowNode, Json } from '../plan/snapshot.ts';
import { leave } from '../stages/candidates.ts';
import { closeStage } from '../stages/close-stage.ts';
import { integer, looseIds, objects, oneOf, reference, taking, text } from './node-keys.ts';
import type { NodeKind } from './node-kind.ts';

const onMissingWords = ['continue', 'drop_all'] as const;
const fieldNames = (value: unknown): boolean =>
  typeof value === 'string' && /^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(value);

/** Rows of schemas merged into `customer.*`; later sources win (docs/design/api-decisioning.md 8). */
export const enrich: NodeKind = {
  type: 'enrich',
  phase: 1,
  single: false,
  keys: {
    sources: objects(10, {
      keys: {
        schemaId: reference('schema'),
        fields: taking(
          { schema: { type: 'array', maxItems: 100, items: { type: 'string' } } },
          (value, path, issues) => {
            if (!Array.isArray(value) || value.length > 100 || !value.every(fieldNames)) {
              issues.refuse(path, 'invalid_config', 'must be a list of at most 100 column names');
            }
          },
        ),
        prefix: text(/^[a-z0-9_]{0,32}$/, 'at most 32 characters from a-z, 0-9 and _'),
        cacheTtlSeconds: integer(0, 1_000_000_000),
      },
      required: ['schemaId'],
    }),
    lookupKey: text(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/, 'a column name'),
    lookupFrom: text(
      /^(?:request|customer|attributes)(?:\.[A-Za-z_][A-Za-z0-9_]*){1,5}$/,
      'a path such as request.customerId',
    ),
    excludeJoinIds: looseIds(50),
    onMissing: oneOf(onMissingWords),
  },
  required: [],
  step(node) {
    const config = node.config ?? {};
    const dropAll = readWord(config.onMissing, onMissingWords) === 'drop_all';
    return {
      type: 'enrich',
      nodeId: node.id,
      run(run) {
        const missing = mergeRows(run, node, run.customer);
        if (missing && dropAll) for (const candidate of run.list) leave(run, candidate, 'enrich');
        if (missing && !run.warnings.includes('enrich_missing')) run.warnings.push('enrich_missing');
        closeStage(run, 'enrich', node.id, { warnings: missing ? ['enrich_missing'] : [] });
      },
    };
  },
};

/** Adds an enrich node's values to `customer.*`. Returns true when a source had no row. */
export function mergeRows(run: Run, { id, config = {} }: FlowNode, customer: Record<string, Json>): boolean {
  const rows = Object.hasOwn(run.input.enriched, id) ? run.input.enriched[id] : undefined;
  let missing = false;
  for (const [at, { prefix, fields }] of readObjects(config.sources).entries()) {
    const row = rows?.[at] ?? null;
    if (row === null) {
      missing = true;
      continue;
    }
    const columns = readList(fields) ?? [];
    for (const column of columns.length === 0 ? Object.keys(row) : columns) {
      const value = Object.hasOwn(row, column) ? row[column] : undefined;
      const name = (typeof prefix === 'string' ? prefix : '') + column;
      if (value !== undefined && run.program.customerFields.has(name)) customer[name] = value;
    }
  }
  return missing;
}
