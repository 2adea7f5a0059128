import type { ParseArgsOptionsConfig } from 'node:util';

/** One command of `arbiter`; each stands in a file of its own under commands/. */
export interface Command {
  /** As typed: `recommend`, `tenant create`. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** One line for the list of commands. */
  readonly summary: string;
  /** Text of `arbiter help <command>`. */
  readonly help: string;
  readonly options: ParseArgsOptionsConfig;
  /** Resolves with the exit code. Throws UsageError for a wrong command line. */
  run(call: Call): Promise<number>;
}

/** What the shell gave to a command, parsed. */
export interface Call {
  readonly positionals: readonly string[];
  readonly flags: Flags;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A line on standard output. */
  print(line: string): void;
  /** A line on standard error. */
  warn(line: string): void;
  /** Asks the person at the terminal; missing where there is none. */
  readonly ask?: (question: string) => Promise<string>;
  /** The same, and what is typed is not shown. */
  readonly askSecretly?: (question: string) => Promise<string>;
}

/** Values of the flags; a flag that was not given is undefined. */
export interface Flags {
  text(name: string): string | undefined;
  flag(name: string): boolean;
  /** An integer; anything else is a UsageError. */
  integer(name: string): number | undefined;
}

/** Flags that every command which talks to a server takes. */
export const connectionOptions: ParseArgsOptionsConfig = {
  url: { type: 'string' },
  'api-key': { type: 'string' },
  tenant: { type: 'string' },
  json: { type: 'boolean' },
};

export const connectionHelp = `Connection:
  --url <url>         address of the server        (ARBITER_URL, http://localhost:3000)
  --api-key <key>     API key, krn_...             (ARBITER_API_KEY, or a file: ARBITER_API_KEY_FILE)
  --tenant <id>       tenant of the key, optional  (ARBITER_TENANT_ID)
  --json              print the API's body as it came

Flags beat the environment, the environment beats ~/.config/arbiter/config.json
({ "url", "apiKey", "tenantId" }).`;
