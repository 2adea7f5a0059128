import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { before, test } from 'node:test';
import { openapi, operations } from '@arbiter/contract';
import { type Operation, type Role, roles } from '@arbiter/contract/core/operation';
import { can } from '../data/can.ts';
import { features } from './manifest.ts';

/** What the console's source calls, derived from its imports: `offerOperations.update` of a contract module. */

const source = join(import.meta.dirname, '..');

interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** An operation that a file names. */
interface Use {
  readonly path: string;
  /** As the file writes it: `offerOperations.update`. */
  readonly word: string;
  readonly operation: Operation;
}

const files: readonly SourceFile[] = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.test.ts'))
  .map((path) => ({ path: relative('.', path), text: readFileSync(join(source, path), 'utf8') }));

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'auth' in value;

/** Names of operation groups that a file imports, with the modules. */
const importsOf = ({ text }: SourceFile) =>
  [...text.matchAll(/import (?:type )?\{([^}]*)\} from '(@arbiter\/contract\/[^']+)'/g)].flatMap(
    ([, names = '', module = '']) =>
      names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => /Operations$/.test(name))
        .map((name) => ({ name, module })),
  );

let uses: readonly Use[] = [];
/** Every operation of the groups that the console imports: forms and lists take whole groups. */
let reachable: readonly Operation[] = [];
before(async () => {
  const found: Use[] = [];
  const groups: object[] = [];
  for (const file of files) {
    for (const { name, module } of importsOf(file)) {
      const group: unknown = Reflect.get(await import(module), name);
      groups.push(Object(group));
      for (const [, key = ''] of file.text.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g'))) {
        const operation: unknown = Reflect.get(Object(group), key);
        assert.ok(isOperation(operation), `${file.path}: ${name}.${key} is no operation`);
        found.push({ path: file.path, word: `${name}.${key}`, operation });
      }
    }
  }
  uses = found;
  reachable = groups.flatMap((group) => Object.values(group).filter(isOperation));
});

test('needs no operation that is missing from the OpenAPI document', () => {
  assert.ok(uses.length > 200);
  const { paths } = openapi(Object.values(operations), { version: '1', serverUrl: '' }) as {
    readonly paths: Readonly<Record<string, object>>;
  };
  for (const { id, path, method } of reachable) {
    const described: unknown = Reflect.get(paths[path] ?? {}, method.toLowerCase());
    assert.ok(described, `${id} is not in the document`);
  }
});

test("makes its calls with the SDK's caller only", () => {
  const around = files.filter(({ text }) =>
    /(?<![.\w])fetch\(|XMLHttpRequest|EventSource|WebSocket|sendBeacon/.test(text),
  );
  assert.deepEqual(
    around.map(({ path }) => path),
    [],
  );
});

test('allows each role the operations of its level, and no others', () => {
  const level = (role: Role): number => roles.indexOf(role);
  for (const { operation } of uses) {
    for (const role of roles) {
      const expected = operation.role === null || level(role) >= level(operation.role);
      assert.equal(can(operation, role).allowed, expected, `${operation.id} as ${role}`);
    }
  }
});

/** Operations that a file asks `can` about, or gives to a form, link or button, which asks. */
const isAsked = ({ path, word }: Use): boolean => {
  const name = word.replaceAll('.', '\\.');
  const asks = new RegExp(
    `can\\((\\{ \\.\\.\\.)?${name}\\b|operation=\\{${name}\\}|operations=\\{${word.split('.')[0]}\\}`,
  );
  return asks.test(files.find((file) => file.path === path)?.text ?? '');
};
const featureOf = ({ path }: Pick<Use, 'path'>): string => path.split('/').slice(0, 2).join('/');
const groupOf = ({ word }: Use): string => word.split('.')[0] ?? '';

/** Features whose every page is for one role. */
const forOneRole = new Map<string, string>(
  features.flatMap(({ name, screens }) => {
    const [first] = screens;
    return first?.needs !== undefined && screens.every(({ needs }) => needs === first.needs)
      ? [[`features/${name}`, first.needs] as const]
      : [];
  }),
);

test('asks for the role before it offers a write, in each feature and for each kind of record', () => {
  const asked = uses.filter(isAsked);
  const writes = uses.filter(({ operation }) => operation.method !== 'GET' && operation.role !== 'viewer');
  const unasked = writes.filter((use) => {
    const { role } = use.operation;
    if (role === null || forOneRole.get(featureOf(use)) === role) return false;
    return !asked.some(
      (other) =>
        other.operation.role === role && featureOf(other) === featureOf(use) && groupOf(other) === groupOf(use),
    );
  });
  assert.ok(writes.length > 60);
  assert.deepEqual([...new Set(unasked.map(({ path, word }) => `${path}: ${word}`))], []);
});
