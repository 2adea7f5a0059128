// What training costs, alone and during decisions: 100 trees on 45,211 rows take at most 10 s of processor time, and `recommend`
// keeps at least 80 % of its rate in the meantime. By hand, or as rows of `npm run bench`:
//   node test/load/training-bench.ts [--seconds 6] [--rounds 3]
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Json, trainModel } from '@arbiter/engine';
import { type BenchTarget, headersOf, loadCatalogue, post } from './bench/bench-catalogue.ts';
import { load, median } from './bench/bench-load.ts';
import { n0, percent, type Row } from './bench/bench-report.ts';
import { type BenchServer, startServer } from './bench/bench-server.ts';
import { byHand } from './bench/by-hand.ts';

const goalSeconds = 10;
const goalShare = 0.8;
/** As many as UCI's bank data, with the same number of features of each type. */
const rowCount = 45_211;
const numbers = ['age', 'balance', 'day', 'campaign', 'pdays', 'previous'];
const words = ['job', 'marital', 'education', 'in_default', 'housing', 'loan', 'contact', 'month', 'outcome'];
const features = [...numbers, ...words];
const params = { trees: 100, maxDepth: 4 };
const rowsPerCall = 1_000;

let seed = 9;
const next = (): number => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0;
  return (seed >>> 0) / 4_294_967_296;
};
const rows = Array.from({ length: rowCount }, () => {
  const read = numbers.map(() => Math.round(next() ** 2 * 1_000));
  const categories = words.map((_, at) => `v${Math.floor(next() * (3 + at))}`);
  const logit = (read[0]! - read[1]!) / 300 + (categories[0] === 'v1' ? 1 : 0) - 2;
  return { values: [...read, ...categories] as readonly Json[], label: next() < 1 / (1 + Math.exp(-logit)) ? 1 : 0 };
});

/** Returns the processor time of a training in this process, in seconds. */
function trainHere(): number {
  const set = {
    features,
    categorical: new Set(words),
    rows: rows.map(({ values: own, label }) => ({ values: own, label: label as 0 | 1, weight: 1 })),
  };
  const began = process.cpuUsage();
  trainModel({ model: { modelType: 'gradient_boosted', config: {} }, rows: set, params, seed: '7' }, () => undefined);
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1e6;
}

/** Creates the schema with its rows, and a model. Returns their ids. */
async function createModel(target: BenchTarget): Promise<{ readonly modelId: string; readonly schemaId: string }> {
  const schema = await post(target, 'schemas', {
    name: 'bank',
    displayName: 'Bank',
    schemaType: 'reference',
    fields: [
      { name: 'row_id', dataType: 'varchar', length: 16, isPrimaryKey: true, isNullable: false },
      ...numbers.map((name) => ({ name, dataType: 'integer' })),
      ...words.map((name) => ({ name, dataType: 'varchar', length: 8 })),
      { name: 'accepted', dataType: 'boolean' },
    ].map((field) => ({ displayName: field.name, ...field })),
  });
  for (let first = 0; first < rowCount; first += rowsPerCall) {
    const part = rows.slice(first, first + rowsPerCall).map(({ values: own, label }, at) => ({
      row_id: `R${first + at}`,
      ...Object.fromEntries(features.map((name, place) => [name, own[place]])),
      accepted: label === 1,
    }));
    await post(target, `schemas/${String(schema.id)}/data`, { rows: part });
  }
  const model = await post(target, 'algorithm-models', {
    ...{ key: 'gbm', name: 'Boosted', modelType: 'gradient_boosted' },
    predictors: features.map((name) => ({ name, type: words.includes(name) ? 'categorical' : 'numeric' })),
  });
  return { modelId: String(model.id), schemaId: String(schema.id) };
}

/** Read from the list, which leaves out the model's state: that would be the larger part of the work. */
const statusOf = async (target: BenchTarget): Promise<string> => {
  const answer = await fetch(`${target.url}/api/v1/algorithm-models?limit=1`, { headers: headersOf(target) });
  const { data } = (await answer.json()) as {
    readonly data: readonly { readonly training: { status: string } | null }[];
  };
  return data[0]?.training?.status ?? 'none';
};

/** Trains repeatedly until stopped. Returns the number of completed trainings. */
async function trainUntil(
  target: BenchTarget,
  { modelId, schemaId }: Awaited<ReturnType<typeof createModel>>,
  isOver: () => boolean,
): Promise<number> {
  const status = () => statusOf(target);
  let count = 0;
  while (!isOver()) {
    await post(target, `algorithm-models/${modelId}/train`, {
      ...{ datasetSchemaId: schemaId, targetField: 'accepted', params },
    });
    while (['queued', 'running'].includes(await status())) await new Promise((resolve) => setTimeout(resolve, 500));
    if ((await status()) !== 'completed') throw new Error(`the training is ${await status()}`);
    count += 1;
  }
  return count;
}

export interface TrainingBench {
  readonly seconds: number;
  readonly rounds: number;
  readonly say: (line: string) => void;
}

/** Measures on a server of its own. Returns the rows of the report. */
export async function benchTrainings({ seconds, rounds, say }: TrainingBench): Promise<Row[]> {
  const trained = trainHere();
  const folder = mkdtempSync(join(tmpdir(), 'arbiter-training-bench-'));
  const key = `krn_${'a'.repeat(32)}`;
  const bootstrap = join(folder, 'bootstrap.json');
  writeFileSync(bootstrap, JSON.stringify({ tenants: [{ name: 'Bench', apiKeys: [{ name: 'bench', key }] }] }));
  const env = { DATA_DIR: join(folder, 'data'), BOOTSTRAP_FILE: bootstrap, PORT: '0', LOG_LEVEL: 'info' };
  const server = await startServer(env, 1);
  try {
    const share = await measureShare(server, key, { seconds, rounds, say });
    return [
      {
        measure: `processor time of 100 trees on ${n0(rowCount)} rows`,
        bar: `at most ${goalSeconds} s`,
        measured: `${trained.toFixed(1)} s`,
        met: trained <= goalSeconds,
      },
      {
        measure: '`recommend` during trainings, as a share of its rate',
        bar: `at least ${percent(goalShare)}`,
        measured: percent(share),
        met: share >= goalShare,
      },
    ];
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureShare(
  server: BenchServer,
  key: string,
  { seconds, rounds, say }: TrainingBench,
): Promise<number> {
  const target: BenchTarget = { url: server.url, key };
  const catalogue = await loadCatalogue(target, { offers: 200, customers: 20_000 });
  const made = await createModel(target);
  const measure = async (): Promise<number> => {
    const measured = await load({
      ...{ port: server.port, keys: [key], flow: catalogue.flowKey, customers: catalogue.customers },
      ...{ seconds, connections: 128 },
    });
    if (measured.failure !== null) throw new Error(measured.failure);
    return measured.perSecond;
  };
  await measure();
  const [alone, beside]: [number[], number[]] = [[], []];
  for (let round = 1; round <= rounds; round++) {
    alone.push(await measure());
    let isOver = false;
    const trainings = trainUntil(target, made, () => isOver);
    beside.push(await measure());
    isOver = true;
    say(`  round ${round}: ${n0(alone.at(-1)!)}/s alone, ${n0(beside.at(-1)!)}/s beside ${await trainings} trainings`);
  }
  return median(beside) / median(alone);
}

if (import.meta.main) {
  await byHand({ seconds: 6, rounds: 3 }, benchTrainings);
}
