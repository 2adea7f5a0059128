import type { IForbiddenRuleType } from 'dependency-cruiser';
import { closedToConsole, consoleTiers } from './console-tiers.ts';
import { ts } from './parser.ts';
import { isTest, type SourceRule } from './source-rule.ts';
import { globalRead, memberOf } from './syntax.ts';
import { testFile } from './test-file.ts';

/** The rooms of the console (docs/design/console.md 5.1). */

const source = '^packages/console/src/';
const features = `${source}features/`;

/** Rooms, each with the rooms that it may import. `app` and `main.tsx` may import all. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  route: [],
  messages: ['route'],
  ui: ['messages'],
  'flow-canvas': ['ui', 'messages'],
  'engine-worker': [],
  proof: ['messages'],
  data: ['route', 'messages'],
  records: ['data', 'route', 'messages'],
  forms: ['ui', 'records', 'data', 'route', 'messages'],
  features: ['ui', 'forms', 'records', 'data', 'flow-canvas', 'engine-worker', 'route', 'messages'],
};

const roomOrder: IForbiddenRuleType[] = Object.entries(rooms).map(([room, allowed]) => ({
  name: `console-${room}`,
  comment: `packages/console/src/${room} may import ${allowed.join(', ') || 'no other room'}.`,
  severity: 'error',
  from: { path: `${source}${room}/`, pathNot: testFile },
  to: { path: source, pathNot: [room, ...allowed].map((other) => `${source}${other}/`) },
}));

const featureOrder: IForbiddenRuleType[] = consoleTiers.flat().flatMap((feature) => {
  const closed = closedToConsole(feature);
  if (closed.length === 0) return [];
  const rule: IForbiddenRuleType = {
    name: `console-feature-order-${feature}`,
    comment: `${feature} may import features of lower tiers only (tools/walls/console-tiers.ts).`,
    severity: 'error',
    from: { path: `${features}${feature}/`, pathNot: testFile },
    to: { path: `${features}(${closed.join('|')})/` },
  };
  return [rule];
});

const listed = `${features}(${consoleTiers.flat().join('|')})/`;

/** Features without a tier import none, and none imports them. */
const lonelyFeatures: IForbiddenRuleType[] = [
  {
    name: 'console-feature-without-a-tier-imports-none',
    comment: 'Add a feature that imports another to a tier in tools/walls/console-tiers.ts.',
    severity: 'error',
    from: { path: `${features}([^/]+)/`, pathNot: [testFile, listed] },
    to: { path: features, pathNot: `${features}$1/` },
  },
  {
    name: 'console-feature-without-a-tier-is-not-imported',
    comment: 'A feature that others import needs a tier (tools/walls/console-tiers.ts).',
    severity: 'error',
    from: { path: `${features}([^/]+)/`, pathNot: testFile },
    to: { path: features, pathNot: [`${features}$1/`, listed] },
  },
];

/** Libraries that belong to certain rooms. Other rooms go through these. */
const owned: readonly (readonly [name: string, libraries: string, rooms: readonly string[]])[] = [
  ['console-ui-owns-components', 'radix-ui|@radix-ui|downshift|@tanstack/react-table|@tanstack/react-virtual', ['ui']],
  ['console-charts-own-d3', 'd3-[a-z]+', ['ui/charts']],
  ['console-canvas-owns-xyflow', '@xyflow', ['flow-canvas']],
  ['console-data-owns-queries', '@tanstack/react-query', ['data', 'app']],
  ['console-route-owns-the-router', '@tanstack/react-router', ['route', 'app']],
];

const libraryOwners: IForbiddenRuleType[] = owned.map(([name, libraries, owners]) => ({
  name,
  severity: 'error',
  from: { path: source, pathNot: [testFile, `${source}main\\.tsx$`, ...owners.map((room) => `${source}${room}/`)] },
  to: { path: `(^|/)node_modules/(${libraries})/` },
}));

export const consoleImportRules: IForbiddenRuleType[] = [
  ...roomOrder,
  ...featureOrder,
  ...lonelyFeatures,
  ...libraryOwners,
  {
    name: 'console-features-meet-at-the-door',
    severity: 'error',
    from: { path: `${features}([^/]+)/`, pathNot: testFile },
    to: { path: features, pathNot: [`${features}$1/`, `${features}[^/]+/index\\.ts$`] },
  },
  {
    name: 'console-app-uses-feature-doors',
    severity: 'error',
    from: { path: source, pathNot: [features, testFile] },
    to: { path: features, pathNot: `${features}[^/]+/index\\.ts$` },
  },
  {
    name: 'console-never-loads-the-registry',
    comment: "The contract's index.ts carries every operation; a screen imports the modules that it needs.",
    severity: 'error',
    from: { path: '^packages/console/', pathNot: testFile },
    to: { path: '^packages/contract/src/(index|operations|all-operations)\\.ts$' },
  },
  {
    name: 'console-meets-packages-at-their-doors',
    severity: 'error',
    from: { path: '^packages/console/', pathNot: testFile },
    to: {
      path: '^packages/(sdk|engine)/',
      pathNot: ['^packages/sdk/src/(caller|follow)\\.ts$', '^packages/engine/src/index\\.ts$'],
    },
  },
  {
    name: 'console-data-calls-the-server',
    severity: 'error',
    from: { path: source, pathNot: [`${source}data/`, testFile] },
    to: { path: '^packages/sdk/' },
  },
  {
    name: 'console-runs-the-engine-in-a-worker',
    comment: 'Types of the engine are erased and may be used elsewhere. A proof file is a page of its own.',
    severity: 'error',
    from: { path: source, pathNot: [`${source}engine-worker/`, `${source}proof/`, testFile] },
    to: { path: '^packages/engine/', dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'console-libraries-are-for-development',
    comment: 'They are bundled: an installation without development packages does without them.',
    severity: 'error',
    from: { path: '^packages/console/' },
    to: {
      path: '(^|/)node_modules/',
      dependencyTypes: ['npm', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'npm-unknown'],
    },
  },
];

const inConsole = (file: string): boolean => file.startsWith('packages/console/src/') && !isTest(file);
const inRooms = (file: string, names: readonly string[]): boolean =>
  names.some((name) => file.startsWith(`packages/console/src/${name}`));

/** Returns which of these globals is named, also as a member of the global object. */
function readOf(node: ts.Node, names: ReadonlySet<string>): string | null {
  const name = globalRead(node);
  if (name !== null && names.has(name)) return name;
  const [object, member = ''] = memberOf(node)?.split('.') ?? [];
  return ['window', 'globalThis', 'self'].includes(object ?? '') && names.has(member) ? member : null;
}

const callers = new Set(['fetch', 'XMLHttpRequest', 'EventSource', 'WebSocket', 'WebTransport', 'sendBeacon']);
const stores = new Set(['localStorage', 'sessionStorage', 'indexedDB', 'caches', 'cookieStore']);
const page = new Set(['document']);

export const consoleSourceRules: readonly SourceRule[] = [
  {
    name: 'console-calls-go-through-data',
    applies: (file) => inConsole(file) && !inRooms(file, ['data/']),
    breaks: (node) => (memberOf(node) === 'navigator.sendBeacon' ? 'navigator.sendBeacon' : readOf(node, callers)),
  },
  {
    name: 'console-stores-in-one-file',
    applies: (file) => inConsole(file) && !inRooms(file, ['data/storage.ts']),
    breaks: (node) => (memberOf(node) === 'document.cookie' ? 'document.cookie' : readOf(node, stores)),
  },
  {
    name: 'console-app-owns-the-page',
    applies: (file) => inConsole(file) && !inRooms(file, ['app/', 'ui/', 'proof/', 'main.tsx']),
    breaks: (node) => readOf(node, page),
  },
  {
    name: 'console-writes-no-html',
    applies: inConsole,
    breaks: (node) => {
      if (ts.isPropertyAccessExpression(node) && /^(inner|outer)HTML$|^insertAdjacentHTML$/.test(node.name.text)) {
        return `.${node.name.text}`;
      }
      return ts.isJsxAttribute(node) && node.name.getText() === 'dangerouslySetInnerHTML' ? node.name.getText() : null;
    },
  },
];
