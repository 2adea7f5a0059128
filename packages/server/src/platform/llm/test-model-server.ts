import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** What a client sent to a model. */
export interface AskedModel {
  readonly provider: 'anthropic' | 'openai';
  readonly key: string | undefined;
  readonly instructions: string;
  readonly data: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Answers a question: the model's text, or what it does instead. */
export type PlayModel = (asked: AskedModel, response: ServerResponse) => string | undefined;

/** A local server that speaks the wire formats of Anthropic and of OpenAI. */
export interface TestModelServer {
  readonly url: string;
  /** Questions so far. */
  readonly asked: AskedModel[];
  play: PlayModel;
  close(): Promise<void>;
}

export async function startTestModelServer(): Promise<TestModelServer> {
  const asked: AskedModel[] = [];
  const server: Server = createServer((request, response) => {
    void readText(request).then((text) => answer(request, text, response));
  });
  const answer = (request: IncomingMessage, text: string, response: ServerResponse): void => {
    const question = readQuestion(request, text);
    if (question === null) {
      response.writeHead(404).end();
      return;
    }
    asked.push(question);
    const said = result.play(question, response);
    if (said === undefined) return;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(question.provider === 'anthropic' ? message(said) : completion(said)));
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  const result: TestModelServer = {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    play: () => '[]',
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return result;
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

interface WireMessage {
  readonly role: string;
  readonly content: string;
}

function readQuestion({ url, headers }: IncomingMessage, text: string): AskedModel | null {
  const body = JSON.parse(text) as Record<string, unknown> & { readonly messages: readonly WireMessage[] };
  const contentOf = (role: string) => body.messages.find((one) => one.role === role)?.content ?? '';
  const data = contentOf('user');
  if (url === '/v1/messages' && headers['anthropic-version'] !== undefined) {
    return { provider: 'anthropic', key: headers.authorization, instructions: String(body.system), data, body };
  }
  if (url === '/chat/completions') {
    return { provider: 'openai', key: headers.authorization, instructions: contentOf('system'), data, body };
  }
  return null;
}

const message = (text: string) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'test-model',
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 700, output_tokens: 90 },
});

const completion = (content: string) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'test-model',
  choices: [
    { index: 0, message: { role: 'assistant', content, refusal: null }, finish_reason: 'stop', logprobs: null },
  ],
  usage: { prompt_tokens: 700, completion_tokens: 90, total_tokens: 790 },
});
