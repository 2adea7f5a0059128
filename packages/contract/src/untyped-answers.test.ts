import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TSchema } from 'typebox';
import type { Operation } from './core/operation.ts';
import { operations } from './operations.ts';

const ownData = "the tenant's own data";
const ownConfig = "the tenant's own config, whose types the OpenAPI document lists (config-unions.ts)";
const anyChange = 'values before and after a change, of any property of any record';
const ofModel = 'figures that differ by model type';
const comparison = "a value of the customer or of the rule's condition, of any type";

/**
 * Untyped properties of responses: in how many operations, and why they can't have a type. This list may only shrink.
 * Give new properties a schema instead.
 */
const untyped: Readonly<Record<string, readonly [operations: number, reason: string]>> = {
  'the response': [3, "a user's own preferences, and the OpenAPI document"],
  actual: [11, comparison],
  after: [40, anyChange],
  attributes: [15, ownData],
  authConfig: [2, 'credentials of any source, masked'],
  before: [40, anyChange],
  component: [1, 'a part of CycloneDX, which defines it'],
  condition: [17, ownConfig],
  conditions: [6, ownConfig],
  config: [9, ownConfig],
  configSnapshot: [9, ownConfig],
  content: [24, ownData],
  context: [19, ownData],
  customer: [8, ownData],
  defaultValue: [12, ownData],
  draftConfig: [8, ownConfig],
  enriched: [1, ownData],
  entryCondition: [6, ownConfig],
  expected: [11, comparison],
  fairnessPolicy: [2, ownConfig],
  fallback: [6, ownData],
  filterConditions: [5, 'a condition, whose groups nest without a limit'],
  filters: [5, ownConfig],
  from: [2, comparison],
  joinMapping: [5, ownConfig],
  metadata: [10, ownData],
  modelState: [10, ofModel],
  payload: [5, 'proposed values of any record, IDs of a job, or the payload of an event'],
  personalization: [16, ownData],
  predictors: [10, ofModel],
  profile: [6, ownData],
  properties: [5, ownData],
  props: [11, ownData],
  recorded: [1, 'any value of a result that a replay differs in'],
  replayed: [1, 'any value of a result that a replay differs in'],
  rows: [2, ownData],
  sample: [1, ownData],
  serviceAccount: [6, 'a key file in the form of its provider, returned masked'],
  source: [5, 'settings of a read, which differ by type of connector'],
  targeting: [12, ownConfig],
  to: [2, comparison],
  value: [2, comparison],
};

/** Names of the properties without a type in a schema. */
function untypedIn(schema: TSchema): ReadonlySet<string> {
  const names = new Set<string>();
  const seen = new Set<object>();
  const visit = (part: unknown, name: string): void => {
    if (typeof part !== 'object' || part === null || seen.has(part)) return;
    const get = (key: string): unknown => Reflect.get(part, key);
    const inner = (key: string): [string, unknown][] => Object.entries(Object(get(key)));
    const members = [...inner('anyOf'), ...inner('oneOf'), ...inner('allOf')].map(([, member]) => member);
    if (members.length === 0 && isUntyped(part)) names.add(name);
    // A schema of a shared value is the same object in several places, so untyped ones are named at each.
    else seen.add(part);
    for (const member of members) visit(member, name);
    for (const [key, property] of inner('properties')) visit(property, key);
    for (const [, value] of inner('patternProperties')) visit(value, name);
    for (const key of ['items', 'additionalProperties']) visit(get(key), name);
  };
  visit(schema, 'the response');
  return names;
}

const hasEntries = (value: unknown): boolean => Object.keys(Object(value)).length > 0;

/** Families of configs whose keys have types, in the OpenAPI document and in TypeScript (config-types.generated.ts). */
const describedConfigs: ReadonlySet<unknown> = new Set(['policies', 'rules', 'models']);

function isUntyped(schema: object): boolean {
  const get = (key: string): unknown => Reflect.get(schema, key);
  if (get('const') !== undefined || get('enum') !== undefined) return false;
  if (describedConfigs.has(get('configs'))) return false;
  if (get('type') === 'array') return get('items') === undefined;
  const isOpen = !['properties', 'patternProperties', 'additionalProperties'].some((key) => hasEntries(get(key)));
  if (get('type') === 'object') return isOpen && get('additionalProperties') === true;
  return get('type') === undefined;
}

test('responses have no untyped properties but those listed here', () => {
  const found: Record<string, number> = {};
  for (const { responses } of Object.values<Operation>(operations)) {
    const schemas = Object.values(responses).flatMap(({ schema }) => schema ?? []);
    const names = new Set(schemas.flatMap((schema) => [...untypedIn(schema)]));
    for (const name of names) found[name] = (found[name] ?? 0) + 1;
  }
  assert.deepEqual(found, Object.fromEntries(Object.entries(untyped).map(([name, [count]]) => [name, count])));
});
