import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type Resource, resources } from '@arbiter/contract';
import { columnName } from '../../../db/columns.ts';
import { tableOf } from './record-spec.ts';

const dump = readFileSync(new URL('../../../../../../docs/schema.sql', import.meta.url), 'utf8');
const all = Object.entries<Resource>(resources);

test('every unique property has the constraint or index that identifies its error', () => {
  assert.ok(all.length > 10);
  for (const [, resource] of all) {
    for (const property of Object.keys(resource.unique)) {
      const name = `${tableOf(resource)}_${columnName(property)}`;
      assert.match(dump, new RegExp(`(UNIQUE INDEX|constraint) ${name} (ON|UNIQUE) `), name);
    }
  }
});

test('finds a resource by its entityType, and all its references are resources', () => {
  for (const [entityType, resource] of all) {
    assert.equal(resource.entityType, entityType);
    for (const { to } of Object.values(resource.references)) assert.ok(to in resources, `${entityType} -> ${to}`);
  }
});

test('a record that others can refer to declares that error for its DELETE', () => {
  for (const [, { references }] of all) {
    for (const { to, onDelete } of Object.values(references)) {
      const target = all.find(([entityType]) => entityType === to)?.[1];
      if (onDelete === 'refuse') assert.ok(target?.errors?.delete?.includes('in_use'), to);
    }
  }
});
