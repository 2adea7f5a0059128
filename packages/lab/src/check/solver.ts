import type { Json } from '@arbiter/engine';
import { type Facet, type Formula, type Leaf, testOf } from './formula.ts';
import { agePoints, byOrder, byParts, type Cell, cellsOf, type ValueType } from './values.ts';

/** Maximum alternatives of disjunctions to try. With more, the answer is unknown. */
const maxBranches = 4096;

/** Cells beyond this number are too many to tell apart. */
const maxCells = 5000;

const dayMs = 86_400_000;

/** What a branch leaves of one variable: whether it may be missing, and the cells of each facet. */
interface RemainingValues {
  missing: boolean;
  readonly cells: Record<Facet, bigint>;
}

/** A way to satisfy formulas: the comparisons that hold or fail, by variable. */
export interface Branch {
  readonly left: ReadonlyMap<string, RemainingValues>;
  readonly literals: readonly { readonly leaf: Leaf; readonly holds: boolean }[];
}

export type Solution =
  | { readonly verdict: 'never' }
  | { readonly verdict: 'unknown' }
  | { readonly verdict: 'possible'; readonly branch: Branch };

interface Marks {
  readonly holds: bigint;
  readonly fails: bigint;
  /** Whether it holds for a missing value. */
  readonly missing: boolean;
}

interface Variable {
  readonly leaves: Leaf[];
  readonly keys: Set<string>;
  cells: readonly Cell[] | null;
  ages: readonly (number | null)[];
  readonly marks: Map<string, Marks>;
  full: Record<Facet, bigint>;
}

export interface Solver {
  /** Notes the comparisons of a formula ahead, so that cells are split once. */
  note(formula: Formula): void;
  solve(formulas: readonly Formula[]): Solution;
  /** Values that stand for all of a variable. Null stands for a missing one. */
  valuesOf(variable: string): readonly Json[];
  readonly variables: ReadonlyMap<string, readonly Leaf[]>;
}

/** `typeOf` says what a variable may hold. */
export function createSolver(typeOf: (leaf: Leaf) => ValueType, now: number): Solver {
  const variables = new Map<string, Variable>();
  const leavesOf = new Map<string, readonly Leaf[]>();

  function variableOf(leaf: Leaf): Variable {
    let variable = variables.get(leaf.variable);
    if (variable === undefined) {
      variable = newVariable();
      variables.set(leaf.variable, variable);
      leavesOf.set(leaf.variable, variable.leaves);
    }
    if (variable.keys.has(leaf.key)) return variable;
    variable.keys.add(leaf.key);
    variable.leaves.push(leaf);
    variable.cells = null;
    return variable;
  }

  function prepared(leaf: Leaf): Variable {
    const variable = variableOf(leaf);
    if (variable.cells === null) prepare(variable, typeOf(leaf));
    return variable;
  }

  function marksOf(leaf: Leaf): Marks {
    const variable = prepared(leaf);
    let marks = variable.marks.get(leaf.key);
    if (marks === undefined) {
      marks = markCells(leaf, variable, now);
      variable.marks.set(leaf.key, marks);
    }
    return marks;
  }

  const narrow = (state: State, leaf: Leaf, holds: boolean): boolean => {
    const marks = marksOf(leaf);
    const before = state.left.get(leaf.variable);
    const cells = { ...(before?.cells ?? prepared(leaf).full) };
    cells[leaf.facet] &= holds ? marks.holds : marks.fails;
    const canMiss = leaf.facet !== 'member' && (before?.missing ?? true) && marks.missing === holds;
    state.left.set(leaf.variable, { missing: canMiss, cells });
    state.literals.push({ leaf, holds });
    return canMiss || isPresent(leaf, cells);
  };

  const noted = new WeakSet<Formula>();
  const note = (formula: Formula): void => {
    if (noted.has(formula)) return;
    noted.add(formula);
    if (formula.kind === 'leaf') variableOf(formula.leaf);
    else if (formula.kind === 'all' || formula.kind === 'any') for (const part of formula.parts) note(part);
  };

  return {
    variables: leavesOf,
    note,
    solve(formulas) {
      // A new comparison splits cells again, so all must be known before the first is judged.
      for (const formula of formulas) note(formula);
      const search = { branches: 0 };
      const branch = explore({ left: new Map(), literals: [] }, [...formulas], [], narrow, search);
      if (branch !== null) return { verdict: 'possible', branch };
      return { verdict: search.branches > maxBranches ? 'unknown' : 'never' };
    },
    valuesOf(name) {
      const variable = variables.get(name);
      const [leaf] = variable?.leaves ?? [];
      if (variable === undefined || leaf === undefined) return [];
      return standIns(prepared(leaf), now);
    },
  };
}

const newVariable = (): Variable => ({
  leaves: [],
  keys: new Set(),
  cells: null,
  ages: [],
  marks: new Map(),
  full: noCells(),
});

function standIns({ cells, ages }: Variable, now: number): readonly Json[] {
  const times = ages.flatMap((age) => (age === null ? [] : [new Date(now - age * dayMs).toISOString()]));
  return [null, ...(cells ?? []).map(({ value }) => value), ...times];
}

interface State {
  readonly left: Map<string, RemainingValues>;
  readonly literals: { readonly leaf: Leaf; readonly holds: boolean }[];
}

type Narrow = (state: State, leaf: Leaf, holds: boolean) => boolean;

/** Takes what must hold first, then tries the alternatives of one disjunction after the other. */
function explore(
  state: State,
  pending: Formula[],
  groups: readonly Formula[],
  narrow: Narrow,
  search: { branches: number },
): Branch | null {
  const open = [...groups];
  for (let formula = pending.pop(); formula !== undefined; formula = pending.pop()) {
    if (formula.kind === 'constant' && !formula.value) return null;
    if (formula.kind === 'all') pending.push(...formula.parts);
    if (formula.kind === 'leaf' && !narrow(state, formula.leaf, formula.holds)) return null;
    if (formula.kind === 'any' && !formula.parts.some(isGiven)) open.push(formula);
  }
  const [group, ...others] = open;
  if (group === undefined || group.kind !== 'any') return state;
  for (const part of group.parts) {
    search.branches += 1;
    if (search.branches > maxBranches) return null;
    const next = { left: new Map(state.left), literals: [...state.literals] };
    const found = explore(next, [part], others, narrow, search);
    if (found !== null) return found;
  }
  return null;
}

const isGiven = (formula: Formula): boolean =>
  formula.kind === 'unknown' || (formula.kind === 'constant' && formula.value);

const noCells = (): Record<Facet, bigint> => ({ value: 0n, age: 0n, days: 0n, member: 0n });

const isPresent = ({ facet }: Leaf, cells: Record<Facet, bigint>): boolean =>
  facet === 'member' ? cells.member !== 0n : cells.value !== 0n && cells.age !== 0n && cells.days !== 0n;

function prepare(variable: Variable, type: ValueType): void {
  const { leaves } = variable;
  variable.marks.clear();
  variable.cells = cellsOf(leaves, type);
  variable.ages = leaves.some(({ facet }) => facet === 'age' || facet === 'days') ? agePoints(leaves, type) : [null];
  if (type === 'none') variable.ages = [];
  const all = (count: number): bigint => (1n << BigInt(count)) - 1n;
  const times = all(variable.ages.length);
  variable.full = { value: all(variable.cells.length), age: times, days: times, member: 3n };
}

function markCells(leaf: Leaf, variable: Variable, now: number): Marks {
  if (leaf.facet === 'member') return { holds: 1n, fails: 2n, missing: false };
  const { cells, ages, full } = variable;
  if (leaf.facet !== 'value') return markAges(leaf, ages, now);
  const comparison = leaf.comparison!;
  const isExistence = comparison.operator === 'exists' || comparison.operator === 'not_exists';
  const whenMissing = comparison.operator === 'not_exists';
  if ((cells ?? []).length > maxCells && !isExistence) return { holds: full.value, fails: full.value, missing: false };
  const test = testOf(comparison, now);
  const readsNumber = [comparison.value ?? []].flat().some((value) => typeof value === 'number');
  const isWild = ({ isOpen, isLoose }: Cell): boolean => {
    if (isExistence) return false;
    if (isOpen && byParts.has(comparison.operator)) return true;
    return isLoose && (readsNumber || byOrder.has(comparison.operator));
  };
  const bits = { holds: '', fails: '' };
  for (const cell of cells ?? []) {
    const wild = isWild(cell);
    const holds = test(cell.value);
    bits.holds = (wild || holds ? '1' : '0') + bits.holds;
    bits.fails = (wild || !holds ? '1' : '0') + bits.fails;
  }
  return { holds: fromBits(bits.holds), fails: fromBits(bits.fails), missing: whenMissing };
}

function markAges(leaf: Leaf, ages: readonly (number | null)[], now: number): Marks {
  const { days, comparison } = leaf;
  const test = comparison === null ? null : testOf(comparison, now);
  const holdsAt = (age: number | null): boolean => {
    if (age === null) return false;
    if (days === null) return test?.(new Date(now - age * dayMs).toISOString()) === true;
    const whole = Math.max(0, Math.floor(age));
    return whole >= days.minimum && whole <= days.maximum;
  };
  const marks = ages.map(holdsAt);
  const bits = (wanted: boolean): bigint =>
    fromBits(
      marks
        .map((holds) => (holds === wanted ? '1' : '0'))
        .reverse()
        .join(''),
    );
  return { holds: bits(true), fails: bits(false), missing: false };
}

const fromBits = (bits: string): bigint => (bits === '' ? 0n : BigInt(`0b${bits}`));
