import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ConnectorType, connectorTypeNames, connectorTypes } from '@arbiter/contract';
import { describedTypes, methodOf, missingConfig, takesMethod } from './type-list.rules.ts';

const page = readFileSync(join(import.meta.dirname, '../../../../../../docs/design/api-catalogue.md'), 'utf8');

const optionGroups: Readonly<Record<string, readonly string[]>> = {
  SQL: ['sourceTable', 'schema', 'rowLimit', 'watermarkColumn', 'ssl'],
  Files: ['path', 'pattern', 'format', 'delimiter', 'header', 'encoding', 'compression', 'order'],
  Stream: ['topic', 'groupId', 'maxMessages', 'maxWaitMs', 'fromBeginning'],
  API: ['resource', 'pageSize', 'rowLimit', 'since'],
};

/** A row of the page's table, for one type. */
interface PageRow {
  readonly type: string;
  readonly label: string;
  readonly category: string;
  readonly status: string;
  readonly required: readonly (string | readonly string[])[];
  readonly optional: readonly string[];
  readonly resources: readonly string[];
  readonly methods: readonly string[];
  readonly probe: string;
}

function requiredOf(cell: string): PageRow['required'] {
  if (cell === 'none') return [];
  return cell.split(', ').map((key) => (key.includes(' or ') ? key.split(' or ') : key));
}

/** Reads `API **orders**, customers, apiVersion`: what the type reads, and its other settings. */
function optionsOf(cell: string): Pick<PageRow, 'optional' | 'resources'> {
  const optional: string[] = [];
  const resources: string[] = [];
  const known = new Set(['apiVersion', 'listId', 'region']);
  let isApi = false;
  for (const part of cell.split(', ').filter((each) => each !== '')) {
    const word = part.replace(/ \(.*\)$/, '');
    const group = Object.keys(optionGroups).find((name) => word === name || word.startsWith(`${name} **`));
    if (group !== undefined) optional.push(...(optionGroups[group] ?? []));
    if (group === 'API') isApi = true;
    const bold = /\*\*(.+)\*\*/.exec(word)?.[1];
    if (bold !== undefined) resources.push(bold);
    else if (group === undefined && isApi && /^region /.test(word)) optional.push('region');
    else if (group === undefined && isApi && !known.has(word)) resources.push(word);
    else if (group === undefined) optional.push(word);
  }
  return { optional, resources };
}

const rows: readonly PageRow[] = [
  ...page.matchAll(/^\| (.+?\(.+?) \| (\w+) \| (ready|coming_soon) \| (.*)\|$/gm),
].flatMap(([, types = '', category = '', status = '', rest = '']) => {
  const [required = '', optional = '', methods = '', probe = ''] = rest
    .replaceAll('\\|', 'or')
    // Choices of a region belong to one setting.
    .replaceAll(/region us, (eu, )?\w\w/g, 'region')
    .split('|')
    .map((cell) => cell.trim());
  return types.split(/[,;] (?=\w+ \()/).map((named) => {
    const [, type = '', label = ''] = /^(\w+) \((.+)\)$/.exec(named) ?? [];
    const common = { type, label, category, status, required: requiredOf(required), probe };
    return { ...common, ...optionsOf(optional), methods: methods.split(', ') };
  });
});

test('the table has the 85 types of the design page: 57 are ready, 28 come later', () => {
  assert.equal(rows.length, 85);
  assert.deepEqual(rows.map(({ type }) => type).sort(), [...connectorTypeNames].sort());
  assert.equal(describedTypes.filter(({ status }) => status === 'ready').length, 57);
});

for (const row of rows) {
  test(`${row.type} matches the design page`, () => {
    const shown = describedTypes.find(({ type }) => type === row.type);
    const info = Object.entries(connectorTypes).find(([type]) => type === row.type)?.[1];
    assert.ok(shown && info);
    assert.deepEqual([shown.label, shown.category, shown.status], [row.label, row.category, row.status]);
    assert.deepEqual(shown.requiredConfig, row.required);
    // A setting that the type requires is not optional as well.
    const optional = row.optional.filter((key) => !row.required.flat().includes(key));
    assert.deepEqual([...shown.optionalConfig].sort(), optional.sort());
    assert.deepEqual([shown.authMethods, shown.defaultAuthMethod], [row.methods, row.methods[0]]);
    assert.equal(info.probe, row.probe);
    const resource = shown.fields.find(({ name }) => name === 'resource');
    assert.deepEqual([resource?.options ?? [], resource?.default ?? undefined], [row.resources, row.resources[0]]);
  });
}

test('each field of a form is a setting or a credential of its type', () => {
  for (const { type, fields, requiredConfig, optionalConfig, authMethods } of describedTypes) {
    const config = fields.filter((field) => field.in === 'config').map(({ name }) => name);
    const secrets = ['connectionString', 'apiKey'];
    const wanted = [...requiredConfig.flat(), ...optionalConfig].filter((name) => !secrets.includes(name));
    assert.deepEqual(config, wanted, type);
    for (const field of fields.filter((each) => each.in === 'authConfig')) {
      assert.ok(
        field.authMethods.length > 0 && field.authMethods.every((method) => authMethods.includes(method)),
        type,
      );
    }
  }
});

test('the default method is the first of the type', () => {
  assert.equal(methodOf('postgresql', 'access_key'), 'basic');
  assert.equal(methodOf('aws_s3', 'access_key'), 'access_key');
  assert.equal(takesMethod('postgresql', 'access_key'), true);
  assert.equal(takesMethod('postgresql', 'token'), false);
});

test('required settings may be alternatives', () => {
  const missing = (type: ConnectorType, config: object) => missingConfig(type, { ...config });
  assert.deepEqual(missing('csv', {}), ['path|url']);
  assert.deepEqual(missing('csv', { url: 'https://example.com/a.csv' }), []);
  assert.deepEqual(missing('postgresql', { host: '', port: 5432 }), ['host', 'database']);
  assert.deepEqual(missing('hubspot', { apiKey: 'x' }), []);
});
