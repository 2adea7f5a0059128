import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { largestCsv } from '@arbiter/contract';
import { keys } from '../../../../http/test-app.ts';
import { createTestSchemas, type TestSchemas, url } from '../test-schemas.ts';
import { columnNames } from './csv-columns.rules.ts';

let kit: TestSchemas;
let address: string;
before(async () => {
  kit = await createTestSchemas();
  address = await kit.app.listen({ port: 0, host: '127.0.0.1' });
});
after(async () => {
  await kit.app.close();
  await kit.db.close();
});

const headers = { authorization: `Bearer ${keys.editor}`, 'x-requested-with': 'test' };

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely; their schemas are checked by the app.
type Answer = { status: number; json: any };

async function post(body: FormData): Promise<Answer> {
  const answer = await fetch(`${address}${url}/upload`, { method: 'POST', body, headers });
  return { status: answer.status, json: await answer.json() };
}

function upload(content: string | Uint8Array<ArrayBuffer>, type = 'text/csv', name = 'a.csv'): Promise<Answer> {
  const form = new FormData();
  form.append('note', 'a field is passed over');
  form.append('file', new Blob([content], { type }), name);
  return post(form);
}

const types = (answer: Answer) =>
  answer.json.columns.map(({ dataType, length }: { dataType: string; length?: number }) =>
    length === undefined ? dataType : `${dataType} ${length}`,
  );
const refusal = ({ status, json }: Answer) => [status, json.code, json.errors[0]?.message];

describe('columns', () => {
  test('have the narrowest type that fits all cells', async () => {
    const file = [
      'Customer ID;Größe;n;big;price;ok;day;at;u;zip;word;long;longer;longest;none;mixed',
      '7;1,5;1;2147483648;1.50;TRUE;2026-11-20;2026-11-20T09:30:00Z;a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11;01234;' +
        `${'w'.repeat(25)};${'x'.repeat(51)};${'y'.repeat(128)};${'z'.repeat(501)};;2026-11-20`,
      '8;;-2;-3;0;false;2026-11-21;2026-11-20T09:30:00+02:00;A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A12;5;;;;;;x',
    ].join('\r\n');
    const answer = await upload(file);
    assert.equal(answer.status, 200, JSON.stringify(answer.json));
    assert.deepEqual(types(answer), [
      'integer',
      'varchar 50',
      'integer',
      'bigint',
      'decimal',
      'boolean',
      'date',
      'timestamptz',
      'uuid',
      'varchar 50',
      'varchar 50',
      'varchar 255',
      'varchar 1000',
      'text',
      'varchar 255',
      'varchar 50',
    ]);
    const { columns, ...rest } = answer.json;
    assert.deepEqual(columns[0], {
      name: 'customer_id',
      dataType: 'integer',
      isNullable: false,
      isPrimaryKey: true,
      isUnique: true,
      defaultValue: null,
    });
    assert.deepEqual(columns[1].name, 'grosse');
    assert.deepEqual([rest.headers[1], rest.rowCount, rest.estimatedRows, rest.truncated], ['Größe', 2, 2, false]);
    assert.deepEqual([rest.encoding, rest.delimiter], ['utf-8', ';']);
  });

  test('are accepted by a new schema as they are', async () => {
    const { json } = await upload('id,select,1st,__v,Name,name,id,€\nx,1,2,3,4,5,6,7\nx,1,2,3,4,5,6,7\n');
    assert.deepEqual(
      json.columns.map(({ name }: { name: string }) => name),
      ['id_col', 'select_col', '_1st', 'col___v', 'name', 'name_2', 'id_2', 'col_8'],
    );
    const made = await kit.create({ schemaType: 'event', fields: json.columns });
    assert.equal(made.fields.length, 8);
    const keyed = (await upload('id,n\n1,\n2,\n')).json.columns;
    assert.equal((await kit.create({ fields: keyed })).rowKey, 'id');
  });

  test('spell Latin letters in ASCII', () => {
    const headers = ['Größe', 'Prénom', 'Łódź', 'Straße 1', 'Ærø', 'Ñandú', 'Größe', 'Возраст', 'ﬁnal'];
    const names = ['grosse', 'prenom', 'lodz', 'strasse_1', 'aero', 'nandu', 'grosse_2', 'col_8', '_nal'];
    assert.deepEqual(columnNames(headers), names);
  });

  test('have different names of at most 63 bytes', () => {
    const names = columnNames([...Array<string>(12).fill('n'.repeat(80)), 'n', 'N', 'n_2', 'pg_x', 'TENANT ID', '  ']);
    assert.equal(new Set(names).size, names.length);
    assert.ok(names.every((name) => name.length <= 63 && name.length > 0));
    assert.deepEqual(names.slice(12), ['n', 'n_2', 'n_2_2', 'col_pg_x', 'tenant_id_col', 'col_18']);
  });

  test('have one key: the first of ids that is full and distinct', async () => {
    const keyOf = async (file: string) =>
      (await upload(file)).json.columns.findIndex(({ isPrimaryKey }: { isPrimaryKey: boolean }) => isPrimaryKey);
    assert.equal(await keyOf('a_id,b_id,id\n1,1,1\n1,2,2\n'), 1);
    assert.equal(await keyOf('a_id,b_id\n1,\n2,2\n'), 0);
    assert.equal(await keyOf('a_id,b_id\n1,\n1,2\n'), -1);
    assert.equal(await keyOf('id,key\n'), -1);
    assert.equal(await keyOf('valid,paid\n1,2\n'), -1);
    assert.equal(await keyOf('yes_id\ntrue\nfalse\n'), -1, 'a boolean is no key');
  });
});

describe('a file', () => {
  test('has the delimiter that splits its header best', async () => {
    const delimiterOf = async (file: string) => (await upload(file)).json.delimiter;
    for (const [file, delimiter] of [
      ['a,b;c,d\n', ','],
      ['a;b;c,d\n', ';'],
      ['a\tb\tc\n1,5\t2\t3\n', '\t'],
      ['a|b\n', '|'],
      ['"a,b,c,d";e;f\n', ';'],
      ['a,b;c\n', ','],
      ['alone\n', ','],
    ] as const) {
      assert.equal(await delimiterOf(file), delimiter, file);
    }
  });

  test('keeps quoted text: line breaks, quotes, delimiters, empty cells', async () => {
    const { json } = await upload('a,b,c\r\n"x\r\ny","say ""so"", please",""\r\n\r\n,"",z\n');
    assert.deepEqual([json.rowCount, json.headers], [2, ['a', 'b', 'c']]);
    assert.equal(json.columns[1].length, 50);
  });

  test('is decoded by its byte order mark, or as it was saved', async () => {
    const text = 'Straße;n\nMünchen;1\n';
    const utf16 = Buffer.from(text, 'utf16le');
    const withMark = (mark: number[], bytes: Buffer) => new Uint8Array([...mark, ...bytes]);
    for (const [bytes, encoding] of [
      [new Uint8Array(Buffer.from(text)), 'utf-8'],
      [withMark([0xef, 0xbb, 0xbf], Buffer.from(text)), 'utf-8'],
      [withMark([0xff, 0xfe], utf16), 'utf-16le'],
      [withMark([0xfe, 0xff], Buffer.from(utf16).swap16()), 'utf-16be'],
      [new Uint8Array(Buffer.from(text, 'latin1')), 'windows-1252'],
    ] as const) {
      const { json } = await upload(bytes);
      assert.deepEqual([json.encoding, json.headers], [encoding, ['Straße', 'n']], encoding);
    }
    const broken = await upload(withMark([0xef, 0xbb, 0xbf], Buffer.from(text, 'latin1')));
    assert.deepEqual(refusal(broken).slice(0, 2), [400, 'csv_invalid']);
  });

  test('names the place of a fault', async () => {
    for (const [file, message] of [
      ['', 'has no header'],
      ['\n\n', 'has no header'],
      ['a,b\n1,2\n1,2,3\n', 'line 3: has 3 cells, but the header has 2'],
      ['a,b\n1,"2\n', 'line 2: a quote is not closed'],
      ['a,b\n"1"x,2\n', 'line 2: there is text after a closing quote'],
      ['a,b\n1"x,2\n', 'line 2: there is a quote inside an unquoted cell'],
      [Array(501).fill('c').join(','), 'must have at most 500 columns'],
      [','.repeat(1_000_000), 'line 1: the header is longer than 256 KB'],
    ] as const) {
      assert.deepEqual(refusal(await upload(file)), [400, 'csv_invalid', message]);
    }
    assert.equal((await upload(Array(500).fill('c').join('\t'))).json.columns.length, 500);
    const { json } = await upload('a,b,c\n1\n');
    assert.equal(json.rowCount, 1, 'missing cells are empty');
  });

  test("is 400 when it's missing, repeated or not a file", async () => {
    const other = new FormData();
    other.append('document', new Blob(['a,b\n'], { type: 'text/csv' }), 'a.csv');
    const field = new FormData();
    field.append('file', 'a,b\n');
    const twice = new FormData();
    for (const name of ['a.csv', 'b.csv']) twice.append('file', new Blob(['a,b\n'], { type: 'text/csv' }), name);
    for (const form of [other, field, twice]) {
      assert.deepEqual(refusal(await post(form)).slice(0, 2), [400, 'csv_invalid']);
    }
  });

  test('of another type is 415, by its media type or its content', async () => {
    const ok = 'a,b\n1,2\n';
    for (const [type, name, status] of [
      ['text/csv', 'a', 200],
      ['application/vnd.ms-excel', 'a', 200],
      ['text/plain', 'a', 200],
      ['text/csv; charset=utf-8', 'a', 200],
      ['application/octet-stream', 'a.CSV', 200],
      ['', 'a.tsv', 200],
      ['application/octet-stream', 'a.xlsx', 415],
      ['application/json', 'a.csv', 415],
    ] as const) {
      assert.equal((await upload(ok, type, name)).status, status, `${type} ${name}`);
    }
    for (const magic of [
      [0x50, 0x4b, 3, 4],
      [0x1f, 0x8b],
      [0x25, 0x50, 0x44, 0x46],
      [0x89, 0x50, 0x4e, 0x47],
      [0xff, 0xd8, 0xff],
    ]) {
      assert.equal((await upload(new Uint8Array([...magic, 0x2c, 0x0a]))).status, 415);
    }
    assert.equal((await upload('a,b\n1,\0\n')).status, 415);
    const json = await fetch(`${address}${url}/upload`, {
      method: 'POST',
      body: '{}',
      headers: { ...headers, 'content-type': 'application/json' },
    });
    assert.equal(json.status, 415);
  });
});

describe('a large file', () => {
  test('is analyzed by its first rows, with an estimate of its rows', async () => {
    const rows = (count: number) => `id,word\n${Array.from({ length: count }, (_, at) => `${at},w\n`).join('')}`;
    for (const [count, truncated] of [
      [100, false],
      [101, true],
    ] as const) {
      const { json } = await upload(rows(count));
      assert.deepEqual([json.rowCount, json.truncated], [100, truncated]);
    }
    const { json } = await upload(`word\n${'abc\n'.repeat(1_000_000)}`);
    assert.deepEqual([json.rowCount, json.truncated], [100, true]);
    assert.ok(Math.abs(json.estimatedRows - 1_000_000) < 2, String(json.estimatedRows));
  });

  test('is cut after a megabyte, without the record at the cut', async () => {
    const wide = 'x'.repeat(300_000);
    const { json } = await upload(`a,b\n${`1,${wide}\n`.repeat(5)}`);
    assert.deepEqual([json.rowCount, json.truncated, types({ status: 200, json })], [3, true, ['integer', 'text']]);
    const quoted = await upload(`a,b\n1,2\n3,"${'y\n'.repeat(2_000_000)}"\n`);
    assert.deepEqual([quoted.json.rowCount, quoted.json.truncated], [1, true]);
    const oneCell = await upload(`"${'z'.repeat(2_000_000)}`);
    assert.deepEqual(refusal(oneCell), [400, 'csv_invalid', 'line 1: the header is longer than 256 KB']);
    const longest = 'h'.repeat(256 * 1024);
    assert.equal((await upload(`${longest}\n1`)).status, 200);
    assert.equal(refusal(await upload(`${longest}h\n1`))[1], 'csv_invalid');
  });

  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n';
  const tail = '\r\n--b--\r\n';
  const line = Buffer.from(`${'0123456789,'.repeat(5)}12345678\n`);
  const chunk = Buffer.concat(Array<Buffer>(1024).fill(line));

  /** Sends a file of `bytes` bytes in chunks. Returns what was sent, and the process's peak memory. */
  async function send(bytes: number): Promise<{ status: number; sent: number; grownBy: number; answer: string }> {
    const atFirst = process.memoryUsage().rss;
    let most = atFirst;
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        most = Math.max(most, process.memoryUsage().rss);
        if (sent === 0) controller.enqueue(Buffer.from(`${head}a,b,c,d,e,f\n`));
        if (sent === 0) sent = 'a,b,c,d,e,f\n'.length;
        const next = chunk.subarray(0, Math.min(chunk.length, bytes - sent));
        sent += next.length;
        if (next.length > 0) controller.enqueue(next);
        else {
          controller.enqueue(Buffer.from(tail));
          controller.close();
        }
      },
    });
    const request = {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { ...headers, 'content-type': 'multipart/form-data; boundary=b' },
    };
    const answer = await fetch(`${address}${url}/upload`, request as RequestInit);
    return { status: answer.status, sent, grownBy: most - atFirst, answer: await answer.text() };
  }

  test('of 50 MB passes with little memory, three at once; one byte more is 413', async () => {
    const results = await Promise.all([send(largestCsv), send(largestCsv), send(largestCsv)]);
    for (const { status, sent, grownBy, answer } of results) {
      assert.deepEqual([status, sent], [200, largestCsv], answer);
      assert.ok(grownBy < 150 * 1024 * 1024, `${Math.round(grownBy / 1024 / 1024)} MB more`);
    }
    const { status, answer } = await send(largestCsv + 1);
    assert.deepEqual([status, JSON.parse(answer).code], [413, 'payload_too_large']);
  });

  test("without an end isn't read further", async () => {
    const { status, sent } = await send(2 * largestCsv);
    assert.equal(status, 413);
    assert.ok(sent < largestCsv + 16 * 1024 * 1024, `${sent} bytes were taken`);
    const announced = await fetch(`${address}${url}/upload`, {
      method: 'POST',
      body: Buffer.alloc(largestCsv + 1024 * 1024),
      headers: { ...headers, 'content-type': 'multipart/form-data; boundary=b' },
    }).catch((error: Error) => error);
    // The connection may be closed while the rest is being sent; by a server that lives.
    if (announced instanceof Error)
      assert.match(String(Reflect.get(Object(announced.cause), 'code')), /EPIPE|RESET|SOCKET/);
    else assert.equal(announced.status, 413);
    assert.equal((await fetch(`${address}${url}?limit=1`, { headers })).status, 200);
  });
});
