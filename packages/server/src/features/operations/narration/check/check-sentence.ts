import type { Fact, FactKind, Sentence } from '../fact.ts';
import { quotations } from '../names.ts';
import { isRounded, isSameNumber, numbersWithin, numberWords, type PrintedNumber, printedNumbers } from './numbers.ts';
import { causes, causeWords, negations, plainWords, stem } from './plain-words.ts';

/** Kinds of facts that name a cause. */
const causal: ReadonlySet<FactKind> = new Set([
  'component',
  'blocked',
  'qualification',
  'policy',
  'suppression',
  'coupling',
  'mandatory',
  'experiment',
]);

/** A sentence names up to 12 things, each of up to 12 words and 60 characters. */
const maxWords = 160;
const maxCharacters = 1_000;

/** Outside of names, sentences consist of these. */
const allowedText = /^[A-Za-z0-9 .,;:()%'’…/◊−–—-]*$/;
const quotes = /“([^”]*)”|"([^"]*)"/g;
/** Identifiers, dates and times: copied or wrong. */
const exactTokens = [
  /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi,
  /\b(?=[a-f]*\d)[0-9a-f]{12,}\b/gi,
  /\b\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?/g,
  /\b\d{1,2}:\d{2}(?::\d{2})?\b/g,
  /\b\d+(?:[./-]\d+){2,}\b/g,
];

/** What a sentence may say: what the facts that it cites say. */
interface CitedFacts {
  readonly facts: readonly Fact[];
  /** Texts without the names in them. */
  readonly texts: readonly string[];
  readonly names: ReadonlySet<string>;
  /** Words of the texts as written. */
  readonly words: ReadonlySet<string>;
  readonly stems: ReadonlySet<string>;
}

/** Returns why the facts don't support a sentence, in our own words; empty if they do. */
export function checkSentence({ text, facts: ids }: Sentence, factsById: ReadonlyMap<string, Fact>): readonly string[] {
  const cited = ids.map((id) => factsById.get(id));
  const facts = cited.filter((fact) => fact !== undefined);
  if (facts.length === 0) return ['cites no fact'];
  if (facts.length < cited.length) return ['cites an unknown fact'];
  const known = knownOf(facts);
  const failures: string[] = [];
  if ([...text].length > maxCharacters || /[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/u.test(text)) return ['is not a plain sentence'];
  if (!areOfOneSubject(facts)) failures.push('joins facts of different subjects');
  const rest = withoutNames(text, known, failures);
  if (!allowedText.test(rest)) failures.push('contains other characters than letters, digits and punctuation');
  const words = withoutExactTokens(rest, known, failures);
  checkNumbers(words, known, failures);
  checkWords(words, known, failures);
  if (
    causes.test(words) &&
    !facts.some(({ kind }) => causal.has(kind)) &&
    !known.texts.some((one) => causes.test(one))
  ) {
    failures.push('states a cause without a fact that names one');
  }
  if (countWords(text) > maxWords) failures.push(`has more than ${maxWords} words`);
  return failures;
}

function knownOf(facts: readonly Fact[]): CitedFacts {
  const texts = facts.map(({ text }) => text.replace(quotes, ' ◊ '));
  const words = new Set(texts.flatMap(wordsOf));
  return {
    facts,
    texts,
    names: new Set(
      facts.flatMap(({ text, subject }) => [...quotations(text), ...(subject?.name ? [subject.name] : [])]),
    ),
    words,
    stems: new Set([...words].map(stem)),
  };
}

/** Number of words, those of names included. */
export const countWords = (text: string): number => text.split(/\s+/).filter(Boolean).length;

const wordsOf = (text: string): string[] => text.match(/[A-Za-z]+(?:['’][A-Za-z]+)?/g) ?? [];

/** Facts about two offers, or two sections, could be confused in one sentence. */
function areOfOneSubject(facts: readonly Fact[]): boolean {
  const subjects = facts.flatMap(({ subject }) =>
    subject === null ? [] : [`${subject.type} ${subject.id ?? subject.name}`],
  );
  return new Set(subjects).size <= 1;
}

function withoutNames(text: string, { names }: CitedFacts, failures: string[]): string {
  return text.replace(quotes, (_, curly?: string, straight?: string) => {
    if (!names.has(curly ?? straight ?? '')) failures.push("quotes a name that its facts don't contain");
    return ' ◊ ';
  });
}

function withoutExactTokens(text: string, { facts, texts }: CitedFacts, failures: string[]): string {
  const sources = [...texts, ...facts.map(({ value }) => JSON.stringify(value) ?? '')];
  let rest = text;
  for (const pattern of exactTokens) {
    rest = rest.replace(pattern, (token) => {
      const isKnown = sources.some((source) => ` ${source.replace(/[^0-9A-Za-z:.-]+/g, ' ')}`.includes(` ${token}`));
      if (!isKnown) failures.push("contains an identifier, date or time that its facts don't contain");
      return ' ';
    });
  }
  return rest;
}

/** Numbers are in the order of the fact, so that two of them can't change places. */
function checkNumbers(text: string, { facts, texts }: CitedFacts, failures: string[]): void {
  const sequences = texts.map((one) => ({ numbers: printedNumbers(one), at: 0 }));
  const values = facts.flatMap(({ value }) => numbersWithin(value));
  for (const number of printedNumbers(text)) {
    if (takeNext(sequences, number)) continue;
    const isInTexts = sequences.some(({ numbers }) => numbers.some((one) => isSameNumber(number, one)));
    if (isInTexts || !values.some((value) => isRounded(number, value))) {
      failures.push("contains a number that its facts don't contain there");
    }
  }
}

function takeNext(
  sequences: { readonly numbers: readonly PrintedNumber[]; at: number }[],
  number: PrintedNumber,
): boolean {
  for (const sequence of sequences) {
    const found = sequence.numbers.findIndex((one, at) => at >= sequence.at && isSameNumber(number, one));
    if (found === -1) continue;
    sequence.at = found + 1;
    return true;
  }
  return false;
}

function checkWords(text: string, { facts, texts, words, stems }: CitedFacts, failures: string[]): void {
  const numbers = [
    ...texts.flatMap(printedNumbers).map(({ value }) => value),
    ...facts.flatMap(({ value }) => numbersWithin(value)),
  ];
  let isFirst = true;
  let isNegated = false;
  for (const [token] of text.matchAll(/[A-Za-z]+(?:['’][A-Za-z]+)?|[.!?](?=\s|$)|[0-9◊]/g)) {
    if (/^[.!?]$/.test(token)) {
      isFirst = true;
      continue;
    }
    const isStart = isFirst;
    isFirst = false;
    if (/^[0-9◊]$/.test(token) || words.has(token)) {
      isNegated ||= negations.has(token.toLowerCase());
      continue;
    }
    const word = token.toLowerCase().replace('’', "'");
    const number = numberWords.get(word);
    if (!isStart && word !== 'i' && token !== word)
      failures.push("contains a capitalized name that its facts don't contain");
    else if (negations.has(word)) isNegated = true;
    else if (number !== undefined) {
      if (!numbers.includes(number) && !stems.has(stem(word)))
        failures.push("states a number in words that its facts don't contain");
    } else if (!plainWords.has(word) && !causeWords.has(word) && !stems.has(stem(word))) {
      failures.push("contains a word that its facts don't contain");
    }
  }
  const negatedFacts = texts.filter((one) =>
    wordsOf(one).some((word) => negations.has(word.toLowerCase().replace('’', "'"))),
  );
  if (isNegated && negatedFacts.length === 0) failures.push('denies what its facts state');
  if (!isNegated && negatedFacts.length === texts.length) failures.push('states what its facts deny');
}
