import type { LanguageModel } from './language-model.ts';
import { ModelError } from './language-model.ts';
import { limitedFetch } from './limited-fetch.ts';
import type { ModelSettings } from './model-settings.ts';

/** A model of Anthropic's Messages API. The SDK is loaded with the first question. */
export function anthropicModel({ baseUrl, apiKey, name, timeoutMs }: ModelSettings): LanguageModel {
  const connect = async () => {
    const { Anthropic } = await import('@anthropic-ai/sdk');
    // Sets every option, because the SDK reads missing ones from the environment.
    return new Anthropic({
      apiKey,
      authToken: null,
      baseURL: baseUrl ?? 'https://api.anthropic.com',
      webhookKey: null,
      timeout: timeoutMs,
      maxRetries: 0,
      logLevel: 'off',
      openTelemetry: false,
      fetch: limitedFetch,
    });
  };
  let client: ReturnType<typeof connect> | null = null;
  return {
    name,
    async ask({ instructions, data, maxTokens }, signal) {
      client ??= connect();
      const { content, usage, stop_reason } = await (await client).messages.create(
        { model: name, max_tokens: maxTokens, system: instructions, messages: [{ role: 'user', content: data }] },
        { signal },
      );
      if (stop_reason === 'max_tokens') throw new ModelError('too_long');
      if (stop_reason === 'refusal') throw new ModelError('refused');
      const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
      return { text, tokens: { input: usage.input_tokens, output: usage.output_tokens } };
    },
  };
}
