import { readFile, stat } from 'node:fs/promises';
import { type AlgorithmModel, largestModelFile, modelFormats } from '@arbiter/contract';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { count } from './operator/backup.ts';

export const modelsImport: Command = {
  name: 'models import',
  summary: 'import boosted trees from XGBoost or LightGBM',
  help: `Import boosted trees that XGBoost saved as JSON, or LightGBM as text or JSON. Creates a draft.

Usage: arbiter models import <file> --key <key> [flags]

  --key <key>          key of the new model; required
  --name <text>        its name (default: the key)
  --family <key>       its family
  --format <word>      ${modelFormats.join(', ')} (default: detected)
  --defaults <json>    values for features that nothing provides, by name, for example '{"age": 40}'

${connectionHelp}

Examples:
  arbiter models import model.json --key deposit-gbm
  arbiter models import model.txt --key deposit-lgb --name "Deposits" --family deposits`,
  options: {
    ...connectionOptions,
    key: { type: 'string' },
    name: { type: 'string' },
    family: { type: 'string' },
    format: { type: 'string' },
    defaults: { type: 'string' },
  },
  async run(call) {
    const [file, ...more] = call.positionals;
    const key = call.flags.text('key');
    if (file === undefined || more.length > 0) throw new UsageError('expects one model file');
    if (key === undefined) throw new UsageError('--key is required');
    const family = call.flags.text('family');
    const format = formatOf(call);
    const featureDefaults = defaultsOf(call);
    const body = {
      key,
      name: call.flags.text('name') ?? key,
      model: await textOf(file),
      ...(family === undefined ? {} : { family }),
      ...(format === undefined ? {} : { format }),
      ...(featureDefaults === undefined ? {} : { featureDefaults }),
    };
    return overHttp(call, (client) => client.algorithmModels.import({ body }), {
      report: (model) => report(call, model),
    });
  },
};

function formatOf({ flags }: Call) {
  const text = flags.text('format');
  if (text === undefined) return undefined;
  const format = modelFormats.find((known) => known === text);
  if (format === undefined) throw new UsageError(`--format must be one of ${modelFormats.join(', ')}`);
  return format;
}

function defaultsOf({ flags }: Call): Record<string, string | number | boolean> | undefined {
  const text = flags.text('defaults');
  if (text === undefined) return undefined;
  const wrong = new UsageError('--defaults must be a JSON object');
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong;
    return value as Record<string, string | number | boolean>;
  } catch {
    throw wrong;
  }
}

async function textOf(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size > largestModelFile) throw new UsageError(`${file} must be at most ${largestModelFile} bytes`);
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`can't read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function report(call: Call, { key, id, predictors }: AlgorithmModel): void {
  call.print(`Imported ${key} with ${count(predictors.length, 'feature')}: ${id}`);
  call.print('It is a draft. Set its status to active before a flow scores with it.');
}
