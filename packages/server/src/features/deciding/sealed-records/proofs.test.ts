import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import {
  canonicalJson,
  decide,
  itemTexts,
  type Plan,
  type Proof,
  planRefs,
  readProof,
  resultText,
  type Snapshot,
} from '@arbiter/engine';
import { readCorpus, type StoredInput, unpackInput } from '../../../../../engine/test/corpus/record.ts';
import { inputText, newZoneWriter } from './packed-input.ts';
import { resultHash } from './packed-result.ts';

const sha256 = async (text: string): Promise<string> => hash('sha256', text, 'hex');

/** The keys of a plan's head; the rest of a snapshot is in its pieces. */
const headKeys = new Set('format semantics tenant flow models experiments rankingProfiles metrics subFlows'.split(' '));

function textsOf(snapshot: Snapshot): Proof['plan'] {
  const parts = (isHead: boolean) =>
    Object.fromEntries(Object.entries(snapshot).filter(([key]) => headKeys.has(key) === isHead));
  const piece = canonicalJson(parts(false));
  return { head: canonicalJson({ ...parts(true), pieces: [hash('sha256', piece, 'hex')] }), pieces: [piece] };
}

/** Names model states by their content, like the server. The corpus names some by words. */
function withStates(stored: StoredInput): { readonly stored: StoredInput; readonly modelStates: Proof['modelStates'] } {
  if (stored.modelStates === undefined) return { stored, modelStates: {} };
  const states = Object.entries(stored.modelStates).map(([key, { state }]) => {
    const text = canonicalJson(state);
    return { key, text, name: hash('sha256', text, 'hex'), state };
  });
  return {
    stored: {
      ...stored,
      modelStates: Object.fromEntries(states.map(({ key, name, state }) => [key, { hash: name, state }])),
    },
    modelStates: Object.fromEntries(states.map(({ name, text }) => [name, text])),
  };
}

/** States of counts have the sum of their offers, which the corpus chose on its own. */
function withSum(stored: StoredInput): StoredInput {
  const { objectiveCounts } = stored;
  if (objectiveCounts === undefined) return stored;
  const impressions7 = Object.values(objectiveCounts.offers).reduce((sum, counts) => sum + counts.impressions7, 0);
  return { ...stored, objectiveCounts: { ...objectiveCounts, impressions7 } };
}

const entriesOf = (pairs: StoredInput['evidence']['offers']) =>
  Object.entries(pairs).map(([id, [positives, negatives]]) => [id, positives, negatives] as const);

/** The proof of a decision of the corpus, as the server would make it of its record. */
function proofOf(snapshot: Snapshot, plan: Plan, given: StoredInput, neverStore: ReadonlySet<string>): Proof {
  const { stored, modelStates } = withStates(withSum(given));
  const input = unpackInput(stored);
  const refs = planRefs(snapshot, plan.ordinals);
  const rules = { neverStore, refs, plan, readSet: { attributes: [], context: [] } };
  const experiments = Object.entries(input.experiments ?? {}).map(([key, { variant, share }]) => ({
    key,
    variant,
    share,
  }));
  const { text, withheld } = inputText(
    input,
    input.request,
    rules,
    newZoneWriter(),
    input.segments,
    experiments.length === 0 ? null : experiments,
  );
  const decision = decide(plan, input, { trace: false });
  const result = resultText(decision, refs);
  const content = textsOf(snapshot);
  const counts = stored.objectiveCounts;
  return {
    format: 1,
    decision: {
      recommendationId: 'decision',
      requestId: input.request.requestId,
      customerId: input.request.customerId,
      decidedAt: new Date(input.now).toISOString(),
      flow: { key: snapshot.flow.key, version: 1 },
      engineVersion: '1',
    },
    planHash: hash('sha256', content.head, 'hex'),
    inputsHash: hash('sha256', text, 'hex'),
    resultHash: resultHash(result, itemTexts(decision)).toString('hex'),
    plan: content,
    inputs: text,
    result,
    seed: input.seed,
    evidence: {
      global: stored.evidence.global,
      offers: entriesOf(stored.evidence.offers),
      categories: entriesOf(stored.evidence.categories),
    },
    objectiveCounts:
      counts === undefined
        ? null
        : {
            number: counts.number,
            offers: Object.entries(counts.offers).map(([id, { impressions, positives, converts, impressions7 }]) => [
              id,
              [impressions, positives, converts, impressions7],
            ]),
          },
    modelStates,
    withheld,
  };
}

function eachOfCorpus(every: number, each: (line: number, ...of: [Snapshot, Plan, StoredInput]) => void): void {
  const file = new URL('../../../../../engine/corpus/engine-1.jsonl.br', import.meta.url);
  let at = 0;
  readCorpus(brotliDecompressSync(readFileSync(file)).toString('utf8'), (plan, { input }, line, snapshot) => {
    at += 1;
    if (at % every === 0) each(line, snapshot, plan, input);
  });
}

test('proves decisions of every kind', async () => {
  const proofs: [number, Proof][] = [];
  const models = new Set<string>();
  let explored = 0;
  eachOfCorpus(4, (line, snapshot, plan, input) => {
    const proof = proofOf(snapshot, plan, input, new Set());
    proofs.push([line, proof]);
    for (const { modelType } of snapshot.models ?? []) models.add(modelType);
    if (decide(plan, unpackInput(input), { trace: false }).explored) explored += 1;
  });
  for (const [line, proof] of proofs) {
    const { verdict, hashes, differences, failure } = await readProof(proof, sha256);
    assert.equal(verdict, 'identical', `line ${line}: ${JSON.stringify({ hashes, differences, failure })}`);
  }
  assert.ok(models.size >= 3, [...models].join());
  assert.ok(explored > 0);
});

test('names withheld fields instead of replaying', async () => {
  const proofs: Proof[] = [];
  eachOfCorpus(40, (_line, snapshot, plan, input) => {
    const proof = proofOf(snapshot, plan, input, new Set(['age', 'job']));
    if (proof.withheld.length > 0) proofs.push(proof);
  });
  assert.ok(proofs.length > 0);
  for (const proof of proofs) {
    assert.equal((await readProof(proof, sha256)).verdict, 'withheld');
    const changed = { ...proof, inputs: proof.inputs.replace('"n":', '"n":1') };
    assert.equal((await readProof(changed, sha256)).verdict, 'different');
  }
});

test('finds any changed byte of plan, inputs and result', async () => {
  const proofs: Proof[] = [];
  eachOfCorpus(400, (_line, snapshot, plan, input) => proofs.push(proofOf(snapshot, plan, input, new Set())));
  const flip = (text: string, at: number): string =>
    text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1);
  for (const proof of proofs) {
    const { head, pieces } = proof.plan;
    for (const share of [0, 0.1, 0.37, 0.5, 0.73, 0.999]) {
      const changed = (text: string): string => flip(text, Math.floor(text.length * share));
      const forged: Proof[] = [
        { ...proof, inputs: changed(proof.inputs) },
        { ...proof, plan: { head: changed(head), pieces } },
        { ...proof, plan: { head, pieces: [changed(pieces[0]!)] } },
        { ...proof, result: changed(proof.result) },
        { ...proof, resultHash: changed(proof.resultHash) },
        { ...proof, planHash: changed(proof.planHash) },
        { ...proof, inputsHash: changed(proof.inputsHash) },
      ];
      for (const [at, each] of forged.entries()) {
        const { verdict } = await readProof(each, sha256);
        assert.equal(verdict, 'different', `change ${at} at ${share} of line ${proof.decision.requestId}`);
      }
    }
    assert.equal((await readProof({ ...proof, plan: { head, pieces: [] } }, sha256)).verdict, 'different');
  }
});
