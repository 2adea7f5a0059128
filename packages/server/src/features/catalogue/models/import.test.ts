import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { largestModelFile } from '@arbiter/contract';
import { startTestServer, type TestServer } from '../../../main/test-server.ts';

const url = '/api/v1/algorithm-models';
const oracles = new URL('../../../../../engine/test/oracles/trees/', import.meta.url);
const textOf = (name: string): string => readFileSync(new URL(name, oracles), 'utf8');

let server: TestServer;
let address: string;
before(async () => {
  server = await startTestServer();
  address = await server.app.listen({ port: 0, host: '127.0.0.1' });
});
after(() => server.close());

interface Answer {
  readonly id: string;
  readonly code: string;
  readonly modelType: string;
  readonly status: string;
  readonly predictors: readonly unknown[];
  readonly modelState?: { readonly trees: readonly unknown[] };
  readonly stateHash: string | null;
  readonly score: number;
  readonly rawScore: number;
  readonly total: number;
  readonly explanations: readonly { readonly feature: string; readonly contribution: number }[];
  readonly errors: readonly { readonly path: string; readonly message: string }[];
}

/** Sends a form with these texts and a file. */
async function sendForm(texts: Readonly<Record<string, string>>, file: string | null) {
  const form = new FormData();
  for (const [name, value] of Object.entries(texts)) form.append(name, value);
  if (file !== null) form.append('file', new Blob([file]), 'model.json');
  const headers = { authorization: `Bearer ${server.tenants[0]!.keys.editor}`, 'x-requested-with': 'test' };
  const answer = await fetch(`${address}${url}/import`, { method: 'POST', body: form, headers });
  const text = await answer.text();
  return { status: answer.status, text, body: JSON.parse(text) as Answer };
}
const sendJson = (body: object) => server.call<Answer>('POST', `${url}/import`, { body });

const xgboost = JSON.parse(textOf('xgboost.cases.json')) as {
  readonly rows: readonly (readonly (number | null)[])[];
  readonly margins: readonly number[];
  readonly scores: readonly number[];
  readonly contributions: readonly (readonly number[])[];
};
const names = ['age', 'balance', 'ratio', 'visits', 'region', 'plan'];
const attributesOf = (row: readonly (number | null)[]) =>
  Object.fromEntries(names.flatMap((name, at) => (row[at] === null ? [] : [[name, row[at]]])));

test('imports a file of each form as a draft that scores as its library does, with SHAP values', async () => {
  const made = await sendForm({ key: 'xgb', name: 'From a file' }, textOf('xgboost.model.json'));
  assert.equal(made.status, 201, made.text);
  assert.deepEqual([made.body.modelType, made.body.status], ['gradient_boosted', 'draft']);
  assert.deepEqual(made.body.predictors, names);
  assert.equal(made.body.modelState, undefined);
  const one = await server.call<Answer>('GET', `${url}/${made.body.id}`);
  assert.equal(one.body.modelState?.trees.length, 40);
  assert.equal(one.body.stateHash, made.body.stateHash);
  for (let at = 0; at < 40; at++) {
    const scored = await server.call<Answer>('POST', `${url}/${made.body.id}/score`, {
      body: { attributes: attributesOf(xgboost.rows[at]!) },
    });
    assert.equal(scored.status, 200, scored.text);
    assert.ok(Math.abs(scored.body.score - xgboost.scores[at]!) < 2e-6, `row ${at}`);
    assert.ok(Math.abs(scored.body.rawScore - xgboost.margins[at]!) < 5e-6, `row ${at}`);
    for (const { feature, contribution } of scored.body.explanations) {
      const expected = xgboost.contributions[at]![names.indexOf(feature)]!;
      assert.ok(Math.abs(contribution - expected) < 2e-6, `${feature} of row ${at}`);
    }
  }
});

test('imports models as JSON: an object, or the text of a file', async () => {
  const dump = await sendJson({
    key: 'dump',
    name: 'Dump',
    family: 'risk',
    model: JSON.parse(textOf('lightgbm.nan.model.json')),
  });
  assert.equal(dump.status, 201, dump.text);
  const text = await sendJson({
    key: 'text',
    name: 'Text',
    format: 'lightgbm_text',
    model: textOf('lightgbm.nan.model.txt'),
    featureDefaults: { age: 40 },
  });
  assert.equal(text.status, 201, text.text);
  assert.deepEqual(text.body.predictors[0], { name: 'age', default: 40 });
  const scoreOf = async (id: string, attributes: object) => {
    const scored = await server.call<Answer>('POST', `${url}/${id}/score`, { body: { attributes } });
    return scored.body.score;
  };
  const row = { balance: 100, ratio: 0.5, visits: 2, region: 4, plan: 1 };
  assert.equal(await scoreOf(text.body.id, row), await scoreOf(dump.body.id, { ...row, age: 40 }));
  assert.notEqual(await scoreOf(text.body.id, row), await scoreOf(dump.body.id, row));
});

test("rejects what it can't import, says why, and creates nothing", async () => {
  const count = async () => (await server.call<Answer>('GET', `${url}?limit=1`)).body.total;
  const earlier = await count();
  const sound = textOf('lightgbm.nan.model.txt');
  const refused = async (
    sent: Promise<{ status: number; text: string; body: Answer }>,
    path: string,
    message: RegExp,
  ) => {
    const answer = await sent;
    assert.equal(answer.status, 400, answer.text);
    assert.equal(answer.body.errors[0]?.path, path, answer.text);
    assert.match(answer.body.errors[0]!.message, message);
  };
  await refused(sendJson({ key: 'a', name: 'A', model: 'nonsense' }), '/model', /XGBoost saved as JSON/);
  await refused(sendJson({ key: 'a', name: 'A', model: 7 }), '/model', /must be the JSON of a model/);
  await refused(sendJson({ key: 'a', name: 'A', model: sound, format: 'xgboost_json' }), '/model', /must be JSON/);
  await refused(
    sendJson({ key: 'a', name: 'A', model: sound, featureDefaults: { none: 1 } }),
    '/featureDefaults/none',
    /must be a feature of the model/,
  );
  await refused(sendJson({ key: 'a b', name: 'A', model: sound }), '/key', /pattern|letters|must/i);
  await refused(
    sendJson({ key: 'a', name: 'A', model: sound.replace('objective=binary', 'objective=regression') }),
    '/model/objective',
    /must be binary/,
  );
  await refused(
    sendForm({ key: 'a', name: 'A' }, sound.replace(/threshold=\S+/, 'threshold=nan')),
    '/file/Tree=0/threshold/0',
    /finite/,
  );
  await refused(sendForm({ key: 'a', name: 'A' }, null), '/file', /is required/);
  await refused(sendForm({ name: 'A' }, sound), '/key', /is required/);
  await refused(sendForm({ key: 'a', name: 'A', format: 'onnx' }, sound), '/format', /must be one of/);
  await refused(sendForm({ key: 'a', name: 'A', featureDefaults: '[1]' }, sound), '/featureDefaults', /JSON object/);
  assert.equal((await sendForm({ key: 'xgb', name: 'Again' }, sound)).status, 409);
  assert.equal(await count(), earlier);
});

test('rejects files above 50 MB with 413', async () => {
  const answer = await sendForm({ key: 'big', name: 'Big' }, 'x'.repeat(largestModelFile + 1));
  assert.deepEqual([answer.status, answer.body.code], [413, 'payload_too_large']);
});

test('takes the features of a stored state as predictors when the model has none', async () => {
  const made = await server.call<Answer>('POST', url, {
    body: { key: 'by-hand', name: 'By hand', modelType: 'gradient_boosted' },
  });
  assert.equal(made.status, 201, made.text);
  const leaf = (leaf_value: number, leaf_count: number) => ({ leaf_value, leaf_count });
  const node = (
    split_feature: string,
    threshold: number,
    internal_count: number,
    left_child: object,
    right_child: object,
  ) => ({
    split_feature,
    threshold,
    internal_count,
    left_child,
    right_child,
  });
  const modelState = {
    feature_names: ['f0', 'f1'],
    objective: 'binary',
    init_score: -1,
    trees: [
      {
        tree_structure: node(
          'f0',
          40,
          100,
          node('f1', 2, 60, leaf(-0.4, 45), leaf(0.2, 15)),
          node('f1', 5, 40, leaf(0.1, 10), leaf(0.9, 30)),
        ),
      },
    ],
  };
  const untrained = await server.call<Answer>('POST', `${url}/${made.body.id}/score`, { body: { attributes: {} } });
  assert.deepEqual([untrained.status, untrained.body.code], [400, 'model_unsupported']);
  const bad = {
    ...modelState,
    trees: [{ tree_structure: { ...modelState.trees[0]!.tree_structure, split_feature: 'f2' } }],
  };
  const refused = await server.call<Answer>('PUT', `${url}/${made.body.id}`, { body: { modelState: bad } });
  assert.deepEqual(
    [refused.status, refused.body.errors[0]?.path],
    [400, '/modelState/trees/0/tree_structure/split_feature'],
  );
  const put = await server.call<Answer>('PUT', `${url}/${made.body.id}`, { body: { modelState } });
  assert.equal(put.status, 200, put.text);
  assert.deepEqual(put.body.predictors, ['f0', 'f1']);
  const scored = await server.call<Answer>('POST', `${url}/${made.body.id}/score`, {
    body: { attributes: { f0: 35, f1: 3 } },
  });
  assert.deepEqual([scored.body.score, scored.body.rawScore], [0.310026, -0.8]);
  assert.deepEqual(
    scored.body.explanations.map(({ feature, contribution }) => [feature, Math.round(contribution * 1e6) / 1e6]),
    [
      ['f0', -0.17],
      ['f1', 0.24],
    ],
  );
});
