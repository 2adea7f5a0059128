import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import {
  DecisionRecord,
  DroppedOffer,
  RecommendAnswer,
  RecordedInputs,
  RecordedResult,
  TraceBody,
} from '@arbiter/contract';
import {
  decide,
  type Json,
  type PackedInput,
  type Plan,
  planRefs,
  readResultText,
  resultText,
  type Snapshot,
  unpackResult,
} from '@arbiter/engine';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';
import { readCorpus, type StoredInput, unpackInput } from '../../../../../../engine/test/corpus/record.ts';
import { formats } from '../../../../platform/formats.ts';
import { isObject } from '../../../../platform/json.ts';
import { inputText, newZoneWriter } from '../../sealed-records/packed-input.ts';
import { shownAssignment } from '../../sealed-records/packed-result.ts';
import { readableInputs } from '../../sealed-records/readable-inputs.ts';
import { type AnswerFacts, shapeAnswer } from '../recommend/answer.ts';
import { traceBody } from '../traces/trace.ts';

// The schemas of records and traces leave room for more; here nothing may be in a record that they don't describe.

const tests = Object.fromEntries(Object.entries(formats).map(([name, format]) => [name, format.test]));
const ajv = new Ajv2020({ strict: false, validateSchema: false, formats: tests, code: { optimize: false } });

/** A schema whose objects have no properties but those that it names, except where it describes none. */
function closed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isObject(schema)) return schema;
  const parts = Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, closed(part)]));
  const isOpen = schema.type !== 'object' || Object.hasOwn(schema, 'additionalProperties') || !schema.properties;
  return isOpen ? parts : { ...parts, additionalProperties: false };
}

const strict = (schema: TSchema): ValidateFunction =>
  ajv.compile(closed(JSON.parse(JSON.stringify(schema)) as Json) as object);

const checks = {
  result: strict(RecordedResult),
  assignment: strict(DecisionRecord.properties.assignment),
  inputs: strict(RecordedInputs),
  trace: strict(TraceBody),
  answer: strict(RecommendAnswer),
};

function assertFits(check: ValidateFunction, value: unknown, where: string): void {
  const sent: unknown = JSON.parse(JSON.stringify(value));
  if (check(sent)) return;
  const [first] = check.errors ?? [];
  const path = first?.instancePath.split('/').slice(1) ?? [];
  let at: unknown = sent;
  // The context of a row identifies it.
  for (const step of path.slice(0, 2)) at = Reflect.get(Object(at), step);
  assert.fail(`${where}: ${JSON.stringify(check.errors?.slice(0, 30))} in ${JSON.stringify(at).slice(0, 1500)}`);
}

const factsOf = ({ now, request }: StoredInput): AnswerFacts => ({
  requestId: request.requestId,
  recommendationId: 'decision',
  interactionIds: Array.from({ length: 50 }, (_, at) => `interaction ${at}`),
  customerId: request.customerId,
  anonymous: false,
  known: true,
  asked: { channel: request.channel, channelId: request.channelId, placement: request.placement },
  now,
  configVersion: 1,
  configAgeMs: 0,
  evidenceAgeMs: 0,
  profileAgeMs: 0,
  durationMs: 0.25,
  traceId: 'trace',
  stages: null,
  reservationExpiresAt: () => '2026-11-21T00:00:00.000Z',
  dryRun: false,
  debug: true,
  schemaWarnings: [],
  quota: null,
});

/** The values that distinguish the rows of a union. */
const namesIn = ({ anyOf }: { readonly anyOf: readonly TSchema[] }, property: string): string[] =>
  anyOf
    .flatMap((row): string[] => {
      const names: { const?: string; enum?: string[] } = Reflect.get(Reflect.get(row, 'properties'), property);
      return names.enum ?? (names.const === undefined ? [] : [names.const]);
    })
    .sort();

/** Columns of customers, whose values are withheld from a second trace of each decision. */
const neverStore = new Set(['age', 'job', 'joined', 'zone']);

/** Everything that is shown of a decision which was made with this input. */
function shown(snapshot: Snapshot, plan: Plan, stored: StoredInput) {
  const input = unpackInput(stored);
  const decision = decide(plan, input, { trace: true });
  const answer = shapeAnswer(plan, decision, factsOf(stored));
  const flow = { hash: Buffer.alloc(32), neverStore: new Set<string>(), comparedWith: new Map<string, string>() };
  const traceWith = (hidden: ReadonlySet<string>) =>
    traceBody(
      plan,
      input,
      decision,
      answer,
      { ...flow, neverStore: hidden },
      { inputsHash: 'hash', source: 'recommend' },
      null,
    );
  const refs = planRefs(snapshot, plan.ordinals);
  const { text } = inputText(
    input,
    input.request,
    { neverStore: flow.neverStore, refs, plan, readSet: { attributes: [], context: [] } },
    newZoneWriter(),
  );
  const readSet = {
    columns: { people: ['age'] },
    joined: ['orders'],
    attributes: ['page'],
    context: null,
    segments: [],
  };
  return {
    answer,
    trace: traceWith(flow.neverStore),
    withheld: traceWith(neverStore),
    unpacked: unpackResult(readResultText(resultText(decision, refs)), refs),
    assignment: shownAssignment(decision.assignment, decision.controlGroup),
    inputs: readableInputs(JSON.parse(text) as PackedInput, { countsNumber: '3' }, readSet, refs),
  };
}

test('every record of the frozen corpus matches the schemas of records, traces and responses', () => {
  const file = new URL('../../../../../../engine/corpus/engine-1.jsonl.br', import.meta.url);
  const text = brotliDecompressSync(readFileSync(file)).toString('utf8');
  const seen = { policies: new Set<string>(), rules: new Set<string | null>(), drops: new Set<string>() };
  const planned = { policies: new Set<string>(), rules: new Set<string>() };
  let records = 0;
  readCorpus(text, (plan, { input, result }, line, snapshot) => {
    const all = shown(snapshot, plan, input);
    assertFits(checks.result, result, `line ${line}, result`);
    assertFits(checks.result, all.unpacked, `line ${line}, result as stored`);
    assertFits(checks.assignment, all.assignment, `line ${line}, assignment`);
    assertFits(checks.inputs, all.inputs, `line ${line}, inputs`);
    assertFits(checks.trace, all.trace, `line ${line}, trace`);
    assertFits(checks.trace, all.withheld, `line ${line}, trace with withheld values`);
    assertFits(checks.answer, all.answer, `line ${line}, response`);
    for (const row of all.withheld.qualificationResults) {
      if (row.ruleType !== 'recency_check' || row.detail === null || 'error' in row.detail) continue;
      assert.equal(row.detail.actualDays, null, `line ${line}: an age tells a withheld date`);
    }
    for (const { ruleType } of snapshot.policies) planned.policies.add(ruleType);
    for (const { ruleType } of snapshot.rules) planned.rules.add(ruleType);
    for (const { ruleType } of all.trace.contactPolicyResults) seen.policies.add(ruleType);
    for (const { ruleType } of all.trace.qualificationResults) seen.rules.add(ruleType);
    for (const { reason } of all.trace.dropped) seen.drops.add(reason);
    records += 1;
  });
  assert.equal(records, 2000);
  // Types that are newer than the corpus aren't in its plans: tests of their own read them through the API.
  assert.deepEqual([...seen.policies].sort(), [...planned.policies].sort());
  assert.deepEqual([...seen.rules].map(String).sort(), [...planned.rules, 'null'].sort());
  assert.ok(seen.policies.size > 12 && seen.rules.size > 5);
  assert.deepEqual([...seen.drops].sort(), namesIn(DroppedOffer, 'reason'));
});
