import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { largestCsv } from '@arbiter/contract';
import { findPack } from '@arbiter/packs';
import { systemActor, type Tx } from '../../db/index.ts';
import { startTestServer, type TestServer, type TestTenant, testLoadPorts } from '../../main/test-server.ts';
import { loadPack } from './index.ts';
import { takeSeedLock } from './seed-progress.store.ts';

/** Files in the place of a dataset's rows, over HTTP (contract part 1, 4.14; docs/design/quality.md T21). */

let server: TestServer;
let address: string;
let bank: TestTenant;
let empty: TestTenant;
before(async () => {
  server = await startTestServer({ tenants: 2 });
  const [first, second] = server.tenants;
  assert.ok(second);
  [bank, empty] = [first, second];
  const pack = findPack('retail_bank');
  assert.ok(pack);
  await inBank((tx) => loadPack(tx, pack, testLoadPorts));
  address = await server.app.listen({ port: 0, host: '127.0.0.1' });
});
after(() => server?.close());

const inBank = <T>(run: (tx: Tx) => Promise<T>) =>
  server.database.withTenant(bank.id, systemActor('test'), run, { statementTimeoutMs: 60_000 });

// The type is what the tests look at; the schemas of the answers are checked by the server under test.
interface Answer {
  readonly status: number;
  readonly body: {
    readonly code?: string;
    readonly detail?: string;
    readonly errors?: readonly { readonly path: string; readonly message: string }[];
    readonly message?: string;
    readonly rowsInserted?: number;
    readonly schemaName?: string;
    readonly datasetKey?: string;
  };
}

const path = '/api/v1/seed-dataset/retail_bank/upload';
const headersOf = (tenant: TestTenant) => ({
  authorization: `Bearer ${tenant.keys.admin}`,
  'x-requested-with': 'test',
});

/** Forgets how often was called: the limit has a test of its own. */
const forgetCalls = () => server.testDatabase.ownerQuery('delete from arbiter.rate_limit_windows');

async function post(form: FormData, tenant = bank, url = path): Promise<Answer> {
  await forgetCalls();
  const answer = await fetch(`${address}${url}`, { method: 'POST', headers: headersOf(tenant), body: form });
  return { status: answer.status, body: (await answer.json()) as Answer['body'] };
}

type Content = string | Uint8Array<ArrayBuffer>;
const fileOf = (content: Content, type = 'text/csv') => new Blob([content], { type });

function upload(content: Content, schema = 'bank_clients'): Promise<Answer> {
  const form = new FormData();
  form.append('schema', schema);
  form.append('file', fileOf(content), 'clients.csv');
  return post(form);
}

const table = () => `t_${bank.id.replaceAll('-', '')}.ds_bank_clients`;
const clients = <Row>(columns: string, rest = '') =>
  server.testDatabase.ownerQuery<Row & Record<string, unknown>>(`select ${columns} from ${table()} ${rest}`);
const idsOf = async () =>
  (await clients<{ client_id: string }>('client_id', 'order by client_id')).map((row) => row.client_id);

/** Fails unless the upload is refused and the rows are as they were. */
async function refused(content: Content | FormData, code = 'csv_invalid', status = 400): Promise<Answer> {
  const before = await idsOf();
  const answer = content instanceof FormData ? await post(content) : await upload(content);
  assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(answer.body));
  assert.deepEqual(await idsOf(), before, 'the rows are as they were');
  return answer;
}
const messages = ({ body }: Answer) => body.errors?.map(({ message }) => message);

describe('a file is taken over', () => {
  test('in the words of the published data set, with what it does not have left empty', async () => {
    const file = [
      'customer_id,age,job,marital,education,default,balance,housing,loan,contact,day,month,duration,campaign,pdays,previous,poutcome,y',
      'BANK-000001,58,management,married,tertiary,no,2143,yes,no,unknown,5,may,261,1,-1,0,unknown,no',
      'NEW-2,33,"blue-collar, mostly",single,secondary,yes,-12.5,no,yes,cellular,5,may,151,2,166,3,success,yes',
    ].join('\n');
    const answer = await upload(file);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.deepEqual(answer.body, {
      message: '2 rows of bank_clients were taken over.',
      rowsInserted: 2,
      schemaName: 'bank_clients',
      datasetKey: 'retail_bank',
    });
    const [first, second] = await clients<Record<string, unknown>>('*', 'order by client_id');
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
    const decision = await server.call<{ known: boolean; count: number }>('POST', '/api/v1/recommend', {
      key: bank.keys.admin,
      body: { customerId: 'NEW-2', channel: 'in_app', dryRun: true },
    });
    assert.equal(decision.body.known, true);
    assert.ok(decision.body.count > 0);
    const audit = await server.testDatabase.ownerQuery(
      `select entity_type, entity_id, after from arbiter.audit_logs where tenant_id = $1 and action = 'upload'
         and entity_type = 'seedDataset'`,
      [bank.id],
    );
    assert.deepEqual(audit, [
      { entity_type: 'seedDataset', entity_id: 'retail_bank', after: { schema: 'bank_clients', rows: 2 } },
    ]);
  });

  test('in the words of its columns, whatever the spelling of file and cells', async () => {
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
      const answer = await upload(bytes);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      const rows = await clients('client_id, age, job, complaint_open', 'order by client_id');
      assert.deepEqual(rows, [
        { client_id: 'A', age: 41, job: 'says "hello";\r\nand more', complaint_open: true },
        { client_id: 'B', age: null, job: null, complaint_open: false },
        { client_id: 'C', age: null, job: null, complaint_open: null },
      ]);
    }
  });

  test('in UTF-8, and where it is not that, in Windows-1252', async () => {
    // A character of two bytes lies across the places where the body is cut into pieces.
    const long = 'client_id,job\n'.concat('é'.repeat(39_000).replaceAll(/(.{39})/g, (part) => `${part}\n`));
    const lines = long.split('\n').map((line, at) => (at === 0 ? line : line === '' ? line : `K${at},${line}`));
    assert.equal((await upload(lines.join('\n'))).status, 200);
    const [row] = await clients<{ n: number; job: string }>('count(*)::int as n, min(job) as job');
    assert.deepEqual(row, { n: 1000, job: 'é'.repeat(39) });
    assert.equal((await upload(Uint8Array.from(Buffer.from('client_id,job\nA,caf\xe9', 'latin1')))).status, 200);
    assert.deepEqual(await clients('job'), [{ job: 'café' }]);
  });

  test('with its parts in any order, and others beside them', async () => {
    const form = new FormData();
    form.append('note', 'passed over');
    form.append('file', fileOf('client_id\nZ'), 'clients.csv');
    form.append('schema', 'bank_clients');
    assert.equal((await post(form)).status, 200);
    assert.deepEqual(await idsOf(), ['Z']);
  });

  test('and the real file of the data set is', async (t) => {
    // Beside the checkout, or beside the folder of a checkout of its own.
    const file = ['../shared', '../../shared']
      .map((folder) => join(import.meta.dirname, '../../../../..', folder, 'data/uci-bank/bank-full.csv'))
      .find(existsSync);
    if (file === undefined) {
      t.skip('the data set Bank Marketing is not on this machine (../shared/data/uci-bank/bank-full.csv)');
      return;
    }
    const answer = await upload(Uint8Array.from(readFileSync(file)));
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.equal(answer.body.rowsInserted, 45_211);
    const [sums] = await clients(
      `count(*)::int as rows, count(*) filter (where subscribed)::int as subscribed, count(last_contact_days)::int as reached,
       count(*) filter (where credit_default)::int as defaults, sum(balance)::float8 as balance`,
    );
    assert.deepEqual(sums, { rows: 45_211, subscribed: 5_289, reached: 8_257, defaults: 815, balance: 61_589_682 });
  });
});

describe('a file is refused', () => {
  test('when rows do not fit, with up to twenty of their lines', async () => {
    const one = await refused('client_id,age,job\nA,12\nB,many\nC,1,"x\ny"\nA,3\n,4');
    assert.equal(one.body.detail, 'Lines 3, 6, 7 cannot be taken; the rows are as they were.');
    assert.deepEqual(messages(one), [
      'line 3: age must be an integer or a string of digits',
      'line 6: client_id is that of an earlier row',
      'line 7: client_id is required',
    ]);
    const many = await refused(`client_id,age\n${'A,x\n'.repeat(50)}`);
    assert.equal(messages(many)?.length, 20);
    const far = Array.from({ length: 2_500 }, (_, at) => `K${at}`);
    const later = await refused(['client_id', ...far, 'K0'].join('\n'));
    assert.deepEqual(messages(later), ['line 2502: client_id is that of an earlier row']);
  });

  test('when it is no table with the key in it', async () => {
    for (const [content, message] of [
      ['', 'has no header'],
      ['client_id\n', 'has no rows'],
      ['age\n1', 'line 1: no column of the file is client_id, the key'],
      ['client_id,Age,age\nA,1,2', 'line 1: two columns of the file are age'],
      ['client_id,default,credit_default\nA,no,no', 'line 1: two columns of the file are credit_default'],
      ['client_id\nA,1', 'line 2: has 2 cells, the header has 1'],
      ['client_id,job\nA,"open', 'line 2: a quote is not closed'],
      ['client_id,job\nA,"x"y', 'line 2: text stands behind a closing quote'],
      ['c,'.repeat(200_000), 'line 1: the header is longer than 256 KB'],
    ] as const) {
      assert.deepEqual(messages(await refused(content)), [message]);
    }
    const cell = await refused(`client_id,job\nA,"${'x'.repeat(3 * 1024 * 1024)}`);
    assert.match(messages(cell)?.[0] ?? '', /a row is longer than 1 MB, or a quote is not closed/);
    await refused(Uint8Array.from([0xff, 0xfe, 0x41, 0xd8, 0x41, 0x00, 0x0a, 0x00]));
  });

  test('when it is something else', async () => {
    await refused(Uint8Array.from([0x50, 0x4b, 0x03, 0x04, 1, 2, 3]), 'unsupported_media_type', 415);
    await refused('client_id\nA\0B', 'unsupported_media_type', 415);
    const form = new FormData();
    form.append('schema', 'bank_clients');
    form.append('file', fileOf('client_id\nA', 'application/pdf'), 'clients.pdf');
    await refused(form, 'unsupported_media_type', 415);
  });

  test('when a part is missing, repeated or of the wrong kind', async () => {
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
        'is there twice',
      ],
      [
        [
          ['schema', 'bank_clients'],
          ['file', fileOf('client_id\nA')],
          ['file', fileOf('client_id\nB')],
        ],
        '/file',
        'is there twice',
      ],
      [
        [
          ['schema', 'coffee_members'],
          ['file', fileOf('client_id\nA')],
        ],
        '/schema',
        'retail_bank has no schema of this name',
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
        'must be text, not a file',
      ],
    ];
    for (const [entries, place, message] of parts) {
      const form = new FormData();
      for (const [name, value] of entries) {
        if (typeof value === 'string') form.append(name, value);
        else form.append(name, value, 'clients.csv');
      }
      const answer = await refused(form);
      assert.deepEqual(answer.body.errors, [{ path: place, message }]);
    }
  });

  test('when the pack is unknown or not loaded, or the caller is no admin', async () => {
    const form = () => {
      const made = new FormData();
      made.append('schema', 'bank_clients');
      made.append('file', fileOf('client_id\nA'), 'clients.csv');
      return made;
    };
    assert.equal((await post(form(), bank, '/api/v1/seed-dataset/no_such/upload')).status, 404);
    assert.equal((await post(form(), bank, '/api/v1/seed-dataset/telco_care/upload')).status, 404);
    const before = await idsOf();
    assert.equal((await post(form(), empty)).status, 404);
    const answer = await fetch(`${address}${path}`, {
      method: 'POST',
      headers: { ...headersOf(bank), authorization: `Bearer ${bank.keys.editor}` },
      body: form(),
    });
    assert.equal(answer.status, 403);
    assert.deepEqual(await idsOf(), before);
  });
});

/** A multipart body that is sent by hand, piece by piece. */
const boundary = 'a-boundary-of-the-test';
const head = [
  `--${boundary}\r\ncontent-disposition: form-data; name="schema"\r\n\r\nbank_clients\r\n`,
  `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\ncontent-type: text/csv\r\n\r\n`,
].join('');
const tail = `\r\n--${boundary}--\r\n`;

function open(length: number) {
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  let text = '';
  let ended = false;
  const answered = new Promise<string>((resolve) => {
    socket.on('data', (piece) => {
      text += piece.toString();
      if (text.includes('\r\n\r\n{') && text.trimEnd().endsWith('}')) resolve(text);
    });
    // A connection that broke is closed right afterwards; why stands in what the test compares.
    socket.on('error', ({ message }) => {
      text += `\n${message}`;
    });
    socket.on('close', () => {
      ended = true;
      resolve(text);
    });
  });
  const lines = [
    `POST ${path} HTTP/1.1`,
    'host: localhost',
    ...Object.entries(headersOf(bank)).map(([name, value]) => `${name}: ${value}`),
    `content-type: multipart/form-data; boundary=${boundary}`,
    `content-length: ${length}`,
    '',
    '',
  ];
  socket.write(lines.join('\r\n'));
  return {
    answered,
    ended: () => ended,
    end: () => socket.destroy(),
    write: (piece: string | Uint8Array) =>
      new Promise<void>((resolve) => {
        if (ended || socket.write(piece)) resolve();
        else {
          const done = (): void => {
            socket.off('drain', done).off('close', done);
            resolve();
          };
          socket.on('drain', done).on('close', done);
        }
      }),
  };
}

/** Rows of the file of the given length: one long cell that goes nowhere in each. */
function* piecesOf(bytes: number): Generator<Uint8Array> {
  const header = 'client_id,note\n';
  yield Buffer.from(header);
  const row = (number: number): string => `${`R${number}`.padEnd(16, '_')},${'n'.repeat(65_518)}\n`;
  let left = bytes - header.length;
  for (let number = 0; left > 0; number += 1) {
    const text = row(number).slice(0, left);
    left -= text.length;
    yield Buffer.from(text);
  }
}

describe('the size of a file', () => {
  test('of 52,428,800 bytes passes', async () => {
    await forgetCalls();
    const { answered, write } = open(head.length + largestCsv + tail.length);
    await write(head);
    for (const piece of piecesOf(largestCsv)) await write(piece);
    await write(tail);
    const text = await answered;
    assert.match(text, /^HTTP\/1\.1 200 /);
    assert.equal((await idsOf()).length, 800);
  });

  test('of one byte more is 413, the rows are as they were', async () => {
    await forgetCalls();
    const before = await idsOf();
    const { answered, write, end } = open(head.length + largestCsv + 1 + tail.length);
    await write(head);
    for (const piece of piecesOf(largestCsv + 1)) await write(piece);
    const text = await answered;
    end();
    assert.match(text, /^HTTP\/1\.1 413 /);
    assert.match(text, /"code":"payload_too_large"/);
    assert.deepEqual(await idsOf(), before);
  });

  test('that is announced as too large is 413 before anything of it is sent', async () => {
    await forgetCalls();
    const { answered, end } = open(head.length + largestCsv + 1024 * 1024);
    const text = await answered;
    end();
    assert.match(text, /^HTTP\/1\.1 413 /);
  });
});

test('a client who leaves, and a body that breaks off, change nothing and leave nothing behind', async () => {
  const spooled = () => readdirSync(tmpdir()).filter((name) => name.endsWith('.spool'));
  const [before, lying] = [await idsOf(), spooled()];
  await forgetCalls();
  const left = open(head.length + 2_000_000);
  await left.write(head);
  await left.write('client_id\n'.concat('x\n'.repeat(500_000)));
  left.end();
  await left.answered;
  await forgetCalls();
  const cut = `${head}client_id\nA\n`;
  const broken = open(cut.length);
  await broken.write(cut);
  const text = await broken.answered;
  broken.end();
  assert.match(text, /^HTTP\/1\.1 400 /);
  assert.match(text, /"code":"malformed_request"/);
  assert.deepEqual(await idsOf(), before);
  assert.deepEqual(spooled(), lying);
});

test('decisions go on while a file is taken over, and see the old rows or the new ones', async () => {
  const rows = (age: number) =>
    [
      'client_id,age',
      ...Array.from({ length: 3_000 }, (_, at) => `${at === 0 ? 'BANK-000001' : `C${at}`},${age}`),
    ].join('\n');
  assert.equal((await upload(rows(30))).status, 200);
  let isDone = false;
  const decide = async () => {
    for (;;) {
      const last = isDone;
      const answer = await server.call<{ known: boolean; count: number }>('POST', '/api/v1/recommend', {
        key: bank.keys.admin,
        body: { customerId: 'BANK-000001', channel: 'in_app', dryRun: true },
      });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.body.known, true, 'there is always a row');
      const [counted] = await clients<{ n: number; ages: number }>(
        'count(*)::int as n, count(distinct age)::int as ages',
      );
      assert.deepEqual(counted, { n: 3_000, ages: 1 }, 'never a mix');
      if (last) return;
    }
  };
  const watching = decide();
  const answers = [];
  for (const age of [40, 50]) answers.push(await upload(rows(age)));
  isDone = true;
  await watching;
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
  assert.deepEqual(await clients('min(age) as age'), [{ age: 50 }]);
});

test('two files at once leave the rows of one of them', async () => {
  const rows = (age: number) =>
    ['client_id,age', ...Array.from({ length: 1_500 }, (_, at) => `C${at},${age}`)].join('\n');
  const answers = await Promise.all([upload(rows(31)), upload(rows(32)), upload(rows(33))]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
  const [counted] = await clients('count(*)::int as n, count(distinct age)::int as ages');
  assert.deepEqual(counted, { n: 1_500, ages: 1 });
});

test('a file waits for a load that is under way', async () => {
  let answer: Promise<Answer> | null = null;
  await inBank(async (tx) => {
    assert.equal(await takeSeedLock(tx), true);
    answer = upload('client_id\nWAITED');
    const waiting = async () => {
      const rows = await server.testDatabase.ownerQuery<{ n: number }>(
        `select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted`,
      );
      return (rows[0]?.n ?? 0) > 0;
    };
    while (!(await waiting())) await new Promise((resolve) => setImmediate(resolve));
    assert.notDeepEqual(await idsOf(), ['WAITED']);
  });
  assert.equal((await (answer ?? upload('')))?.status, 200);
  assert.deepEqual(await idsOf(), ['WAITED']);
});

test('a schema that the tenant has deleted is not loaded; a column that it has dropped is passed over', async () => {
  const { body } = await server.call<{ data: { id: string; name: string; fields: { id: string; name: string }[] }[] }>(
    'GET',
    '/api/v1/schemas',
    { key: bank.keys.admin },
  );
  const own = body.data.find(({ name }) => name === 'bank_accounts');
  const dropped = own?.fields.find(({ name }) => name === 'status');
  const without = await server.call('DELETE', `/api/v1/schemas/fields?fieldId=${dropped?.id}`, {
    key: bank.keys.admin,
  });
  assert.ok(without.status < 300, without.text);
  const file = 'account_id,client_id,status\nX,Y,active';
  assert.equal((await upload(file, 'bank_accounts')).status, 200);
  const gone = await server.call('DELETE', `/api/v1/schemas/${own?.id}`, { key: bank.keys.admin });
  assert.equal(gone.status, 204, gone.text);
  const answer = await upload(file, 'bank_accounts');
  assert.deepEqual([answer.status, answer.body.code, messages(answer)], [400, 'csv_invalid', ['is not loaded']]);
});

test('five files a minute; what is not there is not counted', async () => {
  await forgetCalls();
  const send = async (url: string) => {
    const form = new FormData();
    form.append('schema', 'bank_clients');
    form.append('file', fileOf('client_id\nA'), 'clients.csv');
    const answer = await fetch(`${address}${url}`, { method: 'POST', headers: headersOf(bank), body: form });
    await answer.text();
    return answer;
  };
  for (let calls = 0; calls < 3; calls += 1) {
    assert.equal((await send('/api/v1/seed-dataset/no_such/upload')).status, 404);
    assert.equal((await send('/api/v1/seed-dataset/telco_care/upload')).status, 404);
  }
  for (let calls = 0; calls < 5; calls += 1) {
    const answer = await send(path);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('ratelimit-remaining'), String(4 - calls));
  }
  const limited = await send(path);
  assert.equal(limited.status, 429);
  assert.ok(Number(limited.headers.get('retry-after')) >= 1);
});
