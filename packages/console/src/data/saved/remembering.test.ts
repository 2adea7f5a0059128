import assert from 'node:assert/strict';
import { afterEach, beforeEach, suite, test } from 'node:test';
import { pollWait } from '../live/events.ts';
import { createTray, type Job, jobWait } from '../live/jobs.ts';
import { forgetAll, recall, remember } from '../storage.ts';
import { MemoryStorage, setGlobals, signIn, signOut } from '../test-browser.ts';

let local = new MemoryStorage();
let tab = new MemoryStorage();
let restore: () => void;

suite('browser storage', () => {
  beforeEach(() => {
    local = new MemoryStorage();
    tab = new MemoryStorage();
    restore = setGlobals({ localStorage: local, sessionStorage: tab });
    signIn('ada', 'engines');
  });
  afterEach(() => {
    restore();
    signOut();
  });

  test('stores values per user and tenant', () => {
    remember('theme', 'dark');
    assert.equal(recall('theme'), 'dark');
    signIn('ada', 'looms');
    assert.equal(recall('theme'), undefined);
    signIn('ben', 'engines');
    assert.equal(recall('theme'), undefined);
    signIn('ada', 'engines');
    assert.equal(recall('theme'), 'dark');
    remember('theme', undefined);
    assert.equal(local.length, 0);
  });

  test('removes everything of the console at sign-out, and nothing else', () => {
    remember('views', { offers: [] });
    remember('draft:offers', { name: 'x' });
    signIn('ben', 'looms');
    remember('layout', { rail: 'narrow' });
    local.setItem('another-program', '1');
    tab.setItem('arbiter:t:u:jobs', '[]');
    forgetAll();
    assert.deepEqual([...local.kept.keys()], ['another-program']);
    assert.equal(tab.length, 0);
  });

  test('survives full and invalid storage', () => {
    remember('views', 1);
    local.full = true;
    remember('views', 2);
    assert.equal(recall('views'), undefined);
    local.kept.set('arbiter:engines:ada:theme', '{');
    assert.equal(recall('theme'), undefined);
  });

  /** A tray whose waits are over when the test says so. */
  function trayFor(answers: readonly (Partial<Job> | Error)[]) {
    const left = [...answers];
    const cancelled: string[] = [];
    const tray = createTray({
      now: () => 5,
      isSeen: () => true,
      sleep: () => Promise.resolve(),
      watches: {
        packLoad: async () => ({
          ask: async () => {
            const next = left.shift();
            if (next instanceof Error) throw next;
            return { state: 'running', ...next };
          },
          cancel: async (id) => void cancelled.push(id),
        }),
      },
    });
    const ended = () =>
      new Promise<Job>((resolve) => {
        const look = () => {
          const job = tray.jobs()[0];
          if (job !== undefined && job.state !== 'running') resolve(job);
        };
        tray.subscribe(look);
        look();
      });
    return { tray, ended, cancelled, left };
  }

  const load = { id: 'j1', kind: 'packLoad', title: 'Coffee', open: '/offers' } as const;

  test('polls a job until it ends, across failed polls', async () => {
    const { tray, ended } = trayFor([
      { progress: 0.2 },
      new Error('away'),
      { progress: 0.9 },
      { state: 'done', note: '12 offers' },
    ]);
    tray.watch(load);
    assert.equal(tray.jobs()[0]?.state, 'running');
    const job = await ended();
    assert.deepEqual([job.state, job.note, job.startedAt], ['done', '12 offers', 5]);
    tray.clear();
    assert.deepEqual(tray.jobs(), []);
  });

  test('polls a job once', async () => {
    const { tray, ended, left } = trayFor([{ state: 'done' }, { progress: 0.5 }]);
    tray.watch(load);
    tray.watch(load);
    await ended();
    assert.equal(left.length, 1);
  });

  test('fails a job that can no longer be polled', async () => {
    const { tray, ended } = trayFor(Array.from({ length: 20 }, () => new Error('away')));
    tray.watch(load);
    assert.equal((await ended()).state, 'failed');
  });

  test('restores jobs after a reload from their IDs and titles', async () => {
    const first = trayFor([{ progress: 0.5 }, { state: 'done' }]);
    first.tray.watch(load);
    const jobs = tab.kept.get('arbiter:engines:ada:jobs') ?? '';
    assert.match(jobs, /"id":"j1"/);
    await first.ended();
    tab.kept.set('arbiter:engines:ada:jobs', jobs);
    const second = trayFor([{ state: 'done' }]);
    second.tray.resume();
    assert.equal((await second.ended()).id, 'j1');
    tab.kept.set('arbiter:engines:ada:jobs', JSON.stringify([{ id: 1 }, 'x', { ...load, kind: 'unknown' }]));
    const third = trayFor([]);
    third.tray.resume();
    assert.deepEqual(third.tray.jobs(), []);
  });

  test("reports and cancels jobs of the page itself, and doesn't restore them", async () => {
    const { tray, cancelled } = trayFor([]);
    let stopped = false;
    tray.report({ ...load, kind: 'bulkAct', state: 'running', progress: 0.1 }, () => {
      stopped = true;
    });
    const [job] = tray.jobs();
    assert.ok(job !== undefined && tray.canCancel(job));
    await tray.cancel('j1');
    assert.ok(stopped);
    assert.deepEqual(cancelled, []);
    assert.equal(tab.length, 0);
  });

  test('polls less often in hidden pages and after failures', () => {
    assert.deepEqual([jobWait(true, 0), jobWait(true, 9), jobWait(false, 0)], [1_000, 2_000, 10_000]);
    assert.deepEqual(
      [pollWait(0, true), pollWait(0, false), pollWait(2, true), pollWait(9, true)],
      [3_000, 30_000, 12_000, 60_000],
    );
  });
});
