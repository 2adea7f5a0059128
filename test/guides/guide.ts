import assert from 'node:assert/strict';
import type { CallResult, TestServer } from '../../packages/server/src/main/test-server.ts';

/**
 * The calls of a guide, as a reader sees them: blocks of code named `http` with the method and path, the body, and a last line
 * `# <status>` that may keep parts of the answer, `# 201, $email = id`, under names that later blocks use.
 */
export interface GuideCall {
  /** Line of the guide that the block begins on. */
  readonly line: number;
  readonly method: string;
  readonly path: string;
  /** Null: none. */
  readonly body: string | null;
  readonly status: number;
  /** Paths in the answer by name. */
  readonly kept: Readonly<Record<string, string>>;
  /** Parts of the answer that the guide states, by path: `# 200, decisions.0.rank is 1`. */
  readonly stated: readonly (readonly [path: string, value: unknown])[];
}

const fence = /^```http\n([\s\S]*?)^```$/gm;

/** The calls of a guide in their order; throws for a block that cannot be read. */
export function callsOf(markdown: string): GuideCall[] {
  return [...markdown.matchAll(fence)].map((match) => {
    const line = markdown.slice(0, match.index).split('\n').length;
    const lines = (match[1] ?? '').trimEnd().split('\n');
    const [method = '', path = ''] = (lines.shift() ?? '').split(' ');
    const notes: string[] = [];
    while (lines.at(-1)?.startsWith('#')) notes.unshift((lines.pop() ?? '').slice(1));
    // A comma ends a part only where another part begins: texts may hold commas.
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

/** The commands `npx arbiter ...` of a guide in their order, as the arguments of the command line. */
export function commandsOf(markdown: string): string[][] {
  return [...markdown.matchAll(/^npx arbiter (.+)$/gm)].map(([, words = '']) => words.split(' '));
}

/** The part of an answer at a dotted path. */
const at = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (whole, name) => (whole === null || typeof whole !== 'object' ? undefined : Reflect.get(whole, name)),
      value,
    );

/** Does the calls, one after the other, as the first tenant's admin; each must answer as the guide says. */
export async function follow(server: TestServer, markdown: string): Promise<number> {
  const names = new Map<string, unknown>();
  const calls = callsOf(markdown);
  for (const call of calls) {
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
      assert.deepEqual(at(answer.body, path), value, `line ${call.line}: ${path} in ${answer.text}`);
  }
  return calls.length;
}
