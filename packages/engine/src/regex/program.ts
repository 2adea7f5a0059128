import { type Assertion, isInRanges, type RegexNode } from './ast.ts';

/** One state of the automaton. `next` and `other` are indexes of states. */
export type Instruction =
  | { readonly kind: 'character'; readonly accepts: (codePoint: number) => boolean; next: number }
  | { readonly kind: 'split'; next: number; other: number }
  | { readonly kind: 'assertion'; readonly assertion: Assertion; next: number }
  | { readonly kind: 'match' };

/** States of one automaton: a pattern of 200 characters needs about as many, counted repetitions multiply them. */
const MAX_STATES = 1000;

interface ProgramBuilder {
  readonly states: Instruction[];
  full: boolean;
}

/** The automaton of a pattern (Thompson's construction), entered at its last state; null when it has too many states. */
export function buildProgram(root: RegexNode): readonly Instruction[] | null {
  const builder: ProgramBuilder = { states: [{ kind: 'match' }], full: false };
  const start = build(builder, root, 0);
  builder.states.push({ kind: 'split', next: start, other: start });
  return builder.full ? null : builder.states;
}

function add(builder: ProgramBuilder, state: Instruction): number {
  if (builder.states.length >= MAX_STATES) {
    builder.full = true;
    return 0;
  }
  return builder.states.push(state) - 1;
}

/** Adds the states of `node` that lead to state `next`. Returns the state to enter by. */
function build(builder: ProgramBuilder, node: RegexNode, next: number): number {
  if (builder.full) return 0;
  switch (node.kind) {
    case 'set':
      return add(builder, { kind: 'character', accepts: acceptorOf(node.ranges, node.negated), next });
    case 'assertion':
      return add(builder, { kind: 'assertion', assertion: node.assertion, next });
    case 'sequence':
      return node.items.reduceRight((after, item) => build(builder, item, after), next);
    case 'alternatives':
      return node.items
        .map((item) => build(builder, item, next))
        .reduceRight((other, entry) => add(builder, { kind: 'split', next: entry, other }));
    case 'repeat':
      return buildRepeat(builder, node.item, node.min, node.max, next);
  }
}

function buildRepeat(builder: ProgramBuilder, item: RegexNode, min: number, max: number, next: number): number {
  let entry = next;
  if (max === Number.POSITIVE_INFINITY) {
    const loop = add(builder, { kind: 'split', next: 0, other: next });
    const body = build(builder, item, loop);
    const split = builder.states[loop];
    if (split?.kind === 'split') split.next = body;
    entry = loop;
  } else {
    for (let turn = min; turn < max && !builder.full; turn++) {
      entry = add(builder, { kind: 'split', next: build(builder, item, entry), other: next });
    }
  }
  for (let turn = 0; turn < min && !builder.full; turn++) entry = build(builder, item, entry);
  return entry;
}

/** Characters below 128 by a table. */
function acceptorOf(ranges: readonly number[], negated: boolean): (codePoint: number) => boolean {
  const table = new Uint8Array(128);
  for (let codePoint = 0; codePoint < 128; codePoint++) {
    table[codePoint] = isInRanges(ranges, codePoint) !== negated ? 1 : 0;
  }
  return (codePoint) => (codePoint < 128 ? table[codePoint] === 1 : isInRanges(ranges, codePoint) !== negated);
}
