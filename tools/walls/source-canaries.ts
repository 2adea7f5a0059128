import { breaking, type Canary, feature, server } from './canary.ts';

export const sourceCanaries: readonly Canary[] = [
  ...breaking('only-config-reads-the-environment', `${server}/http`, ['export const port = process.env["PORT"];']),
  // A type beside a value must not hide the value.
  ...breaking('only-db-uses-the-driver', `${server}/http`, [
    "import pg, { type Pool } from 'pg';\nexport const p: Pool = new pg.Pool();",
  ]),
  ...breaking('only-platform-calls-out', `${server}/http`, ["export const x = await fetch('https://example.org');"]),
  ...breaking('only-main-starts-timers', `${server}/http`, ['setInterval(() => undefined, 1000);']),
  ...breaking('only-main-listens', `${server}/http`, ['export const open = (app) => app.listen({ port: 1 });']),
  ...breaking('time-is-passed-in', feature, ['export const now = () => new Date();']),
  ...breaking('chance-is-passed-in', `${server}/http`, ['export const draw = () => Math.random();']),
  ...breaking('engine-is-pure', 'packages/engine/src', ['export const now = () => Date.now();']),
  ...breaking('engine-arithmetic-is-exact', 'packages/engine/src', ['export const square = (x: number) => x ** 2;']),
];
