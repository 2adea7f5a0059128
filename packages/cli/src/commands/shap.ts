import type { DecisionShap } from '@arbiter/contract';
import { overHttp } from '../api.ts';
import { type Call, type Command, connectionHelp, connectionOptions } from '../command.ts';
import { UsageError } from '../exit-codes.ts';
import { findModel } from './models-train.ts';

/** Features that the table shows. */
const maxFeatures = 20;

export const shap: Command = {
  name: 'shap',
  summary: "explain a decision's score with SHAP values",
  help: `Explain the score that a boosted-tree model gave in a decision: what each feature adds, in log-odds. The tenant must
have enabled explanations.

Usage: arbiter shap <decision> <model> [flags]

The decision is a request, recommendation or trace ID, the model an ID or a key.

  --offer <id>          offer whose values are read
  --attributes <json>   values by feature name (default: what the decision read)
  --round <n>           decimals, 0 to 15; 0 doesn't round; default 6

${connectionHelp}

Example:
  arbiter shap 0198a2b4-6a38-7a92-9c1e-5d3f0a7b1c00 deposit-gbm --offer 0198a2b4-5b11-7c04-8e55-2f9d4b6a3e10`,
  options: {
    ...connectionOptions,
    offer: { type: 'string' },
    attributes: { type: 'string' },
    round: { type: 'string' },
  },
  async run(call) {
    const [decision, model, ...more] = call.positionals;
    if (decision === undefined || model === undefined || more.length > 0) {
      throw new UsageError('expects the ID of a decision, and the ID or key of a model');
    }
    const offerId = call.flags.text('offer');
    const round = call.flags.integer('round');
    const rest = {
      attributes: attributesOf(call),
      ...(offerId === undefined ? {} : { offerId }),
      ...(round === undefined ? {} : { round }),
    };
    return overHttp(
      call,
      async (client) =>
        client.decisions.shap({ params: { id: decision }, body: { modelId: await findModel(client, model), ...rest } }),
      { report: (answer) => report(call, answer) },
    );
  },
};

function attributesOf({ flags }: Call): Record<string, unknown> {
  const text = flags.text('attributes');
  if (text === undefined) return {};
  const wrong = new UsageError('--attributes must be a JSON object');
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong;
    return value as Record<string, unknown>;
  } catch {
    throw wrong;
  }
}

function report(call: Call, { modelName, score, baseline, rawMargin, shapValues, featureCount }: DecisionShap): void {
  call.print(`${modelName} gives ${score}: log-odds ${rawMargin}, from a mean of ${baseline}`);
  const values = Object.entries(shapValues)
    .filter(([, value]) => value !== 0)
    .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  for (const [feature, value] of values.slice(0, maxFeatures)) {
    call.print(`  ${value > 0 ? '+' : ''}${value}  ${feature}`);
  }
  const others = featureCount - Math.min(values.length, maxFeatures);
  if (others > 0) call.print(`  ${others} other features add ${values.length > maxFeatures ? 'less' : 'nothing'}`);
}
