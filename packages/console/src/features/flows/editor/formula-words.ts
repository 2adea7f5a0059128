import type { ConfigNode } from '../../../flow-canvas/editing/flow-config.ts';
import { rankOf } from '../../../flow-canvas/editing/placement.ts';

/** A name or function that a formula may use. */
export interface FormulaWord {
  /** In a formula: `customer.tier`, `min(`. */
  readonly text: string;
  /** Where it comes from. */
  readonly from: 'function' | 'customer' | 'offer' | 'score' | 'request' | 'earlier' | 'field';
}

const offerNames = [
  ...['name', 'status', 'category', 'categoryId', 'subCategoryId', 'priority', 'businessValue', 'margin'],
  ...['revenueValue', 'productType', 'tags', 'mandatory', 'metadata', 'customFields'],
];
const scoreNames = ['total', 'propensity', 'relevance', 'impact', 'emphasis', 'fitMultiplier', 'rank'];
const requestNames = ['channel', 'placement', 'limit', 'context'];

export interface FormulaPlace {
  /** Names without a namespace. */
  readonly names: readonly string[];
  /** True: `score.` doesn't exist yet. */
  readonly isBeforeScore: boolean;
}

type Entry = Readonly<Record<string, unknown>>;

const keysOf = ({ config }: ConfigNode): readonly string[] =>
  (Array.isArray(config?.formulaExtras) ? (config.formulaExtras as readonly Entry[]) : []).flatMap(({ key }) =>
    typeof key === 'string' && key !== '' ? [key] : [],
  );

/**
 * Returns the names that a formula may use without a namespace: custom fields, and keys computed earlier. `row`: position of the
 * formula in its list.
 */
export function formulaPlace(
  nodes: readonly ConfigNode[],
  at: number,
  customFields: readonly string[],
  row: number,
): FormulaPlace {
  const node = nodes[at];
  // Hooks run before compute nodes, wherever they are.
  if (node === undefined || node.type === 'extension_point') {
    return { names: customFields, isBeforeScore: node?.config?.hook === 'pre_score' };
  }
  const earlier = nodes.slice(0, at).flatMap((each) => (each.type === 'compute' ? keysOf(each) : []));
  const own = node.type === 'compute' ? keysOf(node).slice(0, row) : [];
  return { names: [...new Set([...customFields, ...earlier, ...own])], isBeforeScore: rankOf(node.type) === 1 };
}

/** Returns all words that a formula may use in its place. */
export function formulaWords(
  { names, isBeforeScore }: FormulaPlace,
  customer: readonly string[],
  functions: readonly string[],
): readonly FormulaWord[] {
  const under = (from: FormulaWord['from'], list: readonly string[]): readonly FormulaWord[] =>
    list.map((name) => ({ text: `${from}.${name}`, from }));
  return [
    ...names.map((text): FormulaWord => ({ text, from: 'earlier' })),
    ...under('customer', customer),
    ...under('offer', offerNames),
    ...(isBeforeScore ? [] : under('score', scoreNames)),
    ...under('request', requestNames),
    ...functions.map((name): FormulaWord => ({ text: `${name}(`, from: 'function' })),
  ];
}

/** The name before the caret. */
export interface TypedWord {
  readonly text: string;
  readonly start: number;
}

/** Returns the name that ends at the caret; null inside quotes or without a name. */
export function wordAt(source: string, caret: number): TypedWord | null {
  const before = source.slice(0, caret);
  if ((before.replaceAll('\\"', '').split('"').length - 1) % 2 === 1) return null;
  const text = /[A-Za-z_][\w.]*$/.exec(before)?.[0] ?? '';
  return text === '' ? null : { text, start: caret - text.length };
}

/** Most names to suggest. */
const maxSuggested = 8;

/** Returns the words that complete a name: first those that begin with it, then those whose last part does. */
export function completions(words: readonly FormulaWord[], typed: string): readonly FormulaWord[] {
  const wanted = typed.toLowerCase();
  const begins = words.filter(({ text }) => text.toLowerCase().startsWith(wanted));
  const inside = words.filter(
    (word) => !begins.includes(word) && word.text.toLowerCase().split('.').at(-1)?.startsWith(wanted),
  );
  const found = [...begins, ...inside];
  return found.some(({ text }) => text === typed) ? [] : found.slice(0, maxSuggested);
}

/** Replaces the name before the caret with a word. Returns the text and the new caret. */
export function complete(
  source: string,
  typed: TypedWord,
  word: FormulaWord,
): { readonly text: string; readonly caret: number } {
  const end = typed.start + typed.text.length;
  const rest = source.slice(end);
  const added = word.text.endsWith('(') && rest.startsWith('(') ? word.text.slice(0, -1) : word.text;
  return { text: source.slice(0, typed.start) + added + rest, caret: typed.start + added.length };
}
