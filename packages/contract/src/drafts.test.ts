import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentWords, type Resource, resources } from './index.ts';

const all: readonly Resource[] = Object.values(resources);

for (const { path, create, draft } of all) {
  test(`${path}: the draft body has every required property and no unknown one`, () => {
    assert.ok(draft, `Write a draft body for ${path} beside its resource in packages/contract/src, as \`draft\`.`);
    const body = draft(documentWords);
    const known: object = Reflect.get(create, 'properties');
    const required: readonly string[] = Reflect.get(create, 'required') ?? [];
    assert.deepEqual(
      Object.keys(body).filter((name) => !Object.hasOwn(known, name)),
      [],
    );
    assert.deepEqual(
      required.filter((name) => !Object.hasOwn(body, name)),
      [],
    );
  });
}
