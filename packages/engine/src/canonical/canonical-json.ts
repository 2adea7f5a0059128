/**
 * The canonical text of a JSON value (RFC 8785): members sorted by UTF-16 units, numbers in the language's shortest
 * form, no white space. Members that are undefined are left out, as by `JSON.stringify`. Throws a RangeError for a
 * number that is not finite and a TypeError for a value that JSON doesn't know: those are defects of the caller.
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'number':
      if (!Number.isFinite(value)) throw new RangeError('canonical JSON cannot represent a number that is not finite');
      return value === 0 ? '0' : `${value}`;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? canonicalArray(value) : canonicalObject(value);
    default:
      throw new TypeError(`canonical JSON cannot represent ${typeof value}`);
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
  sortInPlace(keys);
  let text = '{';
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string;
    const member = members[key];
    if (member === undefined) continue;
    text += nameText(key, text.length > 1);
    if (typeof member === 'string' && isPlain(member)) {
      text += '"';
      text += member;
      text += '"';
    } else text += canonicalJson(member);
  }
  return `${text}}`;
}

/** A member's name in the text, with and without a comma. */
interface NameText {
  readonly first: string;
  readonly next: string;
}

/** Records have few names, which come again and again. */
const nameTexts = new Map<string, NameText>();
const maxNames = 1024;

function nameText(name: string, afterOthers: boolean): string {
  let known = nameTexts.get(name);
  if (known === undefined) {
    const first = `${quoted(name)}:`;
    known = { first, next: `,${first}` };
    if (nameTexts.size < maxNames) nameTexts.set(name, known);
  }
  return afterOthers ? known.next : known.first;
}

/** Insertion sort for the few keys of a record, which often come in order. */
function sortInPlace(keys: string[]): void {
  if (keys.length > 32) {
    keys.sort();
    return;
  }
  for (let index = 1; index < keys.length; index++) {
    const key = keys[index] as string;
    let at = index - 1;
    while (at >= 0 && (keys[at] as string) > key) {
      keys[at + 1] = keys[at] as string;
      at -= 1;
    }
    keys[at + 1] = key;
  }
}

/** Short texts without anything to escape are the rule; `JSON.stringify` is slow to start. */
const quoted = (text: string): string => (isPlain(text) ? `"${text}"` : JSON.stringify(text));

/** False for long texts and for those with something to escape. */
function isPlain(text: string): boolean {
  if (text.length > 40) return false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 32 || code === 34 || code === 92 || (code >= 0xd800 && code < 0xe000)) return false;
  }
  return true;
}
