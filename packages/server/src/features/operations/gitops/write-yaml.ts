import type { Json } from '@arbiter/engine';

/**
 * Canonical YAML (docs/design/api-settled.md 25): one value has one text. YAML 1.2 core schema, keys sorted by code unit, two
 * blanks, no anchors, aliases, tags or document marks. A string is in double quotes when the core schema would read it as
 * something else or plain style cannot hold it. Ends with a line feed.
 */
export function writeYaml(value: Json): string {
  const lines: string[] = [];
  writeBlock(value, '', '', lines);
  return `${lines.join('\n')}\n`;
}

/** YAML allows at most 1,024 characters in a key before its colon; longer ones are written with a question mark. */
const longestImplicitKey = 1000;

/** `first`: prefix of the value's first line; `indent`: prefix of its other lines. */
function writeBlock(value: Json, first: string, indent: string, lines: string[]): void {
  if (Array.isArray(value) && value.length > 0) {
    value.forEach((item: Json, at) => {
      writeBlock(item, `${at === 0 ? first : indent}- `, `${indent}  `, lines);
    });
    return;
  }
  const entries = entriesOf(value);
  if (entries === null || entries.length === 0) {
    lines.push(first + scalar(value));
    return;
  }
  entries.forEach(([key, entry], at) => {
    const start = at === 0 ? first : indent;
    const name = text(key);
    const isShort = name.length <= longestImplicitKey;
    if (!isShort) lines.push(`${start}? ${name}`);
    const head = isShort ? `${start}${name}:` : `${indent}:`;
    if (!isBlock(entry)) lines.push(`${head} ${scalar(entry)}`);
    else {
      lines.push(head);
      writeBlock(entry, `${indent}  `, `${indent}  `, lines);
    }
  });
}

function entriesOf(value: Json): [string, Json][] | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}

function isBlock(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function scalar(value: Json): string {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return '[]';
  if (typeof value === 'object' && value !== null) return '{}';
  return Object.is(value, -0) ? '-0' : String(value);
}

/** What the core schema reads as null, boolean or number. */
const resolved =
  /^(?:|~|null|Null|NULL|true|True|TRUE|false|False|FALSE|[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
/** Starts or ends in a way that plain style can't express, or that a reader could misinterpret. */
const needsQuotes = /^[-?:,[\]{}#&*!|>'"%@`=<\s]|^(?:---|\.\.\.)|[\s:]$|: | #/;
/** Anything that is not plain to print: controls, line and paragraph separators, byte order marks, halves of pairs. */
const unprintable = /[\p{Cc}\p{Cs}\u2028\u2029\ufeff\ufffe\uffff]/u;

function text(value: string): string {
  if (!resolved.test(value) && !needsQuotes.test(value) && !unprintable.test(value)) return value;
  // A text in JSON is one in YAML too, once the few characters are escaped that YAML forbids and JSON lets stand.
  return JSON.stringify(value).replace(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, escaped);
}

const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
