import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileOf, headersOf, messages, startUploadServer, type UploadServer, uploadPath } from './test-upload.ts';

/** Replacing a dataset's rows by a file: what is accepted, and what is refused (docs/design/quality.md T21). */

let world: UploadServer;
before(async () => {
  world = await startUploadServer();
});
after(() => world?.server.close());

describe('accepts a file', () => {
  test('with the headers of the published data set, leaving missing columns empty', async () => {
    const file = [
      'customer_id,age,job,marital,education,default,balance,housing,loan,contact,day,month,duration,campaign,pdays,previous,poutcome,y',
      'BANK-000001,58,management,married,tertiary,no,2143,yes,no,unknown,5,may,261,1,-1,0,unknown,no',
      'NEW-2,33,"blue-collar, mostly",single,secondary,yes,-12.5,no,yes,cellular,5,may,151,2,166,3,success,yes',
    ].join('\n');
    const answer = await world.upload(file);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.deepEqual(answer.body, {
      message: 'Imported 2 rows into bank_clients.',
      rowsInserted: 2,
      schemaName: 'bank_clients',
      datasetKey: 'retail_bank',
    });
    const [first, second] = await world.clients<Record<string, unknown>>('*', 'order by client_id');
    const { tenant_id: _t, ...told } = first ?? {};
    assert.deepEqual(told, {
      client_id: 'BANK-000001',
      age: 58,
      job: 'management',
      marital: 'married',
      education: 'tertiary',
      credit_default: false,
      balance: '2143.0000',
      housing_loan: true,
      personal_loan: false,
      contact_type: 'unknown',
      last_contact_days: null,
      campaign_contacts: 1,
      previous_contacts: 0,
      previous_outcome: 'unknown',
      subscribed: false,
      wealth_band: null,
      risk_score: null,
      complaint_open: null,
      consent_sms: null,
    });
    assert.equal(second?.job, 'blue-collar, mostly');
    assert.equal(second?.last_contact_days, 166);
    const decision = await world.server.call<{ known: boolean; count: number }>('POST', '/api/v1/recommend', {
      key: world.bank.keys.admin,
      body: { customerId: 'NEW-2', channel: 'in_app', dryRun: true },
    });
    assert.equal(decision.body.known, true);
    assert.ok(decision.body.count > 0);
    const audit = await world.server.testDatabase.ownerQuery(
      `select entity_type, entity_id, after from arbiter.audit_logs where tenant_id = $1 and action = 'upload'
         and entity_type = 'seedDataset'`,
      [world.bank.id],
    );
    assert.deepEqual(audit, [
      { entity_type: 'seedDataset', entity_id: 'retail_bank', after: { schema: 'bank_clients', rows: 2 } },
    ]);
  });

  test('with its own column names, in any spelling of header and cells', async () => {
    const content = [
      'Client_ID;AGE;job;nonsense;Complaint_Open\r\n',
      'A;41;"says ""hello"";\r\nand more";x;TRUE\r\n',
      '\r\n',
      'B;;;;0\r\n',
      'C',
    ].join('');
    for (const bytes of [
      content,
      `\ufeff${content}`,
      Uint8Array.from([0xff, 0xfe, ...Buffer.from(content, 'utf16le')]),
    ]) {
      const answer = await world.upload(bytes);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      const rows = await world.clients('client_id, age, job, complaint_open', 'order by client_id');
      assert.deepEqual(rows, [
        { client_id: 'A', age: 41, job: 'says "hello";\r\nand more', complaint_open: true },
        { client_id: 'B', age: null, job: null, complaint_open: false },
        { client_id: 'C', age: null, job: null, complaint_open: null },
      ]);
    }
  });

  test('in UTF-8, and otherwise in Windows-1252', async () => {
    // A two-byte character crosses the places where the body is split.
    const long = 'client_id,job\n'.concat('é'.repeat(39_000).replaceAll(/(.{39})/g, (part) => `${part}\n`));
    const lines = long.split('\n').map((line, at) => (at === 0 ? line : line === '' ? line : `K${at},${line}`));
    assert.equal((await world.upload(lines.join('\n'))).status, 200);
    const [row] = await world.clients<{ n: number; job: string }>('count(*)::int as n, min(job) as job');
    assert.deepEqual(row, { n: 1000, job: 'é'.repeat(39) });
    assert.equal((await world.upload(Uint8Array.from(Buffer.from('client_id,job\nA,caf\xe9', 'latin1')))).status, 200);
    assert.deepEqual(await world.clients('job'), [{ job: 'café' }]);
  });

  test('with its parts in any order, and other parts', async () => {
    const form = new FormData();
    form.append('note', 'passed over');
    form.append('file', fileOf('client_id\nZ'), 'clients.csv');
    form.append('schema', 'bank_clients');
    assert.equal((await world.post(form)).status, 200);
    assert.deepEqual(await world.idsOf(), ['Z']);
  });

  test('including the real file of the data set', async (t) => {
    // Next to the checkout, or next to the folder of a separate checkout.
    const file = ['../shared', '../../shared']
      .map((folder) => join(import.meta.dirname, '../../../../../..', folder, 'data/uci-bank/bank-full.csv'))
      .find(existsSync);
    if (file === undefined) {
      t.skip('the data set Bank Marketing is not on this machine (../shared/data/uci-bank/bank-full.csv)');
      return;
    }
    const answer = await world.upload(Uint8Array.from(readFileSync(file)));
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.equal(answer.body.rowsInserted, 45_211);
    const [sums] = await world.clients(
      `count(*)::int as rows, count(*) filter (where subscribed)::int as subscribed, count(last_contact_days)::int as reached,
       count(*) filter (where credit_default)::int as defaults, sum(balance)::float8 as balance`,
    );
    assert.deepEqual(sums, { rows: 45_211, subscribed: 5_289, reached: 8_257, defaults: 815, balance: 61_589_682 });
  });
});

describe('rejects a file', () => {
  test("if rows don't match, with up to twenty line numbers", async () => {
    const one = await world.refused('client_id,age,job\nA,12\nB,many\nC,1,"x\ny"\nA,3\n,4');
    assert.equal(one.body.detail, "Lines 3, 6, 7 can't be stored. No row was changed.");
    assert.deepEqual(messages(one), [
      'line 3: age must be a whole number',
      'line 6: client_id repeats the value of an earlier row',
      'line 7: client_id is required',
    ]);
    const many = await world.refused(`client_id,age\n${'A,x\n'.repeat(50)}`);
    assert.equal(messages(many)?.length, 20);
    const far = Array.from({ length: 2_500 }, (_, at) => `K${at}`);
    const later = await world.refused(['client_id', ...far, 'K0'].join('\n'));
    assert.deepEqual(messages(later), ['line 2502: client_id repeats the value of an earlier row']);
  });

  test("if it isn't a table with the key", async () => {
    for (const [content, message] of [
      ['', 'has no header'],
      ['client_id\n', 'has no rows'],
      ['age\n1', 'line 1: the file has no column client_id, which is the key'],
      ['client_id,Age,age\nA,1,2', 'line 1: more than one column of the file is named age'],
      ['client_id,default,credit_default\nA,no,no', 'line 1: more than one column of the file is named credit_default'],
      ['client_id\nA,1', 'line 2: has 2 cells, but the header has 1'],
      ['client_id,job\nA,"open', 'line 2: a quote is not closed'],
      ['client_id,job\nA,"x"y', 'line 2: there is text after a closing quote'],
      ['c,'.repeat(200_000), 'line 1: the header is longer than 256 KB'],
    ] as const) {
      assert.deepEqual(messages(await world.refused(content)), [message]);
    }
    const cell = await world.refused(`client_id,job\nA,"${'x'.repeat(3 * 1024 * 1024)}`);
    assert.match(messages(cell)?.[0] ?? '', /a row is longer than 1 MB, or a quote is not closed/);
    await world.refused(Uint8Array.from([0xff, 0xfe, 0x41, 0xd8, 0x41, 0x00, 0x0a, 0x00]));
  });

  test("if it isn't a CSV file", async () => {
    await world.refused(Uint8Array.from([0x50, 0x4b, 0x03, 0x04, 1, 2, 3]), 'unsupported_media_type', 415);
    await world.refused('client_id\nA\0B', 'unsupported_media_type', 415);
    const form = new FormData();
    form.append('schema', 'bank_clients');
    form.append('file', fileOf('client_id\nA', 'application/pdf'), 'clients.pdf');
    await world.refused(form, 'unsupported_media_type', 415);
  });

  test('if a part is missing, repeated or of the wrong type', async () => {
    const parts: readonly (readonly [readonly (readonly [string, string | Blob])[], string, string])[] = [
      [[['schema', 'bank_clients']], '/file', 'is missing'],
      [[['file', fileOf('client_id\nA')]], '/schema', 'is missing'],
      [
        [
          ['schema', 'bank_clients'],
          ['schema', 'bank_clients'],
          ['file', fileOf('client_id\nA')],
        ],
        '/schema',
        'must be sent once',
      ],
      [
        [
          ['schema', 'bank_clients'],
          ['file', fileOf('client_id\nA')],
          ['file', fileOf('client_id\nB')],
        ],
        '/file',
        'must be sent once',
      ],
      [
        [
          ['schema', 'coffee_members'],
          ['file', fileOf('client_id\nA')],
        ],
        '/schema',
        'must be a schema of retail_bank',
      ],
      [
        [
          ['schema', 'bank_clients'],
          ['file', 'client_id'],
        ],
        '/file',
        'must be sent as a file, with a file name',
      ],
      [
        [
          ['schema', fileOf('bank_clients')],
          ['file', fileOf('client_id\nA')],
        ],
        '/schema',
        'must be a text value, not a file',
      ],
    ];
    for (const [entries, place, message] of parts) {
      const form = new FormData();
      for (const [name, value] of entries) {
        if (typeof value === 'string') form.append(name, value);
        else form.append(name, value, 'clients.csv');
      }
      const answer = await world.refused(form);
      assert.deepEqual(answer.body.errors, [{ path: place, message }]);
    }
  });

  test("if the pack is unknown or not loaded, or the caller isn't an admin", async () => {
    const form = () => {
      const made = new FormData();
      made.append('schema', 'bank_clients');
      made.append('file', fileOf('client_id\nA'), 'clients.csv');
      return made;
    };
    assert.equal((await world.post(form(), world.bank, '/api/v1/seed-dataset/no_such/upload')).status, 404);
    assert.equal((await world.post(form(), world.bank, '/api/v1/seed-dataset/telco_care/upload')).status, 404);
    const before = await world.idsOf();
    assert.equal((await world.post(form(), world.empty)).status, 404);
    const answer = await fetch(`${world.address}${uploadPath}`, {
      method: 'POST',
      headers: { ...headersOf(world.bank), authorization: `Bearer ${world.bank.keys.editor}` },
      body: form(),
    });
    assert.equal(answer.status, 403);
    assert.deepEqual(await world.idsOf(), before);
  });
});

test("doesn't load a schema that the tenant deleted, and skips a column that it dropped", async () => {
  const { body } = await world.server.call<{
    data: { id: string; name: string; fields: { id: string; name: string }[] }[];
  }>('GET', '/api/v1/schemas', { key: world.bank.keys.admin });
  const own = body.data.find(({ name }) => name === 'bank_accounts');
  const dropped = own?.fields.find(({ name }) => name === 'status');
  const without = await world.server.call('DELETE', `/api/v1/schemas/fields?fieldId=${dropped?.id}`, {
    key: world.bank.keys.admin,
  });
  assert.ok(without.status < 300, without.text);
  const file = 'account_id,client_id,status\nX,Y,active';
  assert.equal((await world.upload(file, 'bank_accounts')).status, 200);
  const gone = await world.server.call('DELETE', `/api/v1/schemas/${own?.id}`, { key: world.bank.keys.admin });
  assert.equal(gone.status, 204, gone.text);
  const answer = await world.upload(file, 'bank_accounts');
  assert.deepEqual([answer.status, answer.body.code, messages(answer)], [400, 'csv_invalid', ['is not loaded']]);
});
