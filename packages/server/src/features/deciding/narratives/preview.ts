import type { Fact, FactKind, Sentence } from '../../operations/narration/index.ts';

const maxCharacters = 200;

/** Kinds of facts that say nothing about a customer: the audit log is never erased. */
const impersonal: ReadonlySet<FactKind> = new Set(['decision', 'flow', 'funnel', 'selected']);

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Returns the beginning of a text for the audit log: sentences about the decision only, with HTML escaped. */
export function previewOf(facts: readonly Fact[], sentences: readonly Sentence[]): string {
  const kinds = new Map(facts.map(({ id, kind }) => [id, kind]));
  const shown = sentences.filter(({ facts: ids }) =>
    ids.every((id) => {
      const kind = kinds.get(id);
      return kind !== undefined && impersonal.has(kind);
    }),
  );
  const text = [...shown.map((sentence) => sentence.text).join(' ')];
  const cut = text.length > maxCharacters ? `${text.slice(0, maxCharacters - 1).join('')}…` : text.join('');
  return cut.replace(/[&<>"]/g, (character) => escapes[character] ?? character);
}
