import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './run.ts';

const program = join(import.meta.dirname, '..', 'bin', 'arbiter.js');

/** How a command ended, and what it wrote. */
interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

type Environment = Readonly<Record<string, string>>;

/** What the shell inherits, without any setting of Arbiter that the developer may have. */
const plainEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(ARBITER|DATABASE|DATA|NODE_ENV|PORT|BOOTSTRAP)/.test(name)),
);

/** The real command line, as a shell runs it, with a home of its own. */
export interface CommandLine {
  /** Folder of its configuration. */
  readonly home: string;
  start(args: readonly string[], environment: Environment): ChildProcess;
  arbiter(args: readonly string[], environment?: Environment): Promise<CommandResult>;
  /**
   * The same command line in this process, without the half second that a process takes to start. Behavior shared by
   * all commands (output, exit codes, the environment) is tested once in a real process.
   */
  runInProcess(args: readonly string[], environment?: Environment): Promise<CommandResult>;
  close(): Promise<void>;
}

export async function createCommandLine(): Promise<CommandLine> {
  const home = await mkdtemp(join(tmpdir(), 'arbiter-cli-'));
  const start: CommandLine['start'] = (args, environment) =>
    spawn(process.execPath, [program, ...args], {
      env: { ...plainEnvironment, XDG_CONFIG_HOME: home, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  return {
    home,
    start,
    async arbiter(args, environment = {}) {
      const child = start(args, environment);
      let out = '';
      let err = '';
      child.stdout?.on('data', (chunk) => {
        out += chunk;
      });
      child.stderr?.on('data', (chunk) => {
        err += chunk;
      });
      const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
      return { code, out, err };
    },
    async runInProcess(args, environment = {}) {
      let out = '';
      let err = '';
      const code = await run(args, {
        environment: { ...plainEnvironment, XDG_CONFIG_HOME: home, ...environment },
        print: (line) => {
          out += `${line}\n`;
        },
        warn: (line) => {
          err += `${line}\n`;
        },
      });
      return { code, out, err };
    },
    close: () => rm(home, { recursive: true, force: true }),
  };
}
