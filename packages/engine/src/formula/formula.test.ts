import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomCases } from '../../../../test/form.ts';
import type { Formula, FormulaOptions, FormulaScope } from '../plan/formula.ts';
import { compileFormula, convertOutput } from './compile-formula.ts';
import { dependencyOrder } from './dependencies.ts';
import { functionNames } from './functions.ts';
import { emptyScope } from './scope.ts';

function compiled(source: string, options?: FormulaOptions): Formula {
  const result = compileFormula(source, options);
  assert.ok(result.ok, `${source}: ${result.ok ? '' : result.problems[0]?.message}`);
  return result.formula;
}

function kindOf(source: string, options?: FormulaOptions): string | undefined {
  const result = compileFormula(source, options);
  return result.ok ? undefined : result.problems[0]?.kind;
}

/** A scope with one of everything that data can hold. */
function fullScope(): FormulaScope {
  const holder = { n: 1.5, zero: 0, text: 'text', yes: true, no: false, nil: null, list: [1, 'a'], deep: { n: 2 } };
  return Object.assign(emptyScope(), {
    customer: { ...holder, huge: 'x'.repeat(70_000), nan: Number.NaN, minus: -0, big: 1e300 },
    offer: holder,
    attributes: holder,
    request: { context: holder },
    score: { total: 0.5 },
    names: holder,
    now: 1_795_176_000_000,
  });
}

test('lists the paths and names it reads, each once', () => {
  const formula = compiled('customer.a.b + offer.x * customer.a.b + bonus + bonus + if(1, request.context.p, 0)', {
    bareNames: new Set(['bonus', 'other']),
  });
  assert.deepEqual(formula.paths, [
    ['customer', 'a', 'b'],
    ['offer', 'x'],
    ['request', 'context', 'p'],
  ]);
  assert.deepEqual(formula.bareNames, ['bonus']);
  assert.deepEqual(compiled('len(customer.tags)').paths, [['customer', 'tags']]);
  assert.deepEqual(compiled('customer.metric_visits').paths, [
    ['customer', 'metric_visits'],
    ['customer', 'metrics', 'visits'],
  ]);
  assert.equal(compiled('now()').readsZone, false);
  assert.equal(compiled('format_date(now(), "DD")').readsZone, true);
});

test('knows the names it may read', () => {
  assert.equal(kindOf('score.total', { phase1: true }), 'unknown_name');
  assert.equal(kindOf('score.total'), undefined);
  assert.equal(kindOf('bonus'), 'unknown_name');
  assert.equal(kindOf('bonus', { bareNames: new Set(['bonus']) }), undefined);
  const result = compileFormula('a + b + nothing()');
  assert.deepEqual(result.ok || result.problems.map(({ kind, position }) => [kind, position]), [
    ['unknown_name', 0],
    ['unknown_name', 4],
    ['unknown_function', 8],
  ]);
});

test("an evaluation doesn't affect the next one", () => {
  const scope = fullScope();
  compiled('1/0').evaluate(scope);
  assert.equal(scope.failure?.kind, 'division_by_zero');
  assert.equal(compiled('2 + 2').evaluate(scope), 4);
  assert.equal(scope.failure, null);
});

test('reads own properties of plain objects only', () => {
  const scope = fullScope();
  const names = Object.getOwnPropertyNames(Object.prototype).filter((name) => /^[A-Za-z_]\w*$/.test(name));
  for (const name of [...names, 'length']) {
    for (const path of [`customer.${name}`, `customer.list.${name}`, `customer.text.${name}`, `offer.deep.${name}`]) {
      assert.equal(compiled(path).evaluate(scope), null, path);
      assert.equal(scope.failure, null, path);
    }
  }
  const prototype = Object.create({ inherited: 1 });
  scope.customer = prototype;
  assert.equal(compiled('customer.inherited').evaluate(scope), null);
  scope.customer = JSON.parse('{"__proto__": 7}');
  assert.equal(compiled('customer.__proto__').evaluate(scope), 7);
});

test('converts to the output type', () => {
  const scope = emptyScope();
  for (const [value, type, expected] of [
    [1.5, 'text', '1.5'],
    [true, 'text', 'true'],
    [' 12 ', 'number', 12],
    [true, 'number', 1],
    ['', 'boolean', false],
    [0, 'boolean', false],
    ['0', 'boolean', true],
    [null, 'boolean', null],
    [null, 'number', null],
  ] as const) {
    scope.failure = null;
    assert.equal(convertOutput(value, type, scope), expected);
    assert.equal(scope.failure, null);
  }
  assert.equal(convertOutput('a', 'number', scope), null);
  assert.equal(scope.failure?.kind, 'type');
});

test('orders fields by their dependencies, and finds cycles', () => {
  const reads = new Map([
    ['total', ['net', 'tax']],
    ['tax', ['net']],
    ['net', ['plain']],
    ['a', ['b']],
    ['b', ['a']],
    ['behind', ['a']],
    ['self', ['self']],
  ]);
  const { order, cyclic } = dependencyOrder(reads);
  assert.deepEqual(order, ['net', 'tax', 'total']);
  assert.deepEqual(cyclic, ['a', 'b', 'behind', 'self']);
});

test('limits source, nesting and path', () => {
  assert.equal(kindOf(`1${' '.repeat(1999)}`), undefined);
  assert.equal(kindOf(`1${' '.repeat(2000)}`), 'limit');
  for (const [open, close] of [
    ['(', ')'],
    ['-', ''],
    ['!', ''],
    ['abs(', ')'],
    ['0 ? 1 : ', ''],
  ] as const) {
    assert.equal(kindOf(`${open.repeat(50)}1${close.repeat(50)}`), undefined, open);
    assert.equal(kindOf(`${open.repeat(51)}1${close.repeat(51)}`), 'limit', open);
  }
  assert.equal(kindOf('customer.a.b.c.d.e'), undefined);
  assert.equal(kindOf('customer.a.b.c.d.e.f'), 'parse');
  assert.equal(kindOf(`min(${'1,'.repeat(19)}1)`), undefined);
  assert.equal(kindOf(`min(${'1,'.repeat(20)}1)`), 'parse');
});

/** Milliseconds of processor time since then: what others do on the machine does not count. */
const cpuMs = (since: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};

test('rejects hostile formulas or ends them quickly, with an entry', () => {
  const scope = fullScope();
  const long = 'x'.repeat(10_000);
  scope.names = { long, needle: `y${'x'.repeat(5000)}` };
  const start = process.cpuUsage();
  for (const [source, kind] of [
    ['('.repeat(10_000), 'limit'],
    [`${'('.repeat(900)}1${')'.repeat(900)}`, 'limit'],
    ['constructor.constructor("return process")()', 'parse'],
    ['x["constructor"]', 'parse'],
    ['9**9**9', 'parse'],
    ['__proto__', 'unknown_name'],
    ['toString', 'unknown_name'],
    ['customer.__proto__.polluted', undefined],
    ['0/0', 'division_by_zero'],
    ['-0', undefined],
    ['pow(9, pow(9, 9))', 'domain'],
    [`${'1+'.repeat(999)}1`, undefined],
    [`${'customer.n*'.repeat(150)}1`, undefined],
    ['concat(long, long)', 'limit'],
    [Array(70).fill('contains(long, needle)').join(' + '), 'limit'],
    ['customer.huge', 'limit'],
    ['customer.list', 'type'],
    ['customer.deep', 'type'],
    ['customer.nan', undefined],
  ] as const) {
    const result = compileFormula(source, { bareNames: new Set(['long', 'needle']) });
    if (result.ok) result.formula.evaluate(scope);
    assert.equal(result.ok ? scope.failure?.kind : result.problems[0]?.kind, kind, source.slice(0, 60));
  }
  assert.ok(cpuMs(start) < 2000, `${cpuMs(start)} ms`);
});

test('a text doubled by forty compute keys stops at 10 KB', () => {
  const names: Record<string, unknown> = { x0: 'x' };
  const scope = emptyScope();
  scope.names = names;
  let failures = 0;
  for (let step = 1; step <= 40; step++) {
    const value = compiled(`concat(x${step - 1}, x${step - 1})`, { bareNames: 'any' }).evaluate(scope);
    names[`x${step}`] = value;
    if (scope.failure !== null) failures += 1;
    assert.ok(value === null || String(value).length <= 10_240);
  }
  assert.ok(failures >= 1);
});

const pieces = fc.constantFrom(
  ...functionNames(),
  ...'( ) , . + - * / % < <= > >= == != && || ! ? : " \' \\ 1 2.5 1e3 0 true false null'.split(' '),
  '"text"',
  'customer.n',
  'customer.list',
  'customer.text',
  'names.n',
  'n',
  'text',
  'offer.deep',
  ' ',
);

test('never throws for any source and scope, and values keep their types', () => {
  const scope = fullScope();
  const sources = fc.oneof(
    fc.string(),
    fc.array(pieces, { maxLength: 25 }).map((parts) => parts.join(' ')),
  );
  fc.assert(
    fc.property(sources, (source) => {
      const result = compileFormula(source, { bareNames: 'any' });
      if (!result.ok) {
        assert.ok(result.problems.length > 0);
        return;
      }
      const value = result.formula.evaluate(scope);
      assert.ok(['string', 'number', 'boolean'].includes(typeof value) || value === null);
      if (typeof value === 'number') assert.ok(Number.isFinite(value) && !Object.is(value, -0));
      if (typeof value === 'string') assert.ok(value.length <= 10_240);
    }),
    randomCases(20_000),
  );
});
