import { isNumeric, numberOf, showColumn } from './display.ts';
import { figuresOf, inSentence, percentText, quotedName, type ReportFigures } from './figures.ts';
import type { Narrative, ReportColumn, ReportDocument, ReportSection } from './report-document.ts';
import { oneLine } from './safe-text.ts';

/** Sentences about a section, the most telling one first. */
export type Sentences = readonly string[];

/** Measures per section that become sentences. */
const maxMeasures = 2;
/** Figures of a single row that a sentence names. */
const maxFacts = 8;
const maxTakeaways = 7;
/** Sections whose first sentence goes into the summary. */
const maxSummed = 3;
/** Compare a week with the week before. */
const span = 7;

const days = (column: ReportColumn): boolean => column.type === 'date' || column.type === 'instant';

const plain = (text: string): string =>
  ` ${
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(' ') ?? ''
  } `;

/** Whether the author named it, in whole words and any letter case. */
const isNamed = (prompt: string | null, title: string): boolean =>
  prompt !== null && plain(title) !== '  ' && plain(prompt).includes(plain(title));

/** The figures that the author named. */
const askedOf = ({ columns }: ReportSection, prompt: string | null): ReportColumn[] =>
  columns.filter((column) => isNumeric(column) && isNamed(prompt, column.label));

/** The columns that sentences are about: those that the author named, else those of the chart, else the first ones with numbers. */
function measuresOf(section: ReportSection, prompt: string | null): ReportColumn[] {
  const { columns, chart } = section;
  const requestedColumns = askedOf(section, prompt);
  if (requestedColumns.length > 0) return requestedColumns.slice(0, maxMeasures);
  const drawn = (chart?.y ?? []).flatMap((key) => columns.filter((column) => column.key === key && isNumeric(column)));
  const measures = drawn.length > 0 ? drawn : columns.filter((column) => isNumeric(column) && column.type !== 'ratio');
  return (measures.length > 0 ? measures : columns.filter(isNumeric)).slice(0, maxMeasures);
}

/** The column that names the rows. */
function nameOf({ columns, chart }: ReportSection): ReportColumn | null {
  return (
    columns.find(({ key }) => key === chart?.x) ??
    columns.find(days) ??
    columns.find(({ type }) => type === 'text') ??
    null
  );
}

function sentencesOfOne(section: ReportSection, timezone: string, prompt: string | null): Sentences {
  const [row = {}] = section.rows;
  const requestedColumns = askedOf(section, prompt);
  const facts = (requestedColumns.length > 0 ? requestedColumns : section.columns.filter(isNumeric)).flatMap(
    (column) => {
      const value = numberOf(row[column.key]);
      if (value === null) return [];
      return [{ value, text: `${inSentence(column.label)} ${showColumn(column, section.rows, timezone)(value)}` }];
    },
  );
  // Zeros would take the place of more telling figures.
  const nonZeroFacts = facts.filter(({ value }) => value !== 0).slice(0, maxFacts);
  const factTexts = (nonZeroFacts.length === 0 ? facts.slice(0, maxFacts) : nonZeroFacts).map(({ text }) => text);
  const name = nameOf(section);
  const named = name === null || isNumeric(name) ? '' : showColumn(name, section.rows, timezone)(row[name.key]);
  if (factTexts.length === 0) return named === '' ? [] : [`There is one row, ${quotedName(named)}.`];
  const list = factTexts.join(', ');
  if (named === '' && nonZeroFacts.length === 0 && facts.length > 1) return [`All ${facts.length} figures are 0.`];
  return [named === '' ? `${upper(list)}.` : `There is one row, ${quotedName(named)}, with ${list}.`];
}

/** For rows that all have the same figure. */
function sentenceOfLevel({ name, points, show }: ReportFigures): string | null {
  const [first] = points;
  if (first === undefined || points.some(({ value }) => value !== first.value)) return null;
  return `All ${points.length} rows have ${name} ${show(first.value)}.`;
}

function sentencesOverTime(figures: ReportFigures, isDays: boolean): Sentences {
  const { name, isAdditive, sum, show } = figures;
  // Days and instants are written so that their order is that of their letters.
  const points = isDays ? figures.points.toSorted((a, b) => (a.label < b.label ? -1 : 1)) : figures.points;
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return [];
  const most = points.reduce((best, point) => (point.value > best.value ? point : best));
  const least = points.reduce((best, point) => (point.value < best.value ? point : best));
  const peak = `highest at ${most.label} with ${show(most.value)}, lowest at ${least.label} with ${show(least.value)}`;
  const between = `from ${first.label} to ${last.label}`;
  const sentences = isAdditive
    ? [`${show(sum)} ${name} ${between}, ${peak}.`]
    : [
        `${upper(name)} went from ${show(first.value)} at ${first.label} to ${show(last.value)} at ${last.label}, ${peak}.`,
      ];
  if (!isAdditive || points.length < 2 * span) return sentences;
  const total = (part: ReportFigures['points']): number => part.reduce((all, { value }) => all + value, 0);
  const [before, now] = [total(points.slice(-2 * span, -span)), total(points.slice(-span))];
  if (before <= 0) return sentences;
  const change = (now - before) / before;
  const trend = change === 0 ? 'unchanged' : `${change > 0 ? 'up' : 'down'} ${percentText(Math.abs(change))}`;
  return [...sentences, `The last ${span} ${isDays ? 'days' : 'rows'} are ${trend} compared to the ${span} before.`];
}

function sentencesOfRanking({ name, points, isAdditive, sum, show }: ReportFigures, truncated: boolean): Sentences {
  const ordered = points.toSorted((a, b) => b.value - a.value);
  const [first, second] = ordered;
  if (first === undefined || second === undefined) return [];
  const leaders = ordered.filter(({ value }) => value === first.value);
  // A share needs a whole: all rows, and none of them below zero.
  const hasWhole = isAdditive && !truncated && sum > 0 && ordered.every(({ value }) => value >= 0);
  const share = hasWhole
    ? `, or ${percentText(first.value / sum)} of the ${show(sum)} across all ${points.length} rows`
    : '';
  if (leaders.length > 1)
    return [`${leaders.length} of ${points.length} rows share the highest ${name}, ${show(first.value)}.`];
  return [
    `${quotedName(first.label)} has the ${isAdditive ? 'most' : 'highest'} ${name}, ${show(first.value)}${share}; ${quotedName(second.label)} follows with ${show(second.value)}.`,
  ];
}

function sentencesOfFunnel({ name, points, show }: ReportFigures): Sentences {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || first.value <= 0) return [];
  const drops = points.slice(1).flatMap((point, at) => {
    const before = points[at]?.value ?? 0;
    return before > 0 ? [{ label: point.label, share: (before - point.value) / before }] : [];
  });
  const left = `Of ${show(first.value)} ${name} at ${quotedName(first.label)}, ${show(last.value)} remain at ${quotedName(last.label)} (${percentText(last.value / first.value)}).`;
  const steepest = drops.reduce<(typeof drops)[number] | null>(
    (best, drop) => (drop.share > (best?.share ?? 0) ? drop : best),
    null,
  );
  return steepest === null
    ? [left]
    : [left, `The largest drop is at ${quotedName(steepest.label)}: ${percentText(steepest.share)} of what enters it.`];
}

function sentencesOfHistogram({ name, points, sum, show, isAdditive }: ReportFigures): Sentences {
  const isOne = new Set(points.map(({ label }) => label)).size === points.length;
  const most = points.reduce((best, point) => (point.value > best.value ? point : best));
  // With several groups, a bin alone wouldn't show its group.
  return isAdditive && isOne ? [`Most ${name}, ${show(most.value)} of ${show(sum)}, are at ${most.label}.`] : [];
}

const upper = (text: string): string => text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());

/**
 * Returns sentences about a section's figures, starting with those that `prompt` names. Says nothing that the figures
 * don't say, and may return none.
 */
export function sentencesOf(section: ReportSection, timezone: string, prompt: string | null = null): Sentences {
  const { rows, chart, truncated } = section;
  if (rows.length === 0) return [];
  if (rows.length === 1) return sentencesOfOne(section, timezone, prompt);
  const named = nameOf(section);
  return measuresOf(section, prompt).flatMap((column, at) => {
    const figures = figuresOf(section, column, named, timezone);
    if (figures.points.length < 2) return [];
    const level = sentenceOfLevel(figures);
    if (level !== null) return [level];
    if (chart?.kind === 'funnel') return at === 0 ? sentencesOfFunnel(figures) : [];
    if (named === null) return [];
    if (chart?.kind === 'histogram') return sentencesOfHistogram(figures);
    if (days(named) || chart?.kind === 'line') return sentencesOverTime(figures, named.type === 'date');
    return sentencesOfRanking(figures, truncated);
  });
}

/** Puts the sections first that the author named, directly or by their figures. */
function takeaways(said: readonly SectionSentences[], prompt: string | null): string[] {
  const isLookedAt = (section: ReportSection): boolean =>
    isNamed(prompt, section.title) || askedOf(section, prompt).length > 0;
  return said
    .toSorted((a, b) => Number(isLookedAt(b.section)) - Number(isLookedAt(a.section)))
    .flatMap(({ section, sentences: [first] }) => (first === undefined ? [] : [`${oneLine(section.title)}: ${first}`]));
}

/** The text for each section, in document order. */
export interface SectionSentences {
  readonly section: ReportSection;
  readonly sentences: Sentences;
}

/**
 * Writes sentences from the sections' figures only; the same figures give the same sentences. The prompt selects among
 * them and orders the sections; its own words are never repeated.
 */
export function templateNarrative(document: ReportDocument, prompt: string | null): Narrative {
  const { sections, timezone } = document;
  const sectionSentences = sections.map((section) => ({ section, sentences: sentencesOf(section, timezone, prompt) }));
  return composeNarrative(document, sectionSentences, prompt);
}

/**
 * Composes a narrative: the sentences of each section, the first ones of some sections as the summary, of others as
 * takeaways. Sections that the author named come first.
 */
export function composeNarrative(
  { sections }: ReportDocument,
  said: readonly SectionSentences[],
  prompt: string | null,
): Narrative {
  const firsts = takeaways(said, prompt);
  const empty = sections.filter(({ rows }) => rows.length === 0).length;
  const missing =
    empty === 0
      ? ''
      : empty === sections.length
        ? 'No section has data.'
        : `${empty === 1 ? 'One' : empty} of ${sections.length} sections ${empty === 1 ? 'has' : 'have'} no data.`;
  const executiveSummary = [...firsts.slice(0, maxSummed), missing].filter((text) => text !== '').join(' ');
  return {
    executiveSummary: executiveSummary === '' ? `The report has ${sections.length} sections.` : executiveSummary,
    sectionNarratives: said.map(({ section, sentences }) => ({
      sectionId: section.id,
      narrative: sentences.join(' '),
    })),
    // Don't repeat what is in the summary.
    keyTakeaways: firsts.slice(maxSummed, maxSummed + maxTakeaways),
  };
}
