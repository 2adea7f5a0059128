import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { createBreaker } from '../outbound/breaker.ts';
import { anthropicModel } from './anthropic-model.ts';
import { guardedModel } from './guarded-model.ts';
import { type LanguageModel, ModelError, type ModelFailure } from './language-model.ts';
import { openaiModel } from './openai-model.ts';
import { startTestModelServer, type TestModelServer } from './test-model-server.ts';

// Runs in a process of its own: it has hooks around each test.

let server: TestModelServer;
before(async () => {
  server = await startTestModelServer();
});
beforeEach(() => {
  server.asked.length = 0;
});
after(() => server.close());

const question = { instructions: 'Do this.', data: '{"facts":[]}', maxTokens: 100 };
const never = new AbortController().signal;
const failsWith = (reason: ModelFailure) => (error: unknown) => error instanceof ModelError && error.reason === reason;

const makers = { anthropic: anthropicModel, openai: openaiModel };

function guarded(provider: keyof typeof makers, timeoutMs = 5_000, failures = 5): LanguageModel {
  const model = makers[provider]({ baseUrl: server.url, apiKey: 'a key', name: 'test-model', timeoutMs });
  return guardedModel(model, createBreaker({ failures, pauseMs: 60_000, now: () => performance.now() }), timeoutMs);
}

for (const provider of ['anthropic', 'openai'] as const) {
  test(`${provider}: asks once with instructions and data apart, and returns the text with its tokens`, async () => {
    server.play = () => 'Hello.';
    const answer = await guarded(provider).ask(question, never);
    assert.deepEqual(answer, { text: 'Hello.', tokens: { input: 700, output: 90 } });
    const [asked, ...more] = server.asked;
    assert.deepEqual([asked?.instructions, asked?.data, more.length], [question.instructions, question.data, 0]);
    assert.equal(asked?.key, 'Bearer a key');
    assert.equal(asked?.body.max_tokens, 100);
    assert.ok(!('tools' in (asked?.body ?? {})), 'a model with tools could do something');
  });

  test(`${provider}: doesn't retry, and gives every failure a name`, async () => {
    const cases: [string, ModelFailure, TestModelServer['play']][] = [
      ['500', 'unreachable', (_, response) => void response.writeHead(500).end()],
      ['429', 'unreachable', (_, response) => void response.writeHead(429, { 'retry-after': '0' }).end()],
      ['no JSON', 'unreachable', (_, response) => void response.writeHead(200).end('<html>')],
      [
        'no fields',
        'no_text',
        (_, response) => void response.writeHead(200, json).end('{"content":[],"usage":{},"choices":[]}'),
      ],
      ['hang-up', 'unreachable', (_, response) => void response.destroy()],
      [
        'redirect',
        'unreachable',
        (_, response) => void response.writeHead(307, { location: `${server.url}/elsewhere` }).end(),
      ],
      ['blank', 'no_text', () => '  '],
      ['2 MB', 'too_long', () => 'x'.repeat(2_000_000)],
    ];
    for (const [name, reason, play] of cases) {
      server.asked.length = 0;
      server.play = play;
      await assert.rejects(guarded(provider).ask(question, never), failsWith(reason), name);
      assert.equal(server.asked.length, 1, `${name}: one try`);
    }
  });

  test(`${provider}: gives up in time on silence, on a body that never ends and on a caller who left`, async () => {
    const silent: TestModelServer['play'] = () => undefined;
    const trickling: TestModelServer['play'] = (_, response) => {
      response.writeHead(200, json);
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
      return undefined;
    };
    for (const play of [silent, trickling]) {
      server.play = play;
      const started = performance.now();
      await assert.rejects(guarded(provider, 300).ask(question, never), failsWith('timeout'));
      assert.ok(performance.now() - started < 10_000);
    }
    server.play = silent;
    const left = AbortSignal.timeout(50);
    await assert.rejects(guarded(provider, 60_000).ask(question, left), failsWith('timeout'));
  });
}

test('pauses a model that fails several times in a row', async () => {
  const model = guarded('openai', 5_000, 2);
  server.play = (_, response) => void response.writeHead(500).end();
  for (let time = 0; time < 2; time += 1) await assert.rejects(model.ask(question, never), failsWith('unreachable'));
  await assert.rejects(model.ask(question, never), failsWith('paused'));
  assert.equal(server.asked.length, 2);
});

const json = { 'content-type': 'application/json' };
