import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A Redis of the test's own, without anything on disk. */
export interface TestRedis {
  readonly url: string;
  /** Stops answering without closing its connections, as a server does that hangs. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

/** Why the tests with Redis cannot run here; null = they can. For `skip` of node:test, which prints it. */
export function redisMissing(): string | null {
  const { error, status } = spawnSync('redis-server', ['--version'], { stdio: 'ignore' });
  if (error === undefined && status === 0) return null;
  return 'redis-server does not answer on PATH (Debian: apt-get install redis-server)';
}

const startPatienceMs = 20_000;

export async function startTestRedis(): Promise<TestRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'arbiter-redis-'));
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
  const child: ChildProcess = spawn('redis-server', args, { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const until = performance.now() + startPatienceMs;
  while (!(await answers(port))) {
    if (performance.now() > until) throw new Error('redis-server did not start');
    await sleep(20);
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    async stop() {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
