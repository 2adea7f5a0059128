import { leave, type Run } from '../run.ts';
import { closeStage } from './close-stage.ts';
import { integer, looseIds, objects, oneOf, reference, text } from './node-keys.ts';
import { type NodeKind, readList, readObjects, readWord } from './node-kind.ts';

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
        fields(value, path, issues) {
          if (!Array.isArray(value) || value.length > 100 || !value.every(fieldNames)) {
            issues.refuse(path, 'invalid_config', 'must be a list of at most 100 column names');
          }
        },
        prefix: text(/^[a-z0-9_]{0,32}$/, 'at most 32 of a-z, 0-9 and _'),
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
    const sources = readObjects(config.sources).map(({ prefix }) => (typeof prefix === 'string' ? prefix : ''));
    const wanted = readObjects(config.sources).map(({ fields }) => readList(fields) ?? []);
    const dropAll = readWord(config.onMissing, onMissingWords) === 'drop_all';
    return {
      type: 'enrich',
      nodeId: node.id,
      run(run) {
        const missing = merge(run, node.id, sources, wanted);
        if (missing && dropAll) for (const candidate of run.list) leave(run, candidate, 'enrich');
        if (missing && !run.warnings.includes('enrich_missing')) run.warnings.push('enrich_missing');
        closeStage(run, 'enrich', node.id, { warnings: missing ? ['enrich_missing'] : [] });
      },
    };
  },
};

/** True when a source had no row. */
function merge(run: Run, nodeId: string, prefixes: readonly string[], wanted: readonly (readonly string[])[]): boolean {
  const rows = Object.hasOwn(run.input.enriched, nodeId) ? run.input.enriched[nodeId] : undefined;
  let missing = false;
  for (let at = 0; at < prefixes.length; at++) {
    const row = rows?.[at] ?? null;
    if (row === null) {
      missing = true;
      continue;
    }
    const columns = wanted[at]!;
    for (const column of columns.length === 0 ? Object.keys(row) : columns) {
      const value = Object.hasOwn(row, column) ? row[column] : undefined;
      const name = prefixes[at]! + column;
      if (value !== undefined && run.program.customerFields.has(name)) run.customer[name] = value;
    }
  }
  return missing;
}
