import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { randomCases } from '../../../../../../test/form.ts';
import { type Answer, type ContentServer, startContentServer } from './test-content.ts';

/** Compares random actions of two people with an in-memory oracle that knows only the rules. */

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

interface State {
  readonly status: string;
  readonly subject: string;
  readonly versions: readonly Version[];
  readonly submittedBy: string | null;
  readonly approvedBy: string | null;
  readonly reason: string | null;
  readonly published: number | null;
}

const born: State = {
  status: 'draft',
  subject: 'start',
  versions: [{ kind: 'create', subject: 'start' }],
  submittedBy: null,
  approvedBy: null,
  reason: null,
  published: null,
};

/** State after an action, or the code of the refusal. */
type Outcome = State | string;

const draft = { status: 'draft', submittedBy: null, approvedBy: null } as const;
const withVersion = (state: State, kind: string): State => ({
  ...state,
  versions: [...state.versions, { kind, subject: state.subject }],
});

/** The rules of docs/design/api-settled.md 1 to 3 and 42 to 49 as a state machine. */
function oracle(state: State, who: Person, wanted: Action): Outcome {
  const is = (status: string): boolean => state.status === status;
  switch (wanted.does) {
    case 'put':
      if (wanted.staleBy > 0) return 'row_version_conflict';
      if (is('archived')) return 'invalid_transition';
      return withVersion({ ...state, ...draft, subject: wanted.subject ?? state.subject }, 'update');
    case 'submit':
      if (!is('draft')) return 'invalid_transition';
      return { ...state, status: 'in_review', submittedBy: persons[who], reason: null };
    case 'approve':
      if (!is('in_review')) return 'invalid_transition';
      if (state.submittedBy === persons[who]) return 'self_approval_forbidden';
      return { ...state, status: 'approved', approvedBy: persons[who] };
    case 'reject':
      if (!is('in_review')) return 'invalid_transition';
      return { ...state, ...draft, reason: wanted.reason };
    case 'publish': {
      if (!is('approved')) return 'invalid_transition';
      const published = withVersion({ ...state, status: 'published' }, 'publish');
      return { ...published, published: published.versions.length };
    }
    case 'archive':
      return is('archived') ? state : { ...state, ...draft, status: 'archived' };
    case 'revert': {
      if (wanted.version >= state.versions.length) return 'invalid_transition';
      const old = state.versions[wanted.version - 1];
      return old === undefined ? 'not_found' : withVersion({ ...state, ...draft, subject: old.subject }, 'revert');
    }
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

function act(id: string, state: State, who: Person, wanted: Action) {
  const send = (method: string, path: string, body?: unknown) =>
    contents.call<Answer>(method, `/${id}${path}`, body, keys[who]);
  switch (wanted.does) {
    case 'put': {
      const rowVersion = state.versions.length - wanted.staleBy;
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

/** Always included: reaches states that random sequences may miss. */
const wholeWay: [Person, Action][] = [
  ['a', { does: 'put', subject: 'x', staleBy: 1 }],
  ['a', { does: 'submit' }],
  ['a', { does: 'approve' }],
  ['b', { does: 'approve' }],
  ['a', { does: 'publish' }],
  ['b', { does: 'archive' }],
  ['b', { does: 'revert', version: 1 }],
];

test('random actions by two people follow the rules', async () => {
  const reached = new Set<string>();
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const { id } = await contents.make({ content: { subject: 'start' } });
      let state = born;
      for (const [who, wanted] of sequence) {
        const answer = await act(id, state, who, wanted);
        const outcome = oracle(state, who, wanted);
        const expected = typeof outcome === 'string' ? outcome : 'ok';
        if (typeof outcome !== 'string') state = outcome;
        assert.equal(answer.status < 300 ? 'ok' : answer.body.code, expected, `${wanted.does}: ${answer.text}`);
        reached.add(`${wanted.does} ${expected}`);
        const item = (await contents.call('GET', `/${id}`)).body;
        assert.partialDeepStrictEqual(item, {
          status: state.status,
          version: state.versions.length,
          content: { subject: state.subject },
          submittedBy: state.submittedBy,
          approvedBy: state.approvedBy,
          rejectionReason: state.reason,
          publishedVersion: state.published,
        });
      }
      const kept = (await contents.versions(id)).toReversed();
      assert.deepEqual(
        kept.map(({ version, kind, content, merged }) => ({ version, kind, content, merged: merged?.content ?? null })),
        state.versions.map(({ kind, subject }, at) => ({
          version: at + 1,
          kind,
          content: { subject },
          merged: kind === 'publish' ? { subject } : null,
        })),
      );
    }),
    { ...randomCases(60), examples: [[wholeWay]] },
  );
  // The sequences must reach the states that this test is about.
  for (const word of ['approve self_approval_forbidden', 'publish ok', 'put row_version_conflict', 'revert ok']) {
    assert.ok(reached.has(word), `${word} of ${[...reached].join(', ')}`);
  }
});
