const preference = /^\s*([^\s=";]+)\s*(?:=\s*([^\s=";]*|"(?:[^"\\]|\\.)*")\s*)?$/;
/** Longer `Prefer` headers are ignored. No real client sends one. */
const longestHeader = 1_024;

/**
 * Returns true when the caller asks for strict handling: `Prefer: handling=strict` (RFC 7240). The first of several
 * `handling` values counts. Other preferences, parameters and unreadable parts are skipped, as the RFC requires.
 * `header`: all `Prefer` values joined by commas.
 */
export function prefersStrict(header: string | readonly string[] | undefined): boolean {
  if (header === undefined) return false;
  const text = typeof header === 'string' ? header : header.join(',');
  if (text === 'handling=strict') return true;
  if (text.length > longestHeader) return false;
  for (const element of splitOutsideQuotes(text, ',')) {
    const [first = ''] = splitOutsideQuotes(element, ';');
    const found = preference.exec(first);
    if (found?.[1]?.toLowerCase() === 'handling') return wordOf(found[2] ?? '').toLowerCase() === 'strict';
  }
  return false;
}

function splitOutsideQuotes(text: string, separator: string): string[] {
  const parts: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const mark = text[at];
    if (isQuoted && mark === '\\') at += 1;
    else if (mark === '"') isQuoted = !isQuoted;
    else if (mark === separator && !isQuoted) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  parts.push(text.slice(from));
  return parts;
}

function wordOf(word: string): string {
  return word.startsWith('"') ? word.slice(1, -1).replace(/\\(.)/g, '$1') : word;
}
