import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomCases } from '../../../../test/form.ts';
import type { FormulaValue } from '../plan/formula.ts';
import type { BinaryOperator, FormulaNode } from './ast.ts';
import { compileFormula } from './compile-formula.ts';
import { parseFormula } from './parse.ts';
import { emptyScope } from './scope.ts';

const BINARY: readonly BinaryOperator[] = ['||', '&&', '==', '!=', '<', '<=', '>', '>=', '+', '-', '*', '/', '%'];

/** Random trees of everything but functions; `at` is filled by the parser only. */
const { tree } = fc.letrec<{ tree: FormulaNode }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc
      .oneof(fc.nat(20), fc.double({ min: 0, max: 1e6, noNaN: true }), fc.constantFrom('', 'a', 'B"\\\n', '12'))
      .map((value): FormulaNode => ({ kind: 'literal', at: 0, value })),
    fc.constantFrom(true, false, null).map((value): FormulaNode => ({ kind: 'literal', at: 0, value })),
    fc
      .constantFrom('n', 'text', 'absent')
      .map((name): FormulaNode => ({ kind: 'path', at: 0, parts: ['customer', name] })),
    fc
      .record({ operator: fc.constantFrom('-' as const, '!' as const), operand: tie('tree') })
      .map((node): FormulaNode => ({ kind: 'unary', at: 0, ...node })),
    fc
      .record({ operator: fc.constantFrom(...BINARY), left: tie('tree'), right: tie('tree') })
      .map((node): FormulaNode => ({ kind: 'binary', at: 0, ...node })),
    fc
      .record({ test: tie('tree'), yes: tie('tree'), no: tie('tree') })
      .map((node): FormulaNode => ({ kind: 'choice', at: 0, ...node })),
  ),
}));

const LEVEL: Readonly<Record<BinaryOperator, number>> = {
  '||': 1,
  '&&': 2,
  '==': 3,
  '!=': 3,
  '<': 4,
  '<=': 4,
  '>': 4,
  '>=': 4,
  '+': 5,
  '-': 5,
  '*': 6,
  '/': 6,
  '%': 6,
};

/** Source with as few parentheses as the grammar needs. `level`: precedence that the place asks for. */
function print(node: FormulaNode, level = 0): string {
  const wrap = (own: number, text: string) => (own < level ? `(${text})` : text);
  switch (node.kind) {
    case 'literal':
      return typeof node.value === 'string' ? quote(node.value) : String(node.value).replace('+', '');
    case 'path':
      return node.parts.join('.');
    case 'unary':
      return wrap(7, `${node.operator} ${print(node.operand, 7)}`);
    case 'binary': {
      const own = LEVEL[node.operator];
      return wrap(own, `${print(node.left, own)} ${node.operator} ${print(node.right, own + 1)}`);
    }
    case 'choice':
      return wrap(0, `${print(node.test, 1)} ? ${print(node.yes)} : ${print(node.no)}`);
    default:
      throw new Error('not made here');
  }
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
}

function withoutPlaces(node: FormulaNode): unknown {
  return JSON.parse(JSON.stringify(node, (key, value) => (key === 'at' ? 0 : value)));
}

test('parses printed formulas to the same tree', () => {
  fc.assert(
    fc.property(tree, (node) => {
      const source = print(node);
      fc.pre(source.length <= 2000);
      const parse = parseFormula(source);
      if (!parse.ok && parse.problem.kind === 'limit') return;
      assert.ok(parse.ok, source);
      assert.deepEqual(withoutPlaces(parse.root), withoutPlaces(node), source);
    }),
    randomCases(5000),
  );
});

interface Outcome {
  value: FormulaValue;
  error: string | null;
}

const CUSTOMER = { n: 2.5, text: 'a' };

/** The rules of docs/design/api-decisioning.md 9 again, as plainly as they can be written. */
function interpret(node: FormulaNode): Outcome {
  switch (node.kind) {
    case 'literal':
      return { value: node.value, error: null };
    case 'path':
      return { value: (CUSTOMER as Record<string, FormulaValue>)[node.parts[1]] ?? null, error: null };
    case 'unary': {
      const { value, error } = interpret(node.operand);
      if (node.operator === '!') return { value: value ? 0 : 1, error };
      const result = arithmetic([value], ([x = 0]) => -x);
      return { value: result.value, error: error ?? result.error };
    }
    case 'choice': {
      const { value, error } = interpret(node.test);
      const taken = interpret(value ? node.yes : node.no);
      return { value: taken.value, error: error ?? taken.error };
    }
    case 'binary':
      return interpretBinary(node.operator, node.left, node.right);
    default:
      throw new Error('not made here');
  }
}

function interpretBinary(operator: BinaryOperator, leftNode: FormulaNode, rightNode: FormulaNode): Outcome {
  const left = interpret(leftNode);
  if ((operator === '&&' && !left.value) || (operator === '||' && left.value)) {
    return { value: operator === '&&' ? 0 : 1, error: left.error };
  }
  const right = interpret(rightNode);
  const result = combine(operator, left.value, right.value);
  return { value: result.value, error: left.error ?? right.error ?? result.error };
}

function combine(operator: BinaryOperator, a: FormulaValue, b: FormulaValue): Outcome {
  const isNumeric = (value: FormulaValue) => typeof value === 'number' || typeof value === 'boolean';
  switch (operator) {
    case '&&':
    case '||':
      return { value: b ? 1 : 0, error: null };
    case '==':
    case '!=': {
      const equal = isNumeric(a) && isNumeric(b) ? Number(a) === Number(b) : a === b;
      return { value: equal === (operator === '==') ? 1 : 0, error: null };
    }
    case '+':
      if (a !== null && b !== null && (typeof a === 'string' || typeof b === 'string')) {
        return { value: `${a}${b}`, error: null };
      }
      return arithmetic([a, b], ([x = 0, y = 0]) => x + y);
    case '-':
      return arithmetic([a, b], ([x = 0, y = 0]) => x - y);
    case '*':
      return arithmetic([a, b], ([x = 0, y = 0]) => x * y);
    case '/':
    case '%': {
      const result = arithmetic([a, b], ([x = 0, y = 0]) => (operator === '/' ? x / y : x % y));
      return isNumeric(a) && isNumeric(b) && Number(b) === 0 ? { value: null, error: 'division_by_zero' } : result;
    }
    default: {
      if (a === null || b === null) return { value: null, error: 'null_operand' };
      if (isNumeric(a) !== isNumeric(b)) return { value: null, error: 'type' };
      const [x, y] = isNumeric(a) ? [Number(a), Number(b)] : [a, b];
      const holds = { '<': x < y, '<=': x <= y, '>': x > y, '>=': x >= y }[operator];
      return { value: holds ? 1 : 0, error: null };
    }
  }
}

/** A null operand is the failure, whatever the other is. */
function arithmetic(values: readonly FormulaValue[], apply: (numbers: readonly number[]) => number): Outcome {
  if (values.includes(null)) return { value: null, error: 'null_operand' };
  if (values.some((value) => typeof value === 'string')) return { value: null, error: 'type' };
  const result = apply(values.map(Number));
  return Number.isFinite(result) ? { value: result + 0, error: null } : { value: null, error: 'domain' };
}

test('closures match the rules', () => {
  const scope = emptyScope();
  scope.customer = CUSTOMER;
  fc.assert(
    fc.property(tree, (node) => {
      const compiled = compileFormula(print(node));
      if (!compiled.ok) {
        assert.equal(compiled.problems[0]?.kind, 'limit');
        return;
      }
      const value = compiled.formula.evaluate(scope);
      if (scope.failure?.kind === 'limit') return;
      assert.deepEqual({ value, error: scope.failure?.kind ?? null }, interpret(node), print(node));
    }),
    randomCases(10_000),
  );
});
