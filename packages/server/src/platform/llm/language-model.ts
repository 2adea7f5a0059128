/** Why a model gave no answer. Never contains its text (docs/design/quality.md T34). */
export type ModelFailure = 'timeout' | 'too_long' | 'no_text' | 'refused' | 'unreachable' | 'paused';

/** A question without an answer. */
export class ModelError extends Error {
  readonly reason: ModelFailure;

  constructor(reason: ModelFailure, cause?: unknown) {
    super(`language model: ${reason}`, cause === undefined ? undefined : { cause });
    this.name = 'ModelError';
    this.reason = reason;
  }
}

export interface ModelQuestion {
  /** What to do. Ours, never a customer's or a tenant's. */
  readonly instructions: string;
  /** What to do it with: JSON, in a message of its own. */
  readonly data: string;
  /** Of the answer. */
  readonly maxTokens: number;
}

export interface ModelAnswer {
  readonly text: string;
  readonly tokens: { readonly input: number; readonly output: number };
}

/** A large language model. Gets no tools, so that nothing it says can do anything. */
export interface LanguageModel {
  /** Its name, as the provider knows it. */
  readonly name: string;
  /** Asks once. Throws ModelError. */
  ask(question: ModelQuestion, signal: AbortSignal): Promise<ModelAnswer>;
}
