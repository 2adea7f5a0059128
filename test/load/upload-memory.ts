// Memory of three uploads of 52,428,800 bytes at once: by how much the resident memory of the server process rises above what it was
// before, and whether the event loop stays free for decisions (docs/design/quality.md R18: 150 MB).
//   node test/load/upload-memory.ts --at-once 3
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startServer } from './bench/bench-server.ts';

const { values } = parseArgs({
  options: { 'at-once': { type: 'string', default: '3' }, bytes: { type: 'string', default: '52428800' } },
});
const [atOnce, bytes] = [Number(values['at-once']), Number(values.bytes)];
const folder = mkdtempSync(join(tmpdir(), 'arbiter-upload-memory-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const keys = Array.from({ length: atOnce }, () => `krn_${randomBytes(24).toString('hex')}`);
const bootstrap = join(folder, 'bootstrap.json');
const tenants = keys.map((key, at) => ({
  name: `Upload ${at}`,
  apiKeys: [{ name: 'bench', key, scopes: ['read', 'write', 'admin'] }],
  pack: 'retail_bank',
}));
writeFileSync(bootstrap, JSON.stringify({ tenants }));
const env = { DATA_DIR: join(folder, 'data'), BOOTSTRAP_FILE: bootstrap, PORT: '0', LOG_LEVEL: 'warn' };
const server = await startServer(env, 1);

/** Rows like those of the published data set, with a note that no column takes, up to the size. */
const note = 'n'.repeat(400);

function* pieces(): Generator<string> {
  const header =
    'customer_id,age,job,marital,education,default,balance,housing,loan,contact,campaign,pdays,previous,poutcome,y,note\n';
  yield header;
  let left = bytes - header.length;
  let piece = '';
  for (let number = 1; left > 0; number += 1) {
    const id = `BANK-${String(number).padStart(7, '0')}`;
    let row = `${id},41,management,married,tertiary,no,${number % 9000}.25,yes,no,cellular,1,-1,0,unknown,no,${note}\n`;
    // The last row ends where the file does.
    if (left - row.length < 600 && left - row.length > 0) row = `${row.slice(0, -1)}${' '.repeat(left - row.length)}\n`;
    left -= row.length;
    piece += row;
    if (piece.length > 60_000 || left <= 0) {
      yield piece;
      piece = '';
    }
  }
}

function upload(key: string): Promise<{ readonly status: number; readonly text: string; readonly seconds: number }> {
  const boundary = 'a-boundary-of-the-bench';
  const at = performance.now();
  return new Promise((resolve, reject) => {
    const call = request(
      `${server.url}/api/v1/seed-dataset/retail_bank/upload`,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'x-requested-with': 'bench',
          'content-type': `multipart/form-data; boundary=${boundary}`,
        },
      },
      (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, text, seconds: (performance.now() - at) / 1000 }),
        );
      },
    );
    // A refusal closes the connection during the upload; the response says why.
    call.on('error', (error) => setTimeout(() => reject(error), 1_000));
    const send = async (): Promise<void> => {
      call.write(`--${boundary}\r\ncontent-disposition: form-data; name="schema"\r\n\r\nbank_clients\r\n`);
      const head = 'content-disposition: form-data; name="file"; filename="clients.csv"\r\ncontent-type: text/csv';
      call.write(`--${boundary}\r\n${head}\r\n\r\n`);
      for (const piece of pieces()) {
        if (!call.write(piece)) await new Promise<void>((resume) => call.once('drain', () => resume()));
      }
      call.end(`\r\n--${boundary}--\r\n`);
    };
    send().catch(reject);
  });
}

const pause = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms));
// Let the memory of loading the packs be released, or not, before measuring.
await pause(5_000);
const before = server.rssMb();
let most = before;
let slowestMs = 0;
let over = false;
const watch = async (): Promise<void> => {
  while (!over) {
    most = Math.max(most, server.rssMb());
    const at = performance.now();
    await (await fetch(`${server.url}/api/v1/health`)).arrayBuffer();
    slowestMs = Math.max(slowestMs, performance.now() - at);
    await pause(50);
  }
};
const watching = watch();
/** A busy machine returns 503; retry, as a client would. */
async function uploadPatiently(key: string): ReturnType<typeof upload> {
  const answer = await upload(key);
  if (answer.status !== 503) return answer;
  await pause(500);
  return uploadPatiently(key);
}
const answers = await Promise.all(keys.map(uploadPatiently));
over = true;
await watching;
for (const { status, text } of answers) if (status !== 200) throw new Error(`${status} ${text}`);
const rows = answers.reduce((sum, { text }) => sum + Number(JSON.parse(text).rowsInserted), 0);
console.log(
  `${atOnce} uploads of ${bytes} bytes at once, ${rows} rows: ${Math.max(...answers.map(({ seconds }) => seconds)).toFixed(1)} s, ` +
    `RSS ${before.toFixed(0)} MB before, ${most.toFixed(0)} MB at most: +${(most - before).toFixed(0)} MB; ` +
    `slowest answer beside them ${slowestMs.toFixed(0)} ms`,
);
await server.stop();
process.exit(most - before <= 150 ? 0 : 1);
