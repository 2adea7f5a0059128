import type { DataType, SchemaField } from '@arbiter/contract';
import type { Holds } from '@arbiter/engine';
import type { Static } from 'typebox';
import { columns, select } from '../../../../db/columns.ts';
import type { Tx } from '../../../../db/tx.ts';
import { schemaSpec } from '../schemas.store.ts';

/** Columns by name that a change may be suggested for, with what they can hold, by schema id. */
export type SuggestibleColumns = Readonly<Record<string, Readonly<Record<string, Holds>>>>;

type SuggestibleField = Pick<
  Static<typeof SchemaField>,
  'name' | 'dataType' | 'length' | 'precision' | 'scale' | 'isPrimaryKey' | 'isSensitive' | 'neverStore'
>;

/**
 * Returns what the columns of the tenant's schemas can hold, as far as a change may be suggested: not for columns that
 * are sensitive, never stored or a key (docs/design/api-settled.md 15, 92). `hidden`: names of the sensitive and never
 * stored ones.
 */
export async function suggestibleColumns(
  tx: Tx,
): Promise<{ readonly columns: SuggestibleColumns; readonly hidden: readonly string[] }> {
  const rows = await select(tx, columns(schemaSpec, ['id', 'fields']), 'from arbiter.schemas where tenant_id = $1', [
    tx.tenantId,
  ]);
  const found: Record<string, Record<string, Holds>> = {};
  const hidden: string[] = [];
  for (const { id, fields } of rows) {
    const own: Record<string, Holds> = {};
    for (const field of fields) {
      const isHidden = field.isSensitive || field.neverStore;
      if (isHidden) hidden.push(field.name);
      const holds = isHidden || field.isPrimaryKey ? null : holdsOf(field);
      if (holds !== null) own[field.name] = holds;
    }
    found[id] = own;
  }
  return { columns: found, hidden };
}

/** Null: no value of the type is ever suggested. */
function holdsOf({ dataType, length, precision, scale }: SuggestibleField): Holds | null {
  switch (dataType) {
    case 'smallint':
      return { kind: 'integer', most: 32_767 };
    case 'integer':
      return { kind: 'integer', most: 2_147_483_647 };
    case 'bigint':
      return { kind: 'integer' };
    case 'decimal':
    case 'numeric':
      return numeric(precision, scale ?? 0);
    case 'real':
      // Six digits come back as they were written.
      return { kind: 'number', most: 999_999, scale: 0 };
    case 'double':
      return { kind: 'number' };
    case 'boolean':
      return { kind: 'boolean' };
    case 'varchar':
    case 'char':
      return length === null ? { kind: 'text' } : { kind: 'text', length };
    case 'text':
      return { kind: 'text' };
    case 'date':
      return { kind: 'date' };
    case 'timestamp':
    case 'timestamptz':
      return { kind: 'instant' };
    default:
      return unsuggestible(dataType);
  }
}

function numeric(precision: number | null, scale: number): Holds {
  if (precision === null) return { kind: 'number' };
  const most = Math.min(Number.MAX_SAFE_INTEGER, 10 ** (precision - scale) - 10 ** -scale);
  return scale === 0 ? { kind: 'integer', most } : { kind: 'number', most, scale };
}

/** A time of the day, an id and a document are compared as they are, and have no boundary. */
const unsuggestible = (_dataType: Extract<DataType, 'time' | 'uuid' | 'jsonb'>): null => null;
