import { setTimeout as sleep } from 'node:timers/promises';
import type { AlgorithmModel } from '@arbiter/contract';
import type { Client } from '@arbiter/sdk';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { exitCodes, UsageError } from '../exit-codes.ts';
import { count } from './operator/backup.ts';

const firstPauseMs = 250;
const longestPauseMs = 5_000;

/** What --json prints: the queued training, and the model after it unless --no-wait. */
interface Outcome {
  readonly jobId: string;
  readonly modelId: string;
  readonly status: string;
  readonly model?: AlgorithmModel;
}

export const modelsTrain: Command = {
  name: 'models train',
  summary: 'train a model and follow the training',
  help: `Train a model and follow the training until it ends.

Usage: arbiter models train <model> [flags]

The model is an ID or a key. It trains on recorded decisions and their outcomes, or on the rows of a schema. Exits 0 when the
training completes, 1 when it fails. Ctrl+C stops following, not the training.

  --schema <name>      train on the rows of this schema (default: the model's)
  --target <field>     the field of the schema with the label (default: the model's)
  --no-wait            return as soon as the training is queued

${connectionHelp}

Examples:
  arbiter models train accept-age
  arbiter models train accept-age --schema clients --target subscribed --json`,
  options: {
    ...connectionOptions,
    schema: { type: 'string' },
    target: { type: 'string' },
    'no-wait': { type: 'boolean' },
  },
  async run(call) {
    const [model, ...more] = call.positionals;
    if (model === undefined || more.length > 0) throw new UsageError('expects the ID or key of one model');
    const ask = async (client: Client): Promise<Outcome> => {
      const params = { id: await findModel(client, model) };
      const started = await client.algorithmModels.train({ params, body: await bodyOf(call, client) });
      return call.flags.flag('no-wait') ? started : { ...started, model: await follow(call, client, params.id) };
    };
    return overHttp(call, ask, { report: (outcome) => report(call, model, outcome), codeOf: exitCodeOf });
  },
};

/** Returns the model's ID. A text that isn't a key counts as an ID, which the server checks. */
export async function findModel(client: Client, text: string): Promise<string> {
  const { data } = await client.algorithmModels.list({ query: { search: text.slice(0, 255), limit: 200 } });
  return data.find(({ key }) => key === text)?.id ?? text;
}

async function bodyOf(call: Call, client: Client) {
  const schema = call.flags.text('schema');
  const targetField = call.flags.text('target');
  return {
    ...(schema === undefined ? {} : { datasetSchemaId: await findSchema(client, schema) }),
    ...(targetField === undefined ? {} : { targetField }),
  };
}

/** The same for a schema, by name. */
async function findSchema(client: Client, text: string): Promise<string> {
  const { data } = await client.schemas.list({ query: { search: text.slice(0, 255), limit: 200 } });
  return data.find(({ name }) => name === text)?.id ?? text;
}

/** Polls the model until its training ends, with growing pauses. Prints progress to standard error. */
async function follow(call: Call, client: Client, id: string): Promise<AlgorithmModel> {
  let printed = '';
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const model = await client.algorithmModels.get({ params: { id } });
    const { training } = model;
    if (training === null || training.finishedAt !== null) return model;
    const line = training.status === 'queued' ? 'Waiting for a worker' : `${Math.round(training.progress * 100)}% done`;
    if (line !== printed && !call.flags.flag('json')) call.warn(line);
    printed = line;
    await sleep(pauseMs);
  }
}

function report(call: Call, name: string, { jobId, model }: Outcome): void {
  if (model === undefined) {
    call.print(`Training of ${name} is queued: ${jobId}`);
    return;
  }
  const { training, metrics, trainingSamples, version } = model;
  if (training?.status !== 'completed') {
    call.print(`Training of ${name} failed: ${training?.error ?? 'unknown'}`);
    return;
  }
  call.print(`Trained ${name} on ${count(trainingSamples, 'row')}. This is version ${version}.`);
  if (metrics !== null) {
    call.print(
      `  AUC ${metrics.auc ?? 'unknown'}, log loss ${metrics.logLoss} on ${count(metrics.samples, 'row')} held back from training`,
    );
  }
}

function exitCodeOf({ model }: Outcome): number {
  return model === undefined || model.training?.status === 'completed' ? exitCodes.ok : exitCodes.refused;
}
