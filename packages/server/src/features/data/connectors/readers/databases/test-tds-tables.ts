/** A column type: its description and values as bytes, see [MS-TDS] 2.2.5. */
export interface TdsType {
  readonly userType?: number;
  readonly info: readonly number[];
  /** Value of a row. */
  encode(value: unknown): Buffer;
}

export interface TdsTable {
  readonly columns: Readonly<Record<string, TdsType>>;
  readonly rows: readonly (readonly unknown[])[];
}

/** By name, without schema. */
export type TdsTables = Map<string, TdsTable>;

export const text16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const collation = [9, 4, 208, 0, 52];

const sized = (size: number, write: (bytes: Buffer) => void): Buffer => {
  const bytes = Buffer.alloc(size + 1);
  bytes[0] = size;
  write(bytes);
  return bytes;
};
const noValue = Buffer.from([0]);
const orNone = (encode: (value: unknown) => Buffer) => (value: unknown) => (value === null ? noValue : encode(value));
const long = (encode: (value: unknown) => Buffer) => (value: unknown) => {
  if (value === null) return Buffer.from([255, 255]);
  const bytes = encode(value);
  return Buffer.concat([Buffer.from([bytes.length & 255, bytes.length >> 8]), bytes]);
};
const unread = (): Buffer => {
  throw new Error('a client has to convert this type');
};

/** Ticks since midnight with `digits` decimal places of a second, and days since 0001-01-01. */
function timeBytes(value: unknown, digits: number, parts: 'time' | 'day' | 'both'): Buffer {
  const [, day, hours, minutes, seconds, fraction = ''] =
    /^(?:(\d{4}-\d\d-\d\d)T?)?(?:(\d\d):(\d\d):(\d\d)(?:\.(\d+))?)?$/.exec(String(value)) ?? [];
  const ticks =
    ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 10 ** digits +
    Number(fraction.padEnd(digits, '0'));
  const clock = Buffer.alloc(digits > 4 ? 5 : digits > 2 ? 4 : 3);
  if (parts !== 'day') clock.writeUIntLE(ticks, 0, clock.length);
  const date = Buffer.alloc(3);
  if (day !== undefined) date.writeUIntLE((Date.parse(day) - Date.parse('0001-01-01')) / 86_400_000, 0, 3);
  return Buffer.concat([...(parts === 'day' ? [] : [clock]), ...(parts === 'time' ? [] : [date])]);
}
const prefixed = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from([bytes.length]), bytes]);

export const tdsTypes = {
  int: { info: [0x26, 4], encode: orNone((value) => sized(4, (bytes) => bytes.writeInt32LE(Number(value), 1))) },
  bigint: {
    info: [0x26, 8],
    encode: orNone((value) => sized(8, (bytes) => bytes.writeBigInt64LE(BigInt(String(value)), 1))),
  },
  bit: { info: [0x68, 1], encode: orNone((value) => Buffer.from([1, value === true ? 1 : 0])) },
  float: { info: [0x6d, 8], encode: orNone((value) => sized(8, (bytes) => bytes.writeDoubleLE(Number(value), 1))) },
  nvarchar: { info: [0xe7, 0x40, 0x1f, ...collation], encode: long((value) => text16(String(value))) },
  varchar: { info: [0xa7, 0x40, 0x1f, ...collation], encode: long((value) => Buffer.from(String(value), 'latin1')) },
  varbinary: { info: [0xa5, 0x40, 0x1f], encode: long((value) => Buffer.from(String(value), 'hex')) },
  uuid: { info: [0x24, 16], encode: orNone((value) => prefixed(Buffer.from(String(value), 'hex'))) },
  date: { info: [0x28], encode: orNone((value) => prefixed(timeBytes(value, 7, 'day'))) },
  time: { info: [0x29, 7], encode: orNone((value) => prefixed(timeBytes(value, 7, 'time'))) },
  datetime2: { info: [0x2a, 6], encode: orNone((value) => prefixed(timeBytes(value, 6, 'both'))) },
  // The time is in UTC. The offset only says where it was written.
  datetimeoffset: {
    info: [0x2b, 0],
    encode: orNone((value) => prefixed(Buffer.concat([timeBytes(value, 0, 'both'), Buffer.from([120, 0])]))),
  },
  decimal: { info: [0x6a, 17, 38, 2], encode: unread },
  money: { info: [0x6e, 8], encode: unread },
  rowversion: { userType: 80, info: [0xad, 8, 0], encode: unread },
} as const satisfies Readonly<Record<string, TdsType>>;

const described = (name: string, { userType = 0, info }: TdsType): Buffer =>
  Buffer.concat([Buffer.from([userType, 0, 0, 0, 9, 0, ...info, name.length]), text16(name)]);

/** Ends a response. `status`: 2 for an error, 0x20 for an attention. */
export const done = (status = 0): Buffer => Buffer.concat([Buffer.from([0xfd, status]), Buffer.alloc(11)]);

const procedureDone = (status = 0): Buffer => Buffer.concat([Buffer.from([0xfe, status]), Buffer.alloc(11)]);

export function errorToken(number: number): Buffer {
  const message = 'secret text of the server';
  const body = Buffer.concat([
    ...[
      Buffer.alloc(4),
      Buffer.from([1, 14, message.length, 0]),
      text16(message),
      Buffer.from([0, 0]),
      Buffer.alloc(4),
    ],
  ]);
  body.writeInt32LE(number, 0);
  return Buffer.concat([Buffer.from([0xaa, body.length & 255, body.length >> 8]), body]);
}

const failed = (number: number): Buffer => Buffer.concat([errorToken(number), procedureDone(2)]);

const statement =
  /^select (?:top \((?<top>\d+)\) )?(?<list>.+?) from (?<table>(?:"(?:[^"]|"")*"\.?)+)(?: where "(?<by>(?:[^"]|"")*)" (?:is not null|> (?<beyond>.+)) order by "\k<by>")?$/s;
const listed =
  /(?:convert\((?<type>[a-z]+)(?:\(\d+\))?, "(?<from>(?:[^"]|"")*)"(?:, 2)?\) as )?"(?<name>(?:[^"]|"")*)"/g;

/** Runs the selects that the reader sends. */
export function answerTo(
  tables: TdsTables,
  { sql, after }: { readonly sql: string; readonly after: string | null },
): Buffer {
  if (sql.startsWith('if exists (select 1 from sys.databases') || sql === 'select 1 as n') return procedureDone();
  const { top, list = '', table = '', by, beyond } = statement.exec(sql)?.groups ?? {};
  if (list === '') return failed(102);
  const name = (/"((?:[^"]|"")*)"$/.exec(table)?.[1] ?? '').replaceAll('""', '"');
  const found = tables.get(name);
  if (found === undefined) return failed(name === 'forbidden' ? 229 : 208);
  const names = Object.keys(found.columns);
  const chosen =
    list === '*'
      ? names.map((each) => ({ name: each, type: undefined }))
      : [...list.matchAll(listed)].map(({ groups = {} }) => ({
          name: (groups.name ?? '').replaceAll('""', '"'),
          type: groups.type,
        }));
  const types = chosen.map(({ name: each, type }) => typeNamed(type) ?? found.columns[each] ?? tdsTypes.int);
  let rows = found.rows;
  if (by !== undefined) {
    const at = names.indexOf(by);
    const least = beyond === undefined || after === null ? null : BigInt(after);
    rows = rows.filter((row) => row[at] !== null && (least === null || BigInt(String(row[at])) > least));
    rows = rows.toSorted((one, other) => (BigInt(String(one[at])) < BigInt(String(other[at])) ? -1 : 1));
  }
  const count = Buffer.from([chosen.length & 255, chosen.length >> 8]);
  return Buffer.concat([
    ...[Buffer.from([0x81]), count, ...chosen.map((each, at) => described(each.name, types[at] ?? tdsTypes.int))],
    ...rows
      .slice(0, top === undefined ? undefined : Number(top))
      .map((row) =>
        Buffer.concat([
          Buffer.from([0xd1]),
          ...chosen.map((each, at) => (types[at] ?? tdsTypes.int).encode(row[names.indexOf(each.name)] ?? null)),
        ]),
      ),
    procedureDone(),
  ]);
}

const typeNamed = (name: string | undefined): TdsType | undefined =>
  name === 'bigint' || name === 'varchar' || name === 'nvarchar' ? tdsTypes[name] : undefined;
