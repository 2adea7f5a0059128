import type { createDecisionMetrics } from '../../features/deciding/decisions/index.ts';
import { llmWriter, type NarrativeWriter, templateWriter } from '../../features/operations/narration/index.ts';
import { anthropicModel } from '../../platform/llm/anthropic-model.ts';
import { guardedModel } from '../../platform/llm/guarded-model.ts';
import { openaiModel } from '../../platform/llm/openai-model.ts';
import { createBreaker } from '../../platform/outbound/breaker.ts';
import type { ComposeConfig } from '../compose-options.ts';

/** One try (docs/design/api-decisioning.md 17). */
const defaultTimeoutMs = 20_000;

/** Like webhooks: five failures in a row. */
const breakerRules = { failures: 5, pauseMs: 60_000, now: () => performance.now() };

type LlmConfig = Pick<ComposeConfig, 'LLM_API_KEY' | 'LLM_BASE_URL' | 'LLM_MODEL' | 'LLM_PROVIDER'>;

/** Returns the writer of narratives that the configuration asks for. One that lacks a variable says so when it's used. */
export function createNarrativeWriter(
  config: LlmConfig,
  { breakerMoved }: Pick<ReturnType<typeof createDecisionMetrics>, 'breakerMoved'>,
  timeoutMs = defaultTimeoutMs,
): NarrativeWriter {
  const { LLM_PROVIDER: provider, LLM_API_KEY: apiKey, LLM_BASE_URL: baseUrl, LLM_MODEL: name } = config;
  if (provider === 'template') return templateWriter;
  const needsKey = provider === 'anthropic' || baseUrl === null;
  if (name === null) return unusable('LLM_MODEL is not set on this server.');
  if (needsKey && apiKey === null) return unusable('LLM_API_KEY is not set on this server.');
  const connect = provider === 'anthropic' ? anthropicModel : openaiModel;
  const model = connect({ baseUrl, apiKey, name, timeoutMs });
  return llmWriter(
    guardedModel(model, createBreaker({ ...breakerRules, onMove: (to) => breakerMoved('narrative', to) }), timeoutMs),
  );
}

const unusable = (problem: string): NarrativeWriter => ({ ...templateWriter, model: 'none', problem });
