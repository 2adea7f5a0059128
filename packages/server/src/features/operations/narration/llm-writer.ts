import { type LanguageModel, ModelError } from '../../../platform/llm/language-model.ts';
import { checkSentences } from './check/check-sentences.ts';
import type { Sentence } from './fact.ts';
import { instructionsFor } from './instructions.ts';
import { type NarrativeTask, type NarrativeWriter, templateWriter, type WrittenNarrative } from './narrative-writer.ts';

/** About four times the longest narrative, with the ids of its facts. */
const maxTokens = 4_000;
/** More than any narrative has. */
const maxSentences = 80;

/**
 * Writes with a language model. Facts are data: they reach the model as JSON in the user message, and nothing the model says
 * is a command. If the model fails, or one sentence fails one check, the whole text is the template's.
 */
export function llmWriter(model: LanguageModel): NarrativeWriter {
  return {
    model: model.name,
    problem: null,
    async write(task) {
      const { form, facts, focus } = task;
      const data = JSON.stringify({ facts, ...(focus === null ? {} : { focus }) });
      try {
        const { text, tokens } = await model.ask({ instructions: instructionsFor(form), data, maxTokens }, task.signal);
        const sentences = readSentences(text);
        const checkFailures =
          sentences === null ? ['answer: not a JSON array'] : checkSentences(form, facts, sentences);
        if (sentences === null || checkFailures.length > 0) return await fallBack(task, checkFailures, tokens);
        return { sentences, model: model.name, tokens, fallback: false, checkFailures: [] };
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        return await fallBack(task, [`model: ${error.reason}`], undefined);
      }
    },
  };
}

async function fallBack(
  task: NarrativeTask,
  checkFailures: readonly string[],
  tokens: WrittenNarrative['tokens'] | undefined,
): Promise<WrittenNarrative> {
  const written = await templateWriter.write(task);
  return { ...written, tokens: tokens ?? written.tokens, fallback: true, checkFailures };
}

/** Reads `[{ text, facts }]`; null for anything else. Further properties are ignored. */
function readSentences(text: string): readonly Sentence[] | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Array.isArray(parsed) || parsed.length > maxSentences) return null;
  const sentences: Sentence[] = [];
  for (const item of parsed as unknown[]) {
    if (typeof item !== 'object' || item === null) return null;
    const { text: said, facts } = item as { text?: unknown; facts?: unknown };
    if (typeof said !== 'string' || !Array.isArray(facts)) return null;
    const ids = facts.filter((id) => typeof id === 'string');
    if (ids.length !== facts.length) return null;
    sentences.push({ text: said, facts: ids });
  }
  return sentences;
}
