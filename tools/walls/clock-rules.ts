import { ts } from './parser.ts';
import { inFeatures, inServer, isTest, type SourceRule } from './source-rule.ts';
import { globalRead, importedFrom, memberOf, valueImport } from './syntax.ts';

/**
 * Clocks, timers and randomness. A global is judged wherever it is named, not where it is called. Permitted uses are
 * listed, so another name for it (`const D = Date`, a destructured member, a re-export) is found too.
 */

const timerModules = ['timers', 'node:timers'];
const timers = new Set(['setTimeout', 'setInterval', 'setImmediate']);
/** Objects that hold every global by name. */
const holders = new Set(['globalThis', 'global']);

/** Returns the global of this set that is named here, directly or as a member of `globalThis`. */
function named(node: ts.Node, names: ReadonlySet<string>): string | null {
  const name = globalRead(node);
  if (name !== null && names.has(name)) return name;
  const member = memberOf(node);
  const [holder = '', property = ''] = member?.split('.') ?? [];
  return holders.has(holder) && names.has(property) ? `${holder}.${property}` : null;
}

/** True for `new Date(x)`, `x instanceof Date`, `Date.parse(x)` and `Date.UTC(x)`, which read no clock. */
function readsNoClock(date: ts.Node): boolean {
  const { parent } = date;
  if (ts.isNewExpression(parent) && parent.expression === date) return (parent.arguments?.length ?? 0) > 0;
  if (ts.isBinaryExpression(parent)) {
    return parent.right === date && parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword;
  }
  const member = memberOf(parent);
  return (member === 'Date.parse' || member === 'Date.UTC') && isCalled(parent);
}

const isCalled = (node: ts.Node): boolean => ts.isCallExpression(node.parent) && node.parent.expression === node;

/** Rooms whose results may depend only on their input. */
const isTimeless = (file: string): boolean =>
  inFeatures(file) || (/^packages\/(packs|contract)\//.test(file) && !isTest(file));

export const clockRules: readonly SourceRule[] = [
  {
    // The process must know about everything that runs on its own, to stop it.
    name: 'only-main-starts-timers',
    applies: (file) => inServer(file) && !file.startsWith('packages/server/src/main/'),
    breaks: (node) => {
      const imported = valueImport(node);
      if (imported !== null && timerModules.some((name) => imported.module.startsWith(name))) {
        if (imported.names === null) return `all of '${imported.module}'`;
        if (imported.names.includes('setInterval')) return `setInterval of '${imported.module}'`;
      }
      return named(node, new Set(['setInterval']));
    },
  },
  {
    // A feature that has to wait uses a job or is given a pause. Long work yields (platform/turns.ts).
    name: 'features-start-no-timers',
    applies: inFeatures,
    breaks: (node) => importedFrom(node, timerModules) ?? named(node, timers),
  },
  {
    name: 'time-is-passed-in',
    applies: isTimeless,
    breaks: (node) => {
      const name = globalRead(node);
      if (name === 'Date') return readsNoClock(node) ? null : 'Date that is not new Date(instant)';
      if (name !== null && holders.has(name)) return name;
      // Reading a stopwatch is fine, but not the instant at which it started.
      if (name === 'performance') {
        return memberOf(node.parent) === 'performance.now' && isCalled(node.parent) ? null : name;
      }
      if (memberOf(node) === 'process.hrtime') return 'process.hrtime';
      return importedFrom(node, ['perf_hooks', 'node:perf_hooks']);
    },
  },
  {
    name: 'chance-is-passed-in',
    applies: (file) => /^packages\/(engine|lab|packs|contract|server)\//.test(file) && !isTest(file),
    breaks: (node) => {
      if (globalRead(node) !== 'Math') return named(node, new Set(['Math']));
      const member = memberOf(node.parent);
      return member === null || member === 'Math.random' ? (member ?? 'Math that is not Math.<name>') : null;
    },
  },
];
