import type { FormulaScope } from '../plan/formula.ts';
import type { JsonObject } from '../plan/snapshot.ts';
import { type Escape, escapeFor, finishFor } from './escape.ts';
import { parseText, type Token } from './parse-text.ts';
import { printed, type ReadValue, tokenValue, type ValueSources } from './token-value.ts';

/** What the parts of one template share during compilation. */
export interface TextCompiler {
  readonly templateType: string;
  readonly sources: ValueSources;
  readonly tokens: Map<string, ReadValue>;
  /** Tokens used at least once without their own fallback. */
  readonly bare: Set<string>;
  /** Characters left for values in the current rendering. The template sets it before each. */
  readonly room: { left: number };
}

/**
 * Maximum characters of one creative's values, escaped: small content may name one long value thousands of times, and a
 * decision shows many creatives (docs/adr/0024). A value that no longer fits shows nothing.
 */
export const maxInserted = 262_144;

/** A text that is the same for everyone, or the function that renders it. */
export type Piece = string | ((scope: FormulaScope, computed: JsonObject) => string);

/** A text of content: constant, or rendered for each candidate; undefined drops its key. */
export type CompiledText =
  | { readonly constant: string | undefined }
  | { readonly render: (scope: FormulaScope, computed: JsonObject) => string | undefined };

/** Compiles the text at `key` of a content. */
export function compileText(compiler: TextCompiler, key: string, text: string): CompiledText {
  const segments = parseText(text);
  const finish = finishFor(key);
  const isAlone = segments.length === 1 && typeof segments[0] !== 'string';
  const escaped = escapeFor(key, compiler.templateType, isAlone);
  const pieces = segments.map((segment) =>
    typeof segment === 'string' ? segment : compileToken(compiler, segment, escaped),
  );
  if (pieces.every((piece) => typeof piece === 'string')) {
    const constant = pieces.join('');
    return { constant: finish === null ? constant : finish(constant) };
  }
  return {
    render(scope, computed) {
      const rendered = joined(pieces, scope, computed);
      return finish === null ? rendered : finish(rendered);
    },
  };
}

/** The pieces as one text. */
export function joined(pieces: readonly Piece[], scope: FormulaScope, computed: JsonObject): string {
  let rendered = '';
  for (const piece of pieces) rendered += typeof piece === 'string' ? piece : piece(scope, computed);
  return rendered;
}

/** Returns a token's escaped value. Its fallback is the author's text, but is used as a value. */
export function compileToken(compiler: TextCompiler, { name, fallback }: Token, escaped: Escape): Piece {
  const read = compiler.tokens.get(name) ?? tokenValue(compiler.sources, name);
  compiler.tokens.set(name, read);
  if (fallback === null) compiler.bare.add(name);
  const otherwise = fallback === null ? '' : escaped(fallback);
  return (scope, computed) => {
    const value = printed(read(scope, computed));
    return value === null ? otherwise : inserted(compiler, escaped, value);
  };
}

/** Returns the value escaped, or nothing when there is no room for it. */
export function inserted({ room }: TextCompiler, escaped: Escape, value: string): string {
  if (value.length > room.left) return '';
  const text = escaped(value);
  room.left -= text.length;
  return text;
}
