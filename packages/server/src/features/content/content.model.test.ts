import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { type Answer, type ContentServer, startContentServer } from './test-content.ts';

/** Random actions by two persons, compared with an oracle in memory that knows the rules and nothing of the product. */

let contents: ContentServer;
const persons = { a: '0a0a0a0a-0000-4000-8000-00000000000a', b: '0b0b0b0b-0000-4000-8000-00000000000b' };
type Person = keyof typeof persons;
const keys: Record<Person, string> = { a: '', b: '' };
before(async () => {
  contents = await startContentServer();
  for (const person of ['a', 'b'] as const) keys[person] = await contents.person('editor', persons[person]);
});
after(() => contents.server.close());

interface Version {
  readonly kind: string;
  readonly subject: string;
}

/** The rules of part 2, section 3 and docs/design/api-settled.md 1 to 3, 42 to 49, as a state machine. */
class Oracle {
  status = 'draft';
  subject = 'start';
  versions: Version[] = [{ kind: 'create', subject: 'start' }];
  submittedBy: string | null = null;
  approvedBy: string | null = null;
  reason: string | null = null;
  published: number | null = null;

  private add(kind: string): void {
    this.versions.push({ kind, subject: this.subject });
  }
  private toDraft(): void {
    this.status = 'draft';
    this.submittedBy = null;
    this.approvedBy = null;
  }
  put(_who: Person, subject: string | null, staleBy: number): string {
    if (staleBy > 0) return 'row_version_conflict';
    if (this.status === 'archived') return 'invalid_transition';
    if (subject !== null) this.subject = subject;
    this.toDraft();
    this.add('update');
    return 'ok';
  }
  submit(who: Person): string {
    if (this.status !== 'draft') return 'invalid_transition';
    this.status = 'in_review';
    this.submittedBy = persons[who];
    this.reason = null;
    return 'ok';
  }
  approve(who: Person): string {
    if (this.status !== 'in_review') return 'invalid_transition';
    if (this.submittedBy === persons[who]) return 'self_approval_forbidden';
    this.status = 'approved';
    this.approvedBy = persons[who];
    return 'ok';
  }
  reject(_who: Person, reason: string | null): string {
    if (this.status !== 'in_review') return 'invalid_transition';
    this.toDraft();
    this.reason = reason;
    return 'ok';
  }
  publish(_who: Person): string {
    if (this.status !== 'approved') return 'invalid_transition';
    this.status = 'published';
    this.add('publish');
    this.published = this.versions.length;
    return 'ok';
  }
  archive(_who: Person): string {
    if (this.status === 'archived') return 'ok';
    this.toDraft();
    this.status = 'archived';
    return 'ok';
  }
  revert(_who: Person, version: number): string {
    if (version >= this.versions.length) return 'invalid_transition';
    const old = this.versions[version - 1];
    if (old === undefined) return 'not_found';
    this.subject = old.subject;
    this.toDraft();
    this.add('revert');
    return 'ok';
  }
}

type Action =
  | { readonly does: 'submit' | 'approve' | 'publish' | 'archive' }
  | { readonly does: 'put'; readonly subject: string | null; readonly staleBy: number }
  | { readonly does: 'reject'; readonly reason: string | null }
  | { readonly does: 'revert'; readonly version: number };

const action = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Action>({ does: 'submit' }) },
  { weight: 4, arbitrary: fc.constant<Action>({ does: 'approve' }) },
  { weight: 4, arbitrary: fc.constant<Action>({ does: 'publish' }) },
  { weight: 1, arbitrary: fc.constant<Action>({ does: 'archive' }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('put' as const),
      subject: fc.option(fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme-ascii' })),
      staleBy: fc.constantFrom(0, 0, 0, 1),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('reject' as const), reason: fc.option(fc.constantFrom('no', 'never')) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('revert' as const), version: fc.integer({ min: 0, max: 8 }) }),
  },
);
const steps = fc.array(fc.tuple(fc.constantFrom<Person>('a', 'b'), action), { minLength: 1, maxLength: 30 });

function ask(oracle: Oracle, who: Person, wanted: Action): string {
  if (wanted.does === 'put') return oracle.put(who, wanted.subject, wanted.staleBy);
  if (wanted.does === 'reject') return oracle.reject(who, wanted.reason);
  return wanted.does === 'revert' ? oracle.revert(who, wanted.version) : oracle[wanted.does](who);
}

function act(id: string, oracle: Oracle, who: Person, wanted: Action) {
  const send = (method: string, path: string, body?: unknown) =>
    contents.call<Answer>(method, `/${id}${path}`, body, keys[who]);
  switch (wanted.does) {
    case 'put': {
      const rowVersion = oracle.versions.length - wanted.staleBy;
      return send('PUT', '', {
        rowVersion,
        ...(wanted.subject === null ? {} : { content: { subject: wanted.subject } }),
      });
    }
    case 'reject':
      return send('POST', '/reject', { reason: wanted.reason });
    case 'revert':
      return send('POST', `/revert/${wanted.version}`);
    case 'archive':
      return send('DELETE', '');
    default:
      return send('POST', `/${wanted.does}`);
  }
}

test('random actions by two persons leave what the rules say', async () => {
  const reached = new Set<string>();
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const { id } = await contents.make({ content: { subject: 'start' } });
      const oracle = new Oracle();
      for (const [who, wanted] of sequence) {
        const answering = act(id, oracle, who, wanted);
        const expected = ask(oracle, who, wanted);
        const answer = await answering;
        assert.equal(answer.status < 300 ? 'ok' : answer.body.code, expected, `${wanted.does}: ${answer.text}`);
        reached.add(`${wanted.does} ${expected}`);
        const item = (await contents.call('GET', `/${id}`)).body;
        assert.partialDeepStrictEqual(item, {
          status: oracle.status,
          version: oracle.versions.length,
          content: { subject: oracle.subject },
          submittedBy: oracle.submittedBy,
          approvedBy: oracle.approvedBy,
          rejectionReason: oracle.reason,
          publishedVersion: oracle.published,
        });
      }
      const kept = (await contents.versions(id)).toReversed();
      assert.deepEqual(
        kept.map(({ version, kind, content, merged }) => ({ version, kind, content, merged: merged?.content ?? null })),
        oracle.versions.map(({ kind, subject }, at) => ({
          version: at + 1,
          kind,
          content: { subject },
          merged: kind === 'publish' ? { subject } : null,
        })),
      );
    }),
    { numRuns: 60 },
  );
  // The sequences must reach what they are about.
  for (const word of ['approve self_approval_forbidden', 'publish ok', 'put row_version_conflict', 'revert ok']) {
    assert.ok(reached.has(word), `${word} of ${[...reached].join(', ')}`);
  }
});
