import { breaking, type Canary, type Files, feature, server } from './canary.ts';

const http = `${server}/http`;
const engine = 'packages/engine/src';

/** Time comes with the transaction or from the caller, whatever name the clock goes by. */
const clocks = [
  'export const now = () => new Date();',
  'export const now = () => Date.now();',
  "export const now = () => Date['now']();",
  'const D = Date;\nexport const now = () => new D();',
  'const { now } = Date;\nexport const at = now();',
  'export const now = () => Reflect.construct(Date, []);',
  'export const now = () => Date();',
  'export const clock = { Date };',
  'class Later extends Date {}\nexport const now = () => new Later();',
  'export const now = () => new globalThis.Date();',
  'const { Date: D } = globalThis;\nexport const now = () => new D();',
  'export const parse = [1].map(Date.now);',
  'const p = performance;\nexport const now = () => p.timeOrigin + p.now();',
  'export const start = performance.timeOrigin;',
  'const { now } = performance;\nexport const at = () => now();',
  "import { performance } from 'node:perf_hooks';\nexport const now = () => performance.now();",
  'export const now = () => process.hrtime();',
];

const timers = [
  'setTimeout(() => undefined, 1000);',
  'setInterval(() => undefined, 1000);',
  'setImmediate(() => undefined);',
  'const later = setTimeout;\nlater(() => undefined, 1000);',
  'globalThis.setTimeout(() => undefined, 1000);',
  "globalThis['setTimeout'](() => undefined, 1000);",
  'export const pause = (ms) => new Promise((done) => void [done, ms].concat(setTimeout));',
  "import { setTimeout as pause } from 'node:timers/promises';\nawait pause(1000);",
  "import { setTimeout as pause } from 'timers';\npause(() => undefined, 1000);",
  "import timers from 'node:timers';\ntimers.setTimeout(() => undefined, 1000);",
  "import * as timers from 'node:timers/promises';\nawait timers.setTimeout(1000);",
  "export { setTimeout as pause } from 'node:timers/promises';",
  "const { setTimeout: pause } = await import('node:timers');\npause(() => undefined, 1000);",
];

const intervals = [
  'setInterval(() => undefined, 1000);',
  'const every = setInterval;\nevery(() => undefined, 1000);',
  'globalThis.setInterval(() => undefined, 1000);',
  "import { setInterval as every } from 'node:timers/promises';\nfor await (const _ of every(1000));",
  "import * as timers from 'node:timers';\ntimers.setInterval(() => undefined, 1000);",
];

const chances = [
  'export const draw = () => Math.random();',
  "export const draw = () => Math['random']();",
  'const { random } = Math;\nexport const draw = () => random();',
  'const M = Math;\nexport const draw = () => M.random();',
  'export const draw = () => globalThis.Math.random();',
];

const states = [
  'let last = 0;\nexport const next = () => (last += 1);',
  'export let count = 0;\nexport const add = () => { count += 1; };',
  'var last = 0;\nexport const next = () => (last += 1);',
  'export const next = [];\n{\n  let last = 0;\n  next.push(() => (last += 1));\n}',
];

export const sourceCanaries: readonly Canary[] = [
  ...breaking('the-oracle-shares-no-code', 'test/oracle', [
    "import { h32 } from '@arbiter/engine';\nexport const hash = h32;",
    "export { decide } from '@arbiter/engine';",
    "import { chanceOf } from '../../packages/engine/test/corpus/chance.ts';\nexport const chance = chanceOf;",
    "import { randomWorld } from './random-world.ts';\nexport const world = randomWorld;",
    "export const engine = await import('@arbiter/engine');",
  ]),
  ...breaking('only-config-reads-the-environment', http, [
    'export const port = process.env["PORT"];',
    'const { env } = process;\nexport const port = env.PORT;',
    'const p = process;\nexport const port = p.env.PORT;',
    "import { env } from 'node:process';\nexport const port = env.PORT;",
    "import process from 'node:process';\nexport const port = process.env.PORT;",
  ]),
  // A type next to a value must not hide the value.
  ...breaking('only-db-uses-the-driver', http, [
    "import pg, { type Pool } from 'pg';\nexport const p: Pool = new pg.Pool();",
    "export const m = await import('mysql2');",
    "export { sql } from 'kysely';",
  ]),
  ...breaking('only-platform-calls-out', http, [
    "export const x = await fetch('https://example.org');",
    "const get = fetch;\nexport const x = await get('https://example.org');",
    "export const x = await globalThis.fetch('https://example.org');",
    "import { request } from 'node:https';\nexport const x = request('https://example.org');",
  ]),
  ...breaking('only-main-starts-timers', http, intervals),
  ...breaking('features-start-no-timers', feature, timers),
  ...breaking('only-main-listens', http, ['export const open = (app) => app.listen({ port: 1 });']),
  ...breaking('time-is-passed-in', feature, clocks),
  ...breaking('time-is-passed-in', 'packages/contract/src', ['export const now = () => new Date();']),
  ...breaking('chance-is-passed-in', http, chances),
  ...breaking('modules-keep-no-state', http, states),
  ...breaking('modules-keep-no-state', engine, states),
  ...breaking('engine-is-pure', engine, ['export const now = () => Date.now();', 'const D = Date;\nexport { D };']),
  ...breaking('engine-arithmetic-is-exact', engine, ['export const square = (x: number) => x ** 2;']),
  ...[
    `${feature}/utils.ts`,
    `${feature}/helpers.rules.ts`,
    `${feature}/helper.test.ts`,
    `${feature}/common/inner.ts`,
    `${http}/date-utils.ts`,
    `${http}/types.d.ts`,
    'packages/contract/src/types/decision.ts',
    'packages/engine/conformance/common.json',
    'test/Utils.mjs',
    'tools/utils/draw.js',
  ].map((file) => ({ rule: 'files-are-named-by-subject', files: { [file]: '{}' } })),
];

/** Sources that the rules must accept. */
export const harmlessSources: Files = {
  [`${feature}/instants.ts`]: [
    'export const later = (now: Date): Date => new Date(now.getTime() + 1);',
    'export const isInstant = (value: unknown): value is Date => value instanceof Date;',
    'export const parsed = Date.parse("2026-01-01") + Date.UTC(2026, 0);',
    'export const { startDate: Date1 } = { startDate: 1 };',
    'const started = performance.now();',
    'export const ms = (): number => Math.round(performance.now() - started);',
    'export type Clock = typeof Date;',
  ].join('\n'),
  [`${http}/deadline.ts`]:
    "import { setTimeout as sleep } from 'node:timers/promises';\nsetTimeout(() => sleep(1), 1);\n",
  [`${http}/counter.ts`]: [
    'export function createCounter() {',
    '  let last = 0;',
    '  return () => (last += 1);',
    '}',
    'for (let index = 0; index < 2; index += 1) createCounter();',
    'export const counter = createCounter();',
  ].join('\n'),
  'test/oracle/plain.ts': [
    "import type { Snapshot } from '@arbiter/engine';",
    "import { plain } from './plainer.ts';",
    'export const zoneOf = ({ tenant }: Snapshot) => plain(tenant);',
  ].join('\n'),
  'test/oracle/plainer.ts': 'export const plain = (value: object): string => JSON.stringify(value);\n',
  [`${http}/outcome-types.ts`]: 'export const fetch = (type: string): string => type;\n',
};
