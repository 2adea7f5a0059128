import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TSchema } from 'typebox';
import { contactPolicyTypes } from './contact-policy-parts.ts';
import { PolicyBlockDetail, PolicyDetail, PolicyResult } from './decision-policies.ts';

const evaluated = contactPolicyTypes;

/** Members of a union that describe what a type of policy said; the last describes a policy that can't be evaluated. */
const membersOf = ({ anyOf }: { readonly anyOf: readonly TSchema[] }): readonly TSchema[] => anyOf.slice(0, -1);

const typeIn = (schema: TSchema): string | undefined =>
  'description' in schema ? /`(.+)`/.exec(String(schema.description))?.[1] : undefined;

test('PolicyResult has a member for each policy type', () => {
  const listed = PolicyResult.anyOf.map(({ properties }) => properties.ruleType.const);
  assert.deepEqual(listed.toSorted(), evaluated.toSorted());
});

test('PolicyDetail has the details of each policy type', () => {
  const details = PolicyResult.anyOf.map(({ properties }) => properties.detail.anyOf[0].anyOf[0]);
  const missing = details.filter((detail) => !membersOf(PolicyDetail).includes(detail));
  assert.deepEqual(missing, []);
});

test('PolicyBlockDetail has a member for each policy type that blocks', () => {
  const listed = membersOf(PolicyBlockDetail).map(typeIn);
  assert.deepEqual(listed.toSorted(), evaluated.filter((type) => type !== 'allow_override').toSorted());
});
