import type { MarkupPart, MarkupUrl, Token } from '@arbiter/engine';

/** A text in parts under construction; literal texts beside each other become one. */
export interface MarkupWriter {
  literal(text: string): void;
  token(token: Token): void;
  /** A token whose value is looked for at a second place as well. */
  either(token: string, or: string): void;
  url(url: MarkupUrl): void;
  readonly parts: readonly MarkupPart[];
}

export function writeMarkup(): MarkupWriter {
  const parts: MarkupPart[] = [];
  return {
    parts,
    literal(text) {
      if (text === '') return;
      const last = parts.at(-1);
      if (typeof last === 'string') parts[parts.length - 1] = last + text;
      else parts.push(text);
    },
    token({ name, fallback }) {
      parts.push(fallback === null ? { token: name } : { token: name, fallback });
    },
    either(token, or) {
      parts.push({ token, or });
    },
    url(url) {
      parts.push(url);
    },
  };
}

const entities: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
]);

/** A literal text as HTML shows it (docs/design/api-settled.md 115). */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities.get(character) ?? '');
}
