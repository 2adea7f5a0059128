import type { SchemaField, SchemaFieldDefinition } from '@arbiter/contract';
import { DatabaseError } from '../../../../db/index.ts';
import type { Tx } from '../../../../db/tx.ts';
import { AppError, invalid } from '../../../../platform/app-error.ts';
import { firstIdAt, newId } from '../../../../platform/ids.ts';
import { getRecord, inUse, inUseEntry, lockRecord, updateRecord } from '../../catalogue-records/index.ts';
import { joinsOfColumn } from '../joins/joins.store.ts';
import { indexJoins } from '../joins/joins-in-decisions.store.ts';
import { qualifiedTable } from '../schema-tables.store.ts';
import type { SchemaUse } from '../schemas.service.ts';
import { type SchemaRow, schemaIdOfField, schemaSpec, wholeField } from '../schemas.store.ts';
import { forgetStats } from '../stats/stats.store.ts';
import type { TableChange } from '../table-changes.ts';
import { addColumn, dropColumn, dropUnfinished, hasMoreRows, indexColumn, unfinishedName } from './columns.store.ts';
import { addInSteps, needsSteps } from './columns-in-steps.service.ts';
import { draftField, type FieldDraft, hasRoom, reorder, rowKeyOf, unchangeableProblems } from './fields.rules.ts';
import { maximumFields } from './names.rules.ts';

/** Port for dependent features: what names this field of a schema, besides joins? */
export type FindFieldUses = (
  tx: Tx,
  field: { readonly schemaId: string; readonly schemaName: string; readonly name: string },
) => Promise<readonly SchemaUse[]>;

/** Rows that a table change may read while readers wait: a few milliseconds. */
const fewRows = 10_000;

/** A column that is unfinished for so long was left by a process that ended. */
const abandonedMs = 10 * 60_000;

const abandonedNames = (tx: Tx): string => unfinishedName(firstIdAt(tx.now.getTime() - abandonedMs));

const fieldNotFound = () => new AppError('not_found', { detail: 'This field does not exist.' });

/** Fields of a schema by ordinal; 404 if the schema doesn't exist. */
export async function listFields(tx: Tx, schemaId: string): Promise<SchemaField[]> {
  return (await getRecord(tx, schemaSpec, schemaId)).fields.map(wholeField);
}

/** Changes the fields of a schema while nothing reads or writes its rows through the API. */
async function changeFields(
  tx: Tx,
  schemaId: string,
  change: (schema: SchemaRow) => SchemaField[] | Promise<SchemaField[]>,
): Promise<SchemaRow> {
  return updateRecord(tx, schemaSpec, schemaId, {
    lock: 'delete',
    change: async (schema) => ({ fields: await change(schema) }),
  });
}

/**
 * Adds a field and its column. Throws 404 for an unknown schema, like the other field operations. In a large table,
 * runs slow work in steps while others keep reading.
 */
export async function createField(
  change: TableChange,
  schemaId: string,
  definition: SchemaFieldDefinition,
): Promise<SchemaField> {
  if (definition.isPrimaryKey === true) throw invalid('/isPrimaryKey', 'can only be set when the schema is created');
  const result = draftField(definition, '');
  if ('problems' in result) {
    throw new AppError('validation_failed', { detail: 'The field is invalid.', errors: result.problems });
  }
  const id = newId();
  const add = async (schema: SchemaRow, addOne: AddOne) => {
    const field = newField(schema, id, result.draft);
    await addOne(field);
    return [...schema.fields, field];
  };
  const whole = await change.step(async (tx) => {
    const current = await lockRecord(tx, schemaSpec, schemaId, 'delete');
    const field = newField(current, id, result.draft);
    const isLarge = await hasMoreRows(tx, qualifiedTable(tx.tenantId, current.tableName), fewRows);
    if (isLarge && needsSteps(field, current.fields)) return null;
    return changeFields(tx, schemaId, (schema) =>
      add(schema, async (added) => {
        await addColumnToRows(tx, schema.tableName, added);
        await indexColumn(tx, schema.tableName, rowKeyOf([...schema.fields, added]));
        await forgetStats(tx, schema.id);
        await dropUnfinished(tx, schema.tableName, abandonedNames(tx));
      }),
    );
  });
  const finished =
    whole ??
    (await addInSteps(change, schemaId, { ...result.draft, id, schemaId, ordinal: 0 }, (tx, finish) =>
      changeFields(tx, schemaId, (schema) =>
        add(schema, async (added) => {
          await finish(schema, added);
          await forgetStats(tx, schema.id);
        }),
      ),
    ));
  await indexActiveJoins(change, finished.id);
  return fieldOf(finished, id);
}

/**
 * A link may become active, or compare another column. Its index is built outside the step that makes readers of the
 * table wait, because with many rows it takes long.
 */
const indexActiveJoins = (change: TableChange, schemaId: string): Promise<void> =>
  change.step((tx) => indexJoins(tx, schemaId));

type AddOne = (field: SchemaField) => Promise<void>;

/** The field as the last one of the schema; 400 when it is full, 409 when the name is taken. */
function newField(schema: SchemaRow, id: string, draft: FieldDraft): SchemaField {
  if (!hasRoom(schema.fields)) throw invalid('', `a schema can have at most ${maximumFields} fields`);
  const lower = draft.name.toLowerCase();
  if (schema.fields.some((field) => field.name.toLowerCase() === lower)) {
    throw new AppError('duplicate_name', {
      detail: 'A field with this name already exists in the schema; letter case is ignored.',
      errors: [{ path: '/name', message: 'is already taken' }],
    });
  }
  return { ...draft, id, schemaId: schema.id, ordinal: schema.fields.length };
}

/** What existing rows make impossible is the caller's 400. */
async function addColumnToRows(tx: Tx, tableName: string, field: SchemaField): Promise<void> {
  try {
    await addColumn(tx, tableName, field);
  } catch (error) {
    if (error instanceof DatabaseError && error.kind === 'not_null') {
      throw invalid('/defaultValue', 'is required, because the table has rows and the field is not nullable');
    }
    if (error instanceof DatabaseError && error.kind === 'unique') {
      throw invalid('/isUnique', "can't be enforced: all rows of the table would have the default");
    }
    throw error;
  }
}

function fieldOf(schema: SchemaRow, id: string): SchemaField {
  const field = schema.fields.find((candidate) => candidate.id === id);
  if (field === undefined) throw fieldNotFound();
  return wholeField(field);
}

async function owner(tx: Tx, fieldId: string): Promise<string> {
  const schemaId = await schemaIdOfField(tx, fieldId);
  if (schemaId === null) throw fieldNotFound();
  return schemaId;
}

type DefinedChanges = { readonly [K in keyof SchemaFieldDefinition]?: SchemaFieldDefinition[K] | undefined };

export interface FieldChanges extends DefinedChanges {
  readonly ordinal?: number | undefined;
}

/** Changes how a field is described, ordered and used; the column stays as it is, and another column is 400. */
export async function changeField(tx: Tx, fieldId: string, changes: FieldChanges): Promise<SchemaField> {
  const id = fieldId.toLowerCase();
  const schema = await changeFields(tx, await owner(tx, id), (current) => {
    const field = fieldOf(current, id);
    const errors = unchangeableProblems(field, changes);
    if (errors.length > 0) throw new AppError('validation_failed', { detail: "Columns can't be changed.", errors });
    const changed: SchemaField = {
      ...field,
      displayName: changes.displayName ?? field.displayName,
      description: changes.description ?? field.description,
      isPredictor: changes.isPredictor ?? field.isPredictor,
      neverStore: changes.neverStore ?? field.neverStore,
      isSensitive: changes.isSensitive ?? field.isSensitive,
    };
    const fields = current.fields.map((candidate) => (candidate.id === id ? changed : candidate));
    return changes.ordinal === undefined ? fields : reorder(fields, id, changes.ordinal);
  });
  return fieldOf(schema, id);
}

/** Drops a field, its column and its data; 409 `protected` for the primary key, `in_use` while something names it. */
export async function deleteField(change: TableChange, fieldId: string, findUses: FindFieldUses): Promise<void> {
  const id = fieldId.toLowerCase();
  // Another column may become the row key. In a large table its index is built before, while readers go on.
  await change.step(async (tx) => {
    const schema = await getRecord(tx, schemaSpec, await owner(tx, id));
    await assertDroppable(tx, schema, fieldOf(schema, id), findUses);
    const rowKey = rowKeyOf(schema.fields.filter((field) => field.id !== id));
    if (rowKey !== rowKeyOf(schema.fields)) await indexColumn(tx, schema.tableName, rowKey);
  });
  const { id: schemaId } = await change.step(async (tx) =>
    changeFields(tx, await owner(tx, id), async (current) => {
      const field = fieldOf(current, id);
      await assertDroppable(tx, current, field, findUses);
      const fields = current.fields
        .filter((candidate) => candidate.id !== id)
        .map((candidate, ordinal) => ({ ...candidate, ordinal }));
      await dropColumn(tx, current.tableName, field.name);
      await indexColumn(tx, current.tableName, rowKeyOf(fields));
      await dropUnfinished(tx, current.tableName, abandonedNames(tx));
      await forgetStats(tx, current.id);
      return fields;
    }),
  );
  await indexActiveJoins(change, schemaId);
}

async function assertDroppable(tx: Tx, schema: SchemaRow, field: SchemaField, findUses: FindFieldUses): Promise<void> {
  if (field.isPrimaryKey) {
    throw new AppError('protected', { detail: "The primary key of a schema can't be dropped." });
  }
  const joins = await joinsOfColumn(tx, schema.id, field.name);
  const uses = await findUses(tx, { schemaId: schema.id, schemaName: schema.name, name: field.name });
  const entries = [...joins.map((join) => ({ noun: 'schema join', ...join })), ...uses].map(({ noun, name, id }) => ({
    ...inUseEntry('query', noun, name, id),
    path: 'query.fieldId',
  }));
  if (entries.length > 0) throw inUse('field', entries);
}
