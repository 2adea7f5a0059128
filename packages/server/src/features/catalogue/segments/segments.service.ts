import { hash } from 'node:crypto';
import { type Resource, resources, type Segment, type SegmentCreate, type SegmentUses } from '@arbiter/contract';
import type { Tx } from '../../../db/tx.ts';
import { newId } from '../../../platform/ids.ts';
import {
  type Addressed,
  createRecord,
  getRecord,
  hardDeleteRecord,
  inUse,
  inUseEntry,
  type RecordChange,
  readRelated,
  toWire,
  updateRecord,
} from '../catalogue-records/index.ts';
import { countInTime } from './counts.store.ts';
import { readDefinition, storedJoins } from './definitions.ts';
import { type Definition, viewQuery } from './membership-sql.store.ts';
import { enqueueRefresh } from './segments.jobs.ts';
import { createView, dropView, indexColumn, type SegmentRow, segmentSpec } from './segments.store.ts';

/** Something that names a segment. */
export interface SegmentUse {
  readonly noun: string;
  readonly name: string;
  readonly id: string;
}

/**
 * Port for other features: who names this segment, by its id or its name? `restricting`: only what withholds something
 * from its members, and would let it through if the segment had none.
 */
export type FindSegmentUses = (
  tx: Tx,
  segment: { readonly id: string; readonly name: string },
  kind: 'any' | 'restricting',
) => Promise<readonly SegmentUse[]>;

/** Segments as answers carry them. */
export async function showSegments(tx: Tx, rows: readonly SegmentRow[]): Promise<Segment[]> {
  const bases = await readRelated(
    tx,
    'dataSchema',
    rows.map((row) => row.baseSchemaId),
    ['name'],
  );
  return rows.map(({ keyField: _keyField, ...row }) => {
    const name = bases.get(row.baseSchemaId)?.name ?? '';
    return {
      ...toWire(row),
      entityType: 'customer',
      customerCount: row.customerCount === null ? null : Number(row.customerCount),
      joins: [...row.joins],
      filters: { ...row.filters },
      baseSchema: { id: row.baseSchemaId, name },
      baseSchemaName: name,
    };
  });
}

/** Name of a segment's view: as good as random, and the same when its creation is tried again. */
const viewNameOf = (id: string): string => `seg_${hash('sha256', id, 'hex').slice(0, 12)}`;

/** Creates the view and what it needs, and counts. Counting continues as a job when it takes too long. */
async function build(tx: Tx, id: string, viewName: string, definition: Definition) {
  for (const { schema, joinField } of definition.joins) await indexColumn(tx, schema.tableName, joinField);
  await createView(tx, viewName, viewQuery(definition));
  const customerCount = await countInTime(tx, definition);
  if (customerCount === null) await enqueueRefresh(tx, id);
  return {
    baseSchemaId: definition.base.id,
    joins: storedJoins(definition),
    filters: definition.filters,
    keyField: definition.base.rowKey,
    customerCount,
    lastRefreshedAt: customerCount === null ? null : tx.now,
  };
}

/** Creates a segment with its view in one transaction. Throws 400 for an invalid definition. */
export async function createSegment(tx: Tx, body: SegmentCreate): Promise<SegmentRow> {
  const { baseSchemaId, joins, filters, ...fields } = body;
  const definition = await readDefinition(tx, { baseSchemaId, joins, filters });
  const id = newId();
  const viewName = viewNameOf(id);
  const built = await build(tx, id, viewName, definition);
  return createRecord(tx, segmentSpec, { ...fields, ...built, viewName }, { id });
}

/**
 * Changes the given fields. A change of the membership rebuilds the view in the same transaction. Throws 409 `in_use`
 * for another name while something names the segment by the current one, and for a status other than active while
 * something excludes its members: an inactive segment has no members for decisions, so the exclusion would silently
 * end.
 */
export async function changeSegment(
  tx: Tx,
  id: string,
  rowVersion: number | undefined,
  changes: Omit<RecordChange<SegmentRow>, 'joins' | 'filters'> & Pick<SegmentCreate, 'joins' | 'filters'>,
  findUses: FindSegmentUses,
): Promise<SegmentRow> {
  const { baseSchemaId, joins, filters, ...fields } = changes;
  return updateRecord(tx, segmentSpec, id, {
    rowVersion,
    async change(current) {
      if (fields.name !== undefined && fields.name !== current.name) {
        // The name instead of the id: users that name the segment by its id aren't affected.
        const uses = await findUses(tx, { id: current.name, name: current.name }, 'any');
        const entries = uses.map((use) => ({
          path: '/name',
          message: `is how ${use.noun} ${JSON.stringify(use.name)} (${use.id}) refers to the segment; change that to the ID first`,
        }));
        if (entries.length > 0) throw inUse('segment', entries);
      }
      if (current.status === 'active' && fields.status !== undefined && fields.status !== 'active') {
        const { name = current.name } = fields;
        // Files that are applied may end the exclusion in the same transaction.
        tx.atEnd(() => assertRestrictsNobody(tx, { id: current.id, name }, findUses));
      }
      if (baseSchemaId === undefined && joins === undefined && filters === undefined) return fields;
      const definition = await readDefinition(tx, {
        baseSchemaId: baseSchemaId ?? current.baseSchemaId,
        joins: joins ?? current.joins,
        filters: filters === undefined ? current.filters : filters,
      });
      return { ...fields, ...(await build(tx, current.id, current.viewName, definition)) };
    },
  });
}

async function assertRestrictsNobody(
  tx: Tx,
  segment: { readonly id: string; readonly name: string },
  findUses: FindSegmentUses,
): Promise<void> {
  const entries = (await findUses(tx, segment, 'restricting')).map((use) => ({
    path: '/status',
    message: `is used by ${use.noun} ${JSON.stringify(use.name)} (${use.id}), which would no longer work for its members; pause or change that first`,
  }));
  if (entries.length > 0) throw inUse('segment', entries);
}

/** Deletes a segment and drops its view; 409 `in_use` while something that is not deleted names it. */
export async function deleteSegment(
  tx: Tx,
  id: string,
  addressed: Addressed,
  findUses: FindSegmentUses,
): Promise<void> {
  const row = await hardDeleteRecord(tx, segmentSpec, id, {
    addressed,
    async check(segment) {
      const uses = await findUses(tx, { id: segment.id, name: segment.name }, 'any');
      const entries = uses.map((use) => inUseEntry(addressed, use.noun, use.name, use.id));
      if (entries.length > 0) throw inUse('segment', entries);
    },
  });
  await dropView(tx, row.viewName);
}

const typesByNoun = new Map<string, string>(
  Object.values<Resource>(resources).map(({ noun, entityType }) => [noun, entityType]),
);

/** Returns the records that use a segment, by type. Throws 404. */
export async function listUses(tx: Tx, id: string, findUses: FindSegmentUses): Promise<SegmentUses['data']> {
  const { name, ...segment } = await getRecord(tx, segmentSpec, id);
  const uses = await findUses(tx, { id: segment.id, name }, 'any');
  return uses.map((use) => ({ entityType: typesByNoun.get(use.noun) ?? use.noun, id: use.id, name: use.name }));
}
