import { parseDecimal } from '../arithmetic/decimal-text.ts';
import type {
  Formula,
  FormulaCompilation,
  FormulaErrorKind,
  FormulaFailure,
  FormulaOptions,
  FormulaProblem,
  FormulaScope,
  FormulaValue,
  OutputType,
} from '../plan/formula.ts';
import type { FormulaNode } from './ast.ts';
import { type Evaluate, fail, failureAt, isTrue, print } from './evaluate.ts';
import { callOf, functionNamed } from './functions.ts';
import { compileBinary, compileUnary } from './operators.ts';
import { parseFormula } from './parse.ts';
import { isNamespace, listOrValueOf, type ReadList, type ReadRaw, readOwn, readPath, scalarOf } from './path.ts';

/** What one compilation collects. */
interface FormulaCompiler {
  readonly options: FormulaOptions;
  readonly paths: Map<string, readonly string[]>;
  readonly bareNames: Set<string>;
  readonly problems: FormulaProblem[];
  readsZone: boolean;
}

/**
 * Compiles a formula (docs/design/api-decisioning.md 9) to closures. Never throws. Refused: what does not parse, unknown functions
 * and names, wrong numbers of arguments, and what breaks a limit; a stored formula that is refused later reports its
 * first problem for each candidate.
 */
export function compileFormula(source: string, options: FormulaOptions = {}): FormulaCompilation {
  const parse = parseFormula(source);
  if (!parse.ok) return { ok: false, problems: [parse.problem] };
  const compiler: FormulaCompiler = { options, paths: new Map(), bareNames: new Set(), problems: [], readsZone: false };
  const root = compileNode(compiler, parse.root);
  if (compiler.problems.length > 0) return { ok: false, problems: compiler.problems };
  const formula: Formula = {
    source,
    paths: [...compiler.paths.values()],
    bareNames: [...compiler.bareNames],
    readsZone: compiler.readsZone,
    evaluate(scope) {
      scope.failure = null;
      scope.steps = 0;
      return root(scope);
    },
  };
  return { ok: true, formula };
}

const NOT_A_NUMBER: FormulaFailure = { kind: 'type', error: 'the result is not a number' };

/**
 * The value as the output type (docs/design/api-decisioning.md 9): `number` reads numeric text, `text` prints, `boolean` goes by
 * truth. What cannot be converted is null, with failure `type` unless there is one already. Null stays null.
 */
export function convertOutput(value: FormulaValue, outputType: OutputType, scope: FormulaScope): FormulaValue {
  if (value === null) return null;
  if (outputType === 'text') return print(value);
  if (outputType === 'boolean') return isTrue(value);
  if (typeof value === 'string') {
    return parseDecimal(value.trim()) ?? fail(scope, NOT_A_NUMBER);
  }
  return typeof value === 'boolean' ? Number(value) : value;
}

function refuse(
  compiler: FormulaCompiler,
  kind: FormulaErrorKind,
  message: string,
  position: number,
  name?: string,
): Evaluate {
  const problem = { kind, message: `${message} at position ${position}`, position };
  compiler.problems.push(name === undefined ? problem : { ...problem, name });
  return () => null;
}

function compileNode(compiler: FormulaCompiler, node: FormulaNode): Evaluate {
  switch (node.kind) {
    case 'literal': {
      const { value } = node;
      return () => value;
    }
    case 'path': {
      const read = compilePathNode(compiler, node.parts, node.at);
      return scalarOf(read, node.parts.join('.'), node.at);
    }
    case 'name':
      return compileName(compiler, node.name, node.at);
    case 'unary':
      return compileUnary(node.operator, compileNode(compiler, node.operand), node.at);
    case 'binary':
      return compileBinary(node.operator, compileNode(compiler, node.left), compileNode(compiler, node.right), node.at);
    case 'choice': {
      const test = compileNode(compiler, node.test);
      const yes = compileNode(compiler, node.yes);
      const no = compileNode(compiler, node.no);
      return (scope) => (isTrue(test(scope)) ? yes(scope) : no(scope));
    }
    case 'call':
      return compileCall(compiler, node.name, node.args, node.at);
  }
}

function compilePathNode(compiler: FormulaCompiler, parts: readonly string[], at: number): ReadRaw {
  const [namespace = '', ...below] = parts;
  if (!isNamespace(namespace) || (namespace === 'score' && compiler.options.phase1 === true)) {
    refuse(compiler, 'unknown_name', `"${parts.join('.')}" is not known`, at, namespace);
    return () => null;
  }
  compiler.paths.set(parts.join('.'), parts);
  if (namespace === 'customer' && below.length === 1 && below[0]?.startsWith('metric_')) {
    const metric = ['customer', 'metrics', below[0].slice('metric_'.length)];
    compiler.paths.set(metric.join('.'), metric);
  }
  return readPath(namespace, below);
}

function compileName(compiler: FormulaCompiler, name: string, at: number): Evaluate {
  const { bareNames } = compiler.options;
  const read: ReadRaw = (scope) => readOwn(scope.names, name);
  if (bareNames === 'any') {
    compiler.bareNames.add(name);
    const value = scalarOf(read, name, at);
    const unknown = failureAt('unknown_name', `"${name}" is not known`, at);
    return (scope) => {
      const { names } = scope;
      return names !== null && Object.hasOwn(names, name) ? value(scope) : fail(scope, unknown);
    };
  }
  if (bareNames?.has(name) !== true) return refuse(compiler, 'unknown_name', `"${name}" is not known`, at, name);
  compiler.bareNames.add(name);
  return scalarOf(read, name, at);
}

function compileCall(compiler: FormulaCompiler, name: string, nodes: readonly FormulaNode[], at: number): Evaluate {
  const called = functionNamed(name);
  if (called === undefined) {
    return refuse(compiler, 'unknown_function', `there is no function "${name}"`, at, name);
  }
  if (nodes.length < called.min || nodes.length > called.max) {
    const wanted = called.min === called.max ? `${called.min}` : `${called.min} to ${called.max}`;
    return refuse(compiler, 'parse', `${name}() takes ${wanted} arguments, not ${nodes.length},`, at);
  }
  if (called.readsZone === true) compiler.readsZone = true;
  const args = nodes.map((node, index) =>
    index === 0 && called.takesList === true ? nothing : compileNode(compiler, node),
  );
  const [head] = nodes;
  const first: ReadList = called.takesList === true && head !== undefined ? compileList(compiler, head) : nothing;
  return called.compile(callOf(name, args, first, at));
}

function nothing(): null {
  return null;
}

/** An argument that may be a list: a path or name, or a choice between such. */
function compileList(compiler: FormulaCompiler, node: FormulaNode): ReadList {
  switch (node.kind) {
    case 'path':
      return listOrValueOf(compilePathNode(compiler, node.parts, node.at), node.parts.join('.'), node.at);
    case 'choice':
      return choiceOf(compiler, node.test, node.yes, node.no);
    case 'call': {
      const [test, yes, no] = node.args;
      if (node.name === 'if' && test !== undefined && yes !== undefined && no !== undefined && node.args.length === 3) {
        return choiceOf(compiler, test, yes, no);
      }
      return node.name === 'coalesce' && node.args.length > 0 && node.args.length <= 20
        ? firstOf(node.args.map((argument) => compileList(compiler, argument)))
        : compileNode(compiler, node);
    }
    default:
      return compileNode(compiler, node);
  }
}

function choiceOf(
  compiler: FormulaCompiler,
  testNode: FormulaNode,
  yesNode: FormulaNode,
  noNode: FormulaNode,
): ReadList {
  const test = compileNode(compiler, testNode);
  const yes = compileList(compiler, yesNode);
  const no = compileList(compiler, noNode);
  return (scope) => (isTrue(test(scope)) ? yes(scope) : no(scope));
}

/** `coalesce` over arguments that may be lists. */
function firstOf(args: readonly ReadList[]): ReadList {
  return (scope) => {
    const before = scope.failure;
    let value: ReturnType<ReadList> = null;
    for (const argument of args) {
      scope.failure = before;
      value = argument(scope);
      if (value !== null) return value;
    }
    return value;
  };
}
