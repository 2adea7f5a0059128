import type { SchemaField, SchemaFieldDefinition } from '@arbiter/contract';
import { DatabaseError } from '../../db/index.ts';
import type { Tx } from '../../db/tx.ts';
import { AppError, invalid } from '../../platform/app-error.ts';
import { newId } from '../../platform/ids.ts';
import { getRecord, updateRecord } from '../catalogue-records/index.ts';
import { draftField, hasRoom, reorder } from './fields.rules.ts';
import { maximumFields } from './names.rules.ts';
import { addColumn, dropColumn, type SchemaRow, schemaIdOfField, schemaSpec } from './schemas.store.ts';

const fieldNotFound = () => new AppError('not_found', { detail: 'There is no such field.' });

/** Fields of a schema by ordinal; 404 when there is no such schema. */
export async function listFields(tx: Tx, schemaId: string): Promise<SchemaField[]> {
  return (await getRecord(tx, schemaSpec, schemaId)).fields;
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

/** Adds a field and its column. A schema that does not exist is 404, as for the other field operations. */
export async function createField(tx: Tx, schemaId: string, definition: SchemaFieldDefinition): Promise<SchemaField> {
  if (definition.isPrimaryKey === true) throw invalid('/isPrimaryKey', 'can only be set when the schema is created');
  const result = draftField(definition, '');
  if ('problems' in result) {
    throw new AppError('validation_failed', { detail: 'The field is not valid.', errors: result.problems });
  }
  const id = newId();
  const schema = await changeFields(tx, schemaId, async (current) => {
    if (!hasRoom(current.fields)) throw invalid('', `a schema has at most ${maximumFields} fields`);
    const lower = definition.name.toLowerCase();
    if (current.fields.some((field) => field.name.toLowerCase() === lower)) {
      throw new AppError('duplicate_name', {
        detail: 'The schema has a field of this name, regardless of letter case.',
        errors: [{ path: '/name', message: 'is already taken' }],
      });
    }
    const field = { ...result.draft, id, schemaId: current.id, ordinal: current.fields.length };
    const fields = [...current.fields, field];
    await addColumnToRows(tx, current.tableName, field, fields);
    return fields;
  });
  return fieldOf(schema, id);
}

/** What the rows that are there already make impossible is the caller's 400. */
async function addColumnToRows(
  tx: Tx,
  tableName: string,
  field: SchemaField,
  fields: readonly SchemaField[],
): Promise<void> {
  try {
    await addColumn(tx, tableName, field, fields);
  } catch (error) {
    if (error instanceof DatabaseError && error.kind === 'not_null') {
      throw invalid('/defaultValue', 'is needed: the table has rows and the field is not nullable');
    }
    if (error instanceof DatabaseError && error.kind === 'unique') {
      throw invalid('/isUnique', 'cannot hold: the rows of the table would all have the default');
    }
    throw error;
  }
}

function fieldOf(schema: SchemaRow, id: string): SchemaField {
  const field = schema.fields.find((candidate) => candidate.id === id);
  if (field === undefined) throw fieldNotFound();
  return field;
}

async function owner(tx: Tx, fieldId: string): Promise<string> {
  const schemaId = await schemaIdOfField(tx, fieldId);
  if (schemaId === null) throw fieldNotFound();
  return schemaId;
}

export interface FieldChanges {
  readonly displayName?: string | undefined;
  readonly description?: string | undefined;
  readonly isPredictor?: boolean | undefined;
  readonly neverStore?: boolean | undefined;
  readonly ordinal?: number | undefined;
}

/** Changes how a field is described, ordered and used; the column stays as it is. */
export async function changeField(tx: Tx, fieldId: string, changes: FieldChanges): Promise<SchemaField> {
  const id = fieldId.toLowerCase();
  const schema = await changeFields(tx, await owner(tx, id), (current) => {
    const field = fieldOf(current, id);
    const changed: SchemaField = {
      ...field,
      displayName: changes.displayName ?? field.displayName,
      description: changes.description ?? field.description,
      isPredictor: changes.isPredictor ?? field.isPredictor,
      neverStore: changes.neverStore ?? field.neverStore,
    };
    const fields = current.fields.map((candidate) => (candidate.id === id ? changed : candidate));
    return changes.ordinal === undefined ? fields : reorder(fields, id, changes.ordinal);
  });
  return fieldOf(schema, id);
}

/** Drops a field, its column and its data; 409 `protected` for the primary key. */
export async function deleteField(tx: Tx, fieldId: string): Promise<void> {
  const id = fieldId.toLowerCase();
  await changeFields(tx, await owner(tx, id), async (current) => {
    const field = fieldOf(current, id);
    if (field.isPrimaryKey) {
      throw new AppError('protected', { detail: 'The primary key of a schema cannot be dropped.' });
    }
    const fields = current.fields
      .filter((candidate) => candidate.id !== id)
      .map((candidate, ordinal) => ({ ...candidate, ordinal }));
    await dropColumn(tx, current.tableName, field.name, fields);
    return fields;
  });
}
