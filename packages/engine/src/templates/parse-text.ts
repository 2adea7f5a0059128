export interface Token {
  readonly name: string;
  /** Text of `{{name|fallback}}`; null without. */
  readonly fallback: string | null;
}

/** Literal texts and tokens in turn. */
export type Segment = string | Token;

const NAME = '[A-Za-z_][A-Za-z0-9_]*(?:\\.[A-Za-z_][A-Za-z0-9_]*)*';
/** `\{`, `{{name}}`, `{{name|fallback}}`, `{name}`. No alternative looks past the next brace, so matching is linear. */
const TOKEN = new RegExp(`\\\\\\{|\\{\\{(${NAME})(?:\\|([^{}]*))?\\}\\}|\\{(${NAME})\\}`, 'g');

/** Cuts a text at its tokens (docs/design/api-catalogue.md 3.4). Braces around anything but a name stay as they are. */
export function parseText(text: string): readonly Segment[] {
  const segments: Segment[] = [];
  let literal = '';
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    literal += text.slice(end, match.index);
    end = match.index + match[0].length;
    const name = match[1] ?? match[3];
    if (name === undefined) {
      literal += '{';
      continue;
    }
    if (literal !== '') segments.push(literal);
    literal = '';
    segments.push({ name, fallback: match[2] ?? null });
  }
  literal += text.slice(end);
  if (literal !== '') segments.push(literal);
  return segments;
}
