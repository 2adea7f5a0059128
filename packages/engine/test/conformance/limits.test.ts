import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  type Json,
  openReferences,
  policyProblems,
  policyShapes,
  ruleProblems,
  ruleShapes,
  validateFlow,
} from '../../src/index.ts';
import type { JsonObject } from '../../src/plan/snapshot.ts';

interface Limit {
  readonly key: string;
  readonly beside?: JsonObject;
}
interface NumberLimit extends Limit {
  readonly from: number;
  readonly to: number | null;
  readonly integer?: boolean;
}
interface ListLimit extends Limit {
  readonly atMost: number;
  readonly entry: Json;
}

const { numbers, lists }: { readonly numbers: readonly NumberLimit[]; readonly lists: readonly ListLimit[] } =
  JSON.parse(readFileSync(new URL('../../conformance/limits.json', import.meta.url), 'utf8'));

/** Returns the paths of problems in a config with this value at the key. */
function refused({ key, beside = {} }: Limit, value: Json): readonly string[] {
  const [name = '', ...path] = key.split('.');
  const config = put(beside, path, value);
  if (name === 'flowConfig') return told(sound, config, '/flowConfig');
  if (name === 'rule') return paths(ruleProblems('attribute_condition', { ...condition, ...config }));
  if (Object.hasOwn(policyShapes, name)) return paths(policyProblems(name, config));
  if (Object.hasOwn(ruleShapes, name)) return paths(ruleProblems(name, config));
  const others = sound.filter(({ type }) => type !== name);
  const at = name === 'inventory' ? 0 : behindScore.has(name) ? others.length : 1;
  const nodes = [...others.slice(0, at), { id: 'x', type: name, config }, ...others.slice(at)];
  return told(nodes, {}, `/nodes/${at}/config`);
}

const behindScore: ReadonlySet<string> = new Set([
  'optimize',
  'rank',
  'group',
  'compute',
  'set_properties',
  'response',
]);
const sound: readonly { readonly id: string; readonly type: string; readonly config?: JsonObject }[] = [
  { id: 'i', type: 'inventory' },
  { id: 's', type: 'score', config: { method: 'propensity' } },
];
const condition: JsonObject = { attribute: 'age', operator: 'exists' };

function told(nodes: readonly object[], flowConfig: JsonObject, prefix: string): readonly string[] {
  const { errors } = validateFlow({ version: 2, nodes, flowConfig }, openReferences, { use: 'draft' });
  return errors.map(({ path }) => path.replace(prefix, ''));
}

const paths = (problems: readonly { readonly path: string }[]): readonly string[] => problems.map(({ path }) => path);

function put(config: JsonObject, [key = '', ...rest]: readonly string[], value: Json): JsonObject {
  const inner = config[key];
  const own = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? (inner as JsonObject) : {};
  return { ...config, [key]: rest.length === 0 ? value : put(own, rest, value) };
}

const pointerOf = ({ key }: Limit): string => `/${key.split('.').slice(1).join('/')}`;

test('accepts both ends of each range, and rejects a step beyond with its path', () => {
  for (const limit of numbers) {
    const { key, from, to, integer = false } = limit;
    const step = integer ? 1 : 0.000001;
    for (const value of [from, ...(to === null ? [1e9] : [to])])
      assert.deepEqual(refused(limit, value), [], `${key} ${value}`);
    const beyond: Json[] = [
      from - step,
      ...(to === null ? [] : [to + step]),
      ...(integer ? [from + 0.5] : []),
      `${from}`,
      true,
    ];
    for (const value of beyond)
      assert.deepEqual(refused(limit, value), [pointerOf(limit)], `${key} ${JSON.stringify(value)}`);
  }
});

test('accepts lists up to their limit, and rejects one more item with its path', () => {
  for (const limit of lists) {
    const { key, atMost, entry } = limit;
    const listOf = (count: number): Json =>
      Array.from({ length: count }, (_, at): Json => JSON.parse(JSON.stringify(entry).replaceAll('#', `${at}`)));
    assert.deepEqual(refused(limit, listOf(atMost)), [], `${key} with ${atMost}`);
    assert.deepEqual(refused(limit, listOf(atMost + 1)), [pointerOf(limit)], `${key} with ${atMost + 1}`);
    assert.deepEqual(refused(limit, 'x'), [pointerOf(limit)], `${key} that is no list`);
  }
});
