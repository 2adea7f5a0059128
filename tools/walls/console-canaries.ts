import { breaking, type Canary, type Files, importing } from './canary.ts';
import { closedToConsole, consoleTiers } from './console-tiers.ts';

/** Code that breaks the console's walls, in every way. */

const source = 'packages/console/src';
const [lowest = ''] = consoleTiers.flat();
const highest = consoleTiers.flat().at(-1);
const inFeature = `${source}/features/${lowest}`;

const rooms = [
  'app',
  'route',
  'messages',
  'ui',
  'ui/charts',
  'flow-canvas',
  'engine-worker',
  'proof',
  'data',
  'records',
  'forms',
];
const libraries = ['radix-ui', 'd3-scale', '@xyflow/react', '@tanstack/react-query', '@tanstack/react-router'];

/** Files that the canaries import, without faults of their own. */
export const consoleFiles: Files = {
  ...Object.fromEntries(rooms.map((room) => [`${source}/${room}/inner.ts`, 'export const x = 1;\n'])),
  ...Object.fromEntries(
    [...consoleTiers.flat(), 'alone', 'alone-too'].map((name) => [
      `${source}/features/${name}/index.ts`,
      'export const x = 1;\n',
    ]),
  ),
  ...Object.fromEntries(
    [...libraries, 'forgotten'].flatMap((name) => [
      [`node_modules/${name}/package.json`, `{"name":"${name}","version":"1.0.0","main":"index.js"}`],
      [`node_modules/${name}/index.js`, ''],
    ]),
  ),
  'packages/contract/src/catalogue/offers.ts': 'export const x = 1;\n',
  'packages/sdk/src/caller.ts': 'export const x = 1;\n',
  'packages/sdk/src/client.ts': 'export const x = 1;\n',
  [`${source}/features/${lowest}/inner.ts`]: 'export const x = 1;\n',
  // Allowed: a screen names the operations it uses, a room uses its own library, and engine types are erased.
  [`${source}/features/${highest}/screen.ts`]: [
    "import { x } from '@arbiter/contract/catalogue/offers';",
    `import { x as y } from '../${lowest}/index.ts';`,
    "import { x as z } from '../../data/inner.ts';",
    "import type { x as T } from '@arbiter/engine';",
    'export const fetched: T[] = [x, y, z];',
  ].join('\n'),
  [`${source}/ui/dialog.tsx`]: "import { x } from 'radix-ui';\nexport const Dialog = () => <a href={x}>x</a>;\n",
  [`${source}/data/call.ts`]: "import { x } from '@arbiter/sdk/caller';\nexport const call = () => fetch(x);\n",
  [`${source}/data/storage.ts`]: 'export const theme = localStorage.getItem("theme");\n',
  [`${source}/app/focus.ts`]: 'export const focus = () => document.body.focus();\n',
};

export const consoleDevelopmentLibraries = libraries;

/** Rule, folder of the file that breaks it, and its import. */
const imports: readonly (readonly [rule: string, folder: string, specifier: string])[] = [
  ['console-route', `${source}/route`, '../data/inner.ts'],
  ['console-messages', `${source}/messages`, '../data/inner.ts'],
  ['console-ui', `${source}/ui`, '../data/inner.ts'],
  ['console-ui', `${source}/ui`, '../route/inner.ts'],
  ['console-flow-canvas', `${source}/flow-canvas`, '../data/inner.ts'],
  ['console-engine-worker', `${source}/engine-worker`, '../ui/inner.ts'],
  ['console-proof', `${source}/proof`, '../data/inner.ts'],
  ['console-data', `${source}/data`, '../ui/inner.ts'],
  ['console-records', `${source}/records`, '../ui/inner.ts'],
  ['console-forms', `${source}/forms`, '../app/inner.ts'],
  ['console-features', inFeature, '../../app/inner.ts'],
  ['console-ui-owns-components', inFeature, 'radix-ui'],
  ['console-charts-own-d3', `${source}/ui`, 'd3-scale'],
  ['console-canvas-owns-xyflow', inFeature, '@xyflow/react'],
  ['console-data-owns-queries', inFeature, '@tanstack/react-query'],
  ['console-route-owns-the-router', inFeature, '@tanstack/react-router'],
  ['console-features-meet-at-the-door', `${source}/features/${highest}`, `../${lowest}/inner.ts`],
  ['console-app-uses-feature-doors', `${source}/app`, `../features/${lowest}/inner.ts`],
  ['console-never-loads-the-registry', inFeature, '@arbiter/contract'],
  ['console-meets-packages-at-their-doors', `${source}/data`, '@arbiter/sdk'],
  ['console-data-calls-the-server', inFeature, '@arbiter/sdk/caller'],
  ['console-runs-the-engine-in-a-worker', inFeature, '@arbiter/engine'],
  ['console-libraries-are-for-development', `${source}/data`, 'forgotten'],
  ['console-libraries-are-for-development', `${source}/data`, 'pg'],
];

/** Each feature importing each one next to or above it. */
const featureOrder: readonly Canary[] = consoleTiers.flat().flatMap((name) =>
  breaking(
    `console-feature-order-${name}`,
    `${source}/features/${name}`,
    closedToConsole(name).map((closed) => importing(`../${closed}/index.ts`)),
  ),
);

/** Features without a tier importing one with and one without a tier, and being imported. */
const lonelyFeatures: readonly Canary[] = [
  ...breaking('console-feature-without-a-tier-imports-none', `${source}/features/alone`, [
    ...[...consoleTiers.flat(), 'alone-too'].map((name) => importing(`../${name}/index.ts`)),
  ]),
  ...[...consoleTiers.flat(), 'alone-too'].flatMap((name) =>
    breaking('console-feature-without-a-tier-is-not-imported', `${source}/features/${name}`, [
      importing('../alone/index.ts'),
    ]),
  ),
];

export const consoleCanaries: readonly Canary[] = [
  ...featureOrder,
  ...lonelyFeatures,
  ...imports.flatMap(([rule, folder, specifier], index) =>
    breaking(rule, folder, [importing(specifier)], `-${index}.ts`),
  ),
  { rule: 'feature-has-a-folder', files: { [`${source}/features/stray.ts`]: 'export const x = 1;' } },
  ...breaking(
    'console-calls-go-through-data',
    inFeature,
    [
      "export const x = await fetch('api/v1/offers');",
      "export const x = await window.fetch('api/v1/offers');",
      'export const x = new XMLHttpRequest();',
      "export const x = new EventSource('api');",
      "export const x = navigator.sendBeacon('api');",
    ],
    '.tsx',
  ),
  ...breaking('console-stores-in-one-file', `${source}/data`, [
    "localStorage.setItem('a', 'b');",
    "window.sessionStorage.setItem('a', 'b');",
    "export const x = indexedDB.open('a');",
  ]),
  ...breaking('console-stores-in-one-file', `${source}/app`, ["document.cookie = 'a=b';"]),
  ...breaking(
    'console-app-owns-the-page',
    inFeature,
    ["document.title = 'a';", "window.document.title = 'a';"],
    '.tsx',
  ),
  ...breaking(
    'console-writes-no-html',
    `${source}/ui`,
    [
      'export const Html = ({ text }) => <p dangerouslySetInnerHTML={{ __html: text }} />;',
      'export const write = (place, text) => { place.innerHTML = text; };',
      "export const write = (place, text) => place.insertAdjacentHTML('beforeend', text);",
    ],
    '.tsx',
  ),
];
