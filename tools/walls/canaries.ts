/**
 * Known-bad code: for every rule the files of a small repository that breaks it. The checker must see each of them,
 * otherwise it checks nothing and its green result is worth nothing.
 */

type Files = Readonly<Record<string, string>>;

const server = 'packages/server/src';
const feature = (name: string) => `${server}/features/${name}/index.ts`;

/** Libraries and packages that the fixtures import, so that their imports resolve. */
export const canaryBase: Files = {
  'node_modules/pg/package.json': '{"name":"pg","version":"1.0.0","main":"index.js"}',
  'node_modules/pg/index.js': '',
  'node_modules/undici/package.json': '{"name":"undici","version":"1.0.0","main":"index.js"}',
  'node_modules/undici/index.js': '',
  'node_modules/graphile-worker/package.json': '{"name":"graphile-worker","version":"1.0.0","main":"index.js"}',
  'node_modules/graphile-worker/index.js': '',
  'node_modules/ajv/package.json': '{"name":"ajv","version":"1.0.0","main":"index.js"}',
  'node_modules/ajv/index.js': '',
  'package.json': '{"name":"canary","devDependencies":{"ajv":"1.0.0"}}',
  'packages/engine/package.json': '{"name":"@arbiter/engine","exports":"./src/index.ts"}',
  'packages/contract/package.json':
    '{"name":"@arbiter/contract","exports":"./src/index.ts","dependencies":{"ajv":"1.0.0"}}',
  'packages/sdk/package.json': '{"name":"@arbiter/sdk","exports":"./src/index.ts","dependencies":{"ajv":"1.0.0"}}',
  'packages/packs/package.json': '{"name":"@arbiter/packs","exports":"./src/index.ts"}',
  'packages/console/package.json': '{"name":"@arbiter/console","exports":"./src/index.ts"}',
  'packages/cli/package.json': '{"name":"@arbiter/cli","exports":"./src/index.ts"}',
  'packages/server/package.json':
    '{"name":"@arbiter/server","exports":"./src/index.ts","dependencies":{"pg":"1.0.0","undici":"1.0.0","graphile-worker":"1.0.0"}}',
  'packages/engine/src/index.ts': 'export const engine = 1;',
  'packages/contract/src/index.ts': 'export const contract = 1;',
  'packages/sdk/src/index.ts': 'export const sdk = 1;',
  'packages/packs/src/index.ts': 'export const packs = 1;',
  'packages/console/src/index.ts': 'export const ui = 1;',
  'packages/cli/src/index.ts': 'export const cli = 1;',
  [`${server}/index.ts`]: 'export const server = 1;',
  [`${server}/main/start.ts`]: 'export const start = 1;',
  [`${server}/http/binder.ts`]: 'export const binder = 1;',
};

/** Packages linked into node_modules of the fixture, as npm workspaces does. */
export const canaryPackages = ['engine', 'contract', 'sdk', 'packs', 'console', 'cli', 'server'];

const imports = (specifier: string) => `import { x } from '${specifier}';\nexport const y = x;\n`;

/** A feature of each tier importing one beside or above it. */
const featureCanaries: Readonly<Record<string, Files>> = {
  'feature-order-audit': {
    [feature('audit')]: imports('../offers/index.ts'),
    [feature('offers')]: 'export const x = 1;',
  },
  'feature-order-settings': {
    [feature('settings')]: imports('../tenants/index.ts'),
    [feature('tenants')]: 'export const x = 1;',
  },
  'feature-order-users': {
    [feature('users')]: imports('../settings/index.ts'),
    [feature('settings')]: 'export const x = 1;',
  },
  'feature-order-credentials': {
    [feature('credentials')]: imports('../tenants/index.ts'),
    [feature('tenants')]: 'export const x = 1;',
  },
  'feature-order-tenants': {
    [feature('tenants')]: imports('../records/index.ts'),
    [feature('records')]: 'export const x = 1;',
  },
  'feature-order-records': {
    [feature('records')]: imports('../offers/index.ts'),
    [feature('offers')]: 'export const x = 1;',
  },
  'feature-order-schemas': {
    [feature('schemas')]: imports('../flows/index.ts'),
    [feature('flows')]: 'export const x = 1;',
  },
  'feature-order-categories': {
    [feature('categories')]: imports('../offers/index.ts'),
    [feature('offers')]: 'export const x = 1;',
  },
  'feature-order-channels': {
    [feature('channels')]: imports('../offers/index.ts'),
    [feature('offers')]: 'export const x = 1;',
  },
  'feature-order-outcomes': {
    [feature('outcomes')]: imports('../decisions/index.ts'),
    [feature('decisions')]: 'export const x = 1;',
  },
  'feature-order-offers': {
    [feature('offers')]: imports('../creatives/index.ts'),
    [feature('creatives')]: 'export const x = 1;',
  },
  'feature-order-creatives': {
    [feature('creatives')]: imports('../offers/index.ts'),
    [feature('offers')]: 'export const x = 1;',
  },
  'feature-order-qualification': {
    [feature('qualification')]: imports('../flows/index.ts'),
    [feature('flows')]: 'export const x = 1;',
  },
  'feature-order-contact-policies': {
    [feature('contact-policies')]: imports('../flows/index.ts'),
    [feature('flows')]: 'export const x = 1;',
  },
  'feature-order-flows': {
    [feature('flows')]: imports('../decisions/index.ts'),
    [feature('decisions')]: 'export const x = 1;',
  },
  'feature-order-interactions': {
    [feature('interactions')]: imports('../evidence/index.ts'),
    [feature('evidence')]: 'export const x = 1;',
  },
  'feature-order-evidence': {
    [feature('evidence')]: imports('../plans/index.ts'),
    [feature('plans')]: 'export const x = 1;',
  },
  'feature-order-customer-states': {
    [feature('customer-states')]: imports('../plans/index.ts'),
    [feature('plans')]: 'export const x = 1;',
  },
  'feature-order-plans': {
    [feature('plans')]: imports('../sealed-records/index.ts'),
    [feature('sealed-records')]: 'export const x = 1;',
  },
  'feature-order-stream': {
    [feature('stream')]: imports('../decisions/index.ts'),
    [feature('decisions')]: 'export const x = 1;',
  },
  'feature-order-sealed-records': {
    [feature('sealed-records')]: imports('../stream/index.ts'),
    [feature('stream')]: 'export const x = 1;',
  },
  'feature-order-decisions': {
    [feature('decisions')]: imports('../admin/index.ts'),
    [feature('admin')]: 'export const x = 1;',
  },
  'feature-order-seed-packs': {
    [feature('seed-packs')]: imports('../admin/index.ts'),
    [feature('admin')]: 'export const x = 1;',
  },
};

/** Rule name to the files that break it. */
export const canaries: Readonly<Record<string, Files>> = {
  ...featureCanaries,
  'package-engine': { 'packages/engine/src/bad.ts': imports('@arbiter/contract') },
  'package-contract': { 'packages/contract/src/bad.ts': imports('@arbiter/engine') },
  'package-sdk': { 'packages/sdk/src/bad.ts': imports('@arbiter/engine') },
  'package-packs': { 'packages/packs/src/bad.ts': imports('@arbiter/engine') },
  'package-server': { [`${server}/http/bad.ts`]: imports('@arbiter/sdk') },
  'package-console': { 'packages/console/src/bad.ts': imports('@arbiter/server') },
  'package-cli': { 'packages/cli/src/bad.ts': imports('@arbiter/packs') },
  'server-platform': { [`${server}/platform/bad.ts`]: imports('../http/binder.ts') },
  'server-db': { [`${server}/db/bad.ts`]: imports('../http/binder.ts') },
  'server-http': {
    [`${server}/http/bad.ts`]: imports('../features/offers/index.ts'),
    [feature('offers')]: 'export const x = 1;',
  },
  'server-jobs': { [`${server}/jobs/bad.ts`]: imports('../http/binder.ts') },
  'server-features': { [feature('offers')]: imports('../../main/start.ts') },
  'engine-imports-nothing': { 'packages/engine/src/bad.ts': imports('node:crypto') },
  'contract-imports-typebox-only': { 'packages/contract/src/bad.ts': imports('ajv') },
  'packs-and-sdk-have-no-library': { 'packages/sdk/src/bad.ts': imports('ajv') },
  'packages-meet-at-the-door': {
    [`${server}/http/bad.ts`]: imports('../../../engine/src/inner.ts'),
    'packages/engine/src/inner.ts': 'export const x = 1;',
  },
  'cli-starts-the-server-in-two-files': { 'packages/cli/src/commands/recommend.ts': imports('@arbiter/server') },
  'nothing-imports-main': { [`${server}/http/bad.ts`]: imports('../main/start.ts') },
  'server-does-not-use-its-own-door': { [`${server}/http/bad.ts`]: imports('../index.ts') },
  'features-meet-at-the-door': {
    [feature('decisions')]: imports('../flows/flows.store.ts'),
    [`${server}/features/flows/flows.store.ts`]: 'export const x = 1;',
  },
  'main-uses-feature-doors': {
    [`${server}/main/bad.ts`]: imports('../features/flows/flows.store.ts'),
    [`${server}/features/flows/flows.store.ts`]: 'export const x = 1;',
  },
  'jobs-own-the-queue': { [feature('offers')]: imports('graphile-worker') },
  'platform-owns-the-outside': { [feature('offers')]: imports('undici') },
  'processes-are-started-in-db-and-main': { [feature('offers')]: imports('node:child_process') },
  'no-cycles': { [`${server}/http/a.ts`]: imports('./b.ts'), [`${server}/http/b.ts`]: imports('./a.ts') },
  'no-unresolved': { [`${server}/http/bad.ts`]: imports('./absent.ts') },
  'declared-dependencies': { [`${server}/http/bad.ts`]: imports('ajv') },
  'tests-stay-tests': {
    [`${server}/http/bad.ts`]: imports('./test-kit.ts'),
    [`${server}/http/test-kit.ts`]: 'export const x = 1;',
  },
  'packages-do-not-use-tools-or-suites': {
    [`${server}/http/bad.ts`]: imports('../../../../tools/x.ts'),
    'tools/x.ts': 'export const x = 1;',
  },
  'only-config-reads-the-environment': { [`${server}/http/bad.ts`]: 'export const port = process.env["PORT"];' },
  // A type beside a value must not hide the value.
  'only-db-uses-the-driver': {
    [`${server}/http/bad.ts`]: "import pg, { type Pool } from 'pg';\nexport const p: Pool = new pg.Pool();",
  },
  'only-platform-calls-out': { [`${server}/http/bad.ts`]: "export const x = await fetch('https://example.org');" },
  'only-main-starts-timers': { [`${server}/http/bad.ts`]: 'setInterval(() => undefined, 1000);' },
  'only-main-listens': { [`${server}/http/bad.ts`]: 'export const open = (app) => app.listen({ port: 1 });' },
  'time-is-passed-in': { [feature('offers')]: 'export const now = () => new Date();' },
  'chance-is-passed-in': { [`${server}/http/bad.ts`]: 'export const draw = () => Math.random();' },
  'engine-is-pure': { 'packages/engine/src/bad.ts': 'export const now = () => Date.now();' },
  'engine-arithmetic-is-exact': { 'packages/engine/src/bad.ts': 'export const square = (x: number) => x ** 2;' },
};
