import type { Breaker } from '../outbound/breaker.ts';
import { type LanguageModel, type ModelAnswer, ModelError } from './language-model.ts';

/**
 * Limits what a model can do to us: the whole answer must be there in time, whatever the SDK waits for, and a model that
 * fails several times in a row gets a pause. Every failure becomes a ModelError.
 */
export function guardedModel(model: LanguageModel, breaker: Breaker, timeoutMs: number): LanguageModel {
  return {
    name: model.name,
    async ask(question, signal) {
      if (breaker.isOpen(model.name)) throw new ModelError('paused');
      const late = AbortSignal.timeout(timeoutMs);
      try {
        const answer = await beforeEnd(model.ask(question, AbortSignal.any([signal, late])), signal, late);
        if (typeof answer.text !== 'string' || answer.text.trim() === '') throw new ModelError('no_text');
        breaker.succeeded(model.name);
        const { input, output } = answer.tokens;
        return { text: answer.text, tokens: { input: countOf(input), output: countOf(output) } };
      } catch (error) {
        // A caller who left says nothing about the model.
        if (!signal.aborted) breaker.failed(model.name);
        throw failureOf(error, late);
      }
    },
  };
}

/** The answer, unless the time is over first: an SDK may still be waiting for the rest of a body. */
function beforeEnd(answer: Promise<ModelAnswer>, ...ends: readonly AbortSignal[]): Promise<ModelAnswer> {
  return new Promise((resolve, reject) => {
    const end = () => reject(new ModelError('timeout'));
    for (const signal of ends) {
      if (signal.aborted) end();
      signal.addEventListener('abort', end, { once: true });
    }
    answer.then(resolve, reject).finally(() => {
      for (const signal of ends) signal.removeEventListener('abort', end);
    });
  });
}

/** Some servers don't count. */
const countOf = (tokens: number): number => (Number.isSafeInteger(tokens) && tokens > 0 ? tokens : 0);

function failureOf(error: unknown, late: AbortSignal): ModelError {
  if (error instanceof ModelError) return error;
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof ModelError) return cause;
  return new ModelError(late.aborted ? 'timeout' : 'unreachable', error);
}
