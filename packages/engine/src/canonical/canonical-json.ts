/** A character that JSON must escape in a string. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes exactly these
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

/**
 * The canonical text of a JSON value (RFC 8785): members sorted by UTF-16 units, numbers in the language's shortest
 * form, no white space. Members that are undefined are left out, as by `JSON.stringify`. Throws a RangeError for a
 * number that is not finite and a TypeError for a value that JSON does not know: those are defects of the caller.
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'number':
      if (!Number.isFinite(value)) throw new RangeError('canonical JSON has no form for a number that is not finite');
      return value === 0 ? '0' : `${value}`;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? canonicalArray(value) : canonicalObject(value);
    default:
      throw new TypeError(`canonical JSON has no form for ${typeof value}`);
  }
}

function canonicalArray(items: readonly unknown[]): string {
  let text = '[';
  for (let index = 0; index < items.length; index++) {
    if (index > 0) text += ',';
    const item = items[index];
    text += item === undefined ? 'null' : canonicalJson(item);
  }
  return `${text}]`;
}

function canonicalObject(value: object): string {
  const members = value as Readonly<Record<string, unknown>>;
  const keys = Object.keys(members);
  for (let index = 1; index < keys.length; index++) {
    if ((keys[index - 1] as string) > (keys[index] as string)) {
      keys.sort();
      break;
    }
  }
  let text = '{';
  for (const key of keys) {
    const member = members[key];
    if (member === undefined) continue;
    if (text.length > 1) text += ',';
    text += `${quoted(key)}:${canonicalJson(member)}`;
  }
  return `${text}}`;
}

function quoted(text: string): string {
  return ESCAPED.test(text) ? JSON.stringify(text) : `"${text}"`;
}
