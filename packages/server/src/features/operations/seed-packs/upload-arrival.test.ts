import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { after, before, describe, test } from 'node:test';
import { largestCsv } from '@arbiter/contract';
import { takeSeedLock } from './seed-progress.store.ts';
import {
  fileOf,
  headersOf,
  startUploadServer,
  type UploadAnswer,
  type UploadServer,
  uploadPath,
} from './test-upload.ts';

/**
 * How files of a dataset arrive: size, interrupted bodies, and parallel decisions, files and loads
 * (docs/design/quality.md R18).
 */

let world: UploadServer;
before(async () => {
  world = await startUploadServer();
});
after(() => world?.server.close());

/** A multipart body that is sent by hand, piece by piece. */
const boundary = 'a-boundary-of-the-test';
const head = [
  `--${boundary}\r\ncontent-disposition: form-data; name="schema"\r\n\r\nbank_clients\r\n`,
  `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\ncontent-type: text/csv\r\n\r\n`,
].join('');
const tail = `\r\n--${boundary}--\r\n`;

function open(length: number) {
  const socket = connect(Number(new URL(world.address).port), '127.0.0.1');
  let text = '';
  let ended = false;
  const answered = new Promise<string>((resolve) => {
    socket.on('data', (piece) => {
      text += piece.toString();
      if (text.includes('\r\n\r\n{') && text.trimEnd().endsWith('}')) resolve(text);
    });
    // A broken connection is closed right afterwards. What the test compares shows why.
    socket.on('error', ({ message }) => {
      text += `\n${message}`;
    });
    socket.on('close', () => {
      ended = true;
      resolve(text);
    });
  });
  const lines = [
    `POST ${uploadPath} HTTP/1.1`,
    'host: localhost',
    ...Object.entries(headersOf(world.bank)).map(([name, value]) => `${name}: ${value}`),
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
  test('of 52,428,800 bytes is accepted', async () => {
    await world.forgetCalls();
    const { answered, write } = open(head.length + largestCsv + tail.length);
    await write(head);
    for (const piece of piecesOf(largestCsv)) await write(piece);
    await write(tail);
    const text = await answered;
    assert.match(text, /^HTTP\/1\.1 200 /);
    assert.equal((await world.idsOf()).length, 800);
  });

  test('of one byte more is 413, and the rows stay', async () => {
    await world.forgetCalls();
    const before = await world.idsOf();
    const { answered, write, end } = open(head.length + largestCsv + 1 + tail.length);
    await write(head);
    for (const piece of piecesOf(largestCsv + 1)) await write(piece);
    const text = await answered;
    end();
    assert.match(text, /^HTTP\/1\.1 413 /);
    assert.match(text, /"code":"payload_too_large"/);
    assert.deepEqual(await world.idsOf(), before);
  });

  test('announced as too large is 413 before anything is sent', async () => {
    await world.forgetCalls();
    const { answered, end } = open(head.length + largestCsv + 1024 * 1024);
    const text = await answered;
    end();
    assert.match(text, /^HTTP\/1\.1 413 /);
  });
});

test('a client that disconnects, or a truncated body, changes nothing and leaves nothing', async () => {
  const spooled = () => readdirSync(tmpdir()).filter((name) => name.endsWith('.spool'));
  const [before, lying] = [await world.idsOf(), spooled()];
  await world.forgetCalls();
  const left = open(head.length + 2_000_000);
  await left.write(head);
  await left.write('client_id\n'.concat('x\n'.repeat(500_000)));
  left.end();
  await left.answered;
  await world.forgetCalls();
  const cut = `${head}client_id\nA\n`;
  const broken = open(cut.length);
  await broken.write(cut);
  const text = await broken.answered;
  broken.end();
  assert.match(text, /^HTTP\/1\.1 400 /);
  assert.match(text, /"code":"malformed_request"/);
  assert.deepEqual(await world.idsOf(), before);
  assert.deepEqual(spooled(), lying);
});

test('decisions continue during a load, with the old rows or the new ones', async () => {
  const rows = (age: number) =>
    [
      'client_id,age',
      ...Array.from({ length: 3_000 }, (_, at) => `${at === 0 ? 'BANK-000001' : `C${at}`},${age}`),
    ].join('\n');
  assert.equal((await world.upload(rows(30))).status, 200);
  let isDone = false;
  const decide = async () => {
    for (;;) {
      const last = isDone;
      const answer = await world.server.call<{ known: boolean; count: number }>('POST', '/api/v1/recommend', {
        key: world.bank.keys.admin,
        body: { customerId: 'BANK-000001', channel: 'in_app', dryRun: true },
      });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.body.known, true, 'there is always a row');
      const [counted] = await world.clients<{ n: number; ages: number }>(
        'count(*)::int as n, count(distinct age)::int as ages',
      );
      assert.deepEqual(counted, { n: 3_000, ages: 1 }, 'never a mix');
      if (last) return;
    }
  };
  const watching = decide();
  const answers = [];
  for (const age of [40, 50]) answers.push(await world.upload(rows(age)));
  isDone = true;
  await watching;
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
  assert.deepEqual(await world.clients('min(age) as age'), [{ age: 50 }]);
});

test('two parallel files leave the rows of one of them', async () => {
  const rows = (age: number) =>
    ['client_id,age', ...Array.from({ length: 1_500 }, (_, at) => `C${at},${age}`)].join('\n');
  const answers = await Promise.all([world.upload(rows(31)), world.upload(rows(32)), world.upload(rows(33))]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
  const [counted] = await world.clients('count(*)::int as n, count(distinct age)::int as ages');
  assert.deepEqual(counted, { n: 1_500, ages: 1 });
});

test('a file waits for a running load', async () => {
  let answer: Promise<UploadAnswer> | null = null;
  await world.inBank(async (tx) => {
    assert.equal(await takeSeedLock(tx), true);
    answer = world.upload('client_id\nWAITED');
    const waiting = async () => {
      const rows = await world.server.testDatabase.ownerQuery<{ n: number }>(
        `select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted`,
      );
      return (rows[0]?.n ?? 0) > 0;
    };
    while (!(await waiting())) await new Promise((resolve) => setImmediate(resolve));
    assert.notDeepEqual(await world.idsOf(), ['WAITED']);
  });
  assert.equal((await (answer ?? world.upload('')))?.status, 200);
  assert.deepEqual(await world.idsOf(), ['WAITED']);
});

test("accepts five files a minute, and doesn't count missing ones", async () => {
  await world.forgetCalls();
  const send = async (url: string) => {
    const form = new FormData();
    form.append('schema', 'bank_clients');
    form.append('file', fileOf('client_id\nA'), 'clients.csv');
    const answer = await fetch(`${world.address}${url}`, {
      method: 'POST',
      headers: headersOf(world.bank),
      body: form,
    });
    await answer.text();
    return answer;
  };
  for (let calls = 0; calls < 3; calls += 1) {
    assert.equal((await send('/api/v1/seed-dataset/no_such/upload')).status, 404);
    assert.equal((await send('/api/v1/seed-dataset/telco_care/upload')).status, 404);
  }
  for (let calls = 0; calls < 5; calls += 1) {
    const answer = await send(uploadPath);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('ratelimit-remaining'), String(4 - calls));
  }
  const limited = await send(uploadPath);
  assert.equal(limited.status, 429);
  assert.ok(Number(limited.headers.get('retry-after')) >= 1);
});
