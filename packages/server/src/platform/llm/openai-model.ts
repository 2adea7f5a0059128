import type { LanguageModel } from './language-model.ts';
import { ModelError } from './language-model.ts';
import { limitedFetch } from './limited-fetch.ts';
import type { ModelSettings } from './model-settings.ts';

/** What servers without keys get: the SDK insists on one. */
const noKey = 'none';

/** A model behind `chat/completions`, of OpenAI or any compatible server. The SDK is loaded with the first question. */
export function openaiModel({ baseUrl, apiKey, name, timeoutMs }: ModelSettings): LanguageModel {
  const connect = async () => {
    const { OpenAI } = await import('openai');
    // Sets every option, because the SDK reads missing ones from the environment.
    return new OpenAI({
      apiKey: apiKey ?? noKey,
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      baseURL: baseUrl ?? 'https://api.openai.com/v1',
      timeout: timeoutMs,
      maxRetries: 0,
      logLevel: 'off',
      fetch: limitedFetch,
    });
  };
  let client: ReturnType<typeof connect> | null = null;
  return {
    name,
    async ask({ instructions, data, maxTokens }, signal) {
      client ??= connect();
      const answer = await (await client).chat.completions.create(
        {
          model: name,
          // OpenAI's newer models accept the first word only, most compatible servers only the second.
          ...(baseUrl === null ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens }),
          messages: [
            { role: 'system', content: instructions },
            { role: 'user', content: data },
          ],
        },
        { signal },
      );
      const choice = answer.choices[0];
      if (choice?.finish_reason === 'length') throw new ModelError('too_long');
      const { prompt_tokens: input = 0, completion_tokens: output = 0 } = answer.usage ?? {};
      return { text: choice?.message.content ?? '', tokens: { input, output } };
    },
  };
}
