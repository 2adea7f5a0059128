// A node that works on runs of pipelines, from a source of numbered rows or through connectors. pipeline-kill.test.ts runs and kills it.
// Arguments: URL of the database, number of rows, `resumable`, `whole` or `connector`, milliseconds of a batch, import folder.
import { setTimeout as sleep } from 'node:timers/promises';
import { createDatabase } from '../../../packages/server/src/db/index.ts';
import {
  createOpenReader,
  createSources,
  type OpenReader,
  type SourceReader,
} from '../../../packages/server/src/features/data/connectors/index.ts';
import { pipelineJobs } from '../../../packages/server/src/features/data/pipelines/pipelines.jobs.ts';
import { createKeyedHash } from '../../../packages/server/src/features/deciding/customer-states/index.ts';
import { createJobRegistry, createQueueKeeper, createWorker } from '../../../packages/server/src/jobs/index.ts';
import { createOutbound } from '../../../packages/server/src/platform/outbound/outbound.ts';
import { createOutboundSockets } from '../../../packages/server/src/platform/outbound/outbound-sockets.ts';
import { createDrivers } from '../../../packages/server/src/platform/packages/optional-drivers.ts';
import { createAwsRoles } from '../../../packages/server/src/platform/sources/aws-roles.ts';
import { numberedRow } from './numbered-row.ts';

const [url, rowsText, kind, batchText, importFolder = null] = process.argv.slice(2);
if (url === undefined || kind === undefined) throw new Error('pipeline-node <url> <rows> <kind> <ms>');
const total = Number(rowsText);
const batchMs = Number(batchText);
const rowsPerBatch = 1_000;
const database = createDatabase({ url, poolMax: 6, acquireTimeoutMs: 20_000, statementTimeoutMs: 60_000 });

const reader: SourceReader = {
  isResumable: kind === 'resumable',
  async *read({ cursor }) {
    for (let from = Number(cursor ?? 0); from < total; from += rowsPerBatch) {
      await sleep(batchMs);
      const to = Math.min(total, from + rowsPerBatch);
      yield { rows: Array.from({ length: to - from }, (_, at) => numberedRow(from + at)), cursor: to };
    }
  },
  async committed() {
    console.log('committed');
  },
  async close() {
    console.log('closed');
  },
};

const allowNetworks = ['127.0.0.0/8'];
const throughConnectors = createOpenReader({
  envelope: null,
  connectorSources: createSources({
    ...{ outbound: createOutbound({ allowNetworks }), sockets: createOutboundSockets({ allowNetworks }) },
    ...{ importFolder, endpoints: {}, drivers: createDrivers('drivers'), awsRoles: createAwsRoles({ roles: {} }) },
  }),
});
const slowly: OpenReader = async (...call) => {
  const real = await throughConnectors(...call);
  return {
    ...real,
    async *read(options) {
      for await (const batch of real.read(options)) {
        await sleep(batchMs);
        yield batch;
      }
    },
  };
};

const customerHash = createKeyedHash([], 'customer');
const pipelineHash = createKeyedHash([], 'pipelineValue');
const registry = createJobRegistry(
  pipelineJobs({
    database,
    customerHash,
    pipelineHash,
    openReader: kind === 'connector' ? slowly : async () => reader,
  }),
);
const onError = (error: unknown): void => console.error(error);
const worker = await createWorker({ url, registry, concurrency: 2, graceMs: 1_000, onError });
// A keeper judges others only after it has run for the length of a lease. Its time passes faster here, so that takeovers
// take two seconds; `jobs.test.ts` waits for the real ones.
const elapsed = () => performance.now() * 10;
const keeper = createQueueKeeper(database, { registry, workerId: () => worker.id(), onDead: onError, elapsed });
console.log('ready');
for (;;) {
  await keeper.look().catch(onError);
  await sleep(200);
}
