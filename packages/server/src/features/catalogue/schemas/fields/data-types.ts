import type { DataType } from '@arbiter/contract';

/** A column's type in the stored spelling (docs/design/api-catalogue.md 2.1). */
export interface ColumnType {
  readonly dataType: DataType;
  /** Maximum text length of varchar (null means unlimited) and char, in code points. */
  readonly length: number | null;
  /** Digits of decimal and numeric; null = unlimited. */
  readonly precision: number | null;
  readonly scale: number | null;
}

const spellings: Readonly<Record<string, DataType>> = {
  varchar: 'varchar',
  string: 'varchar',
  'character varying': 'varchar',
  char: 'char',
  character: 'char',
  text: 'text',
  longtext: 'text',
  smallint: 'smallint',
  int2: 'smallint',
  integer: 'integer',
  int: 'integer',
  int4: 'integer',
  bigint: 'bigint',
  int8: 'bigint',
  long: 'bigint',
  decimal: 'decimal',
  number: 'decimal',
  money: 'decimal',
  numeric: 'numeric',
  real: 'real',
  float4: 'real',
  double: 'double',
  float: 'double',
  float8: 'double',
  'double precision': 'double',
  boolean: 'boolean',
  bool: 'boolean',
  date: 'date',
  time: 'time',
  timestamp: 'timestamp',
  'timestamp without time zone': 'timestamp',
  timestamptz: 'timestamptz',
  datetime: 'timestamptz',
  'timestamp with time zone': 'timestamptz',
  uuid: 'uuid',
  jsonb: 'jsonb',
  json: 'jsonb',
  object: 'jsonb',
};

const shape = /^([a-z0-9 ]+?) ?(?:\( ?(\d{1,9}) ?(?:, ?(\d{1,9}) ?)?\))?$/;

export interface DeclaredType {
  readonly dataType?: string | undefined;
  readonly length?: number | null | undefined;
  readonly precision?: number | null | undefined;
  readonly scale?: number | null | undefined;
}

/** Why a declaration is refused; `key` is the property it is about. */
export interface TypeProblem {
  readonly key: 'dataType' | 'length' | 'precision' | 'scale';
  readonly message: string;
}

const problem = (key: TypeProblem['key'], message: string): TypeProblem => ({ key, message });

/** True when one of the two is absent or both agree. */
const agree = (explicit: number | null, written: number | null) =>
  explicit === null || written === null || explicit === written;

/** Reads a field's type: any letter case, aliases, `varchar(50)`, `numeric(10,2)`; default varchar. */
export function readColumnType(declared: DeclaredType): ColumnType | TypeProblem {
  const text = (declared.dataType ?? 'varchar').trim().toLowerCase().replace(/\s+/g, ' ');
  const [, word = '', first, second] = shape.exec(text) ?? [];
  const dataType = Object.hasOwn(spellings, word) ? spellings[word] : undefined;
  if (dataType === undefined) return problem('dataType', 'is not a known data type');
  const one = first === undefined ? null : Number(first);
  const two = second === undefined ? null : Number(second);
  const { length = null, precision = null, scale = null } = declared;
  if (dataType === 'varchar' || dataType === 'char') {
    if (two !== null) return problem('dataType', 'has too many numbers');
    if (precision !== null) return problem('precision', `can't be used with ${dataType}`);
    if (scale !== null) return problem('scale', `can't be used with ${dataType}`);
    return textType(dataType, length, one);
  }
  if (length !== null) return problem('length', `can't be used with ${dataType}`);
  if (dataType === 'decimal' || dataType === 'numeric') return decimalType(dataType, { precision, scale }, one, two);
  if (one !== null) return problem('dataType', `${dataType} doesn't take numbers`);
  if (precision !== null) return problem('precision', `can't be used with ${dataType}`);
  if (scale !== null) return problem('scale', `can't be used with ${dataType}`);
  return { dataType, length: null, precision: null, scale: null };
}

function textType(
  dataType: 'varchar' | 'char',
  explicit: number | null,
  written: number | null,
): ColumnType | TypeProblem {
  if (!agree(explicit, written)) return problem('length', 'contradicts the number in dataType');
  const length = explicit ?? written ?? (dataType === 'char' ? 1 : null);
  const longest = dataType === 'char' ? 255 : 65_535;
  if (length !== null && (length < 1 || length > longest)) return problem('length', `must be 1 to ${longest}`);
  return { dataType, length, precision: null, scale: null };
}

function decimalType(
  dataType: 'decimal' | 'numeric',
  explicit: { readonly precision: number | null; readonly scale: number | null },
  writtenPrecision: number | null,
  writtenScale: number | null,
): ColumnType | TypeProblem {
  if (!agree(explicit.precision, writtenPrecision)) return problem('precision', 'contradicts the number in dataType');
  // numeric(10) means scale 0.
  const impliedScale = writtenPrecision === null ? null : (writtenScale ?? 0);
  if (!agree(explicit.scale, impliedScale)) return problem('scale', 'contradicts the number in dataType');
  const precision = explicit.precision ?? writtenPrecision;
  const scale = explicit.scale ?? impliedScale;
  if (precision === null) {
    return scale === null
      ? { dataType, length: null, precision: null, scale: null }
      : problem('scale', 'requires a precision');
  }
  if (precision < 1 || precision > 100) return problem('precision', 'must be 1 to 100');
  if (scale !== null && (scale < 0 || scale > precision)) return problem('scale', 'must be 0 to the precision');
  return { dataType, length: null, precision, scale: scale ?? 0 };
}

/** The type as PostgreSQL writes it in a cast or a column list of json_to_recordset, without its limits. */
export function sqlType(dataType: DataType): string {
  switch (dataType) {
    case 'char':
      return 'bpchar';
    case 'decimal':
      return 'numeric';
    case 'double':
      return 'double precision';
    default:
      return dataType;
  }
}
