import type { Fact, FactKind, NarrativeForm, Sentence } from '../fact.ts';
import { checkSentence, countWords } from './check-sentence.ts';

interface FormRules {
  readonly words: readonly [least: number, most: number];
  readonly maxSentences: number;
  /** Each fact of these kinds must be stated. */
  readonly every: ReadonlySet<FactKind>;
  /** The first fact of these kinds must be stated. */
  readonly first: ReadonlySet<FactKind>;
  /** True: facts are stated in order. */
  readonly inOrder: boolean;
}

const special: readonly FactKind[] = ['control_group', 'degraded', 'mandatory', 'coupling'];

const rules: Readonly<Record<NarrativeForm, FormRules>> = {
  regulator: {
    words: [1, 400],
    maxSentences: 80,
    every: new Set([...special, 'experiment', 'decision', 'flow']),
    first: new Set(['selected']),
    inOrder: true,
  },
  agent: {
    words: [1, 400],
    maxSentences: 16,
    every: new Set(special),
    first: new Set(['selected']),
    inOrder: false,
  },
  customer: { words: [30, 60], maxSentences: 8, every: new Set(), first: new Set(['selected']), inOrder: false },
  report: { words: [1, 400], maxSentences: 60, every: new Set(), first: new Set(), inOrder: false },
};

/** Longest text of each form, in words. */
export const maxWordsOf: Readonly<Record<NarrativeForm, number>> = {
  regulator: rules.regulator.words[1],
  agent: rules.agent.words[1],
  customer: rules.customer.words[1],
  report: rules.report.words[1],
};

/** What a customer doesn't read: digits outside of names, and how decisions are made. */
const notForCustomers =
  /\d|\b(scor\w*|rank\w*|model\w*|polic\w*|rules?|propensit\w*|probabilit\w*|algorithm\w*|segments?|identifiers?|ids?|flows?)\b/i;

const maxFailures = 20;

/**
 * Returns why the facts don't support a text, sentence by sentence (docs/design/api-decisioning.md 17, 20); empty if they do.
 * Never repeats the text.
 */
export function checkSentences(form: NarrativeForm, facts: readonly Fact[], sentences: readonly Sentence[]): string[] {
  const factsById = new Map(facts.map((fact) => [fact.id, fact]));
  const failures = sentences.flatMap((sentence, at) =>
    [...new Set(checkSentence(sentence, factsById))].map((failure) => `sentence ${at + 1}: ${failure}`),
  );
  failures.push(...checkForm(form, facts, sentences));
  return failures.slice(0, maxFailures);
}

function checkForm(form: NarrativeForm, facts: readonly Fact[], sentences: readonly Sentence[]): string[] {
  const { words: bounds, maxSentences, every, first, inOrder } = rules[form];
  const failures: string[] = [];
  const [least, most] = bounds;
  const words = sentences.reduce((sum, { text }) => sum + countWords(text), 0);
  if (words < least || words > most) failures.push(`text: has ${words} words, must have ${least} to ${most}`);
  if (sentences.length > maxSentences) failures.push(`text: has more than ${maxSentences} sentences`);
  const cited = new Set(sentences.flatMap((sentence) => sentence.facts));
  const needed = facts.filter(
    ({ kind }, at) => every.has(kind) || (first.has(kind) && facts.findIndex((one) => one.kind === kind) === at),
  );
  if (needed.some(({ id }) => !cited.has(id))) failures.push('text: leaves out a fact that must be stated');
  if (inOrder && !isInOrder(facts, sentences)) failures.push("text: doesn't follow the order of the facts");
  if (form === 'customer') {
    const plain = sentences.map(({ text }) => text.replace(/“[^”]*”|"[^"]*"/g, ' ')).join(' ');
    if (notForCustomers.test(plain)) failures.push('text: contains a word or digit that is not for customers');
    if (!/\byou(r|rs)?\b/i.test(plain)) failures.push('text: is not in the second person');
  }
  return failures;
}

function isInOrder(facts: readonly Fact[], sentences: readonly Sentence[]): boolean {
  const places = new Map(facts.map(({ id }, at) => [id, at]));
  const firsts = sentences.map((sentence) => Math.min(...sentence.facts.map((id) => places.get(id) ?? -1)));
  return firsts.every((place, at) => at === 0 || place >= (firsts[at - 1] ?? -1));
}
