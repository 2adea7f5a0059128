import assert from 'node:assert/strict';
import type { CallResult, TestServer } from '../../packages/server/src/main/test-server.ts';

/**
 * The calls of a guide: `http` code blocks with method and path, the body, and a last line `# <status>` that may save
 * parts of the response, `# 201, $email = id`, under names that later blocks use.
 */
export interface GuideCall {
  /** Line of the guide where the block starts. */
  readonly line: number;
  readonly method: string;
  readonly path: string;
  /** Null: no body. */
  readonly body: string | null;
  readonly status: number;
  /** Paths in the response by name. */
  readonly kept: Readonly<Record<string, string>>;
  /** Parts of the response that the guide states, by path: `# 200, decisions.0.rank is 1`. */
  readonly stated: readonly (readonly [path: string, value: unknown])[];
}

const fence = /^```http\n([\s\S]*?)^```$/gm;

/** Returns the calls of a guide in order. Throws for a block that can't be parsed. */
export function callsOf(markdown: string): GuideCall[] {
  return [...markdown.matchAll(fence)].map((match) => {
    const line = markdown.slice(0, match.index).split('\n').length;
    const lines = (match[1] ?? '').trimEnd().split('\n');
    const [method = '', path = ''] = (lines.shift() ?? '').split(' ');
    const notes: string[] = [];
    while (lines.at(-1)?.startsWith('#')) notes.unshift((lines.pop() ?? '').slice(1));
    // A comma ends a part only if another part starts there: texts may contain commas.
    const parts = notes
      .join(',')
      .split(/, *(?=\$\w+ = |[\w.]+ is )/)
      .map((part) => part.trim());
    const status = Number(parts.shift());
    assert.ok(Number.isInteger(status) && status >= 200, `line ${line}: the last line must begin with "# <status>"`);
    const kept: Record<string, string> = {};
    const stated: [string, unknown][] = [];
    for (const part of parts) {
      const keeps = /^\$(\w+) = (\S+)$/.exec(part);
      const states = /^(\S+) is (.+)$/.exec(part);
      if (keeps) kept[keeps[1] ?? ''] = keeps[2] ?? '';
      else if (states) stated.push([states[1] ?? '', JSON.parse(states[2] ?? '')]);
      else assert.fail(`line ${line}: cannot read "${part}"`);
    }
    const body = lines.join('\n').trim();
    return { line, method, path, body: body === '' ? null : body, status, kept, stated };
  });
}

/** Returns the `npx arbiter ...` commands of a guide in order, as command line arguments. */
export function commandsOf(markdown: string): string[][] {
  return [...markdown.matchAll(/^npx arbiter (.+)$/gm)].map(([, words = '']) => words.split(' '));
}

/** Returns the part of a response at a dotted path. */
const at = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (whole, name) => (whole === null || typeof whole !== 'object' ? undefined : Reflect.get(whole, name)),
      value,
    );

/**
 * Makes the calls in order as the first tenant's admin. Each must respond as the guide says.
 * @param settle runs before each call, such as the jobs of the one before
 * @param names what earlier parts of the guide kept, and the test adds
 */
export async function follow(
  server: TestServer,
  markdown: string,
  settle: () => Promise<unknown> = async () => undefined,
  names: Map<string, unknown> = new Map(),
): Promise<number> {
  const calls = callsOf(markdown);
  for (const call of calls) {
    await settle();
    const filled = (text: string): string =>
      text.replace(/\$(\w+)/g, (_, name: string) => {
        assert.ok(names.has(name), `line ${call.line}: $${name} was not kept before`);
        return String(names.get(name));
      });
    const answer: CallResult<unknown> = await server.call(call.method, `/api/v1${filled(call.path)}`, {
      ...(call.body === null ? {} : { body: JSON.parse(filled(call.body)) as unknown }),
    });
    assert.equal(answer.status, call.status, `line ${call.line}: ${answer.text}`);
    assert.equal(answer.headers['x-unknown-properties'], undefined, `line ${call.line}: names what is not known`);
    for (const [name, path] of Object.entries(call.kept)) {
      const value = at(answer.body, path);
      assert.ok(value !== undefined, `line ${call.line}: the answer has no ${path}`);
      names.set(name, value);
    }
    for (const [path, value] of call.stated)
      assert.deepEqual(
        at(answer.body, path),
        typeof value === 'string' ? filled(value) : value,
        `line ${call.line}: ${path} in ${answer.text}`,
      );
  }
  return calls.length;
}
