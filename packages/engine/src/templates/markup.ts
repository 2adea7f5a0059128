import type { MarkupPart, MarkupToken, MarkupUrl } from '../plan/snapshot.ts';
import { compileText, compileToken, inserted, type Piece, type TextCompiler } from './compile-text.ts';
import { type Escape, htmlEscaped, withoutControls } from './escape.ts';
import { printed, tokenValue } from './token-value.ts';

/**
 * Compiles a text that was taken apart when it was published (docs/design/api-catalogue.md 3.2, 3.4). Its literal parts are final:
 * nothing in them is searched for tokens, and nothing that is put between them can become markup.
 */
export function compileMarkup(compiler: TextCompiler, parts: readonly MarkupPart[], target: 'html' | 'text'): Piece[] {
  const escaped = target === 'html' ? htmlEscaped : withoutControls;
  return parts.map((part) => {
    if (typeof part === 'string') return part;
    return 'token' in part ? compilePartToken(compiler, part, escaped) : compileUrl(compiler, part, escaped);
  });
}

function compilePartToken(compiler: TextCompiler, part: MarkupToken, escaped: Escape): Piece {
  if (part.or === undefined) {
    return compileToken(compiler, { name: part.token, fallback: part.fallback ?? null }, escaped);
  }
  const first = tokenValue(compiler.sources, part.token);
  const second = tokenValue(compiler.sources, part.or);
  return (scope, computed) =>
    inserted(compiler, escaped, printed(first(scope, computed)) ?? printed(second(scope, computed)) ?? '');
}

/** The first of the links that is allowed, between what surrounds it; nothing of it when none is. */
function compileUrl(compiler: TextCompiler, { urls, before, after }: MarkupUrl, escaped: Escape): Piece {
  const links = urls.map((url) => compileText(compiler, 'linkUrl', url));
  const around = (url: string): string => before + escaped(url) + after;
  const [first] = links;
  if (first !== undefined && 'constant' in first && first.constant !== undefined) return around(first.constant);
  if (links.every((link) => 'constant' in link && link.constant === undefined)) return '';
  return (scope, computed) => {
    for (const link of links) {
      const url = 'constant' in link ? link.constant : link.render(scope, computed);
      if (url !== undefined) return around(url);
    }
    return '';
  };
}
