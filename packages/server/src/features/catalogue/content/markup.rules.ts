import type { MarkupPart, MarkupUrl, Token } from '@arbiter/engine';

/** Builds a text in parts. Adjacent literal texts become one part. */
export interface MarkupWriter {
  literal(text: string): void;
  token(token: Token): void;
  /** Writes a token whose value may come from either of two places. */
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

/** Escapes literal text for HTML (docs/design/api-settled.md 115). */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities.get(character) ?? '');
}
