import type { Plan } from '@arbiter/engine';
import type { CompiledFlow, ReadSetNames } from '../../plans/index.ts';
import type { WholeRecord } from './record-reader.ts';

/**
 * Finds the values that a plan reads and that a record doesn't have. The part that depends
 * only on the record's plan and read set is computed once for each.
 */
export function createLackingNames(candidate: CompiledFlow): (whole: WholeRecord) => LackingNames {
  const known = new Map<string, readonly string[]>();
  const { plan } = candidate;
  return (whole) => {
    const { record, flow, packed } = whole;
    const name = `${record.readSet} ${record.planHash.toString('hex')}`;
    let unread = known.get(name);
    if (unread === undefined) {
      unread = unreadNames(plan, flow.plan, whole.readSet);
      known.set(name, unread);
    }
    const hidden = [...(packed.w ?? []), ...(packed.u ?? [])];
    return {
      withheld: hidden.filter((word) => readsWord(plan, word)),
      notRecorded: [...unread, ...(packed.x ?? []).filter((path) => readsPath(plan, path))],
    };
  };
}

export interface LackingNames {
  /** Values that a setting of the tenant excludes from records. */
  readonly withheld: readonly string[];
  readonly notRecorded: readonly string[];
}

/** Names of columns, attributes and values of the context look alike in a record. */
function readsWord({ profileFields, enrichSources, reads, zoneFields }: Plan, word: string): boolean {
  return (
    profileFields.includes(word) ||
    zoneFields.includes(word) ||
    enrichSources.some(({ columns }) => columns.includes(word)) ||
    reads.attributes.includes(word) ||
    reads.context === null ||
    reads.context.includes(word)
  );
}

/** `attributes.a`, `context.b`: too large to record. */
function readsPath({ reads }: Plan, path: string): boolean {
  const at = path.indexOf('.');
  const name = path.slice(at + 1);
  if (path.startsWith('attributes.')) return reads.attributes.includes(name);
  return reads.context === null || reads.context.includes(name);
}

function unreadNames(plan: Plan, recorded: Plan, readSet: ReadSetNames | null): readonly string[] {
  return [
    ...unreadColumns(plan, recorded, readSet),
    ...plan.joinedSources.flatMap(({ values }) => {
      const readNames = new Set([
        ...(readSet?.joined ?? []),
        ...recorded.joinedSources.flatMap((source) => source.values.map(({ name }) => name)),
      ]);
      return values.flatMap(({ name }) => (readNames.has(name) ? [] : [`customer.${name}`]));
    }),
    ...(plan.profileFields.includes('metrics') &&
    !recorded.profileFields.includes('metrics') &&
    readSet?.metrics === undefined
      ? ['customer.metrics']
      : []),
    ...segmentsUnread(plan, recorded, readSet),
  ];
}

function unreadColumns(plan: Plan, recorded: Plan, readSet: ReadSetNames | null): string[] {
  const columnsOf = (
    schemaId: string,
    own: readonly { schemaId: string; columns: readonly string[] }[],
  ): Set<string> | null => {
    const planned = own.filter((source) => source.schemaId === schemaId);
    if (planned.length === 0) return null;
    return new Set([...planned.flatMap(({ columns }) => columns), ...(readSet?.columns[schemaId] ?? [])]);
  };
  const missing: string[] = [];
  for (const { schemaId, columns } of plan.autoSources) {
    const readNames = columnsOf(schemaId, recorded.autoSources);
    if (readNames === null && columns.length === 0) missing.push(`customer (schema ${schemaId})`);
    for (const column of columns) if (readNames?.has(column) !== true) missing.push(`customer.${column}`);
  }
  for (const source of plan.enrichSources) {
    // Rows are recorded by node and position, and a different lookup reads a different row.
    const same = recorded.enrichSources.filter(
      ({ nodeId, position, schemaId, lookupColumn, lookupFrom }) =>
        nodeId === source.nodeId &&
        position === source.position &&
        schemaId === source.schemaId &&
        lookupColumn === source.lookupColumn &&
        lookupFrom === source.lookupFrom,
    );
    const readNames = columnsOf(source.schemaId, same);
    for (const column of source.columns)
      if (readNames?.has(column) !== true) missing.push(`customer.${source.prefix}${column}`);
  }
  return missing;
}

function segmentsUnread({ reads }: Plan, recorded: Plan, readSet: ReadSetNames | null): string[] {
  const readNames = new Set([...(readSet?.segments ?? []), ...recorded.reads.segments]);
  return reads.segments.filter((name) => !readNames.has(name)).map((name) => `segment ${name}`);
}
