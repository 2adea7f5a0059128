import type { Fact, NarrativeForm, Sentence } from './fact.ts';

/** What to write. */
export interface NarrativeTask {
  readonly form: NarrativeForm;
  readonly facts: readonly Fact[];
  /** What the author of a report wants the text to focus on; null for nothing in particular. */
  readonly focus: string | null;
  /** What the template says of the facts. */
  readonly template: () => readonly Sentence[];
  /** Aborted when no one waits for the text any longer. */
  readonly signal: AbortSignal;
}

export interface WrittenNarrative {
  readonly sentences: readonly Sentence[];
  /** Name of the model, or `template-v1`. */
  readonly model: string;
  readonly tokens: { readonly input: number; readonly output: number };
  /** True: the model's text was unusable, so the template wrote this. */
  readonly fallback: boolean;
  /** Why it was unusable. Never contains its text. */
  readonly checkFailures: readonly string[];
}

/** Puts facts into words: by template, or by a language model whose every sentence is checked. */
export interface NarrativeWriter {
  /** Name of the model, or `template-v1`. Part of the key under which narratives are cached. */
  readonly model: string;
  /** Why it can't write, for the operator; null: it can. */
  readonly problem: string | null;
  write(task: NarrativeTask): Promise<WrittenNarrative>;
}

const templateName = 'template-v1';
const noTokens = { input: 0, output: 0 };

/** Writes what the template says: the same facts give the same bytes. */
export const templateWriter: NarrativeWriter = {
  model: templateName,
  problem: null,
  write: async ({ template }) => ({
    sentences: template(),
    model: templateName,
    tokens: noTokens,
    fallback: false,
    checkFailures: [],
  }),
};
