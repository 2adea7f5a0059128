import assert from 'node:assert/strict';
import { findPack } from '@arbiter/packs';
import { systemActor, type Tx } from '../../../db/index.ts';
import { startTestServer, type TestServer, type TestTenant, testLoadPorts } from '../../../main/test-server.ts';
import { loadPack } from './index.ts';

// The type is what tests look at. The server under test checks the response schemas.
export interface UploadAnswer {
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

export const uploadPath = '/api/v1/seed-dataset/retail_bank/upload';

export const headersOf = (tenant: TestTenant) => ({
  authorization: `Bearer ${tenant.keys.admin}`,
  'x-requested-with': 'test',
});

type Content = string | Uint8Array<ArrayBuffer>;
export const fileOf = (content: Content, type = 'text/csv') => new Blob([content], { type });
export const messages = ({ body }: UploadAnswer) => body.errors?.map(({ message }) => message);

/** A server that listens, with a tenant that has loaded retail_bank and one that has loaded nothing. */
export interface UploadServer {
  readonly server: TestServer;
  readonly address: string;
  readonly bank: TestTenant;
  readonly empty: TestTenant;
  inBank<T>(run: (tx: Tx) => Promise<T>): Promise<T>;
  /** Forgets how often was called: the limit has a test of its own. */
  forgetCalls(): Promise<unknown>;
  post(form: FormData, tenant?: TestTenant, url?: string): Promise<UploadAnswer>;
  upload(content: Content, schema?: string): Promise<UploadAnswer>;
  clients<Row>(columns: string, rest?: string): Promise<readonly (Row & Record<string, unknown>)[]>;
  idsOf(): Promise<string[]>;
  /** Fails unless the upload is refused and the rows are as they were. */
  refused(content: Content | FormData, code?: string, status?: number): Promise<UploadAnswer>;
}

export async function startUploadServer(): Promise<UploadServer> {
  const server = await startTestServer({ tenants: 2 });
  const [bank, empty] = server.tenants;
  const pack = findPack('retail_bank');
  assert.ok(empty !== undefined && pack !== null);
  const inBank: UploadServer['inBank'] = (run) =>
    server.database.withTenant(bank.id, systemActor('test'), run, { statementTimeoutMs: 60_000 });
  await inBank((tx) => loadPack(tx, pack, testLoadPorts));
  const address = await server.app.listen({ port: 0, host: '127.0.0.1' });

  const forgetCalls = () => server.testDatabase.ownerQuery('delete from arbiter.rate_limit_windows');
  const post: UploadServer['post'] = async (form, tenant = bank, url = uploadPath) => {
    await forgetCalls();
    const answer = await fetch(`${address}${url}`, { method: 'POST', headers: headersOf(tenant), body: form });
    return { status: answer.status, body: (await answer.json()) as UploadAnswer['body'] };
  };
  const upload: UploadServer['upload'] = (content, schema = 'bank_clients') => {
    const form = new FormData();
    form.append('schema', schema);
    form.append('file', fileOf(content), 'clients.csv');
    return post(form);
  };
  const table = `t_${bank.id.replaceAll('-', '')}.ds_bank_clients`;
  const clients: UploadServer['clients'] = (columns, rest = '') =>
    server.testDatabase.ownerQuery(`select ${columns} from ${table} ${rest}`);
  const idsOf = async () =>
    (await clients<{ client_id: string }>('client_id', 'order by client_id')).map((row) => row.client_id);
  return {
    server,
    address,
    bank,
    empty,
    inBank,
    forgetCalls,
    post,
    upload,
    clients,
    idsOf,
    async refused(content, code = 'csv_invalid', status = 400) {
      const before = await idsOf();
      const answer = content instanceof FormData ? await post(content) : await upload(content);
      assert.deepEqual([answer.status, answer.body.code], [status, code], JSON.stringify(answer.body));
      assert.deepEqual(await idsOf(), before, 'the rows are as they were');
      return answer;
    },
  };
}
