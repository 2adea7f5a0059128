import type { Pick } from '../../../ui/pick-field.tsx';

/** Time zones, languages and currencies that a tenant can select, from this browser. */

/** Maximum number of results. */
const most = 60;

/** An option, with the text to search. */
interface RegionChoice extends Pick {
  readonly words: string;
}

const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[_/-]+/g, ' ')
    .toLowerCase();

const choice = (value: string, label: string): RegionChoice => ({ value, label, words: plain(`${label} ${value}`) });

const zoneLabel = (zone: string): string => zone.replaceAll('_', ' ');

/** Returns the current offset of a zone: `GMT+2`. */
function offsetOf(zone: string): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'shortOffset' }).formatToParts();
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}

/** Returns a zone that the browser lists under another name: `Asia/Kolkata` for `Asia/Calcutta`. Not offsets. */
function exactZone(text: string): string | null {
  const typed = text.replaceAll(' ', '_');
  if (!/^[a-z]/i.test(typed)) return null;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: typed }).resolvedOptions();
    return timeZone.toLowerCase() === typed.toLowerCase() ? timeZone : typed;
  } catch {
    return null;
  }
}

const regional =
  'en-GB en-US en-AU en-CA en-IE en-IN en-NZ en-SG en-ZA de-DE de-AT de-CH fr-FR fr-BE fr-CA fr-CH es-ES es-AR es-CL es-CO es-MX es-US ' +
  'pt-BR pt-PT it-IT it-CH nl-NL nl-BE sv-SE sv-FI ar-AE ar-EG ar-MA ar-SA zh-CN zh-HK zh-TW';

/** Returns every two-letter language that the browser supports, and its regional variants. */
function locales(): readonly string[] {
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  return [...new Set(Intl.DateTimeFormat.supportedLocalesOf(codes)), ...regional.split(' ')];
}

const languageNames = new Intl.DisplayNames('en-GB', { type: 'language' });
const currencyNames = new Intl.DisplayNames('en-GB', { type: 'currency' });

/** The name of a language tag in the language of the console; null for a text that isn't a tag of a known language. */
function languageLabel(tag: string): string | null {
  try {
    const name = languageNames.of(tag);
    return name === undefined || name === tag ? null : name;
  } catch {
    return null;
  }
}

const exactLanguage = (text: string): string | null => {
  const label = languageLabel(text);
  const [tag] = label === null ? [] : Intl.getCanonicalLocales(text);
  return tag ?? null;
};

export type RegionKind = 'timezone' | 'locale' | 'currency';

interface Source {
  readonly values: () => readonly string[];
  readonly label: (value: string) => string;
  readonly detail: (value: string) => string;
  /** Returns a valid value that isn't listed, as typed; null if it's invalid. */
  readonly exact: (text: string) => string | null;
}

const sources: Readonly<Record<RegionKind, Source>> = {
  timezone: {
    values: () => [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])],
    label: zoneLabel,
    detail: offsetOf,
    exact: exactZone,
  },
  locale: {
    values: locales,
    label: (tag) => languageLabel(tag) ?? tag,
    detail: (tag) => tag,
    exact: exactLanguage,
  },
  currency: {
    values: () => Intl.supportedValuesOf('currency'),
    label: (code) => currencyNames.of(code) ?? code,
    detail: (code) => code,
    exact: () => null,
  },
};

const lists = new Map<RegionKind, readonly RegionChoice[]>();

function listOf(kind: RegionKind): readonly RegionChoice[] {
  const known = lists.get(kind);
  if (known !== undefined) return known;
  const { values, label } = sources[kind];
  const list = values()
    .map((value) => choice(value, label(value)))
    .toSorted((one, other) => one.label.localeCompare(other.label, 'en-GB'));
  lists.set(kind, list);
  return list;
}

/** How a value reads in its field: `Europe/Berlin`, `British English (en-GB)`, `Euro (EUR)`. */
export function regionText(kind: RegionKind, value: string): string {
  const label = sources[kind].label(value);
  return kind === 'timezone' || label === value ? label : `${label} (${value})`;
}

/** Returns the options whose label or code has every word of a text, those that start with it first. */
export function findRegions(kind: RegionKind, text: string): readonly Pick[] {
  const { label, detail, exact } = sources[kind];
  const wanted = plain(text).trim();
  const words = wanted.split(' ');
  const found = listOf(kind).filter((each) => words.every((word) => each.words.includes(word)));
  const typed = exact(text.trim());
  const isListed = typed === null || found.some(({ value }) => value === typed);
  const begins = ({ words: all, value }: RegionChoice) => all.startsWith(wanted) || plain(value) === wanted;
  const ordered = [...found.filter(begins), ...found.filter((each) => !begins(each))];
  return [...(isListed ? [] : [choice(typed, label(typed))]), ...ordered]
    .slice(0, most)
    .map(({ value, label: name }) => ({ value, label: name, detail: detail(value) }));
}
